// The classes of characters that are written out are those of Unicode.
import { expect, test } from 'vitest';
import { BIDI_CONTROL, CONTROL } from '../../src/core/characters.ts';

const CLASSES: [name: string, written: string, unicode: RegExp][] = [
  ['CONTROL', CONTROL, /^\p{Cc}$/u],
  ['BIDI_CONTROL', BIDI_CONTROL, /^\p{Bidi_Control}$/u],
];

test.each(CLASSES)('%s', (_name, written, unicode) => {
  const pattern = new RegExp(`^[${written}]$`, 'u');
  const different: string[] = [];
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const character = String.fromCodePoint(code);
    if (pattern.test(character) !== unicode.test(character)) different.push(code.toString(16));
  }
  expect(different).toEqual([]);
});
