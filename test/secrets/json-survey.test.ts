// A first look at a value: what is called as a count is, says nothing; what holds a list that is called so, may.
import { expect, test } from 'vitest';
import type { JsonValue } from '../../src/core/json.ts';
import { surveyOf } from '../../src/secrets/json-survey.ts';
import { redactValue } from '../../src/secrets/redact.ts';

const SECRET = 'Zq7vNw3LmX0bRt8yKd2c';
const looked = (value: JsonValue): boolean => surveyOf(value, new Set(), undefined, []).isPlain;

test.each<[what: string, value: JsonValue]>([
  ['a number of them', { usage: { input_tokens: 500, output_tokens: 10 } }],
  ['numbers of them', { tokens: { input: 500, cache: { read: 100 } } }],
  ['a text of them', { tokens: 'of a word each' }],
])('%s says nothing', (_, value) => expect(looked(value)).toBe(true));

test.each<[what: string, value: JsonValue]>([
  ['a list of them', { tokens: [SECRET] }],
  ['a list in a list', { tokens: [[SECRET]] }],
  ['a list that is their value', { tokens: { value: [SECRET] } }],
  ['the same further in', { tokens: { Value: { value: [SECRET] } } }],
  ['one of them', { usage: { token: SECRET } }],
])('%s is gone through', (_, value) => {
  expect(looked(value)).toBe(false);
  expect(JSON.stringify(redactValue(value, undefined, () => '000000').value)).not.toContain(SECRET);
});
