/** Results that stand before their calls: lines that are written at once may stand in either order, and an increment may end between. */
import { CALLS_LIMIT } from '../shared/calls.ts';
import type { Result } from '../shared/parts.ts';
import type { Spoken } from './spoken.ts';

/** A result whose call was not seen yet. */
export interface EarlyResult {
  result: Result;
  /** The record that brought it, as far as it is known. */
  spoken: Spoken;
  /** The message that it stands in. */
  message: string;
}

/** Where those of earlier parts of the transcript are looked up. */
interface KeptResults {
  early: (id: string) => EarlyResult | undefined;
}

export class EarlyResults {
  readonly #kept: () => KeptResults | null;
  /** The latest; null for one of an earlier part of the transcript: what it says is kept. */
  readonly #results: Map<string, EarlyResult | null>;

  /** @param ids of the calls of those that stand in earlier parts */
  constructor(ids: readonly string[], kept: () => KeptResults | null) {
    this.#kept = kept;
    this.#results = new Map(ids.map((id) => [id, null]));
  }

  /** The ids of their calls, as a cursor holds them. */
  get ids(): string[] {
    return [...this.#results.keys()];
  }

  has(id: string): boolean {
    return this.#results.has(id);
  }

  note(early: EarlyResult): void {
    this.#results.set(early.result.callId, early);
    const [oldest] = this.#results.keys();
    if (oldest !== undefined && this.#results.size > CALLS_LIMIT) this.#results.delete(oldest);
  }

  /** Takes the result of a call; undefined where there is none. */
  take(id: string): EarlyResult | undefined {
    const early = this.#results.get(id);
    const isNoted = this.#results.delete(id);
    return isNoted ? (early ?? this.#kept()?.early(id)) : undefined;
  }
}
