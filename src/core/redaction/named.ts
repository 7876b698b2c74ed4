/** Whether a value of JSON names a file that is known to hold secrets: what a tool took, or what tells of a file. */
import { type JsonValue, parseJson } from '../json.ts';
import { wordSet } from '../word-set.ts';
import { isSecretFile } from './files.ts';

/** Keys under which tools and agents name a file, or several in a list. */
const PATHS = wordSet(
  'file_path filePath path notebook_path absolute_path abs_path target_file filename file_name file uri glob include ' +
    'move_path movePath paths file_paths filePaths uris locations fileName relative_path relativePath',
);
/** The files of a patch, as apply_patch takes them. */
const PATCHED = /^[ \t]*\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;
/** How deep in what a tool takes its paths are looked for. */
const DEEPEST = 4;
/** Calls that stand in one another's list are told of each by itself. */
const CALLS = /calls$/i;
/** Longest path there is, with what an address may have around it. */
const LONGEST = 4200;

/** Whether a key has paths at it. */
export const isPathKey = (key: string): boolean => PATHS.has(key);

/** Whether a text is the path or the address of such a file. */
export function isSecretPath(text: string): boolean {
  if (text.length > LONGEST || text.includes('\n')) return false;
  return isSecretFile(/^\w+:\/\//.test(text) ? text.replace(/[?#].*$/, '') : text.replace(/^@/, ''));
}

/** The JSON in a text that holds an object, or a list of some; undefined where it is none. */
export function jsonIn(text: string): JsonValue | undefined {
  if (!/^\s*(?:\{|\[\s*\{)/.test(text)) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** The path of the first such file that a tool took; undefined where it took none. */
export function secretFileIn(value: JsonValue | undefined, key = '', depth = 0): string | undefined {
  if (typeof value === 'string') return isPathKey(key) && isSecretPath(value) ? value : fileInText(value, depth);
  if (typeof value !== 'object' || value === null || depth === DEEPEST) return undefined;
  const items = Array.isArray(value) ? value.map((item) => [key, item] as const) : Object.entries(value);
  for (const [name, item] of items) {
    const path = CALLS.test(name) ? undefined : secretFileIn(item, name, depth + 1);
    if (path !== undefined) return path;
  }
  return undefined;
}

function fileInText(text: string, depth: number): string | undefined {
  const patched = text.includes('*** ') ? [...text.matchAll(PATCHED)].map(([, file = '']) => file.trim()) : [];
  return (
    patched.find(isSecretFile) ?? (depth < DEEPEST ? secretFileIn(jsonIn(text) ?? null, '', depth + 1) : undefined)
  );
}
