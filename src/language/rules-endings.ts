/** Lists the rules for messages that end or start a task explicitly, and for those that say too little to classify. */

import { wordSet } from '../core/word-set.ts';
import { isCalledOff, isDismissal, isStoppedAndClosed, isStoppedForNeed, stopsTask } from './abandonment.ts';
import { announcedTask, announcesNextTask, COURTESIES, describesTask, opensPart } from './announced-task.ts';
import { bare } from './characters.ts';
import {
  clauseOf,
  goesOn,
  isOnly,
  mentionsSpoken,
  namesKnown,
  opensWith,
  takesNote,
  type View,
} from './message-view.ts';
import { PATTERNS } from './patterns.ts';
import { postponingClause } from './postponement.ts';
import type { ClauseKind, ClauseReading } from './reading.ts';
import { has, hasNoWords, isFinished, isNone, quote, type Rule, waits } from './rule.ts';
import { ticketAlone } from './topics.ts';

/** Words without meaning that are no message yet. */
const FEW_WORDS = 2;

/** A command of the agent's own, as in "/review": its name. */
const commandOf = ({ text }: View): string =>
  (text.startsWith('/') ? PATTERNS.command.exec(text)?.[1]?.toLowerCase() : undefined) ?? '';
const STOP_COMMANDS = ['stop', 'cancel', 'abort'];
const PUBLISH_COMMANDS = ['commit', 'push', 'pr', 'create-pr', 'commit-push-pr', 'merge', 'ship', 'release'];
const END_COMMANDS = ['new', 'clear', 'reset', 'exit', 'quit', 'logout'];

/** Words beside those that stop the agent which name nothing else that could be stopped. */
const BARE_STOP = wordSet(
  'stop cancel abort quit halt lets we you can could just please pls now it that this here right there no ok okay thanks',
);
/** The number of characters at the end of the agent's message in which a question is searched. */
const MOST_ASKED = 300;
/**
 * Returns whether the last sentence asks for something to be informed that words which stop the agent could be: "which" asks to
 * choose.
 */
function asksOpenly({ lastMessage }: View): boolean {
  const end = lastMessage.slice(-MOST_ASKED).trimEnd();
  const words = (end.split(/[.!?:\n]/).at(-2) ?? '').toLowerCase().split(' ').map(bare);
  return end.endsWith('?') && words.some((word) => ASKS.has(word));
}
const ASKS = wordSet('how what when where');

/**
 * Whether words that stop the agent may be what it asked for: "How should the worker react to SIGTERM?", "abort immediately".
 * A bare "stop" says no more than that, but if it was asked what a thing does; one that names the task is plain.
 */
const mayAnswer = (view: View): boolean =>
  waits(view) &&
  asksOpenly(view) &&
  ((PATTERNS.asksOfReaction.test(view.lastMessage.slice(-MOST_ASKED)) && isOneWord(view)) ||
    view.clauses.some((clause) => clause.kind === 'stop' && clause.words.some((word) => !BARE_STOP.has(word)))) &&
  !view.clauses.some(stopsTask);

const isOneWord = ({ clauses }: View): boolean => clauses.length === 1 && clauses[0]?.words.length === 1;

const KEEPS = wordSet('keep leave');
/** Returns whether what the agent asked about is left as it is: "never mind, keep it". */
const isLeftAsItIs = (view: View): boolean =>
  waits(view) &&
  view.clauses[0]?.kind === 'dismiss' &&
  view.clauses.some(({ kind, words }) => kind === 'leave' && words.some((word) => KEEPS.has(word)));

/** Words of who stops where the work is, and what must be among them. */
const RESTS = wordSet(
  'ok okay so then and i think guess we you can could should let lets just stop stopping here there now at this point for today tonight',
);
const STOPS = wordSet('stop stopping');
const STOPS_AT = wordSet('here there now today tonight');

/** Returns whether a clause says that the work may be where it is; "stop" alone stops the agent. */
function leaves({ kind, words }: ClauseReading): boolean {
  if (kind === 'takeover') return words.at(-1) === 'here';
  // Few have such a word: they alone are looked at further.
  if (!words.some((word) => STOPS.has(word))) return false;
  return words.every((word) => RESTS.has(word)) && words.some((word) => STOPS_AT.has(word));
}

const CONTENTED: readonly ClauseKind[] = ['thanks', 'approve', 'yes'];

/** Returns whether nothing else is said but that the work is well, or thanks for it. */
function isSignedOff(view: View): boolean {
  const others = view.clauses.filter((clause) => !leaves(clause));
  const isSaid = others.length > 0 && others.length < view.clauses.length;
  return isFinished(view) && isSaid && others.every(({ kind }) => CONTENTED.includes(kind));
}

/** Returns whether nothing says if the work is well, nor that it is given up. */
const mayBeSignedOff = (view: View): boolean =>
  isFinished(view) &&
  view.clauses.some(leaves) &&
  !has(view, 'dismiss', 'publish', 'go') &&
  !isCalledOff(view) &&
  !isStoppedAndClosed(view);

/** The rules for messages that end or start a task explicitly. */
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
    name: 'signed off',
    prior: 0.75,
    classification: 'Confirmation',
    fits: isSignedOff,
    reason: (view) => `The work was finished, and it says ${quote(view, 'thanks', 'approve', 'yes')} and goes.`,
  },
  {
    name: 'may be signed off',
    prior: 0.6,
    classification: 'Unclear',
    fits: mayBeSignedOff,
    reason: (view) => `The work was finished, and it says ${quote(view, 'stop', 'takeover')}: is it well, or given up?`,
  },
  {
    name: 'stop',
    prior: 0.95,
    classification: 'Abandon',
    fits: (view) =>
      has(view, 'stop', 'dismiss') &&
      isOnly(view, 'stop', 'dismiss', 'hold', 'no', 'leave', 'thanks', 'takeover', 'yes') &&
      !(waits(view) && opensWith(view, 'yes') && !takesNote(view)) &&
      !isLeftAsItIs(view),
    reason: (view) => `It says ${quote(view, 'stop', 'dismiss')} and asks for nothing else.`,
  },
  {
    name: 'dismissed',
    prior: 0.9,
    classification: 'Abandon',
    fits: (view) => isDismissal(view) && !isLeftAsItIs(view),
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
    name: 'stopped and closed',
    prior: 0.85,
    classification: 'Abandon',
    fits: isStoppedAndClosed,
    reason: (view) => `It says ${quote(view, 'stop')}, and to close the work.`,
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
    name: 'publishing command',
    prior: 0.85,
    classification: 'Confirmation',
    fits: (view) => isFinished(view) && PUBLISH_COMMANDS.includes(commandOf(view)),
    reason: (view) => `The work was finished, and it is the command /${commandOf(view)}.`,
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
    fits: (view) => announcedTask(view) !== undefined,
    reason: (view) => `It announces something else: ${quote(view, 'topic')}.`,
  },
  {
    name: 'put aside for another',
    prior: 0.85,
    classification: 'NewTask',
    fits: (view) => !isNone(view) && postponingClause(view) !== undefined,
    reason: (view) => `It puts the task aside, and tells of another one: “${postponingClause(view)?.shown ?? ''}”.`,
  },
  {
    name: 'next task',
    prior: 0.85,
    classification: 'NewTask',
    fits: (view) => {
      if (announcesNextTask(view) || isTaskAsked(view) || isTicketOnly(view)) return true;
      const clause = clauseOf(view, 'follow');
      if (!clause || goesOn(view, clause) || clause.words.some((word) => COMPARES.has(word))) return false;
      if (clause.words.includes('now')) return true;
      // "Forget this, let's work on the login bug instead".
      if (view.clauses[0]?.kind === 'dismiss' && clause.words.includes('instead')) return true;
      // "Let's work on the layout" is a part of a task that is under way.
      if (!isFinished(view) && !isNone(view)) return false;
      if (!isNone(view) && opensPart(clause)) return false;
      return !(clause.words.includes('next') && namesKnown([clause]));
    },
    reason: (view) => `It opens a task of its own: ${quote(view, 'follow', 'request')}.`,
  },
];

/** Words that point at the work at hand. */
const POINTING = wordSet('it its this that these those them they same again still instead there here also too well');
/**
 * Returns whether all of a task is asked for behind finished work, and nothing in it points back: "could you create a script
 * that …".
 */
function isTaskAsked(view: View): boolean {
  const clause = view.clauses.find(({ kind }) => !COURTESIES.includes(kind));
  return (
    isFinished(view) &&
    (clause?.kind === 'request' || clause?.kind === 'suggest') &&
    describesTask(view, clause) &&
    !clause.words.some((word) => POINTING.has(word)) &&
    !view.clauses.some((one) => mentionsSpoken(view, one))
  );
}

/** Returns whether a message only names a ticket, and the agent has finished another. */
function isTicketOnly(view: View): boolean {
  if (!isFinished(view) || has(view, 'pick')) return false;
  const words = view.clauses.flatMap((clause) => clause.words);
  const ticket = ticketAlone(
    TRACKERS.some((part) => view.text.includes(part)) ? words.map((word) => (word === 'weblink' ? '#0' : word)) : words,
  );
  return ticket !== undefined && (ticket === '#0' || !view.lastMessage.toLowerCase().includes(ticket.replace('#', '')));
}
/** Paths in the URL of a ticket. */
const TRACKERS = ['/issues/', '/issue/', '/browse/', '/tickets/'];

/** How something that is there is to be otherwise: "now let's make the font bigger". */
const COMPARES = wordSet(
  'bigger smaller larger wider narrower longer shorter darker lighter bolder thinner thicker higher lower taller brighter faster stricter simpler cleaner',
);

/** Words behind "leave it" that say how: it is one thing that is left. */
const LEFT_HOW = wordSet('out as in was were');
/** Things that "kill it" ends, if the agent mentioned one. */
const KILLED = wordSet('server process job container watcher daemon port task worker command script build');

/** Returns whether "it" is one thing: the message says how it is left, or the agent has just spoken of it. */
function isOfOneThing(view: View): boolean {
  const words = view.clauses.filter(({ kind }) => kind === 'leave').flatMap((clause) => clause.words);
  if (words.some((word) => LEFT_HOW.has(word))) return true;
  const spoken = view.lastMessage.slice(-MOST_SPOKEN).toLowerCase().split(/\s+/).map(bare);
  const isKilled = words.includes('kill') || words.includes('shut');
  return spoken.some((word) => (isKilled && KILLED.has(word)) || (DROPS.has(word) && words.includes(word)));
}
const DROPS = wordSet('drop kill discard ditch ignore leave keep');
/** The number of characters at the end of the agent's message to which "it" may refer. */
const MOST_SPOKEN = 300;

/** Returns whether a message is only a word of the question: "cursor", to "by offset or by cursor?" */
const isWordOfQuestion = (view: View): boolean =>
  waits(view) &&
  bare(view.text).length > 2 &&
  view.lastMessage.slice(-MOST_SPOKEN).toLowerCase().includes(bare(view.text).toLowerCase());

/** The rules for messages that say too little to classify. */
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
    fits: (view) => hasNoWords(view) && view.words <= FEW_WORDS && !view.hasPaste && !isWordOfQuestion(view),
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
