/** Tracks which messages the model still sees, and records an overlay whenever that changes. */
import type { JsonObject, JsonValue } from '../../../core/json.ts';
import { objectOf } from '../../../core/json.ts';
import { idOf, idsOf } from '../fields.ts';
import type { Outbox } from '../outbox.ts';
import type { ViewMove } from './dialect.ts';
import type { FileMessages } from './file-messages.ts';
import type { StoredVersions } from './stored-versions.ts';

/** The number of messages that a cursor holds. */
const LIMIT = 64;

/** The messages that the model still sees, in order. */
export class VersionView {
  readonly #outbox: Outbox;
  readonly #kept: () => StoredVersions | null;
  #ids: string[];
  /** The ids of records that are no messages, each with the id of the message before it; null at the beginning. */
  readonly #marks: Map<string, string | null>;
  /** True if the cursor had no room for earlier messages. */
  #isCut: boolean;

  constructor(outbox: Outbox, kept: () => StoredVersions | null, place: JsonValue | undefined) {
    const fields = objectOf(place);
    this.#outbox = outbox;
    this.#kept = kept;
    this.#ids = idsOf(fields?.['ids']);
    this.#marks = new Map(Object.entries(objectOf(fields?.['marks']) ?? {}).map(([id, at]) => [id, idOf(at) ?? null]));
    this.#isCut = fields?.['is_cut'] === true;
  }

  /** The view as a cursor holds it. */
  get place(): JsonObject {
    const marks = Object.fromEntries([...this.#marks].slice(-LIMIT));
    const place = { ids: this.#ids.slice(-LIMIT), is_cut: this.#isCut || this.#ids.length > LIMIT };
    return this.#marks.size > 0 ? { ...place, marks } : place;
  }

  /** The id of the last message in view, or null if there is none. */
  get leaf(): string | null {
    return this.#ids.at(-1) ?? null;
  }

  /** Adds a new message at the end. */
  append(id: string): void {
    this.#ids.push(id);
  }

  /** Adds a record that is no message, at the end or after a message: a rewind to it takes back all messages that follow. */
  addMark(id: string, behind = this.leaf): void {
    this.#marks.set(id, behind);
  }

  /** Returns whether a record that is no message is known. */
  hasMark(id: string): boolean {
    return this.#marks.has(id);
  }

  /** Adds the messages for which the cursor had no room, from the store. */
  #complete(): void {
    const kept = this.#isCut ? this.#kept() : null;
    if (!kept) return;
    const held = new Set(this.#ids);
    this.#ids = [...[...kept.visible].filter((id) => !held.has(id)), ...this.#ids];
    this.#isCut = false;
  }

  #recordOverlay(op: 'hide' | 'show', ids: readonly string[], reason: string, at: number): void {
    if (ids.length > 0) this.#outbox.record(at, { kind: 'overlay', op, ids: [...ids], reason });
  }

  /** Returns whether a move is a rewind to a message in view. */
  has(move: ViewMove | undefined): boolean {
    return move?.type === 'rewind' && this.#ids.includes(move.to);
  }

  /** Takes back a message and all that came after it, or everything if that message is not in view. */
  rewind(to: string, at: number): void {
    const behind = this.#marks.get(to);
    const last = behind === undefined ? to : behind;
    if (last !== null && !this.#ids.includes(last)) this.#complete();
    const index = last === null ? 0 : Math.max(0, this.#ids.indexOf(last) + (behind === undefined ? 0 : 1));
    this.#recordOverlay('hide', this.#ids.splice(index), 'rollback', at);
  }

  /** Hides the messages before `from`, which a summary replaces; hides none if `from` is not in view. */
  compact(from: string, at: number): void {
    this.#complete();
    const index = this.#ids.indexOf(from);
    if (index > 0) this.#recordOverlay('hide', this.#ids.splice(0, index), 'compaction', at);
  }

  /** Shows the messages that came back in a rewritten file, and hides those that the file replaced with others. */
  reconcile({ all, shown, restoresRewound, begun }: FileMessages, at: number, newest: number): void {
    const kept = shown === null ? null : this.#kept();
    if (shown === null || !kept) return;
    this.#complete();
    const before = new Set(this.#ids);
    const last = this.#ids.findLastIndex((id) => all.has(id));
    // Messages that are only missing at the end may have been cut off: they are replaced only if a new message follows the cut.
    // Messages that an earlier session read from the file are not stored here, but none of them is newer than `newest`.
    const cut = shown.findLastIndex((id) => kept.has(id) || before.has(id));
    const isReplaced = shown.slice(cut + 1).some((id) => (begun.get(id) ?? newest) >= newest);
    const left = isReplaced ? this.#ids.slice(last + 1) : [];
    const returned = restoresRewound ? shown.filter((id) => kept.takenBack.has(id) && !before.has(id)) : [];
    this.#recordOverlay('hide', left, 'rollback', at);
    this.#recordOverlay('show', returned, 'rollback', at);
    for (const id of left) before.delete(id);
    for (const id of returned) before.add(id);
    this.#ids = [...[...before].filter((id) => !all.has(id)), ...[...all].filter((id) => before.has(id))];
  }

  /** Sets the messages in view, all of which are known. */
  list(ids: readonly string[], reason: string, at: number): void {
    this.#complete();
    const shown = new Set(ids);
    const before = new Set(this.#ids);
    const hidden = this.#ids.filter((id) => !shown.has(id));
    const returned = [...shown].filter((id) => !before.has(id));
    this.#recordOverlay('hide', hidden, reason, at);
    this.#recordOverlay('show', returned, reason, at);
    this.#ids = [...shown];
  }
}
