// The history through the command line: `ctx log`, `show` and `diff`.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ActiveStatus, DiffResult, LogEntry, Shown, ShownStep } from '../../src/index.ts';
import { fingerprint, folder, git, NOON, normalise, type Repo, repository, seen, write } from '../support/cli.ts';

const DAY = 86_400;
const TEXT = 'one\ntwo\nthree\n';
const BINARY = Buffer.from([1, 0, 2]);

type Whole = Shown & { steps: ShownStep[] };

/** A story of five sessions; the last one is open. The store is only read by these tests. */
let repo: Repo;
/** Session ids, in the order of their beginnings. */
let ids: string[];

beforeAll(() => {
  repo = repository();
  ids = [];
  const tell = (now: number, ...lines: string[][]): void => {
    for (const line of lines)
      expect(repo.run(['--quiet', ...line], { now }), line.join(' ')).toMatchObject({ code: 0, stderr: '' });
    ids.push(repo.json<ActiveStatus>(['stage', 'status']).session_id);
  };
  repo.write('src/a.ts', TEXT);
  repo.write('src/lib/b.ts', TEXT);
  repo.write('src-old.ts', TEXT);
  tell(NOON, ['stage', 'start', 'Add retry with backoff'], ['observe', 'write', 'src/a.ts', 'src/lib/b.ts', '--flush']);
  repo.run(['stage', 'done', 'Retry added'], { now: NOON + 60 });
  repo.run(['stage', 'confirm', '-m', 'Retry: full jitter\n\nSee the paper.'], { now: NOON + 120 });

  repo.write('src/a.ts', TEXT.replace('two', 'TWO'));
  tell(NOON + DAY, ['stage', 'start', 'Try another cache'], ['observe', 'write', 'src/a.ts', 'src-old.ts']);
  repo.run(['stage', 'abort', '--reason', 'Too slow'], { now: NOON + DAY + 60 });

  tell(NOON + 2 * DAY, ['stage', 'start', 'Größe prüfen'], ['observe', 'note', 'Nothing yet', '--flush']);
  tell(NOON + 12 * DAY, ['stage', 'start', 'Rename the client'], ['observe', 'read', 'src/lib/b.ts', '--flush']);

  rmSync(join(repo.dir, 'src/lib/b.ts'));
  repo.write('data.bin', BINARY);
  repo.write('src/new.ts', 'new');
  tell(
    NOON + 13 * DAY,
    ['stage', 'start', '--replace', 'Fix the build'],
    ['observe', 'write', '--content', 'src/lib/b.ts', 'data.bin'],
  );
  repo.run(['observe', 'write', 'src/new.ts', '--flush'], { now: NOON + 13 * DAY + 60 });
});

const log = (line: string[]): LogEntry[] => repo.json<LogEntry[]>(line, { now: NOON + 14 * DAY });
const tasks = (line: string[], cwd = repo.dir): string[] =>
  repo.json<LogEntry[]>(line, { now: NOON + 14 * DAY, cwd }).map((entry) => entry.task_description);

const ALL = ['Rename the client', 'Größe prüfen', 'Try another cache', 'Add retry with backoff'];

describe('log', () => {
  test('prints the history, newest first, without the root of the store', () => {
    expect(seen(repo.run(['log']))).toMatchInlineSnapshot(`
      "exit 0
      out| commit <oid1> (InterruptedByNewTask)
      out| Agent:   ctx
      out| Date:    2026-02-03 00:00:00 +0000
      out| Session: <id1> (2 steps, 0 files changed)
      out| State:   Running
      out|
      out|     Saved before starting new task: Rename the client
      out|
      out|     Task: Rename the client
      out|
      out| commit <oid2> (StaleAutoCompact, idle for 10 days)
      out| Agent:   ctx
      out| Date:    2026-01-24 00:00:00 +0000
      out| Session: <id2> (2 steps, 0 files changed)
      out| State:   Running
      out|
      out|     Auto-saved: session idle for 10 days: Größe prüfen
      out|
      out|     Task: Größe prüfen
      out|
      out| commit <oid3> (Abandoned)
      out| Agent:   ctx
      out| Date:    2026-01-23 00:01:00 +0000
      out| Session: <id3> (2 steps, 2 files changed)
      out| State:   Aborted: Too slow
      out|
      out|     Try another cache
      out|
      out| commit <oid4> (Normal)
      out| Agent:   ctx
      out| Date:    2026-01-22 00:02:00 +0000
      out| Session: <id4> (4 steps, 2 files changed)
      out| State:   Complete
      out|
      out|     Retry: full jitter
      out|
      out|     See the paper.
      out|
      out|     Task: Add retry with backoff"
    `);
  });

  test('gives a program everything that a session ended with', () => {
    const entries = log(['log']);
    const keys = [
      'oid',
      'parents',
      'message',
      'commit_type',
      'session_id',
      'parent_session_id',
      'parent_message_id',
      'task_description',
      'session_state',
      'step_count',
      'committed_at',
      'last_activity',
      'title',
      'files_changed',
      'author',
    ];
    for (const entry of entries) expect(Object.keys(entry).toSorted()).toEqual(keys.toSorted());
    expect(entries).toMatchObject([
      {
        session_id: ids[3],
        commit_type: { kind: 'InterruptedByNewTask', new_task_summary: 'Fix the build' },
        message: 'Saved before starting new task: Rename the client',
        session_state: { kind: 'Running' },
        step_count: 2,
        committed_at: NOON + 13 * DAY,
        files_changed: 0,
      },
      {
        session_id: ids[2],
        commit_type: { kind: 'StaleAutoCompact', idle_duration_secs: 10 * DAY },
        message: 'Auto-saved: session idle for 10 days: Größe prüfen',
        committed_at: NOON + 12 * DAY,
      },
      {
        session_id: ids[1],
        commit_type: { kind: 'Abandoned' },
        session_state: { kind: 'Aborted', reason: 'Too slow' },
        message: 'Try another cache',
        files_changed: 2,
      },
      {
        session_id: ids[0],
        commit_type: { kind: 'Normal' },
        session_state: { kind: 'Complete' },
        message: 'Retry: full jitter\n\nSee the paper.',
        step_count: 4,
        committed_at: NOON + 120,
        files_changed: 2,
      },
    ]);
    const chain = repo.git('rev-list', 'main').trim().split('\n');
    expect(entries.map((entry) => [entry.oid, ...entry.parents])).toEqual(
      [0, 1, 2, 3].map((index) => [chain[index], chain[index + 1]]),
    );
  });

  test.for([
    [['log', '-n', '2'], ALL.slice(0, 2)],
    [['log', '--max-count', '1'], ALL.slice(0, 1)],
    [['log', '-n', '0'], []],
    [['log', '-n', '99'], ALL],
    [['log', 'HEAD'], ALL],
    [['log', 'HEAD~2'], ALL.slice(2)],
    [['log', 'main^'], ALL.slice(1)],
    [['log', '--type', 'normal'], ['Add retry with backoff']],
    [['log', '--type', 'abandoned'], ['Try another cache']],
    [['log', '--type', 'stale'], ['Größe prüfen']],
    [['log', '--type', 'interrupted'], ['Rename the client']],
    [['log', '--type', 'StaleAutoCompact'], ['Größe prüfen']],
    [['log', '--type', 'Normal', '--type', 'abandoned'], ALL.slice(2)],
    [['log', '-n', '1', '--type', 'normal'], ['Add retry with backoff']],
    [['log', '--since', '2026-01-23'], ALL.slice(0, 3)],
    [['log', '--since', `${NOON + 12 * DAY}`], ALL.slice(0, 1)],
    [['log', '--since', `${NOON + 12 * DAY + 1}`], []],
    [['log', '--since', '2d'], ALL.slice(0, 1)],
    [['log', '--since', '47h'], []],
    [['log', '--until', `${NOON + 120}`], ALL.slice(3)],
    [['log', '--until', '2026-01-22T00:01:59Z'], []],
    [['log', '--since', '2026-01-23', '--until', '2026-02-02T00:00:00Z'], ALL.slice(1, 3)],
    [['log', '--path', 'src/a.ts'], ALL.slice(2)],
    [['log', '--path', 'src'], ALL.slice(2)],
    [['log', '--path', 'src/'], ALL.slice(2)],
    [['log', '--path', './src/lib/../lib'], ALL.slice(3)],
    [['log', '--path', 'src-old.ts'], ['Try another cache']],
    [['log', '--path', 'sr'], []],
    [['log', '--path', 'no/such/file'], []],
    [['log', '--path', '.'], ALL.slice(2)],
    [['log', '--grep', 'full jitter'], ['Add retry with backoff']],
    [['log', '--grep', 'See the .aper'], ['Add retry with backoff']],
    [['log', '--grep', '^(Try|Gr..e)\\b'], ALL.slice(1, 3)],
    [['log', '--grep', 'backoff$'], ['Add retry with backoff']],
    [['log', '--grep', 'nothing like that'], []],
  ] as const)('%j', ([line, expected]) => {
    expect(tasks([...line])).toEqual(expected);
  });

  test.each(['/', '.', './', 'src', 'src/', 'src/a.ts', './src/lib/../lib', 'src-old.ts', 'sr', '..'])(
    '--path %s selects the same for log and diff',
    (path) => {
      for (const [index, oid] of repo.git('rev-list', 'main').trim().split('\n').slice(0, 4).entries()) {
        const { files } = repo.json<{ files: object[] }>(['diff', `${oid}~1`, oid, '--path', path]);
        const behind = repo.json<{ files: object[] }>(['diff', `${oid}~1`, oid, '--', path]);
        expect(behind).toEqual({ ...behind, files });
        expect(tasks(['log', '--path', path]).includes(ALL[index] as string), oid).toBe(files.length > 0);
      }
    },
  );

  test('takes paths from where one is', () => {
    expect(tasks(['log', '--path', 'a.ts'], join(repo.dir, 'src'))).toEqual(ALL.slice(2));
    expect(tasks(['-C', 'src', 'log', '--path', '../src-old.ts'])).toEqual(['Try another cache']);
  });

  test('--oneline and --stat', () => {
    expect(normalise(repo.run(['log', '--oneline']).stdout)).toMatchInlineSnapshot(`
      "<oid1> 2026-02-03 InterruptedByNewTask Rename the client
      <oid2> 2026-01-24 StaleAutoCompact Größe prüfen
      <oid3> 2026-01-23 Abandoned Try another cache
      <oid4> 2026-01-22 Retry: full jitter See the paper.
      "
    `);
    expect(normalise(repo.run(['log', '--oneline', '--stat', '-n', '3', 'HEAD~1']).stdout)).toMatchInlineSnapshot(`
      "<oid1> 2026-01-24 StaleAutoCompact Größe prüfen
      <oid2> 2026-01-23 Abandoned Try another cache
       src/a.ts   | 2 +-
       src-old.ts | 3 +++
       2 files changed, 4 insertions(+), 1 deletion(-)
      <oid3> 2026-01-22 Retry: full jitter See the paper.
       src/a.ts     | 3 +++
       src/lib/b.ts | 3 +++
       2 files changed, 6 insertions(+), 0 deletions(-)
      "
    `);
    expect(log(['log', '--stat', '--type', 'abandoned'])).toMatchObject([{ paths: ['src/a.ts', 'src-old.ts'] }]);
    expect(seen(repo.run(['log', '--stat', '--type', 'abandoned']))).toMatchInlineSnapshot(`
      "exit 0
      out| commit <oid1> (Abandoned)
      out| Agent:   ctx
      out| Date:    2026-01-23 00:01:00 +0000
      out| Session: <id1> (2 steps, 2 files changed)
      out| State:   Aborted: Too slow
      out|
      out|     Try another cache
      out|
      out|  src/a.ts   | 2 +-
      out|  src-old.ts | 3 +++
      out|  2 files changed, 4 insertions(+), 1 deletion(-)"
    `);
  });

  test('of a store that has none says so', () => {
    const bare = repository();
    expect(seen(bare.run(['log']))).toMatchInlineSnapshot(`
      "exit 0
      out| No commit to show."
    `);
    expect(bare.json(['log'])).toEqual([]);
  });

  test.for([
    [['log', '--since', 'yesterday-ish'], '--since is not a time: yesterday-ish'],
    [['log', '--until', 'x'], '--until is not a time: x'],
    [['log', '--grep', '('], '--grep is not a regular expression: ('],
    [['log', '--type', 'constructor'], '--type takes normal, abandoned, stale or interrupted'],
  ] as const)('%j is a wrong command line', ([line, message]) => {
    expect(repo.refused([...line])).toMatchObject({
      exit: 2,
      code: 'usage',
      message: expect.stringContaining(message),
    });
  });

  test('reads like a story to Git, too', () => {
    expect(repo.git('log', '--format=%s %(trailers:key=Ctx-Type,valueonly,separator=)')).toMatchInlineSnapshot(`
      "Saved before starting new task: Rename the client InterruptedByNewTask
      Auto-saved: session idle for 10 days: Größe prüfen StaleAutoCompact
      Try another cache Abandoned
      Retry: full jitter See the paper. Normal
      Root of a ctx store Root
      "
    `);
  });
});

describe('show', () => {
  const show = (revision: string): Whole => repo.json<Whole>(['show', revision]);
  const oid = (revision: string): string => repo.git('rev-parse', revision).trim();

  test('a saved session: what a person reads of it', () => {
    expect(seen(repo.run(['show', 'HEAD~3']))).toMatchInlineSnapshot(`
      "exit 0
      out| commit <oid1> (Normal)
      out| Date:    2026-01-22 00:02:00 +0000
      out| Saved:   2026-01-22 00:02:00 +0000
      out| Session: <id1> (4 steps)
      out| State:   Complete
      out| Task:    Add retry with backoff
      out|
      out| # Retry: full jitter See the paper.
      out|
      out| **Task:** Add retry with backoff
      out|
      out| **How it ended:** Complete: the user confirmed it.
      out|
      out| **Last answer:**
      out|
      out| > Retry added
      out|
      out| ## Files changed
      out|
      out| - src/a.ts
      out| - src/lib/b.ts
      out|
      out| Its steps: ctx show <id1> --steps"
    `);
  });

  test('with --steps: every step and its records', () => {
    expect(seen(repo.run(['show', '--steps', 'HEAD~2']))).toMatchInlineSnapshot(`
      "exit 0
      out| commit <oid1> (Abandoned)
      out| Date:    2026-01-23 00:01:00 +0000
      out| Saved:   2026-01-23 00:01:00 +0000
      out| Session: <id1> (2 steps)
      out| State:   Aborted: Too slow
      out| Task:    Try another cache
      out|
      out| # Try another cache
      out|
      out| **Task:** Try another cache
      out|
      out| **How it ended:** Abandoned: Too slow
      out|
      out| ## Files changed
      out|
      out| - src-old.ts
      out| - src/a.ts
      out|
      out| step 1 <oid2> 2026-01-23 00:00:00 +0000 Running
      out|   task Try another cache
      out|
      out| step 2 <oid3> 2026-01-23 00:01:00 +0000 Aborted: Too slow
      out|   write src/a.ts
      out|   write src-old.ts
      out|   transition abort"
    `);
    expect(seen(repo.run(['show', 'STAGE', '--steps']))).toMatchInlineSnapshot(`
      "exit 0
      out| session <oid1>
      out| Date:    2026-02-04 00:01:00 +0000
      out| Session: <id1> (2 steps)
      out| State:   Running
      out| Status:  paused
      out| Task:    Fix the build
      out|
      out| step 1 <oid2> 2026-02-04 00:00:00 +0000 Running
      out|   task Fix the build
      out|
      out| step 2 <oid1> 2026-02-04 00:01:00 +0000 Running
      out|   delete src/lib/b.ts
      out|   write data.bin
      out|   write src/new.ts"
    `);
  });

  test('gives a program its steps, each with its records whole', () => {
    const shown = show('HEAD~3');
    expect(shown).toMatchObject({
      kind: 'canonical',
      oid: oid('main~3'),
      session_id: ids[0],
      step_count: 4,
      base: oid('main~4'),
      summary: expect.stringContaining('# Retry: full jitter'),
    });
    for (const step of shown.steps)
      expect(Object.keys(step).toSorted()).toEqual(['committed_at', 'observations', 'oid', 'session_state', 'step']);
    expect(shown.steps.map((step) => [step.step, step.session_state.kind, step.committed_at])).toEqual([
      [1, 'Running', NOON],
      [2, 'Running', NOON],
      [3, 'PendingComplete', NOON + 60],
      [4, 'Complete', NOON + 120],
    ]);
    expect(shown.steps.map((step) => step.observations.map((record) => record.kind))).toEqual([
      ['task'],
      ['write', 'write'],
      ['transition'],
      ['note', 'transition'],
    ]);
    expect(shown.steps.map((step) => step.oid)).toEqual(
      repo.git('rev-list', '--reverse', '-n', '4', `refs/archive/${ids[0]}`).trim().split('\n'),
    );
  });

  test('names a commit of the main line in many ways', () => {
    const second = oid('main~1');
    for (const revision of [
      'HEAD~1',
      'HEAD^',
      'main~',
      'main~0~1',
      'heads/main^',
      'refs/heads/main~1',
      second,
      second.slice(0, 8),
    ]) {
      expect([revision, show(revision).oid]).toEqual([revision, second]);
      expect(show(revision).kind).toBe('canonical');
    }
    expect(show('HEAD').oid).toBe(show('main').oid);
  });

  test('names a session by STAGE, its id or a beginning of it, open or saved', () => {
    for (const revision of ['STAGE', ids[4] as string, (ids[4] as string).slice(0, -3), `refs/sessions/${ids[4]}`]) {
      expect(show(revision)).toMatchObject({ kind: 'session', session_id: ids[4], oid: oid('STAGE'), step_count: 2 });
    }
    for (const revision of [ids[0] as string, (ids[0] as string).toUpperCase(), `refs/archive/${ids[0]}`]) {
      expect(show(revision)).toMatchObject({ kind: 'session', session_id: ids[0], step_count: 4 });
      expect(show(revision).steps).toHaveLength(4);
    }
  });

  test('names one step of a session by its object id or from STAGE', () => {
    for (const revision of ['STAGE~1', oid('STAGE~1'), oid('STAGE~1').slice(0, 12), `${ids[4]}~1`]) {
      const shown = show(revision);
      expect(shown).toMatchObject({ kind: 'step', oid: oid('STAGE~1'), step_count: 1 });
      expect(shown.steps).toHaveLength(1);
      expect(shown.steps[0]).toMatchObject({ step: 1, oid: oid('STAGE~1') });
    }
    expect(seen(repo.run(['show', 'STAGE~1']))).toMatchInlineSnapshot(`
      "exit 0
      out| step <oid1>
      out| Date:    2026-02-04 00:00:00 +0000
      out| Session: <id1> (1 step)
      out| State:   Running
      out| Status:  paused
      out| Task:    Fix the build
      out|
      out| step 1 <oid1> 2026-02-04 00:00:00 +0000 Running
      out|   task Fix the build"
    `);
  });

  test('shows the root of the store, in which nothing is', () => {
    expect(seen(repo.run(['show', 'HEAD~4']))).toMatchInlineSnapshot(`
      "exit 0
      out| commit <oid1> (Root)
      out| Date:    1970-01-01 00:00:00 +0000
      out| Saved:   1970-01-01 00:00:00 +0000"
    `);
    expect(show('HEAD~4')).toMatchObject({ commit_type: { kind: 'Root' }, session_id: null, steps: [] });
  });

  test.each([
    'HEAD~5',
    'HEAD~99',
    'nonsense',
    'deadbeef',
    '0'.repeat(40),
    '',
    '~1',
    'STAGE~9',
    'refs/heads/other',
    '../HEAD',
    ' HEAD',
  ])('finds no "%s"', (revision) => {
    expect(repo.refused(['show', revision])).toMatchObject({
      exit: 1,
      code: 'not_found',
      message: `There is no revision ${revision}.`,
    });
  });

  test('a beginning that several have is ambiguous, and they are named', () => {
    // Ids of one minute begin alike; a minute may end between two of them.
    const beginnings = ids.map((id) => id.slice(0, 8));
    const beginning = beginnings.find((text, index) => beginnings.indexOf(text) !== index) as string;
    const error = repo.refused(['show', beginning]);
    expect(error).toMatchObject({ exit: 1, code: 'ambiguous' });
    expect((error.data!['candidates'] as string[]).toSorted()).toEqual(
      ids.filter((id) => id.startsWith(beginning)).toSorted(),
    );
    expect(repo.refused(['diff', beginning])).toMatchObject({ exit: 1, code: 'ambiguous' });
    expect(repo.refused(['log', beginning])).toMatchObject({ exit: 1, code: 'ambiguous' });
  });

  test('STAGE without a session is none', () => {
    expect(repository().refused(['show', 'STAGE'])).toMatchObject({ exit: 1, code: 'no_active_session' });
  });
});

describe('diff', () => {
  const paths = (...line: string[]): string[] => {
    const { files } = repo.json<DiffResult>(['diff', ...line]);
    return files.map((file) => `${file.change} ${file.path} +${file.added} -${file.removed}`);
  };

  test('of two revisions: what a session changed', () => {
    expect(seen(repo.run(['diff', 'HEAD~3', 'HEAD~2']))).toMatchInlineSnapshot(`
      "exit 0
      out| diff --ctx a/src/a.ts b/src/a.ts
      out| --- a/src/a.ts
      out| +++ b/src/a.ts
      out| @@ -1,3 +1,3 @@
      out|  one
      out| -two
      out| +TWO
      out|  three
      out| diff --ctx a/src-old.ts b/src-old.ts
      out| --- /dev/null
      out| +++ b/src-old.ts
      out| @@ -0,0 +1,3 @@
      out| +one
      out| +two
      out| +three"
    `);
  });

  test('of one revision: what the active session has changed since', () => {
    expect(seen(repo.run(['diff', 'HEAD']))).toMatchInlineSnapshot(`
      "exit 0
      out| diff --ctx a/data.bin b/data.bin
      out| Binary or large files /dev/null and b/data.bin differ
      out| diff --ctx a/src/lib/b.ts b/src/lib/b.ts
      out| --- a/src/lib/b.ts
      out| +++ /dev/null
      out| @@ -1,3 +0,0 @@
      out| -one
      out| -two
      out| -three
      out| diff --ctx a/src/new.ts b/src/new.ts
      out| --- /dev/null
      out| +++ b/src/new.ts
      out| @@ -0,0 +1,1 @@
      out| +new
      out| \\ No newline at end of file"
    `);
    expect(paths('HEAD')).toEqual(['added data.bin +0 -0', 'deleted src/lib/b.ts +0 -3', 'added src/new.ts +1 -0']);
  });

  test('gives a program what changed, and between what', () => {
    const { from, to, files } = repo.json<DiffResult>(['diff', 'HEAD', 'STAGE']);
    expect([from, to]).toEqual([repo.git('rev-parse', 'main').trim(), repo.git('rev-parse', 'STAGE').trim()]);
    for (const file of files)
      expect(Object.keys(file).toSorted()).toEqual([
        'added',
        'change',
        'new_oid',
        'old_oid',
        'patch',
        'path',
        'removed',
      ]);
    expect(files[0]).toMatchObject({ path: 'data.bin', patch: null, old_oid: null });
    expect(repo.git('cat-file', '-p', files[2]?.new_oid as string)).toBe('new');
  });

  test('goes both ways, and between steps and sessions', () => {
    expect(paths('HEAD~2', 'HEAD~3')).toEqual(['modified src/a.ts +1 -1', 'deleted src-old.ts +0 -3']);
    expect(paths('STAGE', 'HEAD')).toEqual([
      'deleted data.bin +0 -0',
      'added src/lib/b.ts +3 -0',
      'deleted src/new.ts +0 -1',
    ]);
    expect(paths('STAGE~1', 'STAGE')).toHaveLength(3);
    expect(paths(ids[0] as string, ids[1] as string)).toEqual(['modified src/a.ts +1 -1', 'added src-old.ts +3 -0']);
  });

  test.for([
    [['diff', 'HEAD~3', 'HEAD~2', '--', 'src'], ['modified src/a.ts +1 -1']],
    [['diff', 'HEAD~3', 'HEAD~2', '--', 'src/a.ts'], ['modified src/a.ts +1 -1']],
    [['diff', 'HEAD~3', 'HEAD~2', '--', 'src-old.ts'], ['added src-old.ts +3 -0']],
    [
      ['diff', 'HEAD', '--', 'src'],
      ['deleted src/lib/b.ts +0 -3', 'added src/new.ts +1 -0'],
    ],
    [['diff', 'HEAD', '--', 'sr'], []],
    [['diff', 'HEAD~1', 'HEAD'], []],
  ] as const)('%j', ([[, ...line], expected]) => {
    expect(paths(...line)).toEqual(expected);
  });

  test('takes its path from where one is', () => {
    const { stdout } = repo.run(['diff', 'HEAD', '--', 'lib'], { cwd: join(repo.dir, 'src') });
    expect(stdout).toMatch(/^diff --ctx a\/src\/lib\/b\.ts /);
  });

  test('without a difference says so', () => {
    expect(seen(repo.run(['diff', 'HEAD', 'HEAD']))).toMatchInlineSnapshot(`
      "exit 0
      out| No difference."
    `);
  });

  test('without a session compares with HEAD', () => {
    const other = repo.copy();
    other.run(['stage', 'compact']);
    expect(other.json<DiffResult>(['diff', 'HEAD~1']).files.map((file) => file.path)).toEqual([
      'data.bin',
      'src/lib/b.ts',
      'src/new.ts',
    ]);
    expect(other.json<DiffResult>(['diff', 'HEAD']).files).toEqual([]);
  });

  test('is a patch that Git applies: changed, new, deleted, without a last line feed', () => {
    const there = folder();
    for (const name of ['src/a.ts', 'src/lib/b.ts']) write(join(there, name), TEXT);
    const patch = repo.run(['diff', 'HEAD~3', 'STAGE', '--', 'src']).stdout;
    write(join(there, 'changes.patch'), patch);
    git(there, 'apply', 'changes.patch');
    rmSync(join(there, 'changes.patch'));
    expect(Object.keys(fingerprint(there))).toEqual(['src/a.ts', 'src/new.ts']);
    expect(git(there, 'hash-object', 'src/a.ts', 'src/new.ts')).toBe(
      `${git(repo.dir, 'hash-object', 'src/a.ts')}${repo.git('rev-parse', 'STAGE:files/src/new.ts')}`,
    );
  });

  test.for([
    [['diff', 'HEAD', 'HEAD', 'HEAD'], 'diff takes at most two revisions, and one path, behind -- or by --path.'],
    [['diff', 'HEAD', '--', 'a', 'b'], 'diff takes at most two revisions, and one path, behind -- or by --path.'],
  ] as const)('%j is a wrong command line', ([line, message]) => {
    expect(repo.refused([...line])).toMatchObject({ exit: 2, code: 'usage', message });
  });
});

test('reading has changed nothing', () => {
  const before = fingerprint(repo.store);
  for (const line of [
    ['log', '--stat'],
    ['show', 'STAGE', '--steps'],
    ['show', 'HEAD'],
    ['diff', 'HEAD~3', 'STAGE'],
  ])
    repo.run(line);
  expect(fingerprint(repo.store)).toEqual(before);
});
