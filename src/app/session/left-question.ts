/** Finds questions of ctx's that were left unanswered when their sessions were saved: the next message still answers them. */

import { CtxError } from '../../core/errors.ts';
import { idsMatching } from '../../core/listing/short-id.ts';
import type { Session } from '../../core/session/session.ts';
import { readChain } from '../../history/chain/chain.ts';
import { archiveRef, sessionRef } from '../../history/names/layout.ts';
import { sessionsWithChoice, type WaitingChoice, waitingChoice } from '../../history/pending/choices.ts';
import type { Repository } from '../../history/store/repository.ts';

export interface UnansweredQuestion {
  choice: WaitingChoice;
  /** The session that was saved. */
  session: Session;
}

/**
 * Returns the unanswered question of a saved session; null if the session is open, or has none.
 * @throws {CtxError} damaged
 */
export function unansweredIn(repository: Repository, id: string): UnansweredQuestion | null {
  const { refs, objects } = repository;
  const choice = refs.read(sessionRef(id)) === null ? waitingChoice(repository, id) : null;
  const ref = archiveRef(id);
  const head = choice && refs.read(ref);
  return head ? { choice, session: readChain(objects, head, ref).session } : null;
}

/** Returns the unanswered questions of all saved sessions; damaged ones are skipped. */
export const unansweredQuestions = (repository: Repository): UnansweredQuestion[] =>
  sessionsWithChoice(repository).flatMap((id) => {
    try {
      return unansweredIn(repository, id) ?? [];
    } catch (error) {
      if (error instanceof CtxError && error.code === 'damaged') return [];
      throw error;
    }
  });

/** Returns the question that a manual answer refers to: the requested session's, else the only one there is. */
export function questionForCommand(repository: Repository): UnansweredQuestion | null {
  const given = repository.session;
  const isMeant = ({ session: { session_id: id } }: UnansweredQuestion): boolean =>
    given === null || idsMatching([id], given).length > 0;
  const [only, ...others] = unansweredQuestions(repository).filter(isMeant);
  return only && others.length === 0 ? only : null;
}
