/** Plans the deeds that catch up with a session before a message. */
import { cutOffDeeds } from '../../core/session/hook-plan.ts';
import { type Deed, stateAfter } from '../../core/session/user-message.ts';
import type { SessionState } from '../../core/state.ts';
import type { Repository } from '../../history/store/repository.ts';
import { latePrompt } from '../../language/index.ts';
import { hasSpoken, type Increment } from '../ingest/increment.ts';
import type { ActiveSession } from '../session/active.ts';
import { catchUpDeeds, withPending } from './missed.ts';

/** Returns the deeds, and the state that they lead to; null if they end the session. */
export function deedsBefore(
  repository: Repository,
  active: ActiveSession,
  increment: Increment | null,
): { first: Deed[]; state: SessionState | null } {
  const { session_state } = active.session;
  const cutOff = increment?.interrupted ?? null;
  const said = increment ?? withPending(active, []);
  const at = repository.clock();
  const late = catchUpDeeds(repository, active, session_state, latePrompt);
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
