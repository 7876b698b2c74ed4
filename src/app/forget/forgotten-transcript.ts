/** Whether a transcript holds a conversation that was forgotten. */
import type { ForgottenSource } from '../../core/forgotten.ts';
import type { Repository } from '../../history/store/repository.ts';
import { forgottenBeginning, forgottenSource, hasForgottenSources } from '../redaction/forgotten-filter.ts';
import { firstLineKey, hasId, type StoredSources } from '../transcript/conversation-id.ts';
import { sessionsNamed } from '../transcript/recognise.ts';
import type { Recognised } from '../transcript/text.ts';

/**
 * The conversation that a transcript is of, or that lines of it are copied from, where that was forgotten; null where
 * none was.
 * @param agentSession what the store calls it, or would call it
 */
export function forgottenIn(
  repository: Repository,
  recognised: Recognised,
  agentSession: string,
  stored: StoredSources,
): ForgottenSource | null {
  const { agent, text } = recognised;
  // Lists of before know by its name also what has no id.
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

/** Of two that begin with the same words one may be forgotten and the other in the store: that one goes on. */
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
