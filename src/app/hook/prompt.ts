/** What a hook does upon a prompt: the user's message moves the session, and the agent is told what ctx asks. */
import type { HookAnswer } from '../../agents/hooks.ts';
import { CtxError } from '../../core/errors.ts';
import type { AnyBody } from '../../core/records/record.ts';
import { missedNote } from '../../core/session/missed.ts';
import type { Session } from '../../core/session/session.ts';
import { type Hook, openSessionOf, remember, rememberAtWork } from '../ingest/hook-session.ts';
import { handleUserMessage } from '../message/message.ts';
import type { HookPart } from '../message/options.ts';
import type { MessageResult } from '../message/result.ts';
import { redactionFor } from '../redaction/redact.ts';
import { answerCommand } from '../session/waiting.ts';
import { asQuestion } from './context.ts';
import { endOfOwn, restKept } from './late-turns.ts';
import { beginning, incrementOf, isUntold, leftOf, orKept } from './part.ts';
import { isMissed, isTold, keepTold, type Prompt, promptOf } from './repeated-prompt.ts';

/** Takes a prompt; gives what the agent is told. */
export function prompted(hook: Hook, text: string): HookAnswer | null {
  const { repository, event, conversation } = hook;
  if (text.trim() === '') return null;
  const part = partOf(hook);
  const result = heard(hook, text, part);
  // The hook that was the first to tell it has done all there is to do.
  if (part.wasTold()) return null;
  const { choice, session_id, compacted, problem } = result;
  if (problem !== undefined) hook.note(new CtxError('io', problem));
  // What is left of a turn belongs to the session that its prompt has ended, or whose question it has answered.
  remember(repository, conversation, session_id ?? compacted?.session_id ?? part.asked());
  if (!choice || session_id === null) return null;
  return {
    event: event.event,
    context: asQuestion(choice.message, answerCommand(repository, session_id), conversation.agent),
  };
}

/** What finds it is loaded only when it is asked for. */
const endOf: Hook['endOf'] = (hook, chain, known) => endOfOwn(hook, chain, known);

/** Takes a prompt up. */
function heard(hook: Hook, text: string, part: HookPart): MessageResult {
  const { repository, event } = hook;
  const notes = (session: string): AnyBody[] => {
    const note = missedNote(event.happened, session);
    const prompt = promptOf(redactionFor(repository).text(text), idOf(hook));
    return note === null || isMissed(prompt, openSessionOf(repository, hook.conversation)) ? [] : [note];
  };
  return orKept(hook, notes, undefined, () => handleUserMessage(repository, text, { hook: part }));
}

const idOf = ({ event: { happened } }: Hook): string | null => (happened.what === 'prompt' && happened.id) || null;

/**
 * @returns with the id of the session that has left a question, once that was looked for, null where none has; and with whether the
 *   prompt was told before
 */
function partOf(hook: Hook): HookPart & { asked: () => string | null; wasTold: () => boolean } {
  const { repository, event, conversation } = hook;
  let ended: Session | null = null;
  let asked: string | null = null;
  let wasTold = false;
  let told: Prompt | undefined;
  const toldAs = (words: string): Prompt => {
    if (told?.words !== words) told = promptOf(words, idOf(hook));
    return told;
  };
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
    isTold: (message, before) => {
      wasTold = isTold(hook, toldAs(message), before);
      return wasTold;
    },
    wasTold: () => wasTold,
    taken: (message, { session_id, at_work }) => {
      // The first tool of the turn comes next.
      if (at_work !== null) rememberAtWork(repository, conversation, at_work);
      if (!wasTold) keepTold(hook, toldAs(message), session_id, at_work);
    },
  };
}
