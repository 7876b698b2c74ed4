/** Defines the options of a message: by a command, or by the hook of an agent that takes part in it. */

import type { CtxError } from '../../../core/errors.ts';
import type { Classification } from '../../../core/message-class.ts';
import type { Repository } from '../../../history/store/repository.ts';
import type { Transaction } from '../../../history/transaction.ts';
import type { ActiveSession } from '../../session/active.ts';
import type { UnansweredQuestion } from '../../session/left-question.ts';
import type { Beginning } from '../../session/start.ts';
import type { Increment } from '../increment.ts';
import type { Asking } from './classify.ts';
import type { FinishedSession, Outcome } from './deeds.ts';
import type { Before } from './result.ts';

export interface MessageOptions {
  /** The class that an agent itself gives the message: it always decides. */
  as?: Classification | undefined;
  /** Only report what would happen. */
  dryRun?: boolean | undefined;
  /**
   * Set by an agent's hook: the agent acts on the message at once, and the end of its turn saves what was confirmed.
   */
  hook?: HookPart | undefined;
  /** Returns the milliseconds left for the user's own classifier; unlimited if absent. */
  timeLeft?: (() => number) | undefined;
  /** The agent's last words, if known. */
  lastMessage?: string | undefined;
  /** Name of the agent, for a session that begins. */
  agent?: string | undefined;
}

/** The part of an agent's hook in a message. */
export interface HookPart {
  /**
   * Returns the milliseconds left for the user's own classifier: with the wait for LOCK a hook takes less than two
   * seconds.
   */
  timeLeft: () => number;
  /** Called with errors of STAGE, or of the session that it names, which block no message. */
  stageTrouble: (problem: CtxError) => void;
  /** Returns the session of the agent's conversation, read under LOCK; null if there is none. */
  find: (repository: Repository) => ActiveSession | null;
  /** Returns, without a session, the question that its last session has left; null if it has left none. */
  unanswered: (repository: Repository) => UnansweredQuestion | null;
  /** Adds, without a session, the rest of the transcript to one that has ended. */
  settle: (transaction: Transaction) => void;
  /** True if there is no transcript that will have the words. */
  hasNoTranscript: boolean;
  /** True if the agent takes no answer at this prompt: then no question is asked. */
  cannotAsk: boolean;
  /** True if the conversation begins again with this prompt. */
  beginsConversation: boolean;
  /** Returns the last session of the same agent if it had finished: it is saved when a new one begins. */
  finished: (transaction: Transaction) => FinishedSession | null;
  /** Returns what its transcript adds. */
  increment: (active: ActiveSession) => Increment;
  /** Returns what a new session begins with; `active` is the one that it replaces. */
  beginning: (active: ActiveSession | null, increment: Increment | null) => Beginning;
  /** Returns whether this message was reported before; called under LOCK. */
  isRepeated: (message: string, before: Pick<Before, 'active' | 'increment'>) => boolean;
  /** Called under LOCK with the outcome of the message. */
  taken: (message: string, outcome: Outcome) => void;
}

/** The same with the state of the user's classifier. */
export interface Handling extends MessageOptions {
  asking: Asking;
}

export const handlingOf = (options: MessageOptions): Handling => ({
  ...options,
  asking: {
    timeLeft: options.hook?.timeLeft ?? options.timeLeft ?? (() => Number.POSITIVE_INFINITY),
    answers: new Map(),
  },
});
