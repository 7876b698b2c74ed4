/** Decides whether a message gives the task up: it waves it away, stops it and says why, or stops and closes it. */

import { wordSet } from '../core/word-set.ts';
import { piecesOf } from './acts.ts';
import { COURTESIES } from './announced-task.ts';
import { isEndReason, isNeedless } from './end-reasons.ts';
import { type View, viewOf } from './message-view.ts';
import type { ClauseKind, ClauseReading } from './reading.ts';
import { closesThing } from './reservations.ts';
import { has, isFinished, waits } from './rule.ts';

/** What a sentence begins with that only states why a task was waved away, and wants nothing of it changed. */
const TELLS_WHY = wordSet(
  'i it its im ive id we weve were that thats this there theres they my our found got figured fixed solved works turns already was not no too wewill ill ya ich wir je jai on nous yo lo hab habe das',
);
const WISHES = wordSet('should needs need must want wants prefer rather instead better could would');
const NEGATIONS: ReadonlySet<string> = new Set(['dont', 'wont', 'not', 'no', 'didnt', 'never', 'longer']);
const CANCELLED = wordSet('cancelled canceled descoped postponed deprioritised deprioritized');
/** "Mocking that is a nightmare". */
const isDoing = ([first = '', ...rest]: readonly string[]): boolean => first.endsWith('ing') && rest.includes('is');
const isReason = (words: readonly string[]): boolean =>
  (TELLS_WHY.has(words[0] ?? '') || isDoing(words) || CANCELLED.has(words.at(-1) ?? '')) &&
  !words.some((word, index) => WISHES.has(word) && !NEGATIONS.has(words[index - 1] ?? ''));

/** Idioms that have their "it" in them: a noun behind them begins a sentence of its own. */
const HAS_OBJECT: ReadonlySet<string> = new Set(['it', 'off', 'plug']);
/** Words that would be what is waved away: "never mind that", and not the task. */
const OBJECTS: ReadonlySet<string> = new Set(['that', 'this', 'my', 'our', 'their']);

/** Returns whether a clause waves the task away: an idiom alone, or with the sentence that says why run on to it. */
function wavesAway({ kind, opening, words }: ClauseReading): boolean {
  if (kind === 'dismiss') return true;
  if (opening !== 'dismiss') return false;
  const pieces = piecesOf(words);
  const index = pieces.findIndex(({ sign }) => sign === 'dismiss');
  const rest = pieces.slice(index + 1).flatMap((piece) => piece.words);
  const idiom = pieces[index]?.words.at(-1) ?? '';
  // What is given up is a thing of it: "give up its lock".
  if (idiom === 'up' && rest[0] === 'its') return false;
  if (HAS_OBJECT.has(idiom)) return rest[0] === 'the' || isReason(rest);
  return isReason(rest) && !OBJECTS.has(rest[0] ?? '');
}

/** What may be behind words that wave a task away. */
const BEHIND_DISMISSAL: readonly ClauseKind[] =
  'dismiss stop hold no yes thanks leave takeover approve publish glue'.split(' ') as ClauseKind[];

/** Returns whether a clause only states, or says of the task that nobody needs it. */
const tells = ({ kind }: ClauseReading): boolean => kind === 'tell' || kind === 'own';
const tellsEnd = ({ kind, words }: ClauseReading): boolean =>
  kind !== 'ask' && kind !== 'request' && kind !== 'suggest' && isEndReason(words);

/** Words for the task itself; who stops that, waves it away. */
const TASKS = wordSet('task session project feature ticket story');
export const stopsTask = ({ kind, words }: ClauseReading): boolean =>
  kind === 'stop' && words.some((word) => TASKS.has(word));
/** Words of the user, and not of a thing that is to be stopped: "stop the task, it hangs". */
const SPEAKERS = wordSet('i im ive ill we were weve wewill');

/** Returns whether work that is under way is waved away behind what only states: "wrong branch. Forget everything". */
function isWavedAwayAtLast(view: View): boolean {
  const last = view.clauses.at(-1);
  if (last?.kind !== 'dismiss' || view.clauses[0]?.kind === 'dismiss' || waits(view) || isFinished(view)) return false;
  const isWish = ({ words }: ClauseReading): boolean => words.some((word) => WISHES.has(word));
  return view.clauses.every((clause) => COURTESIES.includes(clause.kind) || (tells(clause) && !isWish(clause)));
}

/** Returns whether nothing behind the words that wave the task away continues with it. */
export function isDismissal(view: View): boolean {
  if (isWavedAwayAtLast(view)) return true;
  const [first, ...rest] = view.clauses;
  if (!first || !(wavesAway(first) || stopsTask(first))) return false;
  const isWhy = (clause: ClauseReading): boolean =>
    tells(clause) && isReason(clause.words) && (!stopsTask(first) || SPEAKERS.has(clause.words[0] ?? ''));
  return rest.every((clause) => BEHIND_DISMISSAL.includes(clause.kind) || tellsEnd(clause) || isWhy(clause));
}

/** Words that end the task if a reason for it is beside them. */
const GIVES_UP = wordSet(
  'enough drop throw toss chuck ditch discard bin trash shelve scrap go continue proceed finish kill',
);
/** Words for all that was done: behind finished work "drop it" may be one thing that the agent left. */
const OF_ALL = wordSet('this all everything');
/** What takes all of the work back, and is done by the agent: "revert everything". */
const TAKES_BACK = wordSet('revert undo discard roll rollback');
const BEHIND_TAKEN = wordSet(
  'everything all of it this that back the changes please and what you did so far youve done',
);
const takesAllBack = (said: readonly string[]): boolean => takesBack(said[0] === 'and' ? said.slice(1) : said);
const takesBack = ([verb = '', ...words]: readonly string[]): boolean =>
  TAKES_BACK.has(verb) &&
  words.every((word) => BEHIND_TAKEN.has(word)) &&
  words.some((word) => word === 'all' || word === 'everything' || word === 'did' || word === 'done');

/** Returns whether a clause calls the task off, if it is said why: "stop", and if the agent had not asked "drop this". */
const callsOff = (view: View, { kind, words }: ClauseReading): boolean =>
  kind === 'stop' ||
  kind === 'dismiss' ||
  (!waits(view) &&
    ((kind === 'leave' &&
      words.some((word) => GIVES_UP.has(word)) &&
      (!isFinished(view) || words.some((word) => OF_ALL.has(word)))) ||
      takesAllBack(words)));

/** Returns whether the agent is stopped, and said why there is nothing left to do: "cancel that, we found another solution". */
export function isCalledOff(view: View): boolean {
  const at = view.clauses.findIndex((clause) => callsOff(view, clause));
  if (at < 0 || has(view, 'publish')) return false;
  const others = view.clauses.filter((clause, index) => index > at && !callsOff(view, clause));
  const isWhy = (clause: ClauseReading): boolean =>
    tellsEnd(clause) || BEHIND_DISMISSAL.includes(clause.kind) || (tells(clause) && isReason(clause.words));
  const before = view.clauses.slice(0, at);
  const isLeadUp = (clause: ClauseReading): boolean => COURTESIES.includes(clause.kind) || tells(clause);
  const isTakenBack = has(view, 'dismiss', 'stop') && view.clauses.some(({ words }) => takesAllBack(words));
  return (isTakenBack || view.clauses.some(tellsEnd)) && others.every(isWhy) && before.every(isLeadUp);
}

/** "Close this" and "close it": all of the work, if the agent is stopped as well. */
const CLOSES = wordSet('close closing it this that out now please the task ticket issue');
const closesWork = ({ kind, words }: ClauseReading): boolean =>
  kind === 'publish' && CLOSES.has(words[0] ?? '') && words.every((word) => CLOSES.has(word));
/**
 * Returns whether the agent is stopped and the work closed, and at most said what shall not be: "stop, no new service. Close
 * this."
 */
export function isStoppedAndClosed(view: View): boolean {
  const [first, ...rest] = view.clauses;
  const last = rest.pop();
  if (first?.kind !== 'stop' || !last || !closesWork(last) || closesThing(view)) return false;
  const isRefused = (clause: ClauseReading): boolean => tells(clause) && clause.words[0] === 'no';
  // Behind finished work "stop, close it" may as well approve of it.
  if (isFinished(view) && !rest.some(isRefused)) return false;
  return rest.every((clause) => isRefused(clause) || tellsEnd(clause) || BEHIND_DISMISSAL.includes(clause.kind));
}

/** Kinds beside words that stop the agent which change nothing of them. */
const BESIDE_STOP: readonly ClauseKind[] = ['stop', 'dismiss', 'hold', 'no', 'yes', 'thanks'];
/** Returns whether the agent is stopped, for something that the message names is no longer needed: the task, or a thing in it. */
export const isStoppedForNeed = (view: View): boolean =>
  has(view, 'stop', 'dismiss') &&
  has(view, 'tell', 'own') &&
  view.clauses.every((clause) => BESIDE_STOP.includes(clause.kind) || (tells(clause) && isNeedless(clause.words)));

/** Words for all of the work, and for what may as well be something else that was just spoken of. */
const WHOLES = wordSet('task session project feature ticket story work everything all whole entire abandon');
const OTHERS = wordSet('that new other another second next request question message');
/**
 * Whether words that end a task name it, or all of it: "cancel the task", "forget everything". "Never mind" and "cancel" may
 * be said of a mere question.
 */
export const endsByName = (message: string): boolean =>
  viewOf({ state: null, message }).clauses.some(
    ({ kind, opening, words }) =>
      [kind, opening].some((sign) => sign === 'stop' || sign === 'dismiss' || sign === 'leave') &&
      words.some((word) => WHOLES.has(word)) &&
      !words.some((word) => OTHERS.has(word)),
  );
