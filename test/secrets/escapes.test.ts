// Secrets behind escapes of escapes, as programs write JSON into JSON and into forms; what stands around them stays what it was.
import { describe, expect, test } from 'vitest';
import { findSecrets } from '../../src/secrets/find.ts';
import type { RedactionOptions } from '../../src/secrets/options.ts';
import { redactText } from '../../src/secrets/redact.ts';
import { Chance, fill, SAMPLED_RULES, sampleOf } from '../support/secrets-corpus.ts';
import { labelOf } from '../support/secrets-text.ts';

const redacted = (text: string, options?: RedactionOptions): string => redactText(text, options, labelOf).text;
const marker = (rule: string, secret: string): string => `[redacted:${rule}:${labelOf(secret)}]`;

/** Puts a value into a text, JSON in JSON, so many times. */
const nested = (value: unknown, depth: number): string =>
  depth === 0 ? JSON.stringify(value) : nested({ body: JSON.stringify(value) }, depth - 1);
const innermost = (text: string, depth: number): unknown => {
  const value = JSON.parse(text);
  return depth === 0 ? value : innermost(value.body, depth - 1);
};

/** As System.Text.Json writes by default: no quotes and signs of HTML in it. */
const asDotNet = (value: unknown): string =>
  JSON.stringify(value)
    .replace(/(?<!\\)((?:\\\\)*)\\"/g, '$1\\u0022')
    .replace(/[<>&'+`]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`);

describe('a private key', () => {
  const chance = new Chance(77);
  const lines = [fill('{64:s}', chance), fill('{64:s}', chance), fill('{40:s}', chance)];
  const key = `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
  const clean = redacted(key);

  test.each([0, 1, 2, 3, 4, 5, 6])('in JSON %d times in JSON', (depth) => {
    const text = redacted(nested({ key }, depth));
    expect(innermost(text, depth)).toEqual({ key: clean });
  });

  test.each(['\\u000a', '\\u000A', '\\u000d\\u000a', '\\r\\n'])('with line ends as %s', (end) => {
    const text = redacted(`{"key":"${key.replaceAll('\n', end)}"}`);
    expect(JSON.parse(text).key.replaceAll('\r', '')).toBe(clean);
  });

  // As GitHub Actions writes values, and what is escaped twice.
  test.each(['%0A', '%0D%0A', '%250A'])('with nothing but line ends escaped, as %s', (end) => {
    for (const one of [
      key,
      `-----BEGIN EC PRIVATE KEY-----\n${'aB+/9'.repeat(12)}a+b/\n${'x+Y/z0'.repeat(8)}\n-----END EC PRIVATE KEY-----\n`,
    ]) {
      const text = redacted(`::set-output name=key::${one.replaceAll('\n', end)}`);
      for (const line of one.split('\n').slice(1, -2)) expect(text).not.toContain(line.slice(0, 16));
    }
  });

  test('is found in JSON in a form, with more text after it', () => {
    const text = `payload=${encodeURIComponent(JSON.stringify({ a: key, b: 'x'.repeat(80), c: [1, 2] }, null, 1))}&x=1`;
    const [, payload = ''] = /^payload=([^&]*)&x=1$/.exec(redacted(text)) ?? [];
    expect(JSON.parse(decodeURIComponent(payload))).toEqual({ a: clean, b: 'x'.repeat(80), c: [1, 2] });
  });

  test('in a text of C', () => {
    expect(redacted(`k = "${key.replaceAll('\n', '\\x0a')}"`)).toBe(`k = "${clean.replaceAll('\n', '\\x0a')}"`);
  });

  test.each([
    ['a URL', encodeURIComponent],
    ['JSON in a form', (text: string) => `payload=${encodeURIComponent(JSON.stringify({ key: text }))}`],
    [
      'JSON of PHP in a form',
      (text: string) => `payload=${encodeURIComponent(JSON.stringify({ key: text }).replaceAll('/', '\\/'))}`,
    ],
  ])('in %s', (_, write) => {
    expect(redacted(write(key))).toBe(
      write(clean)
        .replace(/%5Bredacted%3A/g, '[redacted:')
        .replace(/%3A([0-9a-f]{8})%5D/g, ':$1]'),
    );
  });
});

test('every rule finds its secrets three levels deep in JSON as well as in a text', () => {
  const missed = SAMPLED_RULES.flatMap((rule) =>
    Array.from({ length: 12 }, (_, index) => sampleOf(rule, index, new Chance(index * 77 + 1)))
      .filter(({ text }) => findSecrets(`x ${text} y`).length > 0)
      .filter(({ text, secret }) => redacted(nested(`x ${text} y`, 2)).includes(secret))
      .map(({ text }) => `${rule}: ${text}`),
  );
  expect(missed).toEqual([]);
});

test.each([
  ['mysql://shop:kT7vQz2Lr9@db.internal/shop', 'database-url-password', 'kT7vQz2Lr9'],
  ['https://hooks.slack.com/services/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', 'slack-webhook', ''],
  ['Gruess/an+alle', 'environment', 'Gruess/an+alle'],
])('JSON of PHP in a form: %s', (secret, rule, all) => {
  const written = `payload=${encodeURIComponent(JSON.stringify({ url: secret }).replaceAll('/', '\\/'))}`;
  const found = findSecrets(written, { values: ['Gruess/an+alle'] });
  expect(found.map((one) => one.rule)).toEqual([rule]);
  if (all !== '') expect(redacted(written, { values: ['Gruess/an+alle'] })).toContain(marker(rule, all));
});

describe('a password with a quote in it', () => {
  test.each(['Xk9qW2zLp81"mN4vB7tR', 'Xk"qW2zLp81mN4vB7tR', "Xk'qW2zLp81mN4vB7tR"])('%s', (password) => {
    const body = asDotNet({ user: 'eva', password, next: 'a' });
    const text = redacted(asDotNet({ body }));
    const inner = JSON.parse(JSON.parse(text).body);
    expect(inner).toEqual({
      user: 'eva',
      password: expect.stringMatching(/^\[redacted:password:[0-9a-f]{8}\]$/),
      next: 'a',
    });
  });
});

describe('a number has quotes as its key has', () => {
  const label = labelOf('8273645182736451');
  test.each([
    ['{\\u0022password\\u0022:8273645182736451,\\u0022a\\u0022:1}', `\\u0022[redacted:password:${label}]\\u0022`],
    ['?q=%7B%22password%22%3A8273645182736451%2C%22a%22%3A1%7D', `%22[redacted:password:${label}]%22`],
    ['payload=%7B%0A%20%22password%22%3A%208273645182736451%0A%7D&x=1', `%22[redacted:password:${label}]%22`],
    ['payload=%7B%0A++%22password%22%3A+8273645182736451%0A%7D', `%22[redacted:password:${label}]%22`],
    ['{"a":"{\\u000a  \\"password\\": 8273645182736451\\u000a}"}', `\\"[redacted:password:${label}]\\"`],
    ['?q=%5C%22password%5C%22%3A8273645182736451%7D', `%5C%22[redacted:password:${label}]%5C%22`],
  ])('%s', (text, quoted) => expect(redacted(text)).toBe(text.replace('8273645182736451', quoted)));
});

test.each(['password=Xk9%21qW2zLp', '"password":"Xk9\\u0021qW2zLp"', 'password=Xk9!qW2zLp'])(
  'what is allowed is so however it is written: %s',
  (text) => {
    expect(redacted(text, { allow: ['Xk9!qW2zLp'] })).toBe(text);
    expect(redacted(text)).not.toBe(text);
  },
);

test.each(['pin=%F0%9F%98%80abc', '"pin=\\ud83d\\ude00abc"', 'pin=😀abc'])(
  'a pattern of your own takes a sign as a whole: %s',
  (text) => {
    const own = [{ name: 'pin', pattern: '(?<=pin=).' }];
    expect(redacted(text, { own })).toMatch(/^"?pin=\[redacted:pin:[0-9a-f]{8}\]abc"?$/);
  },
);
