/** Writes the pending records, and those of a command, into one step. */
import type { StepRecord } from '../../history/chain/chain.ts';
import { flushInto } from '../../history/flush.ts';
import type { Repository } from '../../history/store/repository.ts';
import { transact } from '../../history/transaction.ts';
import { requireCurrent } from './active.ts';
import { idlePause } from './pause.ts';

export interface FlushResult {
  session_id: string;
  /** Head of the session's chain. */
  oid: string;
  step: number;
  /** Number of records that the new step holds; 0 if there was nothing to flush. */
  flushed: number;
  /** Number of records that are still pending, for the answer to a question of ctx's or for the agent's next message or event. */
  held: number;
  /** True if there is a new step. */
  committed: boolean;
}

/**
 * Moves the pending records, in order, into one WorkCommit.
 * @param always make a step even if nothing is pending
 * @param own makes records that follow the pending ones; at Unix seconds
 * @throws {CtxError} no_active_session, busy, damaged
 */
export function flushPending(
  repository: Repository,
  always: boolean,
  own: (at: number) => readonly StepRecord[] = () => [],
): FlushResult {
  return transact(repository, { command: 'stage flush', message: 'flush' }, (transaction) => {
    const { ref, head, chain } = requireCurrent(repository, transaction);
    const at = repository.clock();
    const added = own(at);
    // Hooks and scripts flush at once: few flushes are late enough to look further.
    const isLate = added.length === 0 && at - chain.session.last_activity >= (repository.settings.auto_pause ?? at);
    const idle = isLate ? idlePause(repository, ref, head, at) : null;
    const flushed = flushInto(repository, chain, at, { own: idle ? [idle] : added, always, leavesMissed: true });
    transaction.move(ref, head, flushed.chain.head);
    transaction.afterwards(flushed.clean);
    return {
      session_id: chain.session.session_id,
      oid: flushed.chain.head,
      step: flushed.chain.session.step,
      flushed: flushed.count + added.length,
      held: flushed.held,
      committed: flushed.chain.head !== head,
    };
  });
}
