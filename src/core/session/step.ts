/** Plans one WorkCommit: its subject, trailers and lines, from the session after it and its records. */
import type { Trailer } from '../commit.ts';
import type { Stub } from '../externalise.ts';
import { isKind, type StoredRecord } from '../records/record.ts';
import { kindNamed } from '../records/table.ts';
import { oneLine, plural } from '../text.ts';
import type { Session } from './session.ts';

/** Returns the trailers of a WorkCommit. */
export function stepTrailers(session: Session): Trailer[] {
  return [
    ['Ctx-Session', session.session_id],
    ['Ctx-Step', String(session.step)],
    ['Ctx-Base', session.base],
    ['Ctx-State', session.session_state.kind],
  ];
}

/** Returns the subject that a record makes; null if it makes none. A text that lies in a payload is shown by its beginning. */
function headlineOf({ kind, content }: StoredRecord): string | null {
  const before = kindNamed(kind)?.headline ?? null;
  if (before === null) return null;
  return (
    before + (typeof content === 'string' ? content : String((content as Partial<Stub> | undefined)?.preview ?? ''))
  );
}

/** Words what a step did, in one line: the move, the text of its only note or plan, or what it counts. */
export function stepSubject(session: Session, records: readonly StoredRecord[]): string {
  const moved = records.filter((record) => isKind(record, 'transition')).at(-1);
  const headlines = records.flatMap((record) => headlineOf(record) ?? []);
  const tally = new Map<string, number>();
  for (const record of records) tally.set(record.kind, (tally.get(record.kind) ?? 0) + 1);
  const counted = [...tally].flatMap(([kind, count]) => {
    const nouns = kindNamed(kind)?.nouns;
    return nouns ? plural(count, ...nouns) : [];
  });
  const what = headlines.length === 1 && headlines[0] ? headlines[0] : counted.join(', ');
  const state = moved ? ` → ${session.session_state.kind}` : '';
  return oneLine(`Step ${session.step}: ${what || (moved ? 'moved' : plural(records.length, 'record'))}`, 180) + state;
}

/** Renders step.jsonl: one record a line, in order. */
export function stepLines(records: readonly StoredRecord[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}
