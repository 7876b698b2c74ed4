/** An export of opencode is one document: the session without what changes all the time, then a line for each message. */
import { isObject, type JsonObject, type JsonValue, objectOf } from '../../core/json.ts';
import { without } from '../shared/blocks.ts';
import { idOf } from '../shared/fields.ts';
import {
  type Document,
  fieldOf,
  isLines,
  lineOfElement,
  onOneLine,
  readDocument,
  valueIn,
} from '../shared/versions/document.ts';
import { isMessage, isSession } from './record.ts';

/** What a session says of all its messages together: it changes with each, and each says its own. */
const VOLATILE = ['tokens', 'cost', 'summary', 'revert'];

function sessionLine(document: Document): string[] {
  const fields = [...document.fields.keys()].flatMap((name): [string, JsonValue][] => {
    const value = name === 'todos' ? undefined : fieldOf(document, name);
    return value === undefined ? [] : [[name, name === 'info' && isObject(value) ? settled(value) : value]];
  });
  return fields.length === 0 ? [] : [JSON.stringify(Object.fromEntries(fields))];
}

/** A session without what changes with every message. */
function settled(info: JsonObject): JsonObject {
  const time = objectOf(info['time']);
  const since = time ? { time: without(time, 'updated') } : {};
  return { ...without(info, ...VOLATILE, 'time'), ...since };
}

/** The message that stays in view with those after it when this one sums up what came before; null where it does not say. */
function tailOf(message: JsonObject): string | null {
  const parts = Array.isArray(message['parts']) ? message['parts'] : [];
  for (const part of parts) {
    const tail = isObject(part) && part['type'] === 'compaction' ? idOf(part['tail_start_id']) : undefined;
    if (tail !== undefined) return tail;
  }
  return null;
}

function messageLines(elements: readonly string[]): { lines: string[]; ids: Set<string> } {
  const tails = new Map<string, string>();
  const ids = new Set<string>();
  const lines = elements.map((element) => {
    const message = valueIn(element);
    if (!isObject(message)) return onOneLine(element);
    const info = objectOf(message['info']);
    const id = idOf(info?.['id']) ?? '';
    ids.add(id);
    const tail = tailOf(message);
    if (tail !== null) tails.set(id, tail);
    const kept = info?.['summary'] === true ? tails.get(idOf(info['parentID']) ?? '') : undefined;
    return JSON.stringify(kept === undefined ? message : { ...message, tail_start_id: kept });
  });
  return { lines, ids };
}

/** The lines of an export; null where a text is made of lines. */
export function unfoldExport(text: string): string[] | null {
  const document = readDocument(text, 'messages');
  if (!document || isLines(text, document)) return null;
  const { lines, ids } = messageLines(document.elements ?? []);
  const revert = objectOf(objectOf(fieldOf(document, 'info'))?.['revert']);
  const todos = fieldOf(document, 'todos');
  return [
    ...sessionLine(document),
    ...lines,
    ...(document.rest === '' ? [] : [onOneLine(document.rest)]),
    ...(revert && ids.has(String(revert['messageID'])) ? [JSON.stringify({ revert })] : []),
    ...(Array.isArray(todos) && todos.length > 0 ? [JSON.stringify({ todos })] : []),
  ];
}

/** The line of an export on which that begins what stands on an unfolded line. */
export function foldedLine(text: string, unfolded: number): number {
  const document = readDocument(text, 'messages');
  return document ? lineOfElement(text, document, unfolded - 1 - sessionLine(document).length) : 1;
}

/** Whether a text begins an export. */
export function isExport(beginning: string): boolean {
  const document = readDocument(beginning, 'messages');
  if (!document) return false;
  const info = fieldOf(document, 'info');
  if (info !== undefined && isSession({ info })) return true;
  return (document.elements ?? []).some((element) => {
    const value = valueIn(element);
    return isObject(value) && isMessage(value);
  });
}
