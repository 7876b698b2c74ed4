// Private keys in base64 that is wrapped in lines, however the lines are shown.
import { describe, expect, test } from 'vitest';
import { findSecrets } from '../../src/secrets/find.ts';
import { redactText } from '../../src/secrets/redact.ts';
import { redactedText } from '../../src/secrets/stream.ts';
import { ALPHABETS, Chance } from '../support/secrets-corpus.ts';
import { labelOf } from '../support/secrets-text.ts';

const dashes = '-----';
/** A key file of so many characters of data, as OpenSSL and OpenSSH write it. */
function keyFile(name: string, length: number): string {
  const data = new Chance(length).letters(ALPHABETS['s'] ?? '', length).match(/.{1,64}/g) ?? [];
  return [`${dashes}BEGIN ${name}${dashes}`, ...data, `${dashes}END ${name}${dashes}`, ''].join('\n');
}
const wrap = (text: string, width: number): string[] =>
  Buffer.from(text)
    .toString('base64')
    .match(new RegExp(`.{1,${width}}`, 'g')) ?? [];

const account = JSON.stringify({ type: 'service_account', key: keyFile('PRIVATE KEY', 900) }, null, 2);
const KEYS: Readonly<Record<string, readonly string[]>> = {
  'RSA in 76 columns': wrap(keyFile('RSA PRIVATE KEY', 1592), 76),
  'RSA in 64 columns': wrap(keyFile('RSA PRIVATE KEY', 1600), 64),
  'an elliptic curve': wrap(keyFile('EC PRIVATE KEY', 164), 76),
  // The last of its lines is as wide as the others.
  OpenSSH: wrap(keyFile('OPENSSH PRIVATE KEY', 323), 76),
  'OpenSSH in 64 columns': wrap(keyFile('OPENSSH PRIVATE KEY', 620), 64),
  'a service account': wrap(account, 76),
};

const PLACES: Readonly<Record<string, (lines: readonly string[]) => string>> = {
  'as it is': (lines) => lines.join('\n'),
  'with other line ends': (lines) => lines.join('\r\n'),
  indented: (lines) => lines.map((line) => `    ${line}`).join('\n'),
  'a block of YAML': (lines) => `key: |\n${lines.map((line) => `    ${line}`).join('\n')}`,
  'what a diff adds': (lines) => lines.map((line) => `+${line}`).join('\n'),
  'what a diff removes': (lines) => lines.map((line) => `-${line}`).join('\n'),
  'what only one file has': (lines) => lines.map((line) => `> ${line}`).join('\n'),
  'numbers and tabs': (lines) => lines.map((line, index) => `${`${index + 8}`.padStart(6)}\t${line}`).join('\n'),
  'numbers and arrows': (lines) => lines.map((line, index) => `${`${index + 8}`.padStart(6)}→${line}`).join('\n'),
  'a file and numbers': (lines) => lines.map((line, index) => `k.b64:${index + 8}:${line}`).join('\n'),
  'three quotes': (lines) => `KEY = """\n${lines.join('\n')}\n"""`,
  'three quotes without a line end': (lines) => `KEY = """${lines.join('\n')}"""`,
  'quotes of a shell': (lines) => `KEY='${lines.join('\n')}'`,
  'texts that are joined': (lines) => lines.map((line) => `  "${line}\\n"`).join(' +\n'),
  JSON: (lines) => JSON.stringify({ key: `${lines.join('\n')}\n`, next: 'words' }),
  'JSON in JSON': (lines) => JSON.stringify({ line: JSON.stringify({ key: lines.join('\n') }) }),
  'JSON with signs escaped': (lines) => JSON.stringify({ key: lines.join('\n') }).replaceAll('/', '\\/'),
  'blanks of a shell': (lines) => lines.join(' '),
};

describe.each(Object.entries(KEYS))('%s', (_, lines) => {
  test.each(Object.entries(PLACES))('%s', (_, place) => {
    const text = `first words\n${place(lines)}\nDONE here`;
    const found = findSecrets(text);
    expect(found.map(({ rule }) => rule)).toEqual(['encoded-private-key']);
    const secret = text.slice(found[0]?.start, found[0]?.end);
    const last = lines.at(-1) ?? '';
    expect(secret.replaceAll('\\/', '/').startsWith(lines[0] as string)).toBe(true);
    expect(secret.replaceAll('\\/', '/').endsWith(last)).toBe(true);
  });

  test('in pieces of any size nothing of it stays', () => {
    const text = `first words\n${lines.join('\n')}\nDONE here`;
    for (const size of [1, 7, 64]) {
      const stream = redactedText(undefined, () => '00c0ffee');
      const parts: string[] = [];
      for (let at = 0; at < text.length; at += size) parts.push(stream.push(text.slice(at, at + size)));
      expect([...parts, stream.end()].join('')).toBe('first words\n[redacted:encoded-private-key:00c0ffee]\nDONE here');
    }
  });
});

test('how it is wrapped does not change the label of a key', () => {
  const file = keyFile('RSA PRIVATE KEY', 800);
  const labels = [64, 76, 5000].map(
    (width) => redactText(wrap(file, width).join('\n'), undefined, labelOf).text.match(/-key:(\w+)/)?.[1],
  );
  expect(new Set(labels).size).toBe(1);
});

test.each([
  ['a key in one line', wrap(keyFile('RSA PRIVATE KEY', 800), 5000), 'Zm9vYmFyYmF6'],
  ['a last line that is full', wrap(keyFile('OPENSSH PRIVATE KEY', 323), 76), 'Zm9vYmFyYmF6'],
  ['a last line that is not', wrap(keyFile('RSA PRIVATE KEY', 800), 76), 'Zm9vYmFyYmF6'],
  ['a line cut off, and words', wrap(keyFile('RSA PRIVATE KEY', 800), 76).slice(0, 1), 'done'],
  [
    'a line cut off, and a setting',
    wrap(keyFile('RSA PRIVATE KEY', 800), 76).slice(0, 1),
    'client-certificate-data: x',
  ],
])('keeps the lines below %s', (_, lines, next) => {
  const text = `${lines.join('\n')}\n${next}\n`;
  const [found] = findSecrets(text);
  expect(text.slice(found?.end)).toBe(`\n${next}\n`);
});

test('a certificate in base64 is no secret', () => {
  expect(findSecrets(wrap(keyFile('CERTIFICATE', 1200), 76).join('\n'))).toEqual([]);
});
