/** Defines the options of redaction, and prepares them once. */

import type { JsonValue } from '../core/json.ts';
import { lazily } from '../core/lazily.ts';
import type { Place } from '../core/structure.ts';
import { ATOMS } from './atoms.ts';
import { assertCustomRule, type CustomRule } from './custom-rule.ts';
import { waysToWrite } from './environment.ts';
import { linearPattern } from './linear.ts';
import { keywordsOf, type Matcher } from './matcher.ts';
import { type Prefilter, prefilterOf } from './prefilter.ts';
import { isEscaped } from './reading.ts';
import type { Finding } from './rule.ts';
import { RULE_NAMES } from './rule-names.ts';

export interface RedactionOptions {
  /** Names of rules that are switched off. */
  readonly off?: readonly string[];
  /** Texts that are no secrets though they look like one. */
  readonly allow?: readonly string[];
  /** Patterns that a whole finding must match to be let through; linear ones only. */
  readonly allowPatterns?: readonly string[];
  /** Patterns of one's own: what they match is a secret; linear ones only. What is before it goes into `(?<=…)`. */
  readonly own?: readonly CustomRule[];
  /** Values that are secret wherever they are, such as those that `sensitiveValues` chose. */
  readonly values?: readonly string[];
  /** Finds the structure in a JSON value, which stays as it is; nothing if absent. */
  readonly placeOf?: (value: JsonValue) => Place;
  /** Checks if the text at a key of a JSON object will continue in a later value; `path` leads to the object, from the whole value. */
  readonly grows?: (key: string, path: readonly string[], whole: JsonValue) => boolean;
}

/** Fewer characters of a value of the environment are anywhere. */
export const LEAST_PARTIAL_VALUE = 6;

/** A way to write a value. */
interface WrittenValue {
  readonly way: string;
  readonly value: string;
}

/** To look at a shorter text costs no more than to remember it; a longer one is remembered elsewhere. In UTF-16 code units. */
const SHORTEST_RECENT = 64;
const LONGEST_RECENT = 32_768;
/** Most that is remembered, likewise. */
const MOST_RECENT_UNITS = 262_144;

export class RecentResults<T> {
  /** Two halves: when the newer one is full, the older one goes. */
  #newer = new Map<string, T>();
  #older = new Map<string, T>();
  #units = 0;

  get(text: string): T | undefined {
    if (text.length < SHORTEST_RECENT || text.length > LONGEST_RECENT) return undefined;
    return this.#newer.get(text) ?? this.#older.get(text);
  }

  put(text: string, known: T): void {
    if (text.length < SHORTEST_RECENT || text.length > LONGEST_RECENT || this.#newer.has(text)) return;
    if (this.#units + text.length > MOST_RECENT_UNITS / 2) {
      this.#older = this.#newer;
      this.#newer = new Map();
      this.#units = 0;
    }
    this.#newer.set(text, known);
    this.#units += text.length;
  }
}

/** Options as they are used. */
export interface Engine {
  readonly prefilter: Prefilter<Matcher>;
  /** The ways to write the values, the longest first. */
  readonly values: readonly WrittenValue[];
  /** Beginnings of those texts, as far as it reports them. */
  readonly beginnings: readonly string[];
  readonly own: readonly { readonly name: string; readonly pattern: RegExp }[];
  readonly isAllowed: (secret: string) => boolean;
  readonly off: ReadonlySet<string>;
  /** Keys of JSON objects that were found to hold nothing. */
  readonly cleanKeys: Set<string>;
  /** The first long texts that were found to hold nothing: what a hook carries is in several records. */
  readonly cleanTexts: Set<string>;
  /** Findings in the latest texts: an agent says the same in several lines, and a record says it of each. */
  readonly recent: RecentResults<readonly Finding[]>;
}

/** To search so long a text costs more than to remember it; so many are remembered, and so much of them in UTF-16 code units. */
const LONG = 2048;
const MOST_LONG = 8;
const MOST_UNITS = 4 * 1024 * 1024;

/** Remembers a text that holds nothing, if that is worth its room. */
export function rememberCleanText(text: string, { cleanTexts }: Engine): void {
  if (text.length < LONG || cleanTexts.size >= MOST_LONG) return;
  let units = text.length;
  for (const { length } of cleanTexts) units += length;
  if (units <= MOST_UNITS) cleanTexts.add(text);
}

/** The names of all rules, those of one's own too. */
export const redactionRules = ({ own = [] }: RedactionOptions): string[] => [
  ...RULE_NAMES,
  ...own.map(({ name }) => name),
];

const engines = new WeakMap<RedactionOptions, Engine>();
const standard: RedactionOptions = {};

/** The same options make one engine. @throws where a pattern is not linear or a name not in kebab-case */
export function engineOf(options: RedactionOptions = standard): Engine {
  const known = engines.get(options);
  if (known) return known;
  const engine = makeEngine(options);
  engines.set(options, engine);
  return engine;
}

function makeEngine(options: RedactionOptions): Engine {
  const off = new Set(options.off);
  const own = (options.own ?? []).map((rule) => {
    assertCustomRule(rule);
    return { name: rule.name, pattern: new RegExp(linearPattern(rule.pattern), 'g') };
  });
  const patterns = (options.allowPatterns ?? []).map((pattern) => {
    return new RegExp(`^(?:${linearPattern(pattern)})$`);
  });
  const texts = new Set(options.allow);
  const values = new Map<string, WrittenValue>();
  for (const value of off.has('environment') ? [] : (options.values ?? []))
    for (const way of waysToWrite(value)) values.set(way, values.get(way) ?? { way, value });
  return {
    prefilter: prefilterOf(
      lazily(() => keywordsOf(off)),
      ATOMS,
    ),
    values: [...values.values()].sort((a, b) => b.way.length - a.way.length),
    beginnings: [...new Set(Array.from(values.keys(), (way) => way.slice(0, LEAST_PARTIAL_VALUE)))],
    own: own.filter(({ name }) => !off.has(name)),
    isAllowed: (secret) => (texts.size > 0 && texts.has(secret)) || patterns.some((pattern) => pattern.test(secret)),
    off,
    cleanKeys: new Set(),
    cleanTexts: new Set(),
    recent: new RecentResults(),
  };
}

/**
 * Returns whether texts may hold what no keyword leads to, or the beginning of it: a value of the environment, or what rules of
 * one's own match.
 */
export function mayMatchWithoutKeyword(texts: Iterable<string>, { own, beginnings }: Engine): boolean {
  if (own.length > 0) return true;
  if (beginnings.length === 0) return false;
  for (const text of texts)
    if (isEscaped(text) || beginnings.some((beginning) => text.includes(beginning))) return true;
  return false;
}
