// The lock of a store: a dead process's is broken, a living one's never is. Waits are short: through the library.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { finishObserving } from '../../src/cli/commands/observe.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import type { App } from '../../src/cli/frame/command.ts';
import { CtxError, flushStep, observeNote, openRepository, sessionStatus, startSession } from '../../src/index.ts';
import { secondLockOf } from '../../src/platform/lock.ts';
import { fingerprint, fsck, type Repo, session, write } from '../support/cli.ts';
import { startChild } from '../support/store.ts';

const holders: ChildProcess[] = [];
afterEach(async () => {
  for (const holder of holders.splice(0)) await kill(holder);
});

/** Ends a process as nothing can catch. */
async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'close');
  child.kill('SIGKILL');
  await gone;
}

/** Takes a lock, says so, and holds it until it is killed. */
const HOLD = `ctx.takeLock({ path: words[0], wait: 0, ids: ctx.uuidSource(), durability: { fsync: false } });
  process.stdout.write('held');
  setInterval(() => undefined, 1_000_000);`;

/** Starts another process that takes the lock and holds it. */
async function hold(path: string): Promise<ChildProcess> {
  const child = await startChild(HOLD, [path]);
  holders.push(child);
  await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
  return child;
}

let sound: Repo;
beforeAll(() => {
  sound = session();
  sound.run(['observe', 'note', 'waits']);
});

/** A store in which LOCK is held by a process that lives, and what that LOCK says. */
async function held(): Promise<{ repo: Repo; child: ChildProcess; lock: string; text: string }> {
  const repo = sound.copy();
  const lock = join(repo.store, 'LOCK');
  const child = await hold(lock);
  return { repo, child, lock, text: readFileSync(lock, 'utf8') };
}

/** Returns the error of a flush that waits no longer than this. */
function refusal(repo: Repo, lockWait = 120): CtxError {
  try {
    flushStep(openRepository({ directory: repo.dir, lockWait }));
  } catch (error) {
    if (error instanceof CtxError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('a lock that is held by a process that lives', () => {
  test('keeps what is observed all the same, and says not to observe it again', async () => {
    const { repo, child } = await held();
    const repository = openRepository({ directory: repo.dir, lockWait: 120 });
    const observed = observeNote(repository, 'said once');
    const app = { repository: () => repository } as unknown as App;
    const hint =
      'Kept 1 record all the same: do not observe it again. If no ctx is running there: ctx fsck --break-lock. ' +
      'Then make the step with: ctx flush';
    await expect(finishObserving(app, observed, true)).rejects.toMatchObject({
      code: 'busy',
      hint,
      data: { ...observed, holder: { pid: child.pid } },
    });
    await kill(child);
    expect(repo.run(['stage', 'flush'])).toMatchObject({ code: 0 });
    expect(repo.run(['git', 'show', 'STAGE:step.jsonl']).stdout.split('"said once"')).toHaveLength(2);
  });

  test('as a full disk does, without a word of running it again', async () => {
    const full = new CtxError('io', 'Cannot write x: ENOSPC', {
      hint: 'The disk is full: make room and run the command again; nothing was half-written.',
    });
    const app = {
      repository: () => {
        throw full;
      },
    } as unknown as App;
    await expect(finishObserving(app, { session_id: 's', records: ['r'] }, true)).rejects.toMatchObject({
      hint: 'Kept 1 record all the same: do not observe it again. The disk is full: make room. Then make the step with: ctx flush',
    });
  });

  test('is waited for, then left alone: busy, exit code 4, naming who holds it', async () => {
    const { repo, child, lock, text } = await held();
    const before = fingerprint(repo.store);
    const error = refusal(repo);
    expect(error).toMatchObject({
      code: 'busy',
      message: `The store is busy: process ${child.pid} on ${hostname()} holds its lock (waited 0 s).`,
      data: { holder: { pid: child.pid, host: hostname() } },
    });
    expect(error.hint).toContain('ctx fsck --break-lock');
    expect(EXIT[error.code]).toBe(4);
    expect(readFileSync(lock, 'utf8')).toBe(text);
    expect(fingerprint(repo.store)).toEqual(before);
    expect(() => startSession(openRepository({ directory: repo.dir, lockWait: 0 }), 'x')).toThrow('The store is busy');
  });

  test('keeps nobody from reading or observing', async () => {
    const { repo } = await held();
    const repository = openRepository({ directory: repo.dir, lockWait: 0 });
    observeNote(repository, 'also waits');
    expect(sessionStatus(repository)).toMatchObject({ pending_observations: 2 });
    for (const line of [['stage', 'status'], ['observe', 'note', 'x'], ['log'], ['show', 'STAGE'], ['stage', 'list']]) {
      expect(repo.run(line)).toMatchObject({ code: 0, stderr: '' });
    }
    expect(repo.run(['stage', 'status']).stdout).toContain('3 records');
  });

  test('is broken as soon as that process is killed', async () => {
    const { repo, child, lock } = await held();
    expect(refusal(repo, 0).code).toBe('busy');
    await kill(child);
    expect(existsSync(lock)).toBe(true);
    expect(repo.run(['stage', 'flush'])).toMatchObject({ code: 0, stdout: expect.stringContaining('1 record') });
    expect(existsSync(lock)).toBe(false);
    fsck(repo.dir);
  });

  test('says who holds it: all that is needed to tell whether that one still lives', async () => {
    const { child, text } = await held();
    const holder = JSON.parse(text) as Record<string, unknown>;
    expect(Object.keys(holder).toSorted()).toEqual(['boot', 'host', 'namespace', 'nonce', 'pid', 'started']);
    expect(holder).toMatchObject({ pid: child.pid, host: hostname() });
  });

  test('is not removed by ctx fsck --break-lock: its holder is alive', async () => {
    const { repo, lock } = await held();
    expect(repo.run(['fsck', '--break-lock'])).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringContaining('is alive and holds it'),
    });
    expect(existsSync(lock)).toBe(true);
  });
});

test('a lock of another machine is removed by ctx fsck --break-lock, since the user says so', async () => {
  const { repo, lock, text } = await held();
  write(lock, JSON.stringify({ ...(JSON.parse(text) as object), host: 'elsewhere', boot: 'another' }));
  expect(repo.run(['fsck', '--break-lock'])).toMatchObject({ code: 0, stdout: 'Removed LOCK.\nThe store is whole.\n' });
  expect(existsSync(lock)).toBe(false);
  expect(repo.run(['stage', 'flush'])).toMatchObject({ code: 0 });
});

describe('a lock whose file says something else', () => {
  type Change = (holder: Record<string, unknown>) => unknown;
  const linux = process.platform === 'linux';

  test.for<[what: string, change: Change, broken: boolean]>([
    ['nothing', () => '', true],
    ['no JSON', () => 'mine!', false],
    ['another host', (holder) => ({ ...holder, host: 'elsewhere' }), false],
    [
      'another host and a process that is gone',
      (holder) => ({ ...holder, pid: 2 ** 22 + 1, host: 'elsewhere', boot: 'another' }),
      false,
    ],
    ['a process that is gone', (holder) => ({ ...holder, pid: 2 ** 22 + 1 }), true],
    ...(linux
      ? ([
          ['a start of this machine before', (holder) => ({ ...holder, boot: 'another' }), true],
          [
            'a process that is gone, from before the machine got another name',
            (holder) => ({ ...holder, pid: 2 ** 22 + 1, host: 'before' }),
            true,
          ],
          ['a process that got its number later', (holder) => ({ ...holder, started: '1' }), true],
          [
            'a process that is gone in another namespace',
            (holder) => ({ ...holder, pid: 2 ** 22 + 1, namespace: 'pid:[1]' }),
            false,
          ],
        ] satisfies [string, Change, boolean][])
      : []),
  ])('%s', async ([, change, broken]) => {
    const { repo, lock, text } = await held();
    const changed = change(JSON.parse(text) as Record<string, unknown>);
    write(lock, typeof changed === 'string' ? changed : JSON.stringify(changed));
    if (broken) {
      expect(flushStep(openRepository({ directory: repo.dir, lockWait: 500 }))).toMatchObject({ committed: true });
      expect(existsSync(lock)).toBe(false);
    } else {
      expect(refusal(repo).code).toBe('busy');
      expect(existsSync(lock)).toBe(true);
    }
  });

  test('a lock that was being broken by a process that is gone is broken all the same', async () => {
    const { repo, child, lock, text } = await held();
    const second = secondLockOf(lock, lock, text);
    write(second, text);
    await kill(child);
    expect(flushStep(openRepository({ directory: repo.dir, lockWait: 500 }))).toMatchObject({ committed: true });
    expect(existsSync(second)).toBe(false);
  });
});

test('a command that was refused has let the lock go', () => {
  const repo = sound.copy();
  expect(repo.run(['stage', 'confirm']).code).toBe(1);
  expect(repo.run(['stage', 'flush']).code).toBe(0);
  expect(Object.keys(fingerprint(repo.store)).filter((name) => /lock/i.test(name))).toEqual([]);
});
