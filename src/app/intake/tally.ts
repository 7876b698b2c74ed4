/** Counts what reading a transcript has added. */
import type { LineProblem, TranscriptEvent } from '../../agents/contract/agent.ts';
import { type Counts, count, noCounts } from '../../core/counts.ts';
import { isKind, type StoredRecord } from '../../core/records/record.ts';
import type { TokenUsage } from '../../core/session/session.ts';

/** The counts of the events. */
export interface Tally {
  steps: number;
  /** Messages that began. */
  messages: number;
  /** Tool calls that began, also in a message that had begun before. */
  tool_calls: number;
  /** Records that are kept raw, by the agent's own type. */
  unknown: Counts;
  problems: LineProblem[];
}

export const newTally = (): Tally => ({ steps: 0, messages: 0, tool_calls: 0, unknown: noCounts(), problems: [] });

/** Counts an event that is added to the session. */
export function countRecord(tally: Tally, event: Extract<TranscriptEvent, { type: 'record' }>): void {
  const record = { version: 1, id: '', at: 0, ...event.body } as StoredRecord;
  if (event.begins_call) tally.tool_calls += 1;
  if (isKind(record, 'message')) {
    tally.messages += 1;
    tally.tool_calls += record.message.parts.filter(({ type }) => type === 'dynamic-tool').length;
  } else if (record.kind === 'raw') {
    const { type } = record as { type?: unknown };
    count(tally.unknown, typeof type === 'string' ? type : 'unreadable');
  }
}

/** Adds token counts to a sum, by kind. */
export function addUsage(sum: TokenUsage | undefined, more: object): TokenUsage {
  const total: Record<string, number> = { ...(sum as Record<string, number> | undefined) };
  for (const [kind, tokens] of Object.entries(more)) {
    if (typeof tokens === 'number') total[kind] = (total[kind] ?? 0) + tokens;
  }
  return total;
}
