/** Tests that the search for a plain sign without the pattern agrees with the pattern. */
import { expect, test } from 'vitest';
import { after, PLAIN } from '../../src/secrets/name-value-links.ts';
import { pastPlainSeparator } from '../../src/secrets/plain-separator.ts';
import { fc } from '../support/property.ts';

test.each([
  [' = x', 3],
  ['=x', 1],
  [': x', 2],
  ['": "x"', 3],
  [' := x', 4],
  [' => x', 4],
  ['::-x', 3],
  [' x', -1],
  ['', -1],
  [')', -1],
  // A call around the value, a mark, an escape, the words of a service: these take a closer look.
  [' = bytes("x")', null],
  [' = (', null],
  ['**: x', null],
  ['\\": \\"x\\"', null],
  [' provided: x', null],
])('%j', (text, begin) => {
  const wanted = begin !== null && begin >= 0 ? 3 + begin : begin;
  expect(pastPlainSeparator(`key${text}`, 3)).toBe(wanted);
  if (begin !== null) expect(after(PLAIN, `key${text}`, 3)).toBe(wanted);
});

test('the sign after a name is the one that the pattern finds, for any text', () => {
  const pieces = fc.constantFrom(
    ...['=', ':', '>', '-', '?', '!', '|', '<', '"', "'", '`', '\\', '\\u0022', '[', ']', '{', '(', ')', '&', '*'],
    ...[
      ' ',
      '\t',
      '        ',
      '\n',
      '\u001b[0m',
      '\\u003d',
      '&quot;',
      'provided',
      'Secret(',
      'str(',
      'Field(',
      'x',
      'S',
    ],
  );
  let plain = 0;
  fc.assert(
    fc.property(fc.constantFrom('key', 'Key', 'token'), fc.array(pieces, { maxLength: 8 }), (name, behind) => {
      const text = name + behind.join('');
      const begin = pastPlainSeparator(text, name.length);
      if (begin === null) return;
      plain += 1;
      expect(after(PLAIN, text, name.length)).toBe(begin);
    }),
    { numRuns: 5000 },
  );
  expect(plain).toBeGreaterThan(500);
});
