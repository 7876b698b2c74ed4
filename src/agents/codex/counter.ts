/** Tokens of a session, which Codex tells as one sum that grows: what came since the last time it was told. */
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

/** A sum as Codex tells it; what is not told of it is absent. */
export type Sum = { [Key in (typeof KEYS)[number]]?: number };

/** A sum out of a rollout or a cursor; what is no count is left out. */
export function readSum(value: JsonObject | undefined): Sum {
  const sum: Sum = {};
  for (const key of KEYS) {
    const count = numberOf(value?.[key]);
    if (count !== undefined && count >= 0) sum[key] = count;
  }
  return sum;
}

/** What a record tells of tokens. */
export interface ToldSum {
  /** Of the session so far. */
  total: JsonObject;
  /** Of its latest call of the model; undefined where the record does not tell. */
  last: JsonObject | undefined;
}

/** The sum of a session as a record tells it; undefined where it tells none. */
export function sumTold(type: string, payload: JsonObject, session: string | undefined): ToldSum | undefined {
  if (type === 'event_msg/token_count') {
    const info = objectOf(payload['info']);
    return toldOf(info?.['total_token_usage'], info?.['last_token_usage']);
  }
  if (type !== 'token_usage_record') return undefined;
  // One of another session stands in a copy of that.
  const thread = idOf(payload['thread_id']);
  const isOwn = thread === undefined || session === undefined || thread === session;
  return isOwn ? toldOf(payload['thread_token_usage'], payload['usage']) : undefined;
}

function toldOf(total: JsonValue | undefined, last: JsonValue | undefined): ToldSum | undefined {
  const sum = objectOf(total);
  return sum && { total: sum, last: objectOf(last) };
}

export class Counter {
  #sum: Sum;
  /** Whether what was heard last has begun anew: what came before is not in it. */
  isAnew = false;

  /** Whether the next sum has something in it that nobody knows. */
  isBegun: boolean;

  constructor(sum: Sum, isBegun = false) {
    this.#sum = { ...sum };
    this.isBegun = isBegun;
  }

  get sum(): Sum {
    return this.#sum;
  }

  /** The session goes on from another one, or from another file, with its sum; null where nobody knows that. */
  goOnFrom(sum: Sum | null): void {
    if (sum) this.#sum = { ...sum };
    this.isBegun = sum === null;
  }

  /**
   * Where a first sum has in it what another session has used, its latest call alone is this one's: that came after the rest.
   * @param how whether the session goes on from another one in any way, and whether it has called the model
   */
  separate({ total, last }: ToldSum, { isHeir, hasCalled }: { isHeir: boolean; hasCalled: boolean }): void {
    const isFirst = isHeir && last !== undefined && Object.keys(this.#sum).length === 0;
    const own = readSum(this.isBegun && !hasCalled ? undefined : last);
    const sum = readSum(total);
    if (this.isBegun || isFirst)
      for (const key of KEYS) if (sum[key] !== undefined) this.#sum[key] = Math.max(0, sum[key] - (own[key] ?? 0));
    this.isBegun = false;
  }

  /** Takes a sum. @returns what was used since the one before, or null where nothing was */
  hear(told: ToldSum | undefined): Tokens | null {
    const sum = readSum(told?.total);
    this.isAnew = false;
    const keys = KEYS.filter((key) => sum[key] !== undefined);
    const grown = (key: keyof Sum): number => (sum[key] ?? 0) - (this.#sum[key] ?? 0);
    // A sum that is told once more may come with an estimate of the context in the place of a call.
    if (keys.every((key) => grown(key) === 0)) return null;
    const last = readSum(told?.last);
    // Begun anew, after a context that was full or in another program, a sum has become less, or has not grown by all of the latest call.
    this.isAnew = keys.some((key) => grown(key) < (last[key] ?? 0));
    const before = this.isAnew ? {} : this.#sum;
    // What one version counts and another does not stays as it was.
    this.#sum = { ...before, ...sum };
    const since = (key: keyof Sum): number => (sum[key] === undefined ? 0 : sum[key] - (before[key] ?? 0));
    if (keys.every((key) => since(key) === 0)) return null;
    const cached = since('cached_input_tokens') + since('cache_write_input_tokens');
    return {
      // Codex counts what came from the cache, and what went into it, as input once more.
      input: Math.max(0, since('input_tokens') - cached),
      output: since('output_tokens'),
      ...(sum.reasoning_output_tokens === undefined ? {} : { reasoning: since('reasoning_output_tokens') }),
      ...(sum.cached_input_tokens === undefined ? {} : { cache_read: since('cached_input_tokens') }),
      ...(sum.cache_write_input_tokens === undefined ? {} : { cache_write: since('cache_write_input_tokens') }),
    };
  }
}
