// Packs: those that Git makes of random objects, the same ones damaged, and made-up ones; the right object or damaged.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { CONTENT_LIMIT } from '../../src/git/layout.ts';
import { applyDelta } from '../../src/git/objects/delta.ts';
import { frame, type ObjectType, sha1 } from '../../src/git/objects/loose.ts';
import { openPack } from '../../src/git/objects/pack.ts';
import { fc } from '../support/property.ts';
import { git, makeProject, temporaryFolder } from '../support/store.ts';
import { harms, runs, spoilt, valueOr, within } from './fuzz.ts';

type Contents = Map<string, Buffer>;

/** Reads every object of a pack, opened anew: each is what it must be, or damaged. Tells how many were right. */
function readAll(pack: string, contents: Contents): number {
  const opened = valueOr(['damaged'], () => openPack(pack));
  if (!('value' in opened)) return 0;
  let right = 0;
  try {
    for (const [oid, content] of contents) {
      const read = valueOr(['damaged'], () => within(3_000, () => opened.value.read(oid)));
      if (!('value' in read) || read.value === null) continue;
      expect(read.value.content.equals(content)).toBe(true);
      right += 1;
    }
    for (const prefix of ['00', 'ff', 'ab12']) valueOr(['damaged'], () => opened.value.index.withPrefix(prefix, 10));
  } finally {
    opened.value.close();
  }
  return right;
}

/** A file with lines in it, some of them changed a few times: what Git makes deltas of. */
const versions = fc
  .record({
    lines: fc.array(fc.oneof(fc.string({ maxLength: 60 }), fc.constantFrom('same', 'a longer line of text')), {
      maxLength: 60,
      size: 'max',
    }),
    edits: fc.array(fc.tuple(fc.nat(1_000), fc.string({ maxLength: 20 }), fc.nat(3)), { maxLength: 12, size: 'max' }),
  })
  .map(({ lines, edits }) => {
    const texts = [lines.join('\n')];
    for (const [at, text, drop] of edits) {
      lines.splice(at % (lines.length + 1), drop, text, `${text} more`);
      texts.push(lines.join('\n'));
    }
    return texts.map((text) => Buffer.from(text));
  });
const packing = fc.record({
  files: fc.array(versions, { minLength: 1, maxLength: 4 }),
  words: fc.subarray([
    '--delta-base-offset',
    '--depth=250',
    '--window=50',
    '--compression=0',
    '--index-version=2,0x40',
  ]),
});

/** Git packs some contents; gives the pack. */
function packedByGit(contents: Contents, words: readonly string[]): string {
  const { store, repository } = makeProject();
  for (const content of contents.values()) repository.objects.write('blob', content);
  const base = join(store, 'objects', 'pack', 'pack');
  const name = git(store, ['pack-objects', '-q', ...words, base], [...contents.keys()].join('\n')).trim();
  return `${base}-${name}.pack`;
}

const named = (contents: readonly Buffer[], type: ObjectType = 'blob'): Contents =>
  new Map(contents.map((content) => [sha1(frame(type, content)), content]));

describe('a pack of Git', () => {
  test('holds what was put into it; damaged, nothing else', () => {
    let [right, lost] = [0, 0];
    const damage = fc.array(fc.tuple(fc.boolean(), harms), { minLength: 25, maxLength: 25 });
    fc.assert(
      fc.property(packing, damage, ({ files, words }, all) => {
        const contents = named(files.flat());
        const pack = packedByGit(contents, words);
        const index = pack.replace(/\.pack$/, '.idx');
        expect(readAll(pack, contents)).toBe(contents.size);
        const copy = join(temporaryFolder(), 'copy.pack');
        const whole = { pack: readFileSync(pack), index: readFileSync(index) };
        for (const [inPack, harm] of all) {
          writeFileSync(copy, inPack ? spoilt(whole.pack, harm) : whole.pack);
          writeFileSync(copy.replace(/pack$/, 'idx'), inPack ? whole.index : spoilt(whole.index, harm));
          const read = readAll(copy, contents);
          right += read;
          lost += contents.size - read;
        }
      }),
      runs(30),
    );
    expect(right).toBeGreaterThan(1_000);
    expect(lost).toBeGreaterThan(1_000);
  });
});

/** One entry of a pack that nobody would make; a base is the number of an entry, or how far back it lies. */
interface Entry {
  kind: number;
  /** Length that the entry tells, where it is not that of its bytes. */
  size: number | null;
  base: number;
  bytes: Buffer;
}

/** Writes a pack and its index; every entry has the id that its bytes would have as a blob, but for what `names` says. */
function writePack(entries: readonly Entry[], names: readonly string[]): string {
  const parts: Buffer[] = [Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1')];
  const offsets: number[] = [];
  for (const { kind, size, base, bytes } of entries) {
    const at = parts.reduce((sum, part) => sum + part.length, 0);
    offsets.push(at);
    let left = size ?? bytes.length;
    const head = [(kind << 4) | (left & 15)];
    for (left = Math.floor(left / 16); left > 0; left = Math.floor(left / 128)) {
      head[head.length - 1] = (head.at(-1) as number) | 0x80;
      head.push(left & 0x7f);
    }
    parts.push(Buffer.from(head));
    if (kind === 6) parts.push(Buffer.of((at - (offsets[base % offsets.length] as number)) & 0x7f));
    if (kind === 7) parts.push(Buffer.from(names[base % names.length] ?? '', 'hex'));
    parts.push(zlib.deflateSync(bytes, { level: 9 }));
  }
  const pack = join(temporaryFolder(), 'made-up.pack');
  writeFileSync(pack, Buffer.concat([...parts, Buffer.alloc(20)]));
  const sorted = entries.map((_, index) => [names[index] as string, offsets[index] as number] as const).sort();
  const words = Buffer.alloc(4 * (256 + sorted.length * 2));
  for (let byte = 0; byte < 256; byte += 1)
    words.writeUInt32BE(sorted.filter(([oid]) => Number.parseInt(oid.slice(0, 2), 16) <= byte).length, byte * 4);
  for (const [index, [, offset]] of sorted.entries()) words.writeUInt32BE(offset, 4 * (256 + sorted.length + index));
  const oids = Buffer.from(sorted.map(([oid]) => oid).join(''), 'hex');
  const index = [Buffer.from('ff744f6300000002', 'hex'), words.subarray(0, 1024), oids, words.subarray(1024)];
  const whole = Buffer.concat([...index, Buffer.alloc(20)]);
  writeFileSync(pack.replace(/pack$/, 'idx'), Buffer.concat([whole, Buffer.from(sha1(whole), 'hex')]));
  return pack;
}

const nameOf = (number: number): string => sha1(Buffer.from(`entry ${number}`));

describe('a made-up pack', () => {
  test('of any entries, on any bases: right or damaged', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array)),
      fc.constantFrom(Buffer.of(3, 3, 0x90, 3), Buffer.of(0, 0), Buffer.of(3, 6, 3, 0x61, 0x62, 0x63, 0x90, 3)),
    );
    const size = fc.option(fc.constantFrom(0, 1, 3, 64, CONTENT_LIMIT, CONTENT_LIMIT + 1, 2 ** 40, 2 ** 52), {
      freq: 3,
    });
    const entry = fc.record({ kind: fc.oneof(fc.nat(7), fc.constantFrom(3, 6, 7)), size, base: fc.nat(9), bytes });
    let right = 0;
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 8 }), (entries) => {
        // Whole blobs have their own names, everything else one that it cannot earn.
        const own = entries.map((item, number) => (item.kind === 3 ? sha1(frame('blob', item.bytes)) : nameOf(number)));
        const contents = new Map(own.map((oid, number) => [oid, entries[number]?.bytes as Buffer]));
        right += readAll(writePack(entries, own), contents);
      }),
      runs(400),
    );
    expect(right).toBeGreaterThan(100);
  });

  test('whose deltas go round in a ring is damaged, and takes no more memory than one of them', () => {
    const size = 4 * 1024 * 1024;
    const ring = [1, 2, 0].map((base) => ({ kind: 7, size: null, base, bytes: Buffer.alloc(size) }));
    const pack = openPack(writePack(ring, [nameOf(0), nameOf(1), nameOf(2)]));
    const before = process.memoryUsage().rss;
    const read = valueOr(['damaged'], () => within(5_000, () => pack.read(nameOf(0))));
    pack.close();
    expect('error' in read && read.error.message).toContain('its deltas do not end');
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  });

  test('whose last entry is cut off within the name of its base is damaged', () => {
    const contents = named([Buffer.from('abc')]);
    const [oid] = contents.keys();
    const delta = { kind: 7, size: null, base: 0, bytes: Buffer.of(3, 3, 0x90, 3) };
    const pack = writePack(
      [{ kind: 3, size: null, base: 0, bytes: Buffer.from('abc') }, delta],
      [oid as string, nameOf(1)],
    );
    const whole = readFileSync(pack);
    for (let length = whole.length; length >= 0; length -= 1) {
      writeFileSync(pack, whole.subarray(0, length));
      readAll(pack, new Map([...contents, [nameOf(1), Buffer.from('abc')]]));
    }
  });
});

describe('a delta', () => {
  /** A piece of the result: bytes of the base, or new ones. */
  const part = fc.oneof(
    fc.constantFrom({ from: 0, count: 0xffff }, { from: 7, count: 0x10000 }),
    fc.tuple(fc.nat(100_000), fc.integer({ min: 1, max: 70_000 })).map(([from, count]) => ({ from, count })),
    fc.uint8Array({ minLength: 1, maxLength: 127 }).map((bytes) => ({ bytes: Buffer.from(bytes) })),
  );
  const repeated = fc
    .tuple(fc.uint8Array({ minLength: 1, maxLength: 50 }), fc.integer({ min: 1, max: 2_000 }))
    .map(([bytes, count]) => Buffer.concat(Array.from({ length: count }, () => bytes)));
  const base = fc.oneof(repeated, fc.constant(Buffer.alloc(70_000, 'a long base ')));

  const varint = (number: number): number[] =>
    number < 128 ? [number] : [(number & 0x7f) | 0x80, ...varint(Math.floor(number / 128))];

  /** Encodes parts as Git does, bytes that are zero left out; gives the delta and its result. */
  function encoded(from: Buffer, parts: readonly ({ from: number; count: number } | { bytes: Buffer })[]) {
    const codes: Buffer[] = [];
    const results: Buffer[] = [];
    for (const item of parts) {
      if ('bytes' in item) {
        codes.push(Buffer.of(item.bytes.length), item.bytes);
        results.push(item.bytes);
        continue;
      }
      const start = item.from % from.length;
      const count = Math.min(item.count, from.length - start, 0x10000);
      const operands = [0, 8, 16, 24]
        .map((bits) => (start >>> bits) & 255)
        .concat([count & 255, (count >> 8) & 255, 0]);
      const code = operands.reduce((bits, operand, index) => bits | (operand > 0 ? 1 << index : 0), 0x80);
      codes.push(Buffer.from([code, ...operands.filter((operand) => operand > 0)]));
      results.push(from.subarray(start, start + count));
    }
    const result = Buffer.concat(results);
    return {
      delta: Buffer.concat([Buffer.from([...varint(from.length), ...varint(result.length)]), ...codes]),
      result,
    };
  }

  test('gives what it says; damaged, something of the length that it says, or nothing', () => {
    let kept = 0;
    fc.assert(
      fc.property(base, fc.array(part, { maxLength: 8 }), harms, (from, parts, harm) => {
        const { delta, result } = encoded(from, parts);
        expect(applyDelta(from, delta, 'x').equals(result)).toBe(true);
        const spoiltResult = valueOr(['damaged'], () =>
          within(2_000, () => applyDelta(from, spoilt(delta, harm), 'x')),
        );
        if ('value' in spoiltResult) kept += 1;
      }),
      runs(1_000),
    );
    expect(kept).toBeGreaterThan(50);
  });
});
