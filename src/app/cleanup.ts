/** `ctx stage cleanup`: open sessions that have been idle for too long are compacted, each into its canonical commit. */

import { waitsForTurn } from '../core/session.ts';
import { durationInWords } from '../core/text.ts';
import { SESSIONS } from '../store/layout.ts';
import type { Repository } from '../store/repository.ts';
import { type Transaction, transact } from '../store/transaction.ts';
import { idleness, openSession } from './active.ts';
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
  sessions: { session_id: string; task_description: string; idle_secs: number; oid: string | null }[];
  dry_run: boolean;
}

/** Looks at every open session. @throws {CtxError} busy, damaged; then nothing has changed */
export function cleanupStaleSessions(repository: Repository, options: CleanupOptions = {}): CleanupResult {
  const limit = options.maxIdle ?? repository.settings.auto_compact_threshold;
  const sessions = options.dryRun ? look(repository, limit, null) : compactAll(repository, limit);
  return {
    sessions_compacted: sessions.length,
    compacted_tasks: sessions.map((session) => session.task_description),
    sessions,
    dry_run: options.dryRun === true,
  };
}

function compactAll(repository: Repository, limit: number): CleanupResult['sessions'] {
  const change = { command: 'stage cleanup', message: 'cleanup' };
  return transact(repository, change, (transaction) => look(repository, limit, transaction));
}

/** Finds what has been idle for too long; with a transaction it is ended, without one nothing changes. */
function look(repository: Repository, limit: number, transaction: Transaction | null): CleanupResult['sessions'] {
  const found: CleanupResult['sessions'] = [];
  for (const [ref, head] of repository.refs.list(SESSIONS)) {
    const active = openSession(repository, ref, head);
    const { idle_secs } = idleness(repository, active);
    const { session_id, task_description } = active.session;
    // One that its user has ended is no stale one: only the turn in which it would have been saved never came to its end.
    const isOver = waitsForTurn(active.session);
    if (idle_secs <= (isOver ? Math.min(limit, repository.settings.ask_threshold) : limit)) continue;
    const stale = {
      type: { kind: 'StaleAutoCompact', idle_duration_secs: idle_secs } as const,
      message: `Auto-saved stale session (idle ${durationInWords(idle_secs)}): ${task_description}`,
    };
    const end = { ref, head, ...(isOver ? {} : stale), automatic: true };
    const ended = transaction && endSession(repository, transaction, active.chain, end);
    found.push({ session_id, task_description, idle_secs, oid: ended?.oid ?? null });
  }
  return found;
}
