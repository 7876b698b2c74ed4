/** A record made light: its long texts, and whatever else is too heavy for a line of a step, lie in payloads beside it. */
import { externalise, relieve } from '../../core/externalise.ts';
import type { JsonObject } from '../../core/json.ts';
import type { StoredRecord } from '../../core/record.ts';
import { sha256 } from '../../platform/hash.ts';
import type { Keeper } from '../objects/payload.ts';
import type { PayloadRef } from '../pending.ts';

/** Longest line of step.jsonl that is aimed at, in bytes. */
const LINE_AIM = 16 * 1024;

export interface LightRecord {
  record: StoredRecord;
  payloads: PayloadRef[];
  /** The record as JSON, where it could be made light enough. */
  json: string | null;
}

/** A content that a keeper has, with its object and its SHA-256. */
interface Kept {
  content: Buffer;
  oid: string;
  sum: string;
}

/** What each keeper was given last: the state that one record leads to is left by the next, and hashing it is most of what it costs. */
const last = new WeakMap<Keeper, Kept>();
/** Larger ones are not held for that, in bytes. */
const MOST_HELD = 64 * 1024;

function keptBy(keeper: Keeper, content: Buffer): Kept {
  const before = last.get(keeper);
  if (before?.content.equals(content)) return before;
  const kept = { content, oid: keeper.write('blob', content), sum: sha256(content) };
  if (content.length <= MOST_HELD) last.set(keeper, kept);
  return kept;
}

/**
 * Takes the long texts out of a record.
 * @param has payloads that it has already; they stay
 * @returns a new record in any case
 */
export function lightRecord(keeper: Keeper, whole: StoredRecord, has: readonly PayloadRef[] = []): LightRecord {
  const payloads = [...has];
  const keep = (name: string, content: Buffer): string => {
    const { oid, sum } = keptBy(keeper, content);
    payloads.push({ name, mode: '100644', oid });
    return sum;
  };
  const own = has.map(({ name }) => name);
  const record = externalise(whole, whole.id, keep, own);
  // Lists of many short texts weigh as well: no step may grow beyond what one object holds.
  const json = relieve(record as unknown as JsonObject, whole as unknown as JsonObject, whole.id, LINE_AIM, keep);
  return { record, payloads, json };
}
