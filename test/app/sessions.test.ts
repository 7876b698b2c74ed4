// Sessions side by side and one after the other: begun, switched, found idle, recovered.
import { describe, expect, test } from 'vitest';
import type { Verb } from '../../src/core/state.ts';
import { archiveRef, sessionRef } from '../../src/history/names/layout.ts';
import * as ctx from '../../src/index.ts';
import { errorOf, fsck, makeProject, type Project } from '../support/store.ts';

const DAY = 86_400;
const log = (project: Project): ctx.LogEntry[] => [...ctx.readLog(project.open())];

/** A project with a running session that has more than its task. */
function running(task = 'the old task', settings: Record<string, unknown> = {}): Project & { session_id: string } {
  const project = makeProject(settings);
  const { session_id } = ctx.startSession(project.repository, task);
  ctx.observeNote(project.repository, 'a note');
  return { ...project, session_id };
}

describe('starting', () => {
  test('a session opens with its task as its first step', () => {
    const { repository, git, store } = makeProject();
    const result = ctx.startSession(repository, 'Fix the retry', { agent: 'claude-code' });
    expect(result).toMatchObject({
      task_description: 'Fix the retry',
      compacted: null,
      base: git('rev-parse', 'main').trim(),
    });
    expect(ctx.activeSession(repository)).toMatchObject({
      session_id: result.session_id,
      staging_head: result.oid,
      session_state: { kind: 'Running' },
      step: 1,
      agent: 'claude-code',
      started_at: 1_769_040_000,
    });
    expect(git('log', '-1', '--format=%an|%s|%P', 'STAGE').trim()).toBe(
      `claude-code|Step 1: Start: Fix the retry|${result.base}`,
    );
    const [step] = [...ctx.showRevision(repository, 'STAGE').steps];
    expect(step?.observations).toMatchObject([{ kind: 'task', content: 'Fix the retry', at: 1_769_040_000 }]);
    expect(fsck(store)).toBe('');
  });

  test.each(['', ' \n\t'])('without a task there is none: %j', (task) => {
    const { repository } = makeProject();
    expect(errorOf(() => ctx.startSession(repository, task)).code).toBe('invalid_input');
    expect(repository.refs.stage()).toBeNull();
  });

  test.each<[string, number, ctx.Staleness]>([
    ['just now', 0, 'fresh'],
    ['23:59:59 ago', DAY - 1, 'fresh'],
    ['a day ago', DAY, 'ask'],
    ['seven days ago', 7 * DAY, 'ask'],
  ])('is refused while one was active %s, and says why', (_words, idle, staleness) => {
    const project = running();
    project.clock.now += idle;
    const error = errorOf(() => ctx.startSession(project.repository, 'new'));
    expect(error).toMatchObject({
      code: 'session_active',
      data: {
        session_id: project.session_id,
        task_description: 'the old task',
        session_state: { kind: 'Running' },
        idle_secs: idle,
        staleness,
      },
    });
    expect(error.hint).toContain('--replace');
    expect(log(project)).toEqual([]);
    expect(project.repository.refs.stage()).toBe(sessionRef(project.session_id));
  });

  test('beside one that was active more than seven days ago: that one is compacted', () => {
    const project = running();
    project.clock.now += 7 * DAY + 1;
    const { compacted, session_id } = ctx.startSession(project.repository, 'new');
    expect(compacted).toMatchObject({
      session_id: project.session_id,
      commit_type: { kind: 'StaleAutoCompact', idle_duration_secs: 7 * DAY + 1 },
      message: 'Auto-saved: session idle for 7 days: the old task',
      step_count: 2,
    });
    expect(log(project).map((entry) => [entry.oid, entry.commit_type.kind])).toEqual([
      [compacted?.oid, 'StaleAutoCompact'],
    ]);
    expect(
      project.git('log', '-1', '--format=%(trailers:key=Ctx-Idle-Seconds,valueonly,separator=)', 'main').trim(),
    ).toBe('604801');
    // The new one begins where the old one ended.
    expect(ctx.activeSession(project.repository)).toMatchObject({ session_id, base: compacted?.oid });
    expect(fsck(project.store)).toBe('');
  });

  test('in the place of another: that one is compacted, with the new task in it', () => {
    const project = running();
    const { compacted } = ctx.startSession(project.repository, 'a new\ntask', { replace: true });
    expect(compacted).toMatchObject({
      commit_type: { kind: 'InterruptedByNewTask', new_task_summary: 'a new\ntask' },
      message: 'Saved before starting new task: the old task',
    });
    expect(log(project)[0]).toMatchObject({
      message: 'Saved before starting new task: the old task',
      commit_type: { kind: 'InterruptedByNewTask', new_task_summary: 'a new\ntask' },
    });
  });

  test('in the place of one that holds nothing but its task: its chain is kept, and no commit made', () => {
    const project = makeProject();
    const first = ctx.startSession(project.repository, 'first');
    const { compacted, base } = ctx.startSession(project.repository, 'second', { replace: true });
    expect(compacted).toMatchObject({ session_id: first.session_id, oid: null, work: first.oid });
    expect(base).toBe(first.base);
    expect(log(project)).toEqual([]);
    expect(project.repository.refs.read(archiveRef(first.session_id))).toBe(first.oid);
  });

  test('a record that only waits counts as work', () => {
    const { repository } = makeProject();
    ctx.startSession(repository, 'first');
    ctx.observeNote(repository, 'not flushed');
    expect(ctx.startSession(repository, 'second', { replace: true }).compacted?.oid).not.toBeNull();
  });

  test('beside another: both are open, and the new one is current', () => {
    const project = running();
    const second = ctx.startSession(project.repository, 'second', { beside: true });
    expect(
      (ctx.listSessions(project.repository) as ctx.ListedSession[]).map((entry) => [
        entry.task_description,
        entry.current,
      ]),
    ).toEqual([
      ['second', true],
      ['the old task', false],
    ]);
    // A record for the first one waits for the first one.
    expect(ctx.sessionStatus(project.repository)).toMatchObject({
      session_id: second.session_id,
      pending_observations: 0,
    });
    ctx.observeNote(project.open({ session: project.session_id }), 'for the first');
    expect(ctx.sessionStatus(project.open({ session: project.session_id }))).toMatchObject({ pending_observations: 2 });
  });
});

describe('switching', () => {
  test('by an id or the beginning of one; nothing else changes', () => {
    const project = running();
    const { repository } = project;
    const second = ctx.startSession(repository, 'second', { beside: true });
    const short = project.session_id.slice(0, 20);
    expect(ctx.switchSession(repository, short)).toMatchObject({
      previous: second.session_id,
      status: { session_id: project.session_id, pending_observations: 1 },
    });
    expect(ctx.activeSession(repository)?.session_id).toBe(project.session_id);
    expect(ctx.switchSession(repository, project.session_id).previous).toBe(project.session_id);
    expect(fsck(project.store)).toBe('');
  });

  test('to one of two that begin alike, to one that is not there, to one that is over', () => {
    const ids = ['0199a000-0000-7000-8000-00000000000a', '0199a000-0000-7000-8000-00000000000b'];
    let next = 0;
    const project = makeProject({}, {});
    // Ids come in through the door: those of sessions are the ones that matter here.
    const { repository } = project;
    for (const id of ids) {
      const made: string[] = [];
      const open = project.open({
        ids: () => {
          next += 1;
          const own = `0199b000-0000-7000-8000-${String(next).padStart(12, '0')}`;
          made.push(own);
          // The lock takes the first one, the session the second.
          return made.length === 2 ? id : own;
        },
      });
      expect(ctx.startSession(open, id, { beside: true }).session_id).toBe(id);
    }
    const ambiguous = errorOf(() => ctx.switchSession(repository, '0199a000'));
    expect(ambiguous.code).toBe('ambiguous');
    for (const id of ids) expect(ambiguous.hint).toContain(`${id.slice(-6)}  ${id}`);
    for (const given of ['1990', 'nowhere-at-all', '0199a000-0000-7000-8000-00000000000c', '../main', '']) {
      expect(errorOf(() => ctx.switchSession(repository, given)).code, given).toBe('not_found');
    }
    ctx.compactSession(project.open({ session: ids[0] as string }));
    expect(errorOf(() => ctx.switchSession(repository, ids[0] as string)).code).toBe('not_found');
    expect(ctx.switchSession(repository, '0199a000').status.session_id).toBe(ids[1]);
  });

  test('back from nothing: a session that is open and that STAGE does not name', () => {
    const project = running();
    ctx.startSession(project.repository, 'second', { beside: true });
    ctx.compactSession(project.repository);
    expect(ctx.sessionStatus(project.repository)).toMatchObject({ active: false });
    expect(ctx.switchSession(project.repository, project.session_id)).toMatchObject({ previous: null });
  });
});

describe('idle sessions', () => {
  /** Three sessions, last active three, two and one days ago; the last one is current. */
  function three(): Project & { ids: string[] } {
    const project = makeProject();
    const ids = [3, 2, 1].map((days) => {
      const { session_id } = ctx.startSession(project.repository, `${days} days`, { beside: true });
      ctx.observeNote(project.repository, 'work');
      project.clock.now += DAY;
      return session_id;
    });
    return { ...project, ids };
  }

  test('are listed, the latest activity first', () => {
    const { repository } = three();
    const listed = ctx.listSessions(repository) as ctx.ListedSession[];
    expect(
      listed.map(({ task_description, idle_secs, staleness, current, step, pending_observations }) => [
        task_description,
        idle_secs,
        staleness,
        current,
        step,
        pending_observations,
      ]),
    ).toEqual([
      ['1 days', DAY, 'ask', true, 1, 1],
      // The session that was current when another began beside it was saved as paused.
      ['2 days', 2 * DAY, 'ask', false, 2, 0],
      ['3 days', 3 * DAY, 'ask', false, 2, 0],
    ]);
  });

  test.each([
    [3 * DAY, []],
    [3 * DAY - 1, ['3 days']],
    [2 * DAY, ['3 days']],
    [DAY - 1, ['1 days', '2 days', '3 days']],
    [0, ['1 days', '2 days', '3 days']],
  ])('beyond %i seconds: %j are compacted, each of them', (maxIdle, tasks) => {
    const project = three();
    const dry = ctx.cleanupStaleSessions(project.repository, { maxIdle, dryRun: true });
    expect(dry).toMatchObject({ sessions_compacted: tasks.length, dry_run: true });
    expect(log(project)).toEqual([]);

    const result = ctx.cleanupStaleSessions(project.repository, { maxIdle });
    expect([...result.compacted_tasks].sort()).toEqual(tasks);
    expect(result).toMatchObject({ sessions_compacted: tasks.length, dry_run: false });
    const entries = log(project);
    expect(entries.map((entry) => entry.oid).sort()).toEqual(result.sessions.map((session) => session.oid).sort());
    for (const entry of entries) {
      const idle = result.sessions.find((session) => session.oid === entry.oid)?.idle_secs;
      expect(entry.commit_type).toEqual({ kind: 'StaleAutoCompact', idle_duration_secs: idle });
      expect(entry.message).toMatch(/^Auto-saved stale session \(idle \d days?\): \d days$/);
    }
    expect(ctx.listSessions(project.repository) as ctx.ListedSession[]).toHaveLength(3 - tasks.length);
    expect(ctx.sessionStatus(project.repository).active).toBe(tasks.length < 3);
    expect(fsck(project.store)).toBe('');
  });

  test('the default is the second threshold of the settings', () => {
    const project = running('old', { auto_compact_threshold: '2d' });
    project.clock.now += 2 * DAY;
    expect(ctx.cleanupStaleSessions(project.repository).sessions_compacted).toBe(0);
    project.clock.now += 1;
    expect(ctx.cleanupStaleSessions(project.repository).sessions_compacted).toBe(1);
  });

  test('a session is idle since its last record, flushed or not; looking at it changes nothing', () => {
    const project = running();
    const { repository, clock } = project;
    clock.now += 100;
    ctx.observeNote(repository, 'the last thing');
    clock.now += 50;
    const idle = (): number => (ctx.sessionStatus(project.open()) as ctx.ActiveStatus).idle_secs;
    expect(idle()).toBe(50);
    ctx.flushStep(repository);
    expect(idle()).toBe(50);
    ctx.flushStep(repository, { allowEmpty: true });
    ctx.recoverSession(repository);
    ctx.listSessions(repository);
    ctx.generateProgressSummary(repository);
    expect(idle()).toBe(50);
    clock.now -= 1_000;
    expect(idle()).toBe(0);
  });
});

describe('recovering', () => {
  test.each<[Verb[], string]>([
    [[], 'Welcome back! I was working on: the old task\n\nProgress so far:\n- a note\n\nShould I continue?'],
    [['ask'], 'Welcome back! I was asking:\n\nwords of ask'],
    [['done'], 'Welcome back! I had finished:\n\nwords of done\n\nDoes this look good?'],
    [
      ['interrupt'],
      "Welcome back! You had said:\n\nwords of interrupt\n\nI hadn't finished processing that. Should I continue?",
    ],
  ])('after %j: reports where it stopped, and changes nothing', (verbs, message) => {
    const project = running();
    for (const verb of verbs) ctx.setState(project.repository, verb, { text: `words of ${verb}` });
    const before = project.git('for-each-ref');
    expect(ctx.recoverSession(project.repository)).toMatchObject({
      active: true,
      message,
      compacted: null,
      found: [],
      open_sessions: 0,
      status: { session_id: project.session_id },
    });
    expect(project.git('for-each-ref')).toBe(before);
  });

  test('what waits is counted in', () => {
    const { repository } = running();
    ctx.observeNote(repository, 'Decision: keep it simple');
    ctx.observeCommand(repository, { command: 'npm test', exit_code: 2 });
    expect(ctx.recoverSession(repository).progress).toBe(
      '- Decision: keep it simple\n- a note\n- Failed: `npm test` (exit 2)',
    );
    expect(ctx.generateProgressSummary(repository)).toBe(ctx.recoverSession(repository).progress);
  });

  test('one that was idle for too long is shown in whole, with what will happen, and stays open', () => {
    const project = running();
    const other = ctx.startSession(project.repository, 'beside', { beside: true });
    ctx.switchSession(project.repository, project.session_id);
    project.clock.now += 8 * DAY;
    const result = ctx.recoverSession(project.repository);
    expect(result).toMatchObject({
      active: true,
      message: expect.stringContaining(
        'It has been idle for 8 days: the next message in its own conversation saves it',
      ),
      status: { session_id: project.session_id, staleness: 'auto_compact' },
      compacted: null,
      found: [],
      open_sessions: 1,
    });
    expect(
      (ctx.listSessions(project.repository) as ctx.ListedSession[]).map((entry) => entry.session_id).sort(),
    ).toEqual([other.session_id, project.session_id].sort());
  });

  test('without a session there is nothing to say', () => {
    const { repository } = makeProject();
    expect(ctx.recoverSession(repository)).toEqual({
      active: false,
      message: null,
      status: null,
      progress: null,
      compacted: null,
      found: [],
      open_sessions: 0,
    });
    expect(ctx.generateProgressSummary(repository)).toBeNull();
    expect(ctx.activeSession(repository)).toBeNull();
  });
});

describe('moving', () => {
  test('what waited, the user’s note and the move are one step', () => {
    const { repository, session_id } = running();
    const result = ctx.setState(repository, 'ask', { text: 'A or B?', note: 'beside it' });
    expect(result).toMatchObject({ from: { kind: 'Running' }, verb: 'ask', step: 2, compacted: null });
    ctx.setState(repository, 'respond', { text: 'B' });
    const steps = [...ctx.showRevision(repository, session_id).steps];
    expect(
      steps.map((step) =>
        step.observations.map((record) => [record.kind, record['content'] ?? record['by'] ?? record['label']]),
      ),
    ).toEqual([
      [['task', 'the old task']],
      [
        ['note', 'a note'],
        ['note', 'beside it'],
        ['note', 'Question for user: A or B?'],
        ['transition', 'ask'],
      ],
      [
        ['note', 'User response: B'],
        ['relation', 'Mentions'],
        ['transition', 'respond'],
      ],
    ]);
    const [answer, edge] = steps[2]?.observations ?? [];
    expect(edge).toMatchObject({ from: `note:${answer?.id}`, to: `task:${session_id}`, confidence: 'high' });
  });

  test('a move that the table has not changes nothing, and leaves what waits waiting', () => {
    const project = running();
    const before = project.git('for-each-ref');
    expect(errorOf(() => ctx.setState(project.repository, 'confirm')).code).toBe('no_such_move');
    expect(project.git('for-each-ref')).toBe(before);
    expect(ctx.sessionStatus(project.repository)).toMatchObject({ pending_observations: 1 });
  });

  test('to the end in one go: one step, one commit', () => {
    const project = running();
    ctx.setState(project.repository, 'done', { text: 'built' });
    const { compacted, step } = ctx.setState(project.repository, 'confirm', {
      compact: true,
      message: 'Done and dusted',
    });
    expect(step).toBe(3);
    expect(compacted).toMatchObject({ message: 'Done and dusted', session_state: { kind: 'Complete' }, step_count: 3 });
    expect(log(project)).toHaveLength(1);
    expect(fsck(project.store)).toBe('');
  });
});

test('a session that STAGE names and that is not there is damage, and never "no session"', () => {
  const project = running();
  project.git('update-ref', '-d', sessionRef(project.session_id));
  for (const use of [ctx.sessionStatus, ctx.flushStep, ctx.recoverSession, ctx.compactSession, ctx.activeSession]) {
    expect(errorOf(() => use(project.open())).code).toBe('damaged');
  }
  expect(errorOf(() => ctx.observeNote(project.open(), 'x')).code).toBe('damaged');
  expect(errorOf(() => ctx.startSession(project.open(), 'x')).code).toBe('damaged');
});
