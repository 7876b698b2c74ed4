// `undo`, and undo of an undo: what was recorded in between is always kept, and always in the commit that comes back.
import { appendFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { addRecord } from '../../src/app/session/observe.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import type { CommitType } from '../../src/core/commit-types/table.ts';
import { readSteps } from '../../src/history/chain/chain.ts';
import { archiveRef, SESSIONS, sessionRef } from '../../src/history/names/layout.ts';
import * as ctx from '../../src/index.ts';
import { uuidSource } from '../../src/platform/ids.ts';
import { TRANSCRIPT } from '../support/samples.ts';
import { errorOf, fsck, makeProject, type Project } from '../support/store.ts';

/** A store with a session in which one note was flushed. */
function begun(task = 'the task', settings = {}): Project & { id: string } {
  const project = makeProject(settings);
  const { session_id } = ctx.startSession(project.repository, task);
  ctx.observeNote(project.repository, 'early');
  ctx.flushStep(project.repository);
  return { ...project, id: session_id };
}

/** Records that were flushed in between. */
function recorded({ repository }: Pick<Project, 'repository'>, note: string): void {
  ctx.observeNote(repository, note);
  ctx.flushStep(repository);
}

const contents = ({ repository }: Project, ref: string): unknown[] =>
  [...readSteps(repository.objects, repository.refs.read(ref) ?? '', true)].flatMap((step) =>
    step.records.filter(({ kind }) => kind === 'note').map((record) => record['content']),
  );

const line = ({ repository }: Project): [kind: string, task: string, steps: number][] =>
  [...ctx.readLog(repository)].map((entry) => [entry.commit_type.kind, entry.task_description, entry.step_count]);

/** The notes that the newest canonical commit tells of. */
const told = ({ git }: Project): unknown[] =>
  git('show', 'main:notes.jsonl')
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text).content);

/** Nothing is damaged, nothing waits, and each canonical commit covers the whole chain of its session. */
function expectSound(project: Project): void {
  const { repository, store, git } = project;
  expect(fsck(store)).toBe('');
  const { findings, healthy } = checkStore(repository, { full: true });
  expect([findings.filter(({ severity }) => severity !== 'note'), healthy]).toEqual([[], true]);
  expect(readdirSync(join(store, 'pending'))).toEqual([]);
  for (const entry of ctx.readLog(repository)) {
    const id = entry.session_id as string;
    expect(git('log', '-1', '--format=%(trailers:key=Ctx-Work,valueonly)', entry.oid).trim()).toBe(
      repository.refs.read(archiveRef(id)),
    );
  }
}

/** Ways to end a session, and the names of the endings. */
const ENDINGS: [name: string, end: (project: Project) => unknown, type: CommitType['kind'], message: string][] = [
  ['compact', ({ repository }) => ctx.compactSession(repository, { message: 'So far' }), 'Normal', 'So far'],
  [
    'compact with a type',
    ({ repository }) => ctx.compactSession(repository, { type: { kind: 'Abandoned' } }),
    'Abandoned',
    'the task',
  ],
  [
    'abort',
    ({ repository }) => ctx.setState(repository, 'abort', { text: 'no use', compact: true }),
    'Abandoned',
    'the task',
  ],
  [
    'start --replace',
    ({ repository }) => ctx.startSession(repository, 'next', { replace: true }),
    'InterruptedByNewTask',
    'Saved before starting new task: the task',
  ],
  [
    'cleanup',
    ({ repository }) => ctx.cleanupStaleSessions(repository, { maxIdle: -1 }),
    'StaleAutoCompact',
    'Auto-saved stale session (idle 0 seconds): the task',
  ],
];

describe.each(ENDINGS)('%s, taken back', (_name, end, type, message) => {
  test('is brought back at once with a commit of the same type and message', () => {
    const project = begun();
    end(project);
    const before = [...ctx.readLog(project.repository)];
    undoOperations(project.repository);
    expect(line(project)).toEqual([]);
    undoOperations(project.repository);
    expect([...ctx.readLog(project.repository)]).toMatchObject([
      { commit_type: before[0]?.commit_type, message, session_state: before[0]?.session_state },
    ]);
    expectSound(project);
  });

  test('is brought back after a flush with the flushed records in its commit', () => {
    const project = begun();
    end(project);
    const [before] = [...ctx.readLog(project.repository)];
    undoOperations(project.repository);
    recorded(project, 'in between');
    recorded(project, 'and more');
    undoOperations(project.repository);
    expect(line(project)).toMatchObject([[type, 'the task', expect.any(Number)]]);
    expect([...ctx.readLog(project.repository)]).toMatchObject([
      { message, commit_type: before?.commit_type, session_state: before?.session_state },
    ]);
    expect(told(project)).toEqual(['early', 'in between', 'and more']);
    expect(contents(project, archiveRef(project.id))).toEqual(['early', 'in between', 'and more']);
    expectSound(project);
  });

  test('is brought back while records wait with these records in its commit', () => {
    const project = begun();
    end(project);
    undoOperations(project.repository);
    ctx.observeNote(project.repository, 'waiting');
    undoOperations(project.repository);
    expect(told(project)).toEqual(['early', 'waiting']);
    expectSound(project);
  });

  test('over and over, with a flush each time', () => {
    const project = begun();
    end(project);
    const notes = ['early'];
    for (const note of ['one', 'two', 'three']) {
      undoOperations(project.repository);
      expect(line(project)).toEqual([]);
      recorded(project, note);
      notes.push(note);
      undoOperations(project.repository);
      expect(told(project)).toEqual(notes);
      expectSound(project);
    }
  });
});

test('a session that has moved since keeps its state if the operation changed none', () => {
  const project = begun();
  ctx.compactSession(project.repository);
  undoOperations(project.repository);
  ctx.setState(project.repository, 'ask', { text: 'Which?' });
  undoOperations(project.repository);
  expect([...ctx.readLog(project.repository)]).toMatchObject([{ session_state: { kind: 'AwaitingUser' } }]);
  expectSound(project);
});

test('undoes a cleanup of several sessions: work on one of them rebuilds all commits after it', () => {
  const project = begun('first');
  const { session_id: second } = ctx.startSession(project.repository, 'second', { beside: true });
  recorded(project, 'of the second');
  ctx.cleanupStaleSessions(project.repository, { maxIdle: -1 });
  expect(line(project).map(([, task]) => task)).toEqual(['second', 'first']);
  const [last] = [...ctx.readLog(project.repository)];
  undoOperations(project.repository);
  recorded({ ...project, repository: project.open({ session: project.id }) }, 'of the first');
  undoOperations(project.repository);
  expect(line(project)).toEqual([
    ['StaleAutoCompact', 'second', 2],
    ['StaleAutoCompact', 'first', 3],
  ]);
  expect([...ctx.readLog(project.repository)][0]?.oid).not.toBe(last?.oid);
  expect(contents(project, archiveRef(second))).toEqual(['of the second']);
  expectSound(project);
});

test('a session that left no commit gets one once there is work in it', () => {
  const project = makeProject();
  const { session_id } = ctx.startSession(project.repository, 'empty');
  ctx.startSession(project.repository, 'next', { replace: true });
  expect(line(project)).toEqual([]);
  undoOperations(project.repository);
  undoOperations(project.repository);
  expect(line(project)).toEqual([]);
  undoOperations(project.repository);
  recorded(project, 'work');
  undoOperations(project.repository);
  expect(line(project)).toEqual([['Normal', 'empty', 2]]);
  expect(contents(project, archiveRef(session_id))).toEqual(['work']);
  expectSound(project);
  // Back beyond the compaction itself: it is open again, and so not on the line.
  undoOperations(project.repository);
  undoOperations(project.repository, 6);
  expect([line(project), project.repository.refs.stage()]).toEqual([[], sessionRef(session_id)]);
  expectSound(project);
});

test('two that a cleanup had ended empty, in one undo over its undo: they are open, and nothing of them is on the line', () => {
  const project = makeProject();
  const ids = ['one', 'other'].map((task) => ctx.startSession(project.repository, task, { beside: true }).session_id);
  ctx.cleanupStaleSessions(project.repository, { maxIdle: -1 });
  undoOperations(project.repository);
  for (const session of ids) recorded({ repository: project.open({ session }) }, 'work');
  undoOperations(project.repository, 2);
  expect([line(project), ctx.listSessions(project.repository)]).toEqual([
    [],
    ids.toReversed().map((session_id) => expect.objectContaining({ session_id })),
  ]);
  expectSound(project);
});

test('a commit that an undo exchanged for that of another session comes back once, with what was recorded since', () => {
  const project = makeProject();
  const { repository } = project;
  ctx.startSession(repository, 'one');
  recorded(project, 'of one');
  ctx.startSession(repository, 'other', { beside: true });
  recorded(project, 'of the other');
  const [one, other] = (ctx.listSessions(repository) as ctx.ListedSession[])
    .map(({ session_id }) => session_id)
    .sort()
    .map((session) => ({ repository: project.open({ session }) }));
  ctx.compactSession(one!.repository);
  undoOperations(repository);
  ctx.compactSession(other!.repository);
  undoOperations(repository, 2);
  expect(line(project)).toEqual([['Normal', 'one', 2]]);
  recorded(other!, 'more');
  undoOperations(repository);
  expect(line(project)).toEqual([['Normal', 'other', 3]]);
  expectSound(project);
  undoOperations(repository);
  expect(line(project)).toEqual([['Normal', 'one', 2]]);
  expectSound(project);
});

test('a start that is taken back leaves no commit, whatever was flushed; what waits goes with it', () => {
  const project = begun();
  ctx.observeNote(project.repository, 'waiting');
  undoOperations(project.repository);
  expect([line(project), project.repository.refs.stage()]).toEqual([[], null]);
  expect(contents(project, archiveRef(project.id))).toEqual(['early', 'waiting']);
  expectSound(project);
  undoOperations(project.repository);
  recorded(project, 'later');
  undoOperations(project.repository);
  expect([line(project), project.repository.refs.stage()]).toEqual([[], null]);
  expect(contents(project, archiveRef(project.id))).toEqual(['early', 'waiting', 'later']);
  expectSound(project);
});

test('undoes several operations at once through rebuilt commits, and redoes each', () => {
  const project = begun();
  ctx.setState(project.repository, 'abort', { text: 'no use', compact: true });
  undoOperations(project.repository);
  recorded(project, 'in between');
  undoOperations(project.repository);
  expect(line(project)).toMatchObject([['Abandoned', 'the task', expect.any(Number)]]);

  undoOperations(project.repository, 3);
  expect([line(project), project.repository.refs.stage()]).toEqual([[], sessionRef(project.id)]);
  expect(ctx.sessionStatus(project.repository)).toMatchObject({ session_state: { kind: 'Running' } });
  ctx.observeNote(project.repository, 'waiting');
  undoOperations(project.repository);
  expect(line(project)).toMatchObject([['Abandoned', 'the task', expect.any(Number)]]);
  expect(told(project)).toEqual(['early', 'in between', 'waiting']);
  expect(contents(project, archiveRef(project.id))).toEqual(['early', 'in between', 'waiting']);
  expectSound(project);
});

test('what waits is put into one step, however often the session ends and comes back in one undo', () => {
  const project = begun('the task', { fsync: true });
  ctx.setState(project.repository, 'abort', { text: 'no use', compact: true });
  undoOperations(project.repository);
  ctx.observeNote(project.repository, 'waiting');
  undoOperations(project.repository, 3);
  expect(contents(project, archiveRef(project.id))).toEqual(['early', 'waiting']);
  const steps = [
    ...readSteps(project.repository.objects, project.repository.refs.read(archiveRef(project.id)) ?? '', true),
  ];
  expect(steps.at(-1)?.records.map(({ kind, by }) => by ?? kind)).toEqual(['note', 'undo', 'undo']);
  expectSound(project);
});

test('what is brought back by several undos at once is saved once', () => {
  const project = begun('the task');
  recorded(project, 'a note');
  ctx.compactSession(project.repository);
  for (const _ of [1, 2, 3, 4]) {
    undoOperations(project.repository, 2);
    expectSound(project);
    expect([...ctx.readLog(project.repository)].length).toBeLessThanOrEqual(1);
  }
});

describe('where the clock has gone back by an hour', () => {
  const anHourAgo = ({ open }: Project): ctx.Repository => ({
    ...open(),
    ids: uuidSource(() => Date.now() - 3_600_000),
  });

  test('the last operation is the one that was done last', () => {
    const project = makeProject();
    const { session_id } = ctx.startSession(project.repository, 'first');
    ctx.startSession(anHourAgo(project), 'second', { beside: true });
    undoOperations(anHourAgo(project));
    expect(project.open().refs.names(SESSIONS)).toEqual([sessionRef(session_id)]);
    undoOperations(anHourAgo(project));
    expect(project.open().refs.names(SESSIONS)).toHaveLength(2);
  });

  test('what was taken back stays so', () => {
    const project = begun('the task');
    ctx.compactSession(anHourAgo(project));
    expect(undoOperations(anHourAgo(project)).undone).toMatchObject([{ command: 'stage compact' }]);
    expect(checkStore(project.open(), { repair: true })).toMatchObject({ findings: [], repaired: [] });
    expect(project.open().refs.names(SESSIONS)).toHaveLength(1);
  });
});

describe('an ingest that was taken back', () => {
  const ingested = (): Project & { id: string; file: string } => {
    const project = makeProject();
    const file = join(project.folder, 'transcript.jsonl');
    writeFileSync(file, TRANSCRIPT);
    const { session_id } = ctx.ingestTranscript(project.repository, file);
    return { ...project, id: session_id, file };
  };
  const more = `${JSON.stringify({ type: 'user', uuid: 'c', parentUuid: 'b', message: { role: 'user', content: 'And a test' } })}\n`;

  test('comes back whole', () => {
    const project = ingested();
    const first = project.repository.refs.read(sessionRef(project.id));
    appendFileSync(project.file, more);
    ctx.ingestTranscript(project.repository, project.file);
    const second = project.repository.refs.read(sessionRef(project.id));
    for (const expected of [first, second, first, second]) {
      undoOperations(project.repository);
      expect(project.repository.refs.read(sessionRef(project.id))).toBe(expected);
    }
    undoOperations(project.repository);
    recorded(project, 'since');
    expect(errorOf(() => undoOperations(project.repository))).toMatchObject({ code: 'no_such_move' });
    expect(contents(project, sessionRef(project.id))).toContain('since');
    expectSound(project);
  });

  test('leaves in the archive what was on its way to its session just then', () => {
    const project = ingested();
    const head = project.repository.refs.read(sessionRef(project.id));
    undoOperations(project.open());
    addRecord(project.repository, project.id, () => ({ body: { kind: 'note', content: 'too late', role: 'plain' } }));
    expect(checkStore(project.open(), { full: true })).toMatchObject({
      findings: [{ severity: 'note', message: expect.stringContaining('1 record waits for a session that has ended') }],
    });
    expect(ctx.recoverSession(project.open()).found).toEqual([expect.stringContaining('Kept 1 late record')]);
    expect(contents(project, archiveRef(project.id))).toContain('too late');
    expectSound(project);
    undoOperations(project.open());
    expect(contents(project, sessionRef(project.id))).toContain('too late');
    expect(project.git('merge-base', '--is-ancestor', head as string, sessionRef(project.id))).toBe('');
    expectSound(project);
  });

  test('leaves what waited for its session in the archive', () => {
    const project = ingested();
    ctx.observeNote(project.repository, 'waiting');
    undoOperations(project.repository);
    expect(contents(project, archiveRef(project.id))).toContain('waiting');
    expectSound(project);
  });
});

test('an undo of an undo shows the state after it', () => {
  const project = begun('the task');
  ctx.compactSession(project.repository);
  const undo = (): unknown => undoOperations(project.repository).undone[0]?.of;
  const of = { command: 'stage compact', task: 'the task', title: 'the task' };
  expect([undo(), undo(), undo(), undo()]).toEqual([
    undefined,
    { ...of, stands: true },
    { ...of, stands: false },
    { ...of, stands: true },
  ]);
});

test('an undo that left the state as it was blocks nothing, and does not count as taken back', () => {
  const project = begun();
  ctx.setState(project.repository, 'abort', { text: 'no use' });
  undoOperations(project.open());
  undoOperations(project.open(), 2);
  ctx.setState(project.open(), 'ask', { text: 'Which one?' });
  for (const _again of [1, 2])
    expect(errorOf(() => undoOperations(project.open()))).toMatchObject({
      code: 'not_found',
      message: 'To take that back would change nothing.',
      hint: 'What was done before it goes back too with: ctx undo 2',
    });
  expect(ctx.sessionStatus(project.open())).toMatchObject({ session_state: { kind: 'AwaitingUser' } });
  expect(undoOperations(project.open(), 2).undone).toMatchObject([{ command: 'undo' }, { command: 'undo' }]);
  expect(ctx.sessionStatus(project.open())).toMatchObject({ session_state: { kind: 'Aborted' } });
  expect(undoOperations(project.open()).undone).toMatchObject([{ command: 'undo' }]);
  expect(ctx.sessionStatus(project.open())).toMatchObject({ session_state: { kind: 'AwaitingUser' } });
  expectSound(project);
});

describe('several operations that each moved main, taken back in one go', () => {
  /** Sessions that were saved one after another, of which the second left its commit anew. */
  function several(): Project {
    const project = begun('one');
    ctx.compactSession(project.repository);
    ctx.startSession(project.repository, 'two');
    recorded(project, 'in two');
    ctx.compactSession(project.repository);
    return project;
  }

  test.each([1, 2, 3, 4])('undo %i, and back again', (count) => {
    const project = several();
    const lines = [['one', 'two'], ['one'], ['one'], [], []];
    const tasks = (): string[] =>
      line(project)
        .map(([, task]) => task)
        .reverse();
    const before = project.git('for-each-ref');
    expect(undoOperations(project.repository, count).undone).toHaveLength(count);
    expect(tasks()).toEqual(lines[count]);
    expectSound(project);
    expect(undoOperations(project.repository).undone).toMatchObject([{ command: 'undo' }]);
    expect([tasks(), project.git('for-each-ref')]).toEqual([lines[0], before]);
    expectSound(project);
  });

  test.each([2, 3, 4, 5, 6])('undo %i over undos', (count) => {
    const project = several();
    undoOperations(project.repository, 2);
    undoOperations(project.repository);
    expect(undoOperations(project.repository, count).undone).toHaveLength(count);
    const lines: Record<number, string[]> = { 2: ['one', 'two'], 3: ['one'], 4: ['one'], 5: [], 6: [] };
    expect(
      line(project)
        .map(([, task]) => task)
        .reverse(),
    ).toEqual(lines[count]);
    expectSound(project);
  });
});

test('a STAGE that names a session which there is none of is damage, and no move', () => {
  const { repository, store } = makeProject();
  const { session_id } = ctx.startSession(repository, 'one');
  const other = session_id.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
  writeFileSync(join(store, 'STAGE'), `ref: ${sessionRef(other)}\n`);
  expect(errorOf(() => undoOperations(repository, 1))).toMatchObject({
    code: 'damaged',
    message: expect.stringContaining(`${sessionRef(other)}, which does not exist`),
  });
});
