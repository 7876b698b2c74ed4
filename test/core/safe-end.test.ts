// Tests the kept text before a cut: never the beginning of a secret whose rest is cut off.
import { expect, test } from 'vitest';
import { safeEnd } from '../../src/core/safe-end.ts';

const D = '-----';

test.each([
  ['a token', 'see ghp_a1B2c3D4', 'see'],
  ['a URL with a password', 'open postgres://admin:hunter2Sec', 'open'],
  ['a line of its own', 'first line\\npassword: two words', 'first line'],
  ['a line that ends in an escape of its code', 'first line\\u000Apass word', 'first line'],
  ['a quotation', 'then export PASSWORD=\\"correct horse batt', 'then export'],
  ['a quotation in single quotes behind a blank', "now password: 'correct horse batt", 'now password:'],
  ['a quotation that is closed', 'say \\"well done\\" and go', 'say \\"well done\\" and'],
  ['an apostrophe', "it isn't what they wan", "it isn't what they"],
  ['a quotation on an earlier line', "the boys' toys\\nare here", "the boys' toys"],
  ['an escaped backslash before a letter', 'in C:\\\\new\\\\folder', 'in'],
  ['a key', `cat it: ${D}BEGIN PRIVATE KEY${D}\\nMIIE\\nAbCd`, 'cat it: '],
  ['a key that ends', `${D}BEGIN PRIVATE KEY${D}\\nMIIE\\n${D}END PRIVATE KEY${D}\\nthe e`, null],
  ['one run', 'A'.repeat(4096), ''],
  ['nothing', '', ''],
])('%s', (_, text, kept) => {
  const whole = kept ?? text.slice(0, text.lastIndexOf('\\n'));
  const bytes = Buffer.from(text);
  expect(bytes.subarray(0, safeEnd(bytes)).toString()).toBe(whole);
});
