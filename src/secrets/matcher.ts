/** Turns rules as data into matchers for the places of a keyword. A rule is compiled only once its keyword was seen. */
import { findAssignment, findPartialAssignment } from './assignment.ts';
import { runOf } from './character-run.ts';
import { type Candidate, CHECKS } from './checks.ts';
import { followsMarker } from './marker.ts';
import { NAME_KEYWORDS } from './name-keywords.ts';
import { lateContextPattern, partialPattern } from './partial-pattern.ts';
import { isPassword, mayBecomeNumber, mayBecomePassword } from './passwords.ts';
import type { Keywords } from './prefilter.ts';
import { findPartialKey, findPrivateKey, KEY_KEYWORDS } from './private-key.ts';
import { entropyOf, isPlaceholder, mayBecomeKey } from './randomness.ts';
import { BARE, type Found, LONGEST_MATCH, type Rule, type Stretch } from './rule.ts';
import type { RuleName } from './rule-names.ts';
import { AGENT_RULES } from './rules-agents.ts';
import { CLOUD_RULES } from './rules-cloud.ts';
import { CODE_RULES } from './rules-code.ts';
import { COMMAND_RULES } from './rules-commands.ts';
import { CONTEXT_RULES } from './rules-context.ts';
import { MODEL_RULES } from './rules-models.ts';
import { PLATFORM_RULES } from './rules-platforms.ts';
import { SERVICE_RULES } from './rules-services.ts';
import { VENDOR_RULES } from './rules-vendors.ts';
import { beginsAt, behindEscape, endsAt, endWithoutMarks } from './word-boundaries.ts';
import { wrappedFrom } from './wrapped-base64.ts';

export const RULES: readonly Rule[] = [
  ...MODEL_RULES,
  ...AGENT_RULES,
  ...CODE_RULES,
  ...CLOUD_RULES,
  ...SERVICE_RULES,
  ...VENDOR_RULES,
  ...PLATFORM_RULES,
  ...CONTEXT_RULES,
  ...COMMAND_RULES,
];

/** Secrets that are found by code of its own, with a description of each. */
export const CODED_RULES = {
  'private-key':
    'private key blocks: PEM, OpenSSH, PGP, PuTTY, OpenVPN; also with escaped line ends, in diffs, or cut off',
  password: 'passwords next to their name: assignments, settings, flags, JSON, XML',
  secret: 'tokens, keys and secrets next to their name, if the value looks like one',
  environment: 'values of sensitive variables of the environment',
} as const satisfies Partial<Record<RuleName, string>>;

/** Tries a rule at the place of its keyword. */
export interface Matcher {
  readonly names: readonly string[];
  match(text: string, at: number): Found | null;
  /** The same for what leads to the end of a text that will continue, and may become a secret then. */
  matchPartial(text: string, at: number): Found | null;
}

const LEAST_ENTROPY = 3;
/** Matches the character that closes a bracket, a list or a command. */
const CLOSING = /[)\]},;|]{1,8}$/;
const MOST_CLOSING = 8;
const WORD = runOf(BARE);
const LONGEST_WORD = 4096;

/** All of a word whose beginning a pattern has caught, without what closes something behind it. */
function wholeWord(text: string, start: number, caught: string): string {
  const end = Math.max(start + caught.length, WORD(text, start + caught.length, LONGEST_WORD));
  const closed = CLOSING.exec(text.slice(Math.max(start, end - MOST_CLOSING), end));
  return text.slice(start, end - (closed?.[0].length ?? 0));
}

const BLANK = /\s/g;

function hasBlank(text: string, from: number): boolean {
  BLANK.lastIndex = from;
  return BLANK.test(text);
}

/** A rule at work. There are a hundred at every start, of which a text meets a few: to make one costs next to nothing. */
class RuleMatcher implements Matcher {
  readonly #rule: Rule;
  #pattern: RegExp | undefined;
  #run: ReturnType<typeof runOf> | undefined;
  #partialPattern: RegExp | undefined;
  #lateContextPattern: RegExp | undefined;

  constructor(rule: Rule) {
    this.#rule = rule;
  }

  get names(): readonly string[] {
    return [this.#rule.name];
  }

  #mayBegin(text: string, begin: number): boolean {
    return begin >= 0 && beginsAt(text, begin, this.#rule.before ?? 'word') && !followsMarker(text, begin);
  }

  /** Returns whether the run that a match continues in ends as the match needs it. */
  #hasRun(text: string, begin: number): boolean {
    const { run } = this.#rule;
    if (!run) return true;
    this.#run ??= runOf(run.of);
    const end = this.#run(text, begin, LONGEST_MATCH);
    return end > begin && text.startsWith(run.upTo, end);
  }

  /** Returns where the pattern has caught a secret. */
  #caughtAt(text: string, begin: number): Stretch | null {
    const { behind, isBare } = this.#rule;
    this.#pattern ??= new RegExp(this.#rule.pattern, `${this.#rule.flags ?? ''}y`);
    this.#pattern.lastIndex = begin;
    const match = this.#pattern.exec(text);
    if (!match) return null;
    const caught = match[1] ?? match[2] ?? match[0];
    const start = (behind ? begin : this.#pattern.lastIndex) - caught.length;
    return { start, end: start + (isBare ? wholeWord(text, start, caught) : caught).length };
  }

  /** The same without what marks it, unless it is none without that. */
  #secretAt(text: string, begin: number): Stretch | null {
    const caught = this.#caughtAt(text, begin);
    const end = caught && endWithoutMarks(text, caught.start, caught.end);
    if (end === null || end === caught?.end) return caught;
    const least = this.#caughtAt(text.slice(0, end), begin);
    return least?.end === end ? least : caught;
  }

  match(text: string, at: number): Found | null {
    const {
      name,
      lead = 0,
      isWrapped,
      keywords,
      after = 'word',
      entropy = LEAST_ENTROPY,
      checks = [],
      certainty = 'exact',
    } = this.#rule;
    const begin = at - lead;
    if (!this.#mayBegin(text, begin) || !this.#hasRun(text, begin)) return null;
    const caught = this.#secretAt(text, begin);
    if (!caught) return null;
    const { start, end } = caught;
    const secret = text.slice(start, end);
    // Half of an escape: what is behind it is found where the text is read without.
    if (text.charAt(start - 1) === '\\' && behindEscape(text, start, end) > start) return null;
    if (!endsAt(text, end, after) || isPlaceholder(secret) || secret.includes('[redacted:')) return null;
    if (entropy > 0 && entropyOf(secret) < entropy) return null;
    if (!checks.every((check) => CHECKS[check]({ text, start: begin, at: start, secret }))) return null;
    const wrapped = isWrapped ? wrappedFrom(text, start, end, keywords) : null;
    if (wrapped && wrapped.end > end) return { rule: name, certainty, start, end: wrapped.end, meant: wrapped.data };
    return { rule: name, certainty, start, end };
  }

  /** A secret that is whole, if what would say it has only begun. */
  #matchToldLater(text: string, begin: number): Found | null {
    const { name, pattern, flags = '' } = this.#rule;
    this.#lateContextPattern ??= new RegExp(lateContextPattern(pattern), `${flags}y`);
    this.#lateContextPattern.lastIndex = begin;
    const secret = this.#lateContextPattern.exec(text)?.[1];
    if (secret === undefined || isPlaceholder(secret) || secret.includes('[redacted:')) return null;
    const end = this.#lateContextPattern.lastIndex;
    const start = end - secret.length;
    return isPartial(this.#rule, { text, start: begin, at: start, secret })
      ? { rule: name, certainty: 'guess', start, end }
      : null;
  }

  matchPartial(text: string, at: number): Found | null {
    const { name, lead = 0, behind, pattern, flags = '' } = this.#rule;
    const begin = at - lead;
    if (behind || !this.#mayBegin(text, begin)) return null;
    // Few patterns take a blank, and those have one in them (a test sees to that): nothing else reaches beyond one.
    if (!pattern.includes(' ') && hasBlank(text, at)) return null;
    this.#partialPattern ??= new RegExp(partialPattern(pattern), `${flags}y`);
    this.#partialPattern.lastIndex = begin;
    const match = this.#partialPattern.exec(text);
    if (!match && this.#rule.late) return this.#matchToldLater(text, begin);
    const caught = match?.slice(1);
    // A group that is not reached yet has caught nothing.
    const secret = caught?.length ? caught.find((one) => one !== undefined) : match?.[0];
    if (secret === undefined || isPlaceholder(secret) || secret.includes('[redacted:')) return null;
    const start = text.length - secret.length;
    if (!isPartial(this.#rule, { text, start: begin, at: start, secret })) return null;
    return { rule: name, certainty: 'guess', start, end: text.length };
  }
}

/** Returns whether a secret that is not whole passes those checks that can be made already. */
function isPartial({ keywords, lead = 0, late, checks = [] }: Rule, candidate: Candidate): boolean {
  const { text, start, at, secret } = candidate;
  if (checks.includes('curl') && !CHECKS.curl(candidate)) return false;
  if (checks.includes('cookie') && !CHECKS.cookie(candidate)) return false;
  if (checks.includes('placed')) return mayBecomeNumber(secret) || CHECKS.placed(candidate);
  if (late) return secret.length >= LEAST_LATE && isPassword(secret);
  if (checks.includes('password')) return secret.length >= 4 && mayBecomePassword(secret, true);
  if (at > start) return mayBecomeKey(secret, 0);
  const signs = keywords.filter((word) => text.startsWith(word, start + lead)).map((word) => word.length);
  const sign = Math.max(0, ...signs);
  return mayBecomeKey(secret.slice(lead + sign), sign);
}
/** Shorter ones are words and numbers of a command. */
const LEAST_LATE = 6;

/** Returns the matchers to try for each keyword. @param off the names of the rules that are switched off */
export function keywordsOf(off: ReadonlySet<string>): Keywords<Matcher>[] {
  const keywords: Keywords<Matcher>[] = [];
  for (const rule of RULES) {
    if (off.has(rule.name)) continue;
    keywords.push({
      words: rule.keywords,
      anyCase: rule.anyCase === true,
      target: new RuleMatcher(rule),
    });
  }
  if (!off.has('private-key')) {
    const target = { names: ['private-key'], match: findPrivateKey, matchPartial: findPartialKey };
    keywords.push({ words: KEY_KEYWORDS, anyCase: false, target });
  }
  if (!off.has('password') || !off.has('secret')) {
    const unlessOff = (found: Found | null): Found | null => (found && off.has(found.rule) ? null : found);
    const target: Matcher = {
      names: ['password', 'secret'],
      match: (text, at) => unlessOff(findAssignment(text, at)),
      matchPartial: (text, at) => unlessOff(findPartialAssignment(text, at)),
    };
    keywords.push({ words: NAME_KEYWORDS, anyCase: true, target });
  }
  return keywords;
}
