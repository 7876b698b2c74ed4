// Hashes beside names of files, paths and images tell what those hold; beside the same words alone they are keys.
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { findSecrets } from '../../src/secrets/find.ts';
import { redactValue } from '../../src/secrets/redact.ts';

const hash = (kind: string): string => createHash(kind).update(kind).digest('hex');
const MD5 = hash('md5');
const SHA1 = hash('sha1');
const SHA256 = hash('sha256');
/** As GPG tells which key it means, and as some services write their keys. */
const CAPITALS = SHA1.toUpperCase();

test.each([
  `checksum/secret: ${SHA256}`,
  `  annotations: { checksum/api-token: "${SHA256}" }`,
  `{"src/auth/token.ts":"${SHA256}"}`,
  `{"src\\/auth\\/token.ts":"${SHA256}"}`,
  `{"https://deno.land/x/secret_env@v1/token.ts":"${SHA256}"}`,
  `{"hashTable":{"/token.js":"${SHA1}","/password.html":"${SHA1}"}}`,
  ...[MD5, SHA1, SHA256].flatMap((one) => [`password.ts: ${one}`, `token.test.ts=${one}`, `'secret.go': '${one}',`]),
  `| token.js | ${SHA1} |`,
  `["token.js", "${SHA1}"]`,
  `image: ghcr.io/acme/auth-token:1.2.3@sha256:${SHA256}`,
  `FROM acme/password-service:latest@sha256:${SHA256} AS build`,
  `docker.io/acme/token-exchange:${SHA1}`,
  `docker.io/acme/token-exchange:sha-${SHA1}`,
  'acme/password-service:main-b07c782',
  `/tmp/api-key-${MD5}/x`,
  `ALTER ROLE x PASSWORD 'md5${MD5}'`,
  `ALTER ROLE x PASSWORD 'SCRAM-SHA-256$4096:W21kCJ1R0JCq9e0y/D1JJw==$WMXUQdASDh4iKmxyqFXrjrSPnBRioUQWgwRzEE/tABM=:dWT01ndKVCI4volS5SliYJWp6ccbqTEf3Dq5BQKuzW8='`,
  '"password": "secretref:my-secret-1"',
  `Signing key: ${CAPITALS}`,
  `GPG signing key: ${CAPITALS.slice(-16)}`,
  `| Signing key | ${CAPITALS} |`,
  `"signing key": "${CAPITALS}"`,
  'password: v1.2.3-beta.4+build.567',
  'password: AES-256-GCM/NoPadding',
])('is none: %s', (text) => {
  expect(findSecrets(text)).toEqual([]);
  if (/^[{[]/.test(text)) expect(redactValue(JSON.parse(text), undefined, () => '00c0ffee').findings).toEqual({});
});

const DRAWN = 'kT7vQz2Lr9mXw4Bp';
test.each([
  [`config/secrets.yml: password: ${DRAWN}`, DRAWN],
  [`src/config.ts:12: token = "${SHA1}"`, SHA1],
  [`src/auth/token.ts:12:  api_token: ${MD5}`, MD5],
  [`{"/prod/db/password":"${MD5}"}`, MD5],
  [`{"Name":"/prod/db/password","Value":"${MD5}"}`, MD5],
  [`\\n/prod/db/password: ${MD5}`, MD5],
  [`api_token: ${SHA1}`, SHA1],
  [`secret: ${SHA256}`, SHA256],
  [`https://acme.io/api/token=${MD5}`, MD5],
  [`curl x/--password ${SHA1}`, SHA1],
  [`token.ts: ${DRAWN}`, DRAWN],
  [`auth/token: ${DRAWN}`, DRAWN],
  [`deploy/prod/db_password: ${SHA256}`, SHA256],
  [`"prod/api/secret_key": "${SHA256}"`, SHA256],
  [`secrets/db_password.txt:${SHA256}`, SHA256],
  [`acme/password: ${DRAWN}`, DRAWN],
  [`jwt.secret.key=${SHA256}`, SHA256],
  [`API key: ${CAPITALS}`, CAPITALS],
  [`"api key": "${CAPITALS}"`, CAPITALS],
  [`| API key | ${CAPITALS} |`, CAPITALS],
  ['api key: 9DC858229FC7DD38', '9DC858229FC7DD38'],
  ...['Secret', 'Access', 'Private', 'Deploy', 'Master', 'License'].map((word) => [
    `${word} key: ${CAPITALS}`,
    CAPITALS,
  ]),
  [`Signing key: ${SHA1}`, SHA1],
  [`Signing key: ${CAPITALS}${CAPITALS.slice(0, 24)}`, `${CAPITALS}${CAPITALS.slice(0, 24)}`],
  [`mailgun: key-${MD5}`, `key-${MD5}`],
])('is one: %s', (text, secret) => {
  expect(findSecrets(text).map(({ start, end }) => text.slice(start, end))).toEqual([secret]);
});
