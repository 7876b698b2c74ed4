/** From rules as data to what is tried at a place where a keyword stands. Nothing is compiled before its keyword was seen. */
import { findAssignment } from './assignment.ts';
import { CHECKS } from './checks.ts';
import { beginsAt, endsAt } from './edges.ts';
import { followsMarker } from './marker.ts';
import { NAME_KEYWORDS } from './names.ts';
import type { Keyword } from './prefilter.ts';
import { findPrivateKey, KEY_KEYWORDS } from './private-key.ts';
import type { Found, Rule } from './rule.ts';
import { RULES } from './rules.ts';
import { entropyOf, isPlaceholder } from './shape.ts';

/** Tries a rule at the place of its keyword. */
export interface Matcher {
  readonly names: readonly string[];
  match(text: string, at: number): Found | null;
}

const LEAST_ENTROPY = 3;

function matcherOf(rule: Rule): Matcher {
  let pattern: RegExp | undefined;
  const { name, lead = 0, before = 'word', after = 'word', entropy = LEAST_ENTROPY, checks = [] } = rule;
  return {
    names: [name],
    match(text, at) {
      const begin = at - lead;
      if (begin < 0 || !beginsAt(text, begin, before) || followsMarker(text, begin)) return null;
      pattern ??= new RegExp(rule.pattern, `${rule.flags ?? ''}y`);
      pattern.lastIndex = begin;
      const match = pattern.exec(text);
      if (!match) return null;
      const end = pattern.lastIndex;
      const secret = match[1] ?? match[0];
      const start = end - secret.length;
      if (!endsAt(text, end, after) || isPlaceholder(secret) || secret.includes('[redacted:')) return null;
      if (entropy > 0 && entropyOf(secret) < entropy) return null;
      if (!checks.every((check) => CHECKS[check]({ text, start: begin, secret }))) return null;
      return { rule: name, certainty: rule.certainty ?? 'exact', start, end };
    },
  };
}

/** What is tried where which keyword stands. @param off names of rules that are switched off */
export function keywordsOf(off: ReadonlySet<string>): Keyword<Matcher>[] {
  const keywords: Keyword<Matcher>[] = [];
  const add = (words: readonly string[], anyCase: boolean, target: Matcher): void => {
    for (const word of words) keywords.push({ word, anyCase, target });
  };
  for (const rule of RULES) {
    if (!off.has(rule.name)) add(rule.keywords, rule.anyCase === true, matcherOf(rule));
  }
  if (!off.has('private-key')) add(KEY_KEYWORDS, false, { names: ['private-key'], match: findPrivateKey });
  if (!off.has('password') || !off.has('secret')) {
    const match = (text: string, at: number): Found | null => {
      const found = findAssignment(text, at);
      return found && off.has(found.rule) ? null : found;
    };
    add(NAME_KEYWORDS, true, { names: ['password', 'secret'], match });
  }
  return keywords;
}
