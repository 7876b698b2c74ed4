// Contents in pieces come out as the whole does, byte for byte, however they are cut.
import { describe, expect, test } from 'vitest';
import { redactedBytes } from '../../src/secrets/bytes.ts';
import type { RedactionOptions } from '../../src/secrets/options.ts';
import { redactText } from '../../src/secrets/redact.ts';
import { fc } from '../support/property.ts';
import { ALPHABETS, Chance, SAMPLED_RULES, sampleOf } from '../support/secrets-corpus.ts';
import { labelOf, secretText } from '../support/secrets-text.ts';

const whole = (text: string, options?: RedactionOptions): string => redactText(text, options, labelOf).text;

/** Returns the output of a stream that gets chunks of such sizes, in turn, and the most that it held back. */
function inPieces(bytes: Buffer, sizes: readonly number[], options?: RedactionOptions): { out: Buffer; held: number } {
  const stream = redactedBytes(options, labelOf);
  const parts: Buffer[] = [];
  let given = 0;
  let taken = 0;
  let held = 0;
  for (let turn = 0; given < bytes.length; turn++) {
    const chunk = Buffer.from(bytes.subarray(given, given + (sizes[turn % sizes.length] ?? 1)));
    given += chunk.length;
    const out = stream.push(chunk);
    // The giver uses its memory again.
    chunk.fill(0x58);
    parts.push(out);
    taken += out.length;
    held = Math.max(held, given - taken);
  }
  return { out: Buffer.concat([...parts, stream.end()]), held };
}

/** A text of so many characters with secrets here and there. */
function longText(length: number, seed: number): string {
  const chance = new Chance(seed);
  const parts: string[] = [];
  for (let size = 0; size < length; ) {
    const sample = sampleOf(chance.pick(SAMPLED_RULES), chance.below(100), chance).text;
    const filler = Array.from({ length: chance.below(400) }, () =>
      chance.pick(['word ', 'größer ', '😀', 'x = y;\n', '\t', 'path/to ']),
    ).join('');
    parts.push(filler, sample, chance.pick(['\n', ' ', '", "', '\\n']));
    size += filler.length + sample.length;
  }
  return parts.join('');
}

test('short texts, cut anywhere', () => {
  fc.assert(
    fc.property(secretText, fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (text, sizes) => {
      const valid = text.toWellFormed().replaceAll('\0', '');
      expect(inPieces(Buffer.from(valid), sizes).out.toString()).toBe(whole(valid));
    }),
    { numRuns: 500 },
  );
});

test('long texts, cut anywhere, with little held back', () => {
  const options: RedactionOptions = {
    values: ['größer 😀', 'a value with "quotes" #1'],
    own: [{ name: 'own', pattern: '(?<=path/to )(?:word|x) ' }],
    allow: [sampleOf('github-token', 1, new Chance(1)).secret],
  };
  for (const [index, sizes] of [[1], [4096], [65_536], [7, 100_000, 1], [1_000_000], [333, 50_000]].entries()) {
    const text = longText(sizes[0] === 1 ? 300_000 : 900_000, index);
    const { out, held } = inPieces(Buffer.from(text), sizes, options);
    expect(out.equals(Buffer.from(whole(text, options)))).toBe(true);
    expect(held).toBeLessThan(400_000 + 2 * Math.max(...sizes));
  }
});

test('secrets of every rule across the places where a stretch ends', () => {
  const chance = new Chance(5);
  for (const rule of SAMPLED_RULES) {
    const { text } = sampleOf(rule, chance.below(50), chance);
    const filler = 'some words to fill the place '.repeat(4600);
    const full = `${filler}${text}\n${filler}${text}\n`;
    for (const cut of [131_072, 131_072 - 33_024, 98_048 - 4096]) {
      const start = Math.max(0, filler.length + Math.floor(text.length / 2) - cut);
      const one = full.slice(start);
      expect(inPieces(Buffer.from(one), [cut, 1]).out.toString(), rule).toBe(whole(one));
    }
  }
});

describe('a private key', () => {
  const chance = new Chance(11);
  const line = (): string => chance.letters(ALPHABETS['s'] ?? '', 64);
  const heading = `${'-----'}BEGIN PRIVATE KEY${'-----'}`;
  const lines = Array.from({ length: 12_000 }, line);

  test.each([
    [
      'with its end',
      `before\n${heading}\n${lines.join('\n')}\n-----END PRIVATE KEY-----\nafter password=Kolmiva#482\n`,
    ],
    ['cut off', `before\n${heading}\n${lines.join('\n')}`],
    ['cut off, with text behind it', `${heading}\n${lines.join('\n')}\nand then more words follow\nAPI_KEY=x`],
    ['in one line', `${heading} ${lines.join('')} -----END PRIVATE KEY----- after`],
    ['in a string', `{"key":"${heading}\\n${lines.join('\\n')}\\n-----END PRIVATE KEY-----\\n"}`],
    ['in a diff', `+${heading}\n+${lines.join('\n+')}\n+-----END PRIVATE KEY-----\n more\n`],
    [
      'in a log',
      `${[heading, ...lines, '-----END PRIVATE KEY-----', 'more'].map((one, at) => `2026-01-01T00:00:${at}Z ${one}`).join('\n')}\n`,
    ],
  ])('of 800 KB, %s, is never held whole', (_, text) => {
    const expected = whole(text);
    expect(expected).not.toContain(lines[5_000]);
    expect(expected).not.toContain(lines.at(-1));
    for (const sizes of [[1000], [65_536], [10, 99_999]]) {
      const { out, held } = inPieces(Buffer.from(text), sizes);
      expect(out.toString()).toBe(expected);
      // Text that is swallowed counts as held here: all but the marker.
      expect(held).toBeGreaterThan(0);
    }
  });
});

describe('bytes that are no text', () => {
  test('pass unchanged if a NUL is among the first of them', () => {
    const secret = sampleOf('npm-token', 0, new Chance(1)).secret;
    const bytes = Buffer.from(`\x7fELF\0${secret}`);
    expect(inPieces(bytes, [3]).out.equals(bytes)).toBe(true);
    const late = Buffer.from(`${'x'.repeat(8000)}\0 ${secret}`);
    expect(inPieces(late, [3000]).out.toString()).toContain('[redacted:npm-token:');
  });

  test('stay what they were around a secret', () => {
    const secret = sampleOf('npm-token', 0, new Chance(1)).secret;
    const odd = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes.map((byte) => byte || 1)));
    fc.assert(
      fc.property(odd, odd, fc.integer({ min: 1, max: 9 }), (before, after, size) => {
        const bytes = Buffer.concat([before, Buffer.from(' '), Buffer.from(secret), Buffer.from(' '), after]);
        const marker = Buffer.from(`[redacted:npm-token:${labelOf(secret)}]`);
        const expected = Buffer.concat([before, Buffer.from(' '), marker, Buffer.from(' '), after]);
        expect(inPieces(bytes, [size]).out.toString('hex')).toBe(expected.toString('hex'));
      }),
      { numRuns: 1000 },
    );
  });

  test('nothing comes of nothing', () => {
    expect(inPieces(Buffer.alloc(0), [1]).out).toEqual(Buffer.alloc(0));
  });
});
