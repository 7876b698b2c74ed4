/** Decides whether a message gives the task up, which it must say in so many words: "never mind", "stop", "scrap this". */
import { type WordSet, wordList } from '../core/word-set.ts';
import { piecesOf } from './acts.ts';
import { LEADS } from './clause-forms.ts';
import { isEndReason } from './end-reasons.ts';
import { PATTERNS } from './patterns.ts';
import type { ClauseKind, ClauseReading } from './reading.ts';
import { has, isFinished, isOnly, opensWith, takesNote, type View, viewOf, waits } from './view.ts';

const BESIDE: readonly ClauseKind[] = ['stop', 'dismiss', 'hold', 'no', 'leave', 'thanks', 'takeover', 'yes'];
const BEFORE: readonly ClauseKind[] = [...BESIDE, 'approve', 'own', 'tell'];
const TELLS_WHY = wordList`i it its im ive id we weve were that thats this there theres they my our found got figured fixed solved works turns already was not no too wewill ill ya sorry ich wir je jai on nous yo lo hab habe das`;
const WISHES = wordList`should shouldnt needs need must want wants prefer rather instead better could would use keep still then`;
const NEGATIONS = wordList`dont wont not no didnt never longer`;
const CANCELLED = wordList`cancelled canceled descoped postponed deprioritised deprioritized`;
const isReason = (words: readonly string[]): boolean =>
  CANCELLED.has(words.at(-1) ?? '') ||
  (words[0]?.endsWith('ing') === true && words.includes('is')) ||
  words.includes('decided') ||
  words.includes('agreed') ||
  (TELLS_WHY.has(words[0] ?? '') && !words.some((word, at) => WISHES.has(word) && !NEGATIONS.has(words[at - 1] ?? '')));

const tells = ({ kind, isQuestion }: ClauseReading): boolean => (kind === 'tell' || kind === 'own') && !isQuestion;
const tellsEnd = ({ kind, words }: ClauseReading): boolean =>
  !['ask', 'request', 'suggest'].includes(kind) && isEndReason(words);

/** Idioms that have their "it" in them: a noun behind them begins a sentence of its own. */
const HAS_OBJECT = wordList`it off plug`;
/** Words that would be what is waved away: "never mind that", and not the task. */
const OBJECTS = wordList`that this my our their the its`;
/** Returns whether a clause waves the task away: an idiom alone, or with the sentence that says why run on to it. */
function wavesAway({ kind, opening, words }: ClauseReading): boolean {
  if (kind === 'dismiss') return true;
  if (opening !== 'dismiss') return false;
  const pieces = piecesOf(words);
  const index = pieces.findIndex(({ sign }) => sign === 'dismiss');
  const rest = pieces.slice(index + 1).flatMap((piece) => piece.words);
  if (HAS_OBJECT.has(pieces[index]?.words.at(-1) ?? '')) return rest[0] === 'the' || isReason(rest);
  return isReason(rest) && !OBJECTS.has(rest[0] ?? '');
}

const TASK = wordList`task session project feature ticket story whole entire everything`;
const names = ({ words }: ClauseReading, set: WordSet): boolean => words.some((word) => set.has(word));
/** Words of "drop this" and "enough", which end the task if a reason for it is beside them. */
const GIVES_UP = wordList`continue proceed finish go enough drop throw toss chuck ditch discard bin trash shelve scrap kill`;
const OF_ALL = wordList`this all everything`;
const PARKED = wordList`shelve park postpone`;
const saidOf = (words: readonly string[]): string => words.filter((word) => !LEADS.has(word)).join(' ');
const leavesAll = ({ words }: ClauseReading): boolean => PATTERNS.leavesAll.test(saidOf(words));
const putsOff = (view: View, one: ClauseReading): boolean =>
  PATTERNS.makesTicket.test(one.words.join(' ')) ||
  (one.kind === 'publish' && !isFinished(view) && view.clauses.some(({ words }) => words.at(-1) === 'later'));
const STRONG = wordList`abandon scrap plug withdraw`;
/** Words of the user, and not of a thing that is to be stopped: "stop the task, it hangs". */
const SPEAKERS = wordList`i im ive ill we were weve wewill product they`;

/** Decides how a clause ends the task: by itself, or only with a reason beside it. */
function endingOf(view: View, clause: ClauseReading): 'alone' | 'with a reason' | null {
  if (wavesAway(clause) || (clause.kind === 'stop' && names(clause, TASK))) return 'alone';
  if (clause.kind === 'stop') return 'with a reason';
  if (clause.kind !== 'leave' || waits(view)) return null;
  if (names(clause, PARKED)) return 'with a reason';
  return names(clause, GIVES_UP) && (!isFinished(view) || names(clause, OF_ALL)) ? 'with a reason' : null;
}

/** Returns whether the task is waved away or stopped, and all that is said beside that is why. */
function isGivenUpWithReason(view: View): boolean {
  const at = view.clauses.findIndex((clause) => endingOf(view, clause) !== null);
  const ending = at < 0 ? null : endingOf(view, view.clauses[at] as ClauseReading);
  if (ending === null) return false;
  const isPutOff = view.clauses.some((one) => putsOff(view, one));
  if (has(view, 'publish') && !isPutOff) return false;
  const before = view.clauses.slice(0, at);
  if (!before.every((one) => BEFORE.includes(one.kind) && (!tells(one) || !names(one, WISHES)))) return false;
  const rest = view.clauses.slice(at + 1);
  const ender = view.clauses[at] as ClauseReading;
  const isStrong = ending === 'alone' && (names(ender, STRONG) || names(ender, TASK));
  const isBeside = (one: ClauseReading): boolean =>
    BESIDE.includes(one.kind) ||
    leavesAll(one) ||
    (isPutOff &&
      (putsOff(view, one) || (one.kind === 'tell' && one.words.length < 3) || one.words.includes('details'))) ||
    (isStrong &&
      tells(one) &&
      !names(one, WISHES) &&
      (ender.kind !== 'stop' || SPEAKERS.has(one.words[0] ?? '') || names(ender, STRONG))) ||
    one.kind === 'approve' ||
    tellsEnd(one) ||
    (tells(one) &&
      isReason(one.words) &&
      (ender.kind !== 'stop' || ending !== 'alone' || SPEAKERS.has(one.words[0] ?? '')));
  // A finished work that is waved away with praise may as well be approved.
  if (!rest.every(isBeside)) return false;
  const isTold = view.clauses.some((one) => tellsEnd(one) || leavesAll(one));
  return isTold || (ending === 'alone' && (before.length === 0 || !isFinished(view)));
}

const KEEPS = wordList`keep leave`;
/** Returns whether what the agent asked about is left as it is: "never mind, keep it". */
const isLeftAsItIs = (view: View): boolean =>
  waits(view) && view.clauses.some((one) => one.kind === 'leave' && names(one, KEEPS));

/** Returns whether a message says in so many words that the task ends, and wants nothing else. */
export function givesUp(view: View): boolean {
  if (has(view, 'stop', 'dismiss') && isOnly(view, ...BESIDE) && !(isFinished(view) && has(view, 'approve')))
    return !(waits(view) && opensWith(view, 'yes') && !takesNote(view)) && !isLeftAsItIs(view);
  return isGivenUpWithReason(view) && !isLeftAsItIs(view);
}

/** Returns whether the user continues alone: "I'll take it from here". */
export const takesOver = (view: View): boolean =>
  !waits(view) &&
  !isFinished(view) &&
  has(view, 'takeover') &&
  isOnly(view, 'takeover', 'no', 'hold', 'stop', 'own', 'yes', 'leave', 'thanks');

const RESTS = wordList`ok okay so then and i think guess we you can could should let lets just stop stopping here there now at this point for today tonight`;
const STOPS_AT = wordList`here there now today tonight`;
const STOPS = wordList`stop stopping`;
const rests = ({ kind, words }: ClauseReading): boolean =>
  (kind === 'takeover' && words.at(-1) === 'here') ||
  (words.some((word) => STOPS.has(word)) &&
    words.every((word) => RESTS.has(word)) &&
    words.some((word) => STOPS_AT.has(word)));
/** Returns whether finished work may stay where it is: "let's stop here" neither approves of it nor gives it up. */
export const stopsHere = (view: View): boolean =>
  isFinished(view) && !has(view, 'dismiss', 'publish', 'go') && view.clauses.some(rests);
/** Returns whether nothing else is said beside that but that the work is well, or thanks for it. */
export const signsOff = (view: View): boolean => {
  const others = view.clauses.filter((clause) => !rests(clause));
  return (
    stopsHere(view) && others.length > 0 && others.every(({ kind }) => ['thanks', 'approve', 'yes'].includes(kind))
  );
};

const WHOLES = wordList`task session project feature ticket story work everything all whole entire abandon`;
const OTHERS = wordList`that new other another second next request question message`;
/**
 * Returns whether words that end a task name it, or all of it: "cancel the task", "forget everything". "Never mind" and
 * "cancel" may be said of a mere question.
 */
export const endsByName = (message: string): boolean =>
  viewOf({ state: null, message }).clauses.some(
    (clause) =>
      [clause.kind, clause.opening].some((sign) => sign === 'stop' || sign === 'dismiss' || sign === 'leave') &&
      names(clause, WHOLES) &&
      !names(clause, OTHERS),
  );
