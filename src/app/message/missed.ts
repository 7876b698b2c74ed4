/** What a session's agent has told while the session could not move: kept as a record that waits, and made up for later. */
import type { Counts } from '../../core/counts.ts';
import type { AnyBody, StoredRecord } from '../../core/records/record.ts';
import { missedDeeds } from '../../core/session/missed.ts';
import type { Deed } from '../../core/session/user-message.ts';
import type { SessionState } from '../../core/state.ts';
import type { Repository } from '../../history/store/repository.ts';
import { hasSpoken, isToolsQuestion, lastPrompt, type Said } from '../ingest/increment.ts';
import { redactionFor } from '../redaction/redact.ts';
import type { ActiveSession } from '../session/active.ts';
import { addRecord } from '../session/observe.ts';

/** Keeps a note in a session, without LOCK. @param found what was taken out of it already */
export function keepNote(repository: Repository, session: string, body: AnyBody, found?: Counts): void {
  addRecord(repository, session, () => ({ body, redaction: redactionFor(repository, undefined, found) }));
}

/** What a prompt does that is heard late, of a session with a task. */
export type Hear = typeof import('../../language/index.ts').latePrompt;

/** What makes up for all that was missed, from the state that a session stands in. */
export function madeUpFor(repository: Repository, active: ActiveSession, state: SessionState, hear: Hear): Deed[] {
  const { chain, session, pending } = active;
  const waiting = pending.map(({ record }) => record);
  return missedDeeds(waiting, {
    session: session.session_id,
    state,
    lastPrompt: (records) => lastPrompt(repository, saidIn(active, records)),
    isToolsQuestion: () => isToolsQuestion(repository, chain),
    hasSpoken: (records) => hasSpoken(repository, saidIn(active, records)),
    hear: (message, now) => hear(message, now, session.task_description),
    at: repository.clock(),
  });
}

/** A session with records that wait, as far as they tell what was said. */
export const saidIn = ({ chain, session }: ActiveSession, waiting: readonly StoredRecord[]): Said => ({
  chain,
  session,
  records: waiting.map((record) => ({ record })),
});
