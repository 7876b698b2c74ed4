// Secrets in what JSON, URLs and forms escape without need: `\/` of PHP, `\u003d` of .NET, `%3D`, at any depth.
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { sensitiveValues } from '../../src/secrets/environment.ts';
import { findSecrets } from '../../src/secrets/find.ts';
import { readingsOf, unescaped } from '../../src/secrets/reading.ts';
import { redactText, redactValue } from '../../src/secrets/redact.ts';
import { redactedText } from '../../src/secrets/stream.ts';
import { fc } from '../support/property.ts';
import { Chance, SAMPLED_RULES, sampleOf } from '../support/secrets-corpus.ts';

const textsOf = (text: string): string[] => readingsOf(text, 0).map((reading) => reading.text);

describe('a text reads', () => {
  test.each<[string, string, ...string[]]>([
    ['without escapes as it is', 'plain "text" \\n of \\t any \\\\ kind'],
    ['a slash as PHP writes it', 'https:\\/\\/a.b\\/c', 'https://a.b/c'],
    ['signs as .NET writes them', 'a\\u003db\\u0026c\\u002Bd', 'a=b&c+d'],
    ['letters beyond ASCII', 'gr\\u00fc\\u00DFe', 'grüße'],
    ['JSON in JSON', '\\\\\\/ and \\\\u003d', '/ and ='],
    ['a backslash as it is, for the others depend on it', 'a\\u005cn\\/', 'a\\u005cn/'],
    ['what is no escape as it is', 'C:\\users\\u12 100% %zz %e4 \\/', 'C:\\users\\u12 100% %zz %e4 /'],
    ['a URL', 'a%3Db%20c%0Ad', 'a=b c\nd'],
    ['a form', 'a%3Db+c&d=e+%26', 'a=b c\nd=e &'],
    ['signs beyond ASCII in a URL', 'gr%C3%BC%c3%9fe%20%F0%9F%98%80%20%C3%28', 'grüße 😀 %C3('],
    ['a sum beside a form as a sum', 'a%3Db 1 + 2 x+y', 'a=b 1 + 2 x+y'],
    ['a URL in JSON both ways', 'a\\u003d%3d', 'a=%3d', 'a=='],
  ])('%s', (_name, text, ...readings) => {
    expect(textsOf(text)).toEqual(readings);
  });

  test('returns the places of its escapes only if nothing else differs', () => {
    const [json, asUrl, again] = readingsOf('a\\/b%5C%2Fc', 0);
    expect(json?.escapes).toEqual({ begins: [0, 2], moved: [0, 1] });
    expect([asUrl?.escapes, again?.escapes]).toEqual([null, null]);
  });

  test('returns the place of each character in the original', () => {
    const piece = fc.constantFrom(
      '\\/',
      '\\u003d',
      '\\\\\\/',
      '%3D',
      '%20',
      '\\n',
      'a',
      'bc',
      '"',
      '+',
      ' ',
      '%',
      '\\',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.nat(5), (pieces, from) => {
        const text = `12345${pieces.join('')}`;
        for (const { text: read, placeOf } of readingsOf(text, from)) {
          expect(placeOf(0)).toBe(from);
          expect(placeOf(read.length)).toBe(text.length);
          for (let index = 0; index < read.length; index += 1) {
            const written = text.slice(placeOf(index), placeOf(index + 1));
            const sign = read.charAt(index);
            if (written !== sign) expect(written).toMatch(/^(?:\\+\/|\\+u003d|%3D|%20|\+)$/);
            expect(['/', '=', ' ', written]).toContain(sign);
          }
        }
      }),
      { numRuns: 2000 },
    );
  });
});

const KEY = [
  '-----BEGIN PRIVATE KEY-----',
  'MIIBVQIBADANBgkqhkiG9w0BAQEFAASCAT8wggE7AgEAAkEAq7BFUpkGp3/L',
  'QmlRx2/eoMUYCFrFTPlRHqjCdeMmoS1+aJ8bTqcw9PGqB7Z2vF4k0D5xN3Yp',
];
const END = '-----END PRIVATE KEY-----';
const php = (value: unknown): string => JSON.stringify(value).replaceAll('/', '\\/');
const net = (value: unknown): string =>
  JSON.stringify(value).replaceAll(/[+=&'<>]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16).toUpperCase()}`);

const both = (value: unknown): string => net(value).replaceAll('/', '\\/');
const labelOf = (secret: string): string => createHash('sha1').update(secret).digest('hex').slice(0, 8);

describe('finds a secret, and its marker keeps the text around it', () => {
  const azure = 'Zk3+/xQ9vB7mT2pL8sR4wY6hN1cD5fG0jK+eA/uV3iO7yX2bM9qP4tS8rW6zH1lC5dF0gJ+oE/nU3kI7aY==';
  test.each([
    ['a URL of a database', 'mysql://shop:kT7vQz2Lr9@db.internal:3306/shop'],
    ['a webhook', 'https://hooks.slack.com/services/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'],
    ['an account of Azure', `AccountName=shop;AccountKey=${azure};EndpointSuffix=core.windows.net`],
    ['a password in XML', '<password>rT5x/vB8=nM2+k</password>'],
    ['a header', 'Authorization: Bearer qP5+xT8/nR2vK7sL4mB9wY3zF6hJ1dG0'],
  ])('%s', (_name, text) => {
    const plain = redactText(text, undefined, labelOf).text;
    expect(plain).toMatch(/\[redacted:/);
    for (const write of [php, net, both]) {
      for (const depth of [1, 2, 3]) {
        let json = write(text);
        for (let level = 1; level < depth; level += 1) json = write(json);
        let told = redactText(json, undefined, labelOf).text;
        for (let level = 0; level < depth; level += 1) told = JSON.parse(told) as string;
        expect(told).toBe(plain);
      }
    }
    const url = (inner: string): string => `https://a.example/?next=${inner}&page=2`;
    const told = redactText(url(encodeURIComponent(text)), undefined, labelOf).text;
    expect(decodeURIComponent(told)).toBe(url(plain));
  });

  test('a private key, the same in every way to write it', () => {
    const labels = new Set<string>();
    const label = (secret: string): string => {
      labels.add(secret);
      return '0000beef';
    };
    const text = [...KEY, END].join('\n');
    for (const written of [
      text,
      php(text),
      net(text),
      php(php(text)),
      text.replaceAll('\n', '$\n'),
      text.replaceAll('\n', '^M$\n'),
    ]) {
      const redacted = redactText(written, undefined, label).text;
      for (const line of KEY.slice(1)) expect(unescaped(redacted)).not.toContain(line.slice(0, 20));
      expect(redacted).toMatch(
        /BEGIN PRIVATE KEY-----.{1,8}\[redacted:private-key:0000beef\].{0,8}-----END PRIVATE KEY/s,
      );
    }
    expect(labels.size).toBe(1);
  });

  test('a value of the environment, under one label', () => {
    const value = 'Grüße+an/alle & "jeden"';
    const options = { values: sensitiveValues({ SHOP_PASSWORD: value }) };
    const form = new URLSearchParams({ a: value }).toString();
    const ways = [
      encodeURIComponent(value).replaceAll('%2F', '/'),
      value,
      php(value),
      net(value),
      php(value).replaceAll('ü', '\\u00fc').replaceAll('ß', '\\u00df'),
      encodeURIComponent(value),
      encodeURI(value),
      form,
    ];
    for (const way of ways) {
      const redacted = redactText(`<${way}>`, options, (secret) => (secret === value ? '0000beef' : '00000bad')).text;
      expect(redacted).toMatch(/^<(?:"|a=)?\[redacted:environment:0000beef\]"?>$/);
    }
  });

  test('in decoded values, and not where it is allowed as it is written', () => {
    const text = 'see https:\\/\\/shop:kT7vQz2Lr9@git.internal\\/x';
    const { value } = redactValue({ output: text }, undefined, () => '0000beef');
    expect(value.output).toBe('see https:\\/\\/shop:[redacted:url-password:0000beef]@git.internal\\/x');
    for (const allow of ['kT7vQz2Lr9'])
      expect(redactValue({ output: text }, { allow: [allow] }, () => '0000beef').value.output).toBe(text);
    const escaped = 'mysql:\\/\\/shop:kT7\\u002bvQz2Lr9@db\\/x';
    expect(findSecrets(escaped).length).toBe(1);
    expect(findSecrets(escaped, { allow: ['kT7\\u002bvQz2Lr9'] })).toEqual([]);
    expect(findSecrets(escaped, { allow: ['kT7+vQz2Lr9'] })).toEqual([]);
  });

  test('in a stream that is cut anywhere', () => {
    const text =
      `${'x '.repeat(40)}${php({ url: 'mysql://shop:kT7vQz2Lr9@db.internal/shop', key: KEY.join('\n') })}`.repeat(400);
    const whole = redactText(text, undefined, () => '0000beef').text;
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: 1, maxLength: 6 }), (sizes) => {
        const stream = redactedText(undefined, () => '0000beef');
        let out = '';
        for (let at = 0, turn = 0; at < text.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1;
          out += stream.push(text.slice(at, at + Math.max(size, 500)));
          at += Math.max(size, 500);
        }
        expect(out + stream.end() === whole).toBe(true);
      }),
      { numRuns: 30 },
    );
  });
});

test.each([
  ['a pattern of JavaScript', 'const URL = /^https?:\\/\\/[^:]+:[^@]+@[a-z.]+\\/password=\\w+/;'],
  ['a table of letters', '/[\\u0041-\\u005a\\u0061-\\u007a\\u00aa\\u00b5\\u00ba\\u00c0-\\u00d6]/'],
  ['a printf', 'printf("password=%20s token=%40d\\n", a, b);'],
  ['a link', 'https://a.example/?q=reset%20password%3A%20how%20to&token=none'],
  ['a colour behind a command', '{"output":"vault login \\u001b[0m done"}'],
  ['a path', 'C:\\\\users\\\\update\\\\/etc\\/passwd'],
])('%s is none', (_name, text) => {
  expect(findSecrets(text)).toEqual([]);
});

describe('whatever is written around secrets', () => {
  const junk = [
    'é',
    ' and ',
    '\n',
    '"',
    "'",
    '\\',
    '/',
    '%',
    '%20',
    '+',
    '=',
    'C:\\users\\u',
    '\t',
    '{',
    '}',
    ';',
    '\u001b[0m',
  ];
  const escapes = ['\\n', '%5C', '%22', '\\u0041', '\\/', '\\u0027'];
  const secret = fc
    .tuple(fc.constantFrom(...SAMPLED_RULES), fc.nat(24), fc.nat(1e9))
    .map(([rule, index, seed]) => sampleOf(rule, index, new Chance(seed)).text);
  const piece = fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...junk, ...escapes) },
    { weight: 1, arbitrary: secret },
  );
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('').toWellFormed());
  const again = (written: string): string => redactText(written, undefined, labelOf).text;

  test('JSON stays JSON, a URL a URL, and redacting again changes nothing', () => {
    const writer = fc.constantFrom(JSON.stringify, php, net, both);
    fc.assert(
      fc.property(text, writer, fc.integer({ min: 1, max: 3 }), (content, write, depth) => {
        let json = write({ content, n: 1 });
        for (let level = 1; level < depth; level += 1) json = write({ inner: json, n: level });
        const redacted = again(json);
        let told = JSON.parse(redacted) as { inner?: string; n: number };
        for (let level = depth - 1; level >= 1; level -= 1) {
          expect(told.n).toBe(level);
          told = JSON.parse(told.inner ?? '') as typeof told;
        }
        expect(told).toEqual({ content: expect.any(String), n: 1 });
        const url = again(`https://a.example/?q=${encodeURIComponent(content)}&page=2`);
        expect(decodeURIComponent(url)).toMatch(/&page=2$/);
        for (const once of [again(content), redacted, url]) expect(again(once)).toBe(once);
      }),
      {
        numRuns: 600,
        examples: [
          ["-U sa sqlcmd -P 'awxIg9UA1ZVhiyX'", net, 1],
          ["zip -P 'tjatZAeh5nsR2Gkp2A' a.zip", both, 2],
          // An escape in front of it and the first of the key are as long as a whole key.
          [`${'AKIA'}U3I47YV6UAWMVHVI,${'emvmKRUMc94WNbuks1mRJoGuevsU9dHRY5wGKZ'}/M`, JSON.stringify, 1],
        ],
      },
    );
  });
});
