/** What a tool call or an attachment tells of the content of a file that is known to hold secrets: that it was told is kept, and not what. */

import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { isSecretFile } from './files.ts';
import { emptiedText, withoutNamed } from './foreign.ts';
import { withoutHits } from './hits.ts';
import { isPathKey, secretFileIn } from './named.ts';
import { withoutSelections } from './selections.ts';
import { listOf, mapped } from './walk.ts';

/** What tells of a call itself. */
const OWN = new Set(['type', 'toolName', 'toolCallId', 'state', 'id', 'name', 'status', 'timestamp']);
/** What something is. */
const TYPE = /^\w[\w-]{0,40}$/;

function emptied(value: JsonValue, key: string): JsonValue {
  if (typeof value === 'string') {
    const stays = (isPathKey(key) && !value.includes('\n')) || (key === 'type' && TYPE.test(value));
    return stays ? value : emptiedText(value, key);
  }
  if (Array.isArray(value)) return listOf(value, (item) => emptied(item, key));
  return isObject(value) ? mapped(value, emptied) : value;
}

/** What a tool took: in a part of a message, or in a call as Gemini CLI writes it; undefined where an object is no call. */
function inputOf(value: JsonObject): JsonValue | undefined {
  if (value['type'] === 'dynamic-tool') return value['input'];
  return typeof value['name'] === 'string' ? value['args'] : undefined;
}

/** A call of a tool without what it tells of such a file; the same object where it tells nothing. */
function callWithout(call: JsonObject, input: JsonValue): JsonObject {
  if (secretFileIn(input) === undefined) return (isSearch(input) ? withoutFound : withoutNamed)(call) as JsonObject;
  return mapped(call, (item, key) => (OWN.has(key) ? item : emptied(item, key)));
}

/** What tools take that search, or read many files together; a command of a shell says by itself what it prints. */
const isSearch = (input: JsonValue): boolean =>
  isObject(input) &&
  (['pattern', 'query', 'regex'].some((key) => typeof input[key] === 'string') || Array.isArray(input['include']));

/** What a search gave without what it tells of such files; the same where it tells nothing. */
function withoutFound(value: JsonValue): JsonValue {
  if (typeof value === 'string') return withoutHits(value);
  if (isObject(value)) return mapped(isAbout(value) ? (emptied(value, '') as JsonObject) : value, withoutFound);
  return Array.isArray(value) ? listOf(value, withoutFound) : value;
}

/** Under what an object names the file that it shows, and under what it shows it: attachments and results of agents do. */
const NAMED = ['filename', 'filePath', 'file_path', 'path'];
const SHOWN = new Set(['content', 'snippet', 'url', 'response', 'description']);

const isAbout = (value: JsonObject): boolean =>
  NAMED.some((key) => typeof value[key] === 'string' && isSecretFile(value[key]));

/** An object that shows such a file without what it shows; the same object where it is none. */
function withoutShown(value: JsonObject): JsonObject {
  if (!isAbout(value)) return value;
  const isLink = (item: JsonValue | undefined): boolean => typeof item === 'string' && /^(?:https?|file):/.test(item);
  return mapped(value, (item, key) => (SHOWN.has(key) && !isLink(item) ? emptied(item, key) : item));
}

/** Where a record has what its agent told in a form of its own: lines that are kept as they are, and what is left of others. */
const FOREIGN = new Set(['data', 'metadata', 'lines']);

/** Names of such tools, where only a result of theirs is told. */
const SEARCHES = /grep|search|read_many/;

/** A value in which every tool call about such a file has lost its texts; the same object where there is none. */
export function withoutSecretFiles(value: JsonValue): JsonValue {
  if (typeof value === 'string') return withoutSelections(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return listOf(value, withoutSecretFiles);
  return objectWithout(value as JsonObject);
}

function objectWithout(value: JsonObject): JsonObject {
  const input = inputOf(value);
  if (input !== undefined) return callWithout(value, input);
  const { name, response } = value;
  const isFound = typeof name === 'string' && isObject(response) && SEARCHES.test(name);
  const change = isFound ? withoutFound : withoutSecretFiles;
  return mapped(withoutShown(value), (item, key) => {
    const known = change(item);
    return FOREIGN.has(key) ? withoutNamed(known) : known;
  });
}
