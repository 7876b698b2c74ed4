/** `ctx message` and `ctx choose`: a user's message moves the session, by the table of messages. */

import { type Choice, choiceBy, choiceWithMore, isKey, questionOf, withoutLetter } from '../../../core/choice.ts';
import { CtxError } from '../../../core/errors.ts';
import type { Classification } from '../../../core/message-class.ts';
import { savesItself } from '../../../core/session/questions.ts';
import type { Session } from '../../../core/session/session.ts';
import {
  type Deed,
  keepWords,
  messagePlan,
  stalePlan,
  stateAfter,
  withWords,
} from '../../../core/session/user-message.ts';
import { hasEnded, type SessionState } from '../../../core/state.ts';
import { removeChoice, type WaitingChoice, waitingChoice } from '../../../history/pending/choices.ts';
import type { Repository } from '../../../history/store/repository.ts';
import { type Transaction, transact } from '../../../history/transaction.ts';
import { endsByName, latePrompt } from '../../../language/index.ts';
import { type Redaction, redactionFor } from '../../redaction/redact.ts';
import { type ActiveSession, activeOrNone, idleness } from '../../session/active.ts';
import { saveEndedCurrent } from '../../session/compact.ts';
import { questionForCommand } from '../../session/left-question.ts';
import { type Beginning, conversationOf } from '../../session/start.ts';
import { filledText } from '../../session/text.ts';
import { waitingQuestionHint } from '../../session/waiting.ts';
import { answered, answeredLate } from './answer.ts';
import { type Classified, classify } from './classify.ts';
import { type Answered, carryOut, mustSaveFirst } from './deeds.ts';
import { catchUpDeeds, deedsBefore } from './missed.ts';
import { type Handling, handlingOf, type MessageOptions } from './options.ts';
import { type Before, type MessageResult, type Plan, resultOf } from './result.ts';

/** The deed that saves a session which has ended. */
const SAVED: Deed = { do: 'end', type: null };

/**
 * Classifies a user's message and carries out what follows from it; a waiting question of ctx's is answered first.
 * @throws {CtxError} invalid_input, if it is empty; busy, damaged
 */
export function handleUserMessage(repository: Repository, given: string, said: MessageOptions = {}): MessageResult {
  filledText(given, 'The message');
  const options = handlingOf(said);
  const redaction = redactionFor(repository);
  const message = redaction.text(given);
  const plan = (before: Before): Plan =>
    options.hook?.isRepeated(message, before)
      ? repeatedPlan(repository, before)
      : planMessage(repository, before, message, options);
  return handle(repository, options, plan, { message, redaction, command: 'message' });
}

/**
 * Answers the waiting question.
 * @throws {CtxError} no_choice, if none waits; invalid_input, if it is no answer to it
 */
export function handleChoice(repository: Repository, answer: string, said: MessageOptions = {}): MessageResult {
  const options = handlingOf(said);
  const plan = (before: Before): Plan => {
    const { choice, active, left } = before;
    const asked = active?.session ?? left;
    if (!choice || !asked) {
      throw new CtxError('no_choice', 'No question waits for an answer.', { hint: waitingQuestionHint(repository) });
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

/** A redacted message, and the command that it came with. */
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
  // The user's own program may be slow: it runs before LOCK is taken.
  if (repository.settings.classifier !== null) plan(lookAt(repository, options));
  const { hook } = options;
  const change = { command, message: command, pauses: true };
  for (let isWayFree = !hook; ; isWayFree = true) {
    const result = transact(repository, change, (transaction) => {
      const before = lookAt(repository, options);
      const found = plan(before);
      const waits = !isWayFree && mustSaveFirst(repository, transaction, before.active, found.deeds);
      return waits ? null : carryOutPlan(repository, transaction, before, found, options, said);
    });
    if (result) return result;
    if (hook) saveEndedCurrent(repository, change, hook.stageTrouble);
  }
}

/** Carries out the plan of a message. */
function carryOutPlan(
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
  // The session is saved: its pending records become a late step.
  const isPast = left !== null && found.answers?.goesTo === 'own';
  if (isPast) transaction.afterwards(() => removeChoice(repository, left.session_id));
  const answers = isPast ? null : found.answers;
  // Records after a question belong to the session that the answer picks: a new one reads them itself.
  const isLeft = answers?.goesTo === 'new';
  const increment = isLeft ? null : before.increment;
  if (!active && !isLeft) options.hook?.settle(transaction);
  // A text that was forgotten during the wait for LOCK must not come back.
  const redaction = redactionFor(repository, undefined, said.redaction.counts);
  const agent = options.agent ? redaction.text(options.agent) : null;
  const asked = active?.session ?? left;
  const taken = isLeft && asked ? conversationOf(asked) : null;
  const beginning = (): Beginning => options.hook?.beginning(active, increment) ?? taken ?? { agent };
  const beCurrent = options.hook !== undefined;
  // The session that the same agent had finished before in another conversation.
  const finished = !active && deeds.some((deed) => deed.do === 'start') ? options.hook?.finished(transaction) : null;
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
    finished: finished ?? null,
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
  const { choice = null, session = null } = (hook ? hook.unanswered(repository) : questionForCommand(repository)) ?? {};
  return { active, idle_secs: null, staleness: null, choice, left: session, increment: null };
}

/**
 * Returns the session that a manual message is for; null if none is active, or if the requested one is saved and has
 * left a question.
 */
const activeByHand = (repository: Repository): ActiveSession | null =>
  repository.session !== null && questionForCommand(repository) ? null : activeOrNone(repository);

function planMessage(repository: Repository, before: Before, message: string, options: Handling): Plan {
  const { active, choice, left } = before;
  if (!active) {
    const late = left && choice && lateAnswer(repository, left, choice, message, options, []);
    // A message outside of an agent's conversation does not pass over the question of that conversation.
    const isTheirs = left !== null && (options.hook !== undefined || left.sources.length === 0);
    return late ?? planFrom(repository, before, null, [], message, options, isTheirs ? passedOver(choice) : null);
  }
  const { session_state } = active.session;
  if (hasEnded(session_state.kind)) {
    const late = choice && lateAnswer(repository, active.session, choice, message, options, [SAVED]);
    return late ?? savedFirst(repository, before, [], session_state, message, options, passedOver(choice));
  }
  if (choice) {
    const picked = pickedAnswer(choice, active.session.task_description, message, options.as);
    if (picked) {
      const plan = answered(repository, active, picked.choice, picked.chosen, options);
      return picked.isAll ? withWordsKept(plan, message, options) : plan;
    }
    // Nobody continues what has been idle for so long, whatever the question was.
    if (before.staleness !== 'auto_compact') return continuePast(repository, before, active, choice, message, options);
  }
  const { first, state } = deedsBefore(repository, active, before.increment, latePrompt);
  const gone = passedOver(choice);
  if (state === null) return planFrom(repository, before, null, first, message, options, gone);
  if (hasEnded(state.kind)) return savedFirst(repository, before, first, state, message, options, gone);
  const { questions } = repository.settings;
  const beginsConversation = options.hook?.beginsConversation === true;
  const isSaved = (): boolean => {
    const { classification } = classOf(repository, before, state, message, options);
    return savesItself({ state: state.kind, classification, questions, beginsConversation });
  };
  const staleness = before.staleness === 'ask' && isSaved() ? 'fresh' : (before.staleness ?? 'fresh');
  const stale = stalePlan(staleness, before.idle_secs ?? 0, options.hook?.cannotAsk, questions);
  if (stale.some((deed) => deed.do === 'ask')) {
    const classified = classOf(repository, before, state, message, options);
    return { classified, action: 'asked', deeds: [...first, ...stale], answers: null, state_after: state };
  }
  const now = stateAfter(state, stale, repository.clock());
  return planFrom(repository, before, now, [...first, ...stale], message, options, gone);
}

/** Makes the answer to a question that a message passes over, since it ends the session or found it ended. */
const passedOver = (question: WaitingChoice | null): Answered | null => question && { question, goesTo: 'own' };

/**
 * Plans a message that answers the question of an ended session; null if it is no answer.
 * @param first what saves the session
 */
function lateAnswer(
  repository: Repository,
  session: Session,
  choice: WaitingChoice,
  message: string,
  options: Handling,
  first: readonly Deed[],
): Plan | null {
  const picked = pickedAnswer(choice, session.task_description, message, options.as);
  return picked && answeredLate(repository, session, picked.choice, picked.chosen, options, first);
}

/**
 * Plans a message to a session that has ended and is not saved yet: saving comes first.
 * @param deeds those that have ended it, if it had not ended before
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
  const saved = planFrom(repository, before, null, ended, message, options, answers);
  // Thanks within the turn that saves the session: the agent has not answered yet.
  const waits = options.hook !== undefined && state.kind === 'Complete' && saved.action === 'acknowledged';
  return waits ? { ...saved, deeds: saved.deeds.filter((deed) => deed.do !== 'end'), state_after: state } : saved;
}

/** Plans a message that does not answer the waiting question: the user continues the session. */
function continuePast(
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
    : planFrom(repository, before, state, deeds, message, options, answers);
  if (on.classified.classification !== 'Abandon' || options.as !== undefined) return on;
  // "Never mind" dismisses the question, and not what it offers to keep.
  return endsByName(message) ? abandoned(on, choice, message) : withWordsKept(gone, message, options);
}

/** Plans the end of the session that the question is about: the message that raised it is kept, and moves nothing. */
function abandoned({ classified }: Plan, choice: WaitingChoice, message: string): Plan {
  const kept: Deed = { do: 'note', content: choice.raised, role: 'plain' };
  const { action, deeds } = messagePlan({ state: 'Running', classification: 'Abandon', message, hook: false });
  return { classified, action, deeds: [kept, ...deeds], answers: passedOver(choice), state_after: null };
}

/** Classifies a message to a session in a state. */
function classOf(
  repository: Repository,
  { active }: Before,
  state: SessionState | null,
  message: string,
  { as, lastMessage, asking, hook }: Handling,
): Classified {
  const task = active?.session.task_description ?? null;
  const { beginsConversation } = hook ?? {};
  return classify(repository, message, { as, state, task, lastMessage, beginsConversation }, asking);
}

/** Plans a message that follows other deeds, from the state that they lead to. */
function planFrom(
  repository: Repository,
  before: Before,
  state: SessionState | null,
  deeds: readonly Deed[],
  message: string,
  options: Handling,
  answers: Answered | null,
): Plan {
  const classified = classOf(repository, before, state, message, options);
  const { classification } = classified;
  const { cannotAsk, beginsConversation } = options.hook ?? {};
  const { questions } = repository.settings;
  const circumstances = { hook: options.hook !== undefined, cannotAsk, beginsConversation, questions };
  const plan = messagePlan({ state: state?.kind ?? null, classification, message, ...circumstances });
  const state_after = stateAfter(state, plan.deeds, repository.clock());
  const all: Plan = { classified, action: plan.action, deeds: [...deeds, ...plan.deeds], answers, state_after };
  return before.active === null || keepWords(plan.deeds) ? all : withWordsKept(all, message, options);
}

/** Adds the words of a message to its plan, if nothing else records them. */
const withWordsKept = (plan: Plan, message: string, { hook }: Handling): Plan =>
  hook?.hasNoTranscript ? { ...plan, deeds: withWords(plan.deeds, message, 'user') } : plan;

/** Plans a message that was recorded before. */
export function repeatedPlan(repository: Repository, { active, choice }: Before): Plan {
  const state = active?.session.session_state ?? null;
  const deeds = active && state && !choice ? catchUpDeeds(repository, active, state, latePrompt) : [];
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
  /** The question, with what the answer adds to it: the new session is about both. */
  choice: WaitingChoice;
  /** True if the message says nothing else. */
  isAll: boolean;
}

/**
 * Returns the option that a message picks; null if it picks none, or only adds to the session that continues.
 * @param task the task of the session that was asked
 * @param as the class that an agent gives the message: unless that is a response, only an option's key is an answer
 */
export function pickedAnswer(
  choice: WaitingChoice,
  task: string,
  message: string,
  as: Classification | undefined,
): Picked | null {
  if (as !== undefined && as !== 'Response' && !isKey(message)) return null;
  const chosen = choiceBy(choice.kind, message);
  if (chosen !== null) return { chosen, choice, isAll: true };
  if (choiceWithMore(choice.kind, message, task) !== 'fresh') return null;
  return {
    chosen: 'fresh',
    choice: { ...choice, raised: `${choice.raised}\n\n${withoutLetter(message)}` },
    isAll: false,
  };
}
