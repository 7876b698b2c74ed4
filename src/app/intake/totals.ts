/** Sums up what an ingest of several transcripts has taken in. */
import { type Counts, count, noCounts } from '../../core/counts.ts';
import type { IngestResult } from './result.ts';

export interface IngestTotals {
  /** Sessions that were created, and others that were added to, each once however many transcripts it has. */
  created: number;
  added: number;
  /** Transcripts that had nothing new, or belong to a forgotten conversation. */
  unchanged: number;
  forgotten: number;
  /** Sessions that were saved as commits. */
  saved: number;
  steps_added: number;
  messages: number;
  tool_calls: number;
  lines: number;
  /** Records kept raw, by the agent's own type. */
  unknown: Counts;
}

export function totalsOf(results: readonly IngestResult[]): IngestTotals {
  const sum = (value: (result: IngestResult) => number): number => results.reduce((all, each) => all + value(each), 0);
  const number = (passes: (result: IngestResult) => boolean): number => results.filter(passes).length;
  const unknown = noCounts();
  for (const result of results) for (const [type, more] of Object.entries(result.unknown)) count(unknown, type, more);
  const isForgotten = ({ forgotten_at }: IngestResult): boolean => forgotten_at !== undefined;
  const made = new Set(results.filter(({ created }) => created).map(({ session_id }) => session_id));
  const grown = results.filter(({ steps_added }) => steps_added > 0).map(({ session_id }) => session_id);
  return {
    created: number(({ created }) => created),
    added: new Set(grown.filter((id) => !made.has(id))).size,
    unchanged: number((result) => result.steps_added === 0 && !isForgotten(result)),
    forgotten: number(isForgotten),
    saved: new Set(results.flatMap(({ compacted, session_id }) => (compacted ? [session_id] : []))).size,
    steps_added: sum(({ steps_added }) => steps_added),
    messages: sum(({ messages }) => messages),
    tool_calls: sum(({ tool_calls }) => tool_calls),
    lines: sum(({ lines }) => lines),
    unknown,
  };
}
