// The list of tables of a database: its names are read wherever their pages lie, and nothing in a damaged file makes that fail.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tableNames } from '../../src/platform/sqlite-tables.ts';
import { firstPage, interiorPage, type Listed, leafPage } from '../support/sqlite-pages.ts';

const HEADER = 100;
const tables = (...names: string[]): Listed[] => names.map((name) => ['table', name]);

/** The names in a file of these pages. */
function namesIn(...pages: Buffer[]): string[] {
  const file = Buffer.concat(pages);
  return [...tableNames((offset, length) => file.subarray(offset, offset + length))].sort();
}

describe('the names of the tables', () => {
  test('are on the first page', () => {
    expect(namesIn(firstPage(leafPage(tables('session', 'part'), HEADER)))).toEqual(['part', 'session']);
  });

  test('are on pages that the first page leads to, directly or over others', () => {
    const first = firstPage(interiorPage([3, 2], HEADER));
    const pages = [interiorPage([4, 5]), leafPage(tables('a')), leafPage(tables('b')), leafPage(tables('c'))];
    expect(namesIn(first, ...pages)).toEqual(['a', 'b', 'c']);
  });

  test.each([512, 1024, 65_536])('in a file whose pages have %i bytes', (size) => {
    const first = firstPage(interiorPage([2, 3], HEADER, size));
    expect(namesIn(first, leafPage(tables('a'), 0, size), leafPage(tables('b'), 0, size))).toEqual(['a', 'b']);
  });

  test('as they are spelled, up to 64 bytes', () => {
    const names = ['größe', 'x'.repeat(64)];
    expect(namesIn(firstPage(leafPage(tables(...names, 'y'.repeat(65)), HEADER)))).toEqual(names.sort());
  });

  test('are those of tables alone', () => {
    const rows: Listed[] = [['index', 'session_index'], ['view', 'all'], ...tables('part')];
    expect(namesIn(firstPage(leafPage(rows, HEADER)))).toEqual(['part']);
  });
});

describe('of a damaged file', () => {
  test('pages that lead round, nowhere, or to another kind are passed over', () => {
    const first = firstPage(interiorPage([1, 2, 0, 99, 4_294_967_295, 3], HEADER));
    const other = leafPage(tables('other'));
    other.writeUInt8(0x0a, 0);
    expect(namesIn(first, leafPage(tables('a')), other)).toEqual(['a']);
  });

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['its first bytes alone', Buffer.from('SQLite format 3\0')],
    ['no size that pages have', firstPage(leafPage(tables('a'), HEADER)).fill(7, 16, 18)],
    ['half a page', firstPage(leafPage(tables('a'), HEADER)).subarray(0, 2000)],
  ])('with %s in it there are none', (_, file) => {
    expect(namesIn(file)).toEqual([]);
  });

  test('no more than ten thousand rows of a list are read', () => {
    const leaf = leafPage(tables('a', 'b'), 0, 65_536);
    const [first, second] = [leaf.readUInt16BE(8), leaf.readUInt16BE(10)];
    leaf.writeUInt16BE(20_000, 3);
    for (let row = 0; row < 20_000; row += 1) leaf.writeUInt16BE(row < 10_000 ? first : second, 8 + 2 * row);
    expect(namesIn(firstPage(interiorPage([2], HEADER, 65_536)), leaf)).toEqual(['a']);
  });

  test('no more than 256 pages of a list are read', () => {
    let reads = 0;
    tableNames((offset) => {
      reads += 1;
      const next = interiorPage([offset / 512 + 2], offset === 0 ? HEADER : 0, 512);
      return offset === 0 ? firstPage(next) : next;
    });
    expect(reads).toBe(1 + 256);
  });

  test('no bytes make it fail', () => {
    const page = fc.uint8Array({ minLength: 512, maxLength: 512 }).map((bytes) => Buffer.from(bytes));
    fc.assert(
      fc.property(page, fc.array(page, { maxLength: 4 }), fc.constantFrom(0x05, 0x0d), (first, others, kind) => {
        first.writeUInt8(kind, HEADER);
        for (const [index, other] of others.entries()) other.writeUInt8(index % 2 === 0 ? 0x0d : 0x05, 0);
        expect(() => namesIn(firstPage(first), ...others)).not.toThrow();
      }),
    );
  });

  test('are read after a change of any one byte without an error', () => {
    const file = Buffer.concat([firstPage(interiorPage([2, 3], HEADER, 512)), leafPage(tables('a', 'b'), 0, 512)]);
    fc.assert(
      fc.property(fc.nat(file.length - 1), fc.nat(255), (at, byte) => {
        const changed = Buffer.from(file);
        changed.writeUInt8(byte, at);
        expect(() => namesIn(changed)).not.toThrow();
      }),
    );
  });
});
