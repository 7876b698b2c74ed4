/** Turns an older chat of Gemini CLI, which is one document, into lines: its fields without the changing one, then each message. */
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

/** A field that changes with every message. */
const VOLATILE = 'lastUpdated';

/** Returns the lines of a chat that is one document; null if it is made of lines. */
export function unfoldChat(bytes: DocumentBytes): Unfolded | null {
  const document = readDocument(bytes, 'messages');
  if (!document || isLines(document)) return null;
  const header = fieldsOf(document, VOLATILE);
  const head = Object.keys(header).length > 0 ? [JSON.stringify(header)] : [];
  return unfolded(document, head, () => elementsOf(document));
}

/** Returns whether a text is the beginning of a chat that is one document. */
export function isChatDocument(beginning: string): boolean {
  const document = readDocument(documentOf(beginning), 'messages');
  if (!document?.hasList) return false;
  const hasHeader = ['sessionId', 'projectHash'].every((name) => typeof fieldOf(document, name) === 'string');
  return hasHeader || hasMessages(document);
}

/** Returns whether a document has messages that only Gemini CLI writes; its fields may come after them. */
function hasMessages(document: Document): boolean {
  const isDated = typeof fieldOf(document, 'lastUpdated') === 'string';
  for (const element of elementsOf(document)) {
    const message = valueIn(element);
    if (isObject(message) && (isOurs(message) || (isDated && isMessage(message)))) return true;
  }
  return false;
}
