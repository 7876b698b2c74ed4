// Tests the options of every command: the global options, the environment, and the streams and colours of answers.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadCommands } from '../../src/cli/table.ts';
import {
  type ActiveStatus,
  type ListedSession,
  openRepository,
  type StartResult,
  startSession,
} from '../../src/index.ts';
import {
  fingerprint,
  folder,
  NOON,
  PROGRAM,
  type Repo,
  refused,
  repository,
  run,
  seen,
  withoutCatalog,
  write,
} from '../support/cli.ts';
import { SAMPLES, type Sample, TRANSCRIPT } from '../support/samples.ts';

const commands = await loadCommands();

/** A project with two open sessions; the second one is the current one. */
interface Pair {
  repo: Repo;
  first: string;
  second: string;
}

const pairs = new Map<string, Pair>();

/** A copy of two open sessions of which the first has gone some way; both are made once. */
function pairAfter(way: string[][]): Pair {
  const key = JSON.stringify(way);
  let made = pairs.get(key);
  if (!made) {
    const repo = repository({ now: NOON });
    repo.write('client.ts', 'export {};\n');
    repo.write('transcript.jsonl', TRANSCRIPT);
    const first = repo.json<StartResult>(['stage', 'start', 'The first task']).session_id;
    // A question that waits is an answer too.
    for (const line of way) expect([0, 3]).toContain(repo.run(line).code);
    const second = repo.json<StartResult>(['stage', 'start', '--beside', 'The second task']).session_id;
    // A key that this version does not know is told of: a story that --quiet is there to silence.
    write(join(repo.store, 'settings.json'), '{"fsync": false, "from_the_future": 1}');
    made = { repo, first, second };
    pairs.set(key, made);
  }
  return { ...made, repo: made.repo.copy() };
}

const STORY = 'warning: settings.json has keys that this version does not know: from_the_future\n';

/** Commands that change something, and are asked for what they print all the same. */
const ANSWERING = ['stage recover', 'fsck', 'git', 'hook', 'doctor', 'acp', 'record'];
/** Commands that change nothing in the store but its caches, and are not asked for what they print. */
const CHANGING_ELSEWHERE = ['restore', 'hooks install', 'hooks uninstall', 'reindex'];

/** Checks if what a command line prints is an answer that --quiet leaves. */
function isAnswer(name: string, line: readonly string[]): boolean {
  const mutates = commands.find((command) => command.name === name)?.mutates;
  if (line.includes('--dry-run') || ANSWERING.includes(name)) return true;
  return mutates === false && !CHANGING_ELSEWHERE.includes(name);
}

describe.each(commands.map((command) => [command.name, command] as const))('ctx %s', (name, command) => {
  const sample = SAMPLES[name];
  const words = sample?.foreign ? 0 : name.split(' ').length;
  const own = sample?.protocol || sample?.passes;
  const lineFor = (first: string): string[] =>
    (sample as Sample).line.map((word) => (word === '<first>' ? first : word));

  test('has a sample here', () =>
    expect(sample, `add a command line for "ctx ${name}" to test/support/samples.ts`).toBeDefined());

  test.runIf(sample)(
    'prints its answer on standard output and the story on standard error; --quiet keeps to the answer',
    () => {
      const { repo, first } = pairAfter(sample?.way ?? []);
      const env = { CTX_SESSION: first };
      const line = lineFor(first);
      const told = repo.copy().run(['--no-color', ...line], { env, input: sample?.input, own });
      expect(told.code).toBe(0);
      // Others of its story may follow: what to type next.
      expect(told.stderr.slice(0, STORY.length)).toBe(sample?.storeless && !sample.looks ? '' : STORY);
      expect(told.stdout).toMatch(/^[\s\S]+\n$/);
      const line2 = [...line.slice(0, words), '-q', '--no-color', '--directory', repo.dir, ...line.slice(words)];
      const quiet = run(line2, { cwd: folder(), now: NOON, env, input: sample?.input, own });
      expect(quiet).toMatchObject({ code: 0, stderr: '' });
      const expected = isAnswer(name, line) ? told.stdout : '';
      expect(seen(quiet)).toBe(seen({ code: 0, stdout: expected, stderr: '' }));
    },
  );

  test.runIf(sample)('takes -C, --json, --quiet and --session before its words, from anywhere', () => {
    const { repo, first, second } = pairAfter(sample?.way ?? []);
    const before = withoutCatalog(repo.store);
    const pointer = repo.git('rev-parse', `refs/sessions/${second}`);
    const session = command.ownSessions ? [] : ['--session', first];
    const line = ['-C', repo.dir, '--quiet', ...session, ...lineFor(first)];
    const ran = run(['--json', ...line], { cwd: folder(), now: NOON, input: sample?.input, own });
    if (!command.mutates) expect(withoutCatalog(repo.store)).toEqual(before);
    if (sample?.protocol) return expect(ran).toMatchObject({ code: 2, stdout: expect.stringContaining('no --json') });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    if (sample?.passes) expect(ran.stdout).toBe(sample.input);
    else expect(ran.stdout).toMatch(/^\{"ok":true,"result":[^\n]*\}\n$/);
    if (sample?.session) expect(JSON.parse(ran.stdout)).toMatchObject({ result: { session_id: first } });
    if (!sample?.last) expect(repo.git('rev-parse', `refs/sessions/${second}`)).toBe(pointer);
  });
});

describe('the session to work on', () => {
  test.each(commands.filter(({ ownSessions }) => ownSessions).map(({ name }) => name))(
    'is none that one could name for ctx %s, which changes nothing then',
    (name) => {
      const { repo, first } = pairAfter([]);
      const before = fingerprint(repo.store);
      for (const line of [
        ['--session', first, ...(SAMPLES[name] as Sample).line],
        [...(SAMPLES[name] as Sample).line, '--session', first],
      ])
        expect(repo.refused(line)).toMatchObject({
          exit: 2,
          code: 'usage',
          message: `ctx ${name} takes no --session: each conversation has a session of its own.`,
          hint: 'Leave it out. To continue one of those sessions: ctx switch <id>',
        });
      expect(fingerprint(repo.store)).toEqual(before);
    },
  );

  let pair: Pair;
  beforeAll(() => {
    pair = pairAfter([]);
  });
  const active = (args: string[], env?: Record<string, string>): string =>
    pair.repo.json<ActiveStatus>(['--quiet', ...args, 'stage', 'status'], { env }).session_id;

  test('is the current one, unless CTX_SESSION or --session name another; --session wins', () => {
    const { first, second } = pair;
    expect(active([])).toBe(second);
    expect(active([], { CTX_SESSION: first })).toBe(first);
    expect(active([], { CTX_SESSION: '' })).toBe(second);
    expect(active(['--session', second], { CTX_SESSION: first })).toBe(second);
  });

  test('may be shortened to a piece that only one begins or ends with, of four characters or more', () => {
    const { repo, first } = pair;
    expect(active(['--session', first.slice(0, 30)])).toBe(first);
    expect(active(['--session', first.slice(-6)])).toBe(first);
    const short = repo.refused(['--quiet', '--session', first.slice(0, 3), 'stage', 'status']);
    expect(short).toMatchObject({ exit: 1, code: 'not_found' });
    // Ids of one minute begin alike; a minute may end between two of them, so these are made up.
    const made = ['01234567-0000-7000-8000-000000000001', '01234567-0000-7000-8000-000000000002'];
    const several = repo.copy();
    for (const id of made) {
      const queue = [id];
      const ids = (): string => queue.shift() ?? randomUUID();
      // The lock takes the first id.
      queue.unshift(randomUUID());
      startSession(openRepository({ directory: several.dir, ids }), 'x', { beside: true });
    }
    const both = several.refused(['--quiet', '--session', '01234567-0000', 'stage', 'status']);
    expect(both).toMatchObject({ exit: 1, code: 'ambiguous', message: expect.stringContaining('2 open sessions') });
    for (const id of made) expect(both.hint).toContain(`${id.slice(-6)}  x`);
  });

  test('that is not open is not found, also for what only adds a record', () => {
    for (const line of [
      ['stage', 'status'],
      ['observe', 'note', 'x'],
      ['stage', 'flush'],
      ['stage', 'compact'],
    ]) {
      expect(pair.repo.refused(['--quiet', '--session', '01234567-no-such', ...line])).toMatchObject({
        exit: 1,
        code: 'not_found',
        message: 'There is no open session 01234567-no-such.',
        hint: 'See the open sessions with: ctx list --open',
      });
    }
  });

  test('is worked on without becoming the current one', () => {
    const repo = pair.repo.copy();
    repo.run(['--session', pair.first, 'observe', 'note', 'For the first', '--flush']);
    const listed = repo.json<ListedSession[]>(['--quiet', 'stage', 'list']);
    expect(listed.map(({ session_id, step, current }) => [session_id, step, current])).toEqual([
      [pair.second, 1, true],
      [pair.first, 2, false],
    ]);
    expect(repo.run(['--session', pair.first, 'stage', 'compact'])).toMatchObject({ code: 0 });
    expect(repo.json<ActiveStatus>(['--quiet', 'stage', 'status']).session_id).toBe(pair.second);
  });
});

describe('the store to work on', () => {
  test('is the nearest .ctx upwards from where one is, or from -C', () => {
    const { dir, json } = repository();
    mkdirSync(join(dir, 'a/b'), { recursive: true });
    json(['stage', 'start', 'Outer']);
    run(['init', 'a'], { cwd: dir });
    expect(run(['stage', 'start', 'Inner'], { cwd: join(dir, 'a/b') })).toMatchObject({ code: 0 });
    const task = (args: string[], cwd: string): string =>
      (JSON.parse(run(['--json', ...args, 'stage', 'status'], { cwd }).stdout) as { result: ActiveStatus }).result
        .task_description;
    expect(task([], dir)).toBe('Outer');
    expect(task([], join(dir, 'a/b'))).toBe('Inner');
    expect(task(['-C', '..'], join(dir, 'a'))).toBe('Outer');
  });

  test.each([
    ['is not there', 'nowhere'],
    ['is a file', 'file'],
    ['lies in a file', 'file/x'],
  ])('is not looked for upwards from a -C that %s', (_words, name) => {
    const { dir, store, json } = repository();
    json(['stage', 'start', 'Outer']);
    write(join(dir, 'file'), '');
    const before = fingerprint(store);
    for (const line of [['stage', 'status'], ['observe', 'note', 'x'], ['init'], ['doctor']])
      expect(refused(['-C', name, ...line], { cwd: dir })).toMatchObject({
        exit: 1,
        code: 'not_found',
        message: `There is no folder ${name}.`,
      });
    expect(fingerprint(store)).toEqual(before);
    const hook = run(['-C', name, 'hook', 'claude-code'], { cwd: dir, input: '{}' });
    expect(hook).toMatchObject({ code: 0, stdout: '' });
  });

  test('is the one that CTX_DIR names, wherever one is; it may have another name', () => {
    const repo = repository();
    repo.run(['stage', 'start', 'Named']);
    const elsewhere = { cwd: folder(), env: { CTX_DIR: repo.store } };
    expect(run(['stage', 'status'], elsewhere).stdout).toContain('Task     Named\n');
    expect(refused(['stage', 'status'], { cwd: repo.dir, env: { CTX_DIR: join(repo.dir, 'gone') } })).toMatchObject({
      exit: 1,
      code: 'not_a_repository',
      message: `There is no ctx store at ${join(repo.dir, 'gone')}.`,
    });
  });
});

describe('the time to record', () => {
  test.for([
    ['1769040000', NOON],
    ['2026-01-22', NOON],
    ['2026-01-22T00:00:00Z', NOON],
    ['2026-01-22T01:00:00+01:00', NOON],
    ['2026-01-22 00:00:00', NOON],
    ['0', 0],
  ] as const)('is what CTX_NOW says: %s', ([CTX_NOW, seconds]) => {
    const repo = repository({ env: { CTX_NOW } });
    repo.run(['stage', 'start', 'x']);
    expect(repo.json<ActiveStatus>(['stage', 'status'])).toMatchObject({ started_at: seconds, idle_secs: 0 });
    expect(repo.git('log', '-1', '--format=%at %ct %ai', '--all', '--author-date-order').split('\n')[0]).toMatch(
      new RegExp(`^${seconds} ${seconds} .* \\+0000$`),
    );
  });

  test.each(['yesterday', '-1', '2026-13-45', '1e9', '176904000000000'])('cannot be %s', (CTX_NOW) => {
    const repo = bare();
    expect(repo.refused(['stage', 'status'], { env: { CTX_NOW } })).toMatchObject({
      exit: 2,
      code: 'usage',
      message: `CTX_NOW is not a time: "${CTX_NOW}"`,
    });
  });

  test('sets no ids: those of two sessions begun at one time are in the order of their making', () => {
    const repo = repository({ now: NOON });
    const ids = ['a', 'b', 'c'].map((task) => repo.json<StartResult>(['stage', 'start', '--beside', task]).session_id);
    expect(ids.toSorted()).toEqual(ids);
  });
});

let shared: Repo | undefined;
function bare(): Repo {
  shared ??= repository();
  return shared;
}

// util-linux's script gives a program a terminal; the one of other systems takes other options.
const hasTerminal = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;

/** Returns the output of a line on a terminal; it must end well, unless it is none. */
function onTerminal(repo: Repo, line: string, env: Record<string, string> = {}): string {
  const { stdout, status } = spawnSync('script', ['-qec', `${process.execPath} ${PROGRAM} ${line}`, '/dev/null'], {
    cwd: repo.dir,
    env: { PATH: process.env['PATH'] ?? '', HOME: repo.dir, TZ: 'UTC', TERM: 'xterm', CTX_PAGER: 'cat', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
  });
  expect(status, stdout).toBe(line.includes('nonsense') ? 2 : 0);
  return stdout.replaceAll('\r\n', '\n');
}

describe.runIf(hasTerminal)('on a terminal', () => {
  const ESC = '\u001b';
  let repo: Repo;
  beforeAll(() => {
    repo = repository({ now: NOON });
    repo.run(['stage', 'start', 'A task']);
    repo.run(['stage', 'compact']);
    repo.run(['stage', 'start', 'Another task']);
  });

  test.each(['stage status', 'log', 'show HEAD', 'stage nonsense'])(
    'ctx %s is coloured, unless one wants none',
    (line) => {
      const plain = onTerminal(repo, `--no-color ${line}`);
      expect(plain).not.toContain(ESC);
      expect(onTerminal(repo, line, { NO_COLOR: '1' })).toBe(plain);
      expect(onTerminal(repo, line, { TERM: 'dumb' })).toBe(plain);
      const coloured = onTerminal(repo, line);
      expect(coloured).toContain(`${ESC}[`);
      expect(coloured.replaceAll(new RegExp(`${ESC}\\[\\d+m`, 'g'), '')).toBe(plain);
    },
  );

  test('JSON is never coloured', () => {
    const told = onTerminal(repo, '--json stage status');
    expect(told).toMatch(/^\{"ok":true[^\n]*\n$/);
    expect(told).not.toContain(ESC);
  });

  test('log, show and diff go through CTX_PAGER, else PAGER; JSON and other commands do not', () => {
    const pager = { CTX_PAGER: "sed 's/^/paged: /'", PAGER: 'false' };
    for (const line of ['log --oneline', 'show HEAD', 'diff HEAD'])
      expect(onTerminal(repo, line, pager)).toMatch(/^paged: /);
    expect(onTerminal(repo, '--json log', pager)).toMatch(/^\{"ok":true/);
    expect(onTerminal(repo, 'stage status', pager)).toMatch(/^Session/);
    const { stdout } = spawnSync('script', ['-qec', `${process.execPath} ${PROGRAM} log --oneline`, '/dev/null'], {
      cwd: repo.dir,
      env: { PATH: process.env['PATH'] ?? '', PAGER: "sed 's/^/other: /'", TERM: 'dumb' },
      encoding: 'utf8',
    });
    expect(stdout).toMatch(/^other: /);
  });

  test('a pager that is left early, or reads nothing, is no error', () => {
    for (const CTX_PAGER of ['head -1', 'true', 'exec 0<&-']) {
      expect(onTerminal(repo, 'show HEAD', { CTX_PAGER })).not.toContain('error');
    }
  });

  test('a pager that is not there does not take the answer with it', () => {
    const plain = onTerminal(repo, '--no-color log --oneline');
    const told = onTerminal(repo, '--no-color log --oneline', { CTX_PAGER: 'no-such-pager-of-ctx' });
    expect(told.endsWith(plain)).toBe(true);
    expect(onTerminal(repo, '--no-color log --oneline', { CTX_PAGER: '' })).toBe(plain);
  });
});
