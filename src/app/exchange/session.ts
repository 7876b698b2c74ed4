/** Hands one session over within a store, or within a copy of it: from one agent to another. */
import { CtxError } from '../../core/errors.ts';
import type { ExportedSession } from '../../core/exchange/exported.ts';
import type { Session } from '../../core/session/session.ts';
import { kindOf } from '../../git/objects/object-lookup.ts';
import { verifyChain } from '../../health/verify/chain.ts';
import { readChain, walkChain } from '../../history/chain/chain.ts';
import { archiveRef, isSessionId, sessionRef } from '../../history/names/layout.ts';
import type { Repository } from '../../history/store/repository.ts';
import { transact } from '../../history/transaction.ts';
import { indexSession } from '../transcript/source-index.ts';
import { bundled, chosenSessions, flushChosen } from './chosen.ts';
import { describeExported } from './exported.ts';

/**
 * Describes a session for the agent that continues it; what is waiting for it is flushed first.
 * @param given a piece of its id, or words of its title; the active session if absent
 * @throws {CtxError} no_active_session, not_found, ambiguous, busy, damaged
 */
export function exportSession(repository: Repository, given?: string): ExportedSession {
  const ids = chosenSessions(repository, given === undefined ? [] : [given], false);
  flushChosen(repository, ids);
  const [session] = bundled(repository, ids).sessions;
  if (!session) throw new CtxError('not_found', 'There is no such session.', { hint: 'See: ctx list' });
  return describeExported(repository, session.head, session.ref === sessionRef(session.session_id));
}

/**
 * Returns the session that was handed over, as it is now; one whose chain is here, and that no ref names, is open again.
 * @throws {CtxError} staging_head_missing, if the head is not in the store; invalid_input, damaged, busy
 */
export function importSession(
  repository: Repository,
  { session_id: id, staging_head: head }: ExportedSession,
): Session {
  if (!isSessionId(id) || !/^[0-9a-f]{40}$/.test(head))
    throw new CtxError('invalid_input', 'What was handed over names no session and no head.', {
      hint: 'Give what exportSession has returned.',
    });
  const { objects, refs } = repository;
  if (kindOf(objects, head) !== 'commit') throw headMissing(id, head);
  readChain(objects, head, sessionRef(id));
  const there = [sessionRef(id), archiveRef(id)].map((ref) => refs.read(ref)).find((value) => value !== null);
  if (there) {
    for (const [oid] of walkChain(objects, there)) if (oid === head) return readChain(objects, there).session;
    throw headMissing(id, head);
  }
  for (const { severity, message, where } of verifyChain(objects, sessionRef(id), head, new Set(), new Set()))
    if (severity === 'damage') throw new CtxError('damaged', `${where}: ${message}`, { hint: 'See: ctx fsck' });
  const change = { command: 'import', message: 'import', logged: true };
  return transact(repository, change, (transaction) => {
    transaction.move(sessionRef(id), transaction.read(sessionRef(id)), head);
    const { session } = readChain(objects, head);
    transaction.afterwards(() => indexSession(repository, session));
    return session;
  });
}

const headMissing = (id: string, head: string): CtxError =>
  new CtxError('staging_head_missing', `The head of the session ${id} is not in this store: ${head}.`, {
    hint: 'Bring its chain here with a file: ctx export -o <file> there, ctx import <file> here',
    data: { session_id: id, staging_head: head },
  });
