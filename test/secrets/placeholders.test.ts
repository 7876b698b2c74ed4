// A row or a word that stands in for a secret acquits a text only where hardly anything in it is drawn besides.
import { expect, test } from 'vitest';
import { findSecrets } from '../../src/secrets/find.ts';
import { Chance, fill } from '../support/secrets-corpus.ts';

test.each([
  'xoxb-123456789012-1234567890123-{24:b}',
  'SLACK_BOT_TOKEN=xoxb-123456789012-1234567890123-{24:b}',
  'https://hooks.slack.com/services/T00000000/B00000000/{24:b}',
  'https://hooks.slack.com/services/T0ABCDEFG/B0ABCDEFG/{24:b}',
  'GITHUB_TOKEN=ghp_12345678{28:b}',
  'ghp_{26:b}0123456789',
  'sk_live_FAKE{20:b}',
  'sk-proj-{20:b}xxxx{20:b}',
  'sk-{10:h}deadbeef{22:h}',
  'API_KEY={8:h}000000{24:h}',
  'api_key: your{32:b}',
])('%s is a secret in spite of it', (template) => {
  const chance = new Chance(5);
  for (let index = 0; index < 40; index++) expect(findSecrets(fill(template, chance))).toHaveLength(1);
});

test.each([
  `ghp_${'abcdefghijklmnopqrstuvwxyz'}0123456789`,
  'DD_API_KEY=0123456789abcdef0123456789abcdef',
  'API_KEY=fedcba98765432100123456789abcdef',
  'API_KEY=00112233445566778899aabbccddeeff',
  'API_SECRET=abcdefgh12345678ijklmnop87654321',
  'API_KEY=a1b2c3d4-e5f6-7890-abcd-ef1234567890',
  'API_KEY=12345678-90ab-cdef-1234-567890abcdef',
  'SECRET=deadbeefcafebabedeadbeefcafebabe',
  `SLACK_TOKEN=xoxb-123456789012-1234567890123-${'AbCdEfGhIjKlMnOpQrStUvWx'}`,
  'SLACK_TOKEN=xoxb-2345678901-9876543210987-xxxxxxxxxxxxxxxxxxxxxxxx',
  'SLACK_TOKEN=xoxb-your-token',
  'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX',
  `${'AKIA'}XXXXXXXXXXXXXXXX`,
  `${'AKIA'}1234567890ABCDEF`,
  `${'AKIA'}QWERTYUIOPASDFGH`,
  `sk-proj-${'1234567890'}abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP`,
  'GITHUB_TOKEN=ghp_fakeTokenForTestingPurposesOnly1234567890',
  'OPENAI_API_KEY=sk-your-openai-api-key-here-1234567890',
  'OPENAI_API_KEY=<your-api-key>',
])('%s is none', (text) => expect(findSecrets(text)).toEqual([]));

const headersOf = (pair: string): string[] => {
  const encoded = Buffer.from(pair).toString('base64');
  return [`Authorization: Basic ${encoded}`, `{"auths":{"ghcr.io":{"auth":"${encoded}"}}}`];
};

test.each([
  ...[
    'user:pass',
    'test:test',
    'user:password',
    'admin:admin123',
    'foo:bar',
    'client_id:client_secret',
    'alice:secret',
  ],
  ...['Aladdin:open sesame', 'test:123£', 's6BhdRkqt3:gX1fBat3bV'],
])('%s in base64 is a placeholder', (pair) => {
  for (const text of headersOf(pair)) expect(findSecrets(text)).toEqual([]);
});

test.each([
  ...['eva:vG54x6dpVDfp', 'svc:8d8610a9', 'bob:correct horse', 'deploy:hunter2'],
  `${fill('{32:h}', new Chance(6))}:api_token`,
  `AWS:${fill('{900:b}', new Chance(7))}`,
  `_json_key:{"type":"service_account","private_key":"${fill('{900:b}', new Chance(8))}"}`,
])('%s in base64 is a secret', (pair) => {
  for (const text of headersOf(pair)) expect(findSecrets(text)).toHaveLength(1);
});

test.each(['access_token=2YotnFZFEjr1zCsicMWpAA', '"refresh_token": "tGzv3JOkF0XG5Qx2TlKWIA"'])(
  '%s is an example of a standard',
  (text) => expect(findSecrets(text)).toEqual([]),
);
