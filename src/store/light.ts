/** A record made light: its long texts, and whatever else is too heavy for a line of a step, lie in payloads beside it. */
import { externalise, relieve } from '../core/externalise.ts';
import type { JsonObject } from '../core/json.ts';
import type { StoredRecord } from '../core/record.ts';
import { sha256 } from '../platform/hash.ts';
import type { Keeper } from './payload.ts';
import type { PayloadRef } from './pending.ts';

/** Longest line of step.jsonl that is aimed at, in bytes. */
const LINE_AIM = 16 * 1024;

export interface LightRecord {
  record: StoredRecord;
  payloads: PayloadRef[];
  /** The record as JSON, where it could be made light enough. */
  json: string | null;
}

/**
 * Takes the long texts out of a record.
 * @param has payloads that it has already; they stay
 * @returns a new record in any case
 */
export function lightRecord(keeper: Keeper, whole: StoredRecord, has: readonly PayloadRef[] = []): LightRecord {
  const payloads = [...has];
  const keep = (name: string, content: Buffer): string => {
    payloads.push({ name, mode: '100644', oid: keeper.write('blob', content) });
    return sha256(content);
  };
  const own = has.map(({ name }) => name);
  const record = externalise(whole, whole.id, keep, own);
  // Lists of many short texts weigh as well: no step may grow beyond what one object holds.
  const json = relieve(record as unknown as JsonObject, whole as unknown as JsonObject, whole.id, LINE_AIM, keep);
  return { record, payloads, json };
}
