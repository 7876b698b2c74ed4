/** Finds sessions without a ref: an undo took them back, and their steps are only in reflogs, the operation log, or unreachable. */
import { conversationOf } from '../../core/session/forgetting.ts';
import type { Session } from '../../core/session/session.ts';
import { readIfWhole } from '../../git/objects/object-lookup.ts';
import { isDamaged } from '../../git/set-aside.ts';
import { isStep, readChain, readCommit } from '../chain/chain.ts';
import { archiveRef, isSessionId, sessionRef } from '../names/layout.ts';
import type { Repository } from '../store/repository.ts';
import { allOids } from './store-listing.ts';

/** Returns the last step of each, by the session's id. */
export function undoneHeads(repository: Repository): Map<string, string> {
  const { layout, refs } = repository;
  const isUndone = (id: string): boolean => refs.read(sessionRef(id)) === null && refs.read(archiveRef(id)) === null;
  const last = new Map<string, { oid: string; step: number }>();
  for (const oid of new Set(allOids(layout))) {
    const found = stepOf(repository, oid);
    if (found && found.step > (last.get(found.session_id)?.step ?? 0)) last.set(found.session_id, { oid, ...found });
  }
  return new Map([...last].flatMap(([id, { oid }]) => (isUndone(id) ? [[id, oid]] : [])));
}

/** Returns the session of an object that is a step; null if it is none, or a power cut has left a part of it. */
function stepOf({ objects }: Repository, oid: string): Session | null {
  if (readIfWhole(objects, oid)?.type !== 'commit') return null;
  let found: Session | null = null;
  const look = (): void => {
    const { session } = readChain(objects, oid);
    const isWhole = isSessionId(session.session_id) && objects.holds(session.base);
    if (isWhole && isStep(readCommit(objects, oid).message)) found = session;
  };
  return isDamaged(look) ? null : found;
}

/** Returns the heads of the chains of sessions, open, archived or undone; a session without any step has none. */
export function headsOfSessions(repository: Repository, ids: Iterable<string>): Map<string, string> {
  const heads = new Map<string, string>();
  // Searches all objects, once for all sessions.
  let undone: Map<string, string> | undefined;
  for (const id of ids) {
    const named = repository.refs.read(sessionRef(id)) ?? repository.refs.read(archiveRef(id));
    undone ??= named === null ? undoneHeads(repository) : undefined;
    const head = named ?? undone?.get(id);
    if (head !== undefined) heads.set(id, head);
  }
  return heads;
}

/** Returns the head of one session; null if there is none. */
export const headOfSession = (repository: Repository, id: string): string | null =>
  headsOfSessions(repository, [id]).get(id) ?? null;

/** Returns undone sessions with the same conversation as a session: its transcript was imported again. */
export function sameTaskBefore(repository: Repository, session: Session): string[] {
  const conversations = new Set(session.sources.map(conversationOf));
  if (conversations.size === 0) return [];
  return [...undoneHeads(repository)].flatMap(([id, head]) => {
    const { sources, task_description, forgotten_at } = readChain(repository.objects, head).session;
    const isSame = sources.some((source) => conversations.has(conversationOf(source)));
    return isSame && forgotten_at === undefined && task_description === session.task_description ? [id] : [];
  });
}
