// Reading ahead in threads: who is read when, and that nothing is lost where a thread cannot.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  type QueuedTranscript,
  ReadAhead,
  type ReadingThreads,
  type ReadTranscript,
} from '../../src/app/intake/ahead.ts';
import { temporaryFolder } from '../support/store.ts';

/** Threads that are done with an order when the test says so. */
class Hands {
  readonly begun: string[] = [];
  readonly #finish = new Map<string, (read: ReadTranscript | null) => void>();
  idle: number;
  ended = false;

  constructor(count: number) {
    this.idle = count;
  }

  threads(): ReadingThreads {
    const hands = this;
    return {
      get idle() {
        return hands.idle;
      },
      order: ({ file }) => {
        hands.idle -= 1;
        hands.begun.push(file);
        return new Promise((resolve) => hands.#finish.set(file, resolve));
      },
      end: async () => {
        hands.ended = true;
      },
    };
  }

  /** @param result what was read; null where it could not be */
  finish(file: string, result: ReadTranscript | null = read(file)): void {
    this.idle += 1;
    this.#finish.get(file)?.(result);
  }
}

/** Returns the result for a transcript that was read. */
const read = (file: string): ReadTranscript => ({ unreadable: [file] }) as unknown as ReadTranscript;

const one = (file: string | null, behind = -1): QueuedTranscript => ({
  behind,
  order: () => (file === null ? null : { store: '', directory: '', file, agent: '', from: undefined }),
});

test('threads read what comes next while the first is waited for, and answers come in order', async () => {
  const hands = new Hands(2);
  const ahead = new ReadAhead(
    () => hands.threads(),
    ['a', 'b', 'c', 'd'].map((file) => one(file)),
  );
  const first = ahead.take(0);
  expect(hands.begun).toEqual(['a', 'b']);
  hands.finish('b');
  hands.finish('a');
  expect(await first).toEqual(read('a'));
  expect(hands.begun).toEqual(['a', 'b', 'c', 'd']);
  expect(await ahead.take(1)).toEqual(read('b'));
  await ahead.end();
  expect(hands.ended).toBe(true);
});

test('what has to wait for one before it is read when that is through, others before', async () => {
  const hands = new Hands(2);
  const ahead = new ReadAhead(() => hands.threads(), [one('parent'), one('child', 0), one('next'), one('last')]);
  const parent = ahead.take(0);
  expect(hands.begun).toEqual(['parent', 'next']);
  hands.finish('parent');
  expect(await parent).toEqual(read('parent'));
  // Its pointers are moved only now.
  expect(hands.begun).toEqual(['parent', 'next', 'last']);
  const child = ahead.take(1);
  expect(hands.begun).not.toContain('child');
  hands.finish('last');
  await Promise.resolve().then(() => undefined);
  await expect.poll(() => hands.begun).toContain('child');
  hands.finish('child');
  expect(await child).toEqual(read('child'));
  hands.finish('next');
  expect(await ahead.take(2)).toEqual(read('next'));
  expect(await ahead.take(3)).toEqual(read('last'));
});

test('what is not for a thread, or could not be read by one, is read by who asks', async () => {
  const hands = new Hands(1);
  const ahead = new ReadAhead(() => hands.threads(), [one(null), one('fails'), one('fine')]);
  expect(await ahead.take(0)).toBeNull();
  const fails = ahead.take(1);
  hands.finish('fails', null);
  expect(await fails).toBeNull();
  const fine = ahead.take(2);
  hands.finish('fine');
  expect(await fine).toEqual(read('fine'));
});

test('without threads, and with nothing to read ahead, everything is read by who asks; none are started in vain', async () => {
  let started = 0;
  const none = (): null => {
    started += 1;
    return null;
  };
  const ahead = new ReadAhead(none, [one(null), one('a'), one('b')]);
  expect(await ahead.take(0)).toBeNull();
  expect(started).toBe(1);
  expect(await ahead.take(1)).toBeNull();
  expect(await ahead.take(2)).toBeNull();
  expect(started).toBe(1);
  const nothing = new ReadAhead(none, [one(null), one(null)]);
  expect([await nothing.take(0), await nothing.take(1)]).toEqual([null, null]);
  const empty = new ReadAhead(none, []);
  expect(await empty.take(0)).toBeNull();
  await empty.end();
  expect(started).toBe(1);
});

test('what was read and is not taken keeps no pack', async () => {
  const kept = ['a.keep', 'b.keep'].map((name) => join(temporaryFolder(), name));
  for (const path of kept) writeFileSync(path, '');
  const hands = new Hands(2);
  const ahead = new ReadAhead(() => hands.threads(), [one('a'), one('b')]);
  const first = ahead.take(0);
  for (const [index, file] of ['a', 'b'].entries())
    hands.finish(file, { work: { kept: [kept[index]] } } as unknown as ReadTranscript);
  await first;
  await ahead.end();
  // Whoever has taken it lets go of it.
  expect(kept.map(existsSync)).toEqual([true, false]);
});

test('no further ahead than a kill may cost', async () => {
  const hands = new Hands(100);
  const ahead = new ReadAhead(
    () => hands.threads(),
    Array.from({ length: 40 }, (_, index) => one(`file ${index}`)),
  );
  const first = ahead.take(0);
  expect(hands.begun).toHaveLength(16);
  hands.finish('file 0');
  await first;
  const second = ahead.take(1);
  expect(hands.begun).toHaveLength(17);
  hands.finish('file 1');
  await second;
});
