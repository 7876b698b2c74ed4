/** Whose conversations were forgotten, and when: all that the tombstones still tell of them. */
import { CtxError } from '../../core/errors.ts';
import { ARCHIVE, archiveRef, SESSIONS, sessionRef } from '../../git/layout.ts';
import { readChain } from '../../history/chain/chain.ts';
import { readForgotten } from '../../history/store/forgotten.ts';
import type { Repository } from '../../history/store/repository.ts';
import { exists } from '../../platform/files.ts';

export interface ForgottenConversation {
  /** Name of the agent; null where the tombstone of its session is gone, too. */
  agent: string | null;
  session_id: string;
  /** Unix seconds. */
  forgotten_at: number;
}

/** The conversations that nothing is taken in of, the one that was forgotten last at the end. What cannot be read is told by the check. */
export function forgottenConversations(repository: Repository): ForgottenConversation[] {
  // Most stores have forgotten nothing: then the list need not be read, nor what reads it.
  if (!exists(repository.layout.forgotten)) return [];
  return orNothing(() => {
    const times = new Map(readForgotten(repository).sources.map(({ session_id, at }) => [session_id, at]));
    const all = [...times].map(([session_id, forgotten_at]) => {
      return { agent: sessionOf(repository, session_id)?.agent ?? null, session_id, forgotten_at };
    });
    return all.sort((a, b) => a.forgotten_at - b.forgotten_at);
  });
}

/** Those of them since whose forgetting no session has begun: what goes on in them has begun none, and a user wonders why. */
export function forgottenOfLate(repository: Repository): ForgottenConversation[] {
  const all = forgottenConversations(repository);
  if (all.length === 0) return [];
  return orNothing(() => {
    const ids = [SESSIONS, ARCHIVE].flatMap((prefix) =>
      repository.refs.names(prefix).map((ref) => ref.slice(prefix.length)),
    );
    // Ids are in the order of time.
    const newest = ids.reduce((last, id) => (id > last ? id : last), '');
    const begun = sessionOf(repository, newest)?.started_at ?? 0;
    return all.filter(({ session_id, forgotten_at }) => session_id === newest || begun <= forgotten_at);
  });
}

function sessionOf({ refs, objects }: Repository, id: string): { agent: string | null; started_at: number } | null {
  const head = id === '' ? null : (refs.read(sessionRef(id)) ?? refs.read(archiveRef(id)));
  return head === null ? null : readChain(objects, head).session;
}

function orNothing<T>(look: () => T[]): T[] {
  try {
    return look();
  } catch (error) {
    if (error instanceof CtxError && (error.code === 'damaged' || error.code === 'io')) return [];
    throw error;
  }
}
