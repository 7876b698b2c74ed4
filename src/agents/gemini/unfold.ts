/** Older chats of Gemini CLI are one document: its fields without what changes all the time, then a line for each message. */
import { isObject, type JsonValue } from '../../core/json.ts';
import {
  type Document,
  fieldOf,
  isLines,
  lineOfElement,
  onOneLine,
  readDocument,
  valueIn,
} from '../shared/versions/document.ts';
import { isMessage, isOurs } from './record.ts';

/** Changes with every message, and says no more than the last of them. */
const VOLATILE = 'lastUpdated';

/** The lines of a chat that is one document; null where it is made of lines. */
export function unfoldChat(text: string): string[] | null {
  const document = readDocument(text, 'messages');
  if (!document || isLines(text, document)) return null;
  const { elements, rest } = document;
  return [...headerOf(document), ...(elements ?? []).map(onOneLine), ...(rest === '' ? [] : [onOneLine(rest)])];
}

/** The line of the header; none where a document has no fields. */
function headerOf(document: Document): string[] {
  const header = [...document.fields].flatMap(([name]): [string, JsonValue][] => {
    const value = name === VOLATILE ? undefined : fieldOf(document, name);
    return value === undefined ? [] : [[name, value]];
  });
  return header.length > 0 ? [JSON.stringify(Object.fromEntries(header))] : [];
}

/** The line of a chat that is one document on which that begins what stands on an unfolded line. */
export function foldedLine(text: string, unfolded: number): number {
  const document = readDocument(text, 'messages');
  return document ? lineOfElement(text, document, unfolded - 1 - headerOf(document).length) : 1;
}

/** Whether a text begins a chat that is one document. */
export function isChatDocument(beginning: string): boolean {
  const document = readDocument(beginning, 'messages');
  if (!document?.elements) return false;
  const hasHeader = ['sessionId', 'projectHash'].every((name) => typeof fieldOf(document, name) === 'string');
  return hasHeader || hasMessages(document);
}

/** Whether a document has messages as only Gemini CLI writes them; its fields may come after them. */
function hasMessages(document: Document): boolean {
  const messages = (document.elements ?? []).flatMap((element) => {
    const value = valueIn(element);
    return isObject(value) ? [value] : [];
  });
  const isDated = typeof fieldOf(document, 'lastUpdated') === 'string';
  return messages.some((message) => isOurs(message) || (isDated && isMessage(message)));
}
