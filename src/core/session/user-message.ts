/** Plans the effect of a user's message on a session: pure, from its class and the session's state to the deeds. */

import type { Choice, ChoiceKind } from '../choice.ts';
import { beforeNewTask } from '../commit-types/interrupted-by-new-task.ts';
import { afterIdleness } from '../commit-types/stale-auto-compact.ts';
import type { CommitType } from '../commit-types/table.ts';
import { withoutAnnouncement } from '../intake/words.ts';
import type { Classification } from '../message-class.ts';
import type { Staleness } from '../stale.ts';
import { planMove, type SessionState, type StateKind, type Verb } from '../state.ts';
import { type Questions, savesItself } from './questions.ts';

/** One thing to be done, in order. A session that is ended takes everything before it along. */
export type Deed =
  /** `call` is that of a tool which has put this question, or brought this answer. */
  | { do: 'note'; content: string; role: 'plain' | 'continuation' | 'question' | 'response'; call?: string }
  /** Keeps words of a conversation with an agent, if nothing else keeps it. */
  | { do: 'keep'; by: 'user' | 'agent'; words: string }
  /**
   * For a question: `ofTool` if a tool asked it, within a turn; `call`, also for the answer, if the end of that call brings the
   * answer; `at`, in Unix seconds, if it was asked earlier; `isNoted` if its note exists already, since the question only waits
   * again. For a confirmation: `said` holds the words of the user if the agent's transcript will repeat them.
   */
  | { do: 'move'; verb: Verb; text: string; ofTool?: true; call?: string; at?: number; isNoted?: true; said?: string }
  | { do: 'end'; type: CommitType | null }
  | { do: 'start'; task: string }
  | { do: 'ask'; kind: ChoiceKind };

/** Result for a message, in a word for programs. */
export type Action =
  | 'started'
  | 'responded'
  | 'interrupted'
  | 'continued'
  | 'confirmed'
  | 'abandoned'
  | 'asked'
  | 'acknowledged'
  | 'unchanged';

export interface MessagePlan {
  action: Action;
  deeds: Deed[];
}

export interface Circumstances {
  /** The state of the session; null if none is active. */
  state: StateKind | null;
  classification: Classification;
  message: string;
  /** An agent takes a message up at once, and the end of its turn saves what the user has confirmed. */
  hook: boolean;
  /** No question reaches the user: what would be asked is decided at once. Absent if one does. */
  cannotAsk?: boolean | undefined;
  /** When the user is asked; `always` if absent. */
  questions?: Questions | undefined;
  /** True if the message is the first prompt of a conversation that begins again. */
  beginsConversation?: boolean | undefined;
}

/** Why ctx might have asked, in the note that stays where it could not. */
const REASONS: Record<ChoiceKind, string> = {
  stale_session: 'after an idle period',
  new_task: 'with what may be a new task',
  unclear: 'with what may be something new',
};

const UNWANTED = 'the setting "questions" says so';

/** Continues the session if nobody can be asked, as after a question that is not answered. */
const unasked = (kind: ChoiceKind, why = 'no question could be put to the user'): Deed => ({
  do: 'note',
  content: `ctx continued ${REASONS[kind]}, without asking: ${why}`,
  role: 'plain',
});

/** Plans the deeds for a session that is idle before its message counts: nothing, a question or a note in its place, or its end. */
export function stalePlan(
  staleness: Staleness,
  idle: number,
  cannotAsk = false,
  questions: Questions = 'always',
): Deed[] {
  const [kind, isUnwanted] = ['stale_session', questions === 'never'] as const;
  if (staleness === 'ask')
    return [cannotAsk || isUnwanted ? unasked(kind, cannotAsk ? undefined : UNWANTED) : { do: 'ask', kind }];
  if (staleness === 'fresh') return [];
  return [{ do: 'end', type: afterIdleness(idle) }];
}

/** Returns what a session waits with, the end of what its agent said last; null if it does not wait. */
export function lastWordsOf(state: SessionState | null): string | null {
  if (state?.kind === 'AwaitingUser') return state.question;
  return state?.kind === 'PendingComplete' ? state.summary : null;
}

/** The table of messages (format rule of ctx, "Messages are classified"), for a session that is fresh enough. */
export function messagePlan(circumstances: Circumstances): MessagePlan {
  const { state, classification, message, hook, questions = 'always', beginsConversation } = circumstances;
  if (state === null) {
    // Nothing that is to be ended, and nothing that says what to begin; but an agent that gets such a message sets to work.
    const begins = classification === 'Unclear' ? hook : namesTask(classification);
    return begins
      ? { action: 'started', deeds: [{ do: 'start', task: withoutAnnouncement(message) }] }
      : { action: 'acknowledged', deeds: [] };
  }
  if (savesItself({ state, classification, questions, beginsConversation }))
    return {
      action: 'started',
      deeds: [
        { do: 'end', type: beforeNewTask(withoutAnnouncement(message)) },
        { do: 'start', task: withoutAnnouncement(message) },
      ],
    };
  switch (classification) {
    case 'Clarification':
      return { action: 'unchanged', deeds: [] };
    case 'Confirmation':
      return state === 'PendingComplete' ? confirm(circumstances) : { action: 'acknowledged', deeds: [] };
    case 'Abandon':
      return {
        action: 'abandoned',
        deeds: [
          { do: 'move', verb: 'abort', text: message },
          { do: 'end', type: null },
        ],
      };
    case 'NewTask':
      return asked('new_task', circumstances);
    case 'Unclear':
      return asked('unclear', circumstances);
    default:
      return takenUp(circumstances);
  }
}

/** Checks if a message may be a task: words of approval, or that wave something away, name none. */
const namesTask = (classification: Classification): boolean =>
  classification !== 'Confirmation' && classification !== 'Abandon';

/** Asks a question; if the question would reach nobody, the session takes the message up. */
function asked(kind: ChoiceKind, circumstances: Circumstances): MessagePlan {
  if (!circumstances.cannotAsk && circumstances.questions !== 'never')
    return { action: 'asked', deeds: [{ do: 'ask', kind }] };
  const { action, deeds } = takenUp(circumstances);
  return { action, deeds: [unasked(kind, circumstances.cannotAsk ? undefined : UNWANTED), ...deeds] };
}

function confirm({ hook, message }: Circumstances): MessagePlan {
  const move: Deed = { do: 'move', verb: 'confirm', text: '' };
  return { action: 'confirmed', deeds: hook ? [{ ...move, said: message }] : [move, { do: 'end', type: null }] };
}

/** The session takes the message up: it answers, changes or adds to what is being done. */
function takenUp({ state, message, hook }: Circumstances): MessagePlan {
  const move = (verb: Verb, text = message): Deed => ({ do: 'move', verb, text });
  switch (state) {
    case 'AwaitingUser':
      return { action: 'responded', deeds: [move('respond')] };
    case 'Interrupted':
      return { action: 'continued', deeds: [move('continue')] };
    case 'PendingComplete':
      return { action: 'continued', deeds: [move('reopen')] };
    default:
      return { action: 'interrupted', deeds: hook ? [move('interrupt'), move('continue', '')] : [move('interrupt')] };
  }
}

/** Returns the state that deeds lead to, without doing them; null if they end the session. @param at Unix seconds */
export function stateAfter(state: SessionState | null, deeds: readonly Deed[], at: number): SessionState | null {
  return deeds.reduce<SessionState | null>((now, deed) => {
    if (deed.do === 'start') return { kind: 'Running' };
    if (deed.do === 'end') return null;
    return deed.do === 'move' && now ? planMove(now, deed.verb, deed.text, deed.at ?? at).to : now;
  }, state);
}

/** The content of the note that is kept if a user continues after a long pause (format rule of ctx). */
export const CONTINUED = 'User chose to continue after idle period';

/**
 * Returns the plan for the answer to a question of ctx.
 * @param circumstances the circumstances of the message that raised the question, as it is classified now; if the answer starts a
 *   new session, as it is classified without a session
 */
export function choicePlan(kind: ChoiceKind, choice: Choice, circumstances: Circumstances): MessagePlan {
  const { message, classification } = circumstances;
  if (choice === 'fresh') {
    const task = withoutAnnouncement(message);
    const end: Deed = { do: 'end', type: beforeNewTask(task) };
    // The new task has no name yet.
    if (!namesTask(classification)) return { action: 'acknowledged', deeds: [end] };
    return { action: 'started', deeds: [end, { do: 'start', task }] };
  }
  // The new request was put off: it is kept, and the session stays where it was.
  if (kind === 'new_task') return { action: 'continued', deeds: [{ do: 'note', content: message, role: 'plain' }] };
  const isSettled = classification === 'NewTask' || classification === 'Unclear' || kind === 'unclear';
  const plan = messagePlan({ ...circumstances, classification: isSettled ? 'Modification' : classification });
  if (kind === 'unclear') return plan;
  // A message that changes nothing is kept all the same: a question that was asked never loses the message that raised it.
  const kept: Deed[] = plan.deeds.length === 0 ? [{ do: 'note', content: message, role: 'plain' }] : plan.deeds;
  return { action: plan.action, deeds: [{ do: 'note', content: CONTINUED, role: 'continuation' }, ...kept] };
}

/**
 * Plans the effect of the answer if something else has saved the session meanwhile.
 * @param circumstances the task of that session, and the message that raised the question, classed as one to no session
 */
export function leftChoicePlan(
  choice: Choice,
  { task, classification, message }: Pick<Circumstances, 'classification' | 'message'> & { task: string },
): MessagePlan {
  // The task continues in a session of its own.
  if (choice === 'continue')
    return {
      action: 'started',
      deeds: [
        { do: 'start', task },
        { do: 'note', content: message, role: 'plain' },
      ],
    };
  if (!namesTask(classification)) return { action: 'acknowledged', deeds: [] };
  return { action: 'started', deeds: [{ do: 'start', task: withoutAnnouncement(message) }] };
}

/** Checks if deeds keep the words of the message that they follow from. */
export const keepWords = (deeds: readonly Deed[]): boolean =>
  deeds.some((deed) => deed.do === 'start' || deed.do === 'ask' || (deed.do === 'move' && deed.text !== ''));

/** Returns the same with words that were said, if any, in the session that was open then. */
export function withWords(deeds: readonly Deed[], words: string, by: 'user' | 'agent'): Deed[] {
  const end = deeds.findIndex((deed) => deed.do === 'end');
  const kept: Deed[] = words === '' ? [] : [{ do: 'keep', by, words }];
  return deeds.toSpliced(end < 0 ? deeds.length : end, 0, ...kept);
}
