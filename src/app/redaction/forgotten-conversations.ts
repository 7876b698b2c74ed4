/** Lists the conversations that were forgotten, and when, as far as the tombstones show. */
import { CtxError } from '../../core/errors.ts';
import { readChain } from '../../history/chain/chain.ts';
import { archiveRef, sessionRef } from '../../history/names/layout.ts';
import { readForgotten } from '../../history/store/forgotten.ts';
import { type Repository, sessionIds } from '../../history/store/repository.ts';
import { exists } from '../../platform/files.ts';

export interface ForgottenConversation {
  /** Name of the agent; null if the tombstone of its session is gone too. */
  agent: string | null;
  session_id: string;
  /** Unix seconds. */
  forgotten_at: number;
}

/**
 * Returns the conversations that are never ingested again, the one forgotten last at the end. `ctx fsck` reports what
 * cannot be read.
 */
export function forgottenConversations(repository: Repository): ForgottenConversation[] {
  // Most stores have forgotten nothing: then neither the list nor its reader is loaded.
  if (!exists(repository.layout.forgotten)) return [];
  return emptyIfUnreadable(() => {
    const times = new Map(readForgotten(repository).sources.map(({ session_id, at }) => [session_id, at]));
    const all = [...times].map(([session_id, forgotten_at]) => {
      return { agent: sessionOf(repository, session_id)?.agent ?? null, session_id, forgotten_at };
    });
    return all.sort((a, b) => a.forgotten_at - b.forgotten_at);
  });
}

/**
 * Returns the forgotten conversations since whose forgetting no session has begun: their users may wonder why nothing
 * is recorded.
 */
export function recentlyForgotten(repository: Repository): ForgottenConversation[] {
  const all = forgottenConversations(repository);
  if (all.length === 0) return [];
  return emptyIfUnreadable(() => {
    const ids = sessionIds(repository);
    // Session ids sort by time.
    const newest = ids.reduce((last, id) => (id > last ? id : last), '');
    const begun = sessionOf(repository, newest)?.started_at ?? 0;
    return all.filter(({ session_id, forgotten_at }) => session_id === newest || begun <= forgotten_at);
  });
}

function sessionOf({ refs, objects }: Repository, id: string): { agent: string | null; started_at: number } | null {
  const head = id === '' ? null : (refs.read(sessionRef(id)) ?? refs.read(archiveRef(id)));
  return head === null ? null : readChain(objects, head).session;
}

function emptyIfUnreadable<T>(look: () => T[]): T[] {
  try {
    return look();
  } catch (error) {
    if (error instanceof CtxError && (error.code === 'damaged' || error.code === 'io')) return [];
    throw error;
  }
}
