/** `ctx rename`: gives a session, open or ended, the title that its user wants. */
import { trailersOf } from '../../core/commit.ts';
import { CtxError } from '../../core/errors.ts';
import { titleOf } from '../../core/listing/title.ts';
import { readChain, readCommit } from '../../history/chain/chain.ts';
import { flushInto } from '../../history/flush.ts';
import { archiveRef, SESSIONS, sessionRef } from '../../history/names/layout.ts';
import type { Repository } from '../../history/store/repository.ts';
import { type Transaction, transact } from '../../history/transaction.ts';
import { requireCurrent } from './active.ts';
import { prepareRecord } from './records.ts';
import { resolveRevision } from './revision.ts';
import { checkedTitle } from './title.ts';

export interface RenameResult {
  session_id: string;
  title: string;
  /** The title before. */
  previous: string;
  open: boolean;
  oid: string;
  step: number;
}

/**
 * Sets the title of a session; its last activity stays. An ended session gets a late step on its archived chain, since its canonical
 * commit never changes.
 * @param session a revision that names it; the active session if null
 * @param given the title; null takes a title of the user's back
 * @throws {CtxError} invalid_input, not_found, ambiguous, no_active_session, busy, damaged
 */
export function renameSession(repository: Repository, session: string | null, given: string | null): RenameResult {
  const content = given === null ? '' : checkedTitle(given);
  return transact(repository, { command: 'rename', message: 'rename' }, (transaction) => {
    const ref =
      session === null ? requireCurrent(repository, transaction).ref : refOf(repository, transaction, session);
    const head = transaction.read(ref) as string;
    const chain = readChain(repository.objects, head, ref);
    const at = repository.clock();
    const record = prepareRecord(repository, repository.objects, at, { body: { kind: 'title', content } });
    const flushed = flushInto(repository, chain, at, { own: [record] });
    transaction.move(ref, head, flushed.chain.head);
    transaction.afterwards(flushed.clean);
    const { session: renamed } = flushed.chain;
    return {
      session_id: renamed.session_id,
      title: titleOf(renamed),
      previous: titleOf(chain.session),
      open: ref.startsWith(SESSIONS),
      oid: flushed.chain.head,
      step: renamed.step,
    };
  });
}

/** Returns the ref of the chain of the session that a revision names. @throws {CtxError} not_found, ambiguous, damaged */
function refOf(repository: Repository, { read }: Transaction, given: string): string {
  const { oid } = resolveRevision(repository, given);
  const id = trailersOf(readCommit(repository.objects, oid).message).get('Ctx-Session');
  const ref = id === undefined ? undefined : [sessionRef(id), archiveRef(id)].find((one) => read(one) !== null);
  if (ref !== undefined) return ref;
  throw new CtxError('not_found', `${given} names no session whose steps are here.`, { hint: 'See: ctx list' });
}
