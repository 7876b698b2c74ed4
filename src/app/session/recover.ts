/** `ctx stage recover`: reports what a returning user or agent needs to know, and finishes what was interrupted. */

import { digestRecord } from '../../core/session/compaction.ts';
import { progressSummary, recoveryMessage } from '../../core/session/progress.ts';
import { waitsForTurn } from '../../core/session/session.ts';
import { durationInWords } from '../../core/text.ts';
import { digestChain } from '../../history/chain/canonical.ts';
import { waitingChoice } from '../../history/pending/choices.ts';
import { currentRef } from '../../history/pointers/current.ts';
import { openRefs } from '../../history/pointers/places.ts';
import type { Repository } from '../../history/store/repository.ts';
import { hasLeftovers, type Transaction, transact } from '../../history/transaction.ts';
import { type ActiveSession, checkNoneActive, danglingStage, idleness, openSession } from './active.ts';
import { type CompactResult, endSession } from './compact.ts';
import { type ActiveStatus, describe } from './status.ts';

export interface RecoverResult {
  active: boolean;
  /** The message for the user or agent that returns, in the design's words; null if no session is active. */
  message: string | null;
  /** The status of the session; null if none is active. */
  status: ActiveStatus | null;
  /** Progress so far, a line each; null if none is active. */
  progress: string | null;
  /** The session that was compacted because its user had ended it. */
  compacted: CompactResult | null;
  /** Repairs and findings, a sentence each. */
  found: string[];
  /** Other sessions that are open. */
  open_sessions: number;
}

/** Summarises what was done so far in an open session, a line each, including pending records. */
export function generateProgressSummary(repository: Repository, active: ActiveSession): string {
  const digest = digestChain(repository.objects, active.chain.head);
  for (const { record } of active.pending) digestRecord(digest, record);
  return progressSummary(digest);
}

/**
 * Finishes what was interrupted, and reports the rest. A session that was idle for long is shown in whole: reading ends none.
 */
export function recoverSession(repository: Repository): RecoverResult {
  const change = { command: 'stage recover', message: 'recover' };
  if (needsWork(repository)) return transact(repository, change, (transaction) => recover(repository, transaction));
  return recover(repository, null);
}

/**
 * Returns whether there is anything to finish or to save: reading alone takes no lock, and works on a read-only store.
 */
function needsWork(repository: Repository): boolean {
  if (hasLeftovers(repository)) return true;
  const ref = currentRef(repository);
  const head = ref === null ? null : repository.refs.read(ref);
  if (ref === null || head === null) return ref !== null;
  const active = openSession(repository, ref, head);
  return waitsForTurn(active.session);
}

function recover(repository: Repository, transaction: Transaction | null): RecoverResult {
  const found = [...(transaction?.finished ?? [])];
  const nothing: RecoverResult = {
    active: false,
    message: null,
    status: null,
    progress: null,
    compacted: null,
    found,
    open_sessions: openRefs(repository).length,
  };
  const ref = currentRef(repository);
  if (ref === null) {
    checkNoneActive(repository);
    return nothing;
  }
  const head = repository.refs.read(ref);
  if (head === null) throw danglingStage(repository, ref);
  const active = openSession(repository, ref, head);
  const open_sessions = nothing.open_sessions - 1;
  if (transaction && waitsForTurn(active.session)) {
    const compacted = endSession(repository, transaction, active.chain, { ref, head, automatic: true });
    found.push('Saved the session, which had ended already.');
    return { ...nothing, compacted, open_sessions };
  }
  return { ...nothing, active: true, ...activeResult(repository, active), open_sessions };
}

/**
 * Returns what an agent reads about an open session: the design's words, unless the next message will save it by
 * itself.
 */
export function recoveryText(repository: Repository, active: ActiveSession): string {
  const progress = generateProgressSummary(repository, active);
  const { idle_secs, staleness } = idleness(repository, active);
  const whole = recoveryMessage(active.session, progress);
  if (staleness !== 'auto_compact') return whole;
  const idle = durationInWords(idle_secs);
  // Another conversation may begin, which saves nothing.
  const isAsked = waitingChoice(repository, active.session.session_id) !== null;
  const next = isAsked
    ? 'the answer to the question that ctx has asked of it decides what becomes of it; any other message in its own conversation saves it, or: ctx stage cleanup.'
    : 'the next message in its own conversation saves it, and so do ctx start and ctx stage cleanup; recording into it keeps it open.';
  const saved = `It has been idle for ${idle}: ${next}`;
  const { session_state: state, task_description: task } = active.session;
  // The words of a question do not say what was being done.
  const before = state.kind === 'Running' ? '' : `${task}\n\n${progress}\n\n`;
  return `${before}${whole}\n\n${saved}`;
}

function activeResult(
  repository: Repository,
  active: ActiveSession,
): Pick<RecoverResult, 'message' | 'status' | 'progress'> {
  const progress = generateProgressSummary(repository, active);
  return { message: recoveryText(repository, active), status: describe(repository, active), progress };
}
