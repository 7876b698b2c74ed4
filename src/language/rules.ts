/** The rules of classification in their order: the first one that fits a message decides. */
import { wordSet } from '../core/word-set.ts';
import { goesOnward } from './acts.ts';
import { isApprovalWithReason, isDenied } from './approval-with-reason.ts';
import { isDoubted } from './doubts.ts';
import { asks, isOffered, isOnly, isPlanPut, onlyAsks, opensWith, type View, wantsWork } from './message-view.ts';
import { PATTERNS } from './patterns.ts';
import type { ClauseReading } from './reading.ts';
import {
  closesThing,
  hasReservation,
  isComparison,
  isPushedOn,
  mergesThings,
  waitsFor,
  withoutReport,
  wrapsUp,
} from './reservations.ts';
import { has, isFinished, isNone, quote, type Rule, waits } from './rule.ts';
import { ASKED } from './rules-asked.ts';
import { ENDINGS, WORDLESS } from './rules-endings.ts';
import { GIVEN_UP, LEANINGS } from './rules-leaning.ts';
import { answersItself } from './self-answered.ts';

/** Kinds that say no more than that the work is well, or that it may be published. */
const CONTENT = ['approve', 'thanks', 'yes', 'publish', 'own'] as const;

const ANSWERS: readonly Rule[] = [
  {
    name: 'thanks to a question',
    prior: 0.8,
    classification: 'Confirmation',
    fits: (view) => waits(view) && isOnly(view, 'thanks'),
    reason: (view) => `It says ${quote(view, 'thanks')} and answers nothing.`,
  },
  {
    name: 'approved with a change',
    prior: 0.95,
    classification: 'Modification',
    fits: (view) => (waits(view) || isFinished(view)) && opensWith(view, 'approve') && has(view, 'but', 'also'),
    reason: (view) => `It begins with ${quote(view)} and asks for a change.`,
  },
  {
    name: 'added to a question',
    prior: 0.85,
    classification: 'Modification',
    fits: (view) => waits(view) && view.clauses[0]?.kind === 'also',
    reason: (view) => `It begins with ${quote(view)}: it adds to the task instead of answering.`,
  },
  {
    name: 'corrected value',
    prior: 0.85,
    classification: 'Modification',
    fits: (view) => waits(view) && PATTERNS.correction.test(view.text),
    reason: (view) => `It puts one value in the place of another: ${quote(view)}.`,
  },
  GIVEN_UP,
  {
    name: 'yes, no or choice',
    prior: 0.92,
    classification: 'Response',
    fits: (view) =>
      waits(view) && opensWith(view, 'yes', 'no', 'pick', 'go') && !onlyAsks(view) && !has(view, 'stop', 'dismiss'),
    reason: (view) => `The agent had asked, and it begins with ${quote(view)}.`,
  },
  {
    name: 'asked back',
    prior: 0.85,
    classification: 'Clarification',
    fits: (view) => waits(view) && asks(view) && !wantsWork(view),
    reason: (view) => `It asks back instead of answering: ${quote(view, 'ask', 'inform', 'talk')}.`,
  },
  {
    name: 'plan changed',
    prior: 0.85,
    classification: 'Modification',
    fits: (view) => waits(view) && isPlanPut(view) && !opensWith(view, 'approve'),
    reason: () => 'The agent waits for approval of a plan, and it says something else about it.',
  },
  {
    name: 'answer',
    prior: 0.8,
    classification: 'Response',
    fits: waits,
    reason: () => 'The agent had asked, and it is neither a question nor about something else.',
  },
];

/** Returns whether a message declines with thanks, or says explicitly that there is no need. */
const isDeclined = ({ clauses }: View): boolean =>
  clauses.some(({ words }) => words.some((word) => word === 'thanks' || word === 'thank' || word === 'need'));

/** "Looks good so far", while the agent is at work. */
const isPraiseSoFar = ({ clauses }: View): boolean =>
  clauses.length > 0 &&
  clauses.every(
    ({ kind, opening, words }) =>
      kind === 'approve' || (opening === 'approve' && words.length <= MOST_OF_PRAISE && words.at(-1) === 'far'),
  );
const MOST_OF_PRAISE = 6;

/** The number of characters at the end of the agent's message in which a question is searched. */
const MOST_ASKED = 200;

const CONFIRMATIONS: readonly Rule[] = [
  {
    name: 'to be published',
    prior: 0.8,
    classification: 'Confirmation',
    fits: (view) =>
      isFinished(view) &&
      has(view, 'go') &&
      isOnly(view, 'go', 'yes', 'approve', 'thanks') &&
      !view.clauses.some(({ kind, words }) => kind === 'go' && (goesOnward(words) || words.includes('again'))) &&
      PATTERNS.asksToPublish.test(view.lastMessage.slice(-MOST_ASKED)),
    reason: (view) => `The agent asked whether to publish the work, and it says ${quote(view, 'go')}.`,
  },
  {
    name: 'more is wanted',
    prior: 0.8,
    classification: 'Response',
    fits: (view) => isFinished(view) && has(view, 'yes') && isOnly(view, 'yes', 'own') && isOffered(view),
    reason: (view) => `The agent offered more, and it says ${quote(view, 'yes')}.`,
  },
  {
    name: 'published',
    prior: 0.9,
    classification: 'Confirmation',
    fits: (view) =>
      isFinished(view) &&
      has(view, 'publish') &&
      isOnly(withoutReport(view), ...CONTENT, 'go', 'no', 'takeover') &&
      !isPushedOn(view) &&
      !waitsFor(view) &&
      !closesThing(view) &&
      !mergesThings(view),
    reason: (view) => `The work was finished, and it wants it published: ${quote(view, 'publish')}.`,
  },
  {
    name: 'approved',
    prior: 0.95,
    classification: 'Confirmation',
    fits: (view) =>
      isFinished(view) &&
      has(view, 'approve', 'thanks') &&
      isOnly(withoutReport(view), ...CONTENT, 'no', 'takeover', 'leave') &&
      !isComparison(view) &&
      !waitsFor(view) &&
      !isDenied(view) &&
      !hasReservation(withoutReport(view)),
    reason: (view) => `It says ${quote(view, 'approve', 'thanks')} and asks for nothing more.`,
  },
  {
    name: 'approved and why',
    prior: 0.85,
    classification: 'Confirmation',
    fits: (view) => isFinished(view) && isApprovalWithReason(view),
    reason: (view) => `It says ${quote(view, 'approve', 'publish', 'thanks')}, and beside it nothing but why.`,
  },
  {
    name: 'agreed',
    prior: 0.75,
    classification: 'Confirmation',
    fits: (view) => isFinished(view) && isOnly(view, 'yes'),
    reason: (view) => `The work was finished, and it says ${quote(view, 'yes')}.`,
  },
  {
    name: 'no more',
    prior: 0.75,
    classification: 'Confirmation',
    fits: (view) => isFinished(view) && isOnly(view, 'no') && (isOffered(view) || isDeclined(view)),
    reason: (view) => `The work was finished, and it wants no more: ${quote(view, 'no')}.`,
  },
  {
    name: 'praise',
    prior: 0.8,
    classification: 'Confirmation',
    fits: (view) =>
      !isFinished(view) &&
      !wrapsUp(view) &&
      ((has(view, 'approve', 'thanks') && isOnly(view, 'approve', 'thanks', 'yes')) ||
        isPraiseSoFar(view) ||
        (view.state !== 'Interrupted' && isOnly(view, 'yes'))),
    reason: (view) => `It says ${quote(view, 'approve', 'thanks', 'yes')}, and nothing waits for approval.`,
  },
];

const DROPS = wordSet('drop ditch kill discard throw bin');
/** Checks whether a message wants something done, and asks beside it: "deploy it, then show me what you see". */
function isToDo({ clauses }: View): boolean {
  const last = clauses.at(-1);
  const asked = clauses.findIndex(({ kind }) => kind === 'ask' || kind === 'inform');
  if (asked < 0) return false;
  // "Why a queue? Drop it."
  if (clauses.some(({ kind, words }, at) => at > asked && kind === 'leave' && DROPS.has(words[0] ?? ''))) return true;
  if (last?.kind === 'go' && asked < clauses.length - 1) return !goesOnward(last.words);
  return last?.kind === 'inform' && clauses.slice(0, asked).some(({ kind }) => kind === 'publish');
}

/** Returns whether a clause asks for the same work once more, and not only that the agent continues: "try again". */
const isOnceMore = ({ kind, words }: ClauseReading): boolean =>
  kind === 'go' && (words.includes('again') || words.includes('retry'));

const REST: readonly Rule[] = [
  {
    name: 'doubted',
    prior: 0.85,
    classification: 'Modification',
    fits: (view) => !isNone(view) && isDoubted(view),
    reason: (view) => `It asks ${quote(view)} and says that it is not so.`,
  },
  {
    name: 'asked and answered',
    prior: 0.8,
    classification: 'Modification',
    fits: (view) => !isNone(view) && answersItself(view),
    reason: (view) => `It asks ${quote(view, 'ask', 'inform')} and says the answer.`,
  },
  {
    name: 'asked and to be done',
    prior: 0.8,
    classification: 'Modification',
    fits: (view) => !isNone(view) && isToDo(view),
    reason: (view) => `It wants something done, and to be told: ${quote(view, 'publish', 'go', 'leave')}.`,
  },
  {
    name: 'once more',
    prior: 0.85,
    classification: 'Modification',
    fits: (view) =>
      !isNone(view) && isOnly(view, 'go', 'yes', 'own', 'approve', 'thanks', 'no') && view.clauses.some(isOnceMore),
    reason: (view) => `It wants it done once more: ${quote(view, 'go')}.`,
  },
  {
    name: 'go on',
    prior: 0.85,
    classification: 'Response',
    fits: (view) =>
      has(view, 'go', 'pick', 'yes') && isOnly(view, 'go', 'pick', 'yes', 'own', 'approve', 'thanks', 'no'),
    reason: (view) => `It says ${quote(view, 'go', 'pick', 'yes')}: the agent shall go on.`,
  },
  {
    name: 'question',
    prior: 0.88,
    classification: 'Clarification',
    fits: (view) => asks(view) && !wantsWork(view),
    reason: (view) => `It asks and wants nothing changed: ${quote(view, 'ask', 'inform', 'talk')}.`,
  },
  {
    name: 'nothing to refuse',
    prior: 0.6,
    classification: 'Unclear',
    fits: (view) => isNone(view) && isOnly(view, 'no', 'hold', 'leave', 'takeover', 'own'),
    reason: (view) => `It says ${quote(view)}, and no task is under way.`,
  },
  {
    name: 'added',
    prior: 0.9,
    classification: 'Modification',
    fits: (view) => view.clauses[0]?.kind === 'also',
    reason: (view) => `It begins with ${quote(view)}: it adds to the task.`,
  },
  {
    name: 'first words',
    prior: 0.9,
    classification: 'NewTask',
    fits: isNone,
    reason: () => 'No task is under way, and it says what to do.',
  },
  ...LEANINGS,
  {
    name: 'request',
    prior: 0.75,
    classification: 'Modification',
    fits: wantsWork,
    reason: (view) => `It asks for a change: ${quote(view, 'request', 'suggest')}.`,
  },
];

/** The rule that applies if no other rule fits. */
export const LAST_RULE: Rule = {
  name: 'remark',
  prior: 0.6,
  classification: 'Modification',
  fits: () => true,
  reason: (view) => `It tells something about the task: ${quote(view)}.`,
};

export const RULES: readonly Rule[] = [
  ...ASKED,
  ...ENDINGS,
  ...WORDLESS,
  ...ANSWERS,
  ...CONFIRMATIONS,
  ...REST,
  LAST_RULE,
];
