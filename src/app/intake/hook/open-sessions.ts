/** Finds the open session that a new conversation comes after: the one that its agent had finished, or one to offer. */

import { CtxError } from '../../../core/errors.ts';
import { openStatus } from '../../../core/listing/status.ts';
import { type Session, waitsForTurn } from '../../../core/session/session.ts';
import { hasEnded } from '../../../core/state.ts';
import { type Chain, readChain } from '../../../history/chain/chain.ts';
import { SESSIONS } from '../../../history/names/layout.ts';
import { sessionsWithChoice } from '../../../history/pending/choices.ts';
import type { Repository } from '../../../history/store/repository.ts';
import type { Transaction } from '../../../history/transaction.ts';
import type { Hook } from '../conversation.ts';
import type { FinishedSession } from '../message/deeds.ts';

/** At most so many open sessions are looked at, the youngest first: the agent waits. */
const MOST = 50;

/** Returns the open session with the newest work among those that match. @param read returns the head of a pointer */
function newestOpen(
  { refs, objects }: Repository,
  read: (ref: string) => string | null,
  matches: (session: Session) => boolean,
): FinishedSession | null {
  let newest: FinishedSession | null = null;
  for (const ref of refs.names(SESSIONS).sort().slice(-MOST)) {
    try {
      const head = read(ref);
      const chain: Chain | null = head === null ? null : readChain(objects, head, ref);
      if (head === null || !chain || !matches(chain.session)) continue;
      if (!newest || chain.session.last_activity >= newest.chain.session.last_activity) newest = { ref, head, chain };
    } catch (error) {
      // A damaged session stays open, and blocks nobody: other commands report it.
      if (!(error instanceof CtxError)) throw error;
    }
  }
  return newest;
}

/**
 * Returns the session that an agent has worked on last in another conversation; null if that is not finished, or waits for the
 * answer to a question of ctx's.
 */
export function finishedBefore({ repository, conversation }: Hook, transaction: Transaction): FinishedSession | null {
  const last = newestOpen(
    repository,
    (ref) => transaction.read(ref),
    ({ agent, session_state }) => agent === conversation.agent && !hasEnded(session_state.kind),
  );
  if (last?.chain.session.session_state.kind !== 'PendingComplete') return null;
  return sessionsWithChoice(repository).includes(last.chain.session.session_id) ? null : last;
}

/** Returns the paused session with the newest work, unless its user has ended it; null if there is none. */
export function lastPaused(repository: Repository): Session | null {
  const [now, { auto_pause }] = [repository.clock(), repository.settings];
  const isPaused = (session: Session): boolean =>
    !waitsForTurn(session) && openStatus(session, now, auto_pause) === 'paused';
  return newestOpen(repository, (ref) => repository.refs.read(ref), isPaused)?.chain.session ?? null;
}
