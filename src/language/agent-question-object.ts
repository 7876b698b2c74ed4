/** Decides whether words that would end a task answer a question about one thing: "no longer needed", "forget it", "don't bother". */
import { wordSet } from '../core/word-set.ts';
import {
  endingsOf,
  isAsking,
  isChoice,
  isOfAll,
  ONWARD,
  questionOf,
  sentencesAround,
  wordsOf,
} from './agent-question.ts';
import { FORM_BOOK } from './clause-forms.ts';
import { isEndReason } from './end-reasons.ts';
import type { Piece } from './lexicon.ts';
import type { View } from './message-view.ts';
import { PATTERNS } from './patterns.ts';
import { matchAt } from './phrases.ts';

const NEEDS = wordSet('need needed');
/** Words that say of a thing that nobody needs it. */
const isNeedless = ({ words }: Piece): boolean => words.some((word) => NEEDS.has(word));

const LEAVES = wordSet('forget scratch scrap');
const THING = wordSet('it this that');
/** Idioms that leave a thing as much as a task: the "it" in them is what was spoken of. */
const leavesThing = ({ words }: Piece): boolean =>
  words.includes('bother') || (LEAVES.has(words[0] ?? '') && THING.has(words.at(-1) ?? ''));

/** Returns whether a message says why there is nothing left to do, and not only that a thing is not needed. */
const tellsOfEnd = ({ clauses }: View): boolean =>
  clauses.some(({ words }) => isEndReason(words) && !words.some((word) => NEEDS.has(word)));

/** The verb of what a question would have the agent do: "shall I delete it?", "delete it?" */
function deedOf(question: string): string | undefined {
  const verb = PATTERNS.deedVerb.exec(question)?.[1]?.toLowerCase();
  const words = wordsOf(question);
  return verb ?? (matchAt(FORM_BOOK, words, 0)?.sign === 'request' ? words[0] : undefined);
}

const STILL = wordSet('still need needs needed required necessary');
const TURNED = wordSet('is are was were does do did has have can');
/** Returns what a question is about: whether to do a thing or to have it, which of two to do, or whether something is so. */
function subjectOf(question: string): 'thing' | 'choice' | 'fact' | null {
  const words = wordsOf(question);
  const deed = deedOf(question);
  if (isChoice(question)) return deed === undefined ? null : 'choice';
  if (deed !== undefined) return ONWARD.has(deed) ? null : 'thing';
  if (!TURNED.has(words[0] ?? '')) return null;
  return words.some((word) => STILL.has(word)) ? 'thing' : 'fact';
}
const asksOf = (view: View, ...subjects: readonly ReturnType<typeof subjectOf>[]): boolean =>
  sentencesAround(view).some((sentence) => isAsking(sentence) && subjects.includes(subjectOf(sentence)));

/** Phrases that would end the task, if all of them speak of one thing as much. */
function leavingsOf(view: View): Piece[] {
  const endings = endingsOf(view);
  const isOfThing = endings.every((ending) => isNeedless(ending) || leavesThing(ending));
  return isOfThing && !isOfAll(view) && !tellsOfEnd(view) ? endings : [];
}

/** "Which" and "where" ask for something else than whether a thing is needed. */
const asksOpenly = (question: string): boolean =>
  PATTERNS.asksFact.test(question) && !PATTERNS.asksWhatWith.test(question);

/** Returns whether only the thing that the agent asked about is given up: "no longer needed", asked "do we still need the flag?" */
export function leavesAsked(view: View): boolean {
  const leavings = leavingsOf(view);
  const question = questionOf(view);
  if (leavings.length === 0 || question === '') return false;
  if (leavings.every(isNeedless)) return !asksOpenly(question);
  const isOfThing = asksOf(view, 'thing') || PATTERNS.asksWhatWith.test(question);
  return leavings.every(leavesThing) && isOfThing && !view.clauses.some(givesNeed);
}
const givesNeed = ({ words }: View['clauses'][number]): boolean => words.some((word) => NEEDS.has(word));

/** Returns whether a message may give up the task, or only what the agent asked about. */
export function mayLeaveAsked(view: View): boolean {
  const leavings = leavingsOf(view);
  if (leavings.length === 0) return false;
  return leavings.every(isNeedless) || asksOf(view, 'thing', 'choice', 'fact');
}
