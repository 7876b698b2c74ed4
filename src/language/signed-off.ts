/** Whether the user only goes, behind finished work: "good, let's stop here", "ok thanks, I'll take it from here". */
import { wordSet } from '../core/word-set.ts';
import { isCalledOff, isStoppedAndClosed } from './called-off.ts';
import type { ClauseKind, ClauseReading } from './reading.ts';
import { has, isFinished } from './rule.ts';
import type { View } from './view.ts';

/** Words of who stops where the work stands, and what must be among them. */
const RESTS = wordSet(
  'ok okay so then and i think guess we you can could should let lets just stop stopping here there now at this point for today tonight',
);
const STOPS = wordSet('stop stopping');
const PLACE = wordSet('here there now today tonight');

/** Whether a clause says that the work may stand where it is; "stop" alone stops the agent. */
function goes({ kind, words }: ClauseReading): boolean {
  if (kind === 'takeover') return words.at(-1) === 'here';
  // Few have such a word: they alone are looked at further.
  if (!words.some((word) => STOPS.has(word))) return false;
  return words.every((word) => RESTS.has(word)) && words.some((word) => PLACE.has(word));
}

const CONTENT: readonly ClauseKind[] = ['thanks', 'approve', 'yes'];

/** Whether nothing else is said but that the work is well, or thanks for it. */
export function isSignedOff(view: View): boolean {
  const others = view.clauses.filter((clause) => !goes(clause));
  const isSaid = others.length > 0 && others.length < view.clauses.length;
  return isFinished(view) && isSaid && others.every(({ kind }) => CONTENT.includes(kind));
}

/** Whether nothing tells if the work is well, nor that it is given up. */
export const mayBeSignedOff = (view: View): boolean =>
  isFinished(view) &&
  view.clauses.some(goes) &&
  !has(view, 'dismiss', 'publish', 'go') &&
  !isCalledOff(view) &&
  !isStoppedAndClosed(view);
