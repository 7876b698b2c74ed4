// `ctx ingest`, `op log`, `undo`, `fsck`, `gc` and `git` through the command line: each of their options does what it says.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { UndoResult } from '../../src/app/undo/undone.ts';
import { parseConfig } from '../../src/core/config-file.ts';
import { gitCommand } from '../../src/git/git.ts';
import { openRepository } from '../../src/history/store/repository.ts';
import type { ActiveStatus, IngestResult, ListedSession, LogEntry, Shown } from '../../src/index.ts';
import { fingerprint, fsck, git, NOON, type Repo, repository, seen, session, write } from '../support/cli.ts';
import { TRANSCRIPT } from '../support/samples.ts';

const DAY = 86_400;

describe('ingest', () => {
  const ready = (): Repo => {
    const repo = repository({ now: NOON });
    repo.write('transcript.jsonl', TRANSCRIPT);
    return repo;
  };

  test('makes a session of a transcript, once', () => {
    const repo = ready();
    expect(seen(repo.run(['ingest', 'transcript.jsonl']))).toMatchInlineSnapshot(`
      "exit 0
      out| Ingested <short1>: Add a cache
      out|   1 step, 2 messages, 0 tool calls, 2 lines
      out|   PendingComplete: Added. at <oid1>"
    `);
    expect(seen(repo.run(['ingest', 'transcript.jsonl']))).toMatchInlineSnapshot(`
      "exit 0
      out| Nothing new in it: <short1> stays as it is."
    `);
    expect(repo.json<ActiveStatus>(['stage', 'status'])).toMatchObject({
      task_description: 'Add a cache',
      agent: 'claude-code',
      session_state: { kind: 'PendingComplete', summary: 'Added.' },
    });
    fsck(repo.dir);
  });

  test('--agent says whose it is, --task what the task was, --compact saves it at once', () => {
    const repo = ready();
    const line = ['ingest', 'transcript.jsonl', '--agent', 'claude-code', '--task', 'Another name', '--compact'];
    expect(repo.json<IngestResult>(line)).toMatchObject({ agent: 'claude-code', task_description: 'Another name' });
    expect(repo.json<LogEntry[]>(['log'])).toMatchObject([{ task_description: 'Another name' }]);
    expect(repo.refused(['ingest', 'transcript.jsonl', '--agent', 'nobody'])).toMatchObject({ exit: 2, code: 'usage' });
    expect(repo.refused(['ingest', 'gone.jsonl'])).toMatchObject({ exit: 1, code: 'not_found' });
  });

  test('--agent decides if the content does not, and refuses what is of another agent', () => {
    const repo = ready();
    expect(repo.refused(['ingest', 'transcript.jsonl', '--agent', 'gemini'])).toMatchObject({
      exit: 1,
      code: 'invalid_input',
      message: `${join(repo.dir, 'transcript.jsonl')} is of claude-code, not of gemini.`,
      hint: 'Ingest it with --agent claude-code, or without --agent.',
    });
    expect(repo.json<ActiveStatus>(['stage', 'status'])).toMatchObject({ active: false });
    const message = { id: 'u', timestamp: '2026-01-22T00:00:00.000Z', type: 'user', content: 'Add a cache' };
    repo.write('odd.jsonl', `{"type":"system","content":"nobody knows"}\n${JSON.stringify(message)}\n`);
    expect(repo.json<IngestResult>(['ingest', 'odd.jsonl', '--agent', 'gemini'])).toMatchObject({ agent: 'gemini' });
  });

  test('keeps an answer of many kilobytes, in which a session that is done ends', () => {
    const repo = ready();
    const answer = 'A long answer. '.repeat(1000);
    repo.write('transcript.jsonl', TRANSCRIPT.replace('Added.', answer));
    expect(repo.run(['ingest', 'transcript.jsonl', '--compact'])).toMatchObject({ code: 0, stderr: '' });
    expect(repo.json<LogEntry[]>(['log'])).toMatchObject([
      { session_state: { kind: 'PendingComplete', summary: answer.trim() } },
    ]);
  });
});

describe('op log and undo', () => {
  let repo: Repo;
  beforeAll(() => {
    repo = session();
    repo.run(['observe', 'note', 'x', '--flush']);
    repo.run(['stage', 'compact']);
  });

  test('tell what moved which pointer, newest first', () => {
    expect(seen(repo.run(['op', 'log']))).toMatchInlineSnapshot(`
      "exit 0
      out| <id1> 2026-01-22 00:00:00Z stage compact
      out|     refs/heads/main: <oid1> → <oid2>
      out|     refs/archive/<id2>: nothing → <oid3>
      out|     STAGE: refs/sessions/<id2> → nothing
      out|     refs/sessions/<id2>: <oid3> → nothing
      out| <id3> 2026-01-22 00:00:00Z stage start
      out|     refs/sessions/<id2>: nothing → <oid4>
      out|     STAGE: nothing → refs/sessions/<id2>"
    `);
    expect(repo.json<object[]>(['op', 'log', '-n', '1'])).toMatchObject([{ command: 'stage compact' }]);
    expect(repo.json<object[]>(['op', 'log', '--max-count', '0'])).toEqual([]);
    expect(repo.run(['op', 'log', '-n', '0']).stdout).toBe('No operation to show.\n');
    expect(repository().run(['op', 'log']).stdout).toBe('No operation yet.\n');
  });

  test('name one that is torn in its place among the others', () => {
    const torn = repo.copy();
    const [oldest = ''] = readdirSync(join(torn.store, 'oplog')).sort();
    writeFileSync(join(torn.store, 'oplog', oldest), '{"sha1":"0"');
    expect(seen(torn.run(['op', 'log']))).toMatchInlineSnapshot(`
      "exit 5
      out| <id1> 2026-01-22 00:00:00Z stage compact
      out|     refs/heads/main: <oid1> → <oid2>
      out|     refs/archive/<id2>: nothing → <oid3>
      out|     STAGE: refs/sessions/<id2> → nothing
      out|     refs/sessions/<id2>: <oid3> → nothing
      out| damaged oplog/<id3>.json: oplog/<id3>.json is damaged: its checksum does not match
      out|     Nothing was changed. See what can be repaired with: ctx fsck, then: ctx fsck --repair"
    `);
    expect(torn.json<object[]>(['op', 'log'], { exit: 5 })).toMatchObject([
      { command: 'stage compact' },
      { file: `oplog/${oldest}`, damaged: expect.stringContaining('its checksum does not match') },
    ]);
    expect(torn.run(['op', 'log', '-n', '1'])).toEqual(repo.run(['op', 'log', '-n', '1']));
    expect(torn.run(['fsck', '--repair']).code).toBe(0);
    expect(torn.run(['op', 'log'])).toEqual(repo.run(['op', 'log', '-n', '1']));
  });

  test('take it back, and bring it back again', () => {
    const other = repo.copy();
    const saved = other.json<LogEntry[]>(['log']);
    expect(seen(other.run(['undo']))).toMatchInlineSnapshot(`
      "exit 0
      out| Took back stage compact (<id1>)"
    `);
    expect(other.json<LogEntry[]>(['log'])).toEqual([]);
    expect(other.json<ActiveStatus>(['stage', 'status'])).toMatchObject({ session_id: saved[0]?.session_id });
    fsck(other.dir);
    expect(other.run(['undo']).stdout).toMatch(/^Brought back stage compact: .+ \([0-9a-f-]{36}\)\n$/);
    expect(other.json<LogEntry[]>(['log'])).toEqual(saved);
    fsck(other.dir);
    expect(repository().refused(['undo', '99'])).toMatchObject({ exit: 1, code: 'not_found' });
  });

  test('take several back, and bring all of them back, each named', () => {
    const other = repo.copy();
    other.run(['stage', 'start', 'The second task']);
    other.run(['stage', 'start', '--beside', 'The third task']);
    other.run([
      'stage',
      'switch',
      other.json<ListedSession[]>(['stage', 'list']).find(({ current }) => !current)?.session_id ?? '',
    ]);
    other.run(['undo', '4']);
    const again = other.run(['undo']);
    expect(seen(again)).toMatchInlineSnapshot(`
      "exit 0
      out| Brought back stage switch (<id1>)
      out| Brought back stage start: The third task
      out| Brought back stage start: The second task
      out| Brought back stage compact: Add retry with backoff"
    `);
    expect(seen(other.run(['undo']))).toMatchInlineSnapshot(`
      "exit 0
      out| Took back stage switch (<id1>)
      out| Took back stage start: The third task
      out| Took back stage start: The second task
      out| Took back stage compact: Add retry with backoff"
    `);
    other.run(['undo']);
    expect(other.json<ListedSession[]>(['stage', 'list'])).toHaveLength(2);
    expect(other.json<UndoResult>(['undo', '1']).undone).toMatchObject([
      {
        command: 'undo',
        of: { command: 'stage switch', stands: false },
        others: [{ command: 'stage start' }, { command: 'stage start' }, { command: 'stage compact' }],
      },
    ]);
  });
});

describe('fsck', () => {
  test('--full reads every copy: one that is rotten does not hide behind one that is whole', () => {
    const repo = session();
    repo.run(['observe', 'note', 'x', '--flush']);
    repo.git('repack', '-aq');
    const pack = readdirSync(join(repo.store, 'objects', 'pack')).find((name) => name.endsWith('.pack')) as string;
    const path = join(repo.store, 'objects', 'pack', pack);
    const bytes = readFileSync(path);
    bytes[Math.floor(bytes.length / 2)] = (bytes[Math.floor(bytes.length / 2)] as number) ^ 1;
    chmodSync(path, 0o600);
    writeFileSync(path, bytes);
    expect(repo.run(['fsck'])).toMatchObject({ code: 0 });
    expect(repo.run(['fsck', '--full'])).toMatchObject({
      code: 5,
      stdout: expect.stringContaining(`objects/pack/${pack}: its bytes are not those of its checksum`),
    });
  });

  test('finds nothing in a store that is whole, --full or not', () => {
    const repo = session();
    for (const line of [['fsck'], ['fsck', '--full'], ['fsck', '--repair'], ['fsck', '--break-lock']]) {
      expect(repo.run(line)).toEqual({ code: 0, stdout: 'The store is whole.\n', stderr: '' });
    }
  });

  test('names what is damaged with exit code 5, and --repair repairs what can be repaired', () => {
    const repo = session();
    writeFileSync(join(repo.store, 'refs/heads/main'), 'torn');
    expect(repo.run(['fsck'])).toMatchObject({ code: 5, stdout: expect.stringContaining('refs/heads/main') });
    expect(repo.json(['fsck'], { exit: 5 })).toMatchObject({ healthy: false, repaired: [] });
    expect(repo.json(['fsck', '--repair'])).toMatchObject({ healthy: true, findings: [] });
    fsck(repo.dir);
  });

  test('--full reads what nothing names, too', () => {
    const repo = session();
    const lost = repo.git('hash-object', '-w', repo.write('lost.txt', 'x')).trim();
    writeFileSync(join(repo.store, 'objects', lost.slice(0, 2), lost.slice(2)), 'torn', { mode: 0o600 });
    expect(repo.run(['fsck']).code).toBe(0);
    expect(repo.run(['fsck', '--full'])).toMatchObject({ code: 5, stdout: expect.stringContaining(lost) });
  });
});

describe('gc', () => {
  test('--dry-run only reports; without it the store is packed, and says the same as before', () => {
    const repo = session();
    const before = fingerprint(repo.store);
    expect(repo.run(['gc', '--dry-run'])).toMatchObject({ code: 0, stderr: '' });
    expect(fingerprint(repo.store)).toEqual(before);
    const shown = repo.run(['show', 'STAGE', '--steps']);
    expect(repo.json(['gc'])).toMatchObject({ dry_run: false, after: { packs: 1 } });
    expect(repo.run(['show', 'STAGE', '--steps'])).toEqual(shown);
    fsck(repo.dir);
  });

  test.each([
    ['with Git', {}],
    ['without Git', { PATH: '/nowhere' }],
  ])('and every other command works on a store whose packs have indexes of version 1, %s', (_how, env) => {
    const repo = session('Old');
    repo.run(['observe', 'note', 'one secret', '--flush']);
    repo.git('-c', 'pack.indexVersion=1', 'repack', '-adq');
    repo.git('prune-packed', '-q');
    const lines = [
      ...[['stage', 'status'], ['log'], ['du'], ['fsck', '--full'], ['observe', 'note', 'two', '--flush']],
      ...[['stage', 'compact'], ['show', 'HEAD'], ['secrets', 'scan'], ['fsck', '--full', '--repair'], ['gc']],
      ...[['fsck', '--full'], ['forget', '--text', 'secret', '--yes'], ['fsck', '--full'], ['log']],
    ];
    for (const words of lines) {
      const ran = repo.run(words, { env });
      expect(ran, words.join(' ')).toMatchObject({ code: 0 });
    }
    fsck(repo.dir);
  });

  test('--expire-steps squashes the steps of what was saved long ago, and nothing else', () => {
    // The age is computed by the machine's own clock: the session is dated back.
    const repo = session('Old', { now: Math.floor(Date.now() / 1000) - 100 * DAY });
    for (const note of ['one', 'two']) repo.run(['observe', 'note', note, '--flush']);
    repo.run(['stage', 'compact']);
    const [saved] = repo.json<LogEntry[]>(['log']);
    const steps = (): number =>
      repo.json<Shown & { steps: [] }>(['show', `refs/archive/${saved?.session_id}`]).steps.length;
    expect(repo.json(['gc', '--expire-steps', '101d'])).toMatchObject({ expired: [] });
    expect(repo.json(['gc', '--expire-steps', '90d', '--dry-run'])).toMatchObject({
      expired: [{ session_id: saved?.session_id, steps: 3 }],
    });
    expect(steps()).toBe(3);
    expect(repo.run(['gc', '--expire-steps', '90d'])).toMatchObject({ code: 0 });
    expect(steps()).toBe(1);
    expect(repo.json<LogEntry[]>(['log'])).toEqual([saved]);
    fsck(repo.dir);
  });

  test('--expire-steps goes by the clock of the machine: CTX_NOW makes nothing older', () => {
    const repo = session('New', { now: undefined });
    repo.run(['observe', 'note', 'one', '--flush']);
    repo.run(['stage', 'compact']);
    const now = Math.floor(Date.now() / 1000) + 400 * DAY;
    for (const words of [
      ['gc', '--expire-steps', '30d', '--dry-run'],
      ['gc', '--expire-steps', '30d'],
    ])
      expect(repo.json(words, { now })).toMatchObject({ expired: [] });
  });
});

describe('git', () => {
  test('is run on the store, wherever one is, and its exit code is passed on', () => {
    const repo = session();
    const head = git(repo.dir, '--git-dir=.ctx', 'rev-parse', 'STAGE');
    repo.write('deep/x', '');
    expect(repo.run(['git', 'rev-parse', 'STAGE'], { cwd: join(repo.dir, 'deep') })).toEqual({
      code: 0,
      stdout: head,
      stderr: '',
    });
    expect(repo.run(['git', 'rev-parse', '--verify', '--quiet', 'nothing']).code).toBe(1);
  });

  test.each<[option: string, words: string[]]>([
    ['--git-dir', ['--git-dir=other', 'log']],
    ['--git-dir', ['--git-dir', 'other', 'log']],
    ['-C', ['-C', '..', 'log']],
    ['--work-tree', ['--no-pager', '--work-tree=.', 'status']],
    ['-C', ['-c', 'core.abbrev=4', '-C', '..', 'log']],
    ['core.worktree', ['-c', 'core.worktree=..', 'status']],
    ['init', ['--no-pager', 'init', 'elsewhere']],
    ['clone', ['clone', '.', 'elsewhere']],
  ])('is not led away from the store by %s: %j', (option, words) => {
    expect(session().refused(['git', ...words])).toMatchObject({
      exit: 2,
      code: 'usage',
      message: `ctx git works on the store of ctx alone: ${option} is not for it.`,
    });
  });

  test.each([
    [['-c', 'core.abbrev=4', 'rev-parse', '--git-dir']],
    [['--no-pager', 'log', '-C', '-n', '1']],
    [['rev-parse', '--git-dir']],
  ])('takes its other options, and those of its commands: %j', (words) => {
    expect(session().run(['git', ...words])).toMatchObject({ code: 0 });
  });

  test('opens no editor where all that it says goes into one JSON object', () => {
    const repo = session();
    const editor = write(join(repo.dir, 'editor.sh'), `#!/bin/sh\necho opened >'${repo.dir}/OPENED'\n`);
    chmodSync(editor, 0o755);
    const words = ['notes', 'add', 'STAGE'];
    expect(repo.run(['--json', 'git', ...words], { env: { EDITOR: editor } }).stdout).toContain("the editor 'false'");
    expect(existsSync(join(repo.dir, 'OPENED'))).toBe(false);
    repo.run(['git', ...words], { env: { EDITOR: editor } });
    expect(existsSync(join(repo.dir, 'OPENED'))).toBe(true);
  });

  test.each([
    [['reset', '--hard']],
    [['clean', '-fdx']],
    [['checkout', 'main', '--', '.']],
    [['restore', '.']],
    [['add', '.']],
    [['commit', '--allow-empty', '-m', 'wip']],
    [['stash']],
  ])('takes no folder for its work tree, as Git itself does not on the store: %j', (words) => {
    const repo = session();
    repo.write('summary.md', 'mine');
    repo.write('src/a.ts', 'mine too');
    const main = git(repo.dir, '--git-dir=.ctx', 'rev-parse', 'main');
    const { code, stderr } = repo.run(['git', ...words]);
    expect([code, stderr]).toEqual([128, expect.stringContaining('this operation must be run in a work tree')]);
    expect(readdirSync(repo.dir).sort()).toEqual(
      ['.ctx', '.git', 'src', 'summary.md'].filter((name) => existsSync(join(repo.dir, name))),
    );
    expect(readFileSync(join(repo.dir, 'summary.md'), 'utf8')).toBe('mine');
    expect(readFileSync(join(repo.dir, 'src/a.ts'), 'utf8')).toBe('mine too');
    expect(git(repo.dir, '--git-dir=.ctx', 'rev-parse', 'main')).toBe(main);
  });

  test('has no settings of its own to write, least of all in the place of a device', () => {
    const { env } = gitCommand(openRepository({ directory: session().dir }));
    const file = env['GIT_CONFIG_GLOBAL'] as string;
    // Git renames what it has written to that name: no folder may be there to do so in.
    expect(lstatSync(dirname(file)).isDirectory()).toBe(false);
    const ran = spawnSync('git', ['config', '--global', 'user.name', 'me'], { env, encoding: 'utf8' });
    expect([ran.status, ran.stderr]).toEqual([255, expect.stringContaining('could not lock config file')]);
    expect(session().run(['git', 'config', '--get', 'core.bare'])).toMatchObject({ code: 0, stdout: 'true\n' });
  });

  test.each([
    [['config', 'core.fsmonitor', 'x'], 'core.fsmonitor'],
    [['config', 'gc.auto', '5'], 'gc.auto'],
    [['config', '--unset', 'core.repositoryformatversion'], 'core.repositoryformatversion'],
    [['config', '--remove-section', 'gc'], 'gc.auto, gc.pruneexpire, gc.reflogexpire, gc.reflogexpireunreachable'],
    [['config', '--add', 'remote.kept.url', 'ext::sh -c "touch owned"'], 'remote.kept.url'],
    [['config', 'remote.more.url', '/a#b'], 'remote.more.url'],
    [['config', '--add', 'remote.kept.url', 'ext::true'], 'remote.kept.url'],
    [['remote', 'add', 'evil', 'ext::sh'], 'remote.evil.url'],
    [['remote', 'add', '--mirror=fetch', 'all', '/all.git'], 'remote.all.fetch'],
    [['remote', 'set-url', 'kept', 'ext::sh'], 'remote.kept.url'],
    [['config', 'remote.kept.fetch', '+refs/*:refs/*'], 'remote.kept.fetch'],
    [['config', '--add', 'remote.kept.fetch', '+refs/heads/*:refs/sessions/*'], 'remote.kept.fetch'],
  ])('puts right what no store may have in its config: %j', (words, what) => {
    const repo = session();
    repo.run(['git', 'remote', 'add', 'kept', '/kept.git']);
    const config = join(repo.store, 'config');
    const entriesOf = (): unknown =>
      parseConfig(readFileSync(config, 'utf8'))
        .map(({ key, value }) => `${key}=${value}`)
        .sort();
    const before = entriesOf();
    const refused = repo.refused(['git', ...words]);
    expect(refused).toMatchObject({ exit: 1, code: 'unsupported_store' });
    expect(refused.message).toBe(
      `Git has changed ${what} in the config of this store, which no store may have so: that is put right again.`,
    );
    expect(entriesOf()).toEqual(before);
    expect(statSync(config).mode & 0o077).toBe(0);
    expect(repo.run(['fsck'])).toMatchObject({ code: 0 });
  });

  test('adds a remote that mirrors without that', () => {
    const repo = session();
    expect(repo.refused(['git', 'remote', 'add', '--mirror=push', 'backup', '/backup.git'])).toMatchObject({
      message: expect.stringContaining('remote.backup.mirror') as string,
    });
    expect(repo.run(['git', 'remote', '-v']).stdout).toContain('backup\t/backup.git (push)');
  });

  test.each([['--depth', '1'], ['--depth=1'], ['--filter=blob:none'], ['--shallow-since=2020'], ['--deepen=1']])(
    'fetches no part of a history: %s',
    (...words) => {
      const repo = session();
      expect(repo.refused(['git', 'fetch', ...words, '/elsewhere'])).toMatchObject({
        exit: 2,
        message: `A store of ctx has all that it names: ${words[0]} is not for it.`,
      });
    },
  );

  test('is not run where the config of the store could run programs', () => {
    const repo = session();
    writeFileSync(join(repo.store, 'config'), '[core]\n\trepositoryformatversion = 0\n\tpager = touch owned\n');
    expect(repo.refused(['git', 'log'])).toMatchObject({ exit: 1, code: 'unsupported_store' });
    expect(Object.keys(fingerprint(repo.dir))).not.toContain('owned');
  });
});
