/** Which messages the model still sees, in order, and the overlays that tell when that changes. */
import type { JsonObject, JsonValue } from '../../../core/json.ts';
import { objectOf } from '../../../core/json.ts';
import { idOf, idsOf } from '../fields.ts';
import type { Outbox } from '../outbox.ts';
import type { ViewMove } from './dialect.ts';
import type { Standing } from './standing.ts';
import type { StoredVersions } from './stored-versions.ts';

/** Messages that a cursor has room for, the latest. */
const LIMIT = 64;

export class VersionView {
  readonly #outbox: Outbox;
  readonly #kept: () => StoredVersions | null;
  #ids: string[];
  /** Of records that are no messages: each with the message that it stands behind, null at the beginning. */
  readonly #marks: Map<string, string | null>;
  /** Whether earlier messages are missing. */
  #isCut: boolean;

  constructor(outbox: Outbox, kept: () => StoredVersions | null, place: JsonValue | undefined) {
    const fields = objectOf(place);
    this.#outbox = outbox;
    this.#kept = kept;
    this.#ids = idsOf(fields?.['ids']);
    this.#marks = new Map(Object.entries(objectOf(fields?.['marks']) ?? {}).map(([id, at]) => [id, idOf(at) ?? null]));
    this.#isCut = fields?.['is_cut'] === true;
  }

  /** What a cursor holds of it. */
  get place(): JsonObject {
    const marks = Object.fromEntries([...this.#marks].slice(-LIMIT));
    const place = { ids: this.#ids.slice(-LIMIT), is_cut: this.#isCut || this.#ids.length > LIMIT };
    return this.#marks.size > 0 ? { ...place, marks } : place;
  }

  get leaf(): string | null {
    return this.#ids.at(-1) ?? null;
  }

  begins(id: string): void {
    this.#ids.push(id);
  }

  /** A record that is no message stands behind one, or here: all that follows may be taken back up to it. */
  marks(id: string, behind = this.leaf): void {
    this.#marks.set(id, behind);
  }

  /** Whether a record that is no message stood anywhere. */
  hasMark(id: string): boolean {
    return this.#marks.has(id);
  }

  /** Looks up what the cursor had no room for. */
  #complete(): void {
    const kept = this.#isCut ? this.#kept() : null;
    if (!kept) return;
    const held = new Set(this.#ids);
    this.#ids = [...[...kept.visible].filter((id) => !held.has(id)), ...this.#ids];
    this.#isCut = false;
  }

  #tell(op: 'hide' | 'show', ids: readonly string[], reason: string, at: number): void {
    if (ids.length > 0) this.#outbox.record(at, { kind: 'overlay', op, ids: [...ids], reason });
  }

  /** Whether what a move takes back is in view. */
  has(move: ViewMove | undefined): boolean {
    return move?.type === 'rewind' && this.#ids.includes(move.to);
  }

  /** A message and all that came after it were taken back; where it is not in view, everything was. */
  rewind(to: string, at: number): void {
    const behind = this.#marks.get(to);
    const last = behind === undefined ? to : behind;
    if (last !== null && !this.#ids.includes(last)) this.#complete();
    const index = last === null ? 0 : Math.max(0, this.#ids.indexOf(last) + (behind === undefined ? 0 : 1));
    this.#tell('hide', this.#ids.splice(index), 'rollback', at);
  }

  /** What came before a message is summed up by it. `from` is the first that stays, where that is in view. */
  compact(from: string, at: number): void {
    this.#complete();
    const index = this.#ids.indexOf(from);
    if (index > 0) this.#tell('hide', this.#ids.splice(0, index), 'compaction', at);
  }

  /** A file that was written anew tells by itself what came back, and what others have taken the place of: that is in it no more. */
  stands({ all, shown, comesBack, begun }: Standing, at: number, newest: number): void {
    const kept = shown === null ? null : this.#kept();
    if (shown === null || !kept) return;
    this.#complete();
    const before = new Set(this.#ids);
    const last = this.#ids.findLastIndex((id) => all.has(id));
    // What is merely missing at the end may have been cut off: only what is new behind the cut has taken its place. Of what an
    // earlier session has of the file nothing is kept here, but nothing of that is newer than what was told last.
    const cut = shown.findLastIndex((id) => kept.has(id) || before.has(id));
    const isReplaced = shown.slice(cut + 1).some((id) => (begun.get(id) ?? newest) >= newest);
    const left = isReplaced ? this.#ids.slice(last + 1) : [];
    const returned = comesBack ? shown.filter((id) => kept.takenBack.has(id) && !before.has(id)) : [];
    this.#tell('hide', left, 'rollback', at);
    this.#tell('show', returned, 'rollback', at);
    for (const id of left) before.delete(id);
    for (const id of returned) before.add(id);
    this.#ids = [...[...before].filter((id) => !all.has(id)), ...[...all].filter((id) => before.has(id))];
  }

  /** From now on these are in view, all of which are known. */
  list(ids: readonly string[], reason: string, at: number): void {
    this.#complete();
    const shown = new Set(ids);
    const before = new Set(this.#ids);
    const hidden = this.#ids.filter((id) => !shown.has(id));
    const returned = [...shown].filter((id) => !before.has(id));
    this.#tell('hide', hidden, reason, at);
    this.#tell('show', returned, reason, at);
    this.#ids = [...shown];
  }
}
