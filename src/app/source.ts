/** Which session a transcript belongs to: found by the agent's own id of it, in open sessions first, then in the archive. */
import type { Source } from '../core/session.ts';
import { type Chain, readChain } from '../store/chain.ts';
import { ARCHIVE, SESSIONS } from '../store/layout.ts';
import type { Repository } from '../store/repository.ts';

/** A session that holds a part of a transcript already. */
export interface KnownSource {
  ref: string;
  head: string;
  chain: Chain;
  source: Source;
  /** Whether the session is open: an archived one is gone on with in a new session. */
  open: boolean;
}

/** The session that has read furthest in a transcript; an open one before an archived one. */
export function findSource(repository: Repository, agent: string, agentSession: string): KnownSource | null {
  for (const prefix of [SESSIONS, ARCHIVE]) {
    let best: KnownSource | null = null;
    for (const [ref, head] of repository.refs.list(prefix)) {
      const chain = readChain(repository.objects, head, ref);
      const source = chain.session.sources.find(
        (candidate) => candidate.agent === agent && candidate.agent_session_id === agentSession,
      );
      if (source && (!best || source.lines > best.source.lines))
        best = { ref, head, chain, source, open: prefix === SESSIONS };
    }
    if (best) return best;
  }
  return null;
}
