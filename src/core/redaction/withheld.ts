/** What a tool call or an attachment tells of the content of a file that is known to hold secrets: that it was told is kept, and not what. */

import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { wordSet } from '../word-set.ts';
import { isSecretFile } from './files.ts';
import { withoutHits } from './hits.ts';
import { withoutSelections } from './selections.ts';
import { withoutTold } from './told.ts';

/** Keys under which tools take the path of a file. */
const PATHS = wordSet(
  'file_path filePath path notebook_path absolute_path abs_path target_file filename file_name file uri glob include',
);
/** What tells of a call itself. */
const OWN = new Set(['type', 'toolName', 'toolCallId', 'state', 'id', 'name', 'status', 'timestamp']);
/** The files of a patch, as apply_patch takes them. */
const PATCHED = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm;
/** How deep in what a tool takes its paths are looked for. */
const DEEPEST = 4;

/** The path of the first such file that a tool took; undefined where it took none. */
export function secretFileIn(value: JsonValue | undefined, key = '', depth = 0): string | undefined {
  if (typeof value === 'string') {
    const path = value.replace(/^@/, '');
    if (PATHS.has(key) && isSecretFile(path)) return path;
    const patched = value.includes('*** ') ? [...value.matchAll(PATCHED)].map(([, file = '']) => file.trim()) : [];
    return patched.find(isSecretFile);
  }
  if (typeof value !== 'object' || value === null || depth === DEEPEST) return undefined;
  const items = Array.isArray(value) ? value.map((item) => [key, item] as const) : Object.entries(value);
  for (const [name, item] of items) {
    const path = secretFileIn(item, name, depth + 1);
    if (path !== undefined) return path;
  }
  return undefined;
}

/** What something is. */
const TYPE = /^\w[\w-]{0,40}$/;

function emptied(value: JsonValue | undefined, key: string): JsonValue | undefined {
  if (typeof value === 'string') {
    const stays = (PATHS.has(key) && !value.includes('\n')) || (key === 'type' && TYPE.test(value));
    return stays ? value : withoutTold(value);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => emptied(item, key) as JsonValue);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, emptied(item, name)])) as JsonObject;
}

/** What a tool took: in a part of a message, or in a call as Gemini CLI writes it; undefined where an object is no call. */
function inputOf(value: JsonObject): JsonValue | undefined {
  if (value['type'] === 'dynamic-tool') return value['input'];
  return typeof value['name'] === 'string' ? value['args'] : undefined;
}

/** A call of a tool without what it tells of such a file; the same object where it tells nothing. */
function callWithout(call: JsonObject, input: JsonValue): JsonObject {
  if (secretFileIn(input) === undefined) return isSearch(input) ? (withoutFound(call) as JsonObject) : call;
  const entries = Object.entries(call).map(([key, item]) => [key, OWN.has(key) ? item : emptied(item, key)]);
  return Object.fromEntries(entries) as JsonObject;
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
const SHOWN = ['content', 'snippet', 'url', 'response', 'description'];

const isAbout = (value: JsonObject): boolean =>
  NAMED.some((key) => typeof value[key] === 'string' && isSecretFile(value[key]));

/** An object that shows such a file without what it shows; the same object where it is none. */
function withoutShown(value: JsonObject): JsonObject {
  if (!isAbout(value)) return value;
  const isLink = (item: JsonValue | undefined): boolean => typeof item === 'string' && /^(?:https?|file):/.test(item);
  const shown = SHOWN.filter((key) => Object.hasOwn(value, key) && !isLink(value[key]));
  if (shown.length === 0) return value;
  return { ...value, ...Object.fromEntries(shown.map((key) => [key, emptied(value[key], key) as JsonValue])) };
}

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
  return mapped(withoutShown(value), isFound ? withoutFound : withoutSecretFiles);
}

/** An object with other values; the same object where none of them is another. */
function mapped(object: JsonObject, change: (value: JsonValue) => JsonValue): JsonObject {
  let changed: JsonObject | null = null;
  for (const [key, item] of Object.entries(object)) {
    const next = item === undefined ? item : change(item);
    if (next === item) continue;
    changed ??= { ...object };
    changed[key] = next;
  }
  return changed ?? object;
}

function listOf(list: readonly JsonValue[], change: (value: JsonValue) => JsonValue): JsonValue {
  let changed: JsonValue[] | null = null;
  for (let index = 0; index < list.length; index++) {
    const next = change(list[index] as JsonValue);
    if (next === list[index]) continue;
    changed ??= [...list];
    changed[index] = next;
  }
  return (changed ?? list) as JsonValue;
}
