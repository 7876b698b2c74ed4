/** Which messages the model still sees: turns that were taken back, compactions, and the overlays that tell of them. */
import type { Outbox } from '../shared/outbox.ts';
import type { StoredRollout } from './stored-rollout.ts';

/** A prompt that is in view, and the message before it. */
export type Prompt = [id: string, before: string | null];

/** What is in view, as a cursor holds it. */
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
  /** Whether there was no room for all of the two. */
  is_cut: boolean;
}

/** The view at the beginning of a session. */
export function nothingInView(): Place {
  return { leaf: null, first: null, last: null, preserved: [], prompts: [], is_cut: false };
}

/** Prompts, and messages kept by a compaction, that a cursor has room for. */
const LIMIT = 64;

export class View {
  readonly #outbox: Outbox;
  /** What is kept of earlier parts; null where there is none. */
  readonly #kept: () => StoredRollout | null;
  #place: Place;

  constructor(outbox: Outbox, kept: () => StoredRollout | null, place: Place) {
    this.#outbox = outbox;
    this.#kept = kept;
    this.#place = { ...place, preserved: [...place.preserved], prompts: [...place.prompts] };
  }

  /** What a cursor holds of it. */
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

  /** Notes a message, in the order in which they begin. */
  begins(id: string, isPrompt: boolean): void {
    const place = this.#place;
    if (isPrompt) place.prompts.push([id, place.leaf]);
    place.first ??= id;
    place.last = id;
    place.leaf = id;
  }

  /** Looks up what the cursor had no room for. */
  #complete(): void {
    const kept = this.#place.is_cut ? this.#kept() : null;
    if (!kept) return;
    const order = [...kept.visible.keys()];
    // What began in this part is not kept yet.
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

  /** The latest turns of the user were taken back: they are hidden, with everything that came after them. */
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

  /** The context was summed up: of what came before, the model sees only these messages; true for a prompt. */
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
