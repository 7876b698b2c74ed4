/** What a tool call or an attachment tells of the content of a file that is known to hold secrets: that it was told is kept, and not what. */

import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { wordSet } from '../word-set.ts';
import { isSecretFile } from './files.ts';

/** Keys under which tools take the path of a file. */
const PATHS = wordSet(
  'file_path filePath path notebook_path absolute_path abs_path target_file filename file_name file uri',
);
/** What tells of a call itself. */
const OWN = new Set(['type', 'toolName', 'toolCallId', 'state']);
/** The files of a patch, as apply_patch takes them. */
const PATCHED = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm;
/** How deep in what a tool takes its paths are looked for. */
const DEEPEST = 4;

function namesSecretFile(value: JsonValue | undefined, key = '', depth = 0): boolean {
  if (typeof value === 'string') {
    if (PATHS.has(key) && isSecretFile(value.replace(/^@/, ''))) return true;
    return value.includes('*** ') && [...value.matchAll(PATCHED)].some(([, path = '']) => isSecretFile(path.trim()));
  }
  if (typeof value !== 'object' || value === null || depth === DEEPEST) return false;
  if (Array.isArray(value)) return value.some((item) => namesSecretFile(item, key, depth + 1));
  return Object.entries(value).some(([name, item]) => namesSecretFile(item, name, depth + 1));
}

/** What something is, and what was withheld before. */
const TYPE = /^\w[\w-]{0,40}$/;
const WITHHELD = /^\[withheld: \d+ bytes, the file is known to hold secrets\]$/;

function emptied(value: JsonValue | undefined, key: string): JsonValue | undefined {
  if (typeof value === 'string') {
    const stays =
      (PATHS.has(key) && !value.includes('\n')) || (key === 'type' && TYPE.test(value)) || WITHHELD.test(value);
    return stays ? value : withheldText(Buffer.byteLength(value));
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => emptied(item, key) as JsonValue);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, emptied(item, name)])) as JsonObject;
}

/** What stands in the place of a text. @param bytes how long it was */
export const withheldText = (bytes: number): string => `[withheld: ${bytes} bytes, the file is known to hold secrets]`;

const isCall = (value: JsonObject): boolean => value['type'] === 'dynamic-tool';

/** Under what an object names the file that it shows, and under what it shows it: attachments of agents do. */
const NAMED = ['filename', 'filePath', 'file_path', 'path'];
const SHOWN = ['content', 'snippet', 'url'];

/** An object that shows such a file without what it shows; the same object where it is none. */
function withoutShown(value: JsonObject): JsonObject {
  if (!NAMED.some((key) => typeof value[key] === 'string' && isSecretFile(value[key]))) return value;
  const isLink = (item: JsonValue | undefined): boolean => typeof item === 'string' && /^(?:https?|file):/.test(item);
  const shown = SHOWN.filter((key) => Object.hasOwn(value, key) && !isLink(value[key]));
  if (shown.length === 0) return value;
  return { ...value, ...Object.fromEntries(shown.map((key) => [key, emptied(value[key], key) as JsonValue])) };
}

/** A value in which every tool call about such a file has lost its texts; the same object where there is none. */
export function withoutSecretFiles(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (isObject(value) && isCall(value)) {
    if (!namesSecretFile(value['input'])) return value;
    const entries = Object.entries(value).map(([key, item]) => [key, OWN.has(key) ? item : emptied(item, key)]);
    return Object.fromEntries(entries) as JsonObject;
  }
  if (Array.isArray(value)) return listWithout(value);
  const open = withoutShown(value as JsonObject);
  let changed: JsonObject | null = open === value ? null : open;
  for (const [key, item] of Object.entries(open)) {
    const next = item === undefined ? item : withoutSecretFiles(item);
    if (next === item) continue;
    changed ??= { ...open };
    changed[key] = next;
  }
  return changed ?? value;
}

function listWithout(list: readonly JsonValue[]): JsonValue {
  let changed: JsonValue[] | null = null;
  for (let index = 0; index < list.length; index++) {
    const next = withoutSecretFiles(list[index] as JsonValue);
    if (next === list[index]) continue;
    changed ??= [...list];
    changed[index] = next;
  }
  return (changed ?? list) as JsonValue;
}
