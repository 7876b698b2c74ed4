// Chains of deltas: those that Git makes of large contents are read, those that ask for more than any of them are refused.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CONTENT_LIMIT } from '../../src/git/layout.ts';
import { CHAIN_LIMIT, DELTA_LIMIT, DELTAS_LIMIT, RESULTS_LIMIT } from '../../src/git/objects/delta.ts';
import { frame, sha1 } from '../../src/git/objects/loose.ts';
import { openPack, type Pack } from '../../src/git/objects/pack.ts';
import { copying, deltaEntry, deltaHead, inserting, type PackEntry, packOf, wholeEntry } from '../support/packs.ts';
import { errorOf, temporaryFolder } from '../support/store.ts';

function opened(entries: readonly PackEntry[]): Pack {
  const { pack, index } = packOf(entries);
  const path = join(temporaryFolder(), 'made-up.pack');
  writeFileSync(path, pack);
  writeFileSync(path.replace(/pack$/, 'idx'), index);
  return openPack(path);
}

const nameOf = (number: number): string => sha1(Buffer.from(`entry ${number}`));

/** A chain over a content, each delta as given; every object has a name that it cannot earn. */
function chain(content: Buffer, count: number, delta: Buffer, size?: number): Pack {
  const deltas = Array.from({ length: count }, (_, number) =>
    deltaEntry(nameOf(number + 1), nameOf(number), delta, size),
  );
  return opened([wholeEntry(nameOf(0), content), ...deltas]);
}

/** Versions of a text, each a little longer than the one before, all but the first of them deltas; and the last of them. */
function growing(size: number, count: number): { entries: PackEntry[]; oid: string; content: Buffer } {
  let content = Buffer.alloc(size, 'a line of a text that is long and grows\n');
  let oid = sha1(frame('blob', content));
  const entries = [wholeEntry(oid, content)];
  for (let version = 1; version <= count; version += 1) {
    const [at, line] = [(version * 7_919) % size, `version ${version}\n`];
    const next = Buffer.concat([content.subarray(0, at), Buffer.from(line), content.subarray(at)]);
    const parts = [copying(0, at), inserting(line), copying(at, content.length - at)];
    const base = oid;
    oid = sha1(frame('blob', next));
    entries.push(deltaEntry(oid, base, Buffer.concat([deltaHead(content.length, next.length), ...parts])));
    content = next;
  }
  return { entries, oid, content };
}

describe('a chain', () => {
  test.each([
    ['50 deltas, as Git makes now, over 10 MB', 10_000_000, 50],
    ['250 deltas, as git gc --aggressive once made, over 1 MB', 1_000_000, 250],
    ['4,095 deltas, the most that Git makes, over 4 KB', 4_000, 4_095],
  ])('of %s is read', (_words, size, count) => {
    const { entries, oid, content } = growing(size, count);
    const pack = opened(entries);
    expect(pack.read(oid)?.content.equals(content)).toBe(true);
    const checked = [...pack.check(() => true)];
    expect(checked.filter(({ error }) => error !== null)).toEqual([]);
    expect(checked).toHaveLength(count + 1);
    pack.close();
  });

  const zeros = Buffer.alloc(CONTENT_LIMIT);
  const whole = Buffer.concat([deltaHead(CONTENT_LIMIT, CONTENT_LIMIT), copying(0, CONTENT_LIMIT)]);
  const most = RESULTS_LIMIT / CONTENT_LIMIT;
  const nothing = deltaHead(0, 0);
  const NOT_ITS_NAME = 'its content is not what its name says';

  test.each([
    ['as many results as may be', zeros, most, whole, undefined, NOT_ITS_NAME],
    [
      'one more',
      zeros,
      most + 1,
      whole,
      undefined,
      'the deltas on the way to it make more than 4,096 MiB, which ctx does not follow',
    ],
    ['as many deltas as may be', Buffer.alloc(0), CHAIN_LIMIT, nothing, undefined, NOT_ITS_NAME],
    ['one more', Buffer.alloc(0), CHAIN_LIMIT + 1, nothing, undefined, 'its deltas do not end'],
    [
      'a delta that is too large',
      zeros,
      1,
      whole,
      DELTA_LIMIT + 1,
      'a delta on the way to it holds more than 16 MiB, which',
    ],
    [
      'deltas that are too large together',
      zeros,
      DELTAS_LIMIT / DELTA_LIMIT + 1,
      whole,
      DELTA_LIMIT,
      'the deltas on the way to it hold more than 128 MiB, which',
    ],
    [
      'deltas of which a long chain does not say what they make',
      zeros,
      most + 1,
      Buffer.of(0x80),
      undefined,
      'a delta on the way to it does not say what it makes',
    ],
  ])('with %s: %#', (_words, content, count, delta, size, why) => {
    const pack = chain(content, count, delta, size);
    expect(errorOf(() => pack.read(nameOf(count)))).toMatchObject({
      code: 'damaged',
      message: expect.stringContaining(why),
    });
    // In the order of the pack each is made of the one before: the same is refused.
    const last = [...pack.check((oid) => oid === nameOf(count) || oid === nameOf(count - 1))].at(-1);
    expect(last).toMatchObject({ oid: nameOf(count), error: { message: expect.stringContaining(why) } });
    pack.close();
  });
});
