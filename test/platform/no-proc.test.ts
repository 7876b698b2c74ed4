// A machine without /proc, such as a Mac: what a lock says there, and how it is told from one that a dead process has left.
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { uuidSource } from '../../src/platform/ids.ts';
import { breakLock, takeLock } from '../../src/platform/lock.ts';
import { THIS_MACHINE } from '../../src/platform/machine.ts';
import { errorOf, temporaryFolder } from '../support/store.ts';

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const hidden =
    (call: unknown) =>
    (path: unknown, ...rest: unknown[]) => {
      if (typeof path === 'string' && path.startsWith('/proc/'))
        throw Object.assign(new Error(`no such file ${path}`), { code: 'ENOENT' });
      return (call as (...given: unknown[]) => unknown)(path, ...rest);
    };
  return { ...fs, readFileSync: hidden(fs.readFileSync), readlinkSync: hidden(fs.readlinkSync) };
});

const options = { wait: 0, ids: uuidSource(), durability: { fsync: false } };
const { PATH } = process.env;
afterEach(() => {
  process.env['PATH'] = PATH;
});

/** Puts a `ps` in the place of the machine's: it prints a line, and leaves a mark where it was asked. */
function listing(line: string | null): { asked: () => string } {
  const folder = join(temporaryFolder(), 'bin');
  const mark = join(folder, 'asked');
  mkdirSync(folder);
  const answer = line === null ? 'exit 1' : `echo '${line}'`;
  writeFileSync(join(folder, 'ps'), `#!/bin/sh\necho "$TZ $LC_ALL $*" > '${mark}'\n${answer}\n`, { mode: 0o755 });
  process.env['PATH'] = `${folder}${delimiter}${PATH}`;
  return { asked: () => (existsSync(mark) ? readFileSync(mark, 'utf8') : '') };
}

/** A lock that this process has written, as it would stand there after so many seconds. */
function lastLeftValue(seconds: number): string {
  const path = join(temporaryFolder(), 'LOCK');
  takeLock({ ...options, path });
  const then = Date.now() / 1000 - seconds;
  utimesSync(path, then, then);
  return path;
}

/** The time so many seconds ago as ps prints it. */
function printed(seconds: number): string {
  const [day, date, month, year, time] = new Date(Date.now() - seconds * 1000).toUTCString().split(' ');
  return `Ss   ${day?.slice(0, 3)} ${month} ${date?.replace(/^0/, ' ')} ${time} ${year}`;
}

const DAY = 86_400;

test('writes the holder of a lock without the fields that nothing reports', () => {
  const holder: unknown = JSON.parse(readFileSync(lastLeftValue(0), 'utf8'));
  expect(holder).toMatchObject({ pid: process.pid, host: hostname(), boot: '', namespace: '', started: '' });
});

describe('a lock under whose number something runs', () => {
  test('that started before is held: it is waited for, and not removed when asked', () => {
    const path = lastLeftValue(DAY);
    const { asked } = listing(printed(2 * DAY));
    expect(errorOf(() => takeLock({ ...options, path })).code).toBe('busy');
    expect(errorOf(() => breakLock({ ...options, path })).message).toContain('is alive and holds it');
    expect(asked()).toBe(`UTC C -o stat= -o lstart= -p ${process.pid}\n`);
    expect(readdirSync(join(path, '..'))).toEqual(['LOCK']);
  });

  test('that started later is nobody’s', () => {
    const path = lastLeftValue(2 * DAY);
    listing(printed(DAY));
    takeLock({ ...options, path })();
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });

  test('waits for a holder without details, and removes its lock when asked', () => {
    const path = lastLeftValue(60);
    listing(null);
    vi.spyOn(THIS_MACHINE, 'bootedAt').mockReturnValueOnce(0);
    expect(errorOf(() => takeLock({ ...options, path })).code).toBe('busy');
    expect(breakLock({ ...options, path })).toBe(true);
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });

  test('that was written before the machine started is nobody’s', () => {
    const path = lastLeftValue(60);
    utimesSync(path, 1, 1);
    listing(null);
    takeLock({ ...options, path })();
    expect(existsSync(path)).toBe(false);
  });

  test('that was written just now is held without a look at the process', () => {
    const path = lastLeftValue(0);
    const { asked } = listing(printed(0));
    expect(errorOf(() => takeLock({ ...options, path })).code).toBe('busy');
    expect(errorOf(() => breakLock({ ...options, path })).message).toContain('is alive and holds it');
    expect(asked()).toBe('');
  });
});

test.each<[string, string | null, unknown]>([
  ['runs', 'R+   Thu Sep 17 18:24:52 2026', { ended: false, startedAt: Date.UTC(2026, 8, 17, 18, 24, 52) }],
  ['has ended', 'Z    Mon Sep  7 08:04:02 2026    ', { ended: true, startedAt: Date.UTC(2026, 8, 7, 8, 4, 2) }],
  ['is not there', null, undefined],
  ['is told of in another way', 'S 18:24', undefined],
])('reads the output of ps for a process that %s', (_words, line, told) => {
  listing(line);
  expect(THIS_MACHINE.listed(1)).toEqual(told);
});

test.runIf(existsSync('/bin/ps') || existsSync('/usr/bin/ps'))('reads this process from the machine’s own ps', () => {
  const { TZ } = process.env;
  process.env['TZ'] = 'Asia/Tokyo';
  try {
    const { ended, startedAt = 0 } = THIS_MACHINE.listed(process.pid) ?? {};
    expect(ended).toBe(false);
    // To the hour: what is proved is that it was read in the zone in which it was printed.
    expect(Math.round((Date.now() - process.uptime() * 1000 - startedAt) / 3_600_000)).toBe(0);
  } finally {
    if (TZ === undefined) delete process.env['TZ'];
    else process.env['TZ'] = TZ;
  }
});
