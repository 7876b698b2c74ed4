/** Tests that the excess of a JSON text is found without building it, and that characters in its texts do not count. */
import { describe, expect, test } from 'vitest';
import { DEPTH_LIMIT, excessOf } from '../../src/core/json.ts';
import { fc } from '../support/property.ts';

const DEEP = `nested more than ${DEPTH_LIMIT} levels deep`;
const nested = (depth: number, inside = '1'): string => `${'['.repeat(depth)}${inside}${']'.repeat(depth)}`;

describe('depth', () => {
  test.each([
    ['at the limit', nested(DEPTH_LIMIT), null],
    ['beyond it', nested(DEPTH_LIMIT + 1), `is ${DEEP}`],
    ['one after the other', `[${Array.from({ length: 600 }, () => '[1]').join(',')}]`, null],
    ['brackets in a text', JSON.stringify(['['.repeat(600)]), null],
    ['brackets behind an escaped quote', JSON.stringify([`"${'['.repeat(600)}`]), null],
    ['brackets behind escaped backslashes', JSON.stringify([`\\\\"\\${'['.repeat(600)}`]), null],
    ['deep behind a text that ends in a backslash', nested(DEPTH_LIMIT + 1, '"\\\\"'), `is ${DEEP}`],
    ['deep behind texts', `["a\\"","\\\\",${nested(DEPTH_LIMIT + 1)}]`, `is ${DEEP}`],
    ['a text without an end', `["${'['.repeat(600)}`, null],
  ])('%s', (_name, text, excess) => {
    expect(excessOf(text)).toBe(excess);
  });
});

test('no text of a value changes what is reported of it', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom('"', '\\', '[', '{', ',', 'x') })), (texts) => {
      const inside = JSON.stringify([...texts, 'y'.repeat(DEPTH_LIMIT)]);
      expect(excessOf(inside)).toBeNull();
      expect(excessOf(nested(DEPTH_LIMIT, inside))).toBe(`is ${DEEP}`);
    }),
  );
});
