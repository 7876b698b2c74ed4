/** What a session's agent has told while the session could not move: kept as a record that waits, and made up for later. */
import { missedDeeds } from '../core/missed.ts';
import type { AnyBody } from '../core/record.ts';
import type { SessionState } from '../core/state.ts';
import type { Deed } from '../core/user-message.ts';
import type { Repository } from '../store/repository.ts';
import type { ActiveSession } from './active.ts';
import { isToolsQuestion, lastPrompt } from './increment.ts';
import { addRecord } from './observe.ts';
import { redactionFor } from './redact.ts';

/** Keeps a note in a session, without LOCK. */
export function keepNote(repository: Repository, session: string, body: AnyBody): void {
  addRecord(repository, session, () => ({ body, redaction: redactionFor(repository) }));
}

/** What makes up for all that was missed, from the state that a session stands in. */
export function madeUpFor(repository: Repository, active: ActiveSession, state: SessionState): Deed[] {
  const { chain, session, pending } = active;
  const records = pending.map(({ record }) => record);
  const said = { chain, session, records: records.map((record) => ({ record })) };
  const circumstances = {
    lastPrompt: () => lastPrompt(repository, said),
    isToolsQuestion: () => isToolsQuestion(repository, chain),
  };
  return missedDeeds(records, state, circumstances, repository.clock());
}
