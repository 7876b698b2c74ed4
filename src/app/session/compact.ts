/** Compacts a session: its chain becomes one canonical commit, and is kept under `refs/archive/`. */

import {
  type CommitType,
  currentType,
  defaultCommitType,
  type StoredCommitType,
} from '../../core/commit-types/table.ts';
import { CtxError } from '../../core/errors.ts';
import { titleOf } from '../../core/listing/title.ts';
import { isActivity } from '../../core/records/table.ts';
import { compactionMessage } from '../../core/session/compaction.ts';
import { type Session, waitsForTurn } from '../../core/session/session.ts';
import type { SessionState } from '../../core/state.ts';
import { MAIN } from '../../git/layout.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { writeCanonical } from '../../history/chain/canonical.ts';
import { type Chain, readChain, readRecords, walkChain } from '../../history/chain/chain.ts';
import { flushInto } from '../../history/flush.ts';
import { archiveRef, sessionRef } from '../../history/names/layout.ts';
import { settleChoice, waitingChoice, writeChoice } from '../../history/pending/choices.ts';
import type { Repository } from '../../history/store/repository.ts';
import { type Change, type Transaction, transact } from '../../history/transaction.ts';
import { redactionFor } from '../redaction/redact.ts';
import { requireCurrent, requireMain, sessionIdOf } from './active.ts';

export interface CompactResult {
  session_id: string;
  task_description: string;
  title: string;
  session_state: SessionState;
  commit_type: CommitType;
  message: string;
  /** The canonical commit; null if the session held nothing but its task. */
  oid: string | null;
  /** Head of the session's chain, now under `refs/archive/`. */
  work: string;
  step_count: number;
}

export interface CompactOptions {
  /** The former name of a field is accepted, too. */
  type?: StoredCommitType | undefined;
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

/**
 * Returns the current session if its user has ended it and only its turn has not; null otherwise, and if that cannot be
 * read.
 */
export function endedCurrent(
  { objects }: Repository,
  { stage, read }: Pick<Transaction, 'stage' | 'read'>,
): { ref: string; head: string; chain: Chain } | null {
  try {
    const ref = stage();
    const head = ref === null ? null : read(ref);
    if (ref === null || head === null) return null;
    const chain = readChain(objects, head, ref);
    return waitsForTurn(chain.session) ? { ref, head, chain } : null;
  } catch (error) {
    if (error instanceof CtxError && error.code === 'damaged') return null;
    throw error;
  }
}

/**
 * Saves such a session in a change of its own, before another begins or is resumed.
 * @param onTrouble called if it cannot be read or moved: it stays open then, and blocks nobody
 */
export function saveEndedCurrent(repository: Repository, change: Change, onTrouble: (problem: CtxError) => void): void {
  try {
    transact(repository, change, (transaction) => {
      const over = endedCurrent(repository, transaction);
      if (over) endSession(repository, transaction, over.chain, { ref: over.ref, head: over.head, automatic: true });
    });
  } catch (error) {
    if (!(error instanceof CtxError) || (error.code !== 'damaged' && error.code !== 'busy')) throw error;
    onTrouble(error);
  }
}

/** Options to end a session within a transaction. */
interface Ending extends CompactOptions {
  ref: string;
  /** The present value of the ref: the chain may have grown by steps that no pointer names yet. */
  head: string;
  /**
   * True if the session is not ended by its user: then it leaves no canonical commit if it holds nothing but its task.
   */
  automatic?: boolean | undefined;
  /** True if it leaves no canonical commit whatever it holds. */
  leavesNoCommit?: boolean | undefined;
  /** True if the question of ctx's that waits in it is abandoned, together with the records after it. */
  abandonsQuestion?: boolean | undefined;
  /** Removes from pending what a step of the same command has taken. */
  clean?: (() => void) | undefined;
}

/**
 * Returns whether a session holds more than its task and questions of ctx's own: if not, it leaves no canonical commit
 * unless its user ends it.
 */
export function hasMeaningfulWork(objects: ObjectStore, { session, head }: Chain): boolean {
  if (session.counts.records <= 1) return false;
  let work = 0;
  for (const [oid, { tree }] of walkChain(objects, head)) {
    work += readRecords(objects, tree, `step ${oid}`, false).filter(isActivity).length;
    if (work > 1) return true;
  }
  return false;
}

/**
 * Plans the end of a session: main, archive, STAGE and its own ref. Nothing moves before the transaction publishes it.
 */
export function endSession(
  repository: Repository,
  transaction: Transaction,
  chain: Chain,
  ending: Ending,
): CompactResult {
  const at = repository.clock();
  // Records after a question of ctx's wait with it: its answer may assign them to another session.
  const { abandonsQuestion: held = false } = ending;
  const flushed = ending.clean ? { chain, clean: ending.clean } : flushInto(repository, chain, at, { held });
  const { session, head: work } = flushed.chain;
  const redaction = redactionFor(repository);
  const given = ending.type ?? defaultCommitType(session.session_state.kind);
  const type = redaction.value(currentType(given));
  const message = redaction.text(messageOf(repository, session, type, ending.message));
  const main = requireMain(repository.objects, transaction.read);
  const skip =
    ending.leavesNoCommit === true ||
    (ending.automatic === true && !hasMeaningfulWork(repository.objects, flushed.chain));
  const oid = skip
    ? null
    : writeCanonical(repository.objects, { parent: main, chain: flushed.chain, type, message, at });
  if (oid !== null) transaction.move(MAIN, main, oid);
  transaction.move(archiveRef(sessionIdOf(ending.ref)), null, work);
  if (transaction.stage() === ending.ref) transaction.move('STAGE', ending.ref, null);
  transaction.move(ending.ref, ending.head, null);
  transaction.afterwards(flushed.clean);
  transaction.afterwards(() => repository.saved.add(session.session_id));
  if (held) abandonQuestion(repository, transaction, session.session_id, work);
  return {
    session_id: session.session_id,
    task_description: session.task_description,
    title: titleOf(session),
    session_state: session.session_state,
    commit_type: type,
    message,
    oid,
    work,
    step_count: session.step,
  };
}

/** Ends the question of a session with the session, if one waits. @param head the last step of the session */
function abandonQuestion(repository: Repository, transaction: Transaction, id: string, head: string): void {
  const choice = waitingChoice(repository, id);
  if (!choice) return;
  writeChoice(repository, { ...choice, answered: { ref: sessionRef(id), head } });
  transaction.afterwards(() => settleChoice(repository, id));
}

function messageOf(repository: Repository, session: Session, type: CommitType, given: string | undefined): string {
  return given !== undefined && given.trim() !== ''
    ? given
    : compactionMessage(session, type, repository.settings.auto_compact_message_template);
}
