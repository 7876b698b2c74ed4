// A line that is too long to be held: pictures leave their size and hash, long texts lose their ends, and it stays JSON.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LINE_LIMIT, readLines } from '../../src/core/lines.ts';
import { LineShortener } from '../../src/core/short-line.ts';

const newHash = () => {
  const hash = createHash('sha256');
  return { update: (bytes: Buffer) => hash.update(bytes), digest: () => hash.digest('hex') };
};

/** Shortens a text that comes in pieces of a size. */
function shortened(text: string, size = 64 * 1024, limit = LINE_LIMIT): string | null {
  const shortener = new LineShortener(newHash, limit);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) {
    // A piece is only valid until the next one comes.
    const piece = Buffer.from(bytes.subarray(at, at + size));
    shortener.push(piece);
    piece.fill(0x23);
  }
  return shortener.end()?.toString('utf8') ?? null;
}

const PICTURE = Buffer.from(Array.from({ length: 30_001 }, (_, index) => (index * 7919 + (index >> 8)) & 255));
const DATA = PICTURE.toString('base64');
const MARKER = `[${PICTURE.length} bytes left out by ctx, sha256 ${createHash('sha256').update(PICTURE).digest('hex')}]`;

describe('the data of a picture leaves its size and its hash', () => {
  test.each([
    ['Claude Code, Copilot CLI', { type: 'image', source: { type: 'base64', media_type: 'image/png', data: DATA } }],
    ['Gemini CLI', { inlineData: { mimeType: 'application/pdf', data: DATA } }],
    ['pi', { type: 'image', data: DATA, mimeType: 'image/jpeg' }],
    ['a key of any name', { blob: DATA }],
    ['an element of a list', [1, DATA]],
  ])('%s', (_, value) => {
    expect(shortened(JSON.stringify(value))).toBe(JSON.stringify(value).replace(DATA, MARKER));
  });

  test.each([
    ['Codex', { type: 'input_image', image_url: `data:image/png;base64,${DATA}` }],
    ['opencode', { type: 'file', mime: 'image/png', url: `data:image/png;charset=utf-8;base64,${DATA}` }],
  ])('%s: keeps the text before the data in a URL', (_, value) => {
    expect(shortened(JSON.stringify(value))).toBe(JSON.stringify(value).replace(DATA, MARKER));
  });

  test('with slashes and ends of lines as some programs escape them, and in the letters for URLs', () => {
    const lines = DATA.replace(/(.{76})/g, '$1\\r\\n').replaceAll('/', '\\/');
    expect(shortened(`{"data":"${lines}"}`)).toBe(`{"data":"${MARKER}"}`);
    expect(shortened(`{"data":"${PICTURE.toString('base64url')}"}`)).toBe(`{"data":"${MARKER}"}`);
  });

  test.each([1, 2, 3, 7, 4095, 4096, 4097])('in pieces of %d bytes as in one', (size) => {
    const text = JSON.stringify({ a: 'é"\\', b: [{ data: DATA }], url: `data:image/png;base64,${DATA}`, c: 'end' });
    expect(shortened(text, size)).toBe(text.replaceAll(DATA, MARKER));
  });

  test('a picture of zeros counts as one where its key or its URL says so', () => {
    const zeros = Buffer.alloc(9000).toString('base64');
    expect(shortened(`{"data":"${zeros}"}`)).toContain('[9000 bytes left out by ctx');
    expect(shortened(`{"url":"data:image\\/png;base64,${zeros}"}`)).toContain('[9000 bytes left out by ctx');
    expect(shortened(`{"text":"${zeros}"}`)).toBe(`{"text":"${zeros}"}`);
  });
});

describe('what is no picture stays', () => {
  test.each([
    ['a short text of base64', { data: DATA.slice(0, 4000) }],
    ['a long text', { data: 'all work and no play '.repeat(1000) }],
    ['a text that repeats itself', { text: 'x'.repeat(30_000) }],
    ['a word "data" that is no key', ['data', 'x'.repeat(30_000)]],
    ['keys', { [`${'k'.repeat(5000)}`]: 1 }],
  ])('%s', (_, value) => expect(shortened(JSON.stringify(value))).toBe(JSON.stringify(value)));

  test('of one that only begins like one, its beginning is kept', () => {
    const value = JSON.parse(shortened(JSON.stringify({ data: `${DATA} and words` })) as string) as { data: string };
    expect(value.data).toBe(`${DATA.slice(0, 4096)}… (cut off by ctx)`);
  });

  test('any JSON whose texts are short is the same, however it is cut into pieces', () => {
    fc.assert(
      fc.property(fc.json(), fc.integer({ min: 1, max: 50 }), (json, size) => {
        fc.pre(/^[[{]/.test(json));
        expect(shortened(json, size)).toBe(json);
      }),
    );
  });

  test('of any value with long texts, what is kept is JSON of the same shape, whatever the pieces', () => {
    const long = fc
      .tuple(fc.constantFrom('A9b_', 'a\\"b', 'é\n', DATA.slice(0, 64)), fc.integer({ min: 1, max: 400 }))
      .map(([part, times]) => part.repeat(times));
    const values = fc.dictionary(fc.string(), fc.oneof(long, fc.array(long, { maxLength: 3 }), fc.integer()));
    const shape = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(shape)
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shape(one)]))
          : typeof value;
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 9000 }), (value, size) => {
        const text = JSON.stringify(value);
        const kept = shortened(text, size) as string;
        expect(shape(JSON.parse(kept))).toEqual(shape(value));
        expect(kept).toBe(shortened(text, text.length));
      }),
    );
  });
});

describe('a line beyond the limit', () => {
  const line = (text: string) => [
    ...readLines([Buffer.from(text)], 1, 0, () => new LineShortener(newHash, LINE_LIMIT)),
  ];
  const long = (count: number, text: string): string => text.repeat(Math.ceil(count / text.length)).slice(0, count);

  test('loses the ends of its longest texts, and the lines beside it stay', () => {
    const text = long(LINE_LIMIT, 'some words, ');
    const [before, short, behind, ...more] = line(`{"n":1}\n{"text":"${text}","end":true}\n{"n":2}\n`);
    expect([before?.text, behind?.text, more]).toEqual(['{"n":1}', '{"n":2}', []]);
    expect(short).toMatchObject({ number: 2, complete: true, isShortened: true, end: 8 + LINE_LIMIT + 23 });
    const value = JSON.parse(short?.text as string) as { text: string; end: boolean };
    expect(value.end).toBe(true);
    const last = text.lastIndexOf(' ', 1024 * 1024 - 1);
    expect(value.text).toBe(`${text.slice(0, last)}… (cut off by ctx)`);
    expect(before).not.toHaveProperty('isShortened');
  });

  test.each([
    ['is no JSON', long(LINE_LIMIT + 1, 'no JSON at all ')],
    ['does not come to its end', `{"text":"${long(LINE_LIMIT, 'words ')}`],
  ])('is left out where it %s', (_, text) => {
    expect(line(`${text}\n{}`).map(({ text: kept }) => kept)).toEqual([null, '{}']);
  });

  test('keeps the beginning of a list of too many small values', () => {
    const [short] = line(`[${long(LINE_LIMIT, '12345678,')}1]\n{}`);
    const values = JSON.parse(short?.text as string) as unknown[];
    expect(short?.isShortened).toBe(true);
    expect(values.length).toBeLessThan(250_000);
    expect(values.at(-1)).toBe('… (cut off by ctx)');
  });

  test('is left out if nothing shortens it', () => {
    expect([...readLines([Buffer.from(`{"a":"${long(LINE_LIMIT, 'x ')}"}`)])].map(({ text }) => text)).toEqual([null]);
  });
});
