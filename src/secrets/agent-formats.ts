/** Removes texts of secret files from the agents' own formats: an object that names such a file loses its texts at any depth. */
import { isObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { wordSet } from '../core/word-set.ts';
import { withoutDiffs } from './diffs.ts';
import { isAbout, isPathKey, isSecretPath, isTakenKey, isWrittenKey, jsonIn, secretFileIn } from './file-references.ts';
import { inJson } from './json-text.ts';
import { mapList, mapObject } from './map-json.ts';
import { metadataOnly } from './metadata-only.ts';
import { isSearch, withoutSecretMatches } from './search-calls.ts';
import { withoutSelections } from './selections.ts';

/** A value without what it tells of such files; the same one where it tells nothing. */
export function withoutNamed(value: JsonValue, key = ''): JsonValue {
  if (typeof value === 'string') return inText(value, key);
  if (Array.isArray(value)) {
    const calls = callsIn(value);
    return mapList(value, (item) => (calls.has(callOf(item)) ? metadataOnly(item) : withoutNamed(item, key)));
  }
  if (!isObject(value)) return value;
  if (namesSecretFile(value)) return metadataOnly(value);
  const known = mapObject(value, (item, name) =>
    isPathAsKey(name) ? metadataOnly(item, name) : withoutNamed(item, name),
  );
  return describesSearch(value) ? withoutSecretMatches(known) : known;
}

/** Keys at which agents write differences of several files. */
const DIFFERENCES = wordSet('unified_diff diff patch');

function inText(text: string, key: string): string {
  if (DIFFERENCES.has(key)) return withoutSelections(withoutDiffs(text));
  return isWrittenKey(key) ? inJson(text, withoutNamed, withoutSelections) : withoutSelections(text);
}

/** Which calls in a list are about such a file: Codex tells there of a call, and of what it gave by itself. */
const callsIn = (list: readonly JsonValue[]): ReadonlySet<JsonValue | undefined> =>
  new Set(list.filter((item) => callOf(item) !== undefined && namesSecretFile(item as JsonObject)).map(callOf));
const callOf = (item: JsonValue): JsonValue | undefined => (isObject(item) ? item['call_id'] : undefined);

/** Whether an object is about such a file, by what it says of itself: what it took, or what else names one. */
const namesSecretFile = (value: JsonObject): boolean =>
  isAbout(value) ||
  Object.keys(value).some(
    (key) =>
      (isPathKey(key) && listsOne(value[key])) || (isTakenKey(key) && secretFileIn(value[key], key) !== undefined),
  );

/** Whether an object tells of a search, by what that took. */
export const describesSearch = (value: JsonObject): boolean =>
  Object.keys(value).some((key) => isTakenKey(key) && isSearch(takenIn(value[key])));

/** What a tool took, also where it stands as a text. */
const takenIn = (value: JsonValue | undefined): JsonValue =>
  (typeof value === 'string' && SEARCHED.test(value) ? jsonIn(value) : value) ?? null;
const SEARCHED = /"(?:pattern|regex|query|include)"/;

/** A list of paths, or of places in files. */
const listsOne = (value: JsonValue | undefined): boolean =>
  Array.isArray(value) && value.some((item) => secretFileIn(item, 'path') !== undefined);

/** Objects may have what they tell of files at their paths; a name without a folder or an end is a key like any other. */
const isPathAsKey = (key: string): boolean => /[/\\.]/.test(key) && isSecretPath(key);
