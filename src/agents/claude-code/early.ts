/** Results before their calls: lines that are written at once may be in either order, and an increment may end between them. */
import { CALLS_LIMIT } from '../shared/basic-cursor.ts';
import type { Result } from '../shared/parts.ts';
import type { MessageRecord } from './message-record.ts';

/** A result whose call is missing yet. */
export interface EarlyResult {
  result: Result;
  /** The record with the result, as far as it is known. */
  spoken: MessageRecord;
  /** The message of the result. */
  message: string;
}

/** The results of earlier parts of the transcript. */
interface KeptResults {
  early: (id: string) => EarlyResult | undefined;
}

/** The results whose calls are missing yet. */
export class EarlyResults {
  readonly #kept: () => KeptResults | null;
  /** The latest; null for one of an earlier part of the transcript, which is kept. */
  readonly #results: Map<string, EarlyResult | null>;

  /** @param ids the ids of the calls whose results are in earlier parts */
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

  /** Removes and returns the result of a call; undefined if there is none. */
  take(id: string): EarlyResult | undefined {
    const early = this.#results.get(id);
    const isNoted = this.#results.delete(id);
    return isNoted ? (early ?? this.#kept()?.early(id)) : undefined;
  }
}
