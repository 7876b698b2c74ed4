// Sessions through the command line: begin, flush, recover, list, switch and save them.
import { beforeAll, describe, expect, test } from 'vitest';
import type {
  ActiveStatus,
  CompactResult,
  FlushResult,
  ListedSession,
  LogEntry,
  RecoverResult,
  Shown,
  ShownStep,
  StartResult,
  SwitchResult,
} from '../../src/index.ts';
import { fingerprint, folder, fsck, NOON, type Repo, repository, run, seen, session } from '../support/cli.ts';

const status = (repo: Repo): ActiveStatus => repo.json<ActiveStatus>(['stage', 'status']);
const lastStep = (repo: Repo, revision = 'STAGE'): ShownStep | undefined =>
  repo.json<Shown & { steps: ShownStep[] }>(['show', revision]).steps.at(-1);

describe('start', () => {
  test('begins a session with its first step, which Git can name as STAGE', () => {
    const repo = repository({ now: NOON });
    expect(seen(repo.run(['stage', 'start', 'Add', 'retry', 'with backoff']))).toMatchInlineSnapshot(`
      "exit 0
      out| Started <id1>: Add retry with backoff"
    `);
    const { staging_head, session_id } = status(repo);
    expect(repo.git('rev-parse', 'STAGE').trim()).toBe(staging_head);
    expect(repo.git('rev-parse', 'STAGE^')).toBe(repo.git('rev-parse', 'main'));
    expect(repo.git('symbolic-ref', 'STAGE').trim()).toBe(`refs/sessions/${session_id}`);
    expect(
      repo.git('log', '-1', '--format=%an|%cn|%at|%B', 'STAGE').replaceAll(/[0-9a-f-]{36,40}/g, '<id>'),
    ).toMatchInlineSnapshot(`
      "ctx|ctx|1769040000|Step 1: Start: Add retry with backoff

      Ctx-Session: <id>
      Ctx-Step: 1
      Ctx-Base: <id>
      Ctx-State: Running

      "
    `);
    fsck(repo.dir);
  });

  test('--agent says who works on it; it is the author of every commit', () => {
    const repo = repository({ now: NOON });
    repo.run(['stage', 'start', '--agent', 'claude-code', 'A task']);
    expect(status(repo).agent).toBe('claude-code');
    repo.run(['stage', 'compact']);
    expect(repo.git('log', '--format=%an <%ae> %cn <%ce>', 'main', '-1')).toBe(
      'claude-code <ctx@localhost> ctx <ctx@localhost>\n',
    );
  });

  test('takes its task from standard input', () => {
    const repo = repository();
    repo.run(['stage', 'start', '-'], { input: 'First line\nSecond line\n' });
    expect(status(repo).task_description).toBe('First line\nSecond line\n');
  });

  test.each(['', ' ', '\n\t'])('wants a task, not %j', (task) => {
    expect(bare().refused(['stage', 'start', task])).toEqual({
      exit: 1,
      code: 'invalid_input',
      message: 'A session needs a task.',
      hint: 'Say it with: ctx start "<task>"',
      data: null,
    });
  });

  test('beside an active session is refused, and says how else', () => {
    const repo = shared();
    const before = fingerprint(repo.store);
    expect(seen(repo.run(['stage', 'start', 'Fix the build']))).toMatchInlineSnapshot(`
      "exit 1
      err| error: A session is active already (Running).
      err| hint: Save it and begin the new task with: ctx start --replace "<task>"; open a second one with --beside; or move it on: ctx stage ask, ctx done, ctx stage interrupt, ctx stage abort, ctx stage compact"
    `);
    expect(repo.refused(['stage', 'start', 'Fix the build'])).toMatchObject({ exit: 1, code: 'session_active' });
    expect(fingerprint(repo.store)).toEqual(before);
  });

  test('--replace saves what was active as interrupted by the new task, with what waited', () => {
    const repo = session();
    const before = status(repo).session_id;
    repo.run(['observe', 'note', 'Half-done']);
    expect(seen(repo.run(['stage', 'start', '--replace', 'Fix the build']))).toMatchInlineSnapshot(`
      "exit 0
      out| Saved as <oid1> InterruptedByNewTask: Saved before starting new task: Add retry with backoff
      out|   2 steps kept under refs/archive/<id1>
      out| Started <id2>: Fix the build"
    `);
    const [entry] = repo.json<LogEntry[]>(['log']);
    expect(entry).toMatchObject({
      session_id: before,
      commit_type: { kind: 'InterruptedByNewTask', new_task_summary: 'Fix the build' },
      message: 'Saved before starting new task: Add retry with backoff',
      step_count: 2,
    });
    expect(status(repo)).toMatchObject({ task_description: 'Fix the build', base: entry?.oid, step: 1 });
    expect(lastStep(repo, before)?.observations).toMatchObject([{ content: 'Half-done' }]);
    fsck(repo.dir);
  });

  test('--replace with nothing to replace just begins', () => {
    const repo = repository();
    expect(repo.json<StartResult>(['stage', 'start', '--replace', 'x']).compacted).toBeNull();
  });
});

describe('flush', () => {
  test('makes one step of what waits, in the order it came', () => {
    const repo = session();
    for (const note of ['one', 'two', 'three']) repo.run(['observe', 'note', note]);
    expect(status(repo)).toMatchObject({ step: 1, pending_observations: 3 });
    expect(seen(repo.run(['stage', 'flush']))).toMatchInlineSnapshot(`
      "exit 0
      out| Step 2 <oid1>: 3 records"
    `);
    expect(lastStep(repo)?.observations).toMatchObject([{ content: 'one' }, { content: 'two' }, { content: 'three' }]);
    expect(status(repo)).toMatchObject({ step: 2, pending_observations: 0 });
  });

  test('without anything that waits makes none, unless --allow-empty', () => {
    const repo = shared();
    const before = fingerprint(repo.store);
    const head = status(repo).staging_head;
    expect(seen(repo.run(['stage', 'flush']))).toMatchInlineSnapshot(`
      "exit 0
      out| Nothing to flush."
    `);
    expect(repo.json<FlushResult>(['stage', 'flush'])).toEqual({
      session_id: status(repo).session_id,
      oid: head,
      step: 1,
      flushed: 0,
      held: 0,
      committed: false,
    });
    expect(fingerprint(repo.store)).toEqual(before);
    const other = repo.copy();
    expect(other.json<FlushResult>(['stage', 'flush', '--allow-empty'])).toMatchObject({
      step: 2,
      flushed: 0,
      committed: true,
    });
    expect(lastStep(other)?.observations).toEqual([]);
    fsck(other.dir);
  });

  test.for([
    [['stage', 'flush', '-m', 'Tests pass'], undefined, 'Tests pass'],
    [['stage', 'flush', '--message', 'Tests pass'], undefined, 'Tests pass'],
    [['stage', 'flush', '--message', '-'], 'From a pipe\n', 'From a pipe\n'],
  ] as const)('%j puts a note behind what waits', ([line, input, content]) => {
    const repo = shared().copy();
    repo.run(['observe', 'plan', 'First this']);
    expect(repo.json<FlushResult>([...line], { input })).toMatchObject({ flushed: 2, committed: true });
    expect(lastStep(repo)?.observations).toMatchObject([
      { kind: 'plan', content: 'First this' },
      { kind: 'note', content, role: 'plain' },
    ]);
  });

  test('is refused if no session is active', () => {
    expect(bare().refused(['stage', 'flush'])).toMatchObject({ exit: 1, code: 'no_active_session' });
  });
});

describe('status', () => {
  test('has exactly the keys that are promised', () => {
    expect(Object.keys(status(shared())).sort()).toEqual([
      'active',
      'agent',
      'allowed',
      'base',
      'choice',
      'files_touched',
      'hook_errors',
      'idle_secs',
      'last_activity',
      'pending_observations',
      'redacted',
      'session_id',
      'session_state',
      'staging_head',
      'staleness',
      'started_at',
      'status',
      'step',
      'task_description',
      'title',
    ]);
  });

  test('counts the distinct files that were touched, those that wait too', () => {
    const repo = shared().copy();
    for (const name of ['a.ts', 'b.ts']) repo.write(name, name);
    repo.run(['observe', 'read', 'a.ts', '--flush']);
    expect(status(repo).files_touched).toBe(1);
    repo.run(['observe', 'write', 'a.ts', 'b.ts']);
    repo.run(['observe', 'write', '--deleted', 'gone.ts']);
    expect(status(repo)).toMatchObject({ files_touched: 3, pending_observations: 3 });
    repo.run(['stage', 'flush']);
    expect(status(repo).files_touched).toBe(3);
  });

  test('says so if nothing is active; --exit-code says it to a script', () => {
    expect(seen(bare().run(['stage', 'status']))).toMatchInlineSnapshot(`
      "exit 0
      out| No session is active.
      out| Begin one with: ctx start "<task>""
    `);
    expect(bare().run(['stage', 'status', '--exit-code'])).toMatchObject({ code: 1, stderr: '' });
    expect(bare().json(['stage', 'status', '--exit-code'], { exit: 1 })).toMatchObject({
      active: false,
      allowed: ['start'],
    });
    expect(shared().run(['stage', 'status', '--exit-code'])).toMatchObject({ code: 0, stderr: '' });
  });

  test('outside of any store is an error, in words and in JSON', () => {
    const cwd = folder();
    expect(seen(run(['stage', 'status'], { cwd }))).toMatchInlineSnapshot(`
      "exit 1
      err| error: There is no .ctx here or in any folder above <dir>.
      err| hint: Make one with: ctx init"
    `);
    expect(run(['stage', 'status', '--json'], { cwd })).toMatchObject({ code: 1, stderr: '' });
  });
});

describe('recover', () => {
  const say = (...lines: string[][]): string => {
    const repo = session();
    for (const line of lines) expect(repo.run(line, { now: NOON + 60 })).toMatchObject({ code: 0 });
    return seen(repo.run(['stage', 'recover'], { now: NOON + 3600 }));
  };

  test('says in the words of each state where it stands', () => {
    expect(say()).toMatchInlineSnapshot(`
      "exit 0
      out| Welcome back! I was working on: Add retry with backoff
      out|
      out| Progress so far:
      out| - Nothing recorded yet
      out|
      out| Should I continue?"
    `);
    expect(say(['stage', 'ask', 'Which jitter?'])).toMatchInlineSnapshot(`
      "exit 0
      out| Welcome back! I was asking:
      out|
      out| Which jitter?"
    `);
    expect(say(['stage', 'interrupt', 'Make it 5'])).toMatchInlineSnapshot(`
      "exit 0
      out| Welcome back! You had said:
      out|
      out| Make it 5
      out|
      out| I hadn't finished processing that. Should I continue?"
    `);
    expect(say(['stage', 'done', 'Retry added'])).toMatchInlineSnapshot(`
      "exit 0
      out| Welcome back! I had finished:
      out|
      out| Retry added
      out|
      out| Does this look good?"
    `);
    expect(say(['stage', 'done'])).toMatchInlineSnapshot(`
      "exit 0
      out| Welcome back! I had finished:
      out|
      out| Add retry with backoff
      out|
      out| Does this look good?"
    `);
    expect(say(['stage', 'done', 'x'], ['stage', 'confirm', '--no-compact'])).toMatchInlineSnapshot(`
      "exit 0
      out| This task is complete and not yet compacted: Add retry with backoff
      out|
      out| To save it: ctx stage compact"
    `);
    expect(say(['stage', 'abort', '--no-compact'])).toMatchInlineSnapshot(`
      "exit 0
      out| This task was aborted and is not yet compacted: Add retry with backoff
      out|
      out| To save it: ctx stage compact"
    `);
  });

  test('prints what was done so far: plan, decisions, notes, files, commands, and what still waits', () => {
    const repo = session();
    repo.write('a.ts', 'a');
    repo.write('b.ts', 'b');
    repo.run(['observe', 'plan', 'Backoff, then tests', '--flush']);
    repo.run(['observe', 'read', 'a.ts']);
    repo.run(['observe', 'write', 'b.ts']);
    repo.run(['observe', 'write', '--deleted', 'gone.ts']);
    repo.run(['observe', 'note', 'Decision: full jitter', '--flush']);
    repo.run(['observe', 'note', 'The server answers 429']);
    repo.run(['observe', 'command', '--exit-code', '1', '--', 'npm', 'test']);
    repo.run(['observe', 'command', '--exit-code', '0', '--', 'npm', 'run', 'build']);
    expect(seen(repo.run(['stage', 'recover']))).toMatchInlineSnapshot(`
      "exit 0
      out| Welcome back! I was working on: Add retry with backoff
      out|
      out| Progress so far:
      out| - Plan: Backoff, then tests
      out| - Decision: full jitter
      out| - The server answers 429
      out| - Changed 2 files: b.ts, gone.ts
      out| - Read 1 file
      out| - Failed: \`npm test\` (exit 1)
      out| - Passed: 1 command
      out|
      out| Should I continue?"
    `);
    const { progress, status: told } = repo.json<RecoverResult>(['stage', 'recover']);
    expect(progress).toContain('full jitter');
    expect(told).toEqual(status(repo));
  });

  test('says so if nothing is active, and names other open sessions', () => {
    expect(seen(bare().run(['stage', 'recover']))).toMatchInlineSnapshot(`
      "exit 0
      out| No session is active: nothing to recover."
    `);
    const repo = session('The first');
    repo.run(['stage', 'start', '--beside', 'The second']);
    expect(repo.json<RecoverResult>(['stage', 'recover'])).toMatchObject({ active: true, open_sessions: 1 });
    repo.run(['stage', 'compact']);
    expect(seen(repo.run(['stage', 'recover']))).toMatchInlineSnapshot(`
      "exit 0
      out| No session is active: nothing to recover.
      out|
      out| 1 other session open: ctx list --open"
    `);
  });
});

describe('several open sessions', () => {
  let repo: Repo;
  let ids: string[];
  beforeAll(() => {
    repo = repository();
    ids = ['One', 'Two', 'Three'].map(
      (task, index) => repo.json<StartResult>(['stage', 'start', '--beside', task], { now: NOON + index }).session_id,
    );
    repo.run(['--session', ids[0] as string, 'observe', 'note', 'x'], { now: NOON + 60 });
  });

  test('are listed, the one with the latest activity first, the current one marked', () => {
    expect(
      seen(repo.run(['stage', 'list'], { now: NOON + 120 })).replaceAll(/[0-9a-f]{6}(?= {2})/g, '<short>'),
    ).toMatchInlineSnapshot(`
      "exit 0
      out|   <short>  1 minute ago  -  Running  One
      out| * <short>  1 minute ago  -  Running  Three
      out|   <short>  1 minute ago  -  Running  Two"
    `);
    const [first] = repo.json<ListedSession[]>(['stage', 'list'], { now: NOON + 120 });
    expect(first).toEqual({
      session_id: ids[0],
      short_id: ids[0]?.slice(-6),
      title: 'One',
      type: null,
      agent_session_id: null,
      open: true,
      state: 'Running',
      status: 'active',
      ending: null,
      started_at: NOON,
      steps: 1,
      continues: null,
      resumes: null,
      project: null,
      summary: null,
      task_description: 'One',
      session_state: { kind: 'Running' },
      step: 1,
      pending_observations: 1,
      last_activity: NOON + 60,
      idle_secs: 60,
      staleness: 'fresh',
      agent: null,
      parent_session_id: null,
      parent_message_id: null,
      ephemeral: false,
      current: false,
    });
  });

  test('are none if none is open', () => {
    expect(seen(bare().run(['stage', 'list']))).toMatchInlineSnapshot(`
      "exit 0
      out| No session is open."
    `);
    expect(bare().json(['stage', 'list'])).toEqual([]);
  });

  test('are switched between by an id or its beginning', () => {
    const other = repo.copy();
    const [one, two, three] = ids as [string, string, string];
    const switched = other.json<SwitchResult>(['stage', 'switch', one]);
    expect(switched).toMatchObject({ previous: three, status: { session_id: one, pending_observations: 1 } });
    expect(status(other).session_id).toBe(one);
    expect(other.run(['stage', 'switch', two.slice(0, -4)])).toMatchObject({ code: 0, stdout: `Now on ${two}: Two\n` });
    expect(other.git('symbolic-ref', 'STAGE').trim()).toBe(`refs/sessions/${two}`);
    expect(other.run(['stage', 'switch', two])).toMatchObject({ code: 0 });
    fsck(other.dir);
  });

  test('can be switched to when none is current', () => {
    const other = repo.copy();
    other.run(['stage', 'compact']);
    expect(other.json(['stage', 'status'])).toMatchObject({ active: false });
    expect(other.json<SwitchResult>(['stage', 'switch', ids[1] as string]).previous).toBeNull();
    expect(status(other).task_description).toBe('Two');
  });

  test.each(['short', '00000000-nothing', 'HEAD', '../../evil', 'refs/heads/main', ''])(
    'are not switched to "%s"',
    (given) => {
      const before = fingerprint(repo.store);
      expect(repo.refused(['stage', 'switch', given])).toMatchObject({ exit: 1, code: 'not_found' });
      expect(fingerprint(repo.store)).toEqual(before);
    },
  );

  test('end one by one, each on top of the one before', () => {
    const other = repo.copy();
    for (const id of ids) other.run(['--session', id, 'stage', 'compact']);
    const line = other.git('log', '--format=%(trailers:key=Ctx-Session,valueonly,separator=)', '-3', 'main');
    expect(line.trim().split('\n')).toEqual(ids.toReversed());
    expect(
      other
        .json<LogEntry[]>(['log'])
        .map((entry) => entry.session_id)
        .sort(),
    ).toEqual(ids.toSorted());
    expect(other.git('rev-list', '--count', 'main')).toBe('4\n');
    fsck(other.dir);
  });
});

describe('compact', () => {
  const saved = (...line: string[]): CompactResult => {
    const repo = shared().copy();
    return repo.json<CompactResult>(['stage', 'compact', ...line], { now: NOON + 90 });
  };

  test('is Normal, under the task, unless told otherwise', () => {
    const repo = shared().copy();
    expect(seen(repo.run(['stage', 'compact']))).toMatchInlineSnapshot(`
      "exit 0
      out| Saved as <oid1> Normal: Add retry with backoff
      out|   1 step kept under refs/archive/<id1>"
    `);
    expect(Object.keys(saved()).sort()).toMatchInlineSnapshot(`
      [
        "commit_type",
        "message",
        "oid",
        "session_id",
        "session_state",
        "step_count",
        "task_description",
        "title",
        "work",
      ]
    `);
  });

  test.for([
    [['stage', 'compact', '--type', 'normal'], { kind: 'Normal' }, 'Add retry with backoff'],
    [['stage', 'compact', '--type', 'abandoned'], { kind: 'Abandoned' }, 'Add retry with backoff'],
    [
      ['stage', 'compact', '--type', 'stale', '--idle-seconds', '3600'],
      { kind: 'StaleAutoCompact', idle_duration_secs: 3600 },
      'Auto-saved: session idle for 1 hour: Add retry with backoff',
    ],
    [
      ['stage', 'compact', '--type', 'stale'],
      { kind: 'StaleAutoCompact', idle_duration_secs: 90 },
      'Auto-saved: session idle for 1 minute 30 seconds: Add retry with backoff',
    ],
    [
      ['stage', 'compact', '--type', 'interrupted', '--new-task', 'Fix the build'],
      { kind: 'InterruptedByNewTask', new_task_summary: 'Fix the build' },
      'Saved before starting new task: Add retry with backoff',
    ],
    [['stage', 'compact', '-m', 'Under another name'], { kind: 'Normal' }, 'Under another name'],
    [
      ['stage', 'compact', '--message', 'Under another name', '--type', 'abandoned'],
      { kind: 'Abandoned' },
      'Under another name',
    ],
    [['stage', 'compact', '--message', ' '], { kind: 'Normal' }, 'Add retry with backoff'],
  ] as const)('%j', ([line, commit_type, message]) => {
    expect(saved(...line.slice(2))).toMatchObject({ commit_type, message, session_state: { kind: 'Running' } });
  });

  test('takes its message and the new task from standard input', () => {
    const repo = shared().copy();
    const told = repo.json<CompactResult>(['stage', 'compact', '--type', 'interrupted', '--new-task', '-'], {
      input: 'a\nb',
    });
    expect(told.commit_type).toEqual({ kind: 'InterruptedByNewTask', new_task_summary: 'a\nb' });
    const other = shared().copy();
    expect(other.json<CompactResult>(['stage', 'compact', '-m', '-'], { input: 'a\nb' }).message).toBe('a\nb');
    expect(other.json<LogEntry[]>(['log'])[0]?.message).toBe('a\nb');
  });

  test('of a message of confirm: both ways to write it', () => {
    const repo = shared().copy();
    repo.run(['stage', 'done']);
    repo.run(['stage', 'confirm', '--message', 'Well done']);
    expect(repo.json<LogEntry[]>(['log'])[0]?.message).toBe('Well done');
  });

  test('leaves nothing open, and everything reachable', () => {
    const repo = shared().copy();
    repo.run(['observe', 'note', 'The last word']);
    const { session_id } = status(repo);
    repo.run(['stage', 'compact']);
    expect(repo.git('for-each-ref', '--format=%(refname)')).toBe(`refs/archive/${session_id}\nrefs/heads/main\n`);
    expect(repo.git('fsck', '--unreachable', '--no-reflogs')).toBe('');
    expect(lastStep(repo, session_id)?.observations).toMatchObject([{ content: 'The last word' }]);
    fsck(repo.dir);
  });
});

const made: { bare?: Repo; shared?: Repo } = {};

/** A store without a session, for those who only look. */
function bare(): Repo {
  made.bare ??= repository();
  return made.bare;
}

/** A session with its first step, for those who only look or take a copy. */
function shared(): Repo {
  made.shared ??= session();
  return made.shared;
}
