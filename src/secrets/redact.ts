/** Puts markers where the secrets of a text, or of the texts of a JSON value, were. */
import { type Counts, count, noCounts } from '../core/counts.ts';
import type { JsonObject, JsonValue } from '../core/json.ts';
import { ANYBODYS, keepsKey, keepsValue, type Place, placeAt } from '../core/structure.ts';
import { isSecretNumber, isSecretValue } from './assignment.ts';
import { hasNoKeyword, type Searched, searchBatch } from './batch-search.ts';
import { findSecrets } from './find.ts';
import { isHashOf } from './hashes.ts';
import { contextOfItems, contextOfValues } from './json-context.ts';
import { unquotedNumberAt } from './json-numbers.ts';
import { isValue, nameAmong, nameBeside, nameInPair, type Survey, surveyOf } from './json-survey.ts';
import { MARKER_START, markerOf } from './marker.ts';
import type { Matcher } from './matcher.ts';
import { kindOfWholeName, oneOf } from './name-kinds.ts';
import { type Engine, engineOf, mayMatchWithoutKeyword, type RedactionOptions } from './options.ts';
import { plainKeyData } from './private-key.ts';
import { isEscaped } from './reading.ts';
import { type Finding, LONGEST_CONTEXT } from './rule.ts';

/**
 * Names a secret without saying it: six to ten hexadecimal digits of a hash with a key that only this machine knows.
 * Equal secrets have equal labels.
 * @param isBegun the secret is not whole: labels of all its beginnings in a row would say it sign by sign, so they say nothing
 */
export type Label = (secret: string, rule: string, isPartial?: boolean) => string;

/** Keys that are remembered to hold nothing: as many, and none longer, in UTF-16 code units. */
const MOST_KEYS = 2000;
const LONGEST_NAME = 80;

export interface Redacted<T> {
  readonly value: T;
  readonly findings: Counts;
}

interface RedactedText {
  readonly text: string;
  readonly findings: Counts;
}

/** The marker for a secret as it was written. */
export function markerFor(rule: string, secret: string, label: Label, isPartial = false): string {
  return markerOf(rule, label(rule === 'private-key' ? plainKeyData(secret) : secret, rule, isPartial));
}

/** The same with what must be around it where the secret is a number of JSON, which has no quotes. */
export function markerAt(text: string, { rule, start, end, partial, meant }: Finding, label: Label): string {
  const quote = unquotedNumberAt(text, start, end)?.quote ?? '';
  return quote + markerFor(rule, meant ?? text.slice(start, end), label, partial) + quote;
}

/** A text with a marker for every secret; nothing else of it changes, and to do it again changes nothing. */
export function redactText(text: string, options: RedactionOptions | undefined, label: Label): RedactedText {
  const findings = noCounts();
  return { text: marked(text, findSecrets(text, options), label, findings), findings };
}

function marked(text: string, found: readonly Finding[], label: Label, findings: Record<string, number>): string {
  if (found.length === 0) return text;
  const parts: string[] = [];
  let past = 0;
  for (const one of found) {
    parts.push(text.slice(past, one.start), markerAt(text, one, label));
    count(findings, one.rule);
    past = one.end;
  }
  parts.push(text.slice(past));
  return parts.join('');
}

/**
 * A JSON value with every text in it redacted. A text counts as the value of its key, of the `name` beside it, or of the
 * flag or the first of two texts before it in a list, for a decoded value is no longer in one text with its name; what
 * else is around it counts as well. Keys are redacted too: a map by token is as saying as a list of tokens, and two
 * keys cannot become one, for equal markers mean equal secrets.
 * Keeps the structure that the options name, keys and all.
 * Returns a value without secrets as it is, the same object.
 * @param path while a label is made, the keys that lead to its secret
 */
export function redactValue<T extends JsonValue>(
  value: T,
  options: RedactionOptions | undefined,
  label: Label,
  path: string[] = [],
): Redacted<T> {
  const engine = engineOf(options);
  const held = surveyOf(value, engine.cleanKeys, options?.grows, path);
  // Text that continues may end with the beginning of a secret.
  const isClean = (text: string): boolean =>
    (engine.cleanTexts.has(text) ||
      engine.recent.get(text)?.length === 0 ||
      (held.keys.has(text) && WORD.test(text))) &&
    !held.growing.has(text);
  const searched = searchBatch(engine.prefilter, held.texts, isClean);
  if (held.isPlain && !mayMatchWithoutKeyword(held.texts, engine) && !hasSecret(held, searched, engine, options)) {
    for (const key of held.keys) rememberClean(key, engine.cleanKeys);
    return { value, findings: noCounts() };
  }
  const cleaning: Cleaning = { engine, options, label, path, whole: value, searched, findings: noCounts() };
  return {
    value: clean(cleaning, value, options?.placeOf?.(value) ?? ANYBODYS, {}) as T,
    findings: cleaning.findings,
  };
}

/** A key of so few letters is no secret, whatever it says of what is at it: no rule takes such a word for one. */
const WORD = /^[A-Za-z_]{1,24}$/;

/** @param engine one without anything that no keyword leads to in these texts */
function hasSecret(
  { texts, growing }: Survey,
  searched: Searched<Matcher>,
  { recent }: Engine,
  options?: RedactionOptions,
): boolean {
  for (const text of texts) {
    const isGrowing = growing.has(text);
    if (!isGrowing && hasNoKeyword(searched, text) && !isEscaped(text)) recent.put(text, NOTHING);
    else if (findSecrets(text, options, isGrowing, searched).length > 0) return true;
  }
  return false;
}
const NOTHING: readonly Finding[] = [];

/**
 * State of the walk through one value. Handed from function to function: V8 throws away what it has optimised of functions, and
 * for objects of a class, that are made again for each value, whenever garbage is collected.
 */
interface Cleaning {
  readonly engine: Engine;
  readonly options: RedactionOptions | undefined;
  readonly label: Label;
  /** The keys that lead to where it is. */
  readonly path: string[];
  /** All of the value. */
  readonly whole: JsonValue;
  readonly searched: Searched<Matcher>;
  readonly findings: Record<string, number>;
}

function clean(to: Cleaning, one: JsonValue, place: Place, setting: Setting): JsonValue {
  if (typeof one === 'string') return cleanText(to, one, setting);
  if (typeof one === 'number') return cleanNumber(to, one, setting.name);
  if (typeof one !== 'object' || one === null) return one;
  const { name } = setting;
  return Array.isArray(one)
    ? (cleanList(to, one, place, name && oneOf(name)) as JsonValue)
    : cleanObject(to, one as JsonObject, place, name);
}

function cleanText(to: Cleaning, text: string, { name, around = [], grows = false }: Setting): string {
  const { engine, options, label, searched, findings } = to;
  const known = name === undefined || text.length > LONGEST_CONTEXT ? null : kindOfWholeName(name);
  const kind = known !== null && /\s/.test(text) ? null : known;
  const rule = kind === 'password' ? 'password' : 'secret';
  const inside = marked(text, together(findSecrets(text, options, grows, searched), around), label, findings);
  if (kind === null || inside !== text || engine.off.has(rule) || text.includes(MARKER_START)) return inside;
  if (!isSecretValue(kind, text) || engine.isAllowed(text) || isHashOf(name ?? '', text)) return text;
  count(findings, rule);
  return markerFor(rule, text, label);
}

function cleanNumber({ engine, label, findings }: Cleaning, number: number, name: string | undefined): JsonValue {
  if (name === undefined || engine.off.has('password') || kindOfWholeName(name) !== 'password') return number;
  const text = String(number);
  if (!isSecretNumber(text) || engine.isAllowed(text)) return number;
  count(findings, 'password');
  return markerFor('password', text, label);
}

function cleanWithin(to: Cleaning, key: string, item: JsonValue, place: Place, setting: Setting): JsonValue {
  to.path.push(key);
  const next = clean(to, item, place, setting);
  to.path.pop();
  return next;
}

/** The keys of a format come again and again. */
function cleanKey({ engine, options, label, searched, findings }: Cleaning, key: string, place: Place): string {
  if (engine.cleanKeys.has(key)) return key;
  const found = findSecrets(key, options, false, searched);
  if (found.length === 0) rememberClean(key, engine.cleanKeys);
  return keepsKey(place, key) ? key : marked(key, found, label, findings);
}

function cleanList(to: Cleaning, list: readonly JsonValue[], place: Place, name?: string): readonly JsonValue[] {
  let changed: JsonValue[] | null = null;
  const around = contextOfItems(list, to.options);
  for (let index = 0; index < list.length; index++) {
    const item = list[index] as JsonValue;
    const next = cleanWithin(to, String(index), item, place, {
      name: flagOf(list[index - 1]) ?? nameInPair(list, index) ?? name,
      around: around?.(index),
    });
    if (next === item) continue;
    changed ??= [...list];
    changed[index] = next;
  }
  return changed ?? list;
}

function cleanObject(to: Cleaning, one: JsonObject, place: Place, holder?: string): JsonObject {
  // Nearly all have nothing in them, and are not copied.
  let changed: [string, JsonValue][] | null = null;
  const keys = Object.keys(one);
  const beside = nameBeside(one);
  const around = contextOfValues(one, keys, beside, to.options);
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string;
    const item = one[key] as JsonValue;
    const nextKey = cleanKey(to, key, place);
    const grows = typeof item === 'string' && to.options?.grows?.(key, to.path, to.whole) === true;
    const name = isValue(key) ? (beside ?? holder) : typeof item === 'string' ? nameAmong(holder, key) : key;
    const next = keepsValue(place, key, item)
      ? item
      : cleanWithin(to, key, item, placeAt(place, key), { name, around: around?.(index), grows });
    if (changed === null && (nextKey !== key || next !== item))
      changed = keys.slice(0, index).map((before) => [before, one[before] as JsonValue]);
    changed?.push([nextKey, next]);
  }
  return changed ? Object.fromEntries(changed) : one;
}

function rememberClean(key: string, cleanKeys: Set<string>): void {
  if (key.length <= LONGEST_NAME && cleanKeys.size < MOST_KEYS) cleanKeys.add(key);
}

/** Facts about a value from its place. */
interface Setting {
  /** Name of the value. */
  readonly name?: string | undefined;
  /** Findings in it from the text around it. */
  readonly around?: readonly Finding[] | undefined;
  /** It continues in a later value. */
  readonly grows?: boolean;
}

/** Findings of two ways to look at a text; if they overlap, the first one that is longest. */
function together(some: readonly Finding[], others: readonly Finding[]): readonly Finding[] {
  if (others.length === 0) return some;
  let past = 0;
  return [...some, ...others]
    .sort((a, b) => a.start - b.start || b.end - a.end)
    .filter(({ start, end }) => {
      const counts = start >= past;
      if (counts) past = end;
      return counts;
    });
}

/** `--token` in a list of arguments names what comes after it. */
const flagOf = (item: JsonValue | undefined): string | undefined =>
  typeof item === 'string' && /^--?[A-Za-z][\w-]{1,60}$/.test(item) ? item : undefined;
