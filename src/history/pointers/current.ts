/** Finds the session that a command works on: the one that STAGE names, or the requested one. */
import { CtxError } from '../../core/errors.ts';
import { idsMatching } from '../../core/listing/short-id.ts';
import { SESSIONS, sessionRef } from '../names/layout.ts';
import type { Repository } from '../store/repository.ts';
import { candidatesHint, candidatesOf } from './candidates.ts';
import { lostSession } from './lost-session.ts';
import { checkPlace } from './places.ts';

/**
 * Returns the ref of the session to work on; null if none is active.
 * @throws {CtxError} no_active_session, not_found, ambiguous, damaged
 */
export function currentRef(repository: Repository): string | null {
  return repository.session === null ? repository.refs.stage() : resolveSession(repository, repository.session);
}

/** Returns the ref of an open session, by its id, or by a piece with which only this id begins or ends. @throws {CtxError} not_found, ambiguous, damaged */
export function resolveSession(repository: Repository, given: string): string {
  // By name alone: one that is damaged must not hide another.
  const open = repository.refs.names(SESSIONS).map((ref) => ref.slice(SESSIONS.length));
  const matching = idsMatching(open, given);
  const [only] = matching;
  if (matching.length === 1 && only) {
    checkPlace(repository, sessionRef(only));
    return sessionRef(only);
  }
  if (matching.length > 1) {
    const candidates = candidatesOf(repository, matching);
    throw new CtxError('ambiguous', `${given} is a piece of the ids of ${matching.length} open sessions.`, {
      hint: candidatesHint(candidates),
      data: { candidates: matching, sessions: candidates },
    });
  }
  const lost = lostSession(repository, given);
  if (lost !== null) throw lost;
  throw new CtxError('not_found', `There is no open session ${given}.`, {
    hint: 'See the open sessions with: ctx list --open',
  });
}
