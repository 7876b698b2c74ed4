/** The rules for what ends or starts a task in so many words, and for what says too little to tell. */

import { wordSet } from '../word-set.ts';
import { piecesOf } from './acts.ts';
import { announced, COURTESIES, opensPart } from './announced.ts';
import { bare } from './characters.ts';
import { isEndReason, isNeedless } from './end-reasons.ts';
import { PATTERNS } from './patterns.ts';
import type { ClauseKind, ClauseReading } from './reading.ts';
import { has, hasNoWords, isFinished, isNone, quote, type Rule, waits } from './rule.ts';
import { clauseOf, goesOn, isOnly, namesKnown, opensWith, takesNote, type View } from './view.ts';

/** Words without meaning that are no message yet. */
const FEW_WORDS = 2;

/** A command of the agent's own, as in "/review": its name. */
const commandOf = ({ text }: View): string =>
  (text.startsWith('/') ? PATTERNS.command.exec(text)?.[1]?.toLowerCase() : undefined) ?? '';
const STOP_COMMANDS = ['stop', 'cancel', 'abort'];
const END_COMMANDS = ['new', 'clear', 'reset', 'exit', 'quit', 'logout'];

/** What a sentence begins with that only tells why a task was waved away, and wants nothing of it changed. */
const TELLS_WHY = wordSet(
  'i it its im ive id we weve were that thats this there theres they my our found got figured fixed solved works turns already was not no too wewill ill',
);
const WISHES = wordSet('should needs need must want wants prefer rather instead better could would');
const NEGATIONS: ReadonlySet<string> = new Set(['dont', 'wont', 'not', 'no', 'didnt', 'never', 'longer']);
const isReason = (words: readonly string[]): boolean =>
  TELLS_WHY.has(words[0] ?? '') &&
  !words.some((word, index) => WISHES.has(word) && !NEGATIONS.has(words[index - 1] ?? ''));

/** Idioms that have their "it" in them: a noun behind them begins a sentence of its own. */
const HAS_OBJECT: ReadonlySet<string> = new Set(['it', 'off', 'plug']);
/** Words that would be what is waved away: "never mind that", and not the task. */
const OBJECTS: ReadonlySet<string> = new Set(['that', 'this', 'my', 'our', 'their']);

/** Whether a clause waves the task away: an idiom alone, or with the sentence that tells why run on to it. */
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

/** What may stand behind words that wave a task away. */
const BEHIND_DISMISSAL: readonly ClauseKind[] =
  'dismiss stop hold no yes thanks leave takeover approve publish glue'.split(' ') as ClauseKind[];

/** Whether a clause only tells, or says of the task that nobody needs it. */
const tells = ({ kind }: ClauseReading): boolean => kind === 'tell' || kind === 'own';
const tellsEnd = ({ kind, words }: ClauseReading): boolean =>
  kind !== 'ask' && kind !== 'request' && kind !== 'suggest' && isEndReason(words);

/** Words for the task itself; who stops that, waves it away. */
const TASKS = wordSet('task session project feature ticket story');
const stopsTask = ({ kind, words }: ClauseReading): boolean => kind === 'stop' && words.some((word) => TASKS.has(word));
/** Words of the user, and not of a thing that is to be stopped: "stop the task, it hangs". */
const SPEAKERS = wordSet('i im ive ill we were weve wewill');

/** Whether nothing behind the words that wave the task away goes on with it. */
function isDismissal({ clauses: [first, ...rest] }: View): boolean {
  if (!first || !(wavesAway(first) || stopsTask(first))) return false;
  const isWhy = (clause: ClauseReading): boolean =>
    tells(clause) && isReason(clause.words) && (!stopsTask(first) || SPEAKERS.has(clause.words[0] ?? ''));
  return rest.every((clause) => BEHIND_DISMISSAL.includes(clause.kind) || tellsEnd(clause) || isWhy(clause));
}

/** Words that end the task if a reason for it stands beside them. */
const GIVES_UP = wordSet('enough drop throw toss chuck ditch discard bin trash shelve scrap go');
/** Words for all that was done: behind finished work "drop it" may be one thing that the agent left. */
const OF_ALL = wordSet('this all everything');
/** What takes all of the work back, and is done by the agent: "revert everything". */
const TAKES_BACK = wordSet('revert undo discard roll rollback');
const BEHIND_TAKEN = wordSet('everything all of it this that back the changes please');
const takesAllBack = ([verb = '', ...words]: readonly string[]): boolean =>
  TAKES_BACK.has(verb) &&
  words.every((word) => BEHIND_TAKEN.has(word)) &&
  words.some((word) => word === 'all' || word === 'everything');

/** Whether a clause calls the task off, if it is said why: "stop", and where the agent had not asked "drop this". */
const callsOff = (view: View, { kind, words }: ClauseReading): boolean =>
  kind === 'stop' ||
  kind === 'dismiss' ||
  (!waits(view) &&
    ((kind === 'leave' &&
      words.some((word) => GIVES_UP.has(word)) &&
      (!isFinished(view) || words.some((word) => OF_ALL.has(word)))) ||
      takesAllBack(words)));

/** Whether the agent is stopped, and told why there is nothing left to do: "cancel that, we found another solution". */
function isCalledOff(view: View): boolean {
  const at = view.clauses.findIndex((clause) => callsOff(view, clause));
  if (at < 0 || has(view, 'publish')) return false;
  const others = view.clauses.filter((clause, index) => index > at && !callsOff(view, clause));
  const isWhy = (clause: ClauseReading): boolean => tellsEnd(clause) || BEHIND_DISMISSAL.includes(clause.kind);
  const before = view.clauses.slice(0, at);
  const isLeadUp = (clause: ClauseReading): boolean => COURTESIES.includes(clause.kind) || tellsEnd(clause);
  return [...before, ...others].some(tellsEnd) && others.every(isWhy) && before.every(isLeadUp);
}

/** Kinds beside words that stop the agent which change nothing of them. */
const BESIDE_STOP: readonly ClauseKind[] = ['stop', 'dismiss', 'hold', 'no', 'yes', 'thanks'];
/** Whether the agent is stopped, for something that the message names is no longer needed: the task, or a thing in it. */
const isStoppedForNeed = (view: View): boolean =>
  has(view, 'stop', 'dismiss') &&
  has(view, 'tell', 'own') &&
  view.clauses.every((clause) => BESIDE_STOP.includes(clause.kind) || (tells(clause) && isNeedless(clause.words)));

/** Words beside those that stop the agent which name nothing else that could be stopped. */
const BARE_STOP = wordSet(
  'stop cancel abort quit halt lets we you can could just please pls now it that this here right there no ok okay thanks',
);
/** How much of the end of the agent's message its question is looked for in. */
const MOST_ASKED = 300;
/** Whether the last sentence asks for something to be told that words which stop the agent could be: "which" asks to choose. */
function asksOpenly({ lastMessage }: View): boolean {
  const end = lastMessage.slice(-MOST_ASKED).trimEnd();
  const words = (end.split(/[.!?:\n]/).at(-2) ?? '').toLowerCase().split(' ').map(bare);
  return end.endsWith('?') && words.some((word) => ASKS.has(word));
}
const ASKS = wordSet('how what when where');

/**
 * Whether words that stop the agent may be what it asked for: "How should the worker react to SIGTERM?", "abort immediately".
 * A bare "stop" says no more than that, and one that names the task is plain.
 */
const mayAnswer = (view: View): boolean =>
  waits(view) &&
  asksOpenly(view) &&
  view.clauses.some((clause) => clause.kind === 'stop' && clause.words.some((word) => !BARE_STOP.has(word))) &&
  !view.clauses.some(stopsTask);

/** What ends or starts a task in so many words. */
export const ENDINGS: readonly Rule[] = [
  {
    name: 'stop in an answer',
    prior: 0.6,
    classification: 'Unclear',
    fits: (view) =>
      mayAnswer(view) && isOnly(view, 'stop', 'dismiss', 'hold', 'no', 'leave', 'thanks', 'takeover', 'yes'),
    reason: (view) => `${quote(view, 'stop')} may answer what was asked, or end the task.`,
  },
  {
    name: 'ending command',
    prior: 0.6,
    classification: 'Unclear',
    fits: (view) => END_COMMANDS.includes(commandOf(view)),
    reason: (view) => `The command /${commandOf(view)} may end the task or only the window.`,
  },
  {
    name: 'stop',
    prior: 0.95,
    classification: 'Abandon',
    fits: (view) =>
      has(view, 'stop', 'dismiss') &&
      isOnly(view, 'stop', 'dismiss', 'hold', 'no', 'leave', 'thanks', 'takeover', 'yes') &&
      !(waits(view) && opensWith(view, 'yes') && !takesNote(view)),
    reason: (view) => `It says ${quote(view, 'stop', 'dismiss')} and asks for nothing else.`,
  },
  {
    name: 'dismissed',
    prior: 0.9,
    classification: 'Abandon',
    fits: isDismissal,
    reason: (view) => `It begins with ${quote(view)}, and asks for no other work.`,
  },
  {
    name: 'called off',
    prior: 0.85,
    classification: 'Abandon',
    fits: isCalledOff,
    reason: (view) => `It says ${quote(view, 'stop', 'leave', 'dismiss')}, and that it is no longer needed.`,
  },
  {
    name: 'stopped for what is not needed',
    prior: 0.6,
    classification: 'Unclear',
    fits: (view) => !isNone(view) && isStoppedForNeed(view),
    reason: (view) => `It says ${quote(view, 'tell', 'own')}: is that the task, or one thing in it?`,
  },
  {
    name: 'takeover',
    prior: 0.85,
    classification: 'Abandon',
    fits: (view) =>
      !waits(view) &&
      !isFinished(view) &&
      has(view, 'takeover') &&
      isOnly(view, 'takeover', 'no', 'hold', 'stop', 'own', 'yes', 'leave', 'thanks'),
    reason: (view) => `It says ${quote(view, 'takeover')}: the user goes on alone.`,
  },
  {
    name: 'stop command',
    prior: 0.95,
    classification: 'Abandon',
    fits: (view) => STOP_COMMANDS.includes(commandOf(view)),
    reason: (view) => `It is the command /${commandOf(view)}.`,
  },
  {
    name: 'other topic',
    prior: 0.9,
    classification: 'NewTask',
    fits: (view) => announced(view) !== undefined,
    reason: (view) => `It announces something else: ${quote(view, 'topic')}.`,
  },
  {
    name: 'next task',
    prior: 0.85,
    classification: 'NewTask',
    fits: (view) => {
      const clause = clauseOf(view, 'follow');
      if (!clause || goesOn(view, clause)) return false;
      if (clause.words.includes('now')) return true;
      // "Forget this, let's work on the login bug instead".
      if (view.clauses[0]?.kind === 'dismiss' && clause.words.includes('instead')) return true;
      // "Let's work on the layout" is a part of a task that is under way.
      if (!isFinished(view) && !isNone(view)) return false;
      if (!isNone(view) && opensPart(clause)) return false;
      return !(clause.words.includes('next') && namesKnown([clause]));
    },
    reason: (view) => `It opens a task of its own: ${quote(view, 'follow')}.`,
  },
];

/** Words behind "leave it" that say how: it is one thing that is left. */
const LEFT_HOW = wordSet('out as in was were');
/** What "kill it" ends, if the agent spoke of it. */
const KILLED = wordSet('server process job container watcher daemon port task worker command script build');

/** Whether "it" is one thing: the message says how it is left, or the agent has just spoken of it. */
function isOfOneThing(view: View): boolean {
  const words = view.clauses.filter(({ kind }) => kind === 'leave').flatMap((clause) => clause.words);
  if (words.some((word) => LEFT_HOW.has(word))) return true;
  const spoken = view.lastMessage.slice(-MOST_SPOKEN).toLowerCase().split(/\s+/).map(bare);
  const isKilled = words.includes('kill') || words.includes('shut');
  return spoken.some((word) => (isKilled && KILLED.has(word)) || (DROPS.has(word) && words.includes(word)));
}
const DROPS = wordSet('drop kill discard ditch ignore leave keep');
/** How much of the end of the agent's message "it" may point at. */
const MOST_SPOKEN = 300;

/** What says too little to tell. */
export const WORDLESS: readonly Rule[] = [
  {
    name: 'only a question mark',
    prior: 0.9,
    classification: 'Clarification',
    fits: (view) =>
      hasNoWords(view) && !view.hasPaste && PATTERNS.questionMarks.test(view.text) && /[?？]/.test(view.text),
    reason: () => 'It is a question mark and nothing else.',
  },
  {
    name: 'only a paste',
    prior: 0.85,
    classification: 'Modification',
    fits: (view) => hasNoWords(view) && view.hasPaste && view.words === 0 && !waits(view) && !isNone(view),
    reason: () => 'It shows output or code without a word about it.',
  },
  {
    name: 'no words',
    prior: 0.8,
    classification: 'Unclear',
    fits: (view) => hasNoWords(view) && view.words <= FEW_WORDS && !view.hasPaste,
    reason: (view) => (view.text === '' ? 'It is empty.' : 'It has no word that says what is wanted.'),
  },
  {
    name: 'left alone',
    prior: 0.55,
    classification: 'Unclear',
    fits: (view) =>
      !waits(view) &&
      has(view, 'leave') &&
      isOnly(view, 'leave', 'no', 'hold', 'thanks', 'own', 'yes', 'takeover') &&
      !isOfOneThing(view),
    reason: (view) => `It says ${quote(view, 'leave')}: the task as a whole, or one thing in it?`,
  },
];
