// The bytes of the catalog: what is written is read back, and what was changed is noticed.
import { describe, expect, test } from 'vitest';
import {
  DeltaColumn,
  deltaColumn,
  fixedColumn,
  lengthCode,
  lengthOf,
  Numbers,
  numberOfThree,
} from '../../src/catalog/bytes/columns.ts';
import { CatalogDamage, memorySource, Sections, SectionWriter } from '../../src/catalog/bytes/sections.ts';
import { ByteReader, ByteWriter } from '../../src/catalog/bytes/varint.ts';
import { compareTerms, Dictionary, DictionaryEncoder } from '../../src/catalog/segment/dictionary.ts';
import { Exchanges, encodeExchanges } from '../../src/catalog/segment/exchanges.ts';
import { decodePostings, PostingsEncoder } from '../../src/catalog/segment/postings.ts';
import { readUsage, type Tokens, UsageTable } from '../../src/catalog/segment/usage-table.ts';
import { decodeManifest, emptyManifest, encodeManifest } from '../../src/catalog/store/manifest.ts';
import { anyText, fc } from '../support/property.ts';

const wellFormed = anyText(12, 1).filter((text) => text.isWellFormed());

/** The bytes of a file of sections. */
function sectionsOf(fill: (writer: SectionWriter) => void): Buffer {
  const pieces: Buffer[] = [];
  const writer = new SectionWriter((bytes) => pieces.push(Buffer.from(bytes)));
  fill(writer);
  writer.end();
  return Buffer.concat(pieces);
}

describe('numbers', () => {
  test('any of them is read back', () => {
    fc.assert(
      fc.property(fc.array(fc.maxSafeNat()), (numbers) => {
        const writer = new ByteWriter(1);
        for (const number of numbers) writer.varint(number);
        const reader = new ByteReader(Buffer.from(writer.written()));
        expect(numbers.map(() => reader.varint())).toEqual(numbers);
        expect(reader.at).toBe(writer.length);
      }),
    );
  });

  test.each([
    [0, 1],
    [127, 1],
    [128, 2],
    [16_383, 2],
    [16_384, 3],
    [2 ** 32, 5],
  ])('%i takes %i bytes', (number, bytes) => {
    const writer = new ByteWriter();
    writer.varint(number);
    expect(writer.length).toBe(bytes);
  });

  test('one that is cut off is refused', () => {
    expect(() => new ByteReader(Buffer.from([0x80])).varint()).toThrow(RangeError);
    expect(() => new ByteReader(Buffer.from([1, 2])).take(3)).toThrow(RangeError);
  });
});

/** Passages with the places of a term in each. */
const places = fc
  .uniqueArray(fc.tuple(fc.nat(100_000), fc.uniqueArray(fc.nat(70_000), { minLength: 1, maxLength: 12 })), {
    selector: ([passage]) => passage,
    maxLength: 40,
  })
  .map((all) =>
    all.map(([passage, found]) => [passage, found.sort((a, b) => a - b)] as const).sort(([a], [b]) => a - b),
  );

function encoded(all: readonly (readonly [number, readonly number[]])[]): { bytes: Buffer; split: number } {
  const encoder = new PostingsEncoder(new ByteWriter(), new ByteWriter());
  for (const [passage, found] of all) encoder.add(passage, found);
  return encoder.end();
}

describe('places of a term', () => {
  test('any of them are read back', () => {
    fc.assert(
      fc.property(places, (all) => {
        const { bytes, split } = encoded(all);
        const read: [number, number[]][] = [];
        decodePostings({ bytes, split }, (passage, count, placesOf) => {
          const found = placesOf();
          expect(found.length).toBe(count);
          read.push([passage, found]);
        });
        expect(read).toEqual(all);
      }),
    );
  });

  test('those of passages that nobody asks about are passed over', () => {
    fc.assert(
      fc.property(places, fc.nat(5), (all, every) => {
        const { bytes, split } = encoded(all);
        const read: number[][] = [];
        let index = 0;
        decodePostings({ bytes, split }, (_passage, _count, placesOf) => {
          if (index % (every + 1) === every) read.push(placesOf());
          index += 1;
        });
        expect(read).toEqual(all.filter((_, at) => at % (every + 1) === every).map(([, found]) => found));
      }),
    );
  });

  test('lists of several segments are put together as if they had been one', () => {
    fc.assert(
      fc.property(fc.array(places, { maxLength: 4 }), (lists) => {
        const encoder = new PostingsEncoder(new ByteWriter(), new ByteWriter());
        const all: (readonly [number, readonly number[]])[] = [];
        for (const [index, list] of lists.entries()) {
          const base = index * 100_001;
          encoder.addList(encoded(list), base);
          all.push(...list.map(([passage, found]) => [passage + base, found] as const));
        }
        expect(encoder.documents).toBe(all.length);
        expect(encoder.end()).toEqual(encoded(all));
      }),
    );
  });

  test('a list with another byte in it is refused, of a short one nearly always', () => {
    const { bytes, split } = encoded([
      [3, [1, 5, 9]],
      [4, [2, 7, 8, 11, 19, 24, 400, 5000]],
      [900, [1]],
    ]);
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ 0x10;
      expect(() => decodePostings({ bytes: changed, split }, () => undefined)).toThrow(CatalogDamage);
    }
  });
});

test('the session and the turn of any message and passage are read back', () => {
  const message = fc.record({ session: fc.nat(3), turn: fc.nat(2), passages: fc.nat(2) });
  fc.assert(
    fc.property(fc.array(message, { minLength: 1, maxLength: 30 }), fc.nat(3), (messages, shift) => {
      const messageOf = new Numbers();
      for (const [index, { passages }] of messages.entries())
        for (let count = 0; count < passages; count += 1) messageOf.push(index);
      const bytes = encodeExchanges({ messages, messageOf });
      const moved = Buffer.concat([Buffer.alloc(shift), bytes]).subarray(shift);
      const exchanges = new Exchanges(moved);
      const entry = (exchange: number) => [exchanges.session(exchange), exchanges.turn(exchange)];
      for (const [index, { session, turn }] of messages.entries())
        expect(entry(exchanges.ofMessage(index))).toEqual([session, turn]);
      for (let passage = 0; passage < messageOf.length; passage += 1) {
        const exchange = exchanges.ofPassage(passage);
        const { session, turn } = messages[messageOf.at(passage)] as { session: number; turn: number };
        expect(entry(exchange)).toEqual([session, turn]);
        expect(exchanges.firstPassage(exchange)).toBeLessThanOrEqual(passage);
        expect(exchanges.firstPassage(exchange + 1)).toBeGreaterThan(passage);
      }
    }),
  );
});

describe('columns', () => {
  const numbers = (values: readonly number[]): Numbers => {
    const column = new Numbers(1);
    for (const value of values) column.push(value);
    return column;
  };

  test('numbers of any size are read back from differences', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(2 ** 31), { maxLength: 700 }), (values) => {
        const column = (): DeltaColumn => new DeltaColumn(deltaColumn(numbers(values)));
        expect([...column().all()]).toEqual(values);
        const own = column();
        for (let index = values.length - 1; index >= 0; index -= 97) expect(own.at(index)).toBe(values[index]);
      }),
    );
  });

  test('numbers of three bytes are read back', () => {
    const values = [0, 1, 255, 256, 65_535, 65_536, 0xff_ffff];
    const bytes = fixedColumn(numbers(values), 3);
    expect(values.map((_, index) => numberOfThree(bytes, index))).toEqual(values);
  });

  test('a length is known to a sixteenth of a power of two, and one that was read is written as it was', () => {
    for (let length = 0; length < 20_000; length += 37) {
      const code = lengthCode(length);
      expect(lengthOf(code)).toBeLessThanOrEqual(length);
      expect(lengthOf(code)).toBeGreaterThan(length / 1.06 - 1);
      expect(lengthCode(lengthOf(code))).toBe(code);
    }
    expect(lengthCode(2 ** 30)).toBe(255);
  });

  test('what models used is read back', () => {
    const tokens = fc.tuple(
      ...Array.from({ length: 5 }, () => fc.integer({ min: -1e9, max: 1e12 })),
    ) as fc.Arbitrary<Tokens>;
    const call = fc.record({
      session: fc.nat(50),
      model: fc.constantFrom('a', 'b', null),
      message: fc.nat({ max: 2 ** 48 - 1 }),
      at: fc.nat(2_000_000_000),
      calls: fc.nat(9),
      tokens,
      cost: fc.option(fc.double({ min: 0, max: 100, noNaN: true })),
    });
    fc.assert(
      fc.property(fc.array(call, { minLength: 1 }), (calls) => {
        const table = new UsageTable();
        for (const one of calls) table.call(one);
        table.turn(3, 2 ** 47, 12);
        const read = readUsage(table.encode());
        expect(calls.map((_, row) => read.callAt(row))).toEqual(calls);
        expect([...read.turns.message, ...read.turns.at]).toEqual([2 ** 47, 12]);
      }),
    );
  });
});

/** A dictionary of some terms. */
function dictionaryOf(terms: readonly string[]): Dictionary {
  const encoder = new DictionaryEncoder();
  for (const [index, term] of [...terms].sort(compareTerms).entries())
    encoder.add({ term, documents: index + 1, offset: index * 7, length: 7, split: 3 });
  const { blocks, index } = encoder.end();
  const bytes = sectionsOf((writer) => {
    writer.addParts('terms', [blocks]);
    writer.add('term-index', index);
  });
  return new Dictionary(new Sections(memorySource(bytes)));
}

describe('terms', () => {
  test('any of them are found, with their lists, and no others', () => {
    fc.assert(
      fc.property(fc.uniqueArray(wellFormed, { maxLength: 400 }), wellFormed, (terms, other) => {
        const dictionary = dictionaryOf(terms);
        const sorted = [...terms].sort(compareTerms);
        expect([...dictionary.from()].map(({ term }) => term)).toEqual(sorted);
        for (const [index, term] of sorted.entries())
          expect(dictionary.find(term)).toEqual({ term, documents: index + 1, offset: index * 7, length: 7, split: 3 });
        expect(dictionary.find(other) !== null).toBe(terms.includes(other));
        expect([...dictionary.from(other)].map(({ term }) => term)).toEqual(
          sorted.filter((term) => compareTerms(term, other) >= 0),
        );
      }),
      { numRuns: 60 },
    );
  });

  test('they are ordered by the bytes of UTF-8, halves of pairs too', () => {
    fc.assert(
      fc.property(wellFormed, wellFormed, (a, b) => {
        expect(Math.sign(compareTerms(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
    );
    expect(compareTerms('\uff5a', '😀')).toBeLessThan(0);
  });
});

describe('sections', () => {
  const bytes = sectionsOf((writer) => {
    writer.add('one', Buffer.from('the first'));
    writer.addParts('two', [Buffer.from('the '), Buffer.from('second')]);
    writer.add('empty', Buffer.alloc(0));
  });

  test('each is read back, whole or in part', () => {
    const sections = new Sections(memorySource(bytes));
    expect(sections.whole('one').toString()).toBe('the first');
    expect(sections.part('two', 4, 6).toString()).toBe('second');
    expect(sections.whole('empty').length).toBe(0);
  });

  test('a file that is cut off anywhere is refused', () => {
    for (let length = 0; length < bytes.length; length += 1)
      expect(() => new Sections(memorySource(bytes.subarray(0, length)))).toThrow(CatalogDamage);
  });

  test('another byte in a section, or in the list of sections, is noticed', () => {
    for (let at = 0; at < bytes.length; at += 1) {
      // A reader of a section in parts checks the parts.
      if (at >= 'the first'.length && at < 'the firstthe second'.length) continue;
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ 1;
      expect(() => new Sections(memorySource(changed)).whole('one')).toThrow(CatalogDamage);
    }
  });

  test('one that is not there, or is shorter than asked, is refused', () => {
    const sections = new Sections(memorySource(bytes));
    expect(() => sections.whole('three')).toThrow(CatalogDamage);
    expect(() => sections.part('two', 4, 7)).toThrow(CatalogDamage);
  });
});

test('a manifest is read back, and one that is torn, changed or of another version is not', () => {
  const manifest = { ...emptyManifest(), at: 12, segments: [{ number: 1, bytes: 20, tables: {} }] };
  const text = encodeManifest(manifest);
  expect(decodeManifest(text)).toEqual(manifest);
  for (let length = 0; length < text.length - 1; length += 1) expect(decodeManifest(text.slice(0, length))).toBeNull();
  expect(decodeManifest(text.replace('"at":12', '"at":13'))).toBeNull();
  expect(decodeManifest(encodeManifest({ ...manifest, version: 1 }))).toBeNull();
});
