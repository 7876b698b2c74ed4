// What `fsck` tells to do: never to run itself again where that cannot help, each thing once, and every step of a repair.
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import * as ctx from '../../src/index.ts';
import { loosePath } from '../../src/store/loose.ts';
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

const CIRCLE = /ctx fsck, then/;

test('a lost object is to be fetched', () => {
  const of = lived();
  const tree = of.git('rev-parse', 'main^{tree}').trim();
  rmSync(loosePath(join(of.store, 'objects'), tree));
  const { findings } = checkStore(of.open(), { repair: true });
  expect(findings.length).toBeGreaterThan(0);
  for (const { hint } of findings) expect(hint).toBe('Fetch it from a backup or a clone of the store.');
});

test('a damaged pack is to be indexed anew or restored', () => {
  const of = lived();
  of.git('repack', '-adq');
  const pack = join(of.store, 'objects/pack');
  const index = join(pack, readdirSync(pack).find((name) => name.endsWith('.idx')) as string);
  rmSync(index);
  writeFileSync(index, 'torn');
  const { findings } = checkStore(of.open(), { repair: true });
  expect(findings.length).toBeGreaterThan(0);
  expect(findings.map(({ hint }) => hint).filter((hint) => CIRCLE.test(hint))).toEqual([]);
  expect(findings.map(({ hint }) => hint).join('\n')).toContain('git index-pack');
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

test('a main that was wound back is to be put where the operation log tells', () => {
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

test('a repair tells that it broke a torn LOCK', () => {
  const of = lived();
  writeFileSync(join(of.store, 'LOCK'), '');
  expect(checkStore(of.open(), { repair: true }).repaired).toEqual([
    'Removed LOCK, which a process that is gone had left.',
  ]);
});
