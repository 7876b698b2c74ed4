/** Detects a transcript of a forgotten conversation. */
import type { ForgottenSource } from '../../core/forgotten.ts';
import type { Repository } from '../../history/store/repository.ts';
import { forgottenBeginning, forgottenSource, hasForgottenSources } from '../redaction/forgotten-filter.ts';
import { firstLineKey, hasId, type StoredSources } from '../transcript/conversation-id.ts';
import { sessionsNamed } from '../transcript/recognise.ts';
import type { Recognised } from '../transcript/text.ts';

/**
 * Returns the forgotten conversation that a transcript belongs to, or that lines of it are copied from; null if there
 * is none.
 * @param agentSession the id that the store uses, or would use
 */
export function forgottenIn(
  repository: Repository,
  recognised: Recognised,
  agentSession: string,
  stored: StoredSources,
): ForgottenSource | null {
  const { agent, text } = recognised;
  // Older lists know a conversation without an id by its name.
  const own = forgottenSource(repository, agent.name, agentSession);
  if (own || !hasForgottenSources(repository)) return own;
  if (!hasId(recognised)) return forgottenByContent(repository, recognised, agentSession, stored);
  let found: ForgottenSource | null = null;
  sessionsNamed(agent, text, (id) => {
    found = forgottenSource(repository, agent.name, id);
    return found !== null;
  });
  return found;
}

/**
 * Of two conversations that begin with the same words, one may be forgotten and the other in the store: that one
 * continues.
 */
function forgottenByContent(
  repository: Repository,
  recognised: Recognised,
  agentSession: string,
  stored: StoredSources,
): ForgottenSource | null {
  const { name } = recognised.agent;
  const firstLine = firstLineKey(recognised);
  if (firstLine === undefined) return null;
  const own = forgottenBeginning(repository, name, firstLine, agentSession);
  if (own || stored.of(name, agentSession)) return own;
  return forgottenBeginning(repository, name, firstLine, null);
}
