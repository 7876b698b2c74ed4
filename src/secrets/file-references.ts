/** Recognises JSON values that name a secret file: the input of a tool, or the metadata of a file. */
import { isObject, type JsonObject, type JsonValue, parseJson } from '../core/json.ts';
import { wordSet } from '../core/word-set.ts';
import { isSecretFile } from './secret-files.ts';

/** Keys of one or more paths in tools and agents. A glob pattern is no path: it only says what to search. */
const PATHS_KEPT = wordSet(
  'file_path filePath path notebook_path absolute_path abs_path target_file filename file_name file uri ' +
    'move_path movePath paths file_paths filePaths uris locations fileName relative_path relativePath',
);
/** Further keys of paths in the input of tools, without separators between their words. */
const PATHS_TAKEN = wordSet(
  'filepath fileuri pathname fullpath localpath relpath inputpath outputpath configpath envfile keyfile targetfile absolutepath ' +
    'files filenames inputfile outputfile',
);
/** Further keys of paths, whose words have other meanings as well. */
const PERHAPS_PATHS = wordSet('src source sources from target dest destination to resource location includes document');

/** Keys of the input of a tool, as an object or as JSON in a text. */
const TAKEN = wordSet(
  'input args arguments parameters toolArgs tool_args toolInput tool_input rawInput raw_input invocation attachment',
);
/** Further keys of a patch, or of a command that may be one; at any other key a patch may be the content of a file. */
const PATCHES = wordSet('patch patchText patch_text command cmd');
const PATCH = /^\s{0,80}\*\*\* |\bapply_?patch\b/;
/** The files of a patch, as apply_patch takes them; a line with more indentation than the first is the content of a file. */
const PATCHED = /^([ \t]{0,80})\*\*\* (?:Begin Patch|(?:(?:Add|Update|Delete) File|Move to): (.{1,4200}))$/gm;
/** Depth to which paths are searched in the input of a tool. */
const DEEPEST = 4;
/** Calls in a list of calls are checked one by one. */
const CALLS = /calls$/i;
/** Length of the longest path, with the URL around it. */
const LONGEST = 4200;

/** Checks whether a key has paths. */
export const isPathKey = (key: string): boolean => PATHS_KEPT.has(key);

/** Checks whether a key may have a path in the input of a tool: elsewhere such a word means many things. */
export const isTakenPathKey = (key: string): boolean => kindOf(key).mayBePath;

/** Facts about a key of the input of a tool. */
interface KeyKind {
  mayBePath: boolean;
  /** True if it has a path only if its text looks like one. */
  isPerhaps: boolean;
}

/** Keys come again and again. */
const kinds = new Map<string, KeyKind>();
const MOST_KEYS = 2000;

function kindOf(key: string): KeyKind {
  let known = kinds.get(key);
  if (known === undefined) {
    const word = plainKey(key);
    const isPerhaps = PERHAPS_PATHS.has(word);
    known = { mayBePath: PATHS_KEPT.has(key) || PATHS_TAKEN.has(word) || isPerhaps, isPerhaps };
    if (kinds.size < MOST_KEYS) kinds.set(key, known);
  }
  return known;
}

const plainKey = (key: string): string => key.replace(/[_-]/g, '').toLowerCase();

/** Checks whether a key has the input of a tool. */
export const isTakenKey = (key: string): boolean => TAKEN.has(key);

/** Checks whether a key may have a patch in the input of a tool; the empty key is the input itself. */
export const isPatchKey = (key: string): boolean => key === '' || isTakenKey(key) || PATCHES.has(key);

/** Checks whether a key may have JSON of an agent as a text; at any other key JSON may be the content of a file. */
export const isWrittenKey = (key: string): boolean => isTakenKey(key) || key === 'raw' || key === 'message';

/** Checks whether a text is the path or the URL of a secret file. */
export function isSecretPath(text: string): boolean {
  if (text.length > LONGEST || text.trimEnd().includes('\n')) return false;
  const path = plainPath(/^\w+:\/\//.test(text) ? text.replace(/[?#].*$/, '') : text);
  return !isRoute(path) && isSecretFile(path);
}

/** The line and column after a path, as editors and code hosts write them. */
const PLACE =
  /(?<=[^:])(?::L?\d{1,9}(?:[-:,]L?\d{1,9}){0,3}|#L\d{1,9}(?:C\d{1,9})?(?:-L?\d{1,9}(?:C\d{1,9})?)?|\?line=\d{1,9})$/;

/** Returns a path without the `@` of a mention, quotes, and line numbers. */
const plainPath = (text: string): string =>
  decoded(
    text
      .trim()
      .replace(/^(["'`])(.*)\1$/, '$2')
      .replace(/^@/, '')
      .replace(PLACE, ''),
  );

/** Decodes percent escapes in a path. */
function decoded(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Checks whether a path is a route of a server: there `credentials` is no file. */
const isRoute = (path: string): boolean =>
  /^(?:https?:|\/(?:api|rest|v\d+)\/)/i.test(path) && !path.slice(path.lastIndexOf('/')).includes('.');

/** Checks whether an object describes a request to a server, whose path is no file. */
function isRequest({ method, status }: JsonObject): boolean {
  const isVerb = typeof method === 'string' && /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/.test(method);
  return isVerb || (typeof status === 'number' && status >= 100 && status < 600);
}

/** Checks whether the paths of an object name a secret file. No list of entries is made, since every object is checked. */
export function isAbout(value: JsonObject): boolean {
  for (const key of Object.keys(value)) {
    const item = isPathKey(key) ? value[key] : undefined;
    if (typeof item === 'string' && isSecretPath(item)) return !isRequest(value);
  }
  return false;
}

/** Parses a text that is a JSON object, or a list of objects; undefined if it is none. */
export function jsonIn(text: string): JsonValue | undefined {
  if (!/^\s*(?:\{|\[\s*\{)/.test(text)) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Returns the path of the first secret file in the input of a tool; undefined if there is none. */
export function secretFileIn(value: JsonValue | undefined, key = '', depth = 0): string | undefined {
  if (typeof value === 'string') return fileInText(value, key, depth);
  if (typeof value !== 'object' || value === null || depth === DEEPEST) return undefined;
  if (isObject(value) && isRequest(value)) return undefined;
  const items = Array.isArray(value) ? value.map((item) => [key, item] as const) : Object.entries(value);
  for (const [name, item] of items) {
    const path = CALLS.test(name) ? undefined : secretFileIn(item, name, depth + 1);
    if (path !== undefined) return path;
  }
  return undefined;
}

function fileInText(text: string, key: string, depth: number): string | undefined {
  const { mayBePath, isPerhaps } = kindOf(key);
  const mayBe = mayBePath && (!isPerhaps || isPathLike(text));
  if (isPathKey(key) || (depth > 0 && mayBe && isSecretPath(text))) return isSecretPath(text) ? text : undefined;
  const isTaken = key === '' || isTakenKey(key);
  if (isPatchKey(key)) {
    const patched = patchedFiles(text).find(isSecretFile);
    if (patched !== undefined) return patched;
  }
  return isTaken && depth < DEEPEST ? secretFileIn(jsonIn(text) ?? null, '', depth + 1) : undefined;
}

/** Checks whether a text is a path and no mere word: `credentials` is also an anchor or a resource, and `order.key` a column. */
const isPathLike = (text: string): boolean =>
  /[/\\]|^["'@]?\.\w|\.(?:json|ya?ml|toml|ini|csv|txt|pem|tfvars|tfstate|p12|pfx|kdbx|conf|xml|properties)$|^id_(?:rsa|dsa|ecdsa|ed25519)$/.test(
    text,
  );

/** Returns the files of a patch; none if the text is no patch. */
function patchedFiles(text: string): string[] {
  if (!text.includes('*** ') || !PATCH.test(text)) return [];
  const found = [...text.matchAll(PATCHED)];
  return found.flatMap(([, linePrefix, file]) =>
    file !== undefined && linePrefix === found[0]?.[1] ? [file.trim()] : [],
  );
}
