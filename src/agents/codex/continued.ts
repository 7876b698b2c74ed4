/** Codex takes a conversation back by going on in another file, which names what stays of the one before. */
import { objectOf, textOf } from '../../core/json.ts';
import { baseOf } from './lineage.ts';
import { readRecords } from './record.ts';

/** When a rollout goes on with what stands in another, by its first line; null where it begins by itself. */
export function continuedAt(firstLine: string): string | null {
  const [record] = readRecords(firstLine).records;
  const base =
    record?.['type'] === 'session_meta' ? objectOf(objectOf(record['payload'])?.['history_base']) : undefined;
  return (base && textOf(record?.['timestamp'])) ?? null;
}

/** The id in the name of the rollout that one goes on from, by its first line; null where it begins by itself. */
export function goesOnFrom(firstLine: string): string | null {
  const [record] = readRecords(firstLine).records;
  const meta = record?.['type'] === 'session_meta' ? objectOf(record['payload']) : undefined;
  return (meta && baseOf(meta)?.rollout) ?? null;
}
