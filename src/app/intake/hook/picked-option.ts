/** Answers a question of ctx's by the option that the user picked, if the agent put the question with a tool of its own. */
import { choiceLabelled } from '../../../core/choice.ts';
import { CtxError } from '../../../core/errors.ts';
import { waitingChoice } from '../../../history/pending/choices.ts';
import { type Hook, openStateOf } from '../conversation.ts';
import { unansweredOf } from './part.ts';

/** Answers the waiting question of a conversation if an answer is the label of one of its options. */
export async function answersCtx(hook: Hook, answer: string): Promise<boolean> {
  const { repository, conversation, timeLeft } = hook;
  const open = openStateOf(repository, conversation);
  const choice = open ? waitingChoice(repository, open.session_id) : unansweredOf(hook)?.choice;
  const chosen = choice && choiceLabelled(choice.kind, answer);
  if (!chosen) return false;
  const { handleChoice } = await import('../message/message.ts');
  try {
    handleChoice({ ...repository, session: choice.session_id }, chosen, { timeLeft });
    return true;
  } catch (error) {
    if (!(error instanceof CtxError) || error.code !== 'busy') throw error;
    // It still waits: the next message answers it, or the command.
    hook.note(error);
    return false;
  }
}
