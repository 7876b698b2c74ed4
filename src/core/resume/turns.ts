/** Makes turns of a conversation: the message of a user, with all that answers it. Pure. */
import type { ViewedMessage } from '../conversation/view.ts';
import type { Part } from '../message.ts';
import { isKind, type StoredRecord } from '../records/record.ts';
import { textOrPreview } from '../records/words.ts';
import { withoutBlocks } from './own-words.ts';

/** Why a call has no result if the agent that made it is gone. */
export const ABORTED = 'aborted by host restart';

/** One thing that was said or done. */
export interface Entry {
  who: 'user' | 'agent' | 'tool' | 'summary';
  text: string;
  /** Unix seconds; null if unknown. */
  at: number | null;
}

/** A user's message and all that answers it; what came before the first one is a turn of its own. */
export type Turn = readonly Entry[];

const timeOf = ({ metadata }: ViewedMessage): number | null =>
  typeof metadata?.created_at === 'number' ? metadata.created_at : null;

const inJson = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** Returns a call with its result, or why it has none. */
function callInWords(part: Extract<Part, { type: 'dynamic-tool' }>): string {
  const call = `${part.toolName} ${inJson(part.input)}`;
  if (part.state === 'output-available') return `${call}\n→ ${inJson(part['output'])}`;
  return `${call}\n→ error: ${part.state === 'output-error' ? part['errorText'] : ABORTED}`;
}

function entryOf(part: Part, message: ViewedMessage): Entry | null {
  const at = timeOf(message);
  const { is_compact_summary, is_branch_summary, is_meta } = message.metadata ?? {};
  const isSummary = is_compact_summary === true || is_branch_summary === true;
  const who = isSummary ? 'summary' : message.role === 'user' ? 'user' : 'agent';
  if (part.type === 'text') {
    // An agent has instructions and surroundings of its own, as they are now.
    if (!isSummary && (message.role === 'system' || is_meta === true)) return null;
    // Text that an earlier resume has handed over is in the session that it came from.
    const text = withoutBlocks(part.text);
    return text.trim() === '' ? null : { who, text, at };
  }
  if (part.type === 'data-compaction') {
    const { summary } = (part['data'] ?? {}) as { summary?: unknown };
    return typeof summary === 'string' && summary.trim() !== '' ? { who: 'summary', text: summary, at } : null;
  }
  if (part.type === 'dynamic-tool')
    return { who: 'tool', text: callInWords(part as Extract<Part, { type: 'dynamic-tool' }>), at };
  if (part.type === 'file')
    return { who, text: `[${part['mediaType']}${part['filename'] ? ` ${part['filename']}` : ''}]`, at };
  // The thoughts of a model are its own; the rest is an agent's book-keeping.
  return null;
}

/** Returns the turns of the messages of a view. */
export function turnsOf(messages: Iterable<ViewedMessage>): Turn[] {
  const turns: Entry[][] = [];
  for (const message of messages) {
    const entries = message.parts.flatMap((part) => entryOf(part, message) ?? []);
    const begins = message.role === 'user' && entries.some(({ who }) => who === 'user');
    if (begins || turns.length === 0) turns.push([]);
    turns.at(-1)?.push(...entries);
  }
  return turns.filter((turn) => turn.length > 0);
}

/** Returns what a record says of a session that was recorded by hand, without a conversation; null if it says nothing. */
function noted(record: StoredRecord): Entry | null {
  const { at } = record;
  const text = textOrPreview(record['content']).trim();
  if (isKind(record, 'task')) return { who: 'user', text, at };
  if (isKind(record, 'plan')) return { who: 'agent', text: `Plan: ${text}`, at };
  if (isKind(record, 'note') && text !== '')
    return { who: ['question', 'plain'].includes(record.role) ? 'agent' : 'user', text, at };
  if (isKind(record, 'transition') && record.to.kind === 'PendingComplete')
    return { who: 'agent', text: record.to.summary, at };
  if (isKind(record, 'command')) {
    const exit = typeof record['exit_code'] === 'number' ? ` (exit ${record['exit_code']})` : '';
    return { who: 'tool', text: `${textOrPreview(record['command'])}${exit}`, at };
  }
  return null;
}

/** Returns whether a question, or the end of a turn, is in the agent's words just before it. */
function isRepeated(record: StoredRecord, { who, text }: Entry, last: Entry | undefined): boolean {
  if (who !== 'agent' || last?.who !== 'agent') return false;
  const words = isKind(record, 'note') && record.role === 'question' ? text.replace(/^Question for user: /, '') : text;
  return last.text.includes(words);
}

/** Returns the turns of a session that has no messages: what its records say was said and done. */
export function turnsOfRecords(records: Iterable<StoredRecord>): Turn[] {
  const turns: Entry[][] = [];
  for (const record of records) {
    const entry = noted(record);
    if (entry === null || isRepeated(record, entry, turns.at(-1)?.at(-1))) continue;
    if (entry.who === 'user' || turns.length === 0) turns.push([]);
    turns.at(-1)?.push(entry);
  }
  return turns;
}
