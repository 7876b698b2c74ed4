/** Older chats of Gemini CLI are one document: its fields without what changes all the time, then a line for each message. */
import { isObject } from '../../core/json.ts';
import type { DocumentBytes, Unfolded } from '../contract/agent.ts';
import {
  type Document,
  documentOf,
  elementsOf,
  fieldOf,
  fieldsOf,
  isLines,
  readDocument,
  unfolded,
  valueIn,
} from '../shared/document/document.ts';
import { isMessage, isOurs } from './record.ts';

/** Changes with every message, and says no more than the last of them. */
const VOLATILE = 'lastUpdated';

/** The lines of a chat that is one document; null where it is made of lines. */
export function unfoldChat(bytes: DocumentBytes): Unfolded | null {
  const document = readDocument(bytes, 'messages');
  if (!document || isLines(document)) return null;
  const header = fieldsOf(document, VOLATILE);
  const head = Object.keys(header).length > 0 ? [JSON.stringify(header)] : [];
  return unfolded(document, head, () => elementsOf(document));
}

/** Whether a text begins a chat that is one document. */
export function isChatDocument(beginning: string): boolean {
  const document = readDocument(documentOf(beginning), 'messages');
  if (!document?.hasList) return false;
  const hasHeader = ['sessionId', 'projectHash'].every((name) => typeof fieldOf(document, name) === 'string');
  return hasHeader || hasMessages(document);
}

/** Whether a document has messages as only Gemini CLI writes them; its fields may come after them. */
function hasMessages(document: Document): boolean {
  const isDated = typeof fieldOf(document, 'lastUpdated') === 'string';
  for (const element of elementsOf(document)) {
    const message = valueIn(element);
    if (isObject(message) && (isOurs(message) || (isDated && isMessage(message)))) return true;
  }
  return false;
}
