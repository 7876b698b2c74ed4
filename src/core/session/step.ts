/** The plan of one WorkCommit: its subject, trailers and lines, from the session after it and the records in it. */
import type { Trailer } from '../commit.ts';
import { isKind, type StoredRecord } from '../records/record.ts';
import { oneLine, plural } from '../text.ts';
import type { Session } from './session.ts';

/** Trailers of a WorkCommit. */
export function stepTrailers(session: Session): Trailer[] {
  return [
    ['Ctx-Session', session.session_id],
    ['Ctx-Step', String(session.step)],
    ['Ctx-Base', session.base],
    ['Ctx-State', session.session_state.kind],
  ];
}

/** The text of a record that tells best what it is, or null. */
function headline(record: StoredRecord): string | null {
  if (isKind(record, 'task')) return `Start: ${textOf(record.content)}`;
  if (isKind(record, 'note')) return textOf(record.content);
  if (isKind(record, 'plan')) return `Plan: ${textOf(record.content)}`;
  return null;
}

/** A field that may have left a stub behind. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : String((value as { preview?: unknown } | undefined)?.preview ?? '');
}

const NOUNS: Record<string, [one: string, many: string]> = {
  read: ['file read', 'files read'],
  write: ['file written', 'files written'],
  delete: ['file deleted', 'files deleted'],
  command: ['command', 'commands'],
  message: ['message', 'messages'],
  relation: ['relation', 'relations'],
  note: ['note', 'notes'],
  plan: ['plan', 'plans'],
};

/** What a step did, in one line: the move, the text of its only note or plan, or what it counts. */
export function stepSubject(session: Session, records: readonly StoredRecord[]): string {
  const moved = records.filter((record) => isKind(record, 'transition')).at(-1);
  const told = records.map(headline).filter((text) => text !== null);
  const tally = new Map<string, number>();
  for (const record of records) tally.set(record.kind, (tally.get(record.kind) ?? 0) + 1);
  const counted = [...tally]
    .filter(([kind]) => Object.hasOwn(NOUNS, kind))
    .map(([kind, count]) => plural(count, ...(NOUNS[kind] as [string, string])));
  const what = told.length === 1 && told[0] ? told[0] : counted.join(', ');
  const state = moved ? ` → ${session.session_state.kind}` : '';
  return oneLine(`Step ${session.step}: ${what || (moved ? 'moved' : plural(records.length, 'record'))}`, 180) + state;
}

/** The lines of step.jsonl: one record a line, in order. */
export function stepLines(records: readonly StoredRecord[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}
