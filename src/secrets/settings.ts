/** Reads the redaction settings of settings.json: rules that are off, allowed texts, custom patterns, and contents. */
import { CtxError } from '../core/errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { oneLine } from '../core/text.ts';
import { assertCustomRule, type CustomRule } from './custom-rule.ts';
import { linearPattern } from './linear.ts';
import { RULE_NAMES } from './rule-names.ts';

export interface RedactSettings {
  /** Names of rules that are switched off. */
  off: string[];
  /** Texts that are no secrets though they look like one. */
  allow: string[];
  /** Linear patterns that a whole finding must match to be let through. */
  allow_patterns: string[];
  /** Linear patterns of one's own. */
  patterns: CustomRule[];
  /** Selects the contents of files that are kept: `text` leaves out those that are binary or known to hold secrets. */
  content: 'text' | 'all';
}

export const DEFAULT_REDACT: RedactSettings = { off: [], allow: [], allow_patterns: [], patterns: [], content: 'text' };

const isTexts = (value: JsonValue): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === 'string' && item !== '');
const isRules = (value: JsonValue): boolean =>
  Array.isArray(value) &&
  value.every((item) => isObject(item) && typeof item.name === 'string' && typeof item.pattern === 'string');

/** Each key: what it may be, and that in words. */
const KEYS: { [Key in keyof RedactSettings]: [passes: (value: JsonValue) => boolean, takes: string] } = {
  off: [isTexts, 'a list of names of rules'],
  allow: [isTexts, 'a list of texts'],
  allow_patterns: [isTexts, 'a list of patterns'],
  patterns: [isRules, 'a list of {"name": …, "pattern": …}'],
  content: [(value) => value === 'text' || value === 'all', '"text" or "all"'],
};

/** The keys that this version does not know. */
export const unknownRedactKeys = (value: JsonValue): string[] =>
  isObject(value) ? Object.keys(value).filter((key) => !Object.hasOwn(KEYS, key)) : [];

/**
 * Reads the value of the key `redact`; false if nothing is to be redacted, undefined if it is of another kind.
 * @throws {CtxError} invalid_settings, naming the key within
 */
export function readRedactSettings(value: JsonValue): RedactSettings | false | undefined {
  if (value === false || value === 'off') return false;
  if (!isObject(value)) return undefined;
  for (const [key, [passes, takes]] of Object.entries(KEYS)) {
    const given = value[key];
    if (given !== undefined && !passes(given)) {
      // The present value is not repeated: it may be the very secret.
      throw refusal(`"redact.${key}" takes ${takes}, and nothing else`);
    }
  }
  const settings = { ...DEFAULT_REDACT, ...knownOf(value) };
  const names = new Set<string>([...RULE_NAMES, ...settings.patterns.map(({ name }) => name)]);
  const stranger = settings.off.find((name) => !names.has(name));
  if (stranger !== undefined) throw refusal(`"redact.off" names no rule: ${oneLine(stranger)}`);
  check('allow_patterns', settings.allow_patterns, linearPattern);
  check('patterns', settings.patterns, assertCustomRule);
  const twice = settings.patterns.find(({ name }, index, all) => all.findIndex((one) => one.name === name) < index);
  if (twice !== undefined) throw refusal(`"redact.patterns" has two patterns of the name ${twice.name}`);
  return settings;
}

const refusal = (why: string, hint?: string): CtxError => new CtxError('invalid_settings', why, { hint });

const knownOf = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([key]) => Object.hasOwn(KEYS, key)));

function check<T>(key: string, values: readonly T[], assert: (value: T) => void): void {
  try {
    values.forEach((value) => {
      assert(value);
    });
  } catch (error) {
    throw refusal(`"redact.${key}": ${oneLine((error as Error).message)}`, (error as CtxError).hint);
  }
}
