/** A first look at a JSON value: its texts, and whether each of them says all about itself. Of nearly all values that is so. */
import type { JsonObject, JsonValue } from '../core/json.ts';
import { isCommand, isContextKey, isContextName } from './json-context.ts';
import { kindOfWholeName, oneOf } from './name-kinds.ts';
import type { RedactionOptions } from './options.ts';

/** Contents of a value. */
export interface Survey {
  /** Its texts and keys, each once; keys that are known to hold nothing are left out. */
  readonly texts: Set<string>;
  /** The keys among them. */
  readonly keys: Set<string>;
  /** The texts that will continue in a later value. */
  readonly growing: Set<string>;
  /** True if no text or number counts by what it is called, or by what is around it. */
  isPlain: boolean;
}

/** @param cleanKeys keys that are known to hold nothing */
export function surveyOf(
  value: JsonValue,
  cleanKeys: ReadonlySet<string>,
  grows: RedactionOptions['grows'],
  path: readonly string[],
): Survey {
  const held: Survey = { texts: new Set(), keys: new Set(), growing: new Set(), isPlain: true };
  gather(value, { held, cleanKeys, grows, path: [...path], whole: value });
  return held;
}

interface Gathering {
  readonly held: Survey;
  readonly cleanKeys: ReadonlySet<string>;
  readonly grows: RedactionOptions['grows'];
  readonly path: string[];
  readonly whole: JsonValue;
}

function gather(node: JsonValue | undefined, to: Gathering): void {
  if (typeof node === 'string') to.held.texts.add(node);
  else if (Array.isArray(node)) gatherList(node, to);
  else if (typeof node === 'object' && node !== null) gatherObject(node as JsonObject, to);
}

function gatherList(list: readonly JsonValue[], to: Gathering): void {
  to.held.isPlain &&= !isCommand(list) && nameInPair(list, 1) === undefined;
  for (let index = 0; index < list.length; index++) gatherAt(String(index), list[index], to);
}

function gatherObject(one: JsonObject, to: Gathering): void {
  const { held, cleanKeys, grows, path, whole } = to;
  const keys = Object.keys(one);
  const beside = nameBeside(one);
  held.isPlain &&= beside === undefined || !isContextName(beside);
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string;
    const item = one[key];
    if (!cleanKeys.has(key)) {
      held.texts.add(key);
      held.keys.add(key);
    }
    held.isPlain &&= isPlainAt(key, item) && (beside === undefined || !isValue(key));
    if (typeof item === 'string' && grows?.(key, path, whole)) held.growing.add(item);
    gatherAt(key, item, to);
  }
}

function gatherAt(key: string, item: JsonValue | undefined, to: Gathering): void {
  to.path.push(key);
  gather(item, to);
  to.path.pop();
}

/** Whom a key says something of that is at it: nobody, each of a list, or whatever it is. */
type Telling = 'nobody' | 'items' | 'anybody';

/** Keys come again and again. */
const telling = new Map<string, Telling>();
const MOST_KEYS = 2000;

function tellingOf(key: string): Telling {
  let known = telling.get(key);
  if (known === undefined) {
    if (isContextKey(key) || kindOfWholeName(key) !== null) known = 'anybody';
    else known = kindOfWholeName(oneOf(key)) === null ? 'nobody' : 'items';
    if (telling.size < MOST_KEYS) telling.set(key, known);
  }
  return known;
}

/**
 * Returns whether a key says nothing of what is at it. `tokens` is a number or several in nearly all records, and reports a list
 * alone.
 */
function isPlainAt(key: string, item: JsonValue | undefined): boolean {
  const of = tellingOf(key);
  return of === 'nobody' || (of === 'items' && !hasItems(item));
}

/** Returns whether a value is a list, or may hold one that is called as it is; or holds texts, each under a name of its own. */
const hasItems = (item: JsonValue | undefined): boolean =>
  Array.isArray(item) ||
  (typeof item === 'object' &&
    item !== null &&
    Object.entries(item).some(([key, one]) => isValue(key) || typeof one === 'string'));

/** Returns what a value is called that is at a key of an object which is called after several: `{"tokens": {"github": "…"}}`. */
export function nameAmong(holder: string | undefined, key: string): string {
  if (holder === undefined || kindOfWholeName(key) !== null) return key;
  const one = oneOf(holder);
  return one === holder ? key : `${one}_${key}`;
}

/** The first of two texts names the other, as in lists of headers. */
export function nameInPair(list: readonly JsonValue[], index: number): string | undefined {
  const [name] = list;
  const isNamed = index === 1 && list.length === 2 && typeof name === 'string' && kindOfWholeName(name) !== null;
  return isNamed ? name : undefined;
}

/** Also as Amazon's services write it. */
export const isValue = (key: string): boolean => ['value', 'parametervalue'].includes(key.toLowerCase());

/** `{"name": "API_KEY", "value": "…"}`, as containers and their tools write variables. */
export function nameBeside(object: { readonly [key: string]: JsonValue | undefined }): string | undefined {
  const name = object['name'] ?? object['key'] ?? object['Name'] ?? object['Key'] ?? object['ParameterKey'];
  return typeof name === 'string' ? name : undefined;
}
