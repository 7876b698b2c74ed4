// Redaction as its callers see it: markers, JSON values, options, the environment, private keys.
import { describe, expect, test } from 'vitest';
import { CtxError } from '../../src/core/errors.ts';
import { findSecrets } from '../../src/secrets/find.ts';
import { keywordsOf } from '../../src/secrets/matcher.ts';
import type { RedactionOptions } from '../../src/secrets/options.ts';
import { plainKeyData } from '../../src/secrets/private-key.ts';
import { redactText, redactValue } from '../../src/secrets/redact.ts';
import { fc } from '../support/property.ts';
import { Chance, sampleOf } from '../support/secrets-corpus.ts';
import { labelOf, secretText } from '../support/secrets-text.ts';

const secret = (rule: string, index = 0): string => sampleOf(rule, index, new Chance(index + 1)).secret;
const redact = (text: string, options?: RedactionOptions): string => redactText(text, options, labelOf).text;

describe('a marker', () => {
  test('names the rule and a label, equal for equal secrets', () => {
    const token = secret('github-token');
    const marker = `[redacted:github-token:${labelOf(token)}]`;
    expect(redactText(`use ${token} or ${token}.`, undefined, labelOf)).toEqual({
      text: `use ${marker} or ${marker}.`,
      findings: { 'github-token': 2 },
    });
    expect(redact(secret('github-token', 1))).not.toBe(marker);
  });

  test('is refused where the label could say more than a short hash does', () => {
    for (const label of ['', 'abc', '0123456789a', 'not hex', 'ABCDEF00']) {
      expect(() => redactText(secret('npm-token'), undefined, () => label)).toThrow('6 to 10 hex digits');
    }
  });

  test('of a private key is the same however the key is written', () => {
    const { text, secret: data } = sampleOf('private-key', 3, new Chance(3));
    const labels = [
      text,
      JSON.stringify(text),
      JSON.stringify(JSON.stringify(text)),
      text.replaceAll('\n', '\n    '),
    ].map((way) => /\[redacted:private-key:[0-9a-f]+\]/.exec(redact(way))?.[0]);
    expect(labels[0]).toBeDefined();
    expect(new Set(labels).size).toBe(1);
    expect(redact(text)).not.toContain(data.slice(0, 20));
    expect(redact(text)).toMatch(/^(-----BEGIN|Private-Lines)/);
  });
});

describe('where rules overlap', () => {
  test('the surest one names what they cover together', () => {
    const token = secret('github-token');
    expect(redact(`TOKEN="${token}"`)).toBe(`TOKEN="[redacted:github-token:${labelOf(token)}]"`);
    expect(redact(`https://x-access-token:${token}@github.com/a/b`)).toBe(
      `https://x-access-token:[redacted:github-token:${labelOf(token)}]@github.com/a/b`,
    );
  });

  test('what is left of a longer one does not stay behind', () => {
    const longer = `${secret('github-token')}-and8x2kq9`;
    expect(redact(`API_TOKEN=${longer}`)).toBe(`API_TOKEN=[redacted:github-token:${labelOf(longer)}]`);
  });
});

test.each([
  ['/tmp/«»/file.txt', 'whsec_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW'],
  ['{"path":"\\/tmp\\/«»\\/a\\/file.txt"}', 'whsec_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW'],
  ['SECRET=«»', 'whsec_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW/aB3dE5fG7x='],
])('of a path only the part that is a token goes: %s', (place, token) => {
  const [before = '', after = ''] = place.split('«»');
  const { text } = redactText(before + token + after, undefined, () => '00c0ffee');
  expect(text).toBe(`${before}[redacted:webhook-secret:00c0ffee]${after}`);
});

describe('in strings inside strings', () => {
  test('the match ends before the quote and the escape that follow', () => {
    const token = secret('secret', 2);
    for (const quote of ['"', '\\"', '\\\\\\"']) {
      expect(redact(`${quote}token${quote}: ${quote}${token}${quote}, ${quote}n${quote}: 1`)).toBe(
        `${quote}token${quote}: ${quote}[redacted:secret:${labelOf(token)}]${quote}, ${quote}n${quote}: 1`,
      );
    }
    expect(redact(`a\\nAPI_KEY=${token}\\nb`)).toBe(`a\\nAPI_KEY=[redacted:secret:${labelOf(token)}]\\nb`);
  });

  test('a password may hold escaped quotes of a deeper level', () => {
    const text = JSON.stringify({ password: 'Kolmi"va#482' });
    expect(JSON.parse(redact(text))).toEqual({ password: expect.stringMatching(/^\[redacted:password:/) });
  });
});

describe('options', () => {
  const token = secret('openai-key');

  test('switch rules off', () => {
    expect(findSecrets(token, { off: ['openai-key'] })).toEqual([]);
    expect(findSecrets('PASSWORD=Kolmiva#482').map(({ rule }) => rule)).toEqual(['password']);
    expect(findSecrets('PASSWORD=Kolmiva#482', { off: ['password'] })).toEqual([]);
    expect(findSecrets(sampleOf('private-key', 1, new Chance(1)).text, { off: ['private-key'] })).toEqual([]);
    expect(findSecrets('x Kolmiva#482 y', { off: ['environment'], values: ['Kolmiva#482'] })).toEqual([]);
  });

  test('allow exact texts and patterns', () => {
    expect(findSecrets(`KEY ${token}`, { allow: [token] })).toEqual([]);
    expect(findSecrets(`API_KEY=${token}`, { allow: [token] })).toEqual([]);
    expect(findSecrets(token, { allow: [token.slice(0, -1)] })).toHaveLength(1);
    expect(findSecrets(token, { allowPatterns: ['sk-[A-Za-z0-9_-]{1,300}'] })).toEqual([]);
    expect(findSecrets(token, { allowPatterns: ['sk-[A-Za-z0-9]{1,3}'] })).toHaveLength(1);
  });

  test('take patterns of the user, with or without a lookbehind', () => {
    const own = [
      { name: 'acme-key', pattern: 'acme-[0-9]{6}' },
      { name: 'acme-pin', pattern: '(?<=pin: )[0-9]{4}' },
    ];
    const options: RedactionOptions = { own };
    expect(redact('acme-123456, pin: 9876!', options)).toBe(
      `[redacted:acme-key:${labelOf('acme-123456')}], pin: [redacted:acme-pin:${labelOf('9876')}]!`,
    );
    expect(redact('acme-123456', { own, off: ['acme-key'] })).toBe('acme-123456');
    expect(findSecrets('acme-123456', { own, allow: ['acme-123456'] })).toEqual([]);
  });

  test.each(['(a+)+b', 'a*a*a*b', '.{1,2000}x', '(a|aa){1,50}b', '(a)\\1', '(', '[a-z]{1,99}[a-z]{1,99}!'])(
    'refuse the pattern %s',
    (pattern) => {
      expect(() => findSecrets('x', { own: [{ name: 'own', pattern }] })).toThrow(CtxError);
      expect(() => findSecrets('x', { allowPatterns: [pattern] })).toThrow(CtxError);
    },
  );

  test('refuse a name that could break a marker', () => {
    for (const name of ['', 'Own', 'a b', 'a:b', 'a]', '-a']) {
      expect(() => findSecrets('x', { own: [{ name, pattern: 'abc' }] })).toThrow('kebab-case');
    }
  });
});

describe('a JSON value', () => {
  const value = (input: unknown, options?: RedactionOptions): unknown =>
    redactValue(input as never, options, labelOf).value;
  const token = secret('secret', 2);
  const marker = `[redacted:secret:${labelOf(token)}]`;

  test('is the same object, down to its parts, if there is nothing to redact', () => {
    const inner = { path: 'src/a.ts', list: [1, 'two', null] };
    const input = { inner, other: [true] };
    expect(value(input)).toBe(input);
    const mixed = { inner, token };
    expect(value(mixed)).toEqual({ inner, token: marker });
    expect((value(mixed) as typeof mixed).inner).toBe(inner);
  });

  test('names its texts by their key, the name beside them, or the flag before them', () => {
    expect(value({ api_key: token })).toEqual({ api_key: marker });
    expect(value({ env: [{ name: 'API_KEY', value: token }] })).toEqual({ env: [{ name: 'API_KEY', value: marker }] });
    expect(value({ args: ['--api-key', token] })).toEqual({ args: ['--api-key', marker] });
    expect(value({ tokens: ['a', token] })).toEqual({ tokens: ['a', `[redacted:secret:${labelOf(token)}]`] });
    expect(value({ password: 'Kolmiva#482' })).toEqual({ password: `[redacted:password:${labelOf('Kolmiva#482')}]` });
    expect(value({ api_key: token }, { off: ['secret'] })).toEqual({ api_key: token });
    expect(value({ api_key: token }, { allow: [token] })).toEqual({ api_key: token });
  });

  test('leaves what only carries such a name', () => {
    const input = { toolCallId: `call_${token}`, next_page_token: token, text: token, token: 'EOF', total_tokens: 12 };
    expect(value(input)).toBe(input);
  });

  test('has its keys redacted, each to its own', () => {
    const [one, two] = [secret('github-token', 1), secret('github-token', 2)];
    expect(Object.keys(value({ [one]: 1, [two]: 2 }) as object)).toEqual([
      `[redacted:github-token:${labelOf(one)}]`,
      `[redacted:github-token:${labelOf(two)}]`,
    ]);
  });

  test('is not asked what a short key of letters holds: no rule takes one for a secret', () => {
    const signs = keywordsOf(new Set()).flatMap(({ words }) => words.filter((word) => /^[A-Za-z_]+$/.test(word)));
    expect(signs.length).toBeGreaterThan(100);
    const letters = fc.string({
      unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_'),
      maxLength: 22,
    });
    fc.assert(
      fc.property(fc.constantFrom(...signs), letters, (sign, rest) => {
        expect(findSecrets(`${sign}${rest}`.slice(0, 24))).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  test('keeps a key that means something to objects', () => {
    const input = JSON.parse(`{"__proto__": {"token": "${token}"}}`);
    expect(JSON.stringify(value(input))).toBe(`{"__proto__":{"token":"${marker}"}}`);
  });
});

test.each(['session-', 'auth_', 'tr-', 'Cookie: sid-', '/home/me/.claude/'])(
  'a JSON Web Token behind %j is found',
  (before) => {
    const token = secret('jwt');
    expect(redact(`${before}${token}.json`)).not.toContain(token);
  },
);

describe('any text', () => {
  test('redacted again stays the same, and nothing outside a finding changes', () => {
    fc.assert(
      fc.property(secretText, (text) => {
        const findings = findSecrets(text);
        const once = redact(text);
        let past = 0;
        const parts: string[] = [];
        for (const { rule, start, end, meant } of findings) {
          expect(start).toBeGreaterThanOrEqual(past);
          expect(end).toBeGreaterThan(start);
          const secret = meant ?? text.slice(start, end);
          const label = rule === 'private-key' ? plainKeyData(secret) : secret;
          parts.push(text.slice(past, start), `[redacted:${rule}:${labelOf(label)}]`);
          past = end;
        }
        parts.push(text.slice(past));
        expect(once).toBe(parts.join(''));
        expect(redact(once)).toBe(once);
      }),
      { numRuns: 1500 },
    );
  });

  test('inside JSON stays JSON, and equal but for the texts that matched', () => {
    fc.assert(
      fc.property(secretText, fc.integer({ min: 1, max: 3 }), (text, depth) => {
        let json = JSON.stringify({ text, n: 1 });
        for (let level = 1; level < depth; level++) json = JSON.stringify({ text: json, n: level });
        let value: { text: string; n: number } = JSON.parse(redact(json));
        for (let level = depth - 1; level >= 1; level--) {
          expect(value.n).toBe(level);
          value = JSON.parse(value.text);
        }
        expect(value.n).toBe(1);
        if (findSecrets(json).length === 0) expect(value.text).toBe(text);
      }),
      { numRuns: 1500 },
    );
  });
});

describe('a marker that was cut off with its line', () => {
  const text = `password: ${redact('password=kT7vQ2mZx9#Lw4').slice('password='.length)}`;
  const ends = Array.from({ length: text.length - 'password: '.length }, (_, cut) => text.slice(0, -1 - cut));

  test.each(['…', ''])('%j names no secret after it', (sign) => {
    for (const cut of ends) {
      if (cut.endsWith(':') || cut.includes('[redacted:')) expect(redact(cut + sign), cut).toBe(cut + sign);
      const bytes = Buffer.from(cut + sign).toString('latin1');
      if (cut.includes('[redacted:')) expect(redact(bytes), cut).toBe(bytes);
    }
  });

  test('is searched as usual after another text', () => {
    expect(redact(`${text.slice(0, -3)} password=kT7vQ2mZx9#Lw4`)).toMatch(
      /password=\[redacted:password:[0-9a-f]{8}\]$/,
    );
  });
});
