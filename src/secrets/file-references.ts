/** Recognises a value of JSON that names a file which is known to hold secrets: the input of a tool, or the metadata of a file. */
import { isObject, type JsonObject, type JsonValue, parseJson } from '../core/json.ts';
import { wordSet } from '../core/word-set.ts';
import { isSecretFile } from './secret-files.ts';

/** Keys under which tools and agents name a file, or several in a list. A pattern of files is none: it only says where to look. */
const PATHS_KEPT = wordSet(
  'file_path filePath path notebook_path absolute_path abs_path target_file filename file_name file uri ' +
    'move_path movePath paths file_paths filePaths uris locations fileName relative_path relativePath',
);
/** Keys besides at which tools of others name one, without what parts their words. */
const PATHS_TAKEN = wordSet(
  'filepath fileuri pathname fullpath localpath relpath inputpath outputpath configpath envfile keyfile targetfile absolutepath ' +
    'files filenames inputfile outputfile',
);
/** The same for words that mean other things as well. */
const PERHAPS_PATHS = wordSet('src source sources from target dest destination to resource location includes document');

/** Keys at which stands what a tool took, as an object or as JSON in a text. */
const TAKEN = wordSet(
  'input args arguments parameters toolArgs tool_args toolInput tool_input rawInput raw_input invocation attachment',
);
/** Keys besides at which a tool takes a patch, or a command that may be one; at any other it may be the content of a file. */
const PATCHES = wordSet('patch patchText patch_text command cmd');
const PATCH = /^\s{0,80}\*\*\* |\bapply_?patch\b/;
/** The files of a patch, as apply_patch takes them; what is further in than the first of these is a line of a file. */
const PATCHED = /^([ \t]{0,80})\*\*\* (?:Begin Patch|(?:(?:Add|Update|Delete) File|Move to): (.{1,4200}))$/gm;
/** How deep in what a tool takes its paths are looked for. */
const DEEPEST = 4;
/** Calls that stand in one another's list are told of each by itself. */
const CALLS = /calls$/i;
/** Longest path there is, with what an address may have around it. */
const LONGEST = 4200;

/** Whether a key has paths at it. */
export const isPathKey = (key: string): boolean => PATHS_KEPT.has(key);

/** Whether a key may have a path at it in what a tool took: elsewhere such a word means many things. */
export function isTakenPathKey(key: string): boolean {
  const word = plainKey(key);
  return PATHS_KEPT.has(key) || PATHS_TAKEN.has(word) || PERHAPS_PATHS.has(word);
}

const plainKey = (key: string): string => key.replace(/[_-]/g, '').toLowerCase();

/** Whether a key has at it what a tool took. */
export const isTakenKey = (key: string): boolean => TAKEN.has(key);

/** Whether a key may have a patch at it, of what a tool took; an empty one is that of all it took. */
export const isPatchKey = (key: string): boolean => key === '' || isTakenKey(key) || PATCHES.has(key);

/** Whether a key may have JSON of an agent's own at it, as a text; at any other such a text may be the content of a file. */
export const isWrittenKey = (key: string): boolean => isTakenKey(key) || key === 'raw' || key === 'message';

/** Whether a text is the path or the address of such a file. */
export function isSecretPath(text: string): boolean {
  if (text.length > LONGEST || text.trimEnd().includes('\n')) return false;
  const path = plainPath(/^\w+:\/\//.test(text) ? text.replace(/[?#].*$/, '') : text);
  return !isRoute(path) && isSecretFile(path);
}

/** The place in a file that a path may name: lines and columns, as editors and links of forges have them. */
const PLACE =
  /(?<=[^:])(?::L?\d{1,9}(?:[-:,]L?\d{1,9}){0,3}|#L\d{1,9}(?:C\d{1,9})?(?:-L?\d{1,9}(?:C\d{1,9})?)?|\?line=\d{1,9})$/;

/** A path without a mention's sign, what stands around it, and its place in the file. */
const plainPath = (text: string): string =>
  decoded(
    text
      .trim()
      .replace(/^(["'`])(.*)\1$/, '$2')
      .replace(/^@/, '')
      .replace(PLACE, ''),
  );

/** A path in which signs may be written as URLs have them. */
function decoded(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Whether a path leads to what a server offers: there a word such as `credentials` is no file. */
const isRoute = (path: string): boolean =>
  /^(?:https?:|\/(?:api|rest|v\d+)\/)/i.test(path) && !path.slice(path.lastIndexOf('/')).includes('.');

/** Whether an object tells of a request to a server, whose path is that of no file. */
function isRequest({ method, status }: JsonObject): boolean {
  const isVerb = typeof method === 'string' && /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/.test(method);
  return isVerb || (typeof status === 'number' && status >= 100 && status < 600);
}

/** Whether an object says of itself that it is about such a file. No entries are made of it here, as each object is looked at. */
export function isAbout(value: JsonObject): boolean {
  for (const key of Object.keys(value)) {
    const item = isPathKey(key) ? value[key] : undefined;
    if (typeof item === 'string' && isSecretPath(item)) return !isRequest(value);
  }
  return false;
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
  const mayBe = isTakenPathKey(key) && (!PERHAPS_PATHS.has(plainKey(key)) || isPathLike(text));
  if (isPathKey(key) || (depth > 0 && mayBe && isSecretPath(text))) return isSecretPath(text) ? text : undefined;
  const isTaken = key === '' || isTakenKey(key);
  if (isPatchKey(key)) {
    const patched = patchedFiles(text).find(isSecretFile);
    if (patched !== undefined) return patched;
  }
  return isTaken && depth < DEEPEST ? secretFileIn(jsonIn(text) ?? null, '', depth + 1) : undefined;
}

/** What no word is: `credentials` is an anchor or a resource, and `order.key` one of a table, too. */
const isPathLike = (text: string): boolean =>
  /[/\\]|^["'@]?\.\w|\.(?:json|ya?ml|toml|ini|csv|txt|pem|tfvars|tfstate|p12|pfx|kdbx|conf|xml|properties)$|^id_(?:rsa|dsa|ecdsa|ed25519)$/.test(
    text,
  );

/** The files of a patch; none where a text is no patch. */
function patchedFiles(text: string): string[] {
  if (!text.includes('*** ') || !PATCH.test(text)) return [];
  const found = [...text.matchAll(PATCHED)];
  return found.flatMap(([, linePrefix, file]) =>
    file !== undefined && linePrefix === found[0]?.[1] ? [file.trim()] : [],
  );
}
