/** Records events that a session could not follow, and catches up with them later. */
import type { Counts } from '../../../core/counts.ts';
import type { AnyBody, StoredRecord } from '../../../core/records/record.ts';
import { cutOffDeeds } from '../../../core/session/hook-plan.ts';
import { missedDeeds } from '../../../core/session/missed.ts';
import { type Deed, stateAfter } from '../../../core/session/user-message.ts';
import type { SessionState } from '../../../core/state.ts';
import type { Repository } from '../../../history/store/repository.ts';
import { redactionFor } from '../../redaction/redact.ts';
import type { ActiveSession } from '../../session/active.ts';
import { addRecord } from '../../session/observe.ts';
import { hasSpoken, type Increment, isToolsQuestion, lastPrompt, type Said } from '../increment.ts';

/** Adds a note to a session, without LOCK. @param found what was redacted in it before */
export function keepNote(repository: Repository, session: string, body: AnyBody, found?: Counts): void {
  addRecord(repository, session, () => ({ body, redaction: redactionFor(repository, undefined, found) }));
}

/** Returns the deeds of a late prompt, for a session with a task. */
export type LatePrompt = typeof import('../../../language/index.ts').latePrompt;

/** Returns the deeds that catch up with all missed events, from a state. */
export function catchUpDeeds(
  repository: Repository,
  active: ActiveSession,
  state: SessionState,
  readLate: LatePrompt,
): Deed[] {
  const { chain, session, pending } = active;
  const waiting = pending.map(({ record }) => record);
  return missedDeeds(waiting, {
    session: session.session_id,
    state,
    lastPrompt: (records) => lastPrompt(repository, withPending(active, records)),
    isToolsQuestion: () => isToolsQuestion(repository, chain),
    hasSpoken: (records) => hasSpoken(repository, withPending(active, records)),
    hear: (message, now) => readLate(message, now, session.task_description),
    at: repository.clock(),
  });
}

/** Adds pending records to a session, for what the user said. */
export const withPending = ({ chain, session }: ActiveSession, waiting: readonly StoredRecord[]): Said => ({
  chain,
  session,
  records: waiting.map((record) => ({ record })),
});

/** Returns the deeds, and the state that they lead to; null if they end the session. */
export function deedsBefore(
  repository: Repository,
  active: ActiveSession,
  increment: Increment | null,
  readLate: LatePrompt,
): { first: Deed[]; state: SessionState | null } {
  const { session_state } = active.session;
  const cutOff = increment?.interrupted ?? null;
  const said = increment ?? withPending(active, []);
  const at = repository.clock();
  const late = catchUpDeeds(repository, active, session_state, readLate);
  const stood = stateAfter(session_state, late, at);
  if (stood === null) return { first: late, state: null };
  // An agent may not report an interruption: its transcript has it.
  const cut =
    cutOff === null
      ? []
      : cutOffDeeds(
          stood,
          () => cutOff,
          () => late.length === 0 && hasSpoken(repository, said),
        );
  const first = [...late, ...cut];
  return { first, state: stateAfter(session_state, first, at) };
}
