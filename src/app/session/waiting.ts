/** What to type to answer a question of ctx's own, whichever session it waits in. */
import { CtxError } from '../../core/errors.ts';
import { sessionRef } from '../../git/layout.ts';
import { sessionsWithChoice, waitingChoice, wasAnswered } from '../../history/pending/choices.ts';
import type { Repository } from '../../history/store/repository.ts';

/** The command that answers the question of a session. */
export function answerCommand({ refs }: Pick<Repository, 'refs'>, session: string): string {
  const words = 'ctx choose <A|B|continue|fresh>';
  return refs.stage() === sessionRef(session) ? words : `${words} --session ${session}`;
}

/** Takes nothing of a transcript in while a question waits: the answer picks the session. @throws {CtxError} choice_waits */
export function refuseWhileOneWaits(repository: Repository, session: string): void {
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

/** What to do where no question waits in this session: answer the only one that waits in another. */
export function whereOneWaits(repository: Repository): string {
  const [only, ...others] = sessionsWithChoice(repository).filter((id) => isWaiting(repository, id));
  if (only === undefined || others.length > 0) return 'See: ctx stage status';
  return `One waits in another session: ${answerCommand(repository, only)}`;
}

/** Whether a question can be answered that a session was asked; one that is damaged cannot. */
function isWaiting(repository: Repository, id: string): boolean {
  try {
    return !wasAnswered(repository, id);
  } catch (error) {
    if (error instanceof CtxError && error.code === 'damaged') return false;
    throw error;
  }
}
