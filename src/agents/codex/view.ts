/** The messages that the model still sees: reverted turns, compactions, and the overlays for them. */
import type { Outbox } from '../shared/outbox.ts';
import type { StoredRollout } from './stored-rollout.ts';

/** A prompt that is in view, and the message before it. */
export type Prompt = [id: string, before: string | null];

/** The messages in view, as a cursor holds them. */
export interface Place {
  /** The latest message in view. */
  leaf: string | null;
  /** The first and the last message since the last compaction. */
  first: string | null;
  last: string | null;
  /** Earlier messages that the last compaction kept in view. */
  preserved: string[];
  /** The latest prompts in view, in order. */
  prompts: Prompt[];
  /** True if there was no room for all of these two lists. */
  is_cut: boolean;
}

/** Returns the view at the beginning of a session. */
function nothingInView(): Place {
  return { leaf: null, first: null, last: null, preserved: [], prompts: [], is_cut: false };
}

/** The number of prompts, and of messages kept by a compaction, that a cursor holds. */
const LIMIT = 64;

/** The view of a session. */
export class View {
  readonly #outbox: Outbox;
  /** Returns the kept records of earlier parts; null if there are none. */
  readonly #kept: () => StoredRollout | null;
  #place: Place;

  constructor(outbox: Outbox, kept: () => StoredRollout | null, place: Place) {
    this.#outbox = outbox;
    this.#kept = kept;
    this.#place = { ...place, preserved: [...place.preserved], prompts: [...place.prompts] };
  }

  /** The state that a cursor holds. */
  get place(): Place {
    const { preserved, prompts, is_cut } = this.#place;
    const isLong = preserved.length > LIMIT || prompts.length > LIMIT;
    return {
      ...this.#place,
      preserved: preserved.slice(-LIMIT),
      prompts: prompts.slice(-LIMIT),
      is_cut: is_cut || isLong,
    };
  }

  get leaf(): string | null {
    return this.#place.leaf;
  }

  /** Adds a message, in the order in which they begin. */
  begins(id: string, isPrompt: boolean): void {
    const place = this.#place;
    if (isPrompt) place.prompts.push([id, place.leaf]);
    place.first ??= id;
    place.last = id;
    place.leaf = id;
  }

  /** Reads what the cursor had no room for from the kept records. */
  #complete(): void {
    const kept = this.#place.is_cut ? this.#kept() : null;
    if (!kept) return;
    const order = [...kept.visible.keys()];
    // Messages of this part are not kept yet.
    const start = order.indexOf(this.#place.first ?? '');
    this.#place.preserved = start < 0 ? order : order.slice(0, start);
    const known = new Map(this.#place.prompts);
    const earlier = order.flatMap((id, index): Prompt[] =>
      kept.visible.get(id) === true && !known.has(id) ? [[id, order[index - 1] ?? null]] : [],
    );
    this.#place.prompts = [...earlier, ...this.#place.prompts];
    this.#place.is_cut = false;
  }

  #hide(at: number, reason: string, ids: readonly string[], from: string | null): void {
    const to = this.#place.last;
    if (ids.length > 0) this.#outbox.record(at, { kind: 'overlay', op: 'hide', ids: [...ids], reason });
    if (from !== null && to !== null)
      this.#outbox.record(at, { kind: 'overlay', op: 'hide', range: { from, to }, reason });
  }

  /** Reverts the latest turns of the user: they are hidden, with everything that came after them. */
  rollBack(turns: number, at: number): void {
    if (turns < 1) return;
    this.#complete();
    const place = this.#place;
    const [first] = place.prompts.splice(-turns);
    if (!first) return;
    const [id, before] = first;
    const index = place.preserved.indexOf(id);
    this.#hide(at, 'rollback', index < 0 ? [] : place.preserved.slice(index), index < 0 ? id : place.first);
    if (index >= 0) place.preserved = place.preserved.slice(0, index);
    if (index >= 0 || id === place.first) {
      place.first = null;
      place.last = null;
    }
    place.leaf = before;
  }

  /** Handles a compaction: of the earlier messages, the model sees only these; true for a prompt. */
  compact(shown: ReadonlyMap<string, boolean>, at: number): void {
    this.#complete();
    const reason = 'compaction';
    const preserved = [...shown.keys()];
    this.#hide(at, reason, this.#place.preserved, this.#place.first);
    if (preserved.length > 0) this.#outbox.record(at, { kind: 'overlay', op: 'show', ids: preserved, reason });
    const prompts = preserved.flatMap((id, index): Prompt[] =>
      shown.get(id) === true ? [[id, preserved[index - 1] ?? null]] : [],
    );
    this.#place = { ...nothingInView(), preserved, prompts, leaf: preserved.at(-1) ?? null };
  }
}
