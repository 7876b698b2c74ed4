/** Takes the steps of one session into the catalog, step by step: each is folded, and what it says goes to the builder. */
import { type Conversation, type EarlyParts, emptyConversation } from '../../core/conversation/conversation.ts';
import { foldConversation } from '../../core/conversation/fold.ts';
import type { FetchPayload } from '../../core/externalise.ts';
import { isObject, type JsonObject, numberOf, objectOf, textOf } from '../../core/json.ts';
import { titleOf } from '../../core/listing/title.ts';
import type { Message } from '../../core/message.ts';
import type { StoredRecord } from '../../core/records/record.ts';
import type { Session } from '../../core/session/session.ts';
import { readTree } from '../../git/objects/tree-editor.ts';
import { readRecords } from '../../history/chain/chain.ts';
import { payloadReader } from '../../history/chain/session-document.ts';
import type { Repository } from '../../history/store/repository.ts';
import type { SegmentBuilder } from '../segment/builder.ts';
import { codeOf } from '../segment/kinds.ts';
import type { PathEntry, SessionEntry } from '../segment/rows.ts';
import type { Tokens } from '../segment/usage-table.ts';
import {
  isWholeMessage,
  keyNumber,
  messageNumber,
  namedBy,
  type Passage,
  passagesOfMessage,
  passagesOfRecord,
  roleCode,
  roleOf,
  roleOfRecord,
} from './passages.ts';

/** Longest command in a row of the table. */
const COMMAND_LIMIT = 400;

/** A passage that is in the catalog: its segment and its number there. */
type Place = [segment: number, passage: number];

/** State of a message in the catalog already. */
interface KnownMessage {
  role: number;
  turn: number;
  passages: Map<number, Place>;
}

/** State of a session in the catalog before its next steps. */
export interface KnownSession {
  row: SessionEntry | null;
  /** By the numbers of their ids. */
  messages: Map<number, KnownMessage>;
  /** Tokens that its messages used, by the numbers of their ids. */
  usage: Map<number, Tokens>;
}

const NOTHING_USED: SessionEntry['unsettled'] = { tokens: [0, 0, 0, 0, 0], calls: 0 };

/** Destination of the rows and passages: the builder of the next segment, and its number. */
export interface Sink {
  builder: SegmentBuilder;
  number: number;
}

/** Place of a record: the number of its step in the segment, its number there, and its time. */
interface RecordPlace {
  step: number;
  record: number;
  at: number;
}

/** One session that is being taken in. */
export class SessionFeed {
  readonly #repository: Repository;
  readonly #id: string;
  readonly #known: KnownSession;
  readonly #since: number;
  #sink: Sink;
  /** The number of the session in the segment. */
  #session: number;
  #turns: number;
  #row: SessionEntry | null;
  #paths = new Map<string, PathEntry>();
  #project: string | null;
  #model: string | null;
  #unsettled: SessionEntry['unsettled'];
  readonly #models = new Map<string, [model: string | null, at: number]>();
  /** The beginnings of what the user said, which the task may repeat. */
  #said = '';
  #task: { record: StoredRecord; place: RecordPlace } | null = null;

  constructor(repository: Repository, id: string, known: KnownSession, since: number, sink: Sink) {
    this.#repository = repository;
    this.#id = id;
    this.#known = known;
    this.#since = since;
    this.#row = known.row;
    this.#turns = known.row?.turns ?? 0;
    this.#project = known.row?.project ?? null;
    this.#model = known.row?.model ?? null;
    this.#unsettled = known.row?.unsettled ?? NOTHING_USED;
    this.#sink = sink;
    this.#session = sink.builder.tables.sessions.length;
    // Holds its place until the row is known.
    sink.builder.tables.sessions.push('');
  }

  /** Takes a step in. @throws {CtxError} damaged */
  step(number: number, tree: string): void {
    const { objects } = this.#repository;
    const where = `step ${number} of ${this.#id}`;
    const entries = readTree(objects, tree);
    const oid = entries.find(({ name }) => name === 'step.jsonl')?.oid ?? '';
    const records = readRecords(objects, tree, where, false);
    const fetch = payloadReader(objects, entries, where);
    const { builder } = this.#sink;
    const step = builder.step({ session: this.#session, step: number, tree, records: oid });
    const conversation = this.#conversationBefore(records);
    const begins = new Map<string, RecordPlace>();
    /** Number of records of this step that are a message, and not only parts of it, by the ids of the messages. */
    const whole = new Map<string, number>();
    for (const [index, record] of records.entries()) {
      const place = { step, record: index, at: record.at };
      const own = record.kind === 'message' && textOf(objectOf((record as unknown as JsonObject)['message'])?.['id']);
      if (own) whole.set(own, (whole.get(own) ?? 0) + 1);
      for (const id of namedBy(record)) if (!begins.has(id)) begins.set(id, place);
      foldConversation([record], conversation, { step: number });
      this.#record(record, number, place, fetch);
      this.#noteUsage(record, conversation);
    }
    const placeOf = (id: string): RecordPlace => begins.get(id) ?? { step, record: 0, at: 0 };
    const { usage } = builder;
    for (const message of conversation.messages.values()) {
      const place = placeOf(message.id);
      if (!whole.has(message.id)) {
        this.#message(message, null, place, fetch);
        continue;
      }
      const at = numberOf(message.metadata['created_at'] as never) ?? place.at;
      if (this.#beginsTurn(message, message.role)) {
        this.#turns += 1;
        usage.turn(this.#session, messageNumber(message.id), at);
      }
      // The second of several replaces parts that came before the first.
      this.#message(message, message.role, { ...place, at }, fetch, (whole.get(message.id) ?? 0) > 1);
      this.#models.set(message.id, [textOf(message.metadata['model'] as never) ?? null, at]);
    }
    for (const parts of conversation.early.values()) this.#message(parts, null, placeOf(parts.id), fetch);
    for (const [id, used] of conversation.usage) {
      const [model, at] = this.#models.get(id) ?? [null, placeOf(id).at];
      const metadata = conversation.messages.get(id)?.metadata;
      const given = metadata?.['cost_usd'] ?? metadata?.['cost'];
      const cost = typeof given === 'number' ? given : null;
      const tokens = tokensIn(used);
      usage.call({ session: this.#session, model, message: messageNumber(id), at, calls: 1, tokens, cost });
    }
  }

  /** Returns a conversation with the messages that some records name, as far as they are known, without their parts. */
  #conversationBefore(records: readonly StoredRecord[]): Conversation {
    const conversation = emptyConversation();
    for (const record of records)
      for (const id of namedBy(record)) {
        const known = this.#known.messages.get(messageNumber(id));
        if (!known || !isWholeMessage(known.role) || conversation.messages.has(id)) continue;
        foldConversation([{ kind: 'message', message: { id, role: roleOf(known.role), parts: [] } }], conversation);
      }
    return conversation;
  }

  /** Notes what the messages that a record names used, and what a turn did. */
  #noteUsage(record: StoredRecord, { usage, messages }: Conversation): void {
    if (record.kind === 'usage') this.#settle(record);
    for (const id of namedBy(record)) {
      this.#model = textOf(messages.get(id)?.metadata['model'] as never) ?? this.#model;
      const now = usage.get(id);
      if (now !== undefined) this.#useOf(id, now);
    }
  }

  /** Checks if a message is what a user says and an agent answers. */
  #beginsTurn(message: EarlyParts & { metadata: { [key: string]: unknown } }, role: Message['role']): boolean {
    if (role !== 'user' || this.#known.messages.has(messageNumber(message.id))) return false;
    const { metadata } = message;
    if (metadata['is_meta'] === true || metadata['is_compact_summary'] === true || metadata['is_sidechain'] === true)
      return false;
    return message.parts.some(({ part }) => part.type === 'text' || part.type === 'file');
  }

  /** @param role null of parts whose message is in no record of the step */
  #message(
    parts: EarlyParts,
    role: Message['role'] | null,
    place: RecordPlace,
    fetch: FetchPayload,
    isAgain = false,
  ): void {
    const number = messageNumber(parts.id);
    const before = this.#known.messages.get(number);
    const known: KnownMessage = before ?? { role: roleCode(role ?? 'early'), turn: this.#turns, passages: new Map() };
    const wasWhole = isAgain || (before !== undefined && isWholeMessage(before.role));
    if (role !== null) known.role = roleCode(role);
    this.#known.messages.set(number, known);
    let passages = [...passagesOfMessage(parts, roleOf(known.role), fetch)];
    if (role === 'user') this.#said += ` ${passages.map(({ text }) => text.slice(0, 400)).join(' ')}`;
    if (role === null) this.#dropOutputs(known, parts);
    else if (wasWhole) for (const [key, place] of known.passages) this.#drop(known, key, place);
    else passages = passages.filter(({ key }) => !known.passages.has(keyNumber(key)) || isNewer(parts, key));
    this.#add(known, number, passages, place);
  }

  /** Drops the outputs of calls that have none any more. */
  #dropOutputs(known: KnownMessage, { parts }: EarlyParts): void {
    for (const { key, part } of parts) {
      if (key === null || part.type !== 'dynamic-tool') continue;
      const hash = keyNumber(`${key} output`);
      const place = known.passages.get(hash);
      if (place) this.#drop(known, hash, place);
    }
  }

  #add(known: KnownMessage, id: number, passages: readonly Passage[], place: RecordPlace): void {
    const { builder, number } = this.#sink;
    const { role, turn } = known;
    const message = builder.message({ id, session: this.#session, ...place, role, turn });
    for (const { kind, key, text } of passages) {
      const hash = keyNumber(key);
      const before = known.passages.get(hash);
      if (before) this.#drop(known, hash, before);
      known.passages.set(hash, [number, builder.passage(message, codeOf(kind), hash, text)]);
    }
  }

  #drop(known: KnownMessage, key: number, [segment, passage]: Place): void {
    const { builder, number } = this.#sink;
    known.passages.delete(key);
    if (segment === number) builder.drop(passage);
    else builder.replace(segment, passage);
  }

  #record(record: StoredRecord, number: number, place: RecordPlace, fetch: FetchPayload): void {
    this.#project ??= folderIn(record as unknown as JsonObject);
    if (record.kind === 'task') this.#task = { record, place };
    // The last words of a turn are in its messages, if it has any.
    else if (record.kind !== 'transition' || this.#turns === 0) {
      const passages = [...passagesOfRecord(record, fetch)];
      if (passages.length > 0) this.#addRecord(record, passages, place);
    }
    if (record.kind === 'command') this.#command(record, number);
    if (record.kind === 'read' || record.kind === 'write' || record.kind === 'delete') this.#path(record, number);
  }

  #command({ command, exit_code: exit, at, id }: StoredRecord, step: number): void {
    const text = typeof command === 'string' ? command : String((command as { preview?: unknown })?.preview ?? '');
    this.#sink.builder.row('commands', {
      session: this.#session,
      step,
      at,
      command: text.slice(0, COMMAND_LIMIT),
      exit: typeof exit === 'number' ? exit : null,
      record: id,
    });
  }

  #path({ kind, path, at }: StoredRecord, step: number): void {
    const name = typeof path === 'string' ? path : JSON.stringify(path);
    let entry = this.#paths.get(name);
    if (!entry) {
      entry = { session: this.#session, path: name, at, reads: [], writes: [], deletes: [] };
      this.#paths.set(name, entry);
    }
    entry.at = Math.max(entry.at, at);
    const steps = entry[`${kind as 'read' | 'write' | 'delete'}s`];
    if (steps.at(-1) !== step) steps.push(step);
  }

  /** Notes what a message used that the store says once more, or more of. */
  #useOf(id: string, usage: unknown): void {
    const number = messageNumber(id);
    const now = tokensIn(usage);
    const before = this.#known.usage.get(number);
    this.#known.usage.set(number, now);
    const { tokens, calls } = this.#unsettled;
    this.#unsettled = {
      tokens: now.map((count, index) => (tokens[index] as number) + count - (before?.[index] ?? 0)) as Tokens,
      calls: calls + (before ? 0 : 1),
    };
  }

  /** Settles a turn of which an agent says what it used: what no message has said is an entry of its own. */
  #settle({ id, at, usage, messages }: StoredRecord): void {
    const { tokens, calls } = this.#unsettled;
    const rest = tokensIn(usage).map((count, index) => count - (tokens[index] as number)) as Tokens;
    this.#unsettled = NOTHING_USED;
    if (rest.every((count) => count === 0)) return;
    const count = calls > 0 ? 0 : typeof messages === 'number' ? messages : 1;
    const [session, model, message] = [this.#session, this.#model, messageNumber(id)];
    this.#sink.builder.usage.call({ session, model, message, at, calls: count, tokens: rest, cost: null });
  }

  /**
   * Ends the part of the session that is in this segment: writes the row of the session as of its last step.
   * @param document the session at that step
   */
  end(head: string, document: Session): SessionEntry {
    const { builder, number } = this.#sink;
    const step = builder.steps.length - 1;
    if (this.#task && !this.#said.includes(firstWords(String(this.#task.record['content'] ?? ''))))
      this.#addTask(this.#task);
    this.#task = null;
    for (const entry of this.#paths.values()) builder.row('paths', entry);
    const title = titleOf(document);
    let titled = this.#row?.titled ?? null;
    if (title !== this.#row?.title) {
      if (titled && titled[0] === number) builder.drop(titled[1]);
      else if (titled) builder.replace(...titled);
      const at = document.last_activity;
      const message = builder.message({
        id: 0,
        session: this.#session,
        step,
        record: 0,
        at,
        role: roleCode('session'),
        turn: 0,
      });
      titled = [number, builder.passage(message, codeOf('title'), keyNumber('title'), title)];
    }
    this.#row = {
      id: this.#id,
      head,
      step: document.step,
      since: this.#since,
      turns: this.#turns,
      title,
      type: typeof document['type'] === 'string' ? document['type'] : null,
      agent: document.agent,
      agent_session_id: document.sources.at(-1)?.agent_session_id ?? null,
      model: document.model ?? null,
      state: document.session_state.kind,
      started_at: document.started_at,
      last_activity: document.last_activity,
      parent: document.parent_session_id ?? null,
      continues: document.continues ?? null,
      project: this.#project,
      unsettled: this.#unsettled,
      titled,
    };
    builder.tables.sessions[this.#session] = JSON.stringify(this.#row);
    this.#paths = new Map();
    return this.#row;
  }

  #addTask({ record, place }: { record: StoredRecord; place: RecordPlace }): void {
    this.#addRecord(record, [{ kind: 'prompt', key: 'task', text: String(record['content'] ?? '') }], place);
  }

  /** Adds the passages of a record that is no message. */
  #addRecord(record: StoredRecord, passages: readonly Passage[], place: RecordPlace): void {
    const known = { role: roleCode(roleOfRecord(record)), turn: this.#turns, passages: new Map() };
    this.#add(known, messageNumber(record.id), passages, place);
  }

  /** Gives the session up: what is in the builder of it is dropped. */
  abandon(): void {
    const { builder } = this.#sink;
    for (let passage = 0; passage < builder.passages; passage += 1)
      if (builder.messages[builder.messageOf.at(passage)]?.session === this.#session) builder.drop(passage);
    builder.tables.sessions[this.#session] = JSON.stringify({ ...(this.#row ?? {}), id: '' });
  }

  /** Continues in another segment. */
  continueIn(sink: Sink): void {
    this.#sink = sink;
    this.#session = sink.builder.tables.sessions.length;
    sink.builder.tables.sessions.push('');
  }
}

/** Checks if a passage is of a part that came by itself: one that came with its message is older than what came before the message. */
const isNewer = ({ parts }: EarlyParts, key: string): boolean =>
  parts.some((part) => part.seq >= 0 && part.key === key.replace(/ (?:in|out)put$/, ''));

/** The beginning of a text, by which a repetition of it is seen. */
const firstWords = (text: string): string => text.trim().slice(0, 200);

/** Returns the folder that a record says its agent worked in; null if it says none. */
function folderIn({ kind, message, data }: JsonObject): string | null {
  if (kind !== 'message' && kind !== 'raw') return null;
  const lines = objectOf(objectOf(message)?.['metadata'])?.['lines'];
  const line = kind === 'raw' ? objectOf(data) : Array.isArray(lines) ? objectOf(lines[0]) : undefined;
  return textOf(line?.['cwd']) ?? textOf(objectOf(line?.['payload'])?.['cwd']) ?? null;
}

function tokensIn(usage: unknown): Tokens {
  const counts = (isObject(usage as never) ? usage : {}) as Record<string, unknown>;
  const count = (key: string): number => {
    const value = counts[key];
    return typeof value === 'number' && value > 0 ? value : 0;
  };
  return [count('input'), count('output'), count('reasoning'), count('cache_read'), count('cache_write')];
}
