/** Calls about several files of which some are known to hold secrets: what was taken for the others stays. */
import { isObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { wordSet } from '../core/word-set.ts';
import { withoutNamed } from './agent-formats.ts';
import { withoutDiffs } from './diffs.ts';
import { isPatchKey, secretFileIn } from './file-references.ts';
import { mapList, mapObject } from './map-json.ts';
import { metadataOnly } from './metadata-only.ts';
import { isSecretFile } from './secret-files.ts';
import { withholdFrom } from './withheld-marker.ts';

/** Matches the beginning of the part about one file in a patch, the name of the file, and the end of the patch. */
const PART = /^(?=[ \t]{0,80}\*\*\* (?:Add|Update|Delete) File: )/m;
const HEADER =
  /^[ \t]{0,80}\*\*\* (?:Add|Update|Delete) File: ([^\n]{1,4200})\n(?:[ \t]{0,80}\*\*\* Move to: ([^\n]{1,4200})\n)?/;
const END = /^[ \t]{0,80}\*\*\* End Patch/m;

/** A patch without what it says of such files; the same text if it says nothing. */
export const withoutPatched = (text: string): string => text.split(PART).map(withoutPart).join('');

function withoutPart(part: string): string {
  const [header = '', ...paths] = HEADER.exec(part) ?? [];
  if (!paths.some((path) => path !== undefined && isSecretFile(path.trim()))) return part;
  const found = part.search(END);
  const end = found < 0 ? part.length : found;
  const told = part.slice(header.length, end).trimEnd();
  return header + withholdFrom(told) + part.slice(header.length + told.length);
}

/** Returns what a tool took with its patches changed, wherever one may be. */
function withPatches(value: JsonValue, change: (text: string) => string, key = '', depth = 0): JsonValue {
  if (typeof value === 'string') return isPatchKey(key) ? change(value) : value;
  if (Array.isArray(value)) return mapList(value, (item) => withPatches(item, change, key, depth + 1));
  return isObject(value) ? mapObject(value, (item, name) => withPatches(item, change, name, depth + 1)) : value;
}

/** Returns what a tool took without what it says of such files in a list of several; null if it names one elsewhere, too. */
function withoutListed(input: JsonValue): JsonObject | null {
  if (!isObject(input)) return null;
  const isOfOne = (item: JsonValue): boolean => isObject(item) && secretFileIn(item) !== undefined;
  const rest = Object.entries(input).filter(([, item]) => !(Array.isArray(item) && item.some(isOfOne)));
  if (secretFileIn(Object.fromEntries(rest)) !== undefined) return null;
  return mapObject(input, (item) =>
    Array.isArray(item) ? mapList(item, (one) => (isOfOne(one) ? metadataOnly(one) : one)) : item,
  );
}

/**
 * A call without what it reports such files, if it reports others, too; null if that cannot be informed apart.
 * @param key where in the call is what its tool took
 */
export function withOtherFilesKept(call: JsonObject, key: 'input' | 'args'): JsonObject | null {
  const input = call[key] ?? null;
  if (secretFileIn(withPatches(input, () => '')) === undefined)
    return mapObject(call, (item, name) =>
      name === key ? withPatches(item, withoutPatched) : withoutGivenBy(item, name),
    );
  const listed = withoutListed(input);
  return listed && mapObject(call, (item, name) => (name === key ? listed : metadataOnly(item, name)));
}

/** Returns the result of a patch without its differences, its error and the reports of single files. */
const withoutGivenBy = (value: JsonValue, key: string): JsonValue => {
  if (typeof value !== 'string') return withoutNamed(value);
  return ANSWERS.has(key) ? withoutFailure(withoutDiffs(value)) : withoutDiffs(value);
};

/** Keys at which is what a tool answered. */
const ANSWERS = wordSet('output errorText error result content stdout stderr resultDisplay');
/** Matches the message that a patch does not fit: it quotes the lines that it looked for, and says nothing of what they are in a file. */
const FAILURE = /(?<![\w/.-])(?:failed|failure|invalid|error|cannot|could not|unexpected|not found)(?![\w/-]|\.\w)/i;
const DIFFERENCE = /^(?:diff --git |Index: |--- )/m;

function withoutFailure(text: string): string {
  const start = text.search(FAILURE);
  const difference = text.search(DIFFERENCE);
  return start < 0 || (difference >= 0 && difference < start) ? text : withholdFrom(text, start);
}
