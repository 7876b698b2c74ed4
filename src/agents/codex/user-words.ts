/** Whose words a message of the role `user` is: the user's own, or what Codex puts there itself; and questions as text. */
import { isObject, type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import { oneLine } from '../../core/text.ts';
import { ownWordsIn } from '../shared/own-words.ts';
import { CODEX_FOREIGN } from './foreign.ts';

/** What Codex puts around a picture. */
const FRAME = /^\s*<\/?image\b[^>]*>\s*$/;

/** What Codex itself says of where a content item came from, one word an item; null where it does not. */
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

/** The user's words in an item of the role `user`, or null where it has none: then Codex wrote it itself. */
export function promptOf(item: JsonObject): string | null {
  const kinds = kindsOf(item);
  const content = item['content'];
  const blocks: JsonValue[] = typeof content === 'string' ? [{ text: content }] : Array.isArray(content) ? content : [];
  return ownWordsIn(
    blocks.flatMap((block, index) => wordOf(block, kinds?.[index])),
    CODEX_FOREIGN,
  );
}

/** Whether a tool's call is a question to the user. */
export function isQuestion(name: string): boolean {
  return name === 'request_user_input';
}

/** A question that a tool puts, as text. */
export function questionText(input: JsonValue): string {
  const questions = objectOf(input)?.['questions'];
  const texts = (Array.isArray(questions) ? questions : []).flatMap((one) => {
    const question = objectOf(one);
    const text = textOf(question?.['question']);
    if (text === undefined) return [];
    const options = Array.isArray(question?.['options']) ? question['options'] : [];
    return [[text, ...options.flatMap(optionLine)].join('\n')];
  });
  return texts.join('\n\n') || 'The agent asks a question.';
}

function optionLine(option: JsonValue): string[] {
  const label = textOf(objectOf(option)?.['label']);
  const description = textOf(objectOf(option)?.['description']);
  return label === undefined ? [] : [`- ${label}${description ? `: ${oneLine(description)}` : ''}`];
}

/** What the user answered to a question of a tool; null where they gave no answer. */
export function answerText(told: JsonValue | undefined): string | null {
  const answers = Object.values(objectOf(objectOf(told)?.['answers']) ?? {}).map((answer) => {
    const given = objectOf(answer)?.['answers'] ?? answer;
    return (Array.isArray(given) ? given : [given]).filter((one) => typeof one === 'string').join(', ');
  });
  return answers.filter((answer) => answer !== '').join('\n') || null;
}
