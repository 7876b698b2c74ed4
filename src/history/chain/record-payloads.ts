/** Moves the long texts of a record, and any other large value, into payloads beside it, so that its line in a step stays short. */
import { externalise, relieve, stubsIn } from '../../core/externalise.ts';
import type { JsonObject } from '../../core/json.ts';
import type { StoredRecord } from '../../core/records/record.ts';
import type { ObjectWriter } from '../../git/objects/payload.ts';
import { sha256 } from '../../platform/hash.ts';
import type { PayloadRef } from '../pending/pending.ts';

/** Target length of a line of step.jsonl, in bytes. */
const LINE_AIM = 16 * 1024;

export interface CompactRecord {
  record: StoredRecord;
  payloads: PayloadRef[];
  /** The record as JSON, if it could be made short enough. */
  json: string | null;
}

/** A content with its SHA-256, and its object after it is written. */
interface Kept {
  content: Buffer;
  sum: string;
  oid: string | null;
}

/**
 * The last content of each writer: the state after one record is the state before the next, and hashing it takes most of the
 * time.
 */
const last = new WeakMap<ObjectWriter, Kept>();
/** Larger contents are not cached, in bytes. */
const MOST_HELD = 64 * 1024;

function heldBy(keeper: ObjectWriter, content: Buffer): Kept {
  const before = last.get(keeper);
  if (before?.content.equals(content)) return before;
  const kept = { content, sum: sha256(content), oid: null };
  if (content.length <= MOST_HELD) last.set(keeper, kept);
  return kept;
}

/**
 * Moves the long texts of a record into payloads.
 * @param has its existing payloads, which stay
 * @returns a new record in any case
 */
export function compactRecord(
  keeper: ObjectWriter,
  whole: StoredRecord,
  has: readonly PayloadRef[] = [],
): CompactRecord {
  const held = new Map<string, Kept>();
  const keep = (name: string, content: Buffer): string => {
    const kept = heldBy(keeper, content);
    held.set(name, kept);
    return kept.sum;
  };
  const own = has.map(({ name }) => name);
  const record = externalise(whole, whole.id, keep, own);
  // Lists of many short texts are moved too: no step may exceed the limit of one object.
  const json = relieve(record as unknown as JsonObject, whole as unknown as JsonObject, whole.id, LINE_AIM, keep);
  // A value that was moved as a whole contains its long texts: their own payloads are unreferenced.
  const named = held.size > 0 ? new Set(stubsIn(record).map(({ payload }) => payload)) : null;
  const payloads = [...has];
  for (const [name, kept] of held) {
    if (!named?.has(name)) continue;
    kept.oid ??= keeper.write('blob', kept.content);
    payloads.push({ name, mode: '100644', oid: kept.oid });
  }
  return { record, payloads, json };
}
