/** Names the command that answers a waiting question of ctx's own, in any session. */
import { CtxError } from '../../core/errors.ts';
import { sessionRef } from '../../history/names/layout.ts';
import { sessionsWithChoice, waitingChoice, wasAnswered } from '../../history/pending/choices.ts';
import type { Repository } from '../../history/store/repository.ts';

/** Returns the command that answers the question of a session. */
export function answerCommand({ refs }: Pick<Repository, 'refs'>, session: string): string {
  const words = 'ctx choose <A|B|continue|fresh>';
  return refs.stage() === sessionRef(session) ? words : `${words} --session ${session}`;
}

/**
 * Refuses to ingest while a question waits: its answer picks the session of the new records.
 * @throws {CtxError} choice_waits
 */
export function refuseWhileQuestionWaits(repository: Repository, session: string): void {
  const choice = waitingChoice(repository, session);
  if (!choice) return;
  throw new CtxError(
    'choice_waits',
    `A question waits in the session ${session}: its answer picks the session of what came since.`,
    {
      hint: `Answer it with: ${answerCommand(repository, session)}`,
      data: { session_id: session, kind: choice.kind },
    },
  );
}

/**
 * Returns the hint for a session without a question: the command that answers the only one that waits in another
 * session.
 */
export function waitingQuestionHint(repository: Repository): string {
  const [only, ...others] = sessionsWithChoice(repository).filter((id) => isWaiting(repository, id));
  if (only === undefined || others.length > 0) return 'See: ctx status';
  return `One waits in another session: ${answerCommand(repository, only)}`;
}

/** Returns whether the question of a session can be answered; a damaged one cannot. */
function isWaiting(repository: Repository, id: string): boolean {
  try {
    return !wasAnswered(repository, id);
  } catch (error) {
    if (error instanceof CtxError && error.code === 'damaged') return false;
    throw error;
  }
}
