/** Compactions of the agent's context: the lines that stay in view, and the outputs that were pruned. */
import { type JsonObject, objectOf } from '../../core/json.ts';
import { idOf, idsOf } from '../shared/fields.ts';
import type { Tree } from './tree.ts';

/** Returns whether a record is the boundary of a compaction: the model does not see the conversation before it any more. */
export function isBoundary(record: JsonObject): boolean {
  return record['type'] === 'system' && record['subtype'] === 'compact_boundary' && record['isSidechain'] !== true;
}

/** Returns the lines before a compaction that the model sees after it, beside the summary. */
export function preservedLines(boundary: JsonObject, tree: Tree): string[] {
  const metadata = objectOf(boundary['compactMetadata']);
  const messages = objectOf(metadata?.['preservedMessages']);
  const listed = [...idsOf(messages?.['allUuids']), ...idsOf(messages?.['uuids'])];
  if (listed.length > 0) return [...new Set(listed)];
  const segment = objectOf(metadata?.['preservedSegment']);
  const head = idOf(segment?.['headUuid']);
  const tail = idOf(segment?.['tailUuid']);
  return head === undefined || tail === undefined ? [] : tree.between(tail, head);
}

/** Returns the calls whose results a small compaction removed from the model's view. */
export function prunedCalls(boundary: JsonObject): string[] {
  return idsOf(objectOf(boundary['microcompactMetadata'])?.['compactedToolIds']);
}
