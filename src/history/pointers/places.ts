/** Checks that a session is open or archived, never both, as a fetch from a backup may leave it. */
import { damaged } from '../../core/errors.ts';
import type { PointerMove } from '../../git/refs/pointer.ts';
import { exists } from '../../platform/files.ts';
import { archiveRef, SESSIONS } from '../names/layout.ts';
import type { Repository } from '../store/repository.ts';

/** Refuses to work on an open session that has an archive too: it would diverge from the saved one. @throws {CtxError} damaged */
export function checkPlace({ refs, layout }: Repository, open: string): void {
  const archive = archiveRef(open.slice(SESSIONS.length));
  const isBoth = (): boolean => refs.read(archive) !== null && refs.read(open) !== null;
  // Moving a session makes one ref before it removes the other, and has finished by the second look.
  if (!isBoth() || exists(layout.begun) || exists(layout.forgetting) || !isBoth()) return;
  throw damaged(open, `${archive} is there too: a session is open or archived`, {
    hint: 'See which of them is to stay with: ctx fsck',
  });
}

/** Returns the refs of the open sessions. @throws {CtxError} damaged, if one is archived too: it is unknown whether it is open */
export function openRefs(repository: Repository): string[] {
  const refs = repository.refs.names(SESSIONS);
  for (const ref of refs) checkPlace(repository, ref);
  return refs;
}

/** Refuses a change that moves such a session. @throws {CtxError} damaged */
export function checkPlaces(repository: Repository, moves: readonly PointerMove[]): void {
  for (const { pointer, old } of moves)
    if (pointer.startsWith(SESSIONS) && old !== null) checkPlace(repository, pointer);
}
