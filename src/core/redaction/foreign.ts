/** What agents tell of files in forms of their own: an object that names a file known to hold secrets loses its texts, wherever it stands. */
import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { wordSet } from '../word-set.ts';
import { isPathKey, isSecretPath, jsonIn, secretFileIn } from './named.ts';
import { withoutSelections } from './selections.ts';
import { withoutTold } from './told.ts';
import { listOf, mapped } from './walk.ts';

/** Keys at which stands what a tool took, or what is told once more beside them: what else the object says is of the same file. */
const TAKEN = wordSet(
  'input args arguments parameters toolArgs tool_args toolInput tool_input rawInput raw_input invocation attachment',
);
/** Where besides an agent may write JSON of its own as a text; at any other key such a text may be the content of a file. */
const WRITTEN = wordSet('args arguments input toolArgs rawInput raw message');
/** What ends the keys of what says no content: ids, kinds, times and the like. */
const OWN =
  /(?:^name|toolName|hookName|tool_name|id|type|kind|role|state|status|version|branch|entrypoint|cwd|path|method|timestamp|jsonrpc|server|tool|^dir|^ts)$/i;
const WORDS = /^[^\n]{1,200}$/;
const LINK = /^(?:https?|file):\/\/\S+$/;

/** A value without what it tells of such files; the same one where it tells nothing. */
export function withoutNamed(value: JsonValue): JsonValue {
  if (typeof value === 'string') return inText(value, withoutNamed, withoutSelections);
  if (Array.isArray(value)) return listOf(value, withoutNamed);
  if (!isObject(value)) return value;
  if (tellsOfOne(value)) return emptied(value, '');
  return mapped(value, (item, key) => (isPathAsKey(key) ? emptied(item, key) : withoutNamed(item)));
}

/** Whether an object is about such a file, by what it says of itself. */
function tellsOfOne(value: JsonObject): boolean {
  for (const key of Object.keys(value)) {
    const item = value[key];
    if (typeof item === 'string' ? isPathKey(key) && isSecretPath(item) : isPathKey(key) && listsOne(item)) return true;
    if (TAKEN.has(key) && secretFileIn(item, key) !== undefined) return true;
  }
  return false;
}

/** A list of paths, or of places in files. */
const listsOne = (value: JsonValue | undefined): boolean =>
  Array.isArray(value) && value.some((item) => secretFileIn(item, 'path') !== undefined);

/** Objects may have what they tell of files at their paths; a name without a folder or an end is a key like any other. */
const isPathAsKey = (key: string): boolean => /[/\\.]/.test(key) && isSecretPath(key);

/** A value without any text but paths and what tells of itself. */
function emptied(value: JsonValue, key: string): JsonValue {
  if (typeof value === 'string') return isKept(value, key) ? value : emptiedText(value, key);
  if (Array.isArray(value)) return listOf(value, (item) => emptied(item, key));
  return isObject(value) ? mapped(value, emptied) : value;
}

/** What stands at a key without what it tells; where agents write JSON there, its paths stay. */
export const emptiedText = (text: string, key: string): string =>
  WRITTEN.has(key) ? inText(text, (json) => emptied(json, ''), withoutTold) : withoutTold(text);

/** Whether a text stays where an object is about such a file. */
function isKept(text: string, key: string): boolean {
  if (isPathKey(key)) return !text.includes('\n');
  return key === 'url' ? LINK.test(text) : OWN.test(key) && WORDS.test(text);
}

/** A text changed as the JSON that it holds, or, where it holds none, as a text. */
function inText(text: string, json: (value: JsonValue) => JsonValue, plain: (text: string) => string): string {
  const held = jsonIn(text);
  if (held === undefined) return plain(text);
  const changed = json(held);
  return changed === held ? text : JSON.stringify(changed);
}
