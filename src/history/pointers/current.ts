/** Finds the session that a command works on: the one that STAGE names, or the requested one. */
import { CtxError } from '../../core/errors.ts';
import { SESSIONS, sessionRef } from '../../git/layout.ts';
import type { Repository } from '../store/repository.ts';
import { lostSession } from './lost-session.ts';
import { checkPlace } from './places.ts';

/**
 * Returns the ref of the session to work on; null if none is active.
 * @throws {CtxError} no_active_session, not_found, ambiguous, damaged
 */
export function currentRef(repository: Repository): string | null {
  return repository.session === null ? repository.refs.stage() : resolveSession(repository, repository.session);
}

/** Returns the ref of an open session by its id or a prefix of it. @throws {CtxError} not_found, ambiguous, damaged */
export function resolveSession(repository: Repository, given: string): string {
  // By name alone: a damaged session must not block another one.
  const open = repository.refs.names(SESSIONS);
  const exact = open.find((ref) => ref === sessionRef(given));
  const matching = exact ? [exact] : given.length >= 8 ? open.filter((ref) => ref.startsWith(sessionRef(given))) : [];
  const [only] = matching;
  if (matching.length === 1 && only) {
    checkPlace(repository, only);
    return only;
  }
  if (matching.length > 1) {
    throw new CtxError('ambiguous', `${given} is the beginning of ${matching.length} sessions.`, {
      hint: `Give more of it: ${matching.map((ref) => ref.slice(SESSIONS.length)).join(', ')}`,
    });
  }
  const lost = given.length >= 8 ? lostSession(repository, given) : null;
  if (lost !== null) throw lost;
  throw new CtxError('not_found', `There is no open session ${given}.`, {
    hint: 'See the open sessions with: ctx stage list',
  });
}
