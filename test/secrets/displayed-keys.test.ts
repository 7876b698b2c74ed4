// Private key blocks as a page or a terminal shows them: with colours, in a frame, with the line ends of HTML.
import { describe, expect, test } from 'vitest';
import { findSecrets } from '../../src/secrets/find.ts';
import { redactText } from '../../src/secrets/redact.ts';
import { redactedText } from '../../src/secrets/stream.ts';
import { Chance, fill } from '../support/secrets-corpus.ts';
import { labelOf } from '../support/secrets-text.ts';

const dashes = '-----';
const [first, middle, last] = fill('{64:s} {64:s} {20:s}==', new Chance(41)).split(' ');
const lines = [`${dashes}BEGIN RSA PRIVATE KEY${dashes}`, first, middle, last, `${dashes}END RSA PRIVATE KEY${dashes}`];
const each = (dress: (line: string, number: number) => string): string =>
  lines.map((line, index) => dress(line ?? '', index + 1)).join('\n');

const DRESSED: readonly (readonly [string, string])[] = [
  ['a diff of Git in colours', each((line) => `\u001b[32m+\u001b[m\u001b[32m${line}\u001b[m`)],
  ['the same of what goes', each((line) => `\u001b[31m-${line}\u001b[m`)],
  ['a colour a line', each((line) => `\u001b[32m${line}\u001b[0m`)],
  ['numbers in colours', each((line, number) => `\u001b[38;5;238m${`${number}`.padStart(4)}\u001b[0m   ${line}`)],
  ['colours of grep', each((line) => `\u001b[35mk.pem\u001b[m\u001b[36m:\u001b[m\u001b[K${line}`)],
  ['colours as JSON has them', each((line) => `\\u001b[32m${line}\\u001b[0m`).replaceAll('\n', '\\n')],
  ['a frame', each((line) => `│ ${line.padEnd(66)} │`)],
  ['a cell of Markdown', lines.join('<br>')],
  ['HTML', lines.join('<br/>')],
  ['XML', lines.join('&#10;')],
  ['bytes of Python', each((line) => `    b"${line}\\n"`)],
  ['raw bytes', each((line) => `rb'${line}\\n'`)],
  ['joined by a point', each((line) => `. "${line}\\n"`)],
  ['statements', each((line) => `key += '${line}\\n';`)],
  ['calls', each((line) => `sb.append("${line}\\n");`)],
  ['lines of a shell', each((line) => `echo "${line}" >> key.pem`)],
  ['the same in JSON', JSON.stringify(each((line) => `echo "${line}" >> key.pem`)).slice(1, -1)],
  ['a header in a cell', [lines[0], 'Proc-Type: 4,ENCRYPTED', ...lines.slice(1)].join('<br>')],
];

describe.each(DRESSED)('%s', (_, text) => {
  test('one finding, from the first character of the data to the last', () => {
    const found = findSecrets(`see\n${text}\nend`);
    expect(found.map(({ rule }) => rule)).toEqual(['private-key']);
    const secret = `see\n${text}\nend`.slice(found[0]?.start, found[0]?.end);
    expect(secret.startsWith(first ?? '') && secret.endsWith(last ?? '')).toBe(true);
  });

  test('in pieces of any size nothing of it stays', () => {
    for (const size of [1, 7, 64]) {
      const stream = redactedText(undefined, () => '00c0ffee');
      const parts: string[] = [];
      for (let at = 0; at < text.length; at += size) parts.push(stream.push(text.slice(at, at + size)));
      const out = [...parts, stream.end()].join('');
      for (const line of [first, middle, last]) expect(out).not.toContain(line);
    }
  });
});

test('a colour and an HTML line end do not change the label of a key', () => {
  const labels = ['\n', '<br>', '&#10;', '\u001b[0m\n\u001b[32m'].map(
    (end) => redactText(lines.join(end), undefined, labelOf).text.match(/private-key:(\w+)/)?.[1],
  );
  expect(new Set(labels).size).toBe(1);
});

test('a static key of OpenVPN, in hexadecimal digits', () => {
  const data = fill('{32:h} {32:h} {32:h}', new Chance(43)).replaceAll(' ', '\n');
  const [begin, end] = ['BEGIN', 'END'].map((word) => `${dashes}${word} OpenVPN Static key V1${dashes}`);
  const text = redactText(`${begin}\n${data}\n${end}`, undefined, labelOf).text;
  expect(text).toMatch(/^-----BEGIN OpenVPN Static key V1-----\n\[redacted:private-key:[0-9a-f]+\]\n-----END/);
});

test('an encrypted key of SSH2 in JSON, with quotes in its comment', () => {
  const [begin, end] = ['BEGIN', 'END'].map((word) => `---- ${word} SSH2 ENCRYPTED PRIVATE KEY ----`);
  const text = JSON.stringify({ key: `${begin}\nComment: "the key of the house"\n${first}\n${middle}\n${end}` });
  for (const written of [text, JSON.stringify(text)]) {
    const kept = redactText(written, undefined, labelOf).text;
    expect(kept).not.toContain(middle);
    expect(kept).toContain('the key of the house');
  }
});
