/** Reads a list of the messages in view: takes the messages that are in no other record, and what the list adds to the others. */
import type { JsonObject, JsonValue } from '../../../core/json.ts';
import { UNKNOWN_TIME } from '../outbox.ts';
import type { Listed, Meaning, VersionMessage } from './dialect.ts';
import type { News, VersionMessages } from './messages.ts';
import type { KnownMessage } from './prints.ts';
import type { VersionView } from './view.ts';

/** The time of an entry of a list, and the time of the entry that was taken before it. */
export interface Times {
  at: number;
  before: number;
}

/** Takes the meaning of one entry like that of a record of its own. `news` are the parts to take; null takes all that are new. */
export type Take = (meaning: Meaning, times: Times, news: News[] | null) => void;

/** Returns what a list keeps of a message that was taken: its line, or only its id if the line has nothing else. */
const restOf = ({ line }: Meaning, id: string): JsonValue => (Object.keys(line).length > 1 ? line : id);
const hasResults = ({ results = [] }: Meaning): boolean => results.length > 0;

/** One list of the messages in view, while it is read. */
export class VersionList {
  readonly #messages: VersionMessages;
  readonly #view: VersionView;
  readonly #take: Take;
  /** The time of the latest message that was taken, or of the record before the list. */
  #reached: number;
  /** True if the message before this entry was new. */
  #isNew = false;
  readonly #ids: string[] = [];
  readonly #repeatedUsage: JsonObject[] = [];
  #reason = 'rollback';

  constructor(messages: VersionMessages, view: VersionView, before: number, take: Take) {
    this.#messages = messages;
    this.#view = view;
    this.#reached = before;
    this.#take = take;
  }

  /** The time of the latest message that was taken, or of the record before the list. */
  get reached(): number {
    return this.#reached;
  }

  /** The ids of the messages in view, in order. */
  get ids(): readonly string[] {
    return this.#ids;
  }

  /** The reason for which the other messages are hidden. */
  get reason(): string {
    return this.#reason;
  }

  /** The usage of each known message that grew in usage only, so that no part can hold it. */
  get repeatedUsage(): readonly JsonObject[] {
    return this.#repeatedUsage;
  }

  /** Takes the next entry. @returns what the list keeps of the entry: its id if the rest is in other records */
  add({ id, meaning: whole, record }: Listed): JsonValue {
    if (whole.mark !== undefined) return this.#mark(id, whole) ? id : record;
    const results = (whole.results ?? []).filter(({ callId }) => this.#messages.isOpen(callId));
    const meaning = { ...whole, results };
    const known = this.#messages.find(id, meaning.at);
    if (meaning.message) return this.#message(meaning.message, known, meaning, record);
    // Results are stored in their calls.
    this.#takes(meaning, null);
    return known ? this.#place(id) : record;
  }

  #place(id: string): string {
    this.#ids.push(id);
    return id;
  }

  #takes(meaning: Meaning, news: News[] | null): void {
    const at = meaning.at ?? this.#reached;
    const before = this.#reached === UNKNOWN_TIME ? at : this.#reached;
    if (meaning.message || meaning.isStop || hasResults(meaning)) this.#take(meaning, { at, before }, news);
  }

  /** Takes an entry that only has a position. @returns whether the entry is known */
  #mark(id: string, meaning: Meaning): boolean {
    const isKnown = this.#view.hasMark(id);
    this.#view.addMark(id, this.#ids.at(-1) ?? null);
    // After a known message, a stop was read with that message.
    if (!isKnown && this.#isNew) this.#takes(meaning, null);
    return isKnown;
  }

  #message(version: VersionMessage, known: KnownMessage | undefined, meaning: Meaning, record: JsonObject): JsonValue {
    this.#isNew = !known;
    const news = this.#messages.news(version, known);
    if (!known) {
      // The message is empty.
      if (version.parts.length === 0 && !version.usage) return record;
      if (version.metadata['is_compact_summary'] === true) this.#reason = 'compaction';
      this.#takes(meaning, news);
      this.#reached = Math.max(this.#reached, meaning.at ?? this.#reached);
      this.#place(version.id);
      return restOf(meaning, version.id);
    }
    this.#place(version.id);
    const more = this.#messages.more(version, known, news);
    const { message: _, ...others } = meaning;
    this.#takes(more ? meaning : others, more);
    if (more?.length === 0) this.#repeatedUsage.push({ repeats: version.id, usage: { ...version.usage } });
    if (news.length !== (more ?? []).length) return record;
    return more ? restOf(meaning, version.id) : version.id;
  }
}
