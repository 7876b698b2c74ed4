// Numbers of JSON texts that would be others once they were read and written again: found, and by what keys.
import { expect, test } from 'vitest';
import { changedNumber } from '../../src/core/exact-number.ts';
import { fc } from '../support/property.ts';

test.each([
  ['{"n":12345678901234567890}', 'n'],
  ['{"f":1e400}', 'f'],
  ['{"f":-1E+400}', 'f'],
  ['{"f":1e-400}', 'f'],
  ['{"a":{"b":[0,"x",{"c":9007199254740993}]}}', 'a.b.2.c'],
  ['{"a":[1,2],"n":0.1234567890123456789}', 'n'],
  ['{"n":9007199254740993.0}', 'n'],
  ['{"text":"12345678901234567890 1e400","n":123456789012345678e3}', 'n'],
])('%s', (text, field) => expect(changedNumber(text)).toBe(field));

test.each([
  '{"n":9007199254740991,"z":-0,"f":0.10,"e":1e3,"g":1.7976931348623157e308,"h":5e-324}',
  '{"n":100000000000000000000,"e":1e23,"seventeen":0.10000000000000001,"zero":0e400}',
  '{"n":"12345678901234567890","id":"0199e400-0000"}',
])('%s is kept', (text) => expect(changedNumber(text)).toBeNull());

test('whatever JavaScript itself writes is kept', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => changedNumber(JSON.stringify(value)) === null));
});
