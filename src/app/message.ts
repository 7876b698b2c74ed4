/** `ctx message` and `ctx choose`: what a user says moves the session, by the table of messages. */

import { type Choice, choiceBy, choiceWithMore, questionOf } from '../core/choice.ts';
import type { Classification } from '../core/classify/classes.ts';
import { CtxError } from '../core/errors.ts';
import { latePrompt } from '../core/late-prompt.ts';
import { hasEnded, type SessionState } from '../core/state.ts';
import {
  choicePlan,
  type Deed,
  keepWords,
  messagePlan,
  stalePlan,
  stateAfter,
  withWords,
} from '../core/user-message.ts';
import { type WaitingChoice, waitingChoice } from '../store/choices.ts';
import type { Repository } from '../store/repository.ts';
import { type Transaction, transact } from '../store/transaction.ts';
import { type ActiveSession, activeOrNone, idleness } from './active.ts';
import { type Asking, type Classified, classify } from './classify.ts';
import { type Answered, carryOut } from './deeds.ts';
import type { Increment } from './increment.ts';
import { type Before, type MessageResult, type Plan, resultOf } from './message-result.ts';
import { madeUpFor } from './missed.ts';
import { type Redaction, redactionFor } from './redact.ts';
import { type Beginning, conversationOf } from './start.ts';
import { filledText } from './text.ts';
import { untilNow } from './until-now.ts';
import { whereOneWaits } from './waiting.ts';

export interface MessageOptions {
  /** The class that an agent itself gives the message: it always wins. */
  as?: Classification | undefined;
  /** Only tell what would happen. */
  dryRun?: boolean | undefined;
  /** Called by an agent's hook: the agent takes the message up at once, and the end of its turn saves what was confirmed. */
  hook?: HookPart | undefined;
  /** What the agent said last, where it is known. */
  lastMessage?: string | undefined;
  /** Name of the agent, for a session that begins. */
  agent?: string | undefined;
}

/** How an agent's hook takes part in a message. */
export interface HookPart {
  /** Milliseconds that are left for the user's own classifier: with the wait for LOCK a hook takes less than two seconds. */
  timeLeft: () => number;
  /** Told where STAGE is torn or gone, which keeps no message from being taken up. */
  stageTrouble: (problem: CtxError) => void;
  /** The session of the agent's conversation, looked for under LOCK; null where there is none. */
  find: (repository: Repository) => ActiveSession | null;
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
  /** Told the head at which its session is at work afterwards, where it is. */
  atWork: (head: string) => void;
}

/** The same on its way through. */
interface Handling extends MessageOptions {
  asking: Asking;
}

const handlingOf = (options: MessageOptions): Handling => ({
  ...options,
  asking: { timeLeft: options.hook?.timeLeft ?? (() => Number.POSITIVE_INFINITY), answers: new Map() },
});

/**
 * Classifies a user's message and does what follows from it; a question of ctx's that waits is answered first.
 * @throws {CtxError} invalid_input, where it is empty; busy, damaged
 */
export function handleUserMessage(repository: Repository, given: string, said: MessageOptions = {}): MessageResult {
  filledText(given, 'The message');
  const options = handlingOf(said);
  const redaction = redactionFor(repository);
  const message = redaction.text(given);
  const plan = (before: Before): Plan => planMessage(repository, before, message, options);
  return handle(repository, options, plan, { message, redaction, command: 'message' });
}

/** Answers the question that waits. @throws {CtxError} no_choice, where none does; invalid_input, where it is no answer to it */
export function handleChoice(repository: Repository, answer: string, said: MessageOptions = {}): MessageResult {
  const options = handlingOf(said);
  const plan = (before: Before): Plan => {
    const { choice, active } = before;
    if (!choice || !active) {
      throw new CtxError('no_choice', 'No question waits for an answer.', { hint: whereOneWaits(repository) });
    }
    const chosen = choiceBy(choice.kind, answer);
    if (chosen === null) {
      const { options: known } = questionOf(choice.kind, active.session.task_description);
      throw new CtxError('invalid_input', `That is no answer to the question: ${JSON.stringify(answer)}`, {
        hint: `Answer with one of: ${known.map(({ key }) => key).join(', ')}, continue, fresh`,
      });
    }
    return answered(repository, active, choice, chosen, options);
  };
  return handle(repository, options, plan, { message: '', redaction: redactionFor(repository), command: 'choose' });
}

function handle(
  repository: Repository,
  options: Handling,
  plan: (before: Before) => Plan,
  said: { message: string; redaction: Redaction; command: string },
): MessageResult {
  if (options.dryRun) {
    const before = lookAt(repository, options);
    const found = plan(before);
    return resultOf(
      repository,
      before,
      found,
      { session_id: before.active?.session.session_id ?? null, compacted: null, at_work: null },
      true,
    );
  }
  const { message, command } = said;
  // The user's own program may take its time: nobody else waits for it.
  if (repository.settings.classifier !== null) plan(lookAt(repository, options));
  return transact(repository, { command, message: command }, (transaction) => {
    const before = lookAt(repository, options);
    const found = plan(before);
    const { deeds, answers } = found;
    const { active } = before;
    if (!active) options.hook?.settle(transaction);
    // What came after a question belongs to the session that the answer picks: a new one reads it itself.
    const isLeft = answers?.choice === 'fresh' && deeds.some((deed) => deed.do === 'start');
    const increment = isLeft ? null : before.increment;
    // What was forgotten while it waited for LOCK must not come back.
    const redaction = redactionFor(repository, undefined, said.redaction.counts);
    const agent = options.agent ? redaction.text(options.agent) : null;
    const taken = isLeft && active ? conversationOf(active) : null;
    const beginning = (): Beginning => options.hook?.beginning(active, increment) ?? taken ?? { agent };
    const beCurrent = options.hook !== undefined;
    const work = {
      active,
      deeds,
      answers,
      message,
      redaction,
      as: options.as ?? null,
      beginning,
      increment,
      beCurrent,
      stageTrouble: options.hook?.stageTrouble,
    };
    const outcome = carryOut(repository, transaction, work);
    const { at_work } = outcome;
    if (at_work !== null) transaction.afterwards(() => options.hook?.atWork(at_work));
    return resultOf(repository, before, found, outcome, false);
  });
}

function lookAt(repository: Repository, { hook }: Handling): Before {
  const active = hook ? hook.find(repository) : activeOrNone(repository);
  if (!active) return { active: null, idle_secs: null, staleness: null, choice: null, increment: null };
  const choice = waitingChoice(repository, active.session.session_id);
  const increment = hook?.increment(active) ?? null;
  return { active, ...idleness(repository, active), choice, increment };
}

function planMessage(repository: Repository, before: Before, message: string, options: Handling): Plan {
  const { active, choice } = before;
  if (!active) return following(repository, before, null, [], message, options, null);
  const { session_state } = active.session;
  if (hasEnded(session_state.kind)) return savedFirst(repository, before, [], session_state, message, options, null);
  if (choice) {
    const chosen = choiceBy(choice.kind, message);
    if (chosen !== null) return keeping(answered(repository, active, choice, chosen, options), message, options);
    if (choiceWithMore(choice.kind, message) === 'fresh')
      return answered(repository, active, { ...choice, raised: `${choice.raised}\n\n${message}` }, 'fresh', options);
    // Nobody goes on with what has lain for so long, whatever was asked of it.
    if (before.staleness !== 'auto_compact') return goneOn(repository, before, active, choice, message, options);
  }
  const { first, state } = untilNow(repository, active, before.increment);
  if (state === null) return following(repository, before, null, first, message, options, null);
  if (hasEnded(state.kind)) return savedFirst(repository, before, first, state, message, options, null);
  const stale = stalePlan(before.staleness ?? 'fresh', before.idle_secs ?? 0, options.hook?.cannotAsk);
  if (stale.some((deed) => deed.do === 'ask')) {
    const classified = classed(repository, before, state, message, options);
    return { classified, action: 'asked', deeds: [...first, ...stale], answers: null, state_after: state };
  }
  const now = stateAfter(state, stale, repository.clock());
  return following(repository, before, now, [...first, ...stale], message, options, null);
}

/**
 * What a message does to a session that has ended and was not saved yet: that comes first.
 * @param deeds those that have ended it, where it has not stood so before
 */
function savedFirst(
  repository: Repository,
  before: Before,
  deeds: readonly Deed[],
  state: SessionState,
  message: string,
  options: Handling,
  answers: Answered | null,
): Plan {
  const ended: Deed[] = [...deeds, { do: 'end', type: null }];
  const saved = following(repository, before, null, ended, message, options, answers);
  // Thanks within the turn that saves it: the agent has not answered yet.
  const waits = options.hook !== undefined && state.kind === 'Complete' && saved.action === 'acknowledged';
  return waits ? { ...saved, deeds: saved.deeds.filter((deed) => deed.do !== 'end'), state_after: state } : saved;
}

/** What a message does that is no answer to the question that waits: whoever says something else goes on with the session. */
function goneOn(
  repository: Repository,
  before: Before,
  active: ActiveSession,
  choice: WaitingChoice,
  message: string,
  options: Handling,
): Plan {
  const gone = answered(repository, active, choice, 'continue', options, false);
  const { state_after: state, deeds, answers } = gone;
  const isEnded = state !== null && hasEnded(state.kind);
  const on = isEnded
    ? savedFirst(repository, before, deeds, state, message, options, answers)
    : following(repository, before, state, deeds, message, options, answers);
  // "Never mind" waves the question away, and not what it offers to keep.
  const isWaved = on.classified.classification === 'Abandon' && options.as === undefined;
  return isWaved ? keeping(gone, message, options) : on;
}

/** The class of a message to a session in a state. */
function classed(
  repository: Repository,
  { active }: Before,
  state: SessionState | null,
  message: string,
  { as, lastMessage, asking }: Handling,
): Classified {
  const task = active?.session.task_description ?? null;
  return classify(repository, message, { as, state, task, lastMessage }, asking);
}

/** What a message does after other deeds, from the state that they lead to. */
function following(
  repository: Repository,
  before: Before,
  state: SessionState | null,
  deeds: readonly Deed[],
  message: string,
  options: Handling,
  answers: Answered | null,
): Plan {
  const classified = classed(repository, before, state, message, options);
  const { classification } = classified;
  const heard = { hook: options.hook !== undefined, cannotAsk: options.hook?.cannotAsk };
  const plan = messagePlan({ state: state?.kind ?? null, classification, message, ...heard });
  const state_after = stateAfter(state, plan.deeds, repository.clock());
  const all: Plan = { classified, action: plan.action, deeds: [...deeds, ...plan.deeds], answers, state_after };
  return before.active === null || keepWords(plan.deeds) ? all : keeping(all, message, options);
}

/** What an answer does: the message that raised the question counts now. */
function answered(
  repository: Repository,
  active: ActiveSession,
  choice: WaitingChoice,
  chosen: Choice,
  options: Handling,
  /** Whether an agent takes the answer up at once: then it is at work, whatever it did since the question. */
  isTakenUp = options.hook !== undefined,
): Plan {
  const state = active.session.session_state;
  const as = (choice.as ?? undefined) as Classification | undefined;
  const task = active.session.task_description;
  const asked = chosen === 'fresh' ? { as, state: null, task: null } : { as, state, task };
  const { classification } = classify(repository, choice.raised, asked, options.asking);
  const hook = options.hook !== undefined;
  const plan = choicePlan(choice.kind, chosen, { state: state.kind, classification, message: choice.raised, hook });
  const at = repository.clock();
  const now = stateAfter(state, plan.deeds, at);
  // What its agent has done since counts for the session that goes on; a new one makes up for it by itself.
  const since = now === null || chosen === 'fresh' || isTakenUp ? [] : madeUpFor(repository, active, now, latePrompt);
  return {
    classified: { classification: 'Response', confidence: 1, reason: `It answers the question: ${chosen}.` },
    action: plan.action,
    deeds: [...plan.deeds, ...since],
    answers: { question: choice, choice: chosen },
    state_after: stateAfter(now, since, at),
  };
}

/** The same with the words of the message, where nothing else tells of them. */
const keeping = (plan: Plan, message: string, { hook }: Handling): Plan =>
  hook?.isUntold ? { ...plan, deeds: withWords(plan.deeds, message, 'user') } : plan;
