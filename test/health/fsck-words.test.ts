// Tests the remedies of `fsck`: never itself again if that cannot help, each thing once, and every step of a repair.
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { FETCH } from '../../src/core/errors.ts';
import { loosePath } from '../../src/git/objects/loose.ts';
import { sessionRef } from '../../src/history/names/layout.ts';
import * as ctx from '../../src/index.ts';
import { forge } from '../support/forge.ts';
import { makeProject, type Project } from '../support/store.ts';

/** A saved session and an open one in which a note waits. */
function lived(): Project & { id: string } {
  const project = makeProject();
  ctx.startSession(project.repository, 'one');
  ctx.observeNote(project.repository, 'x');
  ctx.compactSession(project.repository);
  const { session_id } = ctx.startSession(project.repository, 'two');
  ctx.observeNote(project.repository, 'waits');
  return { ...project, id: session_id };
}

test('a lost object is to be fetched', () => {
  const of = lived();
  const tree = of.git('rev-parse', 'main^{tree}').trim();
  rmSync(loosePath(join(of.store, 'objects'), tree));
  const { findings } = checkStore(of.open(), { repair: true });
  expect(findings.length).toBeGreaterThan(0);
  for (const { hint } of findings) expect(hint).toBe(FETCH);
});

test('a torn index is the one thing that is named, and is to be made again', () => {
  const of = lived();
  of.git('repack', '-adq');
  const pack = join(of.store, 'objects/pack');
  const index = readdirSync(pack).find((name) => name.endsWith('.idx')) as string;
  rmSync(join(pack, index));
  writeFileSync(join(pack, index), 'torn');
  expect(checkStore(of.open()).findings).toMatchObject([
    { where: `objects/pack/${index}`, hint: expect.stringMatching(/^ctx fsck --repair makes it again/) },
  ]);
});

test('a torn record that waits is set aside by a repair', () => {
  const of = lived();
  const folder = join(of.store, 'pending', of.id);
  const name = readdirSync(folder).find((entry) => entry.endsWith('.json')) as string;
  writeFileSync(join(folder, name), '{');
  expect(checkStore(of.open()).findings).toMatchObject([
    { kind: 'pending', hint: 'Nothing was flushed. ctx fsck --repair sets it aside.' },
  ]);
});

test('a main that was wound back is to be put where the operation log says', () => {
  const of = lived();
  const good = of.git('rev-parse', 'main').trim();
  of.git('update-ref', 'refs/heads/main', 'main~1');
  const { findings } = checkStore(of.open(), { repair: true });
  expect(findings.map(({ hint }) => hint)).toContain(`git --git-dir=.ctx update-ref refs/heads/main ${good}`);
});

test('a broken line of packed-refs is named once', () => {
  const of = lived();
  of.git('pack-refs', '--all');
  appendFileSync(join(of.store, 'packed-refs'), 'no ref\n');
  const count = readFileSync(join(of.store, 'packed-refs'), 'utf8').split('\n').length - 1;
  expect(checkStore(of.open()).findings.filter(({ severity }) => severity === 'damage')).toEqual([
    {
      severity: 'damage',
      kind: 'pointer',
      where: `packed-refs line ${count}`,
      message: `packed-refs is damaged: line ${count} is no ref`,
      hint: 'ctx fsck --repair',
    },
  ]);
});

test('a repair reports that it broke a torn LOCK', () => {
  const of = lived();
  writeFileSync(join(of.store, 'LOCK'), '');
  expect(checkStore(of.open(), { repair: true }).repaired).toEqual([
    'Removed LOCK, which a process that is gone had left.',
  ]);
});

test('a step that was written whole, and is none, is to be fetched: a repair would find nothing to do', () => {
  const of = lived();
  const { replace, text, blob, like, treeWith } = forge(of);
  replace(sessionRef(of.id), (oid) =>
    like(oid, { tree: treeWith(oid, 'session.json', { oid: blob(text(oid, 'session.json').slice(1)) }) }),
  );
  const { findings, repaired } = checkStore(of.open(), { repair: true });
  expect(repaired).toEqual([]);
  expect(findings.length).toBeGreaterThan(0);
  for (const { hint } of findings) expect(hint).toBe(FETCH);
});

test('a torn object is set aside by the command that is printed', () => {
  const of = lived();
  const blob = of.git('rev-parse', 'main:summary.md').trim();
  writeFileSync(loosePath(join(of.store, 'objects'), blob), 'torn');
  expect(checkStore(of.open()).findings).toMatchObject([
    { hint: `ctx fsck --repair sets aside what is torn. ${FETCH}` },
  ]);
});

test.each<[what: string, fields: object, words: string]>([
  ['by what', { by: undefined }, 'does not say by what'],
  ['from where', { from: {} }, 'does not say from where to where'],
  ['to where', { to: 'Running' }, 'does not say from where to where'],
])('a move that does not say %s is reported in words', (_what, fields, words) => {
  const of = lived();
  const { replace, text, blob, like, treeWith } = forge(of);
  ctx.setState(of.repository, 'interrupt', { text: 'Stop' });
  replace(sessionRef(of.id), (head) => {
    const lines = text(head, 'step.jsonl').trimEnd().split('\n');
    const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const forged = told.map((record) => (record.kind === 'transition' ? { ...record, ...fields } : record));
    const file = blob(forged.map((record) => `${JSON.stringify(record)}\n`).join(''));
    return like(head, { tree: treeWith(head, 'step.jsonl', { oid: file }) });
  });
  const messages = checkStore(of.open()).findings.map(({ message }) => message);
  expect(messages).toContainEqual(expect.stringMatching(new RegExp(`^its move [0-9a-f-]{36} ${words}$`)));
  expect(messages.join()).not.toContain('undefined');
});
