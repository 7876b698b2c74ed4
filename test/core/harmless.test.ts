// Hostile text made harmless: nothing that moves a cursor, turns the writing or is half a character survives.
import { describe, expect, test } from 'vitest';
import { harmless, harmlessText } from '../../src/core/harmless.ts';
import { fc, hostileText } from '../support/property.ts';

/** Code units that may not reach a terminal: controls but newline and tab, C1, and what turns the direction of writing. */
const DANGEROUS: readonly [first: number, last: number][] = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0x061c, 0x061c],
  [0x200e, 0x200f],
  [0x202a, 0x202e],
  [0x2066, 0x2069],
];

function isDangerous(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (DANGEROUS.some(([first, last]) => code >= first && code <= last)) return true;
  }
  return !text.isWellFormed();
}

describe('a text', () => {
  test('has no control but newline and tab, no ESC, C1, bidi control or lone surrogate', () => {
    fc.assert(
      fc.property(hostileText(), (text) => {
        const safe = harmlessText(text);
        const given = text.replaceAll('\r\n', '\n');
        const plain = (value: string): string => value.replace(/[^\n\t -~]/g, '');
        if (isDangerous(safe)) return false;
        // A plain text stays, nothing is dropped but the CR of a CR LF, and once is enough.
        return plain(safe) === plain(given) && [...safe].length === [...given].length && harmlessText(safe) === safe;
      }),
      { numRuns: 1000 },
    );
  });

  test('every code unit on its own', () => {
    for (let code = 0; code <= 0xffff; code += 1) {
      const safe = harmlessText(`a${String.fromCharCode(code)}b`);
      if (isDangerous(safe)) expect.fail(`U+${code.toString(16)} became ${JSON.stringify(safe)}`);
    }
  });

  test.each<[string, string]>([
    ['plain text, with: punctuation', 'plain text, with: punctuation'],
    ['newline\nand\ttab', 'newline\nand\ttab'],
    ['a\r\nb', 'a\nb'],
    ['a\rb', 'a␍b'],
    ['\x1b[2J\x1b]0;title\x07', '␛[2J␛]0;title␇'],
    ['a\0b', 'a␀b'],
    ['\x08\x7f', '␈␡'],
    ['\x9b31m', '\ufffd31m'],
    ['\u202eevil\u202c', '\ufffdevil\ufffd'],
    ['\ud800x\udc00', '\ufffdx\ufffd'],
    ['😀 é 日本語 \u200d', '😀 é 日本語 \u200d'],
    ['', ''],
  ])('%j is %j', (text, safe) => {
    expect(harmlessText(text)).toBe(safe);
  });
});

describe('a value', () => {
  test('every text in it, keys too; anything else stays', () => {
    const value = { 'k\x1b': ['\x1b', { deep: '\u202e' }], n: 1.5, t: true, z: null, u: undefined };
    expect(harmless(value)).toEqual({ 'k␛': ['␛', { deep: '\ufffd' }], n: 1.5, t: true, z: null, u: undefined });
    expect(value.t).toBe(true);
    expect(harmless('\x1b')).toBe('␛');
    expect(harmless(7)).toBe(7);
  });

  test('a key called __proto__ stays a key', () => {
    const safe = harmless(JSON.parse('{"__proto__":{"x":"\\u001b"}}'));
    expect(JSON.stringify(safe)).toBe('{"__proto__":{"x":"␛"}}');
    expect(Object.getPrototypeOf(safe)).toBe(Object.prototype);
  });

  test('what is read piece by piece is read no earlier than asked for, and as often', () => {
    let read = 0;
    const items = {
      *[Symbol.iterator]() {
        for (const text of ['\x1b1', '\x1b2']) {
          read += 1;
          yield { text };
        }
      },
    };
    const safe = harmless({ items });
    expect(read).toBe(0);
    expect([...safe.items]).toEqual([{ text: '␛1' }, { text: '␛2' }]);
    expect([...safe.items]).toHaveLength(2);
    expect(read).toBe(4);
  });
});
