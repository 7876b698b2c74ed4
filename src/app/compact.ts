/** Compaction: a session's chain becomes one canonical commit; the chain stays, under `refs/archive/`. */

import { type CommitType, defaultCommitType } from '../core/commit-type.ts';
import { compactionMessage } from '../core/compaction.ts';
import { hasMeaningfulWork, type Session } from '../core/session.ts';
import type { SessionState } from '../core/state.ts';
import { writeCanonical } from '../store/canonical.ts';
import type { Chain } from '../store/chain.ts';
import { flushInto } from '../store/flush.ts';
import { archiveRef, MAIN } from '../store/layout.ts';
import type { Repository } from '../store/repository.ts';
import { type Transaction, transact } from '../store/transaction.ts';
import { requireCurrent, requireMain, sessionIdOf } from './active.ts';

export interface CompactResult {
  session_id: string;
  task_description: string;
  session_state: SessionState;
  commit_type: CommitType;
  message: string;
  /** The canonical commit; null where the session held nothing but its task. */
  oid: string | null;
  /** Head of the session's chain, now under `refs/archive/`. */
  work: string;
  step_count: number;
}

export interface CompactOptions {
  type?: CommitType | undefined;
  message?: string | undefined;
}

/**
 * Compacts the active session. The state it ended in is recorded, never rewritten.
 * @throws {CtxError} no_active_session, busy, damaged
 */
export function compactSession(repository: Repository, options: CompactOptions = {}): CompactResult {
  return transact(repository, { command: 'stage compact', message: 'compact' }, (transaction) => {
    const { ref, head, chain } = requireCurrent(repository, transaction);
    return endSession(repository, transaction, chain, { ref, head, ...options });
  });
}

/** How a session is ended within a transaction. */
export interface Ending extends CompactOptions {
  ref: string;
  /** What the ref names now: the chain may have grown since by steps that no pointer names yet. */
  head: string;
  /** Whether something else ends it: then one that holds nothing but its task leaves no canonical commit. */
  automatic?: boolean | undefined;
  /** Removes what a step of the same command has taken from pending. */
  clean?: (() => void) | undefined;
}

/** Plans the end of a session: main, archive, STAGE and its own ref. Nothing moves before the transaction publishes it. */
export function endSession(
  repository: Repository,
  transaction: Transaction,
  chain: Chain,
  ending: Ending,
): CompactResult {
  const at = repository.clock();
  const flushed = ending.clean ? { chain, clean: ending.clean } : flushInto(repository, chain, at);
  const { session, head: work } = flushed.chain;
  const type = ending.type ?? defaultCommitType(session.session_state.kind);
  const message = messageOf(repository, session, type, ending.message);
  const main = requireMain(repository.objects, transaction.read);
  const skip = ending.automatic === true && !hasMeaningfulWork(session, 0);
  const oid = skip
    ? null
    : writeCanonical(repository.objects, { parent: main, chain: flushed.chain, type, message, at });
  if (oid !== null) transaction.move(MAIN, main, oid);
  transaction.move(archiveRef(sessionIdOf(ending.ref)), null, work);
  if (transaction.stage() === ending.ref) transaction.move('STAGE', ending.ref, null);
  transaction.move(ending.ref, ending.head, null);
  transaction.afterwards(flushed.clean);
  return {
    session_id: session.session_id,
    task_description: session.task_description,
    session_state: session.session_state,
    commit_type: type,
    message,
    oid,
    work,
    step_count: session.step,
  };
}

function messageOf(repository: Repository, session: Session, type: CommitType, given: string | undefined): string {
  return given !== undefined && given.trim() !== '' ? given : compactionMessage(session, type, repository.settings);
}
