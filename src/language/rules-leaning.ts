/** The rules for what no other could read: what all of a message leans to. */
import { namesAsked } from './agent-question.ts';
import { isDenied } from './approval-with-reason.ts';
import type { Leaning } from './features.ts';
import { addsThing, isToldToContinue } from './further-requests.ts';
import { leanOf } from './linear-model.ts';
import { namesSpoken, onlyAsks, type View } from './message-view.ts';
import {
  closesThing,
  hasReservation,
  isPartly,
  isPushedOn,
  mergesThings,
  waitsFor,
  withoutReport,
} from './reservations.ts';
import { has, isFinished, type Rule, waits } from './rule.ts';

/** The least probability of each leaning. The weights are least precise for a new task. */
const LEAST_LIKELY: Readonly<Record<Leaning, number>> = { Confirmation: 0.5, Abandon: 0.5, NewTask: 0.72 };

/** The same behind finished work for what begins as "drop it" does, which may be said of one thing in it. */
const LEAST_OF_LEFT = 0.75;

/** The same if no word ends anything: many a correction is informed in the words of a reason to give up. */
const LEAST_UNSAID = 0.55;
/** Returns how likely giving up must be. */
function leastOf(view: View): number {
  if (isFinished(view) && has(view, 'leave')) return LEAST_OF_LEFT;
  const isSaid = view.clauses.some(({ kind, opening }) => [kind, opening].some((sign) => ENDS.has(sign ?? '')));
  return isSaid ? LEAST_LIKELY.Abandon : LEAST_UNSAID;
}
const ENDS: ReadonlySet<string> = new Set(['stop', 'dismiss', 'leave']);

/** What has fewer words the rules know, or nobody does. */
const FEWEST_WORDS = 3;

/** Returns whether a message has a leaning, and some of its words show it: its length alone does not count. */
const isLike = (view: View, leaning: Leaning, least = LEAST_LIKELY[leaning]): boolean =>
  view.words >= FEWEST_WORDS && leanOf(view).shares[leaning] >= least && leanOf(view).words(leaning).length > 0;

/** The words that speak for a leaning most. */
const leaningWords = (view: View, leaning: Leaning): string =>
  leanOf(view)
    .words(leaning)
    .map((word) => `“${word}”`)
    .join(', ');

/** Before it is an answer, for a refusal may be of the task; "drop it" is rather of what the agent asked about. */
export const GIVEN_UP: Rule = {
  name: 'like giving up a question',
  prior: 0.8,
  classification: 'Abandon',
  fits: (view) =>
    waits(view) &&
    !onlyAsks(view) &&
    isLike(view, 'Abandon') &&
    !isToldToContinue(view) &&
    !namesAsked(view) &&
    !has(view, 'leave'),
  reason: (view) =>
    `The agent had asked, and all of it sounds like giving the task up: ${leaningWords(view, 'Abandon')}.`,
};

export const LEANINGS: readonly Rule[] = [
  {
    name: 'like approval',
    prior: 0.85,
    classification: 'Confirmation',
    fits: (view) =>
      isFinished(view) &&
      !isDenied(view) &&
      !waitsFor(view) &&
      !closesThing(view) &&
      !mergesThings(view) &&
      !isPushedOn(view) &&
      !isPartly(view) &&
      !addsThing(view) &&
      !hasReservation(withoutReport(view)) &&
      isLike(view, 'Confirmation'),
    reason: (view) =>
      `The work was finished, and all of it sounds like approval: ${leaningWords(view, 'Confirmation')}.`,
  },
  {
    name: 'like giving up',
    prior: 0.85,
    classification: 'Abandon',
    fits: (view) => isLike(view, 'Abandon', leastOf(view)) && !isToldToContinue(view),
    reason: (view) => `All of it sounds like giving the task up: ${leaningWords(view, 'Abandon')}.`,
  },
  {
    // None is of what the agent has just spoken of.
    name: 'like another task',
    prior: 0.8,
    classification: 'NewTask',
    fits: (view) => isLike(view, 'NewTask') && !view.clauses.some((clause) => namesSpoken(view, clause)),
    reason: (view) => `All of it sounds like another task: ${leaningWords(view, 'NewTask')}.`,
  },
];
