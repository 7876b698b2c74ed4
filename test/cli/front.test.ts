// The commands that people type first: short names, lists, the log, what a session changed, and a file back.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ActiveStatus, LogEntry, SessionRow } from '../../src/index.ts';
import { fsck, NOON, type Repo, repository, run, seen, write } from '../support/cli.ts';

const DAY = 86_400;
const statusOf = (repo: Repo): ActiveStatus => repo.json<ActiveStatus>(['status']);

/** Two ended sessions, of which one read a file that the other wrote, and an open one. */
function history(): Repo {
  const repo = repository({ now: NOON });
  const at = (days: number) => ({ now: NOON + days * DAY });
  write(join(repo.dir, 'a.txt'), 'one\n');
  write(join(repo.dir, 'read.txt'), 'old\n');
  repo.run(['start', 'please add the first file', '--agent', 'codex'], at(0));
  repo.run(['observe', 'write', 'a.txt'], at(0));
  repo.run(['flush'], at(0));
  repo.run(['done', 'Added it.'], at(0));
  repo.run(['confirm'], at(0));
  write(join(repo.dir, 'read.txt'), 'only read\n');
  repo.run(['start', 'Change the first file', '--agent', 'claude-code'], at(1));
  repo.run(['observe', 'read', 'read.txt', 'a.txt'], at(1));
  write(join(repo.dir, 'a.txt'), 'one\ntwo\n');
  repo.run(['observe', 'write', 'a.txt'], at(1));
  repo.run(['flush'], at(1));
  repo.run(['stage', 'abort', '--reason', 'Superseded'], at(1));
  repo.run(['start', 'can you write the docs?'], at(2));
  return repo;
}

let repo: Repo;
beforeAll(() => {
  repo = history();
});
const LATER = { now: NOON + 2 * DAY + 7_200 };

describe('a command of stage', () => {
  test.each(['status', 'flush', 'start', 'recover', 'switch', 'done', 'confirm'])(
    'is found as ctx %s, with the same help',
    (verb) => {
      const [short, long] = [run([verb, '--help']), run(['stage', verb, '--help'])];
      expect(short.code).toBe(0);
      expect(short.stdout.replace(`ctx ${verb} [`, `ctx stage ${verb} [`)).toBe(long.stdout);
    },
  );

  test('does the same under its short name', () => {
    const own = repository({ now: NOON });
    own.run(['start', 'A task']);
    expect(statusOf(own)).toEqual(own.json(['stage', 'status']));
    expect(own.json(['done', 'Finished'])).toMatchObject({ session_state: { kind: 'PendingComplete' } });
    expect(own.json(['confirm'])).toMatchObject({ compacted: { commit_type: { kind: 'Normal' } } });
    fsck(own.dir);
  });
});

describe('list', () => {
  test('shows every session in one line, the newest work first', () => {
    expect(seen(repo.run(['list', '--wide'], LATER))).toMatchInlineSnapshot(`
      "exit 0
      out| * <short>  2 hours ago   -            Running, paused  write the docs?
      out|   <short>  26 hours ago  claude-code  Abandoned        Change the first file
      out|   <short>  2 days ago    codex        Normal           add the first file"
    `);
  });

  test.each([80, 120])('has no line that is wider than %i columns', (columns) => {
    const { stdout } = repo.run(['list'], { ...LATER, env: { COLUMNS: String(columns) } });
    for (const line of stdout.trimEnd().split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
    expect(stdout).toContain('add the first file');
  });

  test.each([
    [['list', '--open'], ['write the docs?']],
    [
      ['list', '--ended'],
      ['Change the first file', 'add the first file'],
    ],
    [['list', '--agent', 'codex'], ['add the first file']],
    [['list', '--state', 'Abandoned'], ['Change the first file']],
    [['list', '--state', 'Running'], ['write the docs?']],
    [['list', '--limit', '1'], ['write the docs?']],
    [
      ['list', '-2'],
      ['write the docs?', 'Change the first file'],
    ],
    [
      ['list', '--since', '2026-01-23'],
      ['write the docs?', 'Change the first file'],
    ],
    [['list', '--until', '2026-01-22T01:00:00Z'], ['add the first file']],
    [
      ['list', '--since', 'yesterday'],
      ['write the docs?', 'Change the first file'],
    ],
    [['list', '--since', '25 hours ago'], ['write the docs?']],
    [['list', '--agent', 'gemini'], []],
  ])('%j lists %j', (line, titles) => {
    expect(repo.json<SessionRow[]>(line, LATER).map((row) => row.title)).toEqual(titles);
  });

  test('gives programs the fields of a session under fixed names', () => {
    expect(Object.keys(repo.json<SessionRow[]>(['list', '--ended'], LATER)[0] ?? {}).sort()).toEqual([
      ...['agent', 'agent_session_id', 'continues', 'ending', 'ephemeral', 'last_activity', 'open'],
      ...['parent_message_id', 'parent_session_id', 'project', 'resumes', 'session_id', 'short_id', 'started_at'],
      ...['state', 'status', 'steps', 'summary', 'task_description', 'title', 'type'],
    ]);
    expect(repo.json<SessionRow[]>(['list', '--ended'], LATER)).toMatchObject([
      { state: 'Aborted', status: 'completed', ending: 'Abandoned', summary: 'Superseded' },
      { state: 'Complete', status: 'completed', ending: 'Normal', summary: null },
    ]);
  });

  test('stage list shows the open sessions alone', () => {
    expect(repo.json<SessionRow[]>(['stage', 'list'], LATER)).toEqual(repo.json(['list', '--open'], LATER));
  });

  test('--tree puts a session below the one that started it', () => {
    expect(repo.run(['stage', 'list', '--tree', '--wide'], LATER).stdout).toBe(
      repo.run(['stage', 'list'], LATER).stdout,
    );
    expect(repo.run(['list', '--tree'], LATER).stdout).toBe(repo.run(['list'], LATER).stdout);
  });

  test.each([
    [['stage', 'list', '--agent', 'codex']],
    [['stage', 'list', '--state', 'Abandoned']],
    [['stage', 'list', '--since', 'tomorrow']],
    [['stage', 'list', '--until', 'yesterday']],
    [['stage', 'list', '--limit', '0']],
  ])('%j finds no open session', (line) => expect(repo.run(line, LATER).stdout).toBe('No session is open.\n'));

  test('of a store without sessions says how to begin one, and of filters that match none says so', () => {
    const own = repository({ now: NOON });
    expect(own.run(['list']).stdout).toMatch(/^No session yet\. Begin one with: ctx start /);
    expect(own.run(['list', '--ended']).stdout).toBe('No session matches.\n');
    expect(own.json(['list'])).toEqual([]);
  });

  test('refuses --open with --ended, and a state that is none', () => {
    expect(repo.refused(['list', '--open', '--ended'])).toMatchObject({ exit: 2, code: 'usage' });
    expect(repo.refused(['list', '--state', 'Done'])).toMatchObject({ exit: 2, code: 'usage' });
    expect(repo.refused(['list', '--agent', 'nobody'])).toMatchObject({ exit: 2, code: 'usage' });
  });
});

describe('log', () => {
  test('--oneline shows id, day, an ending that is not Normal, and the title', () => {
    const lines = repo.run(['log', '--oneline'], LATER).stdout.trimEnd().split('\n');
    expect(lines.map((line) => line.replace(/^[0-9a-f]{10}/, '<oid>'))).toEqual([
      '<oid> 2026-01-23 Abandoned Change the first file',
      '<oid> 2026-01-22 add the first file',
    ]);
  });

  test.each([
    [['log', '-1'], ['Change the first file']],
    [['log', '--author', 'codex'], ['add the first file']],
    [['log', '--agent', 'claude'], ['Change the first file']],
    [['log', '--grep', 'CHANGE', '-i'], ['Change the first file']],
    [['log', '--grep', 'CHANGE', '--ignore-case'], ['Change the first file']],
    [['log', '--grep', 'CHANGE'], []],
    [
      ['log', '--all'],
      ['write the docs?', 'Change the first file', 'add the first file'],
    ],
    [['log', '--since', 'yesterday'], ['Change the first file']],
  ])('%j shows %j', (line, titles) => {
    expect(repo.json<LogEntry[]>(line, LATER).map((entry) => entry.title)).toEqual(titles);
  });

  test('-p shows what a session changed, and never a file that it only read', () => {
    const { stdout } = repo.run(['log', '-1', '-p'], LATER);
    expect(repo.run(['log', '-1', '--patch'], LATER).stdout).toBe(stdout);
    expect(stdout).toContain('--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,2 @@\n one\n+two\n');
    expect(stdout).not.toContain('read.txt');
  });

  test('--stat agrees with diff --stat', () => {
    const stat = repo.run(['diff', '--stat', 'HEAD~1', 'HEAD'], LATER).stdout;
    expect(stat).toBe(' a.txt | 1 +\n 1 file changed, 1 insertion(+), 0 deletions(-)\n');
    expect(repo.run(['log', '-1', '--stat'], LATER).stdout).toContain(stat);
  });

  test('--graph draws a line beside the commits', () => {
    const { stdout } = repo.run(['log', '--graph', '--oneline'], LATER);
    expect(stdout.split('\n').filter((line) => /^\* [0-9a-f]{10} /.test(line))).toHaveLength(2);
  });
});

describe('diff', () => {
  test('without arguments shows what the active session changed', () => {
    const own = repository({ now: NOON });
    write(join(own.dir, 'b.txt'), 'before\n');
    own.run(['start', 'A task']);
    own.run(['observe', 'read', 'b.txt']);
    write(join(own.dir, 'b.txt'), 'after\n');
    own.run(['observe', 'write', 'b.txt']);
    own.run(['flush']);
    expect(own.run(['diff']).stdout).toBe(
      'diff --ctx a/b.txt b/b.txt\n--- a/b.txt\n+++ b/b.txt\n@@ -1,1 +1,1 @@\n-before\n+after\n',
    );
  });

  test('without arguments and without an active session is refused', () => {
    expect(repository().refused(['diff'])).toMatchObject({ exit: 1, code: 'no_active_session' });
  });

  test('takes a..b as two revisions', () => {
    expect(repo.json(['diff', 'HEAD~1..HEAD'])).toEqual(repo.json(['diff', 'HEAD~1', 'HEAD']));
    expect(repo.json(['diff', 'HEAD~1..'])).toEqual(repo.json(['diff', 'HEAD~1', 'HEAD']));
  });
});

describe('show', () => {
  test('without a revision shows the active session, else the last commit', () => {
    expect(repo.json(['show'])).toEqual(repo.json(['show', 'STAGE']));
    const own = repository({ now: NOON });
    own.run(['start', 'A task']);
    own.run(['stage', 'compact']);
    expect(own.json(['show'])).toEqual(own.json(['show', 'HEAD']));
  });

  test('<revision>:<path> prints a file byte for byte', () => {
    expect(repo.run(['show', 'HEAD:a.txt']).stdout).toBe('one\ntwo\n');
    expect(repo.run(['show', 'HEAD~1:a.txt']).stdout).toBe('one\n');
    const below = join(repo.dir, 'below');
    mkdirSync(below, { recursive: true });
    expect(repo.run(['show', 'HEAD:../a.txt'], { cwd: below }).stdout).toBe('one\ntwo\n');
    expect(repo.refused(['show', 'HEAD:gone.txt'])).toMatchObject({ exit: 1, code: 'not_found' });
  });
});

test('restore writes a file back as a revision has it, there or elsewhere', () => {
  const own = history();
  const [ended] = own.json<SessionRow[]>(['list', '--agent', 'codex']);
  own.run(['restore', '--from', ended?.short_id as string, 'a.txt']);
  expect(readFileSync(join(own.dir, 'a.txt'), 'utf8')).toBe('one\n');
  expect(own.json(['restore', '--from', 'HEAD', 'a.txt', '--to', 'new/copy.txt'])).toMatchObject({ replaced: false });
  expect(readFileSync(join(own.dir, 'new', 'copy.txt'), 'utf8')).toBe('one\ntwo\n');
  expect(own.refused(['restore', '--from', 'HEAD', 'gone.txt'])).toMatchObject({ exit: 1, code: 'not_found' });
});

describe('switch', () => {
  test('takes a short id, a piece of a title, and - for the session before', () => {
    const own = repository({ now: NOON });
    own.run(['start', 'Write the parser']);
    own.run(['start', '--beside', 'Write the docs']);
    const title = (): string => statusOf(own).title;
    own.run(['switch', 'parser']);
    expect(title()).toBe('Write the parser');
    own.run(['switch', '-']);
    expect(title()).toBe('Write the docs');
    own.run(['switch', '-']);
    expect(title()).toBe('Write the parser');
    const docs = own.json<SessionRow[]>(['list']).find((row) => row.title === 'Write the docs');
    own.run(['switch', docs?.short_id as string]);
    expect(title()).toBe('Write the docs');
    const refusal = own.refused(['switch', 'write']);
    expect(refusal).toMatchObject({ exit: 1, code: 'ambiguous' });
    expect(refusal.hint?.split('\n')).toHaveLength(3);
    fsck(own.dir);
  });
});

test('a path too long for a line is compared like any other', () => {
  const own = repository({ now: NOON });
  own.run(['start', 'A task']);
  const path = 'long/'.repeat(900);
  const records = [`{"kind":"delete","path":"${path}x"}`, `{"kind":"delete","path":"${path}y"}`];
  expect(own.run(['observe', 'batch', '--flush'], { input: `${records.join('\n')}\n` }).code).toBe(0);
  expect(own.run(['diff', '--stat'])).toMatchObject({ code: 0, stderr: '' });
  own.run(['stage', 'compact']);
  expect(own.run(['log', '--stat'])).toMatchObject({ code: 0, stderr: '' });
});

test('a short id names a session to forget', () => {
  const own = history();
  const [ended] = own.json<SessionRow[]>(['list', '--agent', 'codex']);
  expect(own.run(['forget', ended?.short_id as string, '--yes']).code).toBe(0);
  expect(own.json(['show', ended?.session_id as string])).toMatchObject({ task_description: '[forgotten]' });
  fsck(own.dir);
});

describe('an unknown command', () => {
  test.each([
    [['lst'], 'Did you mean: ctx list'],
    [['compact'], 'Did you mean: ctx stage compact, ctx context compact'],
    [['stage', 'stat'], 'Did you mean: ctx status'],
    [['xyzzyxyzzy'], 'See: ctx --help'],
  ])('%j is answered with %j', (words, answer) => expect(run(words).stderr).toContain(`${answer}\n`));

  test('fails the same behind help', () => {
    expect(run(['help', 'lst'])).toEqual(run(['lst']));
    expect(run(['help', 'list']).stdout).toBe(run(['list', '--help']).stdout);
    expect(run(['help', 'stage']).code).toBe(0);
  });
});
