/** Finds the rollout that one continues, by its `session_meta`; that one may continue another one. */
import { CtxError } from '../../core/errors.ts';
import { type JsonObject, numberOf, objectOf } from '../../core/json.ts';
import type { Beside, Other } from '../contract/agent.ts';
import { idOf } from '../shared/fields.ts';
import { Counter, type Sum, sumIn } from './counter.ts';
import { contentOf, readRecords, typeOf } from './record.ts';

/** The position in another rollout from which one continues: before a record. */
export interface Base {
  /** The id in the name of that one. */
  rollout: string;
  /** The ordinal of the first record that does not stay; undefined if there is none. */
  end: number | undefined;
}

/** Returns the base of a `session_meta`; undefined if it continues none. */
export function baseOf(meta: JsonObject): Base | undefined {
  const base = objectOf(meta['history_base']);
  const rollout = idOf(base?.['thread_id']);
  return rollout === undefined ? undefined : { rollout, end: numberOf(base?.['end_ordinal_exclusive']) };
}

/** The number of rollouts that are followed: they may name each other in a circle. */
const DEPTH = 1000;

/** A base that was found. */
export interface Found {
  thread: string | undefined;
  sum: Sum;
}

/** Returns the thread of a base, and the tokens of a session up to there; null if a file is missing, or cannot be read. */
export function lookUp(base: Base, beside: Beside): Found | null {
  try {
    return found(base, beside, undefined, DEPTH);
  } catch (error) {
    if (error instanceof CtxError) return null;
    throw error;
  }
}

function found(base: Base, beside: Beside, from: Other | undefined, depth: number): Found | null {
  const other = depth > 0 ? beside.other(base.rollout, from) : null;
  if (!other) return null;
  const counter = new Counter({});
  let thread: string | undefined;
  let isFirst = true;
  for (const line of other.lines()) {
    // All other lines are skipped.
    if (!isFirst && !/"token_(count|usage_record)"/.test(line)) continue;
    for (const record of readRecords(line).records) {
      const { payload, type } = contentOf(record);
      const ordinal = numberOf(record['ordinal']);
      if (isFirst && type === 'session_meta') {
        thread = idOf(payload['id']);
        const before = baseOf(payload);
        const sum = before && found(before, beside, other, depth - 1);
        if (sum === null) return null;
        if (sum) counter.goOnFrom(sum.sum);
      }
      if (base.end !== undefined && ordinal !== undefined && ordinal >= base.end) return { thread, sum: counter.sum };
      counter.take(sumIn(typeOf(record), payload, thread));
    }
    isFirst = false;
  }
  return { thread, sum: counter.sum };
}
