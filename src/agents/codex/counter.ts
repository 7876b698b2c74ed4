/** The tokens of a session, which Codex writes as one growing sum: this module computes the difference to the sum before. */
import { type JsonObject, type JsonValue, numberOf, objectOf } from '../../core/json.ts';
import { idOf } from '../shared/fields.ts';
import type { Tokens } from '../shared/usage.ts';

const KEYS = [
  'input_tokens',
  'cached_input_tokens',
  'cache_write_input_tokens',
  'output_tokens',
  'reasoning_output_tokens',
] as const;

/** A sum of Codex; a count that it does not contain is absent. */
export type Sum = { [Key in (typeof KEYS)[number]]?: number };

/** Reads a sum from a rollout or a cursor, without fields that are no counts. */
export function readSum(value: JsonObject | undefined): Sum {
  const sum: Sum = {};
  for (const key of KEYS) {
    const count = numberOf(value?.[key]);
    if (count !== undefined && count >= 0) sum[key] = count;
  }
  return sum;
}

/** The tokens in a record. */
export interface ReportedSum {
  /** The tokens of the session so far. */
  total: JsonObject;
  /** The tokens of its latest call of the model; undefined if the record does not contain them. */
  last: JsonObject | undefined;
}

/** Returns the sum of a session in a record; undefined if there is none. */
export function sumIn(type: string, payload: JsonObject, session: string | undefined): ReportedSum | undefined {
  if (type === 'event_msg/token_count') {
    const info = objectOf(payload['info']);
    return toldOf(info?.['total_token_usage'], info?.['last_token_usage']);
  }
  if (type !== 'token_usage_record') return undefined;
  // A record of another session is part of a copy of it.
  const thread = idOf(payload['thread_id']);
  const isOwn = thread === undefined || session === undefined || thread === session;
  return isOwn ? toldOf(payload['thread_token_usage'], payload['usage']) : undefined;
}

function toldOf(total: JsonValue | undefined, last: JsonValue | undefined): ReportedSum | undefined {
  const sum = objectOf(total);
  return sum && { total: sum, last: objectOf(last) };
}

/** The counter of a session's tokens. */
export class Counter {
  #sum: Sum;
  /** True if the last sum began again from zero: it does not include the sum before. */
  isAnew = false;

  /** True if the next sum includes an unknown amount from before. */
  isBegun: boolean;

  constructor(sum: Sum, isBegun = false) {
    this.#sum = { ...sum };
    this.isBegun = isBegun;
  }

  get sum(): Sum {
    return this.#sum;
  }

  /** Sets the sum of the session or file that this one continues; null if it is unknown. */
  goOnFrom(sum: Sum | null): void {
    if (sum) this.#sum = { ...sum };
    this.isBegun = sum === null;
  }

  /**
   * Separates this session's tokens from a first sum that includes those of another session: only its latest call is its own.
   * @param how whether the session continues another one in any way, and whether it has called the model
   */
  separate({ total, last }: ReportedSum, { isHeir, hasCalled }: { isHeir: boolean; hasCalled: boolean }): void {
    const isFirst = isHeir && last !== undefined && Object.keys(this.#sum).length === 0;
    const own = readSum(this.isBegun && !hasCalled ? undefined : last);
    const sum = readSum(total);
    if (this.isBegun || isFirst)
      for (const key of KEYS) if (sum[key] !== undefined) this.#sum[key] = Math.max(0, sum[key] - (own[key] ?? 0));
    this.isBegun = false;
  }

  /** Adds a sum. @returns the tokens since the sum before, or null if there are none */
  take(reported: ReportedSum | undefined): Tokens | null {
    const sum = readSum(reported?.total);
    this.isAnew = false;
    const keys = KEYS.filter((key) => sum[key] !== undefined);
    const grown = (key: keyof Sum): number => (sum[key] ?? 0) - (this.#sum[key] ?? 0);
    // A repeated sum may come with an estimate of the context in place of a call.
    if (keys.every((key) => grown(key) === 0)) return null;
    const last = readSum(reported?.last);
    // A sum that began again, after a full context or in another program, is less, or has grown by less than the latest call.
    this.isAnew = keys.some((key) => grown(key) < (last[key] ?? 0));
    const before = this.isAnew ? {} : this.#sum;
    // A count that this version does not write stays as it was.
    this.#sum = { ...before, ...sum };
    const since = (key: keyof Sum): number => (sum[key] === undefined ? 0 : sum[key] - (before[key] ?? 0));
    if (keys.every((key) => since(key) === 0)) return null;
    const cached = since('cached_input_tokens') + since('cache_write_input_tokens');
    return {
      // Codex's count of input includes what came from the cache and what went into it.
      input: Math.max(0, since('input_tokens') - cached),
      output: since('output_tokens'),
      ...(sum.reasoning_output_tokens === undefined ? {} : { reasoning: since('reasoning_output_tokens') }),
      ...(sum.cached_input_tokens === undefined ? {} : { cache_read: since('cached_input_tokens') }),
      ...(sum.cache_write_input_tokens === undefined ? {} : { cache_write: since('cache_write_input_tokens') }),
    };
  }
}
