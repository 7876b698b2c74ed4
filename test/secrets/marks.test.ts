// Tests that the end of a comment of HTML, and the marks of a word in Markdown, stay whole around a secret.
import { expect, test } from 'vitest';
import { RULES } from '../../src/secrets/matcher.ts';
import { redactText } from '../../src/secrets/redact.ts';
import { Chance, sampleOf, samplesOf } from '../support/secrets-corpus.ts';

const redacted = (text: string): string => redactText(text, undefined, () => '00c0ffee').text;

test.each(RULES.map(({ name }) => name))('%s', (rule) => {
  const chance = new Chance(7);
  for (let index = 0; index < samplesOf(rule); index++) {
    const { text, secret } = sampleOf(rule, index, chance);
    // The marks of a word are around a secret without other text.
    const marks =
      text === secret
        ? [
            ['see __', '__.'],
            ['_', '_'],
          ]
        : [];
    for (const [before, behind] of [['<!--', '-->'], ...marks])
      expect(redacted(`${before}${text}${behind}`)).toBe(`${before}${redacted(text)}${behind}`);
  }
});

test.each([
  ['<!--API_TOKEN=k8Zr2Lw9Qx4Tn6Vbk8Zr-->', '<!--API_TOKEN=[redacted:secret:00c0ffee]-->'],
  ['<!-- db_password: k8Zr2Lw9Qx4T-->', '<!-- db_password: [redacted:password:00c0ffee]-->'],
])('%s', (text, kept) => expect(redacted(text)).toBe(kept));

const V = 'Xk29fjQ0slw7aZ81qLm4';
const PASSWORD = '[redacted:password:00c0ffee]';
test.each([
  `const a = 1; /* db_password=@*/ const b = 2;`,
  `{/* password=@*/}`,
  `{{/* password=@*/}}`,
  `{# password=@#}`,
  `(* password=@*)`,
  `<%-- password=@--%>`,
  `<!-- password=@--!>`,
  `it is **password=@** here`,
  `it is ~~password=@~~ here`,
  `it is “password=@” here`,
])('what is open before a secret is closed behind it: %s', (text) =>
  expect(redacted(text.replace('@', V))).toBe(text.replace('@', PASSWORD)),
);

test.each([
  [`password=${V}*/`, `password=${PASSWORD}`],
  [`/* done */ password=${V}*/`, `/* done */ password=${PASSWORD}`],
  [`**so** password=${V}**`, `**so** password=${PASSWORD}`],
])('what nothing has opened is of the secret: %s', (text, kept) => expect(redacted(text)).toBe(kept));

test.each([
  ['no more is left of it without', '_glpat-k8Zr2Lw9Qx4Tn6Vbk8Z_', '_[redacted:gitlab-token:00c0ffee]'],
  ['a name before the signs', 'my__glpat-k8Zr2Lw9Qx4Tn6Vbk8Zr_', 'my__[redacted:gitlab-token:00c0ffee]'],
  ['no signs before it', 'glpat-k8Zr2Lw9Qx4Tn6Vbk8Zr__', '[redacted:gitlab-token:00c0ffee]'],
])('signs are of a secret: %s', (_name, text, kept) => expect(redacted(text)).toBe(kept));
