/** Reads the titles that ended sessions were given after they had ended: they are in late steps, since no canonical commit changes. */
import { type Commit, trailersOf } from '../../core/commit.ts';
import { titleOf } from '../../core/listing/title.ts';
import type { Session } from '../../core/session/session.ts';
import { archiveRef, isSessionId } from '../../git/layout.ts';
import { isDamaged } from '../../git/set-aside.ts';
import { readChain } from '../chain/chain.ts';
import type { Repository } from '../store/repository.ts';

/** Returns the session of a canonical commit with its present title. Most sessions have no late steps, which costs no more than a ref. */
export function withLateTitle({ refs, objects }: Repository, session: Session, { message }: Commit): Session {
  let { renamed } = session;
  // What the commit itself says is shown even if the chain cannot be read.
  isDamaged(() => {
    const head = isSessionId(session.session_id) ? refs.read(archiveRef(session.session_id)) : null;
    if (head !== null && head !== trailersOf(message).get('Ctx-Work')) ({ renamed } = readChain(objects, head).session);
  });
  return renamed === undefined ? session : { ...session, renamed };
}

/**
 * Returns the title that an ended session was given late; undefined if there is none.
 * @param head the head of its chain as it ended, which its canonical commit names
 */
export function lateTitle({ refs, objects }: Repository, id: string, head: string | null): string | undefined {
  let title: string | undefined;
  isDamaged(() => {
    const late = isSessionId(id) ? refs.read(archiveRef(id)) : null;
    if (late === null || late === head) return;
    const { session } = readChain(objects, late);
    if (session.renamed !== undefined) title = titleOf(session);
  });
  return title;
}
