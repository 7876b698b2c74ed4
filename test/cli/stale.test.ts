// Idle time through the command line: what a session that has been left alone meets, to the second.

import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type {
  ActiveStatus,
  CleanupResult,
  ListedSession,
  LogEntry,
  RecoverResult,
  Shown,
  StartResult,
} from '../../src/index.ts';
import {
  fingerprint,
  fsck,
  NOON,
  type Repo,
  repository,
  seen,
  session,
  withoutCatalog,
  write,
} from '../support/cli.ts';

const DAY = 86_400;
const WEEK = 7 * DAY;

/** One session with a note in it, last touched at NOON. Whoever changes it takes a copy. */
let repo: Repo;
let id: string;
beforeAll(() => {
  repo = session();
  repo.run(['observe', 'note', 'Decision: full jitter', '--flush']);
  id = repo.json<ActiveStatus>(['stage', 'status']).session_id;
});

const log = (of: Repo): LogEntry[] => of.json<LogEntry[]>(['log']);

describe.each([
  ['23:59:59', DAY - 1, 'fresh'],
  ['24 hours', DAY, 'ask'],
  ['7 days', WEEK, 'ask'],
  ['7 days and a second', WEEK + 1, 'auto_compact'],
] as const)('after %s', (_words, idle, staleness) => {
  const now = NOON + idle;
  const stale = staleness === 'auto_compact';
  const saved = {
    session_id: '',
    task_description: 'Add retry with backoff',
    session_state: { kind: 'Running' },
    commit_type: { kind: 'StaleAutoCompact', idle_duration_secs: idle },
    step_count: 2,
  };

  test('status prints the idle time and what it means, and changes nothing', () => {
    const before = fingerprint(repo.store);
    expect(repo.json<ActiveStatus>(['stage', 'status'], { now })).toMatchObject({
      idle_secs: idle,
      staleness,
      last_activity: NOON,
    });
    expect(fingerprint(repo.store)).toEqual(before);
  });

  test(
    stale ? 'start saves the session and begins the new one' : 'start is refused, and is told how stale it is',
    () => {
      if (stale) {
        const other = repo.copy();
        const started = other.json<StartResult>(['stage', 'start', 'Fix the build'], { now });
        const message = 'Auto-saved: session idle for 7 days: Add retry with backoff';
        expect(started.compacted).toMatchObject({ ...saved, session_id: id, message });
        expect(log(other)).toMatchObject([{ ...saved, session_id: id, message, committed_at: now }]);
        expect(other.git('log', '-1', '--format=%(trailers:key=Ctx-Idle-Seconds,valueonly)', 'main').trim()).toBe(
          `${idle}`,
        );
        expect(other.json<ActiveStatus>(['stage', 'status'], { now })).toMatchObject({
          session_id: started.session_id,
          base: started.compacted?.oid,
          task_description: 'Fix the build',
        });
        fsck(other.dir);
        return;
      }
      const before = fingerprint(repo.store);
      expect(repo.refused(['stage', 'start', 'Fix the build'], { now })).toMatchObject({
        exit: 1,
        code: 'session_active',
        data: {
          session_id: id,
          task_description: 'Add retry with backoff',
          session_state: { kind: 'Running' },
          idle_secs: idle,
          staleness,
        },
      });
      expect(fingerprint(repo.store)).toEqual(before);
    },
  );

  test('recover shows the whole picture, and changes nothing', () => {
    const other = repo.copy();
    const before = fingerprint(other.store);
    const recovered = other.json<RecoverResult>(['stage', 'recover'], { now });
    expect(recovered).toMatchObject({
      active: true,
      compacted: null,
      found: [],
      status: { idle_secs: idle, staleness },
    });
    expect(recovered.message).toContain('Welcome back! I was working on: Add retry with backoff');
    expect(recovered.message).toContain('Decision: full jitter');
    expect(recovered.message?.includes('It has been idle for 7 days: the next message')).toBe(stale);
    expect(fingerprint(other.store)).toEqual(before);
  });

  test(stale ? 'cleanup saves the session' : 'cleanup leaves it open, and notes that it is paused', () => {
    const other = repo.copy();
    const cleaned = other.json<CleanupResult>(['stage', 'cleanup'], { now });
    if (stale) {
      expect(cleaned).toEqual({
        sessions_compacted: 1,
        compacted_tasks: ['Add retry with backoff'],
        sessions: [
          {
            session_id: id,
            task_description: 'Add retry with backoff',
            title: 'Add retry with backoff',
            idle_secs: idle,
            oid: log(other)[0]?.oid,
            ephemeral: false,
          },
        ],
        dry_run: false,
      });
      const message = 'Auto-saved stale session (idle 7 days): Add retry with backoff';
      expect(log(other)).toMatchObject([{ ...saved, session_id: id, message }]);
      expect(other.json(['stage', 'status'])).toMatchObject({ active: false, allowed: ['start'] });
    } else {
      expect(cleaned).toEqual({ sessions_compacted: 0, compacted_tasks: [], sessions: [], dry_run: false });
      expect(log(other)).toEqual([]);
      const shown = other.json<Shown>(['show', 'STAGE'], { now });
      expect(shown).toMatchObject({ session_id: id, session_state: { kind: 'Running' }, status: 'paused' });
      expect(shown).toMatchObject({ step_count: 3, last_activity: NOON });
    }
  });

  test('start --replace saves it first: as stale, or as interrupted by the new task', () => {
    const other = repo.copy();
    const { compacted } = other.json<StartResult>(['stage', 'start', '--replace', 'Fix the build'], { now });
    expect(compacted?.commit_type).toEqual(
      stale ? saved.commit_type : { kind: 'InterruptedByNewTask', new_task_summary: 'Fix the build' },
    );
    if (!stale) expect(compacted?.message).toBe('Saved before starting new task: Add retry with backoff');
  });

  test('start --beside leaves it open', () => {
    const other = repo.copy();
    const started = other.json<StartResult>(['stage', 'start', '--beside', 'Fix the build'], { now });
    expect(started.compacted).toBeNull();
    expect(other.json<ListedSession[]>(['stage', 'list'], { now }).map((listed) => listed.session_id)).toEqual([
      started.session_id,
      id,
    ]);
  });

  test('any move continues with it, whatever its age', () => {
    const other = repo.copy();
    expect(other.run(['stage', 'done', 'There'], { now })).toMatchObject({ code: 0 });
    expect(other.json<ActiveStatus>(['stage', 'status'], { now })).toMatchObject({ idle_secs: 0, staleness: 'fresh' });
  });
});

test('a person reads what an idle session means, and what to do', () => {
  expect(seen(repo.run(['stage', 'status'], { now: NOON + DAY }))).toMatchInlineSnapshot(`
    "exit 0
    out| Session  <id1>
    out| Task     Add retry with backoff
    out| State    Running
    out| Status   paused: nothing was done for 1 day; continue: ctx resume
    out| Head     <oid1> (step 2), base <oid2>
    out| Unsaved  nothing
    out| Files    0 touched
    out| Started  2026-01-22 00:00:00 +0000
    out| Last     2026-01-22 00:00:00 +0000 (24 hours ago)
    out| Next     ctx stage ask, ctx done, ctx stage interrupt, ctx stage abort, ctx stage compact
    out|
    out| Idle for 1 day. See its state with: ctx recover
    out| To save it and begin something new: ctx start --replace "<task>""
  `);
  expect(seen(repo.run(['stage', 'status'], { now: NOON + WEEK + 1 }))).toMatchInlineSnapshot(`
    "exit 0
    out| Session  <id1>
    out| Task     Add retry with backoff
    out| State    Running
    out| Status   paused: nothing was done for 7 days; continue: ctx resume
    out| Head     <oid1> (step 2), base <oid2>
    out| Unsaved  nothing
    out| Files    0 touched
    out| Started  2026-01-22 00:00:00 +0000
    out| Last     2026-01-22 00:00:00 +0000 (7 days ago)
    out| Next     ctx stage ask, ctx done, ctx stage interrupt, ctx stage abort, ctx stage compact
    out|
    out| Idle for 7 days: the next message or start saves it.
    out| To save it now: ctx stage cleanup; to continue it: record something, as in ctx observe note "<text>""
  `);
  expect(seen(repo.run(['stage', 'start', 'Fix the build'], { now: NOON + DAY }))).toMatchInlineSnapshot(`
    "exit 1
    err| error: A session is active already (Running).
    err| hint: Save it and begin the new task with: ctx start --replace "<task>"; open a second one with --beside; or move it on: ctx stage ask, ctx done, ctx stage interrupt, ctx stage abort, ctx stage compact"
  `);
  const other = repo.copy();
  expect(seen(other.run(['stage', 'start', 'Fix the build'], { now: NOON + WEEK + 1 }))).toMatchInlineSnapshot(`
    "exit 0
    out| Saved as <oid1> StaleAutoCompact, idle for 7 days: Auto-saved: session idle for 7 days: Add retry with backoff
    out|   2 steps kept under refs/archive/<id1>
    out| Started <id2>: Fix the build"
  `);
  const another = repo.copy();
  expect(seen(another.run(['stage', 'recover'], { now: NOON + WEEK + 1 }))).toMatchInlineSnapshot(`
    "exit 0
    out| Welcome back! I was working on: Add retry with backoff
    out|
    out| Progress so far:
    out| - Decision: full jitter
    out|
    out| Should I continue?
    out|
    out| It has been idle for 7 days: the next message in its own conversation saves it, and so do ctx start and ctx stage cleanup; recording into it keeps it open."
  `);
});

describe('activity', () => {
  test('is what was recorded: a record that waits counts, whenever its command ran', () => {
    const other = repo.copy();
    other.run(['observe', 'note', 'Later'], { now: NOON + 500 });
    expect(other.json<ActiveStatus>(['stage', 'status'], { now: NOON + 600 })).toMatchObject({
      last_activity: NOON + 500,
      idle_secs: 100,
    });
    // Flushed days after, it is still of then.
    other.run(['stage', 'flush'], { now: NOON + 3 * DAY });
    expect(other.json<ActiveStatus>(['stage', 'status'], { now: NOON + 3 * DAY })).toMatchObject({
      last_activity: NOON + 500,
      idle_secs: 3 * DAY - 500,
      staleness: 'ask',
    });
  });

  test('keeps a session with a record that waits from being saved', () => {
    const other = repo.copy();
    other.run(['observe', 'note', 'Later'], { now: NOON + WEEK });
    expect(other.json<CleanupResult>(['stage', 'cleanup'], { now: NOON + WEEK + 1 }).sessions_compacted).toBe(0);
  });

  test('is never moved by reading', () => {
    const before = withoutCatalog(repo.store);
    const read = [
      ['stage', 'status'],
      ['stage', 'list'],
      ['stage', 'recover'],
      ['stage', 'cleanup', '--dry-run'],
      ['log'],
      ['show', 'STAGE'],
      ['show', 'HEAD'],
      ['diff', 'HEAD'],
    ];
    for (const [index, line] of read.entries()) expect(repo.run(line, { now: NOON + WEEK - 9 + index }).code).toBe(0);
    expect(repo.json<ActiveStatus>(['stage', 'status'], { now: NOON + WEEK }).last_activity).toBe(NOON);
    expect(withoutCatalog(repo.store)).toEqual(before);
  });

  test('in the future is no idle time: clocks differ', () => {
    expect(repo.json<ActiveStatus>(['stage', 'status'], { now: NOON - 1000 })).toMatchObject({
      idle_secs: 0,
      staleness: 'fresh',
      last_activity: NOON,
    });
  });
});

describe('settings', () => {
  test('move the thresholds and word the message', () => {
    const other = repo.copy();
    const template = 'Saved {task} by itself, {duration} later {unknown}';
    const settings = { ask_threshold: '1h', auto_compact_threshold: 7200, auto_compact_message_template: template };
    write(join(other.store, 'settings.json'), JSON.stringify(settings));
    const staleness = (idle: number): string =>
      other.json<ActiveStatus>(['stage', 'status'], { now: NOON + idle }).staleness;
    expect([3599, 3600, 7200, 7201].map(staleness)).toEqual(['fresh', 'ask', 'ask', 'auto_compact']);
    other.run(['stage', 'start', 'Next'], { now: NOON + 7201 });
    expect(log(other)[0]?.message).toBe(
      'Saved Add retry with backoff by itself, 2 hours later {unknown}: Add retry with backoff',
    );
  });
});

describe('a session that holds nothing but its task', () => {
  const empty = (): { other: Repo; id: string; head: string } => {
    const other = session('An empty task');
    const { session_id, staging_head } = other.json<ActiveStatus>(['stage', 'status']);
    return { other, id: session_id, head: staging_head };
  };
  const archived = (other: Repo): string =>
    other.git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/archive');

  test.for([
    ['start, when it is stale', ['stage', 'start', 'Next'], NOON + WEEK + 1],
    ['start --replace', ['stage', 'start', '--replace', 'Next'], NOON + 60],
    ['cleanup', ['stage', 'cleanup'], NOON + WEEK + 1],
  ] as const)('leaves no canonical commit when %s ends it, but its chain stays', ([_what, line, now]) => {
    const { other, id, head } = empty();
    const main = other.git('rev-parse', 'main');
    const ran = other.run([...line], { now });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(log(other)).toEqual([]);
    expect(other.git('rev-parse', 'main')).toBe(main);
    expect(archived(other)).toBe(`refs/archive/${id} ${head}\n`);
    fsck(other.dir);
  });

  test.for([
    ['compact', [['stage', 'compact']], 'Normal', 'Running'],
    ['abort', [['stage', 'abort']], 'Abandoned', 'Aborted'],
    [
      'confirm',
      [
        ['stage', 'done'],
        ['stage', 'confirm'],
      ],
      'Normal',
      'Complete',
    ],
  ] as const)('is saved where the user says so: %s', ([_what, lines, type, state]) => {
    const { other, id } = empty();
    for (const line of lines) expect(other.run([...line])).toMatchObject({ code: 0, stderr: '' });
    expect(log(other)).toMatchObject([{ session_id: id, commit_type: { kind: type }, session_state: { kind: state } }]);
  });

  test('is reported as empty to a person', () => {
    const { other } = empty();
    expect(seen(other.run(['stage', 'start', '--replace', 'Next']))).toMatchInlineSnapshot(`
      "exit 0
      out| Archived an empty session: An empty task (it held nothing but its task)
      out| Started <id1>: Next"
    `);
  });

  test('is no longer one as soon as something waits', () => {
    const { other } = empty();
    other.run(['observe', 'note', 'Something']);
    other.run(['stage', 'start', '--replace', 'Next']);
    expect(log(other)).toMatchObject([{ message: 'Saved before starting new task: An empty task', step_count: 2 }]);
  });
});

describe('cleanup over several open sessions', () => {
  let several: Repo;
  beforeAll(() => {
    several = repository();
    const begin = (task: string, now: number, note?: string): void => {
      several.run(['stage', 'start', '--beside', task], { now });
      if (note) several.run(['observe', 'note', note, '--flush'], { now });
    };
    begin('Ten days', NOON - 10 * DAY, 'x');
    begin('Ten days, empty', NOON - 10 * DAY);
    begin('Three days', NOON - 3 * DAY, 'x');
    begin('Today', NOON - 60, 'x');
  });
  const open = (of: Repo): string[] =>
    of.json<ListedSession[]>(['stage', 'list'], { now: NOON }).map((listed) => listed.task_description);

  test('--dry-run only reports which, and changes nothing', () => {
    const before = fingerprint(several.store);
    const cleaned = several.json<CleanupResult>(['stage', 'cleanup', '--dry-run'], { now: NOON });
    expect(cleaned).toMatchObject({ dry_run: true, sessions_compacted: 2 });
    expect(cleaned.sessions.map((one) => [one.task_description, one.idle_secs, one.oid])).toEqual([
      ['Ten days', 10 * DAY, null],
      ['Ten days, empty', 10 * DAY, null],
    ]);
    expect(seen(several.run(['stage', 'cleanup', '--dry-run'], { now: NOON }))).toMatchInlineSnapshot(`
      "exit 0
      out| Would save 2 sessions:
      out|   Ten days (idle 10 days)
      out|   Ten days, empty (idle 10 days)"
    `);
    expect(fingerprint(several.store)).toEqual(before);
  });

  test('saves those beyond the threshold, each into a commit of its own, and leaves the current one', () => {
    const other = several.copy();
    expect(seen(other.run(['stage', 'cleanup'], { now: NOON }))).toMatchInlineSnapshot(`
      "exit 0
      out| Saved 2 sessions:
      out|   <oid1> Ten days (idle 10 days)
      out|   Ten days, empty (idle 10 days; it held nothing but its task, and was archived)"
    `);
    expect(open(other)).toEqual(['Today', 'Three days']);
    expect(log(other).map((entry) => entry.task_description)).toEqual(['Ten days']);
    expect(other.json<ActiveStatus>(['stage', 'status']).task_description).toBe('Today');
    fsck(other.dir);
  });

  test.for([
    ['3d', ['Today', 'Three days']],
    ['259199', ['Today']],
    ['1m', ['Today']],
    ['59s', []],
    ['0', []],
  ] as const)('--max-idle %s is the longest idle time', ([limit, left]) => {
    const other = several.copy();
    expect(other.run(['stage', 'cleanup', '--max-idle', limit], { now: NOON })).toMatchObject({ code: 0 });
    expect(open(other)).toEqual(left);
    if (left.length === 0) expect(other.json(['stage', 'status'])).toMatchObject({ active: false, allowed: ['start'] });
    fsck(other.dir);
  });

  test.each(['soon', '-1', '1.5h', ''])('--max-idle cannot be "%s"', (limit) => {
    expect(several.refused(['stage', 'cleanup', `--max-idle=${limit}`], { now: NOON })).toMatchObject({
      exit: 2,
      code: 'usage',
      hint: 'Give 24h, 7d or seconds.',
    });
  });

  test('with nothing to save says so', () => {
    expect(seen(several.copy().run(['stage', 'cleanup', '--max-idle', '30d'], { now: NOON }))).toMatchInlineSnapshot(`
      "exit 0
      out| No session has been idle for that long."
    `);
    expect(seen(repository().run(['stage', 'cleanup']))).toMatchInlineSnapshot(`
      "exit 0
      out| No session has been idle for that long."
    `);
  });
});
