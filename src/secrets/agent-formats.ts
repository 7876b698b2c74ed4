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

/** Returns a value without the contents of secret files; the same value if it has none. */
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

/** Keys whose texts are diffs of several files. */
const DIFFERENCES = wordSet('unified_diff diff patch');

function inText(text: string, key: string): string {
  if (DIFFERENCES.has(key)) return withoutSelections(withoutDiffs(text));
  return isWrittenKey(key) ? inJson(text, withoutNamed, withoutSelections) : withoutSelections(text);
}

/** Returns the ids of the calls in a list that are about a secret file: Codex lists a call and its output separately. */
const callsIn = (list: readonly JsonValue[]): ReadonlySet<JsonValue | undefined> =>
  new Set(list.filter((item) => callOf(item) !== undefined && namesSecretFile(item as JsonObject)).map(callOf));
const callOf = (item: JsonValue): JsonValue | undefined => (isObject(item) ? item['call_id'] : undefined);

/** Checks whether an object is about a secret file: by its own paths, by the input of its tool, or by a list of paths. */
const namesSecretFile = (value: JsonObject): boolean =>
  isAbout(value) ||
  Object.keys(value).some(
    (key) =>
      (isPathKey(key) && listsOne(value[key])) || (isTakenKey(key) && secretFileIn(value[key], key) !== undefined),
  );

/** Checks whether an object describes a search, by the input of its tool. */
export const describesSearch = (value: JsonObject): boolean =>
  Object.keys(value).some((key) => isTakenKey(key) && isSearch(takenIn(value[key])));

/** Returns the input of a tool, parsed if it is JSON in a text. */
const takenIn = (value: JsonValue | undefined): JsonValue =>
  (typeof value === 'string' && SEARCHED.test(value) ? jsonIn(value) : value) ?? null;
const SEARCHED = /"(?:pattern|regex|query|include)"/;

/** Checks whether a value is a list of paths, or of places in files, that names a secret file. */
const listsOne = (value: JsonValue | undefined): boolean =>
  Array.isArray(value) && value.some((item) => secretFileIn(item, 'path') !== undefined);

/** Checks whether a key is the path of a secret file. A name without a folder or an extension is a key like any other. */
const isPathAsKey = (key: string): boolean => /[/\\.]/.test(key) && isSecretPath(key);
