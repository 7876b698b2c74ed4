/** Describes what is about to be forgotten, so that nobody forgets another thing than was meant. Never a text of it. */
import type { StoredRecord } from '../../core/records/record.ts';
import type { Session } from '../../core/session/session.ts';
import { oneLine, plural } from '../../core/text.ts';
import { showTime } from '../../core/time.ts';
import { readChain, readSteps } from '../../history/chain/chain.ts';
import type { OwnedRecord } from '../../history/forget/find.ts';
import { archiveRef, sessionRef } from '../../history/names/layout.ts';
import type { Repository } from '../../history/store/repository.ts';

/** Most of a task that is shown, in UTF-16 code units. */
const TASK_LIMIT = 80;

/**
 * Objects that are removed with a session: undone sessions of the same transcript, and records of others that quote its task, by
 * id.
 */
export interface TakenAlong {
  readonly sessions: readonly string[];
  readonly records: readonly string[];
}

export function sessionInWords(session: Session, { sessions, records }: TakenAlong): string {
  const { session_id, task_description, started_at } = session;
  const words = [
    `the session ${session_id} ("${oneLine(task_description, TASK_LIMIT)}", begun ${showTime(started_at)})`,
  ];
  if (sessions.length > 0) words.push(`what an undo has taken back of it (${sessions.join(', ')})`);
  if (records.length > 0)
    words.push(
      `${plural(records.length, 'record')} before it that ${records.length === 1 ? 'tells' : 'tell'} its task (${records.join(', ')})`,
    );
  return words.length < 3 ? words.join(' and ') : `${words[0]}, ${words[1]} and ${words[2]}`;
}

export function recordInWords(repository: Repository, { record, session }: OwnedRecord): string {
  const step = stepOf(repository, session, record);
  const place = step === null ? `waiting, of session ${session}` : `step ${step} of session ${session}`;
  return `the ${oneLine(record.kind, TASK_LIMIT)} ${record.id} (${showTime(record.at)}, ${place})`;
}

/** Returns the number of the step that holds a record; null if it is pending. */
function stepOf({ refs, objects }: Repository, session: string, { id }: StoredRecord): number | null {
  const head = refs.read(sessionRef(session)) ?? refs.read(archiveRef(session));
  if (head === null) return null;
  for (const step of readSteps(objects, head, false))
    if (step.records.some((record) => record.id === id)) return step.session.step;
  return null;
}

export function stepInWords({ objects }: Repository, oid: string, records: readonly OwnedRecord[]): string {
  const { session } = readChain(objects, oid);
  return `the step ${oid} (number ${session.step} of session ${session.session_id}, ${plural(records.length, 'record')})`;
}

export const contentInWords = (oid: string, bytes: number): string => `the content ${oid} (${plural(bytes, 'byte')})`;

/** Describes texts. @param rule the one that found them, if any */
export function textsInWords(what: 'text' | 'pattern' | 'rule', count: number, rule: string | undefined): string {
  if (what === 'text') return 'a text';
  return `${plural(count, 'text')} that ${what === 'pattern' ? 'the pattern matches' : `the rule ${rule} finds`}`;
}
