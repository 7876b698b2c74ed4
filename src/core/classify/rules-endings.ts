/** The rules for what ends or starts a task in so many words, and for what says too little to tell. */

import { piecesOf } from './acts.ts';
import { PATTERNS } from './patterns.ts';
import type { ClauseKind, ClauseReading } from './reading.ts';
import { has, hasNoWords, isFinished, isNone, quote, type Rule, waits } from './rule.ts';
import { clauseOf, goesOn, isOnly, namesKnown, opensWith, pointsBack, takesNote, type View } from './view.ts';

/** Words without meaning that are no message yet. */
const FEW_WORDS = 2;

/** A command of the agent's own, as in "/review": its name. */
const commandOf = ({ text }: View): string => PATTERNS.command.exec(text)?.[1]?.toLowerCase() ?? '';
const STOP_COMMANDS = ['stop', 'cancel', 'abort'];
const END_COMMANDS = ['new', 'clear', 'reset', 'exit', 'quit', 'logout'];

const COURTESIES: readonly ClauseKind[] = 'yes approve thanks no hold dismiss publish own stop'.split(
  ' ',
) as ClauseKind[];
/** Words that say of a next thing that it is a task, and not a part of this one. */
const TASK_WORDS = ['task', 'topic', 'subject', 'ticket', 'project', 'story', 'feature', 'issue'];

/** Whether a clause announces a next thing that may as well be a part of the work at hand: "next up, the error case". */
function isNextPart(view: View, clause: ClauseReading): boolean {
  if (!clause.words.includes('next') || clause.words.some((word) => TASK_WORDS.includes(word))) return false;
  const behind = view.clauses.slice(view.clauses.indexOf(clause));
  return namesKnown(behind) || behind.some((later) => goesOn(view, later));
}

/** Whether "let's move on" is all that a message says: to what, it leaves open. */
const isMovedOn = (view: View, clause: ClauseReading): boolean =>
  clause.act === 'go' && isOnly(view, 'topic', 'yes', 'approve', 'thanks', 'own');

/** The clause that announces another task, if the message begins or ends with one. */
function announced(view: View): ClauseReading | undefined {
  const rest = view.clauses.filter(({ kind }) => !COURTESIES.includes(kind));
  const last = view.clauses.at(-1);
  return [rest[0], last].find(
    (clause) =>
      clause?.kind === 'topic' && !pointsBack(clause) && !isNextPart(view, clause) && !isMovedOn(view, clause),
  );
}

/** What a sentence begins with that only tells why a task was waved away, and wants nothing of it changed. */
const TELLS_WHY: ReadonlySet<string> = new Set(
  'i it its im ive id we weve were that thats this there theres they my our found got figured fixed solved works turns already was not no wewill ill'.split(
    ' ',
  ),
);
const WISHES: ReadonlySet<string> = new Set(
  'should needs need must want wants prefer rather instead better could would'.split(' '),
);
const NEGATIONS: ReadonlySet<string> = new Set(['dont', 'wont', 'not', 'no', 'didnt', 'never', 'longer']);
const isReason = (words: readonly string[]): boolean =>
  TELLS_WHY.has(words[0] ?? '') &&
  !words.some((word, index) => WISHES.has(word) && !NEGATIONS.has(words[index - 1] ?? ''));

/** Idioms that have their "it" in them: a noun behind them begins a sentence of its own. */
const HAS_OBJECT: ReadonlySet<string> = new Set(['it', 'off', 'plug', 'up']);
/** Words that would be what is waved away: "never mind that", and not the task. */
const OBJECTS: ReadonlySet<string> = new Set(['that', 'this', 'my', 'our']);

/** Whether a clause waves the task away: an idiom alone, or with the sentence that tells why run on to it. */
function wavesAway({ kind, opening, words }: ClauseReading): boolean {
  if (kind === 'dismiss') return true;
  if (opening !== 'dismiss') return false;
  const pieces = piecesOf(words);
  const index = pieces.findIndex(({ sign }) => sign === 'dismiss');
  const rest = pieces.slice(index + 1).flatMap((piece) => piece.words);
  if (HAS_OBJECT.has(pieces[index]?.words.at(-1) ?? '')) return rest[0] === 'the' || isReason(rest);
  return isReason(rest) && !OBJECTS.has(rest[0] ?? '');
}

/** What may stand behind words that wave a task away. */
const BEHIND_DISMISSAL: readonly ClauseKind[] =
  'dismiss stop hold no yes thanks leave takeover approve publish glue'.split(' ') as ClauseKind[];

/** Whether nothing behind the words that wave the task away goes on with it. */
function isDismissal({ clauses: [first, ...rest] }: View): boolean {
  if (!first || !wavesAway(first)) return false;
  return rest.every(
    ({ kind, words }) => BEHIND_DISMISSAL.includes(kind) || ((kind === 'tell' || kind === 'own') && isReason(words)),
  );
}

/** What ends or starts a task in so many words. */
export const ENDINGS: readonly Rule[] = [
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
      // "Let's work on the layout" is a part of a task that is under way.
      if (!isFinished(view) && !isNone(view)) return false;
      return !(clause.words.includes('next') && namesKnown([clause]));
    },
    reason: (view) => `It opens a task of its own: ${quote(view, 'follow')}.`,
  },
];

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
      !waits(view) && has(view, 'leave') && isOnly(view, 'leave', 'no', 'hold', 'thanks', 'own', 'yes', 'takeover'),
    reason: (view) => `It says ${quote(view, 'leave')}: the task as a whole, or one thing in it?`,
  },
];
