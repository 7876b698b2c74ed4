/** Reads an object's or a list's own values as text: some secrets are recognised only by the text around them. */
import type { JsonObject, JsonValue } from '../core/json.ts';
import { findSecrets } from './find.ts';
import type { RedactionOptions } from './options.ts';
import { type Finding, LONGEST_MATCH } from './rule.ts';

/** Keys that rules look for, besides those that name their value. */
const TELLING = /auth(?:oriz|(?!or))|cookie|\.docker|.key[12]?$|^keyname$/i;
/** One of these is in every such key: to look for them costs less than to compile the patterns. */
const IN_TELLING = ['auth', 'cookie', 'docker', 'key'];
const IN_TELLING_NAME = [...IN_TELLING, 'sess', 'sid'];
const hasOne = (words: readonly string[], name: string): boolean => {
  const small = name.toLowerCase();
  return words.some((word) => small.includes(word));
};
/** The same beside a value, if the ids of sessions are those of cookies. */
const TELLING_NAME = /auth(?:oriz|(?!or))|cookie|\.docker|.key[12]?$|sess|sid$/i;
const LONGEST_NAME = 80;

/** Keys come again and again. */
const telling = new Map<string, boolean>();
const MOST_KEYS = 2000;

/** Returns whether rules look for a key. */
export function isContextKey(key: string): boolean {
  let known = telling.get(key);
  if (known === undefined) {
    known = key.length <= LONGEST_NAME && hasOne(IN_TELLING, key) && TELLING.test(key);
    if (telling.size < MOST_KEYS) telling.set(key, known);
  }
  return known;
}

/** Returns whether rules look for a name that is beside a value. */
export const isContextName = (name: string): boolean =>
  name.length <= LONGEST_NAME && hasOne(IN_TELLING_NAME, name) && TELLING_NAME.test(name);

/** Returns the findings in the text at an index, by what is around it. */
export type ContextFindings = (index: number) => readonly Finding[];

/** Returns the context of the values of an object, or null if no key matters. @param name the name beside a `value` */
export function contextOfValues(
  one: JsonObject,
  keys: readonly string[],
  name: string | undefined,
  options: RedactionOptions | undefined,
): ContextFindings | null {
  const isNamed = name !== undefined && isContextName(name);
  if (!isNamed && !keys.some(isContextKey)) return null;
  return read(
    keys.map((key) => one[key]),
    options,
    (index) => `"${keys[index]}":`,
  );
}

/** Returns the context of the texts of a list, or null if the list has no flag of a command. */
export function contextOfItems(
  list: readonly JsonValue[],
  options: RedactionOptions | undefined,
): ContextFindings | null {
  return isCommand(list) ? read(list, options, () => '') : null;
}
const MINUS = 45;

/** Returns whether a list has something in it that is a flag of a command. */
export const isCommand = (list: readonly JsonValue[]): boolean =>
  list.some((item) => typeof item === 'string' && item.charCodeAt(0) === MINUS);

/** More is no command, and no header. */
const MOST_ITEMS = 200;

function read(
  items: readonly (JsonValue | undefined)[],
  options: RedactionOptions | undefined,
  before: (index: number) => string,
): ContextFindings | null {
  if (items.length > MOST_ITEMS) return null;
  const stretches: { readonly begin: number; readonly end: number }[] = [];
  let text = '';
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    const isShort = typeof item === 'string' && item.length <= LONGEST_MATCH;
    text += `${index === 0 ? '{' : ','}${before(index)}"`;
    const begin = text.length;
    if (isShort) text += item;
    stretches.push({ begin, end: text.length });
    text += '"';
  }
  const found = findSecrets(text, options);
  return (index) => {
    const { begin, end } = stretches[index] ?? { begin: 0, end: 0 };
    return found
      .filter((one) => one.start >= begin && one.end <= end)
      .map((one) => ({ ...one, start: one.start - begin, end: one.end - begin }));
  };
}
