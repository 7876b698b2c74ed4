// Forms and URLs whose fields are called as variables are: what stands behind the next `&` is another field.
import { expect, test } from 'vitest';
import { redactText } from '../../src/secrets/redact.ts';

const KEY = 'wL11rg4qI4PXxctZ4xqTrxhrCtDGMzFEkK7v1rFv63o';
const label = (): string => '00000000';

test.each([
  ['grant_type=x&DATADOG_API_KEY=', '%3D&client_id=abc'],
  ['DATADOG_API_KEY=', '&client_id=abc'],
  ['https://example.net/?AWS_SECRET_ACCESS_KEY=', '&client_id=abc'],
])('%s…%s', (before, after) => {
  const text = redactText(`${before}${KEY}${after}`, undefined, label).text;
  expect(text).toMatch(/\[redacted:[\w-]+:00000000\](?:%3D)?&client_id=abc$/);
  expect(text).not.toContain(KEY);
});

test('a variable of a shell may have such a sign in it', () => {
  const value = 'Zq7&mW2x;Lp9(Vt4!Rz8$Ks3';
  expect(redactText(`DB_PASSWORD=${value}`, undefined, label).text).toBe('DB_PASSWORD=[redacted:password:00000000]');
});
