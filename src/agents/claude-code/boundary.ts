/** Compactions of the agent's context: what stays in view, and which outputs were pruned. */
import { type JsonObject, type JsonValue, objectOf } from '../../core/json.ts';
import { idOf } from '../shared/fields.ts';
import type { Tree } from './tree.ts';

function ids(value: JsonValue | undefined): string[] {
  return (Array.isArray(value) ? value : []).flatMap((item) => idOf(item) ?? []);
}

/** Whether a record says that the conversation before it was summed up and is no longer in the model's sight. */
export function isBoundary(record: JsonObject): boolean {
  return record['type'] === 'system' && record['subtype'] === 'compact_boundary' && record['isSidechain'] !== true;
}

/** The lines before a compaction that the model sees after it, beside the summary. */
export function preservedLines(boundary: JsonObject, tree: Tree): string[] {
  const metadata = objectOf(boundary['compactMetadata']);
  const messages = objectOf(metadata?.['preservedMessages']);
  const listed = [...ids(messages?.['allUuids']), ...ids(messages?.['uuids'])];
  if (listed.length > 0) return [...new Set(listed)];
  const segment = objectOf(metadata?.['preservedSegment']);
  const head = idOf(segment?.['headUuid']);
  const tail = idOf(segment?.['tailUuid']);
  return head === undefined || tail === undefined ? [] : tree.between(tail, head);
}

/** The calls whose results a small compaction took out of the model's sight. */
export function prunedCalls(boundary: JsonObject): string[] {
  return ids(objectOf(boundary['microcompactMetadata'])?.['compactedToolIds']);
}
