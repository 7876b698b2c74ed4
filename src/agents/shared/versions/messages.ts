/** The messages of a transcript as they grow: versions become drafts, and what is new in a later one becomes a part. */
import type { JsonObject, JsonValue } from '../../../core/json.ts';
import type { Part } from '../../../core/message.ts';
import { type Draft, type Outbox, UNKNOWN_TIME } from '../outbox.ts';
import { isToolPart, orphanPart, type Result, type ToolPart, withoutResult, withResult } from '../parts.ts';
import { addTokens } from '../usage.ts';
import type { Dialect, Telling, ToldMessage, ToldPart } from './dialect.ts';
import { KnownMessages } from './known-messages.ts';
import { isOpenPrint, type KnownMessage, printOf, printsAsJson, RETURNED } from './prints.ts';
import type { StoredVersions } from './stored-versions.ts';

/** A message of this turn, and where in it each part stands, by its key. */
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

/** A part that a version brings, and whether it was a call with its result before. */
export interface News extends ToldPart {
  isNew: boolean;
  wasResolved: boolean;
}

/** What a version of a message brings, and where it stands. */
export interface Arrival {
  told: ToldMessage;
  at: number;
  line: JsonObject | null;
  /** What is told of the message beside what its version says. */
  metadata: JsonObject;
}

/** The texts of a message as it stands now: of a part that was told before, its last words count. */
export function wordsOf({ parts }: ToldMessage): string[] {
  const texts = parts.flatMap(({ part }) => (part.type === 'text' ? [String(part['text'])] : []));
  return texts.filter((text) => text !== '');
}

/** All that a record says: its line, with the parts of its message. */
export const wholeOf = ({ line, message }: Telling): JsonObject =>
  message ? { ...line, parts: message.parts.map(({ part }) => part as JsonObject) } : line;

/** Whether the program says it: a summary of what was said, or words in the agent's name, are none of its work and end no turn. */
export const isOfProgram = ({ role, metadata }: ToldMessage): boolean =>
  metadata.is_compact_summary === true || (role === 'assistant' && metadata.is_meta === true);

/** Whether the calls in it are the user's own deeds, as a command that they run beside the agent: the agent does nothing by them. */
export const isOfUser = ({ role, metadata }: ToldMessage): boolean => role === 'user' && metadata.is_meta === true;

/** Whether the call that has asked the user is one of a message: it waits on, or has its answer only now. */
export function isAsking({ parts }: ToldMessage, news: readonly News[], asking: string | null): boolean {
  const isAsked = ({ part }: ToldPart): boolean => isToolPart(part) && part.toolCallId === asking;
  const asked = parts.find(isAsked);
  return asked !== undefined && (asked.part['state'] === 'input-available' || news.some(isAsked));
}

/** A message for a result whose call is nowhere. */
export function orphanOf(result: Result, id: string, at: number): ToldMessage {
  const parts = [{ key: result.callId, part: orphanPart(result, at) }];
  const metadata = { is_orphan_result: true };
  return { id, role: 'user', at, parts, prompt: null, metadata, isStopped: false, goesOn: true };
}

export class VersionMessages {
  readonly #outbox: Outbox;
  readonly #kept: () => StoredVersions | null;
  /** Whether a message of this time may have been given in an earlier part. */
  readonly #mayBeKept: (at: number | undefined) => boolean;
  /** What is known of the messages of this part and of the latest before it. */
  readonly known: KnownMessages;
  readonly #held = new Map<string, Held>();
  readonly #open = new Map<string, OpenCall>();
  /** Calls of turns that are over, by their ids: a result may still come. */
  readonly #closed = new Map<string, OpenCall>();
  /** Highest `seq` given. */
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

  /** What is known of a message; undefined where it is new. */
  find(id: string, at: number | undefined): KnownMessage | undefined {
    const known = this.known.get(id);
    if (known || !this.#mayBeKept(at)) return known;
    const kept = this.#kept()?.message(id);
    if (kept) this.known.set(id, kept);
    return kept;
  }

  /** Whether a message that is known stands here once more in another form: what it says counts as it was given first. */
  isRetold(told: ToldMessage | undefined, { retells }: Dialect): boolean {
    const known = told && retells ? this.find(told.id, told.at) : undefined;
    return told !== undefined && known !== undefined && retells?.(told, known.prints.keys()) === true;
  }

  /** What of a version is new. */
  news(told: ToldMessage, known: KnownMessage | undefined): News[] {
    return told.parts.flatMap((part) => {
      const before = known?.prints.get(part.key);
      if (before === printOf(part.part)) return [];
      const isTool = isToolPart(part.part);
      const wasResolved = isTool && !isOpenPrint(before ?? '?');
      // Where the result stands in a record of its own, the call is told without it again.
      if (wasResolved && part.part.state === 'input-available') return [];
      return [{ ...part, isNew: before === undefined, wasResolved }];
    });
  }

  /**
   * What of a version in a list counts: all of it where it says more than was told, but for results that were told; null
   * where it says no more. A list shows what the model sees, where a result may stand cut short.
   */
  more({ usage }: ToldMessage, known: KnownMessage, news: readonly News[]): News[] | null {
    const used = Object.values(usage ? addTokens(usage, known.usage ?? {}, -1) : {});
    const brings = ({ part, isNew, wasResolved }: News): boolean =>
      isNew || (isToolPart(part) && !wasResolved && part.state !== 'input-available');
    if (!news.some(brings) && !used.some((count) => count > 0)) return null;
    return news.filter(({ wasResolved }) => !wasResolved);
  }

  /** Takes a version of a message. False where it brings nothing to one that was given. */
  take(arrival: Arrival, known: KnownMessage | undefined, news: readonly News[]): boolean {
    const { told } = arrival;
    const prints = known?.prints ?? new Map<string, string>();
    for (const { key, part } of news) prints.set(key, printOf(part));
    this.known.set(told.id, { prints, usage: told.usage ?? known?.usage ?? null });
    const held = known ? this.#held.get(told.id) : this.#begin(arrival);
    const isHeld = held !== undefined && !held.draft.isGiven;
    if (isHeld) this.#grow(held, arrival, news, prints);
    else for (const [index, each] of news.entries()) this.#give(arrival, each, index === 0);
    for (const { key, part } of news) this.#note(told.id, key, part);
    return isHeld || news.length > 0;
  }

  #begin({ told, at }: Arrival): Held {
    const draft: Draft = {
      id: told.id,
      role: told.role,
      parts: [],
      metadata: { created_at: at, lines: [] },
      at,
      isGiven: false,
    };
    const held: Held = { draft, places: new Map() };
    this.#held.set(told.id, held);
    this.#outbox.putDraft(draft);
    return held;
  }

  #grow({ draft, places }: Held, arrival: Arrival, news: readonly News[], prints: Map<string, string>): void {
    for (const { key, part } of news) {
      const place = places.get(key);
      if (place !== undefined) draft.parts[place] = part;
      else places.set(key, draft.parts.push(part) - 1);
    }
    const { told, line, metadata } = arrival;
    const lines = draft.metadata['lines'] as JsonValue[];
    if (line) lines.push(line);
    const usage = told.usage ? { usage: { ...told.usage } } : {};
    const all = { ...metadata, ...told.metadata, ...usage, prints: printsAsJson(prints), lines };
    Object.assign(draft.metadata, all);
  }

  #give({ told, at, line }: Arrival, { key, part, isNew }: News, isFirst: boolean): void {
    const usage = isFirst && told.usage ? { usage: { ...told.usage } } : {};
    const lines = isFirst && line ? { lines: [line] } : {};
    this.#record(at, told.id, key, part, { prints: [[key, printOf(part)]], ...usage, ...lines }, isNew);
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

  /** Whether a call has no result yet. */
  isOpen(id: string): boolean {
    const call = this.#waiting(id) ?? this.#keptCall(id);
    return call !== null && call !== 'repeated';
  }

  /** The call of an id: open, or `repeated` where it has its result; null where there is none. */
  call(id: string): OpenCall | 'repeated' | null {
    return this.#waiting(id) ?? (this.known.hasReturned(id) ? 'repeated' : this.#keptCall(id));
  }

  /** A call of this part that has no result yet; null where there is none. */
  #waiting(id: string): OpenCall | null {
    for (const call of this.#open.values()) if (call.part.toolCallId === id) return call;
    return this.#closed.get(id) ?? null;
  }

  /** A call of an earlier part. */
  #keptCall(id: string): OpenCall | 'repeated' | null {
    const found = this.#mayBeKept(undefined) ? this.#kept()?.call(id) : undefined;
    if (!found) return null;
    const print = this.find(found.message, undefined)?.prints.get(id);
    return isOpenPrint(print) ? { message: found.message, key: id, part: found.part } : 'repeated';
  }

  /** Puts a result that stands in a record of its own into its call. */
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
      // They stand in the order of the parts.
      prints[held.places.get(key) ?? prints.length] = [key, RETURNED];
    } else this.#record(at, message, key, done, { prints: [[key, RETURNED]], ...(line ? { lines: [line] } : {}) });
    return done;
  }

  #replace({ draft, places }: Held, key: string, part: ToolPart): void {
    const place = places.get(key);
    if (place !== undefined) draft.parts[place] = part;
  }

  /** Closes every call that has no result: the turn is over, or there is no more to read. */
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
