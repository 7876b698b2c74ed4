// What closes a comment of HTML, and what marks a word in Markdown, stays whole around a secret.
import { expect, test } from 'vitest';
import { redactText } from '../../../src/core/redaction/redact.ts';
import { RULES } from '../../../src/core/redaction/rules.ts';
import { Chance, sampleOf, samplesOf } from '../../support/secrets-corpus.ts';

const redacted = (text: string): string => redactText(text, undefined, () => '00c0ffee').text;

test.each(RULES.map(({ name }) => name))('%s', (rule) => {
  const chance = new Chance(7);
  for (let index = 0; index < samplesOf(rule); index++) {
    const { text, secret } = sampleOf(rule, index, chance);
    // What marks a word stands around a secret that stands alone.
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

test.each([
  ['no more is left of it without', '_glpat-k8Zr2Lw9Qx4Tn6Vbk8Z_', '_[redacted:gitlab-token:00c0ffee]'],
  ['a name before the signs', 'my__glpat-k8Zr2Lw9Qx4Tn6Vbk8Zr_', 'my__[redacted:gitlab-token:00c0ffee]'],
  ['no signs before it', 'glpat-k8Zr2Lw9Qx4Tn6Vbk8Zr__', '[redacted:gitlab-token:00c0ffee]'],
])('signs are of a secret: %s', (_name, text, kept) => expect(redacted(text)).toBe(kept));
