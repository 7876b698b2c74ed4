// Tests Git's own maintenance of a store between two commands: both succeed as if nothing had been.
import { copyFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { collectGarbage } from '../../src/app/gc.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import { archiveRef, sessionRef } from '../../src/history/names/layout.ts';
import * as ctx from '../../src/index.ts';
import { TRANSCRIPT } from '../support/samples.ts';
import { dropSecondNames, errorOf, fsck, makeProject, type Project } from '../support/store.ts';

const DAY = 86_400;
const EXPIRE = ['reflog', 'expire', '--expire=now', '--expire-unreachable=now', '--all'];
const PRUNE = ['gc', '--quiet', '--prune=now'];
const PACK_REFS = ['pack-refs', '--all'];

function expectSound({ store, open }: Project): void {
  expect(checkStore(open(), { full: true }).findings).toEqual([]);
  expect(fsck(store)).toBe('');
}

const maintain = (project: Project, ways: readonly string[][]): void => {
  for (const words of ways) project.git(...words);
};

describe.each([
  ['reflogs expired, then all packed and pruned', [EXPIRE, PRUNE]],
  ['reflogs expired, then refs packed', [EXPIRE, PACK_REFS]],
  ['refs packed, then reflogs expired', [PACK_REFS, EXPIRE]],
])('%s', (_words, ways) => {
  test.each<[string, (repository: ctx.Repository) => unknown]>([
    ['compact', (repository) => ctx.compactSession(repository)],
    ['abort', (repository) => ctx.setState(repository, 'abort', { text: 'no', compact: true })],
    ['start --replace', (repository) => ctx.startSession(repository, 'next', { replace: true })],
    ['cleanup', (repository) => ctx.cleanupStaleSessions(repository, { maxIdle: 0 })],
    ['flush', (repository) => ctx.flushStep(repository, { allowEmpty: true })],
    ['undo', (repository) => undoOperations(repository)],
  ])('then %s', (_command, act) => {
    const project = makeProject();
    ctx.startSession(project.repository, 'first');
    ctx.observeNote(project.repository, 'one');
    ctx.compactSession(project.repository);
    ctx.startSession(project.repository, 'second');
    ctx.observeNote(project.repository, 'two');
    ctx.flushStep(project.repository);
    maintain(project, ways);
    project.clock.now += DAY;
    act(project.open());
    maintain(project, ways);
    expectSound(project);
    expect(existsSync(join(project.store, 'oplog', 'begun.json'))).toBe(false);
  });
});

describe('a store that `git maintenance` has gone over', () => {
  const LOOSE_OBJECTS = ['maintenance', 'run', '--quiet', '--task=loose-objects'];

  /** All that is loose lies in a pack whose name begins with "loose-": the first run makes it, the second one removes the rest. */
  function maintained(): Project {
    const project = makeProject();
    ctx.startSession(project.repository, 'first');
    ctx.observeNote(project.repository, 'hunter2hunter2xyzzy was said');
    ctx.flushStep(project.repository);
    maintain(project, [LOOSE_OBJECTS, LOOSE_OBJECTS]);
    return { ...project, repository: project.open() };
  }
  const filesIn = ({ store }: Project): string[] =>
    (readdirSync(join(store, 'objects'), { recursive: true }) as string[]).filter((name) => /[0-9a-f]{38}/.test(name));

  test('is read, packed and measured as ever', async () => {
    const project = maintained();
    expect(filesIn(project).every((name) => name.startsWith('pack/loose-'))).toBe(true);
    expect(ctx.sessionStatus(project.repository)).toMatchObject({ active: true });
    expectSound(project);
    expect(ctx.diskUsage(project.open(), 'kind').total.packed).toBeGreaterThan(500);
    await collectGarbage(project.open());
    expect(filesIn(project).filter((name) => name.startsWith('pack/loose-'))).toEqual([]);
    expectSound(project);
  });

  test('keeps nothing of what is forgotten', () => {
    const project = maintained();
    // One more, with a name that the user has given it.
    const [pack] = filesIn(project).filter((name) => name.endsWith('.pack'));
    for (const ending of ['pack', 'idx'])
      copyFileSync(
        join(project.store, 'objects', (pack as string).replace(/pack$/, ending)),
        join(project.store, 'objects/pack', `a.backup.${ending}`),
      );
    ctx.forget(project.open(), { text: 'hunter2hunter2xyzzy' });
    expect(filesIn(project).filter((name) => name.startsWith('pack/'))).toEqual([]);
    expect(readdirSync(join(project.store, 'objects/pack'))).toEqual([]);
    const all = project.git('cat-file', '--batch', '--batch-all-objects', '--unordered');
    expect(all).toContain('was said');
    expect(all).not.toContain('hunter2hunter2xyzzy');
    expectSound(project);
  });
});

describe('an ingest that was taken back', () => {
  function takenBack(): Project & { id: string; head: string } {
    const project = makeProject();
    const file = join(project.folder, 'transcript.jsonl');
    writeFileSync(file, TRANSCRIPT);
    const { session_id: id } = ctx.ingestTranscript(project.repository, file);
    const head = project.repository.refs.read(sessionRef(id)) as string;
    undoOperations(project.open());
    return { ...project, id, head };
  }

  test('comes back after Git has pruned what nothing names', () => {
    const project = takenBack();
    maintain(project, [PRUNE]);
    expectSound(project);
    undoOperations(project.open());
    expect(project.open().refs.read(sessionRef(project.id))).toBe(project.head);
    expectSound(project);
  });

  test('in two goes, and both at once, comes back whole after Git has pruned what nothing names', () => {
    const project = makeProject();
    const file = join(project.folder, 'transcript.jsonl');
    const lines = TRANSCRIPT.trimEnd().split('\n');
    const [first, last] = [1, lines.length].map((count) => {
      writeFileSync(file, `${lines.slice(0, count).join('\n')}\n`);
      ctx.ingestTranscript(project.open(), file);
      return project.git('for-each-ref', 'refs/sessions');
    });
    expect(first).not.toBe(last);
    undoOperations(project.open(), 2);
    expect(project.git('for-each-ref', 'refs/sessions')).toBe('');
    maintain(project, [PRUNE]);
    undoOperations(project.open());
    expect(project.git('for-each-ref', 'refs/sessions')).toBe(last);
    expectSound(project);
  });

  test('is gone for good once its reflog was expired too: that is said, and is no damage', () => {
    const project = takenBack();
    dropSecondNames(project.store);
    maintain(project, [EXPIRE, PRUNE]);
    const before = project.git('for-each-ref');
    expect(errorOf(() => undoOperations(project.open()))).toMatchObject({
      code: 'not_found',
      message: `"undo" cannot be taken back: ${project.head}, which ${sessionRef(project.id)} named, is gone.`,
      hint: expect.stringContaining('Git has pruned it'),
    });
    expect(project.git('for-each-ref')).toBe(before);
    expectSound(project);
  });

  test('together with its end comes back with its archive', () => {
    const project = makeProject();
    const file = join(project.folder, 'transcript.jsonl');
    writeFileSync(file, TRANSCRIPT);
    const { session_id } = ctx.ingestTranscript(project.repository, file);
    ctx.compactSession(project.open({ session: session_id }));
    const refs = project.git('for-each-ref');
    undoOperations(project.open(), 2);
    const none = project.git('for-each-ref');
    expect(none).not.toContain(session_id);
    for (const expected of [refs, none, refs, none, refs]) {
      undoOperations(project.open());
      expect(project.git('for-each-ref')).toBe(expected);
      maintain(project, [PRUNE]);
      expectSound(project);
    }
    expect(project.open().refs.read(archiveRef(session_id))).not.toBeNull();
  });

  test('can be taken in again if it was saved at once', () => {
    const project = makeProject();
    const file = join(project.folder, 'transcript.jsonl');
    writeFileSync(file, TRANSCRIPT);
    const none = project.git('for-each-ref');
    const take = (): unknown => ctx.ingestTranscript(project.open(), file, { compact: true }).compacted;
    expect(take()).toBeTruthy();
    undoOperations(project.open());
    expect(project.git('for-each-ref')).toBe(none);
    expect(take()).toBeTruthy();
    const refs = project.git('for-each-ref');
    undoOperations(project.open());
    maintain(project, [PRUNE]);
    undoOperations(project.open());
    expect(project.git('for-each-ref')).toBe(refs);
    expectSound(project);
  });
});
