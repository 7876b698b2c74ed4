/** Whose words a message of the role `user` contains: the user's own, or Codex's; and questions as text. */
import { isObject, type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import { ownWordsIn } from '../shared/own-words.ts';
import { CODEX_FOREIGN } from './foreign.ts';

/** Codex's frame of a picture. */
const FRAME = /^\s*<\/?image\b[^>]*>\s*$/;

/** Returns Codex's own word for the origin of each content item; null if it has none. */
function kindsOf(item: JsonObject): string[] | null {
  const kinds = objectOf(item['internal_chat_message_metadata_passthrough'])?.['content_item_kinds'];
  return Array.isArray(kinds) && kinds.every((kind) => typeof kind === 'string') ? kinds : null;
}

function wordOf(block: JsonValue, kind: string | undefined): string[] {
  if (!isObject(block)) return [];
  if (kind !== undefined && kind !== 'unknown' && !kind.startsWith('user')) return [];
  if (block['type'] === 'input_image') return ['[image]'];
  const text = textOf(block['text']);
  return text === undefined || FRAME.test(text) ? [] : [text];
}

/** Returns the user's words in an item of the role `user`, or null if there are none: then Codex wrote it. */
export function promptOf(item: JsonObject): string | null {
  const kinds = kindsOf(item);
  const content = item['content'];
  const blocks: JsonValue[] = typeof content === 'string' ? [{ text: content }] : Array.isArray(content) ? content : [];
  return ownWordsIn(
    blocks.flatMap((block, index) => wordOf(block, kinds?.[index])),
    CODEX_FOREIGN,
  );
}

/** Returns whether a tool's call is a question to the user. */
export function isQuestion(name: string): boolean {
  return name === 'request_user_input';
}

/** Returns the user's answer to a question of a tool; null if there is none. */
export function answerText(told: JsonValue | undefined): string | null {
  const answers = Object.values(objectOf(objectOf(told)?.['answers']) ?? {}).map((answer) => {
    const given = objectOf(answer)?.['answers'] ?? answer;
    return (Array.isArray(given) ? given : [given]).filter((one) => typeof one === 'string').join(', ');
  });
  return answers.filter((answer) => answer !== '').join('\n') || null;
}
