// `undo` where steps were expired: what led to them cannot be taken back, which is no damage, and what came after can.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { collectGarbage } from '../../src/app/gc.ts';
import { listOperations } from '../../src/app/undo/operations.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import { MAIN } from '../../src/git/layout.ts';
import { loosePath } from '../../src/git/objects/loose.ts';
import { archiveRef, sessionRef } from '../../src/history/names/layout.ts';
import * as ctx from '../../src/index.ts';
import { TRANSCRIPT } from '../support/samples.ts';
import { dropSecondNames, errorOf, fsck, makeProject, type Project } from '../support/store.ts';

const DAY = 86_400;

/** A store whose one saved session was squashed, and whose steps Git has thrown away. */
async function expired(): Promise<Project & { id: string }> {
  const project = makeProject();
  const { repository, clock } = project;
  const { session_id } = ctx.startSession(repository, 'old');
  ctx.observeNote(repository, 'one');
  ctx.flushStep(repository);
  ctx.compactSession(repository);
  clock.now += 100 * DAY;
  expect(
    (await collectGarbage(repository, { expireSteps: 90 * DAY, machineTime: repository.clock })).expired,
  ).toHaveLength(1);
  dropSecondNames(project.store);
  project.git('gc', '--quiet', '--prune=now');
  return { ...project, repository: project.open(), id: session_id };
}

test('an end whose steps were expired is not taken back, and nothing changes', async () => {
  const of = await expired();
  const before = of.git('for-each-ref');
  expect(errorOf(() => undoOperations(of.repository))).toMatchObject({
    code: 'not_found',
    message: `The steps of ${of.id} were expired: there is no way back to them.`,
    hint: `Nothing was changed. See what is left with: ctx show ${of.id}`,
  });
  expect(of.git('for-each-ref')).toBe(before);
  expect(checkStore(of.open()).findings).toEqual([]);
  expect(ctx.showRevision(of.open(), of.id)).toBeTruthy();
});

test('an end whose squashed steps are still there comes back with all of them, and so does its commit', async () => {
  const project = makeProject();
  const { repository, clock } = project;
  const { session_id } = ctx.startSession(repository, 'old');
  for (const note of ['one', 'two']) {
    ctx.observeNote(repository, `Decision: ${note}`);
    ctx.flushStep(repository);
  }
  ctx.compactSession(repository);
  const notes = (): string => project.git('show', 'main:notes.jsonl');
  const told = notes();
  clock.now += 100 * DAY;
  expect(
    (await collectGarbage(repository, { expireSteps: 90 * DAY, machineTime: repository.clock })).expired,
  ).toHaveLength(1);
  undoOperations(project.open());
  expect(project.git('rev-list', '--count', sessionRef(session_id)).trim()).not.toBe('1');
  undoOperations(project.open());
  expect(notes()).toBe(told);
  expect(checkStore(project.open(), { full: true }).findings).toEqual([]);
});

test.each(['commit', 'tree', 'blob'])('where a %s of one of them is gone, nothing changes', async (kind) => {
  const project = makeProject();
  const { repository, clock, store } = project;
  const { session_id } = ctx.startSession(repository, 'old');
  for (const note of ['one', 'two', 'three']) {
    ctx.observeNote(repository, note);
    ctx.flushStep(repository);
  }
  ctx.compactSession(repository);
  const step = project.git('rev-parse', `${archiveRef(session_id)}~2`).trim();
  const lost = { commit: step, tree: `${step}^{tree}`, blob: `${step}:step.jsonl` }[kind] as string;
  const path = loosePath(join(store, 'objects'), project.git('rev-parse', lost).trim());
  clock.now += 100 * DAY;
  await collectGarbage(repository, { expireSteps: 90 * DAY, machineTime: repository.clock });
  rmSync(path);
  const before = project.git('for-each-ref');
  expect(errorOf(() => undoOperations(project.open()))).toMatchObject({
    code: 'not_found',
    message: `The steps of ${session_id} were expired: there is no way back to them.`,
  });
  expect(project.git('for-each-ref')).toBe(before);
  expect(checkStore(project.open(), { full: true }).findings).toEqual([]);
});

test('whatever came after is taken back, and brought back', async () => {
  const of = await expired();
  const main = of.repository.refs.read(MAIN);
  const { session_id } = ctx.startSession(of.repository, 'new');
  ctx.observeNote(of.repository, 'two');
  ctx.compactSession(of.repository);
  const saved = of.repository.refs.read(MAIN);
  undoOperations(of.open());
  expect([of.repository.refs.read(MAIN), of.repository.refs.stage()]).toEqual([main, sessionRef(session_id)]);
  undoOperations(of.open());
  expect(of.repository.refs.read(MAIN)).toBe(saved);
  undoOperations(of.open(), 2);
  expect(errorOf(() => undoOperations(of.open(), 6)).code).toBe('not_found');
  expect(checkStore(of.open()).findings.filter(({ severity }) => severity === 'damage')).toEqual([]);
});

test('a broken chain is damage, squashed or not', async () => {
  const { open, repository, clock, store } = makeProject();
  ctx.startSession(repository, 'old');
  ctx.observeNote(repository, 'one');
  ctx.compactSession(repository);
  clock.now += 100 * DAY;
  const { expired: squashed } = await collectGarbage(repository, {
    expireSteps: 90 * DAY,
    machineTime: repository.clock,
  });
  const ref = archiveRef(squashed[0]?.session_id as string);
  const first = open().refs.read(ref) as string;
  undoOperations(open());
  ctx.observeNote(open(), 'two');
  ctx.flushStep(open());
  open().objects.loosen(first);
  rmSync(join(store, 'objects/pack'), { recursive: true });
  rmSync(loosePath(join(store, 'objects'), first), { force: true });
  expect(errorOf(() => undoOperations(open()))).toMatchObject({
    code: 'damaged',
    message: expect.stringContaining(first),
  });
});

test.each([false, true])(
  'a transcript that was ingested and saved at once goes as a whole, its steps pruned: %s',
  async (pruned) => {
    const project = makeProject();
    const { folder, store, clock, open } = project;
    const file = join(folder, 'transcript.jsonl');
    writeFileSync(file, TRANSCRIPT);
    const ingest = () => ctx.ingestTranscript(open(), file, { compact: true });
    const { session_id } = ingest();
    const main = open().refs.read(MAIN);
    clock.now += 100 * DAY;
    await collectGarbage(open(), { expireSteps: 90 * DAY, machineTime: open().clock });
    const kept = open().refs.read(archiveRef(session_id));
    if (pruned)
      for (const words of [
        ['reflog', 'expire', '--expire=now', '--all'],
        ['gc', '--quiet', '--prune=now'],
      ])
        project.git(...words);
    expect(undoOperations(open()).undone).toMatchObject([{ command: 'ingest' }]);
    expect(project.git('for-each-ref', '--format=%(refname)').trim()).toBe(MAIN);
    expect([...ctx.readLog(open())]).toEqual([]);
    undoOperations(open());
    expect([open().refs.read(MAIN), open().refs.read(archiveRef(session_id))]).toEqual([main, kept]);
    undoOperations(open());
    expect(ingest()).toMatchObject({ created: true });
    expect([...ctx.readLog(open())]).toHaveLength(1);
    expect(checkStore(open(), { full: true }).findings.filter(({ severity }) => severity === 'damage')).toEqual([]);
    expect(fsck(store)).toBe('');
  },
);

test('reports what cannot be taken back, and logs the operation even if it moved one pointer', async () => {
  const project = makeProject();
  const { repository, clock } = project;
  ctx.startSession(repository, 'old');
  ctx.observeNote(repository, 'one');
  ctx.compactSession(repository);
  clock.now += 100 * DAY;
  ctx.startSession(project.open(), 'new');
  expect(
    (await collectGarbage(project.open(), { expireSteps: 90 * DAY, machineTime: project.open().clock })).expired,
  ).toHaveLength(1);
  const [newest] = listOperations(project.open());
  expect(newest).toMatchObject({ command: 'gc', moves: [{ pointer: expect.stringContaining('refs/archive/') }] });
  expect(undoOperations(project.open())).toMatchObject({
    undone: [{ command: 'stage start' }],
    left: [{ command: 'gc' }],
  });
});
