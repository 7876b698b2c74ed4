/** Handles the hook of a prompt: the user's message moves the session, and the agent reads what ctx asks. */
import type { HookAnswer } from '../../agents/hooks.ts';
import { CtxError } from '../../core/errors.ts';
import { titleOf } from '../../core/listing/title.ts';
import type { AnyBody } from '../../core/records/record.ts';
import { missedNote } from '../../core/session/missed.ts';
import type { Session } from '../../core/session/session.ts';
import {
  forgetBegun,
  type Hook,
  hasBegunAgain,
  openSessionOf,
  remember,
  rememberAtWork,
} from '../ingest/hook-session.ts';
import { handleUserMessage } from '../message/message.ts';
import type { HookPart } from '../message/options.ts';
import type { MessageResult } from '../message/result.ts';
import { redactionFor } from '../redaction/redact.ts';
import { answerCommand } from '../session/waiting.ts';
import { asQuestion, asSaved } from './context.ts';
import { finishedBefore } from './finished-session.ts';
import { endOfOwnPart, keepLateTurns } from './late-turns.ts';
import { beginning, hasNoTranscript, incrementOf, keepIfBusy, unansweredOf } from './part.ts';
import { isPendingPrompt, isRepeated, type Prompt, promptOf, rememberTaken } from './repeated-prompt.ts';

/** Handles a prompt; returns what the agent reads. */
export function handlePrompt(hook: Hook, text: string): HookAnswer | null {
  const { repository, event, conversation } = hook;
  if (text.trim() === '') return null;
  const part = partOf(hook);
  const result = handleMessage(hook, text, part);
  // Another hook of the same prompt has done everything.
  if (part.wasTold()) return null;
  const { choice, session_id, compacted, problem } = result;
  if (problem !== undefined) hook.note(new CtxError('io', problem));
  // The rest of a turn belongs to the session that its prompt has ended, or whose question it has answered.
  remember(repository, conversation, session_id ?? compacted?.session_id ?? part.asked());
  if (part.beginsConversation) forgetBegun(repository, conversation);
  if (compacted !== null && session_id !== null && result.action === 'started')
    return { event: event.event, context: asSaved(titleOf(compacted)) };
  if (!choice || session_id === null) return null;
  return {
    event: event.event,
    context: asQuestion(choice.message, answerCommand(repository, session_id), conversation.agent),
  };
}

/** Wrapped, so that its code is loaded only when it is called. */
const endOf: Hook['endOf'] = (hook, chain, known) => endOfOwnPart(hook, chain, known);

/** Lets the message move its session. */
function handleMessage(hook: Hook, text: string, part: HookPart): MessageResult {
  const { repository, event } = hook;
  const notes = (session: string): AnyBody[] => {
    const note = missedNote(event.happened, session);
    const prompt = promptOf(redactionFor(repository).text(text), idOf(hook));
    return note === null || isPendingPrompt(prompt, openSessionOf(repository, hook.conversation)) ? [] : [note];
  };
  return keepIfBusy(hook, notes, undefined, () => handleUserMessage(repository, text, { hook: part }));
}

const idOf = ({ event: { happened } }: Hook): string | null => (happened.what === 'prompt' && happened.id) || null;

/**
 * Returns the hook's part, with the id of the session that has left a question, null before a lookup and if there is
 * none; and with whether the prompt is a repetition.
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
    unanswered: () => {
      const left = unansweredOf(hook);
      asked = left?.session.session_id ?? null;
      return left;
    },
    asked: () => asked,
    settle: (transaction) => {
      ended = keepLateTurns(hook, transaction);
    },
    increment: ({ chain }) => incrementOf({ ...hook, endOf }, chain),
    timeLeft: hook.timeLeft,
    stageTrouble: hook.note,
    hasNoTranscript: hasNoTranscript(hook),
    beginsConversation: hasBegunAgain(repository, conversation),
    finished: (transaction) => (repository.settings.questions === 'always' ? null : finishedBefore(hook, transaction)),
    cannotAsk: event.happened.what === 'prompt' && event.happened.takesNothing === true,
    beginning: (active, increment) => beginning(hook, increment?.session ?? active?.session ?? ended),
    isRepeated: (message, before) => {
      wasTold = isRepeated(hook, toldAs(message), before);
      return wasTold;
    },
    wasTold: () => wasTold,
    taken: (message, { session_id, at_work }) => {
      // The first tool of the turn comes next.
      if (at_work !== null) rememberAtWork(repository, conversation, at_work);
      if (!wasTold) rememberTaken(hook, toldAs(message), session_id, at_work);
    },
  };
}
