/** The compactions of an agent's context: its summary comes whole or in pieces, and counts once the compaction is completed. */
import { type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import { idOf } from '../shared/fields.ts';
import type { RecordContext, RecordEvent } from '../shared/plain-agent.ts';

/** The longest summary that is remembered until its compaction is completed, in UTF-16 code units. */
const SUMMARY_LIMIT = 16 * 1024;

/** Returns the text of blocks of content. */
const textsOf = (blocks: JsonValue | undefined): string | undefined =>
  Array.isArray(blocks) ? blocks.flatMap((block) => textOf(objectOf(block)?.['text']) ?? []).join('') : undefined;

/** Returns the summary of a compaction so far; empty if another one was remembered. */
function summaryOf(memory: JsonObject, id: string): string {
  const open = objectOf(memory['compaction']);
  return open?.['id'] === id ? (textOf(open['summary']) ?? '') : '';
}

const remembers = (id: string, summary: string): RecordEvent => ({
  what: 'remembers',
  memory: { compaction: { id, summary: summary.slice(0, SUMMARY_LIMIT) } },
});

/** Returns the events of a piece of a summary. */
export function summaryPiece({ memory }: RecordContext, update: JsonObject): RecordEvent[] {
  const id = idOf(update['compactionId']);
  const text = textOf(objectOf(update['content'])?.['text']) ?? '';
  return id === undefined ? [] : [remembers(id, summaryOf(memory, id) + text)];
}

/**
 * Returns the events of the state of a compaction: a completed one takes everything before it out of view.
 * @param line what is kept of the record beside its message
 */
export function compactionEvents({ memory }: RecordContext, update: JsonObject, line: JsonObject): RecordEvent[] {
  const id = idOf(update['compactionId']);
  if (id === undefined) return [];
  const given = 'summary' in update ? (textsOf(update['summary']) ?? '') : undefined;
  const summary = given ?? summaryOf(memory, id);
  if (update['status'] !== 'completed') return [remembers(id, summary)];
  const part = {
    type: 'data-compaction' as const,
    data: { compactionId: id, status: 'completed', summary, auto: true },
  };
  const metadata = { is_compact_summary: true };
  return [
    { what: 'closes' },
    { what: 'compacts' },
    { what: 'message', role: 'assistant', parts: [part], line, metadata, isOver: false },
    { what: 'closes' },
    { what: 'remembers', memory: { compaction: null } },
  ];
}
