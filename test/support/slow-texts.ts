// Texts made to be slow for the search for secrets, and how much work it does on one: counted, not timed.

import { RULES } from '../../src/secrets/matcher.ts';
import { NAME_KEYWORDS } from '../../src/secrets/name-keywords.ts';
import { KEY_KEYWORDS } from '../../src/secrets/private-key.ts';
import { type Chance, fill, SAMPLED_RULES, sampleOf } from './secrets-corpus.ts';

/** Texts that the rules look for, over and over in the slow texts. */
const ANCHORS: readonly string[] = [...RULES.flatMap(({ keywords }) => keywords), ...NAME_KEYWORDS, ...KEY_KEYWORDS];
/** Texts behind them: signs, quotes at several depths, escapes, brackets, values whole and begun. */
const BEHIND: readonly string[] = [
  ...[
    '',
    '=',
    '="',
    "='",
    ': ',
    '":"',
    '\\":\\"',
    '\\\\\\":\\\\\\"',
    '=%3D',
    '%3D',
    ' ',
    '\n',
    '\\n',
    ';',
    ',',
    '&',
    '(',
  ],
  ...['{64:s}', '{20:b}', '{8:b}', '{3:b}', '{40:h}', '{12:p}', '{200:s}', '{10:d}', '{30:w}', '_{5:b}', '-{5:b}'],
  ...[
    '/a:b@',
    '://a:{9:b}@c ',
    'a.b(',
    '\\',
    '\\\\',
    '\u001b[0m',
    '\\u003d',
    '[redacted:a:123456]',
    '/*',
    '-----',
    '\n  value: ',
  ],
];

/** A unit of a slow text, drawn from the anchors of the rules: near-matches, nested quotes, assignments, URLs, escapes. */
export function slowUnit(chance: Chance): string {
  if (chance.below(6) === 0) {
    const { text } = sampleOf(chance.pick(SAMPLED_RULES), chance.below(50), chance);
    return text.slice(0, 1 + chance.below(Math.min(120, text.length)));
  }
  return Array.from(
    { length: 1 + chance.below(3) },
    () => chance.pick(ANCHORS) + fill(chance.pick(BEHIND), chance),
  ).join('');
}

/** The slowest units that are known; what a run of the fuzzer finds beyond its limit belongs here. */
export const SLOWEST: readonly string[] = [
  'Server=a;Password=',
  'session-token=aB3xkQ9mZr7Tw2LpaB3xkQ9mZr7Tw2LpaB3xkQ9mZr7Tw2Lp',
  'pass="aB3xkQ9mZr7Tw2Lp4",',
  'glffct-',
  ':5432:aA0b',
  'webhook_key=%3D',
  'glc_eyJ',
  'senha(signingkey%3DSG.MqdPs0YO2nGa8TlkiOue',
  '_pat=',
  '; pwd=%3Dapp_key\\u003d',
  'AIK_SECRET_ef53ba312212a916f93985f0ca783146c129bc64functions_key\\\\\\":\\\\\\"xkeysib-=%3D',
  'pcsk_://a:nFBM5HjSb@c _pat =%3DEAA://a:7Ck2h3QTt@c ',
  'requirepass %3Dsenha-----',
  'psk://a:AmgIITQO9@c rk_test_/*',
  'password=aB3xkQ9mZr7Tw2LpaB3xkQ9mZr ',
];

export const slowText = (unit: string, length: number): string =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

/** Longest text of which all counts: beyond that, patterns stop soon. */
const MOST = 4096;

/** Counts what is looked at while something runs: each call of a pattern or of a search, and the characters that it gets or passes. */
export function workOf(run: () => unknown): number {
  let work = 0;
  const { exec } = RegExp.prototype;
  const { includes, slice, replace, split } = String.prototype;
  const counted = (text: string): number => 1 + Math.min(MOST, text.length) / 16;
  RegExp.prototype.exec = function (this: RegExp, text: string) {
    const from = this.lastIndex;
    const found = exec.call(this, text);
    work += this.sticky || this.global ? 1 + Math.max(0, (found ? this.lastIndex : from) - from) / 16 : counted(text);
    return found;
  };
  String.prototype.slice = function (this: string, start?: number, end?: number) {
    const part = slice.call(this, start, end);
    work += counted(part);
    return part;
  };
  String.prototype.includes = function (this: string, search: string, from?: number) {
    work += counted(this as string);
    return includes.call(this, search, from);
  };
  try {
    run();
  } finally {
    Object.assign(RegExp.prototype, { exec });
    Object.assign(String.prototype, { includes, slice, replace, split });
  }
  return work;
}
