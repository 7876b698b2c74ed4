// Tests that text right behind a secret, which ends it, stays: the command, the pattern or the list around it would be destroyed.
import { expect, test } from 'vitest';
import { findSecrets } from '../../src/secrets/find.ts';
import { redactText } from '../../src/secrets/redact.ts';
import { redactedText } from '../../src/secrets/stream.ts';

const redacted = (text: string): string => redactText(text, undefined, () => '00c0ffee').text;

const KEY = `ghp_${'KUVcZ1B58GmTq2LwX9aHd7RyN3pFs6JbEo0C'}`;
const OTHER = `sk_live_${'51HxQ2wLr8Tn6VbZk4YpMd9a'}`;
const MARKER = '[redacted:github-token:00c0ffee]';

test.each([
  "sed -i 's|TOKEN=.*|TOKEN=@|' .env",
  "sed -i 's/^TOKEN=.*/TOKEN=@/' .env",
  `sed -i "s/^DB_PASSWORD=.*$/DB_PASSWORD=@/g" .env`,
  "perl -pi -e 's/PASSWORD=.*/PASSWORD=@/' x",
  "sed -i 's#token: .*#token: @#' c.yml",
  "awk '/TOKEN=@/{print}'",
  '(TOKEN=@)',
  'TOKEN=@,OTHER=1',
  'token=@#frag',
  'token:@/path',
  'token:@@host',
  'token=@.',
  `PASSWORD=\${PASSWORD:-@}`,
  `PASSWORD=\${PASSWORD:=@} npm start`,
  '<a token=@/>',
  '- **Token**: *@*',
  '| token | *@* |',
  '{"command":"sed -i \'s|TOKEN=.*|TOKEN=@|\' .env"}',
])('a whole key in a value ends where it ends: %s', (text) =>
  expect(redacted(text.replace('@', KEY))).toBe(text.replace('@', MARKER)),
);

test('of two keys in one value each has its own marker', () => {
  expect(redacted(`TOKENS=${KEY},${OTHER};next`)).toBe(`TOKENS=${MARKER},[redacted:stripe-key:00c0ffee];next`);
});

test.each([
  ['goes on the word', `PASSWORD=${KEY}-x9Q`, `PASSWORD=${MARKER}`],
  ['begins the word', `PASSWORD=my_${KEY}`, `PASSWORD=${MARKER}`],
  [
    'looks like a key itself',
    `API_TOKEN=AKIAQ3ZX7LWM2RTV5NBD:wJ8kQz3Lr9Tn6VbXk4Yp`,
    'API_TOKEN=[redacted:aws-access-key:00c0ffee]',
  ],
])('text next to a key belongs to the value if it %s', (_, text, kept) => expect(redacted(text)).toBe(kept));

test('what only a pattern of somebody’s own knows may be a part of the value', () => {
  const options = { own: [{ name: 'acme-pin', pattern: 'ACME-[0-9]{4}' }] };
  const text = 'password=ACME-1234!hK8zR2';
  expect(findSecrets(text, options)).toEqual([{ rule: 'acme-pin', start: 9, end: text.length }]);
});

test('a text that is cut anywhere comes out the same', () => {
  const text = `PASSWORD=\${PASSWORD:-${KEY}:wJ8kQz3Lr9Tn6VbXk4Yp}\n`.repeat(4000);
  const stream = redactedText(undefined, () => '00c0ffee');
  let out = '';
  for (let at = 0; at < text.length; at += 70_001) out += stream.push(text.slice(at, at + 70_001));
  expect(out + stream.end()).toBe(redacted(text));
});

const PASSWORD = 'Xk29fjQ0slw7aZ81qLm4';
test.each([
  ["sed -i 's|API_TOKEN=.*|API_TOKEN=@|' .env", 'secret'],
  ["sed -i -e 's/^A=.*/A=1/' -e 's/^DB_PASSWORD=.*/DB_PASSWORD=@/g' .env", 'password'],
  ["sed -i '3s,password=.*,password=@,' x.ini", 'password'],
  ["sed -i 's/DB_PASSWORD=@/DB_PASSWORD=changeme/' .env", 'password'],
  ["perl -pi -e 's/PASSWORD=.*/PASSWORD=@/' x", 'password'],
  ["sed -i 's#api_token: .*#api_token: @#' c.yml", 'secret'],
  ['{"command":"sed -i \\"s/^PASSWORD=.*/PASSWORD=@/\\" .env"}', 'password'],
  ['(DB_PASSWORD=@)', 'password'],
  ['(cd x && DB_PASSWORD=@)', 'password'],
  ['[DB_PASSWORD=@], next', 'password'],
  ['<a password=@/>', 'password'],
  ['- **Password**: *@*', 'password'],
  ['| api_token | *@* |', 'secret'],
])('a value ends with the construct that its name is in: %s', (text, rule) =>
  expect(redacted(text.replace('@', PASSWORD))).toBe(text.replace('@', `[redacted:${rule}:00c0ffee]`)),
);

test.each([
  'DB_PASSWORD=Xk29f/Q0slw7|aZ81qLm4',
  'cat s/DB_PASSWORD=Xk29f/Q0slw7aZ81qLm4',
  'DB_PASSWORD=Xk29fjQ0)lw7aZ81qLm4',
  '(DB_PASSWORD=Xk29fjQ0)lw7aZ81qLm4',
  'DB_PASSWORD=*Xk29fjQ0slw7aZ81qLm4',
])('signs are of a value where they close nothing: %s', (text) =>
  expect(redacted(text)).toMatch(/DB_PASSWORD=\[redacted:password:00c0ffee\]$/),
);
