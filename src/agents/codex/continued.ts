/** Codex takes a conversation back by going on in another file, which names what stays of the one before. */
import { type JsonObject, numberOf, objectOf, textOf } from '../../core/json.ts';
import { readRecords } from './record.ts';

/** When a rollout goes on with what stands in another, by its first line; null where it begins by itself. */
export function continuedAt(firstLine: string): string | null {
  const [record] = readRecords(firstLine).records;
  const base =
    record?.['type'] === 'session_meta' ? objectOf(objectOf(record['payload'])?.['history_base']) : undefined;
  return (base && textOf(record?.['timestamp'])) ?? null;
}

/** The ordinal of the first record that does not stay; undefined where a `session_meta` names none. */
export const cutIn = (meta: JsonObject): number | undefined =>
  numberOf(objectOf(meta['history_base'])?.['end_ordinal_exclusive']);
