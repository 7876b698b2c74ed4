// Columns of a terminal: text that is measured without the tables has the width that these give it.
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { PLAIN, truncated } from '../../src/cli/frame/columns.ts';
import { fc, hostileText } from '../support/property.ts';

test('each character that counts as plain takes one column, alone and between others', () => {
  const plain = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code)).filter((one) => PLAIN.test(one));
  expect(plain.length).toBeGreaterThan(800);
  const wrong = plain.filter((one) => one !== ' ' && (stringWidth(one) !== 1 || stringWidth(`a${one}b`) !== 3));
  expect(wrong).toEqual([]);
});

describe('a text is cut to the columns', () => {
  test.each([
    ['plain', 'Retry with backoff', 10, 'Retry wit…'],
    ['with marks of the picture', '❯ [debug] Größe – Слово “x”', 12, '❯ [debug] G…'],
    ['that fits', '❯ Größe', 7, '❯ Größe'],
    ['wide', '日本語のテスト', 7, '日本語…'],
    ['with no room', 'Retry', 0, ''],
    ['in no terminal', 'Retry', null, 'Retry'],
  ])('%s', (_what, text, columns, expected) => expect(truncated(text, columns)).toBe(expected));

  test('whatever it is', () => {
    fc.assert(
      fc.property(hostileText(), fc.integer({ min: 1, max: 40 }), (text, columns) => {
        expect(stringWidth(truncated(text, columns))).toBeLessThanOrEqual(columns);
      }),
    );
  });
});
