// Names: of variables and keys that say so; and where words end in escaped text.

import { describe, expect, test } from 'vitest';
import { checksumOf, crc32, hasChecksum } from '../../src/secrets/checks.ts';
import { findSecrets } from '../../src/secrets/find.ts';
import { beginsCore, coreAt, kindOfName, kindOfWholeName, type NameKind } from '../../src/secrets/name-kinds.ts';
import { isPassword } from '../../src/secrets/passwords.ts';
import { isOpaque, isPlaceholder } from '../../src/secrets/randomness.ts';
import { beginsAt, endsAt } from '../../src/secrets/word-boundaries.ts';
import { fc } from '../support/property.ts';
import { Chance, sampleOf } from '../support/secrets-corpus.ts';

describe('names of values', () => {
  test.each([
    ...[
      ['DB_PASSWORD', 'password'],
      ['smtpPass', 'password'],
      ['PGPASSWORD', 'password'],
      ['passphrase', 'password'],
      ['MYSQL_PWD', 'password'],
    ],
    ...[
      ['apiKey', 'secret'],
      ['X-Api-Key', 'secret'],
      ['client_secret', 'secret'],
      ['accessToken', 'secret'],
      ['SUPABASE_SERVICE_ROLE_KEY', 'token'],
    ],
    ...[
      ['token', 'token'],
      ['csrf_token', 'token'],
      ['_authToken', 'secret'],
      ['STRIPE_KEY', 'token'],
      ['SECRET_ACCESS_KEY', 'secret'],
    ],
    ...[
      ['API_KEYS', 'key'],
      ['apiKeys', 'key'],
      ['SECRETS', 'key'],
    ],
    ...[
      ['NEXT_AUTH_SECRET', 'secret'],
      ['NEXTAUTH_SECRET', 'secret'],
      ['next_password', 'password'],
      ['NEXT_AUTH_PASSWORD', 'secret'],
      ['NEXT_PRIVATE_API_KEY', 'secret'],
      ['nextAuthSecret', 'secret'],
      ['nextSessionSecret', 'secret'],
      ['MY_NEXT_SECRET', 'secret'],
      ['NEXT_AUTH_TOKEN', 'secret'],
      ['NEXT_SANITY_TOKEN', 'token'],
      ['next-auth.session-token', 'secret'],
      ['pageAccessToken', 'secret'],
      ['CURSOR_API_KEY', 'secret'],
      ['startPassword', 'password'],
      ['sync_secret', 'secret'],
    ],
  ])('%s is of a %s', (name, kind) => expect(kindOfWholeName(name)).toBe(kind));

  test.each([
    ...[
      'tokens',
      'passwords',
      'public_api_keys',
      'max_tokens',
      'inputTokens',
      'token_type',
      'nextPageToken',
      'passwordHash',
      'secretName',
      'API_KEY_FILE',
      'public_key',
      'CACHE_KEY',
    ],
    ...[
      'key',
      'id',
      'compass',
      'bypass',
      'passed',
      'passport',
      'PASSWORD_MIN_LENGTH',
      'tokenizer',
      'primary_key',
      ...[
        'next_token',
        'NextToken',
        'NEXT_TOKEN',
        'nextCursorToken',
        'nextForwardToken',
        'next_page_access_page_token',
      ],
      ...[
        'sync_token',
        'nextSyncToken',
        'startToken',
        'prev_page_token',
        'START_KEY',
        'end_of_text_token',
        'pad_token',
      ],
      ...['NEXT_PUBLIC_API_KEY', 'NEXT_PUBLIC_SECRET', 'next_public_password', 'continuation_key', 'STOP_TOKEN'],
      'x'.repeat(200),
    ],
  ])('%s is of none', (name) => {
    const kind = kindOfWholeName(name);
    // A tokenizer is no token, but its name has one in it: what counts is the value.
    if (name === 'tokenizer') expect(kind).toBe('token');
    else expect(kind).toBeNull();
  });
});

describe('a name of several', () => {
  const [first, second] = ['q8ZkP2vX9rT4mW7yB1nC6dF3', 'hJ5sL0aGeUiOqRtYw7Bn2Kd4'];
  const found = (text: string): readonly string[] => findSecrets(text).map(({ start, end }) => text.slice(start, end));
  test.each([
    [`API_KEYS=${first}`, first],
    [`"api_keys": "${first},${second}"`, `${first},${second}`],
    [`SECRETS=${first},${second}`, `${first},${second}`],
  ])('%s', (text, secret) => expect(found(text)).toEqual([secret]));
  test.each(['secrets: inherit', '"api_keys": 12', 'SECRETS=secrets-for-prod-2024-07', `SECRETS=${first},vault`])(
    '%s holds none',
    (text) => expect(found(text)).toEqual([]),
  );
});

test('checks a whole name at every place where a part that counts may be', () => {
  /** The same at every place. */
  const everywhere = (name: string): NameKind | null => {
    for (let index = 0; index < name.length; index += 1) {
      const core = coreAt(name, index);
      if (core && beginsCore(name, index, core.text))
        return kindOfName(name.slice(0, index), core, name.slice(index + core.text.length));
    }
    return null;
  };
  const cores = [
    ...['password', 'passwd', 'passwort', 'passphrase', 'passcode', 'mot_de_passe', 'pass', 'pwd', 'pswd', 'psk'],
    ...['devopspat', 'kennwort', 'wachtwoord', 'token', 'tokens', 'credential', 'credentials', 'senha', 'secret'],
    ...['contrasena', 'sas-key', 'SasKey'],
    ...['extpat', 'ext_pat', '_pw', '_key', '_auth', '_pat', '-pat', 'api.key', 'api_key', 'access-key', 'hmackey'],
    ...['fernet_key', 'webhook-key', 'jwt.key', 'PRIVATE KEY'],
  ];
  const part = fc.constantFrom(...cores, 'db', 'max', 'My', 'OLD', '_', '-', '.', 'İ', 'x1', 'sort', 'HASH', 'ſ', 'K');
  const cased = fc.tuple(part, fc.nat(3)).map(([text, way]) => {
    if (way === 0) return text.toUpperCase();
    return way === 1 ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  });
  fc.assert(
    fc.property(fc.array(cased, { minLength: 1, maxLength: 5 }), (parts) => {
      const name = parts.join('').slice(0, 80);
      expect(kindOfWholeName(name)).toBe(everywhere(name));
    }),
    { numRuns: 3000 },
  );
});

describe('a value', () => {
  test.each(['k8Zr2Lw9Qx4Tn6Vb', '9f86d081884c7d659a2feaa0c55ad015', 'x1-8fJ2kQ9zLm3P-y'])('%s is opaque', (text) =>
    expect(isOpaque(text)).toBe(true),
  );
  test.each([
    'getAccessTokenSilently',
    'user-password-field-name',
    'PostHogAPIKeyV2',
    '/home/user/a1b2c3d4e5',
    'short1',
    '20260122T090114Z',
  ])('%s is not', (text) => expect(isOpaque(text)).toBe(false));
  test.each(['Kolmiva#482', 'hunter22x!', 'Tr0ub4dor&3'])('%s is a password', (text) =>
    expect(isPassword(text)).toBe(true),
  );
  test.each([
    'password123',
    'admin1',
    'correcthorse',
    'this.form.value1',
    '12345678',
    '$PASSWORD1',
    'aaaa1',
    '-anonymous@',
  ])('%s is none', (text) => expect(isPassword(text)).toBe(false));
  const hex = `0000000b7d5f8e9b0c1d2e3f4a5b6c7d8e9f0a1b`;
  test.each([
    'abc-EXAMPLE-1',
    'xxxxxxxx',
    'your-key',
    '12345678',
    '0000000',
    `${'0'.repeat(30)}${hex.slice(-10)}`,
    `Token${'0'.repeat(8)}`,
  ])('%s is a placeholder', (text) => expect(isPlaceholder(text)).toBe(true));
  test.each(['k8Zr2Lw9Qx4Tn6Vb', 'AAAAAAAAAA', 'favyouriteb', `sgp_${hex}`, `sgp_a1b2c3d4e5f60718_${hex}`])(
    '%s does not',
    (text) => expect(isPlaceholder(text)).toBe(false),
  );
});

test('a word begins behind an escape, whichever way it is written', () => {
  for (const before of ['', ' ', '=', '\n', '\\n', '\\t', '\\u000a', '\\x0A', '%3D', '\u001b[31m', '\\u001b[1;32m']) {
    expect(beginsAt(`${before}word`, before.length, 'word'), before).toBe(true);
  }
  for (const before of ['a', 'Z', '0', 'n', '\\q', '31m']) {
    expect(beginsAt(`${before}word`, before.length, 'word'), before).toBe(false);
  }
  expect(beginsAt('-word', 1, 'word')).toBe(true);
  expect(beginsAt('a-word', 2, 'token')).toBe(false);
  expect(beginsAt('a_word', 2, 'token')).toBe(false);
  for (const before of ['-', '_', '\n-', ' -', '\\n-', '\u001b[31m-']) {
    expect(beginsAt(`${before}word`, before.length, 'token'), before).toBe(true);
  }
  expect(beginsAt('aword', 1, 'any')).toBe(true);
});

test('signs in a row around a word are none of it: what marks it in Markdown, a comment of HTML', () => {
  for (const [before, behind] of [
    ['_', '_'],
    ['see __', '__.'],
    ['***_', '_***'],
    ['<!--', '-->'],
    ['"--', '"'],
  ] as const) {
    const text = `${before}word${behind}`;
    expect(beginsAt(text, before.length, 'token'), text).toBe(true);
    expect(endsAt(text, before.length + 4, 'token'), text).toBe(true);
  }
  for (const before of ['a--', 'a__', 'a-_', '-----', 'a-'])
    expect(beginsAt(`${before}word`, before.length, 'token'), before).toBe(false);
  for (const behind of ['--a', '__a', '-_', '-----', '_a', 'a', '_[redacted:password:00c0ffee]'])
    expect(endsAt(`word${behind}`, 4, 'token'), behind).toBe(false);
});

test.each(['google-api-key', 'google-oauth-secret', 'sendgrid-key', 'newrelic-key', 'supabase-key'])(
  'a %s between such signs is found',
  (rule) => {
    const { text: key } = sampleOf(rule, 0, new Chance(5));
    for (const text of [`<!--${key}-->`, `see _${key}_ there`, `see __${key}__.`])
      expect(
        findSecrets(text).map((found) => found.rule),
        text,
      ).toEqual([rule]);
  },
);

test('checksums are those of GitHub and npm', () => {
  // The check value that every description of CRC-32 gives.
  expect(crc32('123456789')).toBe(0xcbf43926);
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const value = [...checksumOf('123456789')].reduce((sum, letter) => sum * 62 + digits.indexOf(letter), 0);
  expect(value).toBe(0xcbf43926);
  expect(checksumOf('')).toBe('000000');
  const random = 'k8Zr2Lw9Qx4Tn6Vbk8Zr2Lw9Qx4Tn6';
  expect(hasChecksum(`abc_${random}${checksumOf(random)}`)).toBe(true);
  expect(hasChecksum(`abc_${random}000000`)).toBe(false);
  expect(hasChecksum(`abc_${random}`)).toBe(false);
});
