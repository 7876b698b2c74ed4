/** A question of ctx's that is left: something else than its answer has saved its session, and the next message still answers it. */
import { CtxError } from '../../core/errors.ts';
import type { Session } from '../../core/session/session.ts';
import { archiveRef, sessionRef } from '../../git/layout.ts';
import { readChain } from '../../history/chain/chain.ts';
import { sessionsWithChoice, type WaitingChoice, waitingChoice } from '../../history/pending/choices.ts';
import type { Repository } from '../../history/store/repository.ts';

export interface LeftQuestion {
  choice: WaitingChoice;
  /** The session that was saved. */
  session: Session;
}

/** The question that a session has left; null where it is open, or has left none. @throws {CtxError} damaged */
export function leftIn(repository: Repository, id: string): LeftQuestion | null {
  const { refs, objects } = repository;
  const choice = refs.read(sessionRef(id)) === null ? waitingChoice(repository, id) : null;
  const ref = archiveRef(id);
  const head = choice && refs.read(ref);
  return head ? { choice, session: readChain(objects, head, ref).session } : null;
}

/** The questions that are left and can be read, of all sessions: one that is damaged stands in nobody's way. */
export const leftQuestions = (repository: Repository): LeftQuestion[] =>
  sessionsWithChoice(repository).flatMap((id) => {
    try {
      return leftIn(repository, id) ?? [];
    } catch (error) {
      if (error instanceof CtxError && error.code === 'damaged') return [];
      throw error;
    }
  });

/** The question that what is said by hand may answer: that of the session which was asked for, else the only one that is left. */
export function leftByHand(repository: Repository): LeftQuestion | null {
  const given = repository.session;
  const isMeant = ({ session: { session_id: id } }: LeftQuestion): boolean =>
    given === null || id === given || (given.length >= 8 && id.startsWith(given));
  const [only, ...others] = leftQuestions(repository).filter(isMeant);
  return only && others.length === 0 ? only : null;
}
