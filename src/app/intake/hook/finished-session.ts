/** Finds the last session of an agent, if that agent had finished it and its user has said nothing more. */

import { CtxError } from '../../../core/errors.ts';
import { hasEnded } from '../../../core/state.ts';
import { SESSIONS } from '../../../git/layout.ts';
import { readChain } from '../../../history/chain/chain.ts';
import { sessionsWithChoice } from '../../../history/pending/choices.ts';
import type { Transaction } from '../../../history/transaction.ts';
import type { Hook } from '../conversation.ts';
import type { FinishedSession } from '../message/deeds.ts';

/** At most so many open sessions are looked at, the youngest first: a prompt waits. */
const MOST = 50;

/**
 * Returns the session that an agent has worked on last in another conversation; null if that is not finished, or waits for the
 * answer to a question of ctx's.
 */
export function finishedBefore({ repository, conversation }: Hook, transaction: Transaction): FinishedSession | null {
  const youngest = repository.refs.names(SESSIONS).sort().slice(-MOST);
  let last: FinishedSession | null = null;
  for (const ref of youngest) {
    const head = transaction.read(ref);
    if (head === null) continue;
    try {
      const chain = readChain(repository.objects, head, ref);
      const { agent, last_activity } = chain.session;
      if (agent !== conversation.agent || hasEnded(chain.session.session_state.kind)) continue;
      if (!last || last_activity >= last.chain.session.last_activity) last = { ref, head, chain };
    } catch (error) {
      // A damaged session stays open, and blocks nobody: other commands report it.
      if (!(error instanceof CtxError)) throw error;
    }
  }
  if (last?.chain.session.session_state.kind !== 'PendingComplete') return null;
  return sessionsWithChoice(repository).includes(last.chain.session.session_id) ? null : last;
}
