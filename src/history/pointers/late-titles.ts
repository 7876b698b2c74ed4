/** Reads the titles that ended sessions were given after they had ended: they are in late steps, since no canonical commit changes. */
import { type Commit, trailersOf } from '../../core/commit.ts';
import { titleOf } from '../../core/listing/title.ts';
import type { Session } from '../../core/session/session.ts';
import { isDamaged } from '../../git/set-aside.ts';
import { readChain } from '../chain/chain.ts';
import { archiveRef, isSessionId } from '../names/layout.ts';
import type { Repository } from '../store/repository.ts';

/**
 * Returns the session of a late step; undefined if there is none, or its chain cannot be read: what the commit says is shown then.
 * Most sessions have none, which costs no more than a ref.
 * @param head the head of the chain as the session ended, which its canonical commit names
 */
function lateSession({ refs, objects }: Repository, id: string, head: string | null): Session | undefined {
  let session: Session | undefined;
  isDamaged(() => {
    const late = isSessionId(id) ? refs.read(archiveRef(id)) : null;
    if (late !== null && late !== head) ({ session } = readChain(objects, late));
  });
  return session?.renamed === undefined ? undefined : session;
}

/** Returns the session of a canonical commit with its present title. */
export function withLateTitle(repository: Repository, session: Session, { message }: Commit): Session {
  const late = lateSession(repository, session.session_id, trailersOf(message).get('Ctx-Work') ?? null);
  return late ? { ...session, renamed: late.renamed } : session;
}

/** Returns the title that an ended session was given late; undefined if there is none. */
export function lateTitle(repository: Repository, id: string, head: string | null): string | undefined {
  const late = lateSession(repository, id, head);
  return late && titleOf(late);
}
