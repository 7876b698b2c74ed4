// The secret that belongs to an AWS key id is found behind it, whatever stands between.
import { expect, test } from 'vitest';
import { findSecrets } from '../../src/secrets/find.ts';
import { redactText } from '../../src/secrets/redact.ts';

const ID = `${'AKIA'}LWQX5QRZI7PPMXIE`;
const OTHER_ID = `${'ASIA'}3DQ55LJIETC5BCC5`;
const SECRET = 'HLxDsCxqjBLd3qbJskH53rGTD+2U3OpSH5r44wLz';
const HASH = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b';

const redacted = (text: string): string => redactText(text, undefined, () => '00c0ffee').text;

test.each([
  `Access key ID,Secret access key\n${ID},${SECRET}`,
  `\ufeffAccess key ID,Secret access key\r\n"${ID}","${SECRET}"\r\n`,
  `User name,Password,Access key ID,Secret access key,Console login link\r\nbob,,${ID},${SECRET},https://1.signin.example.net/console\r\n`,
  `${ID}:${SECRET}`,
  `Access Key: ${ID}\nSecret Key: ${SECRET}`,
  `boto3.Session('${OTHER_ID}', '${SECRET}')`,
  `ACCESSKEY\t${ID}\t2024-08-01T10:11:12+00:00\t${SECRET}\tActive\tuser`,
  `AccessKeyId ${ID}\ncommit ${HASH}\n${SECRET}`,
  `+${ID}\n+${SECRET}`,
  JSON.stringify(`${ID}\n${SECRET}`),
])('%s', (text) => {
  expect(redacted(text)).toContain('[redacted:aws-access-key:');
  expect(redacted(text)).not.toContain(SECRET.slice(0, 8));
});

test.each([
  ['further away', `${ID}${' -'.repeat(64)} ${SECRET}`],
  ['three lines below', `${ID}\na\nb\n${SECRET}`],
  ['a hash', `${ID} ${HASH}`],
  ['a path', `${ID} s3://logs/ProductionTeam/AccountActivityReports24/`],
  ['a part of longer data', `${ID} ${SECRET}${SECRET}`],
])('what is none: %s', (_, text) => {
  expect(findSecrets(text).map(({ rule }) => rule)).toEqual(['aws-access-key']);
});
