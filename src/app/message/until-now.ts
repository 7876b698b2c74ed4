/** What has happened to a session before a message, and is to be made up for. */
import { cutOffDeeds } from '../../core/session/hook-plan.ts';
import { type Deed, stateAfter } from '../../core/session/user-message.ts';
import type { SessionState } from '../../core/state.ts';
import type { Repository } from '../../history/store/repository.ts';
import { latePrompt } from '../../language/index.ts';
import { hasSpoken, type Increment } from '../ingest/increment.ts';
import type { ActiveSession } from '../session/active.ts';
import { madeUpFor, saidIn } from './missed.ts';

/** The deeds that make up for it, and the state that they lead to; null where they end the session. */
export function untilNow(
  repository: Repository,
  active: ActiveSession,
  increment: Increment | null,
): { first: Deed[]; state: SessionState | null } {
  const { session_state } = active.session;
  const cutOff = increment?.interrupted ?? null;
  const said = increment ?? saidIn(active, []);
  const at = repository.clock();
  const late = madeUpFor(repository, active, session_state, latePrompt);
  const stood = stateAfter(session_state, late, at);
  if (stood === null) return { first: late, state: null };
  // An agent may not tell of an interruption: its transcript does.
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
