// Private keys in listings and logs, where each line has something in front of it.
import { describe, expect, test } from 'vitest';
import { findSecrets } from '../../src/secrets/find.ts';
import { pastPrefix, prefixBefore } from '../../src/secrets/line-prefix.ts';
import { ALPHABETS, Chance } from '../support/secrets-corpus.ts';

const chance = new Chance(47);
const data = (length: number): string => chance.letters(ALPHABETS['s'] ?? '', length);

const MARGINS: Readonly<Record<string, (line: number) => string>> = {
  'a file and a number': (line) => `deploy/key.pem:${line + 8}:`,
  'a file alone': () => 'deploy/key.pem:',
  'a file and a number around what was looked for': (line) => (line === 0 ? 'k.pem:8:' : `k.pem-${line + 8}-`),
  'a time': (line) => `2026-01-01T00:00:0${line}.1234567Z `,
  'a service': () => 'web-1  | ',
  'a service in colour': () => '\u001b[36mweb-1  |\u001b[0m ',
  'a number and a colon': (line) => `${line + 8}: `,
  'a number in a column': (line) => `${String(line + 8).padStart(4)} | `,
  'a host and a process': (line) => `Jan  1 00:00:0${line} host app[${line + 98}]: `,
  'a tab': (line) => `${line + 8}\t`,
  'the sign of a quotation': () => '> ',
};

describe.each(['RSA PRIVATE KEY', 'EC PRIVATE KEY', 'OPENSSH PRIVATE KEY'])('%s', (name) => {
  const lines = [data(64), data(64), data(64), `${data(21)}=`];
  const block = [`-----BEGIN ${name}-----`, ...lines, `-----END ${name}-----`, 'and more words follow'];

  test.each(Object.entries(MARGINS))('behind %s', (_, margin) => {
    const text = `first words\n${block.map((line, index) => margin(index) + line).join('\n')}\n`;
    for (const whole of [
      text,
      text.replaceAll('\n', '\r\n'),
      JSON.stringify({ text }),
      JSON.stringify({ n: 1, text: text.slice(12) }),
    ]) {
      const findings = findSecrets(whole);
      expect(findings.map(({ rule }) => rule)).toEqual(['private-key']);
      const { start = 0, end = 0 } = findings[0] ?? {};
      expect(whole.slice(start, end).startsWith(lines[0] as string)).toBe(true);
      expect(whole.slice(start, end).endsWith(lines.at(-1) as string)).toBe(true);
    }
  });

  test('is found at the end of a text that continues', () => {
    const text = `f:1:-----BEGIN ${name}-----\nf:2:${data(20)}`;
    expect(findSecrets(text, undefined, true)).toEqual([
      { rule: 'private-key', start: text.length - 20, end: text.length, partial: true },
    ]);
  });
});

test('a margin is the text between the beginning of a line and an index', () => {
  const before = (text: string): string => prefixBefore(text, text.length);
  expect(before('a\nf:1:')).toBe('f:1:');
  expect(before('a\\nf:1:')).toBe('f:1:');
  expect(before('{"a": "f:1:')).toBe('f:1:');
  expect(before('a\n  \t')).toBe('');
  expect(before('')).toBe('');
  expect(before('x'.repeat(300))).toBe('');
});

test('numbers may differ in it, and blanks make up for them', () => {
  expect(pastPrefix('f:13:x', 0, 'f:9:')).toBe(5);
  expect(pastPrefix('f-13-x', 0, 'f:9:')).toBe(5);
  expect(pastPrefix(' 10 | x', 0, '  9 | ')).toBe(6);
  expect(pastPrefix('10 |', 0, '  9 | ')).toBe(4);
  expect(pastPrefix('g:13:x', 0, 'f:9:')).toBe(-1);
  expect(pastPrefix('f:x', 0, 'f:9:')).toBe(-1);
});
