/** Lists in which one item says what a tool took, and another what it gave: that of a file known to hold secrets goes. */
import { isObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { isSecretPath, secretFileIn } from './file-references.ts';
import { MENTIONED } from './mentions.ts';
import { withholdFrom } from './withheld-marker.ts';

/** Matches the message by which Claude Code and opencode show the model a file that the user has named; the output of the tool is the next text. */
const CALLED =
  /^\s{0,80}(?:<system-reminder>\s{0,4})?Called the \w{1,64} tool with the following input: (\{[^\n]{1,4200}\})\s{0,4}(?:<\/system-reminder>\s{0,4})?$/;
const GIVEN = /^\s{0,80}(?:<system-reminder>\s{0,4})?(?:Result of calling the \w{1,64} tool:|<file>|<path>)/;

/** A list of texts, or of what holds one, without those that show such a file; the same list if none does. */
export function withoutSecretOutputs(list: readonly JsonValue[]): readonly JsonValue[] {
  let isOf = false;
  let isNext = false;
  let changed: JsonValue[] | null = null;
  for (const [index, item] of list.entries()) {
    const text = textAt(item);
    if (text === undefined) continue;
    const called = text.includes('Called the ') ? CALLED.exec(text) : null;
    const mentioned = text.includes('Content from @') ? MENTIONED.exec(text) : null;
    if (called) isOf = secretFileIn(called[1]) !== undefined;
    else if (isNext || (isOf && GIVEN.test(text))) {
      isOf = false;
      changed ??= [...list];
      changed[index] = withText(item, withholdFrom(text));
    }
    isNext = mentioned !== null && isSecretPath(mentioned[1] ?? '');
  }
  return changed ?? list;
}

const keyOf = (item: JsonObject): 'text' | 'content' => (typeof item['text'] === 'string' ? 'text' : 'content');

function textAt(item: JsonValue): string | undefined {
  const text = isObject(item) ? item[keyOf(item)] : item;
  return typeof text === 'string' ? text : undefined;
}

const withText = (item: JsonValue, text: string): JsonValue =>
  isObject(item) ? { ...item, [keyOf(item)]: text } : text;
