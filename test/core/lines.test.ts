// Lines of a stream: whatever pieces the bytes come in, the lines are the same.
import { isUtf8 } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import { LINE_LIMIT, type Line, readLines } from '../../src/core/lines.ts';
import { fc } from '../support/property.ts';

/** The lines of whole bytes, as plainly as it can be said. */
function reference(bytes: Buffer): Line[] {
  const parts = bytes.toString('latin1').split('\n');
  const complete = parts.slice(0, -1).map((text) => ({ text, complete: true }));
  const last = parts.at(-1) as string;
  const all = last === '' ? complete : [...complete, { text: last, complete: false }];
  let end = 0;
  return all.map((part, index) => {
    end += part.text.length + (part.complete ? 1 : 0);
    const own = Buffer.from(part.text.replace(/\r$/, ''), 'latin1');
    const text = own.toString('utf8');
    return {
      text: index === 0 ? text.replace(/^\ufeff/, '') : text,
      number: index + 1,
      end,
      complete: part.complete,
      ...(isUtf8(own) ? {} : { isMalformed: true as const }),
    };
  });
}

/** Gives each piece in the same buffer, overwritten by the next one, as reading a file does. */
function* reused(bytes: Buffer, sizes: readonly number[]): Generator<Buffer> {
  const buffer = Buffer.alloc(64);
  let at = 0;
  for (let index = 0; at < bytes.length; index += 1) {
    const size = sizes[index % sizes.length] as number;
    const length = bytes.copy(buffer, 0, at, at + size);
    at += length;
    yield buffer.subarray(0, length);
    buffer.fill(0x2a);
  }
}

const bytes = fc
  .array(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom('\n', '\r\n', '\r', '\ufeff', '\u2028', '\u2029', '\x85', '', 'é', '😀'),
      },
      fc.string({ maxLength: 12 }),
      fc.uint8Array({ maxLength: 6 }),
    ),
    { maxLength: 20 },
  )
  .map((parts) => Buffer.concat(parts.map((part) => Buffer.from(part as string))));

describe('splitting', () => {
  test('random bytes in random pieces are the lines of the whole', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(bytes, sizes, (content, pieces) => {
        expect([...readLines(reused(content, pieces))]).toEqual(reference(content));
      }),
      { numRuns: 1000 },
    );
  });

  test.each<[string, string, (string | null)[]]>([
    ['line feeds only', 'a\nb\n', ['a', 'b']],
    ['no line feed at the end', 'a\nb', ['a', 'b']],
    ['carriage returns before a line feed', 'a\r\nb\r\r\n', ['a', 'b\r']],
    ['carriage returns elsewhere', 'a\rb\n\r\n', ['a\rb', '']],
    ['a carriage return at the very end', 'a\r', ['a']],
    ['a mark of the byte order, once', '\ufeffa\n\ufeffb\n', ['a', '\ufeffb']],
    ['a mark twice', '\ufeff\ufeffa', ['\ufeffa']],
    ['what other readers split on', 'a\u2028b\u2029c\x85d\x0be\x0cf\n', ['a\u2028b\u2029c\x85d\x0be\x0cf']],
    ['empty lines', '\n\n', ['', '']],
    ['nothing', '', []],
  ])('%s', (_words, text, lines) => {
    expect([...readLines([Buffer.from(text)])].map((line) => line.text)).toEqual(lines);
  });

  test('continues where it stopped, with numbers and offsets, and without a byte order mark there', () => {
    const lines = [...readLines([Buffer.from('\ufeffa\nb')], 7, 100)];
    expect(lines).toEqual([
      { text: '\ufeffa', number: 7, end: 105, complete: true },
      { text: 'b', number: 8, end: 106, complete: false },
    ]);
  });
});

describe('a line that is too long', () => {
  const x = Buffer.alloc(LINE_LIMIT, 'x');
  const extra = Buffer.from('y');

  test.each<[string, Buffer[]]>([
    ['in one piece', [Buffer.concat([x, extra, Buffer.from('\nnext\n')])]],
    ['in two pieces', [x, extra, Buffer.from('\nnext\n')]],
    ['in many pieces', [...Array.from({ length: 17 }, () => x.subarray(0, 1_048_576)), Buffer.from('y\nnext\n')]],
  ])('%s is reported and not held in memory, and the next line is read', (_words, pieces) => {
    const [long, next, ...rest] = [...readLines(pieces)];
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    expect(long).toEqual({ text: null, number: 1, end: length - 5, complete: true });
    expect(next).toEqual({ text: 'next', number: 2, end: length, complete: true });
    expect(rest).toEqual([]);
  });

  test('at the end of the file, without a line feed', () => {
    expect([...readLines([x, extra])]).toEqual([{ text: null, number: 1, end: LINE_LIMIT + 1, complete: false }]);
  });

  test('the longest one that is read', () => {
    const [line] = [...readLines([x.subarray(1), extra, Buffer.from('\n')])];
    expect(line?.text?.length).toBe(LINE_LIMIT);
    expect(LINE_LIMIT).toBe(16 * 1024 * 1024);
  });
});
