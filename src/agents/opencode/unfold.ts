/** Turns an export of opencode, which is one document, into lines: the session without its changing fields, then each message. */
import { isObject, type JsonObject, numberOf, objectOf } from '../../core/json.ts';
import type { DocumentBytes, Unfolded } from '../contract/agent.ts';
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
import { fingerprint, idOf } from '../shared/fields.ts';
import { FreeNames } from '../shared/one-id.ts';
import { isMessage, isSession } from './record.ts';
import { isSurelySecond } from './second-message.ts';

/** Fields of a session about all its messages together: they change with each message, and each message has its own. */
const VOLATILE = ['tokens', 'cost', 'summary', 'revert', 'outcome', 'model'];

/** Returns a session without the fields that change with every message. */
function settled(info: JsonObject): JsonObject {
  const time = objectOf(info['time']);
  const since = time ? { time: without(time, 'updated', 'idle', 'viewed', 'suspended') } : {};
  // The agent of a sub-agent's session says what it is; that of another one changes as the user chooses.
  const chosen = info['parentID'] === undefined ? ['agent'] : [];
  return { ...without(info, ...VOLATILE, ...chosen, 'time'), ...since };
}

/** Returns the first message that stays in view when this one sums up those before it; null if it does not say. */
function tailOf(message: JsonObject): string | null {
  const parts = Array.isArray(message['parts']) ? message['parts'] : [];
  for (const part of parts) {
    const tail = isObject(part) && part['type'] === 'compaction' ? idOf(part['tail_start_id']) : undefined;
    if (tail !== undefined) return tail;
  }
  return null;
}

/** Returns the session that one of opencode 2 is a copy of; undefined if it is none. */
const copiedFrom = (info: JsonObject | undefined): string | undefined =>
  idOf(info?.['fork_session_id']) ?? idOf(objectOf(info?.['fork'])?.['sessionID']);

/** Returns whether a message of such a session is a copy: its id is made of that of the copy and of its index in the original. */
const isCopied = (id: string): boolean => /^msg_[^_]+_\d+$/.test(id);

/** A session as opencode exports it. */
export interface Export {
  /** The fields beside its messages, by name. */
  fields: JsonObject;
  /** Returns its messages in their order, made one by one; a text is a message that cannot be read. */
  messages: () => Iterable<JsonObject | string>;
}

/** Returns the line of the session; none if it has no fields. */
function headOf({ fields: { todos, ...fields } }: Export): string[] {
  const { info } = fields;
  const settledFields = isObject(info) ? { ...fields, info: settled(info) } : fields;
  return Object.keys(fields).length === 0 ? [] : [JSON.stringify(settledFields)];
}

/** Gives the messages of one session unique ids, if someone has replaced several ids by one word. */
class Naming {
  /** The hash of the message with each id. */
  readonly #said = new Map<string, number>();
  /** The ids given to messages whose own id was taken, by that id and their hash: an equal message gets the same id again. */
  readonly #given = new Map<string, string>();
  readonly #names = new FreeNames();

  #freeOf(id: string, said: number): string {
    if ((this.#said.get(id) ?? said) === said) return id;
    const place = `${said} ${id}`;
    const free = this.#given.get(place) ?? this.#names.free(id, (name) => this.#said.has(name));
    this.#given.set(place, free);
    return free;
  }

  /** Returns a message that differs from an earlier one with its id under a free id. @param text the message as JSON */
  own(message: JsonObject, text: string): JsonObject {
    const about = objectOf(message['info']);
    const id = idOf((about ?? message)['id']);
    if (id === undefined) return message;
    const said = fingerprint(text);
    const free = this.#freeOf(id, said);
    this.#said.set(free, said);
    if (free === id) return message;
    return about ? { ...message, info: { ...about, id: free }, told_as: id } : { ...message, id: free, told_as: id };
  }
}

/** Returns when a session or a message was created, in milliseconds. */
const createdOf = (about: JsonObject | undefined): number | undefined =>
  numberOf(objectOf(about?.['time'])?.['created']);

/** Yields the lines of its messages, and then those about all of them. A message that is older than the session was copied by a fork. */
function* bodyOf({ fields: { info, todos }, messages }: Export): Generator<string> {
  const tails = new Map<string, string>();
  const ids = new Set<string>();
  const named = new Naming();
  const origin = copiedFrom(objectOf(info));
  const begun = createdOf(objectOf(info));
  yield* mapped(messages(), (each) => {
    if (typeof each === 'string') return each;
    const text = JSON.stringify(each);
    const message = named.own(each, text);
    const about = objectOf(message['info']);
    const id = idOf(about?.['id']) ?? idOf(message['id']) ?? '';
    ids.add(id);
    if (origin !== undefined && isCopied(id)) return JSON.stringify({ ...message, copied_from: origin });
    const tail = tailOf(message);
    if (tail !== null) tails.set(id, tail);
    const kept = about?.['summary'] === true ? tails.get(idOf(about['parentID']) ?? '') : undefined;
    const isCopy = begun !== undefined && (createdOf(about) ?? begun) < begun;
    if (message === each && kept === undefined && !isCopy) return text;
    const tailStart = kept === undefined ? {} : { tail_start_id: kept };
    return JSON.stringify({ ...message, ...tailStart, ...(isCopy ? { copied: true } : {}) });
  });
  const revert = objectOf(objectOf(info)?.['revert']);
  if (revert && ids.has(String(revert['messageID']))) yield JSON.stringify({ revert });
  if (Array.isArray(todos) && todos.length > 0) yield JSON.stringify({ todos });
}

/** Yields the lines of an export that was made of files or tables. */
export function* exportLines(exported: Export): Generator<string> {
  yield* headOf(exported);
  yield* bodyOf(exported);
}

/** Returns the lines of an export that is one document; null if it is made of lines. */
export function unfoldExport(bytes: DocumentBytes): Unfolded | null {
  const document = readDocument(bytes, 'messages');
  if (!document || isLines(document)) return null;
  const exported = { fields: fieldsOf(document), messages: () => objectsOf(document) };
  return unfolded(document, headOf(exported), () => bodyOf(exported));
}

/** Returns whether a text is the beginning of an export. */
export function isExport(beginning: string): boolean {
  const document = readDocument(documentOf(beginning), 'messages');
  if (!document) return false;
  const info = fieldOf(document, 'info');
  if (info !== undefined && isSession({ info })) return true;
  for (const message of objectsOf(document))
    if (isObject(message) && (isMessage(message) || isSurelySecond(message))) return true;
  return false;
}
