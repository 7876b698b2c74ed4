/** Whose words a message of the type `user` contains: the user's own, or those of the program or of a hook. */
import { isObject, type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import { ownWordsIn } from '../shared/own-words.ts';
import { GEMINI_FOREIGN } from './foreign.ts';

/** The texts of hooks for the model, before the user's words or alone. Gemini CLI escapes them, so they end at the first end tag. */
const CONTEXT = /^(?:\s*<hook_context>[^<]*<\/hook_context>)+\s*/;
/** The beginnings of texts that the program writes. */
const OF_THE_PROGRAM =
  /^\s*(<(session_context|state_snapshot|system-reminder)\b|This is the Gemini CLI\. We are setting up)/;
const FOLDERS = /(?:Workspace Directories:\*{0,2}|working in the (?:following )?director(?:y|ies):)\s*(?:- )?([^\n]+)/;

/** Returns a text without the texts of hooks before it. */
export const withoutContext = (text: string): string => text.replace(CONTEXT, '');

/** Returns the elements of a content; a text is one element. */
export function contentOf(content: JsonValue | undefined): JsonValue[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }];
  if (Array.isArray(content))
    return content.map((element) => (typeof element === 'string' ? { text: element } : element));
  return content === undefined || content === null ? [] : [content];
}

/** Returns the user's words in a message, or null if there are none: then the program wrote it. */
export function promptOf(record: JsonObject): string | null {
  // The content is what was sent, the display content what the user typed.
  const content = contentOf(record['displayContent'] ?? record['content']);
  const words = content.flatMap((element) => {
    if (!isObject(element)) return [];
    const file = objectOf(element['inlineData']) ?? objectOf(element['fileData']);
    if (file) return [/^(?!image\/)./.test(textOf(file['mimeType']) ?? '') ? '[file]' : '[image]'];
    return textOf(element['text']) ?? [];
  });
  return ownWordsIn(words, GEMINI_FOREIGN);
}

/** Returns whether a message is the summary of a conversation. */
export function isSummary(record: JsonObject): boolean {
  if (record['type'] !== 'user') return false;
  return contentOf(record['content']).some((element) =>
    /<state_snapshot>/.test(textOf(objectOf(element)?.['text']) ?? ''),
  );
}

/** Returns the folder that the agent works in, from the program's text for the model; undefined if a message has none. */
export function folderIn(record: JsonObject): string | undefined {
  for (const element of contentOf(record['content'])) {
    const text = textOf(objectOf(element)?.['text']) ?? '';
    const folder = OF_THE_PROGRAM.test(text) ? FOLDERS.exec(text)?.[1]?.trim() : undefined;
    if (folder) return folder;
  }
  return undefined;
}

/** Returns the user's answers to questions; null if there are none. */
export function answerText(told: JsonValue | undefined): string | null {
  const answers = Object.values(objectOf(objectOf(told)?.['answers']) ?? {}).map((answer) => {
    return (Array.isArray(answer) ? answer : [answer]).filter((one) => typeof one === 'string').join(', ');
  });
  return answers.filter((answer) => answer !== '').join('\n') || null;
}
