// Packing with Git: that it finds what the steps of one session have in common, however many sessions lie between them.
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { encodeTree } from '../../src/core/tree.ts';
import { runQuietly } from '../../src/git/git.ts';
import { takePacking } from '../../src/git/packing.ts';
import { namedBySession, objectsInFastPacks, repackWithGit } from '../../src/health/gc/repack.ts';
import * as ctx from '../../src/index.ts';
import { fsck, makeProject, type Project } from '../support/store.ts';

const OID = (letter: string): string => letter.repeat(40);

test.each([
  ['nothing', '', '\n'],
  ['a commit without a session', `commit ${OID('a')}\nsession \n${OID('b')} \n`, `${OID('a')}\n${OID('b')} \n`],
  [
    'commits of two sessions, with names of any kind',
    [
      `commit ${OID('a')}`,
      'session one',
      `${OID('b')} `,
      `${OID('c')} files/session two.ts`,
      `commit ${OID('d')}`,
      'session two',
      `${OID('e')} step.jsonl`,
      `commit ${OID('1')}`,
      'session one',
      '',
    ].join('\n'),
    [OID('a'), `${OID('b')} one`, `${OID('c')} one`, OID('d'), `${OID('e')} two`, OID('1'), ''].join('\n'),
  ],
])('objects are named after the session whose commit brought them: %s', (_what, list, named) => {
  expect(namedBySession(list)).toBe(named);
});

/** A text that no other one is like. */
const unlike = (name: string): string =>
  Array.from({ length: 30 }, (_, at) => createHash('sha256').update(`${name} ${at}`).digest('hex')).join(' ');

/** Sessions side by side: what each of them says again and again is its own, and as long as what the others say. */
function talk(sessions: number, steps: number): Project {
  const project = makeProject();
  const all = Array.from({ length: sessions }, (_, session) => {
    const { session_id } = ctx.startSession(project.repository, `Task ${session}`, { beside: true });
    return { open: project.open({ session: session_id }), text: unlike(`session ${session}`) };
  });
  for (let step = 0; step < steps; step += 1)
    for (const { open, text } of all) {
      ctx.observeNote(open, text + ' again'.repeat(step * 20));
      ctx.flushStep(open);
    }
  return project;
}

function packOf({ store }: Project): string {
  const folder = join(store, 'objects', 'pack');
  const [pack, ...others] = readdirSync(folder).filter((name) => name.endsWith('.pack'));
  expect(others).toEqual([]);
  return join(folder, pack as string);
}

/** Packs as `ctx gc` does, with what keeps others from packing in hand. */
async function repack(project: Project): Promise<void> {
  const repository = project.open();
  const release = takePacking(repository);
  try {
    await repackWithGit(repository);
  } finally {
    release();
  }
}

/** Counts the long texts that are whole in a pack: nothing like them was found. */
const wholeTexts = (project: Project): number =>
  project
    .git('verify-pack', '-v', packOf(project))
    .split('\n')
    .map((line) => line.split(/ +/))
    .filter(([, type, , packed]) => type === 'blob' && Number(packed) > 900).length;

test('what a session says again is found in it behind sixty others, and a pack is taken over as it is', async () => {
  const [sessions, steps] = [60, 3];
  const project = talk(sessions, steps);
  const copy = { ...project, store: join(project.folder, 'copy') };
  cpSync(project.store, copy.store, { recursive: true });
  project.git('--git-dir', copy.store, 'repack', '-a', '-q', '--window=50');
  expect(wholeTexts(copy)).toBeGreaterThan(2 * sessions);
  for (let run = 0; run < 2; run += 1) {
    await repack(project);
    expect(wholeTexts(project)).toBe(sessions);
    expect(fsck(project.store)).toBe('');
  }
  expect(project.git('count-objects', '-v')).toMatch(/^count: 0$/m);
}, 60_000);

test('what was packed in haste is held against its likes like what is loose, and is in no hasty pack any more', async () => {
  const sessions = 2;
  const project = talk(sessions, 3);
  const { layout } = project.repository;
  project.git('-c', 'core.compression=1', '-c', 'pack.compression=1', 'repack', '-a', '-d', '-q', '-F', '--window=0');
  expect(wholeTexts(project)).toBe(3 * sessions);
  expect(objectsInFastPacks(layout).size).toBeGreaterThan(3 * sessions);
  // Git takes what it has packed last.
  for (const file of [packOf(project), packOf(project).replace(/pack$/, 'idx')]) utimesSync(file, 1000, 1000);
  await repack(project);
  expect(wholeTexts(project)).toBe(sessions);
  expect(objectsInFastPacks(layout).size).toBe(0);
  expect(fsck(project.store)).toBe('');
});

test('a commit whose trailer has lines of its own is packed like any other', async () => {
  const project = makeProject();
  const { session_id } = ctx.startSession(project.repository, 'Task');
  const ref = `refs/sessions/${session_id}`;
  const message = `Step\n\nCtx-Session: one\n commit ${OID('a')}\n ${OID('b')} x\nCtx-Step: 2\n`;
  project.git('update-ref', ref, project.git('commit-tree', `${ref}^{tree}`, '-p', ref, '-m', message).trim());
  await repack(project);
  expect(fsck(project.store)).toBe('');
  expect(project.git('count-objects', '-v')).toMatch(/^count: 0$/m);
});

/** Puts a file on the main line that lies in so many folders. */
function bury({ repository, git }: Project, depth: number, outermost = 'd'): void {
  const { objects } = repository;
  let tree = objects.write(
    'tree',
    encodeTree([{ mode: '100644', name: 'x', oid: objects.write('blob', Buffer.from('x')) }]),
  );
  for (let left = depth; left > 0; left -= 1)
    tree = objects.write('tree', encodeTree([{ mode: '40000', name: left > 1 ? 'd' : outermost, oid: tree }]));
  git('update-ref', 'refs/heads/main', git('commit-tree', tree, '-p', 'main', '-m', 'deep').trim());
}

test('paths as long as any may be are packed, and Git is not let into longer ones', async () => {
  const project = makeProject();
  bury(project, 513);
  await repack(project);
  expect(project.git('count-objects', '-v')).toMatch(/^count: 0$/m);
  const said = 'there are paths so long that Git would fill the memory';
  // In a folder behind whose name Git tells no more, and which lies less deep in an older commit, too.
  for (const outermost of ['\n', 'd']) {
    bury(project, 2100, outermost);
    await expect(repack(project)).rejects.toMatchObject({ code: 'io', message: said });
  }
  expect(fsck(project.store)).toBe('');
});

test('more than was asked for is no answer', () => {
  const { repository } = makeProject();
  expect(runQuietly(repository, ['rev-list', '--all'], { most: 100 })).toMatch(/^[0-9a-f]{40}\n$/);
  expect(runQuietly(repository, ['rev-list', '--all'], { most: 20 })).toBeNull();
});
