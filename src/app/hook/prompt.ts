/** What a hook does upon a prompt: the user's message moves the session, and the agent is told what ctx asks. */
import type { HookAnswer } from '../../agents/hooks.ts';
import { CtxError } from '../../core/errors.ts';
import { missedNote } from '../../core/missed.ts';
import type { AnyBody } from '../../core/record.ts';
import type { Session } from '../../core/session.ts';
import { handleUserMessage } from '../message/message.ts';
import type { HookPart } from '../message/options.ts';
import type { MessageResult } from '../message/result.ts';
import { answerCommand } from '../waiting.ts';
import { asQuestion } from './context.ts';
import { beginning, incrementOf, isUntold, leftOf, orKept } from './part.ts';
import { endOfOwn, restKept } from './rest.ts';
import { type Hook, openSessionOf, remember, rememberAtWork } from './session.ts';

/** Takes a prompt; gives what the agent is told. */
export function prompted(hook: Hook, text: string): HookAnswer | null {
  const { repository, event, conversation } = hook;
  if (text.trim() === '') return null;
  const part = partOf(hook);
  const result = heard(hook, text, part);
  const { choice, session_id, compacted, problem } = result;
  if (problem !== undefined) hook.note(new CtxError('io', problem));
  // What is left of a turn belongs to the session that its prompt has ended, or whose question it has answered.
  remember(repository, conversation, session_id ?? compacted?.session_id ?? part.asked());
  if (!choice || session_id === null) return null;
  return { event: event.event, context: asQuestion(choice.message, answerCommand(repository, session_id)) };
}

/** What finds it is loaded only when it is asked for. */
const endOf: Hook['endOf'] = (hook, chain, known) => endOfOwn(hook, chain, known);

/** Takes a prompt up. */
function heard(hook: Hook, text: string, part: HookPart): MessageResult {
  const { repository, event } = hook;
  const notes = (session: string): AnyBody[] => [missedNote(event.happened, session) ?? []].flat();
  return orKept(hook, notes, undefined, () => handleUserMessage(repository, text, { hook: part }));
}

/** @returns with the id of the session that has left a question, once that was looked for; null where none has */
function partOf(hook: Hook): HookPart & { asked: () => string | null } {
  const { repository, event, conversation } = hook;
  let ended: Session | null = null;
  let asked: string | null = null;
  return {
    find: () => openSessionOf(repository, conversation),
    left: () => {
      const left = leftOf(hook);
      asked = left?.session.session_id ?? null;
      return left;
    },
    asked: () => asked,
    settle: (transaction) => {
      ended = restKept(hook, transaction);
    },
    increment: ({ chain }) => incrementOf({ ...hook, endOf }, chain),
    timeLeft: hook.timeLeft,
    stageTrouble: hook.note,
    isUntold: isUntold(hook),
    cannotAsk: event.happened.what === 'prompt' && event.happened.takesNothing === true,
    beginning: (active, increment) => beginning(hook, increment?.session ?? active?.session ?? ended),
    // The first tool of the turn comes next.
    atWork: (head) => rememberAtWork(repository, conversation, head),
  };
}
