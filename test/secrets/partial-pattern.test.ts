// A text that goes on: what begins like a secret at its end is not shown, so that no later piece finds most of it kept.
import { describe, expect, test } from 'vitest';
import { findSecrets } from '../../src/secrets/find.ts';
import { RULES } from '../../src/secrets/matcher.ts';
import type { RedactionOptions } from '../../src/secrets/options.ts';
import { partialPattern } from '../../src/secrets/partial-pattern.ts';
import { type Node, readPattern } from '../../src/secrets/pattern-reader.ts';
import { redactText, redactValue } from '../../src/secrets/redact.ts';
import { fc } from '../support/property.ts';
import { Chance, fill } from '../support/secrets-corpus.ts';
import { labelOf, secretText } from '../support/secrets-text.ts';

const chance = new Chance(12);
const begun = (text: string, options?: RedactionOptions): string[] =>
  findSecrets(text, options, true).map(({ rule, start }) => `${rule} ${text.slice(start)}`);

describe('the pattern of what has begun', () => {
  const matches = (pattern: string, text: string): boolean => new RegExp(`^${partialPattern(pattern)}`).test(text);

  test.each([
    ['ab[0-9]{3}', ['a', 'ab', 'ab1', 'ab12'], ['b', 'ax', 'ab1x', 'abc']],
    ['a(?:b|cd){2}e', ['ab', 'ac', 'abc', 'abcd', 'acdb'], ['ad', 'abb!', 'acc']],
    ['x(?=y)z?(q{2,4})w', ['x'], ['xa', 'y']],
    ['x(?=[a-z]{1,9}!)([a-y]+)z', ['x', 'xab'], ['x1', 'xab1']],
    ['(?<=k)a{2}', [], ['ba']],
    ['a{2}\\.b', ['a', 'aa', 'aa.'], ['aab', 'a.']],
  ])('%s', (pattern, yes, no) => {
    for (const text of yes) expect(matches(pattern, text), text).toBe(true);
    for (const text of no) expect(matches(pattern, text), text).toBe(false);
  });

  test('can be made of every rule', () => {
    for (const { pattern, flags = '' } of RULES) expect(new RegExp(partialPattern(pattern), `${flags}y`)).toBeDefined();
  });
});

test('a rule that takes a blank has one in its pattern, and no other has', () => {
  const takesBlank = (node: Node): boolean => {
    switch (node.kind) {
      case 'chars':
        return [9, 10, 11, 12, 13, 32, 128].some((code) => node.chars[code]);
      case 'sequence':
        return node.items.some(takesBlank);
      case 'choice':
        return node.options.some(takesBlank);
      case 'repeat':
      case 'catch':
        return takesBlank(node.item);
      default:
        return false;
    }
  };
  for (const { name, pattern, flags } of RULES)
    expect(takesBlank(readPattern(pattern, flags === 'i')), name).toBe(pattern.includes(' '));
});

describe('at the end of a text that continues', () => {
  const token = fill('ghp_{36:b}', chance);

  test('a key is one from its sign and a few characters on, until it is whole', () => {
    for (let length = 10; length <= token.length; length++) {
      const text = `tok ${token.slice(0, length)}`;
      expect(begun(text)).toEqual([`github-token ${token.slice(0, length)}`]);
      expect(findSecrets(text, undefined, true)[0]?.partial === true).toBe(length < token.length);
    }
    expect(begun(`tok ${token.slice(0, 9)}`)).toEqual([]);
    expect(begun(`tok ${token.slice(0, 30)} `)).toEqual([]);
    expect(findSecrets(`tok ${token.slice(0, 30)}`)).toEqual([]);
  });

  test.each([
    ['PASSWORD=Kalo', 'password Kalo'],
    ['"password": "kalo', 'password kalo'],
    ['openssl enc -pass pass:Kal', 'password Kal'],
    ['API_KEY=k8Zr2L', 'secret k8Zr2L'],
    ["sh -c 'export API_TOKEN='\\''k8Zr2L", 'secret k8Zr2L'],
    ['postgres://app:Kalo', 'database-url-password Kalo'],
    ['https://app:Kalo', 'url-password Kalo'],
    ['curl -u deploy:kalom', 'curl-user kalom'],
    ['Authorization: Bearer k8Zr2L', 'bearer-token k8Zr2L'],
    ['xoxb-123456', 'slack-token xoxb-123456'],
    ['-----BEGIN PRIVATE KEY-----\nMIIEvQIBA', 'private-key MIIEvQIBA'],
    ['-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIEvQIBA', 'private-key MIIEvQIBA'],
  ])('%j has one', (text, found) => expect(begun(text)).toEqual([found]));

  test.each([
    ...[
      'PASSWORD=',
      'password: string',
      'openssl enc -pass pass:',
      'PASSWORD=$DB_P',
      'password = process.env.DB',
      '"token": "abcdefg',
      'PASSWORD=<yo',
    ],
    ...[
      'http://localhost:8080',
      'http://host:port',
      'task-runner-2',
      'sk-learn',
      'npm_config_registry',
      'Basic authentication',
    ],
    ...[
      'ghp_xxxxxxxxxxxx',
      '-----BEGIN PRIVATE KEY-----\n',
      '-----BEGIN PUBLIC KEY-----\nMIIEvQIBA',
      'curl -u deploy:',
      'PASS',
    ],
    ...[
      'PASSWORD=[redacted:password:00c0ffee]',
      'git_token_sha=9f86d08188',
      'token=0xdAC17F958D2ee523a2206206994597C13D831ec7',
    ],
  ])('%j has none', (text) => expect(begun(text)).toEqual([]));

  test.each([
    // Their sign stands in the middle or at the end, or behind them.
    ['hDBJRoWDjiGZQe.atlasv1.QVaBq2rz', 'terraform-token'],
    ['AAAAC9cmliM:APA91bQkKnSU46', 'firebase-key'],
    ['GtR8Q~oLqt5esbtLD', 'azure-client-secret'],
    ['7XxcvYgYerqaEwE3MJ', 'secret'],
    ['9d1fbed17444d49b8e865e04b1d488e0', 'secret'],
    ['"AAAAAAAAAAAAAAAAAAAAAsaN', 'twitter-token'],
    ['shop:WaJHozKXyq', 'secret'],
    ['app:47db8506-16b1-41dd', 'secret'],
    ['echo "deploy:KGvYkgQLvRNaX', 'piped-password'],
    ['7z x -pNECzwpj', 'tool-password'],
    ["zip -P '4d991983-f086", 'server-password'],
    ['AKIAJPLENM', 'aws-access-key'],
  ])('%s is hidden as %s', (text, rule) => {
    const [one] = findSecrets(`Look: ${text}`, undefined, true);
    expect(one?.rule).toBe(rule);
    expect(redactText(`Look: ${text}`, undefined, labelOf).findings).toEqual({});
  });

  test.each([
    'echo kT7vQz2Lr9mX4b | docker login -u a --password-stdin',
    'echo "kT7vQz2Lr9mX4b" | npx wrangler secret put KEY',
  ])('%s hides its secret however much of it is there', (text) => {
    const end = text.indexOf('kT7vQz2Lr9mX4b') + 14;
    const options: RedactionOptions = { grows: () => true };
    for (let length = end; length <= text.length; length++)
      expect(redactValue({ text: text.slice(0, length) }, options, labelOf).value.text).not.toContain('kT7vQz2Lr9');
  });

  test.each([
    ...[
      '0664aa0a9a1c4a0b8e1f2d3c4b5a69788f9e0d1c',
      'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    ],
    ...[
      '3f2b8c1e-9a47-4d6b-8e21-7c5f0a9b1d34',
      'src/secrets/last-word.ts:12:9',
      'https://example.net/a/long/path/to/page2',
    ],
    ...['npm:@types/node@20.19.1', 'echo "hello', 'the_name_of_a_long_function_v2', 'camelCaseNameOfSomething2'],
  ])('%s is no beginning', (text) => expect(begun(`Look: ${text}`)).toEqual([]));

  test('a value of the environment is one from six characters on', () => {
    const options: RedactionOptions = { values: ['correct-horse-battery'] };
    expect(begun('it is correc', options)).toEqual(['environment correc']);
    expect(begun('it is correct-horse-batter', options)).toEqual(['environment correct-horse-batter']);
    expect(begun('it is corre', options)).toEqual([]);
    expect(begun('it is correct!', options)).toEqual([]);
  });

  test('rules that are off and texts that are allowed stay so', () => {
    expect(begun(token.slice(0, 30), { off: ['github-token', 'secret'] })).toEqual([]);
    expect(begun('PASSWORD=Kalo', { off: ['password'] })).toEqual([]);
    expect(begun('PASSWORD=Kalo', { allow: ['Kalo'] })).toEqual([]);
  });

  test('its label says nothing of it, and nothing changes the second time', () => {
    const label = (secret: string, rule: string, isBegun?: boolean): string => labelOf(isBegun ? rule : secret);
    const options: RedactionOptions = { grows: (key) => key === 'text' };
    const once = redactValue({ text: `tok ${token.slice(0, 30)}`, other: token.slice(0, 30) }, options, label).value;
    expect(once).toEqual({ text: `tok [redacted:github-token:${labelOf('github-token')}]`, other: token.slice(0, 30) });
    expect(redactValue(once, options, label).value).toBe(once);
    expect(redactValue({ text: token }, options, label).value.text).toBe(redactText(token, undefined, labelOf).text);
  });

  test('any text stays what it was once it is redacted, and loses no more than its end', () => {
    const options: RedactionOptions = { grows: () => true };
    // A finding that depends on text behind it may end before the text does.
    const late = RULES.filter((rule) => rule.late).map(({ name }): string => name);
    fc.assert(
      fc.property(secretText, (text) => {
        const once = redactValue({ text }, options, labelOf).value.text;
        expect(redactValue({ text: once }, options, labelOf).value.text).toBe(once);
        const [last] = findSecrets(text, undefined, true).filter(
          ({ rule, partial }) => partial && !late.includes(rule),
        );
        if (last) expect(last.end).toBe(text.length);
      }),
      { numRuns: 1000 },
    );
  });
});

test('searches a long text without findings again when it continues', () => {
  const options: RedactionOptions = { grows: (key) => key === 'text' };
  const text = `${'All is well. '.repeat(300)}ghp_x7Kq2m`;
  expect(findSecrets(text, options)).toEqual([]);
  expect(findSecrets(text, options)).toEqual([]);
  expect(findSecrets(text, options, true).map(({ rule, partial }) => [rule, partial])).toEqual([
    ['github-token', true],
  ]);
  expect(redactValue({ other: text }, options, () => '0000beef').value.other).toBe(text);
  expect(redactValue({ text }, options, () => '0000beef').value.text).toMatch(/\[redacted:github-token:0000beef\]$/);
});

test('a long text that was found to hold nothing is not known to other rules', () => {
  const text = `${'All is well. '.repeat(300)}internal-4711`;
  const own = { own: [{ name: 'ours', pattern: 'internal-[0-9]{4}' }] };
  expect([findSecrets(text, {}).length, findSecrets(text, own).length, findSecrets(text, own).length]).toEqual([
    0, 1, 1,
  ]);
});
