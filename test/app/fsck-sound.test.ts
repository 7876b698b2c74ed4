// Sound stores: whatever has happened to one by way of commands, its check finds nothing in it.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { forget } from '../../src/app/forget/forget.ts';
import { checkStore } from '../../src/app/fsck.ts';
import { collectGarbage } from '../../src/app/gc.ts';
import { addRecord } from '../../src/app/session/observe.ts';
import { showRevision } from '../../src/app/show.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import { MAIN } from '../../src/git/layout.ts';
import { archiveRef } from '../../src/history/names/layout.ts';
import * as ctx from '../../src/index.ts';
import { type History, makeHistory } from '../support/history.ts';
import { dropSecondNames, fsck, makeProject, type Project } from '../support/store.ts';

const TRANSCRIPTS = fileURLToPath(new URL('../../../shared/transcripts/claude-code', import.meta.url));
const DAY = 86_400;

/** Expects that neither our check nor Git's has anything to say, here and in a store opened anew. */
function expectSound({ store, open }: Pick<Project, 'store' | 'open'>): void {
  expect(checkStore(open(), { full: true })).toEqual({ findings: [], repaired: [], healthy: true });
  expect(fsck(store)).toBe('');
}

/** Two saved sessions with files and an open one with a question. */
function lived(): History {
  const history = makeHistory();
  const { repository, write, read, clock } = history;
  ctx.startSession(repository, 'one');
  write('a.txt', 'a1');
  write('src/b.txt', 'b1');
  write('../outside.txt', 'o1');
  ctx.observeNote(repository, 'x'.repeat(9000));
  ctx.flushStep(repository);
  clock.now += 60;
  write('a.txt', null);
  ctx.setState(repository, 'done', { text: 'y'.repeat(9000) });
  ctx.setState(repository, 'confirm', { compact: true });
  ctx.startSession(repository, `two ${'z'.repeat(9000)}`);
  write('a.txt/below.txt', 'a2');
  read('src/b.txt');
  ctx.compactSession(repository);
  ctx.startSession(repository, 'three');
  ctx.setState(repository, 'ask', { text: 'Which?' });
  return history;
}

const idOf = (project: { repository: ctx.Repository }): string =>
  ctx.activeSession(project.repository)?.session_id as string;

describe('nothing is found', () => {
  test('in a new store, and in one with saved and open sessions', () => {
    expectSound(makeProject());
    expectSound(lived());
  });

  test.each<[what: string, live: (history: History) => unknown]>([
    ['an undo of a compaction', ({ repository }) => [ctx.compactSession(repository), undoOperations(repository)]],
    [
      'an undo of it, and another compaction',
      ({ repository }) => [
        ctx.setState(repository, 'abort', { text: 'no', compact: true }),
        undoOperations(repository),
        ctx.compactSession(repository),
      ],
    ],
    [
      'an undo of an undo',
      ({ repository }) => [
        ctx.setState(repository, 'abort', { text: 'no', compact: true }),
        undoOperations(repository),
        undoOperations(repository),
      ],
    ],
    [
      'an undo of a start',
      ({ repository }) => [ctx.startSession(repository, 'x', { beside: true }), undoOperations(repository)],
    ],
    ['an abort', ({ repository }) => ctx.setState(repository, 'abort', { text: 'no', compact: true })],
    [
      'an abort without its compaction, taken back',
      ({ repository }) => [ctx.setState(repository, 'abort'), undoOperations(repository)],
    ],
    [
      'a cleanup',
      ({ repository, clock }) => {
        clock.now += 8 * DAY;
        expect(ctx.cleanupStaleSessions(repository).sessions_compacted).toBe(1);
      },
    ],
    [
      'a start in the place of another, with a session beside',
      ({ repository }) => [
        ctx.startSession(repository, 'x', { replace: true }),
        ctx.startSession(repository, 'y', { beside: true }),
        ctx.startSession(repository, 'z', { beside: true }),
      ],
    ],
    [
      'an empty step behind a file that is gone',
      ({ repository, write }) => [
        write('gone.txt', null),
        ctx.flushStep(repository),
        ctx.flushStep(repository, { allowEmpty: true }),
      ],
    ],
    [
      'forgetting all that a saved session did to a file',
      ({ repository, open }) => {
        const [saved] = [...ctx.readLog(repository)].filter(({ task_description }) => task_description === 'one');
        const steps = [...showRevision(repository, saved?.oid ?? '').steps];
        const writes = steps.flatMap(({ observations }) => observations).filter(({ path }) => path === 'src/b.txt');
        for (const { id } of writes) forget(open(), { id });
        const [now] = [...ctx.readLog(open())].filter(({ task_description }) => task_description === 'one');
        expect([writes.length, saved?.files_changed, now?.files_changed]).toEqual([1, 3, 3]);
      },
    ],
    ['a gc', ({ repository }) => collectGarbage(repository)],
    ['a gc without Git', ({ repository }) => collectGarbage(repository, { withoutGit: true })],
    [
      'a gc that expires steps, and another one',
      async (history) => {
        history.clock.now += 30 * DAY;
        await collectGarbage(history.repository, { expireSteps: 20 * DAY, machineTime: history.repository.clock });
        expectSound(history);
        history.clock.now += 30 * DAY;
        await collectGarbage(history.repository, { expireSteps: 20 * DAY, machineTime: history.repository.clock });
      },
    ],
  ])('after %s', async (_what, live) => {
    const history = lived();
    await live(history);
    expectSound(history);
  });

  test('after a session that began at a commit which was taken back, but for a word about that', () => {
    const history = lived();
    const { repository } = history;
    ctx.compactSession(repository);
    const before = ctx.startSession(repository, 'four');
    undoOperations(repository, 2);
    expect(checkStore(repository)).toEqual({
      repaired: [],
      healthy: true,
      findings: [
        expect.objectContaining({
          severity: 'note',
          where: archiveRef(before.session_id),
          message: `its base ${before.base} is not on the main line any more: it was taken back`,
        }),
      ],
    });
  });

  test.each([false, true])(
    'after a session whose base was taken back together with more commits (pruned by Git: %s)',
    (prune) => {
      const history = lived();
      const { repository, open, git } = history;
      ctx.compactSession(repository);
      const { session_id, base } = ctx.startSession(repository, 'four');
      ctx.compactSession(repository);
      const last = repository.refs.read(MAIN) as string;
      undoOperations(repository, 3);
      if (prune) {
        dropSecondNames(history.store);
        git('reflog', 'expire', '--expire=now', '--all');
        git('prune', '--expire=now');
        expect(open().objects.holds(last)).toBe(false);
      }
      const message = `its base ${base} is not on the main line any more: it was taken back`;
      expect(checkStore(open())).toMatchObject({
        healthy: true,
        findings: [{ severity: 'note', where: archiveRef(session_id), message }],
      });
    },
  );

  test.each([false, true])('after a record that came late (steps expired: %s)', async (expire) => {
    const history = lived();
    const { repository, open, clock } = history;
    const id = idOf(history);
    const beside = open();
    ctx.startSession(repository, 'beside', { beside: true });
    // Another process has the session in its hands while this one saves it.
    ctx.compactSession(open({ session: id }));
    addRecord(beside, id, () => ({ body: { kind: 'note', content: 'late', role: 'plain' } }));
    ctx.recoverSession(repository);
    expect(history.git('log', '-1', '--format=%s', archiveRef(id))).toBe('Step 3: late\n');
    expectSound(history);
    if (!expire) return;
    clock.now += 30 * DAY;
    await collectGarbage(repository, { expireSteps: 20 * DAY, machineTime: repository.clock });
    expectSound(history);
    history.git('prune', '--expire=now');
    expectSound(history);
    addRecord(beside, id, () => ({ body: { kind: 'note', content: 'later still', role: 'plain' } }));
    ctx.recoverSession(repository);
    expectSound(history);
  });

  test('after Git has packed all refs and objects', () => {
    const history = lived();
    history.git('pack-refs', '--all');
    history.git('gc', '--quiet', '--prune=now');
    expectSound(history);
    ctx.compactSession(history.open());
    expectSound(history);
  });

  test('in a store that was fetched from a copy', () => {
    const history = lived();
    const copy = makeProject();
    copy.git('fetch', '-q', history.store, '+refs/*:refs/*');
    expectSound(copy);
  });
});

/** Lines of a transcript. */
const line = (fields: object): string =>
  `${JSON.stringify({ sessionId: 's', cwd: '/home/me/app', version: '2.0', ...fields })}\n`;

test('nothing is found in an ingested session whose first prompt came in a later part', () => {
  const project = makeProject();
  const file = join(project.folder, 'transcript.jsonl');
  const at = (second: number): string => new Date((1_769_040_000 + second) * 1000).toISOString();
  const answer = (uuid: string, second: number): string =>
    line({
      type: 'assistant',
      uuid,
      parentUuid: null,
      timestamp: at(second),
      message: {
        id: `m-${uuid}`,
        role: 'assistant',
        model: 'x',
        content: [{ type: 'text', text: 'Hello.' }],
        stop_reason: 'end_turn',
      },
    });
  writeFileSync(file, answer('a1', 0) + answer('a2', 5));
  ctx.ingestTranscript(project.repository, file);
  expect(ctx.activeSession(project.repository)?.task_description).toBe('Untitled session');
  const prompt = line({
    type: 'user',
    uuid: 'u1',
    parentUuid: 'a2',
    timestamp: at(20),
    message: { role: 'user', content: 'Name it' },
  });
  writeFileSync(file, answer('a1', 0) + answer('a2', 5) + answer('a3', 10) + prompt + answer('a4', 30));
  ctx.ingestTranscript(project.repository, file);
  expect(ctx.activeSession(project.repository)?.task_description).toBe('Name it');
  expectSound(project);
});

test.skipIf(!existsSync(TRANSCRIPTS))(
  'finds nothing in a store with real transcripts that were saved and continued',
  () => {
    const project = makeProject();
    const names = readdirSync(TRANSCRIPTS, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.jsonl'),
    );
    for (const [index, name] of names.sort().entries()) {
      const file = join(TRANSCRIPTS, name);
      ctx.ingestTranscript(project.repository, file, { compact: index % 2 === 0 });
    }
    expectSound(project);
    undoOperations(project.repository, 3);
    expectSound(project);
  },
  120_000,
);
