// Values of sensitive variables of the environment: which are, and how they may be written.
import { describe, expect, test } from 'vitest';
import { sensitiveValues, waysToWrite } from '../../src/secrets/environment.ts';
import type { RedactionOptions } from '../../src/secrets/options.ts';
import { redactText } from '../../src/secrets/redact.ts';
import { labelOf } from '../support/secrets-text.ts';

const redact = (text: string, options?: RedactionOptions): string => redactText(text, options, labelOf).text;

describe('the environment', () => {
  const environment = {
    ACME_TOKEN: 'k8Zr2Lw9Qx4Tn6Vb',
    DB_PASSWORD: 'Kolmiva#482',
    DATABASE_URL: 'postgres://app:Zanpel77!@db/x',
    HOME: '/home/user',
    PATH: '/usr/bin:/bin',
    LANG: 'en_US.UTF-8',
    API_KEY: 'short1',
    SECRET_FILE: '/run/secrets/k8Zr2Lw9',
    MY_SECRET: 'changeme-please-1',
    MAX_TOKENS: '1234567890',
    OTHER: 'k8Zr2Lw9Qx4Tn6Vbxx',
    GONE: undefined,
  };

  test.each([
    ['/oPqqlpPDUBiwoyJ7odHC5l7pYYNWEzqy', true],
    ['{B~Ao9C4', true],
    ['../+v3StAXbJ2Q0mVq', true],
    ['/run/secrets/db_password', false],
    ['/nix/store/8g5vs3mq1rjq1kbx2p9gg4m1lz4kzr7c-secret', false],
    ['~/.aws/credentials', false],
    ['{vault:secret/data/app}', false],
  ])('a value that begins as paths and templates do: %s', (value, is) =>
    expect(sensitiveValues({ MY_PASSWORD: value })).toEqual(is ? [value] : []),
  );

  test('has values that are sensitive by their name and shape', () => {
    expect(sensitiveValues(environment)).toEqual(['k8Zr2Lw9Qx4Tn6Vb', 'Kolmiva#482', 'Zanpel77!']);
  });

  test.each([
    ...[
      ['MY_TOKEN', 'correct-horse-battery'],
      ['MY_SERVICE_TOKEN', 'Zq8-plainlooking-stuff'],
      ['API_KEY', 'mycompanykey'],
      ['SECRET', 'hunting-season'],
      ['GITHUB_PAT', 'mycompanypat'],
      ['STRIPE_SK', 'plainvaluesk'],
      ['CREDENTIALS', 'mycompanykeyzz'],
      ['SERVICE_CREDS', 'plainplainx'],
      ['PGPASSWORD', 'dummyvalue99'],
      ['MYSQL_PWD', 'plainlow'],
    ],
    ...[
      ['SECRET_KEY_BASE', 'just some words'],
      ['DB_PASSWORD', '(paren-start'],
      ['DB_PASSWORD', '$tartsWith'],
      ['X_TOKEN', '123456789012'],
      ['STRIPE_KEY', 'mixed-value-7'],
    ],
  ])('has the value of %s, plain as it is: %s', (name, value) =>
    expect(sensitiveValues({ [name]: value })).toEqual([value]),
  );

  test.each([
    ...[
      ['PWD', 'somewhere-else'],
      ['OLDPWD', 'somewhere'],
      ['TOKEN_URL', 'https://id.example.net/token'],
      ['SECRET_FILE', 'some-file-name'],
      ['API_KEY', 'production'],
      ['DB_PASSWORD', 'Disabled'],
      ['PASSWORD', '12345678'],
      ['AUTH_KEY', 'config/keys/auth.pem'],
      ['SOURCE_PAT', 'src/**/*.ts'],
      ['SECRET', 'your-secret'],
    ],
    ...[
      ['SECRET', '$' + '{OTHER_SECRET}'],
      ['SECRET', '$OTHER_SECRET'],
      ['HF_TOKENIZER', 'bert-base-uncased'],
      ['CACHE_KEY', 'v1-linux-node20'],
      ['STRIPE_KEY', 'plain-value'],
      ['KEYBOARD', 'german-nodeadkeys1'],
      ['TOKEN', 'short-1'],
      ['TOKEN', '--------'],
    ],
  ])('has none for %s, %s', (name, value) => expect(sensitiveValues({ [name]: value })).toEqual([]));

  test('a value of letters alone is not found inside a longer word', () => {
    const options: RedactionOptions = { values: ['mycompanykey', 'other-value'] };
    expect(redact('mycompanykeyring, amycompanykey', options)).toBe('mycompanykeyring, amycompanykey');
    for (const text of ['mycompanykey', '\\nmycompanykey_', 'x=mycompanykey.'])
      expect(redact(text, options)).toContain('[redacted:environment:');
    expect(redact('another-values', options)).toMatch(/^an\[redacted:environment:[0-9a-f]{8}\]s$/);
  });

  test('they are found anywhere, however they are written', () => {
    const value = 'quo"te\\and#1';
    const options: RedactionOptions = { values: [value] };
    for (const text of [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)]) {
      expect(redact(`see ${text} here`, options)).toMatch(/^see \[redacted:environment:[0-9a-f]{8}\] here$/);
    }
    expect(waysToWrite('plain-value-1')).toEqual(['plain-value-1']);
  });
});
