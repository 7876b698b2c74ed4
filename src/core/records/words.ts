/** Words texts of records, which may be stubs: for digests and the lines that people see. */
import { isStub } from '../externalise.ts';
import { bytesInWords, oneLine } from '../text.ts';
import type { StoredRecord } from './kind.ts';

/** Returns a text, or the beginning of a text that lies in a payload, with a mark. */
export function textOrPreview(value: unknown): string {
  if (typeof value === 'string') return value;
  return isStub(value) ? `${value.preview}…` : '';
}

/** Words a field in one line; the beginning of a text that lies in a payload, with the size of that. */
export function fieldInWords(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (isStub(value)) return `${oneLine(value.preview)}… (${bytesInWords(value.bytes)})`;
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Puts the kind of a record before its words, and the exit code of what it ran behind them. */
export function lineOf(record: StoredRecord, words: string): string {
  const exit = typeof record.exit_code === 'number' ? ` (exit ${record.exit_code})` : '';
  return `${record.kind} ${words}${exit}`.trimEnd();
}

/** Words a record of which nothing is known but that most records have one of these fields. */
export function lineOfAny(record: StoredRecord): string {
  const field = record.content ?? record.path ?? record.command ?? record.by ?? record.op;
  return lineOf(record, field === undefined ? messageInWords(record) : fieldInWords(field));
}

function messageInWords({ message: value, type }: StoredRecord): string {
  const message = value as { role?: string; parts?: { type: string; text?: string; toolName?: string }[] } | undefined;
  if (!message?.parts) return typeof type === 'string' ? type : '';
  const parts = message.parts.map((part) => part.text ?? part.toolName ?? part.type);
  return `${message.role}: ${oneLine(parts.join(' · '), 160)}`;
}
