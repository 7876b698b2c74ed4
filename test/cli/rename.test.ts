// `ctx rename`: the title that a user gives to a session, open or ended, and where it is shown.
import { beforeEach, describe, expect, test } from 'vitest';
import type { ActiveStatus, LogEntry, RenameResult, SessionRow, Shown } from '../../src/index.ts';
import { fsck, NOON, type Repo, repository, seen } from '../support/cli.ts';

const HOUR = 3_600;
let repo: Repo;
let ended: SessionRow;

/** A session that has ended an hour ago, and an open one. */
beforeEach(() => {
  repo = repository({ now: NOON });
  repo.run(['start', 'please look at the first thing']);
  repo.run(['observe', 'note', 'something was done', '--flush']);
  repo.run(['done', 'Looked.']);
  repo.run(['confirm']);
  repo.run(['start', 'look at the second thing']);
  [ended] = repo.json<SessionRow[]>(['list', '--ended']) as [SessionRow];
});

const LATER = { now: NOON + HOUR };
const titles = (): string[] => repo.json<SessionRow[]>(['list']).map((row) => row.title);
const isSound = (): void => {
  expect(repo.json(['fsck', '--full'])).toMatchObject({ healthy: true, findings: [] });
  fsck(repo.dir);
};

describe('rename of the active session', () => {
  test('sets its title, and says what it was', () => {
    expect(seen(repo.run(['rename', 'The', 'second'], LATER))).toMatchInlineSnapshot(`
      "exit 0
      out| Title: The second (was: look at the second thing)"
    `);
    expect(repo.json<ActiveStatus>(['status'])).toMatchObject({ title: 'The second' });
    expect(titles()).toEqual(['The second', 'look at the first thing']);
    isSound();
  });

  test('is what a switch to it says', () => {
    repo.run(['rename', 'The second']);
    repo.run(['start', '--beside', 'look at the third thing']);
    expect(repo.run(['switch', '-']).stdout).toMatch(/^Now on \S+: The second\n$/);
  });

  test('leaves its task, its state and its last activity', () => {
    const before = repo.json<ActiveStatus>(['status'], LATER);
    repo.run(['rename', 'The second'], LATER);
    const { task_description, session_state, last_activity, idle_secs } = before;
    expect(idle_secs).toBe(HOUR);
    expect(repo.json(['status'], LATER)).toMatchObject({ task_description, session_state, last_activity, idle_secs });
    expect(repo.json<LogEntry[]>(['log', '--all'], LATER)[0]).toMatchObject({ title: 'The second', last_activity });
  });

  test('goes with it into its commit, also under a message', () => {
    repo.run(['rename', 'The second'], LATER);
    repo.run(['observe', 'note', 'more', '--flush'], LATER);
    repo.run(['stage', 'compact', '-m', 'Something else'], LATER);
    expect(repo.json<LogEntry[]>(['log'])[0]).toMatchObject({ title: 'The second', message: 'Something else' });
    isSound();
  });

  test('keeps no session from being empty', () => {
    repo.run(['rename', 'The second']);
    repo.run(['start', '--replace', 'A third']);
    expect(titles()).toEqual(['A third', 'look at the first thing']);
  });
});

describe('rename of an ended session', () => {
  test('by its short id adds a late step, and leaves main as it is', () => {
    const main = repo.git('rev-parse', 'main');
    const renamed = repo.json<RenameResult>(['rename', ended.short_id, 'The first'], LATER);
    expect(renamed).toMatchObject({
      session_id: ended.session_id,
      title: 'The first',
      open: false,
      step: ended.steps + 1,
    });
    expect(repo.git('rev-parse', 'main')).toBe(main);
    expect(titles()).toEqual(['look at the second thing', 'The first']);
    expect(repo.json<SessionRow[]>(['list', '--ended'])).toEqual([{ ...ended, title: 'The first' }]);
    isSound();
  });

  test('shows in log, show and the list of what a piece of an id may mean', () => {
    repo.run(['rename', 'HEAD', 'The first']);
    expect(repo.json<LogEntry[]>(['log'])[0]?.title).toBe('The first');
    expect(repo.run(['log', '--oneline']).stdout).toContain(' The first\n');
    expect(repo.json<Shown>(['show', 'HEAD'])).toMatchObject({ title: 'The first' });
    expect(repo.run(['show', 'HEAD']).stdout).toContain('Title:   The first\n');
    expect(repo.run(['show', ended.session_id, '--steps']).stdout).toContain('  title The first\n');
  });

  test('is undone neither by an undo of its end, nor lost by it', () => {
    repo.run(['stage', 'abort']);
    repo.run(['rename', 'HEAD', 'The second']);
    repo.run(['undo']);
    expect(repo.json<ActiveStatus>(['status'])).toMatchObject({
      title: 'The second',
      session_state: { kind: 'Running' },
    });
    isSound();
  });

  test('stays when its steps expire', () => {
    repo.run(['rename', 'HEAD', 'The first']);
    expect(repo.run(['gc', '--expire-steps', '14d'], { now: NOON + 90 * 24 * HOUR }).stdout).toContain('1 session');
    expect(titles()).toContain('The first');
    isSound();
  });
});

describe('rename', () => {
  test('--reset brings the title back that the task gives', () => {
    repo.run(['rename', 'The second']);
    expect(repo.json<RenameResult>(['rename', '--reset'])).toMatchObject({
      title: 'look at the second thing',
      previous: 'The second',
    });
    repo.run(['rename', ended.short_id, 'The first']);
    expect(repo.json<RenameResult>(['rename', ended.short_id, '--reset']).title).toBe('look at the first thing');
    expect(titles()).toEqual(['look at the second thing', 'look at the first thing']);
  });

  test('--reset takes the title of ctx session set back, too, which is refused for the same reasons', () => {
    const own = repo.copy();
    const set = own.json<{ title: string }>(['session', 'set', '--title', 'The second', '--type', 'debug']);
    expect(set).toMatchObject({ title: 'The second', type: 'debug' });
    expect(own.json<RenameResult>(['rename', '--reset'])).toMatchObject({
      title: 'look at the second thing',
      previous: 'The second',
    });
    for (const title of [' ', 'x'.repeat(201)])
      expect(own.refused(['session', 'set', '--title', title])).toMatchObject({ code: 'invalid_input' });
  });

  test('takes words that could be a piece of an id for a title if no session has it', () => {
    expect(repo.json<RenameResult>(['rename', 'added', 'retries']).title).toBe('added retries');
    expect(repo.json<RenameResult>(['rename', ended.short_id]).title).toBe(ended.short_id);
    expect(repo.json<RenameResult>(['--session', 'STAGE', 'rename', ended.short_id, 'x']).title).toBe(
      `${ended.short_id} x`,
    );
  });

  test('reads the title from standard input', () => {
    expect(repo.json<RenameResult>(['rename', '-'], { input: 'From\nstdin\n' }).title).toBe('From stdin');
  });

  test('keeps no secret', () => {
    const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    repo.run(['rename', `Use ${secret}`]);
    expect(titles()[0]).not.toContain(secret);
    expect(repo.git('cat-file', '--batch-all-objects', '--batch')).not.toContain(secret);
  });

  test.each([
    [['rename'], 'invalid_input'],
    [['rename', '  '], 'invalid_input'],
    [['rename', 'x'.repeat(201)], 'invalid_input'],
    [['rename', '123abc', 'A title'], 'not_found'],
    [['rename', 'HEAD~1', 'A title'], 'not_found'],
    [['rename', '--reset', 'A title'], 'usage'],
  ])('%j is refused with %s, and changes nothing', (line, code) => {
    expect(repo.refused(line)).toMatchObject({ code });
    expect(titles()).toEqual(['look at the second thing', 'look at the first thing']);
  });

  test('of no active session is refused', () => {
    expect(repository().refused(['rename', 'x'])).toMatchObject({ exit: 1, code: 'no_active_session' });
  });
});

describe('forget', () => {
  test.each([['open'], ['ended']])('takes the title of an %s session out of every object', (which) => {
    const name = which === 'open' ? 'STAGE' : 'HEAD';
    repo.run(['rename', name, 'A quite personal title']);
    repo.run(['observe', 'note', 'after it', '--flush']);
    expect(repo.git('cat-file', '--batch-all-objects', '--batch')).toContain('quite personal');
    expect(repo.run(['forget', '--text', 'quite personal', '--yes'])).toMatchObject({ code: 0 });
    expect(repo.git('cat-file', '--batch-all-objects', '--batch')).not.toContain('quite personal');
    expect(JSON.stringify(titles())).not.toContain('quite personal');
    isSound();
  });

  test('of the record that gave it takes it out of the session too', () => {
    const { session_id } = repo.json<RenameResult>(['rename', 'A quite personal title']);
    repo.run(['observe', 'note', 'after it', '--flush']);
    const shown = repo.json<{ steps: { observations: { id: string; kind: string }[] }[] }>(['show', session_id]);
    const record = shown.steps.flatMap((step) => step.observations).find(({ kind }) => kind === 'title');
    expect(repo.run(['forget', record?.id as string, '--yes'])).toMatchObject({ code: 0 });
    expect(repo.git('cat-file', '--batch-all-objects', '--batch')).not.toContain('quite personal');
    isSound();
  });
});

test('the author date of a commit is that of the last work, its committer date that of saving', () => {
  repo.run(['observe', 'note', 'the last work', '--flush'], { now: NOON + HOUR });
  repo.run(['stage', 'compact'], { now: NOON + 3 * HOUR });
  expect(repo.git('log', '-1', '--format=%at %ct')).toBe(`${NOON + HOUR} ${NOON + 3 * HOUR}\n`);
  const shown = repo.run(['show', 'HEAD'], { env: { TZ: 'Asia/Tokyo' } }).stdout;
  expect(shown).toContain('Date:    2026-01-22 10:00:00 +0900\nSaved:   2026-01-22 12:00:00 +0900\n');
  isSound();
  repo.run(['forget', '--text', 'the last work', '--yes']);
  expect(repo.git('log', '-1', '--format=%at %ct')).toBe(`${NOON + HOUR} ${NOON + 3 * HOUR}\n`);
  isSound();
});
