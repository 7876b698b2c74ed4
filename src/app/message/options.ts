/** How a message is handled: by hand, or by the hook of an agent that takes part in it. */

import type { CtxError } from '../../core/errors.ts';
import type { Classification } from '../../core/message-class.ts';
import type { Repository } from '../../history/store/repository.ts';
import type { Transaction } from '../../history/transaction.ts';
import type { Increment } from '../ingest/increment.ts';
import type { ActiveSession } from '../session/active.ts';
import type { LeftQuestion } from '../session/left-question.ts';
import type { Beginning } from '../session/start.ts';
import type { Asking } from './classify.ts';
import type { Outcome } from './deeds.ts';
import type { Before } from './result.ts';

export interface MessageOptions {
  /** The class that an agent itself gives the message: it always wins. */
  as?: Classification | undefined;
  /** Only tell what would happen. */
  dryRun?: boolean | undefined;
  /** Called by an agent's hook: the agent takes the message up at once, and the end of its turn saves what was confirmed. */
  hook?: HookPart | undefined;
  /** Milliseconds that are left for the user's own classifier; as many as it may take where absent. */
  timeLeft?: (() => number) | undefined;
  /** What the agent said last, where it is known. */
  lastMessage?: string | undefined;
  /** Name of the agent, for a session that begins. */
  agent?: string | undefined;
}

/** How an agent's hook takes part in a message. */
export interface HookPart {
  /** Milliseconds that are left for the user's own classifier: with the wait for LOCK a hook takes less than two seconds. */
  timeLeft: () => number;
  /** Told what is wrong with STAGE, or with the session that it names, which keeps no message from being taken up. */
  stageTrouble: (problem: CtxError) => void;
  /** The session of the agent's conversation, looked for under LOCK; null where there is none. */
  find: (repository: Repository) => ActiveSession | null;
  /** Where there is none: the question that its last session has left; null where it has left none. */
  left: (repository: Repository) => LeftQuestion | null;
  /** Where there is none: keeps what is left of one that has ended. */
  settle: (transaction: Transaction) => void;
  /** Whether no transcript will tell what was said. */
  isUntold: boolean;
  /** Whether the agent takes nothing at this prompt: no question is kept open that nobody was asked. */
  cannotAsk: boolean;
  /** What its transcript adds. */
  increment: (active: ActiveSession) => Increment;
  /** What a session begins with, where one does; `active` is the one whose place it takes. */
  beginning: (active: ActiveSession | null, increment: Increment | null) => Beginning;
  /** Whether this message was heard before; asked under LOCK. */
  isTold: (message: string, before: Pick<Before, 'active' | 'increment'>) => boolean;
  /** Told, under LOCK, what has become of the message. */
  taken: (message: string, outcome: Outcome) => void;
}

/** The same on its way through. */
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
