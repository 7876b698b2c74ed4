/** Calls of tools that search, or read many files together: a command of a shell says by itself what it prints. */
import { isObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { isAbout } from './file-references.ts';
import { mapList, mapObject } from './map-json.ts';
import { metadataOnly } from './metadata-only.ts';
import { withoutSecretResults } from './search-results.ts';

/** Returns whether an input is that of a search tool. A question (`query`) alone is a search of the web. */
export const isSearch = (input: JsonValue): boolean =>
  isObject(input) &&
  (['pattern', 'regex'].some((key) => typeof input[key] === 'string') ||
    Array.isArray(input['include']) ||
    (typeof input['query'] === 'string' && WHERE.some((key) => input[key] !== undefined)));

/** Keys of the places and options of a search. */
const WHERE = ['path', 'paths', 'glob', 'include', 'includePattern', 'isRegexp', 'target_directories', 'dir_path'];

/** Returns what a search gave without what it reports files known to hold secrets; the same where it says nothing. */
export function withoutSecretMatches(value: JsonValue): JsonValue {
  if (typeof value === 'string') return withoutSecretResults(value);
  if (isObject(value))
    return mapObject(isAbout(value) ? (metadataOnly(value) as JsonObject) : value, withoutSecretMatches);
  return Array.isArray(value) ? mapList(value, withoutSecretMatches) : value;
}
