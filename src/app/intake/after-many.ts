/** Ends an ingest of several transcripts: archives what has been idle for long, and makes one session active if asked to. */
import { afterIdleness } from '../../core/commit-types/stale-auto-compact.ts';
import { waitsForTurn } from '../../core/session/session.ts';
import { SESSIONS, sessionRef } from '../../history/names/layout.ts';
import { waitingChoice } from '../../history/pending/choices.ts';
import type { Repository } from '../../history/store/repository.ts';
import { transact } from '../../history/transaction.ts';
import { idleness, openSession } from '../session/active.ts';
import { type CompactResult, endSession } from '../session/compact.ts';
import { activated } from '../session/pause.ts';

/**
 * Archives an open session that nobody has worked in for longer than the second threshold. The current session, and one
 * in which a question waits, stay open.
 * @param run the run that is undone together
 * @returns null if it stays as it is
 * @throws {CtxError} busy, damaged
 */
export function archiveIdle(repository: Repository, id: string, run: string): CompactResult | null {
  const ref = sessionRef(id);
  const now = repository.refs.read(ref);
  if (now === null || !isIdle(repository, ref, now)) return null;
  return transact(repository, { command: 'ingest', message: 'archive', logged: true, run }, (transaction) => {
    const head = transaction.read(ref);
    if (head === null || transaction.stage() === ref || !isIdle(repository, ref, head)) return null;
    const active = openSession(repository, ref, head);
    const { idle_secs } = idleness(repository, active);
    // A session that its user has ended only waited for the end of its turn.
    const type = waitsForTurn(active.session) ? undefined : afterIdleness(idle_secs);
    return endSession(repository, transaction, active.chain, { ref, head, type, automatic: true });
  });
}

function isIdle(repository: Repository, ref: string, head: string): boolean {
  const isAsked = waitingChoice(repository, ref.slice(SESSIONS.length)) !== null;
  return !isAsked && idleness(repository, openSession(repository, ref, head)).staleness === 'auto_compact';
}

/**
 * Makes an open session the current one, whichever was current before.
 * @returns false if it has ended
 * @throws {CtxError} busy, damaged
 */
export function activateIngested(repository: Repository, id: string, run: string): boolean {
  const ref = sessionRef(id);
  const change = { command: 'ingest', message: 'activate', logged: true, pauses: true, run };
  return transact(repository, change, (transaction) => {
    const head = transaction.read(ref);
    if (head === null) return false;
    transaction.move('STAGE', transaction.stage(), ref);
    activated(repository, transaction, openSession(repository, ref, head), 'ingest');
    return true;
  });
}
