/** What an agent's hook does to its session: pure, from what happened and the session's state to what is to be done. */
import type { Happening } from './hook-event.ts';
import { questionIn } from './question.ts';
import { backToRunning, hasEnded, type SessionState, type Verb } from './state.ts';
import type { Deed } from './user-message.ts';

export interface HookCircumstances {
  state: SessionState;
  /** The prompt that was cut off, where the transcript tells that the turn was; null elsewhere. */
  cutOff: string | null;
  /** The user's last words, asked for only where they are needed. */
  lastPrompt: () => string;
}

const move = (verb: Verb, text = ''): Deed => ({ do: 'move', verb, text });

/** The move back to Running, where the state is one that waits. @param answer what the user said, where that is known */
function toRunning(state: SessionState, answer = ''): Deed[] {
  const verb = backToRunning(state.kind);
  return verb ? [move(verb, answer)] : [];
}

/** What follows where the user broke a turn off, in whatever it was: at work, at a question of the agent's, before any move. */
export const cutOffDeeds = (state: SessionState, prompt: string): Deed[] =>
  hasEnded(state.kind) || state.kind === 'Interrupted' ? [] : [...toRunning(state), move('interrupt', prompt)];

/** What follows from an event other than a prompt. */
export function hookPlan(happened: Happening, { state, cutOff, lastPrompt }: HookCircumstances): Deed[] {
  // The user has confirmed it: with the agent's answer it is complete.
  if (state.kind === 'Complete' && (happened.what === 'turn_end' || happened.what === 'end')) {
    const text = happened.what === 'end' ? '' : (happened.text?.trim() ?? '');
    const answer: Deed[] = text === '' ? [] : [{ do: 'note', content: text, role: 'plain' }];
    return [...answer, { do: 'end', type: null }];
  }
  if (hasEnded(state.kind)) return [];
  switch (happened.what) {
    case 'question':
      return asks(state, happened.text);
    case 'turn_end':
      // Gemini CLI ends a turn that was broken off like any other: only its transcript knows.
      if (cutOff !== null) return cutOffDeeds(state, cutOff);
      return ends(state, happened.text?.trim() ?? '');
    case 'interrupt':
      return state.kind === 'Interrupted' ? [] : cutOffDeeds(state, cutOff ?? lastPrompt());
    case 'tool':
      return toRunning(state, happened.answer ?? '');
    default:
      return cutOff === null ? [] : cutOffDeeds(state, cutOff);
  }
}

/** One question may be told twice: by the tool that puts it, and by the permission that this tool needs. */
function asks(state: SessionState, question: string): Deed[] {
  if (state.kind === 'AwaitingUser' && state.question === question) return [];
  return [...toRunning(state), move('ask', question)];
}

/** A turn may end twice, too: the hook of somebody else makes the agent go on. */
function ends(state: SessionState, text: string): Deed[] {
  const question = questionIn(text);
  if (question !== null) return asks(state, question);
  return state.kind === 'PendingComplete' && state.summary === text ? [] : [...toRunning(state), move('done', text)];
}
