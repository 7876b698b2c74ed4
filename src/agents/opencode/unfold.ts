/** An export of opencode is one document: the session without what changes all the time, then a line for each message. */
import { isObject, type JsonObject, numberOf, objectOf } from '../../core/json.ts';
import type { DocumentBytes, Unfolded } from '../agent.ts';
import { without } from '../shared/blocks.ts';
import {
  documentOf,
  fieldOf,
  fieldsOf,
  isLines,
  objectsOf,
  readDocument,
  unfolded,
} from '../shared/document/document.ts';
import { mapped } from '../shared/document/mapped.ts';
import { idOf } from '../shared/fields.ts';
import { isMessage, isSession } from './record.ts';

/** What a session says of all its messages together: it changes with each, and each says its own. */
const VOLATILE = ['tokens', 'cost', 'summary', 'revert'];

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

/** A session as opencode exports it. */
export interface Export {
  /** What is told beside its messages, by name. */
  fields: JsonObject;
  /** Its messages in their order, made one by one whenever they are asked for; a text is what cannot be read of it. */
  messages: () => Iterable<JsonObject | string>;
}

/** The line of the session; none where nothing is told of it. */
function headOf({ fields: { todos, ...fields } }: Export): string[] {
  const { info } = fields;
  const settledFields = isObject(info) ? { ...fields, info: settled(info) } : fields;
  return Object.keys(fields).length === 0 ? [] : [JSON.stringify(settledFields)];
}

const createdOf = (about: JsonObject | undefined): number | undefined =>
  numberOf(objectOf(about?.['time'])?.['created']);

/** The lines of its messages; one that is older than the session was copied into it, as a fork does. And what is told of all of them in the end. */
function* bodyOf({ fields: { info, todos }, messages }: Export): Generator<string> {
  const tails = new Map<string, string>();
  const ids = new Set<string>();
  const begun = createdOf(objectOf(info));
  yield* mapped(messages(), (message) => {
    if (typeof message === 'string') return message;
    const about = objectOf(message['info']);
    const id = idOf(about?.['id']) ?? '';
    ids.add(id);
    const tail = tailOf(message);
    if (tail !== null) tails.set(id, tail);
    const kept = about?.['summary'] === true ? tails.get(idOf(about['parentID']) ?? '') : undefined;
    const copied = begun !== undefined && (createdOf(about) ?? begun) < begun ? { copied: true } : {};
    return JSON.stringify({ ...message, ...(kept === undefined ? {} : { tail_start_id: kept }), ...copied });
  });
  const revert = objectOf(objectOf(info)?.['revert']);
  if (revert && ids.has(String(revert['messageID']))) yield JSON.stringify({ revert });
  if (Array.isArray(todos) && todos.length > 0) yield JSON.stringify({ todos });
}

/** The lines of an export that is put together from elsewhere. */
export function* exportLines(exported: Export): Generator<string> {
  yield* headOf(exported);
  yield* bodyOf(exported);
}

/** The lines of an export that is one document; null where it is made of lines. */
export function unfoldExport(bytes: DocumentBytes): Unfolded | null {
  const document = readDocument(bytes, 'messages');
  if (!document || isLines(document)) return null;
  const exported = { fields: fieldsOf(document), messages: () => objectsOf(document) };
  return unfolded(document, headOf(exported), () => bodyOf(exported));
}

/** Whether a text begins an export. */
export function isExport(beginning: string): boolean {
  const document = readDocument(documentOf(beginning), 'messages');
  if (!document) return false;
  const info = fieldOf(document, 'info');
  if (info !== undefined && isSession({ info })) return true;
  for (const message of objectsOf(document)) if (isObject(message) && isMessage(message)) return true;
  return false;
}
