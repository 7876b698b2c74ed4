// Our own zlib streams and loose objects, held to the machine's zlib: the same bytes, or both refuse.
import zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { storedStream } from '../../src/core/stored-stream.ts';
import { inflateStream, ZlibStreamError } from '../../src/core/zlib-stream.ts';
import { decodeLoose, frame, sha1 } from '../../src/git/objects/loose.ts';
import { fc } from '../support/property.ts';
import { harms, runs, spoilt, valueOr, within } from './fuzz.ts';

const LIMIT = 1_000_000;

function ours(stream: Buffer): { content: Buffer; used: number } | null {
  try {
    return inflateStream(stream, LIMIT);
  } catch (error) {
    if (error instanceof ZlibStreamError) return null;
    throw error;
  }
}

function theirs(stream: Buffer): { content: Buffer; used: number } | null {
  try {
    const options = { maxOutputLength: LIMIT, info: true };
    const read = zlib.inflateSync(stream, options) as unknown as { buffer: Buffer; engine: zlib.Inflate };
    return { content: read.buffer, used: read.engine.bytesWritten };
  } catch {
    return null;
  }
}

/** Both give the same, or both nothing; tells which. */
function agree(stream: Buffer): boolean {
  const [own, machine] = [within(2_000, () => ours(stream)), theirs(stream)];
  const same = own === null ? machine === null : machine?.content.equals(own.content) && machine.used === own.used;
  if (!same)
    expect.fail(`${stream.toString('hex')}: ours ${own ? 'reads' : 'refuses'}, zlib ${machine ? 'reads' : 'refuses'}`);
  return own !== null;
}

const { Z_DEFAULT_STRATEGY, Z_FILTERED, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE } = zlib.constants;
const { Z_FULL_FLUSH, Z_SYNC_FLUSH } = zlib.constants;
const how = fc.record({
  level: fc.integer({ min: 0, max: 9 }),
  strategy: fc.constantFrom(Z_DEFAULT_STRATEGY, Z_FILTERED, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE),
  memLevel: fc.integer({ min: 1, max: 9 }),
  windowBits: fc.integer({ min: 9, max: 15 }),
});
const piece = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc.tuple(fc.string({ maxLength: 12 }), fc.nat(400)).map(([text, count]) => Buffer.from(text.repeat(count))),
);
const flush = fc.constantFrom(Z_SYNC_FLUSH, Z_FULL_FLUSH);

/** Deflates pieces, each ended as zlib can end one: a stream of many blocks, of every kind. */
function manyBlocks(pieces: readonly (readonly [Buffer, number])[], options: zlib.ZlibOptions): Buffer {
  const parts = pieces.map(([bytes, ending]) => zlib.deflateRawSync(bytes, { ...options, finishFlush: ending }));
  const whole = Buffer.concat(pieces.map(([bytes]) => bytes));
  const check = storedStream(whole.subarray(0, 0xffff)).subarray(-4);
  return Buffer.concat([Buffer.of(0x78, 0x9c), ...parts, Buffer.of(0x03, 0x00), check]);
}

/** Writes bits, lowest first, and codes, highest bit first. */
class Writer {
  readonly bits: number[] = [];

  put(value: number, count: number): void {
    for (let bit = 0; bit < count; bit += 1) this.bits.push((value >> bit) & 1);
  }

  code(codes: Map<number, string>, symbol: number): void {
    for (const bit of codes.get(symbol) ?? '1') this.bits.push(Number(bit));
  }

  bytes(): Buffer {
    const bytes = Buffer.alloc(Math.ceil(this.bits.length / 8));
    for (const [at, bit] of this.bits.entries()) bytes[at >> 3] = (bytes[at >> 3] as number) | (bit << (at & 7));
    return bytes;
  }
}

/** The canonical code of some lengths, by symbol. */
function codesOf(lengths: readonly number[]): Map<number, string> {
  const codes = new Map<number, string>();
  let code = 0;
  for (let length = 1; length < 16; length += 1, code *= 2) {
    for (const [symbol, own] of lengths.entries()) {
      if (own !== length) continue;
      codes.set(symbol, (code % 2 ** length).toString(2).padStart(length, '0'));
      code += 1;
    }
  }
  return codes;
}

/** Lengths of a code that is whole, too full, or has gaps: halves of halves, and then some changed. */
const codeLengths = (symbols: number, first: readonly number[]) =>
  fc
    .record({
      splits: fc.array(fc.nat(10_000), { maxLength: 24 }),
      more: fc.uniqueArray(fc.nat(symbols - 1), { minLength: 26, maxLength: 26 }),
      changes: fc.array(fc.tuple(fc.nat(symbols - 1), fc.integer({ min: 0, max: 15 })), { maxLength: 2 }),
      changed: fc.integer({ min: 0, max: 2 }),
    })
    .map(({ splits, more, changes, changed }) => {
      const places = [...new Set([...first, ...more])];
      const leaves = [0];
      for (const split of splits) {
        const at = split % leaves.length;
        const length = (leaves[at] as number) + 1;
        if (length < 15) leaves.splice(at, 1, length, length);
      }
      const lengths = new Array<number>(symbols).fill(0);
      for (const [index, length] of leaves.entries()) lengths[places[index] as number] = length;
      if (changed === 0) for (const [place, length] of changes) lengths[place] = length;
      return lengths;
    });

const block = fc.record({
  literals: codeLengths(286, [256]),
  distances: codeLengths(30, [0, 1, 2, 5]),
  ofLengths: fc.option(fc.tuple(fc.nat(18), fc.nat(7)), { freq: 10 }),
  symbols: fc.array(fc.nat(10_000), { maxLength: 30 }),
});

type Block = typeof block extends fc.Arbitrary<infer Value> ? Value : never;

/** A stream of one block with codes of its own, and the checksum of what stands in it. */
function crafted(given: Block): Buffer {
  const { literals } = given;
  const out = new Writer();
  out.put(0b101, 3);
  out.put(literals.length - 257, 5);
  out.put(given.distances.length - 1, 5);
  out.put(15, 4);
  // A whole code for the lengths: 13 codes of 4 bits, 6 of 5; one of them changed now and then.
  const own = Array.from({ length: 19 }, (_, symbol): number => (symbol < 13 ? 4 : 5));
  if (given.ofLengths) own[given.ofLengths[0]] = given.ofLengths[1];
  for (const symbol of [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]) out.put(own[symbol] ?? 0, 3);
  const codes = codesOf(own);
  for (const length of [...literals, ...given.distances]) out.code(codes, length);
  const content = putSymbols(out, given.symbols, codesOf(literals), codesOf(given.distances));
  return Buffer.concat([Buffer.of(0x78, 0x9c), out.bytes(), storedStream(Buffer.from(content)).subarray(-4)]);
}

/** Writes symbols that the codes have, and the end; gives what they stand for. */
function putSymbols(
  out: Writer,
  symbols: readonly number[],
  literals: Map<number, string>,
  distances: Map<number, string>,
): number[] {
  const content: number[] = [];
  const [known, far] = [[...literals.keys()].filter((symbol) => symbol !== 256), [...distances.keys()]];
  for (const number of known.length > 0 ? symbols : []) {
    const symbol = known[number % known.length] as number;
    const bits = symbol < 265 || symbol === 285 ? 0 : (symbol - 261) >> 2;
    const base = symbol < 265 ? symbol - 254 : symbol === 285 ? 258 : ((4 + ((symbol - 265) & 3)) << bits) + 3;
    const distance = far[number % Math.max(1, far.length)] ?? 0;
    const back = distance < 4 ? distance + 1 : ((2 + (distance & 1)) << ((distance - 2) >> 1)) + 1;
    if (symbol > 256 && back > content.length && number % 16 > 0) continue;
    out.code(literals, symbol);
    if (symbol < 256) {
      content.push(symbol);
      continue;
    }
    out.put(number, bits);
    out.code(distances, distance);
    out.put(0, distance < 4 ? 0 : (distance - 2) >> 1);
    for (let left = base + (number & ((1 << bits) - 1)); left > 0; left -= 1) content.push(content.at(-back) ?? 0);
  }
  out.code(literals, 256);
  return content;
}

describe('a zlib stream', () => {
  test('of many blocks, deflated by any strategy, and damaged: ours reads what zlib reads, and nothing else', () => {
    const seen = { read: 0, refused: 0 };
    fc.assert(
      fc.property(
        fc.array(fc.tuple(piece, flush), { maxLength: 6 }),
        how,
        fc.option(harms),
        (pieces, options, harm) => {
          const whole = zlib.deflateSync(Buffer.concat(pieces.map(([bytes]) => bytes)), options);
          for (const stream of [whole, manyBlocks(pieces, options)]) {
            if (!harm) expect(agree(stream)).toBe(true);
            else seen[agree(spoilt(stream, harm)) ? 'read' : 'refused'] += 1;
          }
        },
      ),
      runs(1_500),
    );
    expect(seen.refused).toBeGreaterThan(500);
  });

  test('with codes that are whole, too full or have gaps: both take it for the same', () => {
    const seen = { read: 0, refused: 0 };
    fc.assert(
      fc.property(block, (given) => {
        seen[agree(crafted(given)) ? 'read' : 'refused'] += 1;
      }),
      runs(1_500),
    );
    expect(Math.min(seen.read, seen.refused)).toBeGreaterThan(150);
  });
});

describe('a loose object', () => {
  test('with any header, behind a right name: its content, or damaged', () => {
    const seen = { read: 0, refused: 0 };
    const header = fc.oneof(
      fc.constantFrom(
        'blob 3\0',
        'tree 3\0',
        'blob 03\0',
        'blob 4\0',
        'blob -3\0',
        'blob 3',
        'Blob 3\0',
        'blob  3\0',
        '',
      ),
      fc.string({ unit: 'binary', maxLength: 40 }),
    );
    fc.assert(
      fc.property(header, fc.constantFrom('abc', 'ab', ''), how, (words, content, options) => {
        const bytes = Buffer.from(words + content);
        const result = valueOr(['damaged'], () => decodeLoose(zlib.deflateSync(bytes, options), sha1(bytes)));
        const sound = /^(blob|tree|commit|tag) (\d+)\0/.exec(words);
        const right = sound !== null && Number(sound[2]) === bytes.length - sound[0].length;
        expect('value' in result).toBe(right);
        if ('value' in result) expect(result.value.content.equals(bytes.subarray(sound?.[0].length))).toBe(true);
        seen[right ? 'read' : 'refused'] += 1;
      }),
      runs(400),
    );
    expect(seen.read).toBeGreaterThan(10);
  });

  test('damaged in any way: as it was, or damaged; never another', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 4 }), how, harms, fc.boolean(), (pieces, options, harm, inside) => {
        const content = Buffer.concat(pieces);
        const framed = frame('blob', content);
        const whole = zlib.deflateSync(inside ? spoilt(framed, harm) : framed, options);
        const file = inside ? whole : spoilt(whole, harm);
        const result = valueOr(['damaged'], () => within(2_000, () => decodeLoose(file, sha1(framed))));
        if ('value' in result) expect(result.value.content.equals(content)).toBe(true);
      }),
      runs(1_000),
    );
  });
});
