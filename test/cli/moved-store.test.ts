// A store that is moved away, removed or replaced while a command works: nothing is acknowledged, and no other store grows in its place.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { checkOpened, type Repository } from '../../src/app/open.ts';
import { pendingKeeper } from '../../src/history/pending/pending.ts';
import { transact } from '../../src/history/transaction.ts';
import { CtxError, initRepository, observeNote, openRepository, startSession } from '../../src/index.ts';
import { uuidSource } from '../../src/platform/ids.ts';
import { takeLock } from '../../src/platform/lock.ts';
import { fingerprint, fsck, PROGRAM, type Repo, type Result, session } from '../support/cli.ts';
import { TRANSCRIPT } from '../support/samples.ts';

const AGENT_SESSION = 'cf025957-25dd-4cd1-a343-74009c7c6d63';

const payload = (repo: Repo, event: Record<string, string>): string =>
  JSON.stringify({ session_id: AGENT_SESSION, transcript_path: '', cwd: repo.dir, ...event });

/** Commands that wait for LOCK. */
const COMMANDS: [name: string, words: string[], input?: (repo: Repo) => string][] = [
  ['stage flush', ['stage', 'flush']],
  ['stage done', ['stage', 'done', 'Added it.']],
  ['stage start', ['stage', 'start', 'Another task']],
  ['message', ['message', 'Looks good, thanks!']],
  ['observe --flush', ['observe', 'note', 'kept nowhere', '--flush']],
  ['ingest', ['ingest', 'transcript.jsonl']],
  ['gc', ['gc']],
  [
    'a prompt of a hook',
    ['hook', 'claude-code'],
    (repo) => payload(repo, { hook_event_name: 'UserPromptSubmit', prompt: 'And a test, please' }),
  ],
  [
    'the end of a turn of a hook',
    ['hook', 'claude-code'],
    (repo) => payload(repo, { hook_event_name: 'Stop', last_assistant_message: 'Done.' }),
  ],
];

/** Harms to the store, and the things that may be in its place then. */
const HARMS: [name: string, harm: (repo: Repo, away: string) => void][] = [
  ['moved away', (repo, away) => renameSync(repo.store, away)],
  [
    'replaced by another store',
    (repo, away) => {
      const other = session('Of somebody else').store;
      renameSync(repo.store, away);
      cpSync(other, repo.store, { recursive: true });
    },
  ],
  [
    'replaced by an empty folder',
    (repo, away) => {
      renameSync(repo.store, away);
      mkdirSync(repo.store);
    },
  ],
];

/** Runs a command on a store whose LOCK is held, harms the store while the command waits, and lets go. */
async function harmedWhileWaiting(
  repo: Repo,
  words: string[],
  input: string | undefined,
  harm: () => void,
): Promise<Result> {
  const lock = join(repo.store, 'LOCK');
  takeLock({ path: lock, wait: 0, ids: uuidSource(), durability: { fsync: false } });
  const running = repo.start(words, { input });
  let ended = false;
  void running.then(() => {
    ended = true;
  });
  // Whoever waits for a lock has a complete copy of his own beside it.
  const waits = (): boolean => readdirSync(repo.store).some((name) => /^LOCK\..*\.tmp$/.test(name));
  while (!waits() && !ended) await pause(5);
  expect(ended, 'it waits for the lock').toBe(false);
  harm();
  return running;
}

const inPlace = (repo: Repo): Record<string, string> | null =>
  existsSync(repo.store) ? fingerprint(repo.store) : null;

describe.each(HARMS)('a store that is %s while a command waits for its lock', (_name, harm) => {
  test.each(COMMANDS)('is not written to by %s, which says so', async (_command, words, input) => {
    const repo = session();
    repo.write('transcript.jsonl', TRANSCRIPT);
    repo.run(['observe', 'note', 'waits']);
    if (input)
      repo.run(['hook', 'claude-code'], {
        input: payload(repo, { hook_event_name: 'UserPromptSubmit', prompt: 'Add retry with backoff' }),
      });
    const away = join(repo.dir, 'away');
    let before: Record<string, string> | null = null;
    const result = await harmedWhileWaiting(repo, words, input?.(repo), () => {
      harm(repo, away);
      before = inPlace(repo);
    });
    expect(inPlace(repo)).toEqual(before);
    expect(result.stderr).toContain(`The store at ${repo.store} was moved away, removed or replaced`);
    // A hook never stops its agent.
    expect(result.code).toBe(words[0] === 'hook' ? 0 : 1);
    rmSync(repo.store, { recursive: true, force: true });
    renameSync(away, repo.store);
    expect(repo.run(['stage', 'status', '--json']).stdout).toContain('"ok":true');
    rmSync(join(repo.store, 'LOCK'));
    fsck(repo.dir);
  });
});

describe('a store that is moved away between two steps of a command', () => {
  const refused = (work: () => unknown): CtxError => {
    try {
      work();
    } catch (error) {
      if (error instanceof CtxError) return error;
      throw error;
    }
    throw new Error('it was not refused');
  };
  const opened = (): { repo: Repo; store: Repository; away: string } => {
    const repo = session();
    return { repo, store: openRepository({ directory: repo.dir }), away: join(repo.dir, 'away') };
  };

  test('takes no record and no object of one, and no folder of it is made', () => {
    const { repo, store, away } = opened();
    const keeper = pendingKeeper(store, openRepository({ directory: repo.dir }).session ?? 'a'.repeat(12));
    renameSync(repo.store, away);
    expect(refused(() => observeNote(store, 'kept nowhere'))).toMatchObject({
      code: expect.stringMatching(/not_a_repository|no_active_session/),
    });
    expect(refused(() => keeper.write('blob', Buffer.from('kept nowhere'))).code).toBe('not_a_repository');
    expect(existsSync(repo.store)).toBe(false);
  });

  test('lets no change of it be acknowledged', () => {
    const { repo, store, away } = opened();
    const change = (): void =>
      transact(store, { command: 'test', message: 'test' }, () => renameSync(repo.store, away));
    expect(refused(change).code).toBe('not_a_repository');
    expect(existsSync(repo.store)).toBe(false);
    fsckAway(repo, away);
  });

  test('moves no pointer of the store that is in its place by then', () => {
    const { repo, store, away } = opened();
    const other = session('Of somebody else');
    const head = openRepository({ directory: other.dir }).refs.read('refs/heads/main');
    const replace = (): void => {
      renameSync(repo.store, away);
      cpSync(other.store, repo.store, { recursive: true });
    };
    const before = fingerprint(other.store);
    const change = (): void =>
      transact(store, { command: 'test', message: 'test' }, (transaction) => {
        replace();
        transaction.move('refs/heads/main', head, 'f'.repeat(40));
      });
    expect(refused(change).code).toBe('not_a_repository');
    expect(fingerprint(repo.store)).toEqual(before);
  });

  test('can be made again by init alone, also in the same process', () => {
    const { repo, store, away } = opened();
    renameSync(repo.store, away);
    expect(refused(() => checkOpened(store)).code).toBe('not_a_repository');
    const { repository: fresh } = initRepository({ directory: repo.dir });
    expect(startSession(fresh, 'Begins again').session_id).toBeTruthy();
    fsck(repo.dir);
  });

  const fsckAway = (repo: Repo, away: string): void => {
    renameSync(away, repo.store);
    fsck(repo.dir);
  };
});

/** Preload: says when standard input is read. */
const TELLS = `const fs = require('node:fs'); const { readSync } = fs;
fs.readSync = (handle, ...rest) => { if (handle === 0) fs.writeSync(2, 'reads\\n'); return readSync(handle, ...rest); };`;

test('a command that waits for its input says that the store was moved away meanwhile', async () => {
  const repo = session();
  const words = ['-r', repo.write('tells.cjs', TELLS), PROGRAM, 'observe', 'note', '-'];
  const child = spawn(process.execPath, words, { cwd: repo.dir, stdio: 'pipe' });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  while (!said.stderr.includes('reads')) await once(child.stderr, 'data');
  renameSync(repo.store, join(repo.dir, 'away'));
  child.stdin.end('kept nowhere');
  const [code] = await once(child, 'close');
  expect(code).toBe(1);
  expect(said.stdout).toBe('');
  expect(said.stderr).toContain('was moved away, removed or replaced');
  expect(existsSync(repo.store)).toBe(false);
});
