/** A list of the messages that are in view: what of it stands nowhere else, and what it says more of the others, is taken. */
import type { JsonObject, JsonValue } from '../../../core/json.ts';
import { UNKNOWN_TIME } from '../outbox.ts';
import type { Listed, Telling, ToldMessage } from './dialect.ts';
import type { News, VersionMessages } from './messages.ts';
import type { KnownMessage } from './prints.ts';
import type { VersionView } from './view.ts';

/** When something in a list was written, and what was taken before it. */
export interface Times {
  at: number;
  before: number;
}

/** Takes what one in a list tells, as if it stood by itself. `news` is what counts of a message that is known. */
export type Take = (telling: Telling, times: Times, news: News[] | null) => void;

/** What is kept of a message that was taken: what neither its parts nor its metadata say. */
const restOf = ({ line }: Telling, id: string): JsonValue => (Object.keys(line).length > 1 ? line : id);
const hasResults = ({ results = [] }: Telling): boolean => results.length > 0;

export class VersionList {
  readonly #messages: VersionMessages;
  readonly #view: VersionView;
  readonly #take: Take;
  /** When the latest that was taken was written, or what stood before the list. */
  #reached: number;
  /** Whether the message before stood nowhere else. */
  #isNew = false;
  readonly #ids: string[] = [];
  readonly #retold: JsonObject[] = [];
  #reason = 'rollback';

  constructor(messages: VersionMessages, view: VersionView, before: number, take: Take) {
    this.#messages = messages;
    this.#view = view;
    this.#reached = before;
    this.#take = take;
  }

  get reached(): number {
    return this.#reached;
  }

  /** The messages that are in view now. */
  get ids(): readonly string[] {
    return this.#ids;
  }

  /** Why the others are not. */
  get reason(): string {
    return this.#reason;
  }

  /** What known messages used, where they are told with no part that could say so. */
  get retold(): readonly JsonObject[] {
    return this.#retold;
  }

  /** Takes the next one. @returns what is kept of it with the list: its id where that is enough */
  add({ id, telling: whole, record }: Listed): JsonValue {
    if (whole.mark !== undefined) return this.#word(id, whole) ? id : record;
    const results = (whole.results ?? []).filter(({ callId }) => this.#messages.isOpen(callId));
    const telling = { ...whole, results };
    const known = this.#messages.find(id, telling.at);
    if (telling.message) return this.#message(telling.message, known, telling, record);
    // The results of calls stand with their calls.
    this.#takes(telling, null);
    return known ? this.#place(id) : record;
  }

  #place(id: string): string {
    this.#ids.push(id);
    return id;
  }

  #takes(telling: Telling, news: News[] | null): void {
    const at = telling.at ?? this.#reached;
    const before = this.#reached === UNKNOWN_TIME ? at : this.#reached;
    if (telling.message || telling.isStop || hasResults(telling)) this.#take(telling, { at, before }, news);
  }

  /** A word of the program has only its place. @returns whether it is known */
  #word(id: string, telling: Telling): boolean {
    const isKnown = this.#view.hasMark(id);
    this.#view.marks(id, this.#ids.at(-1) ?? null);
    // Where what came before it is known, so is what became of that.
    if (!isKnown && this.#isNew) this.#takes(telling, null);
    return isKnown;
  }

  #message(told: ToldMessage, known: KnownMessage | undefined, telling: Telling, record: JsonObject): JsonValue {
    this.#isNew = !known;
    const news = this.#messages.news(told, known);
    if (!known) {
      // It says nothing.
      if (told.parts.length === 0 && !told.usage) return record;
      if (told.metadata['is_compact_summary'] === true) this.#reason = 'compaction';
      this.#takes(telling, news);
      this.#reached = Math.max(this.#reached, telling.at ?? this.#reached);
      this.#place(told.id);
      return restOf(telling, told.id);
    }
    this.#place(told.id);
    const more = this.#messages.more(told, known, news);
    const { message: _, ...others } = telling;
    this.#takes(more ? telling : others, more);
    if (more?.length === 0) this.#retold.push({ repeats: told.id, usage: { ...told.usage } });
    if (news.length !== (more ?? []).length) return record;
    return more ? restOf(telling, told.id) : told.id;
  }
}
