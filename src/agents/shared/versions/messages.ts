/** Turns versions into messages: the first version becomes a draft, and what is new in a later one becomes a part. */
import type { JsonObject, JsonValue } from '../../../core/json.ts';
import type { Part } from '../../../core/message.ts';
import { type Draft, type Outbox, UNKNOWN_TIME } from '../outbox.ts';
import { isToolPart, orphanPart, type Result, type ToolPart, withoutResult, withResult } from '../parts.ts';
import { addTokens } from '../usage.ts';
import type { Dialect, Meaning, VersionMessage, VersionPart } from './dialect.ts';
import { KnownMessages } from './known-messages.ts';
import { isOpenPrint, type KnownMessage, printOf, printsAsJson, RETURNED } from './prints.ts';
import type { StoredVersions } from './stored-versions.ts';

/** One message of this turn, with the index of each part by its key. */
interface Held {
  draft: Draft;
  places: Map<string, number>;
}

/** A call without a result. */
export interface OpenCall {
  message: string;
  key: string;
  part: ToolPart;
}

/** One part that is new or changed in a version. */
export interface News extends VersionPart {
  /** Its hash. */
  print: string;
  /** True if no earlier version has the part. */
  isNew: boolean;
  /** True if the part is a call that had its result before. */
  wasResolved: boolean;
}

/** One version of a message with its time and its line. */
export interface Arrival {
  version: VersionMessage;
  at: number;
  line: JsonObject | null;
  /** The metadata of the message that its version does not have. */
  metadata: JsonObject;
}

/** Returns the texts of a version that are not empty. */
export function wordsOf({ parts }: VersionMessage): string[] {
  const texts = parts.flatMap(({ part }) => (part.type === 'text' ? [String(part['text'])] : []));
  return texts.filter((text) => text !== '');
}

/** Returns the whole of a record: its line, with the parts of its message. */
export const wholeOf = ({ line, message }: Meaning): JsonObject =>
  message ? { ...line, parts: message.parts.map(({ part }) => part as JsonObject) } : line;

/** Returns whether the program wrote a message: a summary or words in the agent's name, which are no work and end no turn. */
export const isOfProgram = ({ role, metadata }: VersionMessage): boolean =>
  metadata.is_compact_summary === true || (role === 'assistant' && metadata.is_meta === true);

/** Returns whether the calls in a message are the user's, such as a command that the user ran beside the agent. */
export const isOfUser = ({ role, metadata }: VersionMessage): boolean => role === 'user' && metadata.is_meta === true;

/** Returns whether a message has the call that asked the user, and the call still waits or got its answer in this version. */
export function isAsking({ parts }: VersionMessage, news: readonly News[], asking: string | null): boolean {
  const isAsked = ({ part }: VersionPart): boolean => isToolPart(part) && part.toolCallId === asking;
  const asked = parts.find(isAsked);
  return asked !== undefined && (asked.part['state'] === 'input-available' || news.some(isAsked));
}

/** Returns a message for a result whose call is not known. */
export function orphanOf(result: Result, id: string, at: number): VersionMessage {
  const parts = [{ key: result.callId, part: orphanPart(result, at) }];
  const metadata = { is_orphan_result: true };
  return { id, role: 'user', at, parts, prompt: null, metadata, isStopped: false, continues: true };
}

/** The messages of a transcript while they grow. */
export class VersionMessages {
  readonly #outbox: Outbox;
  readonly #kept: () => StoredVersions | null;
  /** Returns whether a message of this time may have been stored by an earlier read. */
  readonly #mayBeKept: (at: number | undefined) => boolean;
  /** The messages of this read and the latest ones before it. */
  readonly known: KnownMessages;
  readonly #held = new Map<string, Held>();
  readonly #open = new Map<string, OpenCall>();
  /** Open calls of turns that have ended, by their ids: their results may still come. */
  readonly #closed = new Map<string, OpenCall>();
  /** The highest `seq` that was given to a part. */
  seq: number;

  constructor(
    outbox: Outbox,
    kept: () => StoredVersions | null,
    mayBeKept: (at: number | undefined) => boolean,
    known: ReadonlyMap<string, KnownMessage>,
    seq: number,
  ) {
    this.#outbox = outbox;
    this.#kept = kept;
    this.#mayBeKept = mayBeKept;
    this.known = new KnownMessages(known);
    this.seq = seq;
  }

  /** Returns the last version of a message, or undefined if the message is new. */
  find(id: string, at: number | undefined): KnownMessage | undefined {
    const known = this.known.get(id);
    if (known || !this.#mayBeKept(at)) return known;
    const kept = this.#kept()?.message(id);
    if (kept) this.known.set(id, kept);
    return kept;
  }

  /** Returns whether a version only repeats a known message in another form: the first form counts. */
  isRepeated(version: VersionMessage | undefined, { repeatsInOtherForm }: Dialect): boolean {
    const known = version && repeatsInOtherForm ? this.find(version.id, version.at) : undefined;
    return version !== undefined && known !== undefined && repeatsInOtherForm?.(version, known.prints.keys()) === true;
  }

  /** Returns the parts of a version that are new or changed. */
  news(version: VersionMessage, known: KnownMessage | undefined): News[] {
    return version.parts.flatMap((part) => {
      const before = known?.prints.get(part.key);
      const print = printOf(part.part);
      if (before === print) return [];
      const isTool = isToolPart(part.part);
      const wasResolved = isTool && !isOpenPrint(before ?? '?');
      // If the result has a record of its own, a later version may have the call without it.
      if (wasResolved && part.part.state === 'input-available') return [];
      return [{ ...part, print, isNew: before === undefined, wasResolved }];
    });
  }

  /**
   * Returns the parts of a version in a list that count, or null if the version adds nothing. Results that are known do not
   * count: a list holds what the model sees, which may be a truncated result.
   */
  more({ usage }: VersionMessage, known: KnownMessage, news: readonly News[]): News[] | null {
    const used = Object.values(usage ? addTokens(usage, known.usage ?? {}, -1) : {});
    const brings = ({ part, isNew, wasResolved }: News): boolean =>
      isNew || (isToolPart(part) && !wasResolved && part.state !== 'input-available');
    if (!news.some(brings) && !used.some((count) => count > 0)) return null;
    return news.filter(({ wasResolved }) => !wasResolved);
  }

  /** Takes a version of a message. @returns false if it adds nothing to a message that was given */
  take(arrival: Arrival, known: KnownMessage | undefined, news: readonly News[]): boolean {
    const { version } = arrival;
    const prints = known?.prints ?? new Map<string, string>();
    for (const { key, print } of news) prints.set(key, print);
    this.known.set(version.id, { prints, usage: version.usage ?? known?.usage ?? null });
    const held = known ? this.#held.get(version.id) : this.#begin(arrival);
    const isHeld = held !== undefined && !held.draft.isGiven;
    if (isHeld) this.#grow(held, arrival, news, prints);
    else for (const [index, each] of news.entries()) this.#give(arrival, each, index === 0);
    for (const { key, part } of news) this.#note(version.id, key, part);
    return isHeld || news.length > 0;
  }

  #begin({ version, at }: Arrival): Held {
    const draft: Draft = {
      id: version.id,
      role: version.role,
      parts: [],
      metadata: { created_at: at, lines: [] },
      at,
      isGiven: false,
    };
    const held: Held = { draft, places: new Map() };
    this.#held.set(version.id, held);
    this.#outbox.putDraft(draft);
    return held;
  }

  #grow({ draft, places }: Held, arrival: Arrival, news: readonly News[], prints: Map<string, string>): void {
    for (const { key, part } of news) {
      const place = places.get(key);
      if (place !== undefined) draft.parts[place] = part;
      else places.set(key, draft.parts.push(part) - 1);
    }
    const { version, line, metadata } = arrival;
    const lines = draft.metadata['lines'] as JsonValue[];
    if (line) lines.push(line);
    const usage = version.usage ? { usage: { ...version.usage } } : {};
    const all = { ...metadata, ...version.metadata, ...usage, prints: printsAsJson(prints), lines };
    Object.assign(draft.metadata, all);
  }

  #give({ version, at, line }: Arrival, { key, part, print, isNew }: News, isFirst: boolean): void {
    const usage = isFirst && version.usage ? { usage: { ...version.usage } } : {};
    const lines = isFirst && line ? { lines: [line] } : {};
    this.#record(at, version.id, key, part, { prints: [[key, print]], ...usage, ...lines }, isNew);
  }

  #record(
    at: number,
    message_id: string,
    part_id: string,
    part: Part | ToolPart,
    extra: JsonObject,
    isNew = false,
  ): void {
    this.seq += 1;
    const time = at === UNKNOWN_TIME ? 0 : at;
    const body = { kind: 'part', message_id, part_id, seq: this.seq, part: part as Part, ...extra } as const;
    this.#outbox.part(time, body, isNew && isToolPart(part));
  }

  #note(message: string, key: string, part: Part | ToolPart): void {
    if (!isToolPart(part)) return;
    const place = `${message}\0${key}`;
    this.#closed.delete(part.toolCallId);
    if (part.state === 'input-available') this.#open.set(place, { message, key, part });
    else this.#open.delete(place);
  }

  /** Returns whether a call has no result yet. */
  isOpen(id: string): boolean {
    const call = this.#waiting(id) ?? this.#keptCall(id);
    return call !== null && call !== 'repeated';
  }

  /** Returns the open call with an id, `repeated` if the call has its result, or null if there is no such call. */
  call(id: string): OpenCall | 'repeated' | null {
    return this.#waiting(id) ?? (this.known.hasReturned(id) ? 'repeated' : this.#keptCall(id));
  }

  /** Returns a call of this read that has no result yet, or null if there is none. */
  #waiting(id: string): OpenCall | null {
    for (const call of this.#open.values()) if (call.part.toolCallId === id) return call;
    return this.#closed.get(id) ?? null;
  }

  /** Returns a call of an earlier read, `repeated` if it has its result, or null if there is none. */
  #keptCall(id: string): OpenCall | 'repeated' | null {
    const found = this.#mayBeKept(undefined) ? this.#kept()?.call(id) : undefined;
    if (!found) return null;
    const print = this.find(found.message, undefined)?.prints.get(id);
    return isOpenPrint(print) ? { message: found.message, key: id, part: found.part } : 'repeated';
  }

  /** Adds a result from a separate record to its call. */
  finish({ message, key, part }: OpenCall, result: Result, at: number, line: JsonObject | null): ToolPart {
    const done = withResult(part, result, at);
    this.#open.delete(`${message}\0${key}`);
    this.#closed.delete(part.toolCallId);
    this.known.note(message, key, RETURNED);
    const held = this.#held.get(message);
    if (held && !held.draft.isGiven) {
      this.#replace(held, key, done);
      const { lines, prints } = held.draft.metadata as { lines: JsonValue[]; prints: JsonValue[] };
      if (line) lines.push(line);
      // The hashes have the order of the parts.
      prints[held.places.get(key) ?? prints.length] = [key, RETURNED];
    } else this.#record(at, message, key, done, { prints: [[key, RETURNED]], ...(line ? { lines: [line] } : {}) });
    return done;
  }

  #replace({ draft, places }: Held, key: string, part: ToolPart): void {
    const place = places.get(key);
    if (place !== undefined) draft.parts[place] = part;
  }

  /** Closes every call that has no result, at the end of a turn or of the file. */
  closeCalls(at: number): void {
    for (const call of this.#open.values()) {
      const { message, key, part } = call;
      this.#closed.set(part.toolCallId, call);
      const closed = withoutResult(part);
      const held = this.#held.get(message);
      if (held && !held.draft.isGiven) this.#replace(held, key, closed);
      else this.#record(at, message, key, closed, {});
    }
    this.#open.clear();
    this.#held.clear();
  }
}
