/** The rules for what no other could read: what all of a message leans to. */
import { isDenied } from './contents.ts';
import type { Leaning } from './features.ts';
import { leanOf } from './leaning.ts';
import {
  closesThing,
  hasReservation,
  isPartly,
  isPushedOn,
  mergesThings,
  waitsFor,
  withoutReport,
} from './reservations.ts';
import { isFinished, type Rule, waits } from './rule.ts';
import { onlyAsks, type View } from './view.ts';

/** How likely a message must be what it leans to. Another task is what the weights are least precise in. */
const LEAST_LIKELY: Readonly<Record<Leaning, number>> = { Confirmation: 0.55, Abandon: 0.55, NewTask: 0.72 };

/** What has fewer words the rules know, or nobody does. */
const FEWEST_WORDS = 3;

/** Whether it leans so, and some words of it say so: how short it is, or where it stands, says nothing by itself. */
const isLike = (view: View, leaning: Leaning): boolean =>
  view.words >= FEWEST_WORDS &&
  leanOf(view).shares[leaning] >= LEAST_LIKELY[leaning] &&
  leanOf(view).words(leaning).length > 0;

/** The words that speak for a leaning most. */
const leaningWords = (view: View, leaning: Leaning): string =>
  leanOf(view)
    .words(leaning)
    .map((word) => `“${word}”`)
    .join(', ');

/** Before it is an answer, for a refusal may be of the task. */
export const GIVEN_UP: Rule = {
  name: 'like giving up a question',
  prior: 0.8,
  classification: 'Abandon',
  fits: (view) => waits(view) && !onlyAsks(view) && isLike(view, 'Abandon'),
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
      !hasReservation(withoutReport(view)) &&
      isLike(view, 'Confirmation'),
    reason: (view) =>
      `The work was finished, and all of it sounds like approval: ${leaningWords(view, 'Confirmation')}.`,
  },
  {
    name: 'like giving up',
    prior: 0.85,
    classification: 'Abandon',
    fits: (view) => isLike(view, 'Abandon'),
    reason: (view) => `All of it sounds like giving the task up: ${leaningWords(view, 'Abandon')}.`,
  },
  {
    name: 'like another task',
    prior: 0.8,
    classification: 'NewTask',
    fits: (view) => isLike(view, 'NewTask'),
    reason: (view) => `All of it sounds like another task: ${leaningWords(view, 'NewTask')}.`,
  },
];
