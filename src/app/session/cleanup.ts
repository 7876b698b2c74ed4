/** `ctx stage cleanup`: open sessions that have been idle for too long are compacted, each into its canonical commit. */

import { afterIdleness } from '../../core/commit-types/stale-auto-compact.ts';
import { CtxError } from '../../core/errors.ts';
import { waitsForTurn } from '../../core/session/session.ts';
import { durationInWords } from '../../core/text.ts';
import { SESSIONS } from '../../git/layout.ts';
import { checkPlace } from '../../history/pointers/places.ts';
import type { Repository } from '../../history/store/repository.ts';
import { type Transaction, transact } from '../../history/transaction.ts';
import { idleness, openSession, sessionIdOf } from './active.ts';
import { endSession } from './compact.ts';

export interface CleanupOptions {
  /** Idle seconds beyond which a session is compacted; the second threshold where absent. */
  maxIdle?: number | undefined;
  /** Only tell what would be compacted. */
  dryRun?: boolean | undefined;
}

export interface CleanupResult {
  sessions_compacted: number;
  compacted_tasks: string[];
  sessions: CleanedSession[];
  /** Sessions that are damaged and were left as they are, where others were saved all the same. Absent where there are none. */
  left?: LeftSession[];
  dry_run: boolean;
}

export interface CleanedSession {
  session_id: string;
  task_description: string;
  idle_secs: number;
  oid: string | null;
}

export interface LeftSession {
  session_id: string;
  /** What is damaged. */
  message: string;
  /** What to type. */
  hint: string;
}

/**
 * Looks at every open session; one that is damaged keeps no other from being saved.
 * @throws {CtxError} busy; damaged, where none could be saved; then nothing has changed
 */
export function cleanupStaleSessions(repository: Repository, options: CleanupOptions = {}): CleanupResult {
  const limit = options.maxIdle ?? repository.settings.auto_compact_threshold;
  const { sessions, left } = options.dryRun ? look(repository, limit, null) : compactAll(repository, limit);
  return {
    sessions_compacted: sessions.length,
    compacted_tasks: sessions.map((session) => session.task_description),
    sessions,
    ...(left.length === 0 ? {} : { left }),
    dry_run: options.dryRun === true,
  };
}

interface Looked {
  sessions: CleanedSession[];
  left: LeftSession[];
}

function compactAll(repository: Repository, limit: number): Looked {
  const change = { command: 'stage cleanup', message: 'cleanup' };
  return transact(repository, change, (transaction) => look(repository, limit, transaction));
}

/** What mends one that is damaged depends on what else is left of it. */
const CHECK = 'ctx fsck';

/** Finds what has been idle for too long; with a transaction it is ended, without one nothing changes. */
function look(repository: Repository, limit: number, transaction: Transaction | null): Looked {
  const sessions: CleanedSession[] = [];
  const left: LeftSession[] = [];
  let first: CtxError | undefined;
  for (const ref of repository.refs.names(SESSIONS)) {
    try {
      const head = repository.refs.read(ref);
      if (head === null) continue;
      const cleaned = clean(repository, limit, transaction, ref, head);
      if (cleaned) sessions.push(cleaned);
    } catch (error) {
      // It has planned nothing yet: that is the last thing an ending does.
      if (!(error instanceof CtxError) || error.code !== 'damaged') throw error;
      first ??= error;
      left.push({
        session_id: sessionIdOf(ref),
        message: error.message,
        hint: error.hint?.includes(CHECK) ? error.hint : `See how to repair it: ${CHECK}`,
      });
    }
  }
  if (first && sessions.length === 0) throw first;
  return { sessions, left };
}

/** Ends a session that has been idle for too long; null where it has not. */
function clean(
  repository: Repository,
  limit: number,
  transaction: Transaction | null,
  ref: string,
  head: string,
): CleanedSession | null {
  const active = openSession(repository, ref, head);
  const { idle_secs } = idleness(repository, active);
  const { session_id, task_description } = active.session;
  // One that its user has ended is no stale one: only the turn in which it would have been saved never came to its end.
  const isOver = waitsForTurn(active.session);
  if (idle_secs <= (isOver ? Math.min(limit, repository.settings.ask_threshold) : limit)) return null;
  checkPlace(repository, ref);
  const stale = {
    type: afterIdleness(idle_secs),
    message: `Auto-saved stale session (idle ${durationInWords(idle_secs)}): ${task_description}`,
  };
  const end = { ref, head, ...(isOver ? {} : stale), automatic: true };
  const ended = transaction && endSession(repository, transaction, active.chain, end);
  return { session_id, task_description, idle_secs, oid: ended?.oid ?? null };
}
