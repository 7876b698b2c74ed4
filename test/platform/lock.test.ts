// The lock: one holder at a time, between real processes, and broken only when the holder is surely gone.
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { uuidSource } from '../../src/platform/ids.ts';
import { breakLock, secondLockOf, takeLock } from '../../src/platform/lock.ts';
import { ended, errorOf, said, startChild, temporaryFolder } from '../support/store.ts';

const durability = { fsync: false };
const place = (): string => join(temporaryFolder(), 'LOCK');
const take = (path: string, wait = 10_000): (() => void) => takeLock({ path, wait, ids: uuidSource(), durability });
const holderOf = (path: string): Record<string, unknown> => JSON.parse(readFileSync(path, 'utf8'));

/** A process that takes the lock, says so, and keeps it until its input ends. */
const HOLD = `
  const release = ctx.takeLock({ path: words[0], wait: 10000, ids: ctx.uuidSource(), durability: { fsync: false } });
  console.log('held');
  process.stdin.resume().on('end', () => { release(); process.exit(0); });
`;

/** A holder as it would be written, of this very process, with some of it changed. */
function holder(change: Record<string, unknown> = {}): string {
  const path = place();
  const release = take(path);
  const own = holderOf(path);
  release();
  return `${JSON.stringify({ ...own, ...change })}\n`;
}

/** A process id that belongs to nobody any more. */
async function deadPid(): Promise<number> {
  const child = await startChild('');
  await ended(child);
  return child.pid as number;
}

describe('what is written', () => {
  test('who holds it; nothing else is left in the folder, and nothing at all afterwards', () => {
    const path = place();
    const release = take(path);
    expect(holderOf(path)).toEqual({
      pid: process.pid,
      host: hostname(),
      boot: expect.any(String),
      namespace: expect.any(String),
      started: expect.any(String),
      nonce: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(readdirSync(join(path, '..'))).toEqual(['LOCK']);
    release();
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });

  test('a lock that somebody else has meanwhile is not released', () => {
    const path = place();
    const release = take(path);
    const other = holder();
    writeFileSync(path, other);
    release();
    expect(readFileSync(path, 'utf8')).toBe(other);
  });

  test('releasing twice is harmless, and does not touch the next holder', () => {
    const path = place();
    const release = take(path);
    release();
    const next = take(path);
    release();
    expect(existsSync(path)).toBe(true);
    next();
    expect(existsSync(path)).toBe(false);
  });
});

describe('between processes', () => {
  /** Counts in a file, and fails where another process is inside at the same time. */
  const count = (leave: string): string => `
    const fs = require('node:fs');
    const [lock, counter, rounds] = words;
    const ids = ctx.uuidSource();
    for (let round = 0; round < Number(rounds); round += 1) {
      const release = ctx.takeLock({ path: lock, wait: 60000, ids, durability: { fsync: false } });
      fs.closeSync(fs.openSync(counter + '.inside', 'wx'));
      fs.writeFileSync(counter, String(Number(fs.readFileSync(counter, 'utf8')) + 1));
      fs.unlinkSync(counter + '.inside');
      ${leave};
    }
  `;

  const noLinks =
    "require('node:fs').linkSync = () => { throw Object.assign(new Error('no links'), { code: 'EPERM' }); };";
  const torn = 'fs.truncateSync(lock, round % 2 === 0 ? 0 : 40); fs.utimesSync(lock, 1, 1)';

  test.each([
    ['released', 'release()', ''],
    // As a process leaves it that died: whoever comes next has to break it, and all of them try to.
    ['left behind empty', "fs.writeFileSync(lock, '')", ''],
    ['released, without hard links', 'release()', noLinks],
    ['left behind torn and old, without hard links', torn, noLinks],
  ])('never are two inside; %s', async (_words, leave, before) => {
    const path = place();
    const counter = join(temporaryFolder(), 'counter');
    writeFileSync(counter, '0');
    const children = await Promise.all(
      [1, 2, 3, 4].map(() => startChild(before + count(leave), [path, counter, '25'])),
    );
    const results = await Promise.all(children.map(ended));
    expect(results.map(({ code, err }) => `${code} ${err}`)).toEqual(['0 ', '0 ', '0 ', '0 ']);
    expect(readFileSync(counter, 'utf8')).toBe('100');
    expect(readdirSync(join(path, '..')).filter((name) => name !== 'LOCK')).toEqual([]);
  });

  test('a holder that was killed is no holder', async () => {
    const path = place();
    const child = await startChild(HOLD, [path]);
    await said(child, 'held');
    expect(holderOf(path)['pid']).toBe(child.pid);
    const end = ended(child);
    child.kill('SIGKILL');
    await end;
    expect(existsSync(path)).toBe(true);
    const release = take(path, 5_000);
    expect(holderOf(path)['pid']).toBe(process.pid);
    release();
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });

  test('a process without time left still breaks a lock that is stale by then', async () => {
    const path = place();
    for (const left of [holder({ pid: await deadPid() }), '', '{"pid":12']) {
      writeFileSync(path, left);
      utimesSync(path, 1, 1);
      take(path, 0)();
      expect(existsSync(path)).toBe(false);
    }
  });

  test.each(['running', 'stopped'])('a holder that is %s is waited for, and named', async (state) => {
    const path = place();
    const child = await startChild(HOLD, [path]);
    await said(child, 'held');
    const end = ended(child);
    if (state === 'stopped') child.kill('SIGSTOP');
    try {
      const before = readFileSync(path, 'utf8');
      const started = performance.now();
      const error = errorOf(() => take(path, 300));
      expect(performance.now() - started).toBeGreaterThanOrEqual(300);
      expect(error.code).toBe('busy');
      expect(error.message).toContain(`process ${child.pid} on ${hostname()} holds its lock`);
      expect(error.data).toMatchObject({ holder: { pid: child.pid } });
      expect(error.hint).toContain('Run the command again');
      expect(readFileSync(path, 'utf8')).toBe(before);
      expect(readdirSync(join(path, '..'))).toEqual(['LOCK']);
    } finally {
      child.kill('SIGCONT');
      child.stdin?.end();
      expect((await end).code).toBe(0);
    }
    expect(existsSync(path)).toBe(false);
  });

  test('a process that waits gets the lock when it is released', async () => {
    const path = place();
    const release = take(path);
    const child = await startChild(HOLD, [path]);
    const end = ended(child);
    const held = said(child, 'held');
    // It has made its temporary file, so it is waiting.
    while (readdirSync(join(path, '..')).length < 2) await new Promise(setImmediate);
    release();
    await held;
    expect(holderOf(path)['pid']).toBe(child.pid);
    child.stdin?.end();
    await end;
  });
});

describe('what a lock file may say', () => {
  /** Checks if it is taken over at once. */
  const isBroken = (text: string): boolean => {
    const path = place();
    writeFileSync(path, text);
    try {
      take(path, 30)();
      return true;
    } catch {
      expect(readFileSync(path, 'utf8')).toBe(text);
      return false;
    }
  };

  test('nothing: its writer died', () => {
    expect(isBroken('')).toBe(true);
    expect(isBroken(' \n')).toBe(true);
  });

  test('a process that is gone', async () => {
    const pid = await deadPid();
    expect(isBroken(holder({ pid }))).toBe(true);
    // On another host nobody can tell, nor in another PID namespace.
    expect(isBroken(holder({ pid, host: 'elsewhere', boot: 'another' }))).toBe(false);
    expect(isBroken(holder({ pid, namespace: 'pid:[1]' }))).toBe(false);
  });

  test('a process that lives', () => {
    expect(isBroken(holder())).toBe(false);
    // One that we may not signal lives too.
    expect(isBroken(holder({ pid: 1, started: '' }))).toBe(false);
  });

  test.runIf(process.platform === 'linux')(
    'a number that another process has now, or a machine that was started again',
    () => {
      expect(isBroken(holder({ started: '1' }))).toBe(true);
      expect(isBroken(holder({ boot: 'another' }))).toBe(true);
      expect(isBroken(holder({ boot: 'another', host: 'elsewhere' }))).toBe(false);
      expect(isBroken(holder({ boot: '' }))).toBe(false);
    },
  );

  test.runIf(process.platform === 'linux')('a machine that has got another name since', async () => {
    expect(isBroken(holder({ pid: await deadPid(), host: 'before' }))).toBe(true);
    expect(isBroken(holder({ host: 'before' }))).toBe(false);
  });

  test.each(['garbage', '{', 'null', '{"pid":"1"}', '{"pid":1}', '[]'])(
    '%s: kept, since nobody knows whose it is',
    (text) => {
      const path = place();
      writeFileSync(path, text);
      const error = errorOf(() => take(path, 30));
      expect(error.code).toBe('busy');
      expect(error.message).toContain('a process that did not say who it is');
      expect(readFileSync(path, 'utf8')).toBe(text);
    },
  );
});

describe('the second lock, under which the first is broken', () => {
  test('is respected while its holder lives', () => {
    const path = place();
    writeFileSync(path, '');
    writeFileSync(secondLockOf(path, path, ''), holder());
    expect(errorOf(() => take(path, 100)).code).toBe('busy');
    expect(readFileSync(path, 'utf8')).toBe('');
  });

  test('is taken away when its holder died', async () => {
    const path = place();
    writeFileSync(path, '');
    writeFileSync(secondLockOf(path, path, ''), holder({ pid: await deadPid() }));
    take(path, 5_000)();
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });

  /** Writes a lock and the second locks of breakers who died one after the other; gives where the next one would stand. */
  const deaths = async (path: string, count: number): Promise<{ place: string; last: string }> => {
    let place = path;
    let last = '';
    for (let left = count; left >= 0; left -= 1) {
      last = holder({ pid: await deadPid(), nonce: `${left}` });
      writeFileSync(place, last);
      place = secondLockOf(path, place, last);
    }
    return { place, last };
  };

  test.each([1, 2, 5])('%i breakers have died, each while it took the place of another', async (count) => {
    const path = place();
    await deaths(path, count);
    expect(readdirSync(join(path, '..'))).toHaveLength(count + 1);
    take(path, 5_000)();
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });

  test('an heir that lives is respected, and so is what the lock says by then', async () => {
    const path = place();
    const { place: heir } = await deaths(path, 2);
    writeFileSync(heir, holder());
    const before = readFileSync(path, 'utf8');
    expect(errorOf(() => take(path, 100)).code).toBe('busy');
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  test('what a breaker left who died after the lock was gone is in nobody’s way', async () => {
    const path = place();
    await deaths(path, 1);
    writeFileSync(path, holder({ pid: await deadPid(), nonce: 'another' }));
    take(path, 5_000)();
    expect(existsSync(path)).toBe(false);
  });
});

describe('a lock of which a person says that nobody has it', () => {
  type Break = Parameters<typeof breakLock>[0];
  const breaking = (path: string, more: Partial<Break> = {}): boolean =>
    breakLock({ path, wait: 100, ids: uuidSource(), durability, ...more });
  const namesBeside = (path: string): string[] => readdirSync(join(path, '..'));
  /** A holder of whom nothing can be told here. */
  const stranger = (): string => holder({ host: 'elsewhere', boot: 'another' });

  test.each<[string, () => string | Promise<string>]>([
    ['of another machine', stranger],
    ['of a process that is gone', async () => holder({ pid: await deadPid() })],
    ['that says nothing', () => ''],
    ['that says something else', () => 'mine!'],
  ])('%s goes, and nothing is left beside it', async (_words, said) => {
    const path = place();
    writeFileSync(path, await said());
    expect(breaking(path)).toBe(true);
    expect(namesBeside(path)).toEqual([]);
    expect(breaking(path)).toBe(false);
  });

  test('stays where its holder surely runs', () => {
    const path = place();
    const release = take(path);
    expect(errorOf(() => breaking(path))).toMatchObject({
      code: 'busy',
      message: `LOCK was not removed: process ${process.pid} on ${hostname()} is alive and holds it.`,
    });
    release();
    expect(namesBeside(path)).toEqual([]);
  });

  test('stays where another has broken and taken it since it was looked at', async () => {
    const path = place();
    writeFileSync(path, holder({ pid: await deadPid() }));
    let other: (() => void) | undefined;
    // The first question to the system if its holder runs: what is known from here on is old.
    const asked = vi.spyOn(process, 'kill').mockImplementationOnce(() => {
      other = take(path, 0);
      throw Object.assign(new Error('no such process'), { code: 'ESRCH' });
    });
    try {
      expect(errorOf(() => breaking(path)).message).toContain(`process ${process.pid} on ${hostname()} is alive`);
    } finally {
      asked.mockRestore();
    }
    expect(holderOf(path)['pid']).toBe(process.pid);
    other?.();
    expect(namesBeside(path)).toEqual([]);
  });

  test('is broken by nobody else meanwhile', () => {
    const path = place();
    writeFileSync(path, '');
    const seen: string[] = [];
    const beforeBreak = (): void => {
      seen.push(errorOf(() => take(path, 0)).code, errorOf(() => breaking(path, { wait: 0 })).code);
    };
    expect(breaking(path, { beforeBreak })).toBe(true);
    expect(seen).toEqual(['busy', 'busy']);
  });

  test('goes where others have died while they broke it', async () => {
    const path = place();
    const text = stranger();
    writeFileSync(path, text);
    writeFileSync(secondLockOf(path, path, text), holder({ pid: await deadPid() }));
    expect(breaking(path)).toBe(true);
    expect(namesBeside(path)).toEqual([]);
  });
});

test('a folder that is absent is made; one that is no folder is an error of its own', () => {
  const path = join(temporaryFolder(), 'a', 'b', 'LOCK');
  const release = take(path);
  expect(existsSync(path)).toBe(true);
  release();
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  expect(errorOf(() => take(join(file, 'LOCK'))).code).toBe('io');
});
