/** `ctx stage cleanup`: compacts the open sessions that have been idle for too long, each into its canonical commit. */

import { afterIdleness } from '../../core/commit-types/stale-auto-compact.ts';
import { CtxError } from '../../core/errors.ts';
import { titleOf } from '../../core/listing/title.ts';
import { isEphemeral, waitsForTurn } from '../../core/session/session.ts';
import { durationInWords } from '../../core/text.ts';
import { SESSIONS } from '../../history/names/layout.ts';
import { hasBegun } from '../../history/pointers/oplog.ts';
import { checkPlace } from '../../history/pointers/places.ts';
import type { Repository } from '../../history/store/repository.ts';
import { type Transaction, transact } from '../../history/transaction.ts';
import { type ActiveSession, idleness, openSession, sessionIdOf } from './active.ts';
import { endSession } from './compact.ts';

export interface CleanupOptions {
  /** Idle seconds beyond which a session is compacted; by default the second threshold. */
  maxIdle?: number | undefined;
  /** Only report what would be compacted. */
  dryRun?: boolean | undefined;
}

export interface CleanupResult {
  sessions_compacted: number;
  compacted_tasks: string[];
  sessions: CleanedSession[];
  /** Damaged sessions that were left as they are while others were saved. Absent if there are none. */
  left?: LeftSession[];
  dry_run: boolean;
}

interface CleanedSession {
  session_id: string;
  task_description: string;
  title: string;
  idle_secs: number;
  oid: string | null;
  /** True if it is an ephemeral branch, which leaves no commit whatever it holds. */
  ephemeral: boolean;
}

interface LeftSession {
  session_id: string;
  /** Description of the damage. */
  message: string;
  /** The next command. */
  hint: string;
}

/**
 * Compacts every stale session; a damaged one does not stop the others.
 * @throws {CtxError} busy; damaged, if none could be saved; then nothing has changed
 */
export function cleanupStaleSessions(repository: Repository, options: CleanupOptions = {}): CleanupResult {
  const limit = options.maxIdle ?? repository.settings.auto_compact_threshold;
  const { sessions, left } = options.dryRun ? findStale(repository, limit, null) : compactAll(repository, limit);
  return {
    sessions_compacted: sessions.length,
    compacted_tasks: sessions.map((session) => session.task_description),
    sessions,
    ...(left.length === 0 ? {} : { left }),
    dry_run: options.dryRun === true,
  };
}

/** Returns a function that counts the sessions that have been saved since; those that the next command finishes saving count. */
export function savedSince(repository: Repository): () => number {
  const { refs } = repository;
  const before = refs.names(SESSIONS);
  return () => {
    const now = new Set(hasBegun(repository) ? [] : refs.names(SESSIONS));
    return before.filter((ref) => !now.has(ref)).length;
  };
}

interface StaleSessions {
  sessions: CleanedSession[];
  left: LeftSession[];
}

function compactAll(repository: Repository, limit: number): StaleSessions {
  const change = { command: 'stage cleanup', message: 'cleanup', pauses: true };
  return transact(repository, change, (transaction) => findStale(repository, limit, transaction));
}

/** The command that repairs a damaged session depends on what else of it is damaged. */
const CHECK = 'ctx fsck';

/** Finds the sessions that have been idle for too long; ends them if there is a transaction, else changes nothing. */
function findStale(repository: Repository, limit: number, transaction: Transaction | null): StaleSessions {
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
      // It has planned nothing yet: planning is the last thing an ending does.
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

/** Ends a session that has been idle for too long; null if it has not. */
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
  const title = titleOf(active.session);
  // A session that its user has ended is not stale: only the turn after which it would have been saved never ended.
  const isOver = waitsForTurn(active.session);
  if (isEphemeral(active.session)) return sweep(repository, transaction, active, idle_secs);
  if (idle_secs <= (isOver ? Math.min(limit, repository.settings.ask_threshold) : limit)) return null;
  checkPlace(repository, ref);
  const stale = {
    type: afterIdleness(idle_secs),
    message: `Auto-saved stale session (idle ${durationInWords(idle_secs)}): ${task_description}`,
  };
  const end = { ref, head, ...(isOver ? {} : stale), automatic: true };
  const ended = transaction && endSession(repository, transaction, active.chain, end);
  return { session_id, task_description, title, idle_secs, oid: ended?.oid ?? null, ephemeral: false };
}

/** Idle seconds after which an ephemeral branch is swept. */
const DAY = 86_400;

/** Archives an ephemeral branch that has been idle for a day: it leaves no canonical commit. */
function sweep(
  repository: Repository,
  transaction: Transaction | null,
  { ref, chain, session }: ActiveSession,
  idle_secs: number,
): CleanedSession | null {
  if (idle_secs <= DAY) return null;
  checkPlace(repository, ref);
  if (transaction) endSession(repository, transaction, chain, { ref, head: chain.head, leavesNoCommit: true });
  const { session_id, task_description } = session;
  return { session_id, task_description, title: titleOf(session), idle_secs, oid: null, ephemeral: true };
}
