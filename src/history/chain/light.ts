/** A record made light: its long texts, and whatever else is too heavy for a line of a step, lie in payloads beside it. */
import { externalise, relieve, stubsIn } from '../../core/externalise.ts';
import type { JsonObject } from '../../core/json.ts';
import type { StoredRecord } from '../../core/records/record.ts';
import type { Keeper } from '../../git/objects/payload.ts';
import { sha256 } from '../../platform/hash.ts';
import type { PayloadRef } from '../pending/pending.ts';

/** Longest line of step.jsonl that is aimed at, in bytes. */
const LINE_AIM = 16 * 1024;

export interface LightRecord {
  record: StoredRecord;
  payloads: PayloadRef[];
  /** The record as JSON, where it could be made light enough. */
  json: string | null;
}

/** A content with its SHA-256, and its object, once it is written. */
interface Kept {
  content: Buffer;
  sum: string;
  oid: string | null;
}

/** What each keeper was given last: the state that one record leads to is left by the next, and hashing it is most of what it costs. */
const last = new WeakMap<Keeper, Kept>();
/** Larger ones are not held for that, in bytes. */
const MOST_HELD = 64 * 1024;

function heldBy(keeper: Keeper, content: Buffer): Kept {
  const before = last.get(keeper);
  if (before?.content.equals(content)) return before;
  const kept = { content, sum: sha256(content), oid: null };
  if (content.length <= MOST_HELD) last.set(keeper, kept);
  return kept;
}

/**
 * Takes the long texts out of a record.
 * @param has payloads that it has already; they stay
 * @returns a new record in any case
 */
export function lightRecord(keeper: Keeper, whole: StoredRecord, has: readonly PayloadRef[] = []): LightRecord {
  const held = new Map<string, Kept>();
  const keep = (name: string, content: Buffer): string => {
    const kept = heldBy(keeper, content);
    held.set(name, kept);
    return kept.sum;
  };
  const own = has.map(({ name }) => name);
  const record = externalise(whole, whole.id, keep, own);
  // Lists of many short texts weigh as well: no step may grow beyond what one object holds.
  const json = relieve(record as unknown as JsonObject, whole as unknown as JsonObject, whole.id, LINE_AIM, keep);
  // A value that went as a whole has its long texts in it: by themselves nothing would name them.
  const named = held.size > 0 ? new Set([...stubsIn(record)].map(({ payload }) => payload)) : null;
  const payloads = [...has];
  for (const [name, kept] of held) {
    if (!named?.has(name)) continue;
    kept.oid ??= keeper.write('blob', kept.content);
    payloads.push({ name, mode: '100644', oid: kept.oid });
  }
  return { record, payloads, json };
}
