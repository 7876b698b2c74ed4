/** What a rollout goes on from: the one that its `session_meta` names, which may go on from another one. */
import { CtxError } from '../../core/errors.ts';
import { type JsonObject, numberOf, objectOf } from '../../core/json.ts';
import type { Beside, Other } from '../contract/agent.ts';
import { idOf } from '../shared/fields.ts';
import { Counter, type Sum, sumTold } from './counter.ts';
import { contentOf, readRecords, typeOf } from './record.ts';

/** Where a rollout goes on: in another one, before a record. */
export interface Base {
  /** The id in the name of that one. */
  rollout: string;
  /** The ordinal of the first record that does not stay; undefined where none is named. */
  end: number | undefined;
}

/** What a `session_meta` goes on from; undefined where it begins by itself. */
export function baseOf(meta: JsonObject): Base | undefined {
  const base = objectOf(meta['history_base']);
  const rollout = idOf(base?.['thread_id']);
  return rollout === undefined ? undefined : { rollout, end: numberOf(base?.['end_ordinal_exclusive']) };
}

/** Most rollouts that one goes on from: they may name each other round and round. */
const DEPTH = 1000;

/** What a rollout goes on from. */
export interface Found {
  thread: string | undefined;
  sum: Sum;
}

/** The thread that a base is of, and the tokens of a session up to there; null where one of the files is not there, or cannot be read. */
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
    // All other lines are only gone by.
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
      counter.hear(sumTold(typeOf(record), payload, thread));
    }
    isFirst = false;
  }
  return { thread, sum: counter.sum };
}
