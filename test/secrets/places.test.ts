// Secrets that have no sign of their own, by the places where they stand: at least 98 of a hundred are found, whole.
import { describe, expect, test } from 'vitest';
import { findSecrets } from '../../src/secrets/find.ts';
import { Chance, fill } from '../support/secrets-corpus.ts';

const SAMPLES = 300;

/** Computes the share of new secrets that is found in a place; `«` and `»` are around them. */
function shareFound(template: string, seed: number): number {
  const chance = new Chance(seed);
  let right = 0;
  for (let index = 0; index < SAMPLES; index++) {
    const [before = '', secret = '', after = ''] = fill(template, chance).split(/[«»]/);
    const end = before.length + secret.length;
    const findings = findSecrets(before + secret + after);
    if (findings.some((one) => one.start <= before.length && one.end >= end)) right++;
  }
  return right / SAMPLES;
}

describe('passwords of letters and digits, as a generator makes them', () => {
  test.each([
    'PGPASSWORD=«{12-16:b}» psql -h db',
    'DB_PASSWORD=«{12-16:b}»',
    '"password": "«{12-16:b}»"',
    'password: «{12-16:b}»',
    'ftp://files:«{12-16:b}»@ftp.example.net/in',
    'smtp://mailer:«{12-16:b}»@smtp.example.net:587',
    'curl -u deploy:«{12-16:b}» https://api.example.net',
    'machine api.example.net login deploy password «{12-16:b}»',
    'Server=db;Password=«{12-16:b}»;Encrypt=true',
  ])('%s', (template) => expect(shareFound(template, 5)).toBeGreaterThanOrEqual(0.98));
});

describe('passwords of letters alone', () => {
  test.each([
    ['PASSWORD=«{16:L}»', 0.97],
    ['DB_PASSWORD=«{32:l}»', 0.95],
    ['"password": "«{16:l}»"', 0.85],
    ['API_SECRET=«{32:l}»', 0.95],
    ['"password": "«{20:L}»"', 0.98],
    ['postgres://app:«{16:L}»@db.example.net/x', 1],
    ['postgres://app:«{10:l}»@db.example.net/x', 0.99],
    ['https://deploy:«{8:d}»@git.example.net/x', 0.98],
  ])('%s', (template, share) => expect(shareFound(template, 6)).toBeGreaterThanOrEqual(share));
});

describe('passwords as base64 of random bytes, and as digits', () => {
  test.each([
    ['POSTGRES_PASSWORD=«{43:b}=»', 1],
    ['DB_PASSWORD=«{27:b}=»', 1],
    ['  password: «{22:b}==»', 1],
    ['"password": "«{43:s}=»"', 0.99],
    ['DB_PASSWORD=«{16:d}»', 0.9],
  ])('%s', (template, share) => expect(shareFound(template, 10)).toBeGreaterThanOrEqual(share));
});

describe('long values', () => {
  const basic = (length: number): string => Buffer.from(`AWS:${'k8Zr2Lw9Qx4Tn6Vb'.repeat(length)}`).toString('base64');
  test.each([
    ...[`Authorization: Basic «${basic(30)}»`, `Authorization: Basic «${basic(120)}»`],
    `{"auths":{"registry.example.net":{"auth":"«${basic(150)}»"}}}`,
    '{"t":"{\\"t\\":\\"{\\\\\\"SessionToken\\\\\\": \\\\\\"«{700:s}»\\\\\\"}\\"}"}',
  ])('of kind %#', (template) => expect(shareFound(template, 11)).toBe(1));

  test('in JSON in JSON, four times over', () => {
    let text = '"password": "Kalomi482x", "SessionToken": "«{600:s}»"';
    for (let depth = 0; depth < 4; depth++) text = JSON.stringify({ text });
    expect(shareFound(text, 12)).toBe(1);
    expect(findSecrets(fill(text, new Chance(12))).map(({ rule }) => rule)).toContain('password');
  });
});

describe('keys with signs in them', () => {
  test.each([
    "SECRET_KEY = '«{50:j}»'",
    "SECRET_KEY = '«django-insecure-{50:j}»'",
    '{"SECRET_KEY": "«{50:j}»"}',
    "define('AUTH_KEY',         '«{64:w}»');",
    "define( 'NONCE_SALT', '«{20:w} {43:w}»' );",
    "define('API_SECRET', '«{64:w}»');",
  ])('%s', (template) => expect(shareFound(template, 7)).toBeGreaterThanOrEqual(0.98));

  test('without quotes, to the end of the line', () => {
    expect(shareFound('SECRET_KEY=«{50:j}»\nDEBUG=1', 8)).toBeGreaterThanOrEqual(0.95);
  });
});

describe('in shells, images and cookies', () => {
  test.each([
    "sh -c 'export API_TOKEN='\\''«{32:b}»'\\'' && run'",
    "echo 'apiKey = '\\''«{32:b}»'\\'', next'",
    "{\"command\": \"sh -c 'export API_TOKEN='\\\\''«{32:b}»'\\\\'' && run'\"}",
    `sh -c 'API_TOKEN='"'"'«{32:b}»'"'"' run'`,
    'ENV API_TOKEN «{32:b}»',
    'RUN x\\nENV API_TOKEN «{32:b}»\\nRUN y',
    '\u001b[1mENV API_TOKEN «{32:b}»',
    'setenv API_TOKEN «{32:b}»',
    'set -gx API_TOKEN «{32:b}»',
    'set -g -x API_TOKEN «{32:b}»',
    'Set-Cookie: session=«{40:b}»; Path=/',
    'Cookie: theme=dark; session=«{40:b}»',
    'jdbc:oracle:thin:scott/«{12:b}»@db.example.net:1521:x',
    'jdbc:oracle:thin:app/«{12:b}»@//db.example.net:1521/x',
  ])('%s', (template) => expect(shareFound(template, 9)).toBeGreaterThanOrEqual(0.98));
});

describe('text in such places that is no secret', () => {
  test.each([
    'password: ConfirmPasswordInputField',
    'password = getPasswordFromKeychain',
    'password: HTTPSConnectionURLParser',
    'PASSWORD=correcthorsebattery',
    'https://user:abc@example.net',
    'https://shop:shop@example.net',
    'https://shop:shop123@example.net',
    'https://x:8080@example.net',
    'postgres://$USER:$PASS@db/x',
    'postgres://%s:%s@db/x',
    'ENV PASSWORD required1',
    'set PASSWORD abc-def-1234',
    'session=k8Zr2Lw9Qx4Tn6Vbk8Zr2Lw9Qx4Tn6',
    '0xdAC17F958D2ee523a2206206994597C13D831ec7',
    'token: 0xdAC17F958D2ee523a2206206994597C13D831ec7',
    'tokenAddress: "0xdAC17F958D2ee523a2206206994597C13D831ec7"',
    'passwd:x:1000:1000::/home/a:/bin/bash',
    'git_token_sha=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b',
    'DEFAULT_PASSWORD_HASHER=PBKDF2PasswordHasher',
    `hashed_password=$2b$12$${'k8Zr2Lw9Qx4Tn6V/'.repeat(3)}k8Zr2`,
    `"password": "$argon2id$v=19$m=65536,t=3,p=4$${'k8Zr2Lw9'.repeat(2)}$${'Qx4Tn6Vb'.repeat(5)}"`,
    `"password": "pbkdf2_sha256$600000$${'k8Zr2Lw9'.repeat(2)}$${'Qx4Tn6Vb'.repeat(5)}="`,
  ])('%s', (text) => expect(findSecrets(text)).toEqual([]));
});

test('a quote that stays open does not run through the JSON around it', () => {
  for (const value of ['Op9e4MF6R;', 'k8Zr2Lw9Qx4Tn6Vbk8Zr']) {
    const json = JSON.stringify({ text: JSON.stringify({ text: `apiKey: '${value}`, n: "it's" }), n: 1 });
    for (const { end } of findSecrets(json)) expect(end).toBeLessThanOrEqual(json.indexOf(value) + value.length);
  }
  expect(findSecrets(JSON.stringify({ text: "apiKey: 'k8Zr2Lw9Qx4Tn6Vbk8Zr", n: 1 }))).toHaveLength(1);
});

describe('a sign in a password that a URL should have escaped', () => {
  test.each([
    ['postgres://app:«Kx9vQ2mZ@ssm9OW9Z»@db.host:5432/db'],
    ['https://app:«Kx9v@Q2mZs7u»@example.com/'],
    ['postgres://app:«Kx9@ssm9OW9ZGi9x»@db.host/db'],
    ['postgres://app:«Kx9v/Q2mZs»@db.host:5432/db'],
    ['mongodb+srv://u:«Kx9v@Q2mZs7u»@c.mongodb.net/?x=y@z'],
    // Text behind the host is none of it.
    ['mysql://u:«pw9Kx2»@host;admin@example.com'],
    ['https://a:«Kx9vQ2»@h1,https://b:«Zx9vQ3»@h2'],
    ['https://x-access-token:«ghs9Kx2vQ»@github.com/o/r@v1'],
    ['https://registry.example:8080/@scope/pkg'],
    ['postgres://host:5432/db?user=a@b'],
    ['redis://cache:6379/0@x'],
  ])('%s', (marked) => {
    const text = marked.replace(/[«»]/g, '');
    const wanted = [...marked.matchAll(/«([^»]*)»/g)].map(([, secret]) => secret);
    expect(findSecrets(text).map(({ start, end }) => text.slice(start, end))).toEqual(wanted);
  });
});
