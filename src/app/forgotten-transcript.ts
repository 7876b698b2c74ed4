/** Whether a transcript holds a conversation that was forgotten. */
import type { ForgottenSource } from '../core/forgotten.ts';
import type { Repository } from '../store/repository.ts';
import { forgottenSource, hasForgottenSources } from './forgotten.ts';
import { sessionsNamed } from './recognise.ts';
import type { Recognised } from './transcript-text.ts';

/**
 * The conversation that a transcript is of, or that lines of it are copied from, where that was forgotten; null where none was.
 * @param agentSession its own id, redacted
 */
export function forgottenIn(
  repository: Repository,
  { agent, text }: Recognised,
  agentSession: string,
): ForgottenSource | null {
  const own = forgottenSource(repository, agent.name, agentSession);
  if (own || !hasForgottenSources(repository)) return own;
  let found: ForgottenSource | null = null;
  sessionsNamed(agent, text, (id) => {
    found = forgottenSource(repository, agent.name, id);
    return found !== null;
  });
  return found;
}
