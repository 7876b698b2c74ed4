/** Decides whether the user doubts that finished work is what the agent called it. */
import { wordSet } from '../core/word-set.ts';
import { piecesOf } from './acts.ts';
import { FORM_BOOK } from './clause-forms.ts';
import type { View } from './message-view.ts';
import { matchAt } from './phrases.ts';
import type { ClauseReading } from './reading.ts';

/** Words that say of what was called done that it is not. */
export const DENIES = wordSet('not isnt doesnt didnt arent still failing fails broken breaks wrong nothing');
/** The same behind approval that is put as a question; anywhere else they may only state of the work. */
export const CONTRADICTS = wordSet(
  'fail failed failure failures error errors red crash crashes crashed otherwise differs different disagrees says old cant cannot wont broke hangs missing empty null undefined nan blank',
);

/** Returns whether a clause repeats the words of the agent as a question: "all tests pass?" and not "do they pass?" */
const isEcho = ({ kind, words }: ClauseReading): boolean =>
  kind === 'ask' && matchAt(FORM_BOOK, words, 0) === null && piecesOf(words).some(({ sign }) => sign === 'approve');

/** Words of approval put as a question, and denied: "done? it is not done", "works? have you even tried it". */
export const isDoubted = ({ clauses: [first, ...rest] }: View): boolean =>
  first !== undefined &&
  isEcho(first) &&
  rest.some(
    ({ kind, isQuestion, words }) =>
      ((kind === 'tell' || kind === 'own') &&
        !isQuestion &&
        words.some((word) => DENIES.has(word) || CONTRADICTS.has(word))) ||
      ((kind === 'ask' || kind === 'inform') && words.includes('even')),
  );
