/** `ctx message` and `ctx choose`: what a user says moves the session, by the table of messages. */

import { type Choice, choiceBy, choiceWithMore, isKey, questionOf } from '../../core/choice.ts';
import { CtxError } from '../../core/errors.ts';
import type { Classification } from '../../core/message-class.ts';
import type { Session } from '../../core/session.ts';
import { hasEnded, type SessionState } from '../../core/state.ts';
import { type Deed, keepWords, messagePlan, stalePlan, stateAfter, withWords } from '../../core/user-message.ts';
import { removeChoice, type WaitingChoice, waitingChoice } from '../../history/pending/choices.ts';
import type { Repository } from '../../history/store/repository.ts';
import { type Transaction, transact } from '../../history/transaction.ts';
import { endsByName } from '../../language/called-off.ts';
import { latePrompt } from '../../language/late-prompt.ts';
import { type Redaction, redactionFor } from '../redaction/redact.ts';
import { type ActiveSession, activeOrNone, idleness } from '../session/active.ts';
import { saveOver } from '../session/compact.ts';
import { leftByHand } from '../session/left-question.ts';
import { type Beginning, conversationOf } from '../session/start.ts';
import { filledText } from '../session/text.ts';
import { whereOneWaits } from '../session/waiting.ts';
import { answered, answeredLate } from './answer.ts';
import { type Classified, classify } from './classify.ts';
import { type Answered, carryOut, isInTheWay } from './deeds.ts';
import { madeUpFor } from './missed.ts';
import { type Handling, handlingOf, type MessageOptions } from './options.ts';
import { type Before, type MessageResult, type Plan, resultOf } from './result.ts';
import { untilNow } from './until-now.ts';

/** What saves a session first that has ended. */
const SAVED: Deed = { do: 'end', type: null };

/**
 * Classifies a user's message and does what follows from it; a question of ctx's that waits is answered first.
 * @throws {CtxError} invalid_input, where it is empty; busy, damaged
 */
export function handleUserMessage(repository: Repository, given: string, said: MessageOptions = {}): MessageResult {
  filledText(given, 'The message');
  const options = handlingOf(said);
  const redaction = redactionFor(repository);
  const message = redaction.text(given);
  const plan = (before: Before): Plan =>
    options.hook?.isTold(message, before)
      ? toldAgain(repository, before)
      : planMessage(repository, before, message, options);
  return handle(repository, options, plan, { message, redaction, command: 'message' });
}

/** Answers the question that waits. @throws {CtxError} no_choice, where none does; invalid_input, where it is no answer to it */
export function handleChoice(repository: Repository, answer: string, said: MessageOptions = {}): MessageResult {
  const options = handlingOf(said);
  const plan = (before: Before): Plan => {
    const { choice, active, left } = before;
    const asked = active?.session ?? left;
    if (!choice || !asked) {
      throw new CtxError('no_choice', 'No question waits for an answer.', { hint: whereOneWaits(repository) });
    }
    const chosen = choiceBy(choice.kind, answer);
    if (chosen === null) {
      const { options: known } = questionOf(choice.kind, asked.task_description);
      throw new CtxError('invalid_input', `That is no answer to the question: ${JSON.stringify(answer)}`, {
        hint: `Answer with one of: ${known.map(({ key }) => key).join(', ')}, continue, fresh`,
      });
    }
    const isOver = !active || hasEnded(active.session.session_state.kind);
    return isOver
      ? answeredLate(repository, asked, choice, chosen, options, active ? [SAVED] : [])
      : answered(repository, active, choice, chosen, options);
  };
  return handle(repository, options, plan, { message: '', redaction: redactionFor(repository), command: 'choose' });
}

/** What was said, redacted, and the command that says it. */
interface Said {
  message: string;
  redaction: Redaction;
  command: string;
}

function handle(repository: Repository, options: Handling, plan: (before: Before) => Plan, said: Said): MessageResult {
  if (options.dryRun) {
    const before = lookAt(repository, options);
    const found = plan(before);
    const session_id = before.active?.session.session_id ?? null;
    return resultOf(repository, before, found, { session_id, compacted: null, at_work: null }, true);
  }
  const { command } = said;
  // The user's own program may take its time: nobody else waits for it.
  if (repository.settings.classifier !== null) plan(lookAt(repository, options));
  const { hook } = options;
  const change = { command, message: command };
  for (let isWayFree = !hook; ; isWayFree = true) {
    const result = transact(repository, change, (transaction) => {
      const before = lookAt(repository, options);
      const found = plan(before);
      const waits = !isWayFree && isInTheWay(repository, transaction, before.active, found.deeds);
      return waits ? null : carriedOut(repository, transaction, before, found, options, said);
    });
    if (result) return result;
    if (hook) saveOver(repository, change, hook.stageTrouble);
  }
}

/** Plans what a message comes to. */
function carriedOut(
  repository: Repository,
  transaction: Transaction,
  before: Before,
  found: Plan,
  options: Handling,
  said: Said,
): MessageResult {
  const { active, left } = before;
  const { deeds } = found;
  const { message } = said;
  // Its session takes no step any more: what waits there becomes a late one.
  const isPast = left !== null && found.answers?.goesTo === 'own';
  if (isPast) transaction.afterwards(() => removeChoice(repository, left.session_id));
  const answers = isPast ? null : found.answers;
  // What came after a question belongs to the session that the answer picks: a new one reads it itself.
  const isLeft = answers?.goesTo === 'new';
  const increment = isLeft ? null : before.increment;
  if (!active && !isLeft) options.hook?.settle(transaction);
  // What was forgotten while it waited for LOCK must not come back.
  const redaction = redactionFor(repository, undefined, said.redaction.counts);
  const agent = options.agent ? redaction.text(options.agent) : null;
  const asked = active?.session ?? left;
  const taken = isLeft && asked ? conversationOf(asked) : null;
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
  transaction.afterwards(() => options.hook?.taken(message, outcome));
  return resultOf(repository, before, found, outcome, false);
}

function lookAt(repository: Repository, { hook }: Handling): Before {
  const active = hook ? hook.find(repository) : activeByHand(repository);
  if (active) {
    const choice = waitingChoice(repository, active.session.session_id);
    const increment = hook?.increment(active) ?? null;
    return { active, ...idleness(repository, active), choice, left: null, increment };
  }
  const { choice = null, session = null } = (hook ? hook.left(repository) : leftByHand(repository)) ?? {};
  return { active, idle_secs: null, staleness: null, choice, left: session, increment: null };
}

/** The session that what is said by hand is said to; null where none is active, or the one that was asked for is saved and has left a question. */
const activeByHand = (repository: Repository): ActiveSession | null =>
  repository.session !== null && leftByHand(repository) ? null : activeOrNone(repository);

function planMessage(repository: Repository, before: Before, message: string, options: Handling): Plan {
  const { active, choice, left } = before;
  if (!active) {
    const late = left && choice && lateAnswer(repository, left, choice, message, options, []);
    // What an agent's conversation has left is not gone past by what is said beside it.
    const isTheirs = left !== null && (options.hook !== undefined || left.sources.length === 0);
    return late ?? following(repository, before, null, [], message, options, isTheirs ? goneBy(choice) : null);
  }
  const { session_state } = active.session;
  if (hasEnded(session_state.kind)) {
    const late = choice && lateAnswer(repository, active.session, choice, message, options, [SAVED]);
    return late ?? savedFirst(repository, before, [], session_state, message, options, goneBy(choice));
  }
  if (choice) {
    const picked = pickedBy(choice, active.session.task_description, message, options.as);
    if (picked) {
      const plan = answered(repository, active, picked.choice, picked.chosen, options);
      return picked.isAll ? keeping(plan, message, options) : plan;
    }
    // Nobody goes on with what has lain for so long, whatever was asked of it.
    if (before.staleness !== 'auto_compact') return goneOn(repository, before, active, choice, message, options);
  }
  const { first, state } = untilNow(repository, active, before.increment);
  const gone = goneBy(choice);
  if (state === null) return following(repository, before, null, first, message, options, gone);
  if (hasEnded(state.kind)) return savedFirst(repository, before, first, state, message, options, gone);
  const stale = stalePlan(before.staleness ?? 'fresh', before.idle_secs ?? 0, options.hook?.cannotAsk);
  if (stale.some((deed) => deed.do === 'ask')) {
    const classified = classed(repository, before, state, message, options);
    return { classified, action: 'asked', deeds: [...first, ...stale], answers: null, state_after: state };
  }
  const now = stateAfter(state, stale, repository.clock());
  return following(repository, before, now, [...first, ...stale], message, options, gone);
}

/** A question that a message goes past which ends its session, or has found it over. */
const goneBy = (question: WaitingChoice | null): Answered | null => question && { question, goesTo: 'own' };

/** What a message does that answers the question of a session which is over; null where it is no answer. @param first what saves it */
function lateAnswer(
  repository: Repository,
  session: Session,
  choice: WaitingChoice,
  message: string,
  options: Handling,
  first: readonly Deed[],
): Plan | null {
  const picked = pickedBy(choice, session.task_description, message, options.as);
  return picked && answeredLate(repository, session, picked.choice, picked.chosen, options, first);
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
  const ended: Deed[] = [...deeds, SAVED];
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
  if (on.classified.classification !== 'Abandon' || options.as !== undefined) return on;
  // "Never mind" waves the question away, and not what it offers to keep.
  return endsByName(message) ? abandoned(on, choice, message) : keeping(gone, message, options);
}

/** What ends the session that the question is about: the message that had raised it is kept, and moves nothing any more. */
function abandoned({ classified }: Plan, choice: WaitingChoice, message: string): Plan {
  const kept: Deed = { do: 'note', content: choice.raised, role: 'plain' };
  const { action, deeds } = messagePlan({ state: 'Running', classification: 'Abandon', message, hook: false });
  return { classified, action, deeds: [kept, ...deeds], answers: goneBy(choice), state_after: null };
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

/** The same with the words of the message, where nothing else tells of them. */
const keeping = (plan: Plan, message: string, { hook }: Handling): Plan =>
  hook?.isUntold ? { ...plan, deeds: withWords(plan.deeds, message, 'user') } : plan;

/** The plan of such a message. */
export function toldAgain(repository: Repository, { active, choice }: Before): Plan {
  const state = active?.session.session_state ?? null;
  const deeds = active && state && !choice ? madeUpFor(repository, active, state, latePrompt) : [];
  return {
    classified: { classification: 'Clarification', confidence: 1, reason: 'It was recorded before.' },
    action: 'unchanged',
    deeds,
    answers: null,
    state_after: stateAfter(state, deeds, repository.clock()),
  };
}

export interface Picked {
  chosen: Choice;
  /** The question, with what the answer says beyond it: what begins is about both. */
  choice: WaitingChoice;
  /** Whether that is all that the message says. */
  isAll: boolean;
}

/**
 * What a message answers; null where it is none, or only says more to the session that goes on.
 * @param task what the session that was asked is about
 * @param as the class that an agent gives the message: unless that is an answer, only an option's key is one
 */
export function pickedBy(
  choice: WaitingChoice,
  task: string,
  message: string,
  as: Classification | undefined,
): Picked | null {
  if (as !== undefined && as !== 'Response' && !isKey(message)) return null;
  const chosen = choiceBy(choice.kind, message);
  if (chosen !== null) return { chosen, choice, isAll: true };
  if (choiceWithMore(choice.kind, message, task) !== 'fresh') return null;
  return { chosen: 'fresh', choice: { ...choice, raised: `${choice.raised}\n\n${message}` }, isAll: false };
}
