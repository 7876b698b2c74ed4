// Texts full of secrets, halves of secrets, markers and escapes, for properties that must hold whatever stands beside what.
import { createHmac } from 'node:crypto';
import { anyText, fc } from './property.ts';
import { Chance, SAMPLED_RULES, sampleOf } from './secrets-corpus.ts';
import { LOOKALIKE_KINDS, lookalikeOf } from './secrets-lookalikes.ts';

/** The keyed hash of these tests. */
export const labelOf = (secret: string): string =>
  createHmac('sha256', 'a key').update(secret).digest('hex').slice(0, 8);

const sample = fc
  .record({ rule: fc.constantFrom(...SAMPLED_RULES), seed: fc.nat(100_000) })
  .map(({ rule, seed }) => sampleOf(rule, seed, new Chance(seed)));
const lookalike = fc
  .record({ kind: fc.constantFrom(...LOOKALIKE_KINDS), seed: fc.nat(100_000) })
  .map(({ kind, seed }) => lookalikeOf(kind, seed, new Chance(seed)));

const glue = fc.constantFrom(
  ...[
    '',
    '',
    ' ',
    '\n',
    '\\n',
    '"',
    '\\"',
    "'",
    ':',
    '=',
    ',',
    ';',
    '@',
    '/',
    '://',
    '-',
    '_',
    '.',
    '%20',
    '\u001b[0m',
    'é',
    '😀',
  ],
  ...[
    'password=',
    '"token": "',
    'API_KEY=',
    'Bearer ',
    '--password ',
    '-----BEGIN PRIVATE KEY-----\n',
    '[redacted:',
    ']',
  ],
  ...['[redacted:password:00c0ffee]', '[redacted:github-token:00c0ffee]'],
);

const piece = fc.oneof(
  { weight: 5, arbitrary: sample.map(({ text }) => text) },
  {
    weight: 2,
    arbitrary: fc.tuple(sample, fc.nat(100)).map(([{ text }, share]) => text.slice(0, (text.length * share) / 100)),
  },
  { weight: 2, arbitrary: lookalike },
  { weight: 2, arbitrary: anyText(12) },
);

/** Pieces and what joins them, in any order. */
export const secretText: fc.Arbitrary<string> = fc
  .array(fc.tuple(piece, glue), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.flat().join(''));
