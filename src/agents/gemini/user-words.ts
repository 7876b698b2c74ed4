/** Whose words a message of the type `user` is: the user's own, or what the program or a hook puts there. */
import { isObject, type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import { ownWordsIn } from '../shared/own-words.ts';
import { GEMINI_FOREIGN } from './foreign.ts';

/**
 * What hooks have told the model stands before the user's words, or by itself. Gemini CLI escapes what is in it, so it ends
 * where it says so.
 */
const CONTEXT = /^(?:\s*<hook_context>[^<]*<\/hook_context>)+\s*/;
/** Texts that begin so were written by the program. */
const OF_THE_PROGRAM =
  /^\s*(<(session_context|state_snapshot|system-reminder)\b|This is the Gemini CLI\. We are setting up)/;
const FOLDERS = /(?:Workspace Directories:\*{0,2}|working in the (?:following )?director(?:y|ies):)\s*(?:- )?([^\n]+)/;

/** A text without what hooks put before it. */
export const withoutContext = (text: string): string => text.replace(CONTEXT, '');

/** The elements of a content: a text stands for one. */
export function contentOf(content: JsonValue | undefined): JsonValue[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }];
  if (Array.isArray(content))
    return content.map((element) => (typeof element === 'string' ? { text: element } : element));
  return content === undefined || content === null ? [] : [content];
}

/** The user's words in a message, or null where it has none: then the program wrote it. */
export function promptOf(record: JsonObject): string | null {
  // What the user typed, where more than that was sent.
  const content = contentOf(record['displayContent'] ?? record['content']);
  const words = content.flatMap((element) => {
    if (!isObject(element)) return [];
    const file = objectOf(element['inlineData']) ?? objectOf(element['fileData']);
    if (file) return [/^(?!image\/)./.test(textOf(file['mimeType']) ?? '') ? '[file]' : '[image]'];
    return textOf(element['text']) ?? [];
  });
  return ownWordsIn(words, GEMINI_FOREIGN);
}

/** Whether a message is what is left of a conversation that was summed up. */
export function isSummary(record: JsonObject): boolean {
  if (record['type'] !== 'user') return false;
  return contentOf(record['content']).some((element) =>
    /<state_snapshot>/.test(textOf(objectOf(element)?.['text']) ?? ''),
  );
}

/** The folder that the agent works in, as the program tells the model; undefined where a message does not say. */
export function folderIn(record: JsonObject): string | undefined {
  for (const element of contentOf(record['content'])) {
    const text = textOf(objectOf(element)?.['text']) ?? '';
    const folder = OF_THE_PROGRAM.test(text) ? FOLDERS.exec(text)?.[1]?.trim() : undefined;
    if (folder) return folder;
  }
  return undefined;
}

/** What the user answered to questions; null where nothing. */
export function answerText(told: JsonValue | undefined): string | null {
  const answers = Object.values(objectOf(objectOf(told)?.['answers']) ?? {}).map((answer) => {
    return (Array.isArray(answer) ? answer : [answer]).filter((one) => typeof one === 'string').join(', ');
  });
  return answers.filter((answer) => answer !== '').join('\n') || null;
}
