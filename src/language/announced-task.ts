/** Which clause of a message announces another task, if one does. */

import { wordSet } from '../core/word-set.ts';
import { bare } from './characters.ts';
import { LEADS } from './clause-forms.ts';
import {
  goesOn,
  isOnly,
  mentionsSpoken,
  namesKnown,
  namesSpoken,
  namesTheSpoken,
  pointsBack,
  type View,
} from './message-view.ts';
import { PATTERNS } from './patterns.ts';
import type { ClauseKind, ClauseReading } from './reading.ts';
import { has, isFinished, waits } from './rule.ts';
import { isName, isNameAlone, isVagueTopic, tellsName } from './topics.ts';

/** What may be before another task, or before words that end this one, and wants nothing. */
export const COURTESIES: readonly ClauseKind[] = 'yes approve thanks no hold dismiss publish own stop leave'.split(
  ' ',
) as ClauseKind[];
/** What leads up to another task, and is no part of this one. */
const BEFORE_TOPIC: ReadonlySet<string> = new Set([
  'before that',
  'first',
  'but before that',
  'before you continue',
  'before we continue',
  'before we go on',
  'before you go on',
]);
/** Words that put the work at hand aside: "let's park this for now". */
const PARKS = wordSet('leave park put pause shelve keep');
const BESIDE_PARKS = wordSet('question ok lets this that it aside on hold for now later please first');
const parks = ({ words }: ClauseReading): boolean =>
  words.some((word) => PARKS.has(word)) && words.every((word) => PARKS.has(word) || BESIDE_PARKS.has(word));
/** Words that say of a next thing that it is a task, and not a part of this one. */
const TASK_WORDS = wordSet('task topic subject ticket project story feature issue backlog');
export const namesTask = (word: string): boolean => TASK_WORDS.has(word) || word.startsWith('#');

/** Words that continue, and may continue with the work at hand or with its plan. */
const ONWARD = wordSet('next moving move');
/** Words behind "next" that do not say of what it is one. */
const LEADS_TO_NEXT = wordSet('up one thing');
/** What every task has parts of: "next up: error handling". */
const ANY_PARTS = wordSet(
  'error errors edge handling case cases cleanup validation logging types naming names wording messages copy styling layout spacing padding comments docs tests polish formatting',
);
/** Words behind which is what a thing is for, and not the thing: "rate limiting for the API". */
const FOR_WHAT = wordSet('for in on of to with at');

/** Returns whether what a clause names is a thing that both know of. */
function isOfKnown(clause: ClauseReading): boolean {
  const end = clause.words.findIndex((word) => FOR_WHAT.has(word));
  const words = end < 0 ? clause.words : clause.words.slice(0, end);
  return namesKnown([{ ...clause, words }]) || words.some((word) => ANY_PARTS.has(word));
}

const isOnward = ({ words }: ClauseReading): boolean =>
  words.some((word, at) => ONWARD.has(word) || (word === 'on' && words[at + 1] === 'to'));

/** Returns whether a clause announces a next thing that may as well be a part of the work at hand: "next up, the error case". */
function isNextPart(view: View, clause: ClauseReading): boolean {
  if (!isOnward(clause) || clause.words.some(namesTask)) return false;
  const noun = clause.words[clause.words.indexOf('next') + 1] ?? '';
  // "The next field" is one of those that the work is about.
  if (clause.words.includes('next') && noun !== '' && !LEADS_TO_NEXT.has(noun)) return true;
  const at = view.clauses.indexOf(clause);
  const behind = view.clauses.slice(at, at + 2);
  if (behind.some((later) => goesOn(view, later)) || isOnlyNamed(view, clause) || behind.slice(1).some(isNameAlone))
    return true;
  return clause.words.includes('next') && behind.some((later) => isOfKnown(later) && !describesTask(view, later));
}

const DEFINITE = wordSet('the this these those our');
/** Returns whether all that is said of what is moved on to is a thing that both know of: "let's move on to the empty state". */
function isOnlyNamed(view: View, clause: ClauseReading): boolean {
  const [last, before] = [view.clauses.at(-1), view.clauses.at(-2)];
  if (last === clause) return clause.words.some((word, at) => DEFINITE.has(word) && TO.has(clause.words[at - 1] ?? ''));
  return before === clause && DEFINITE.has(last?.words[0] ?? '');
}
const TO = wordSet('to onto');

/** Verbs that begin something of its own, with or without "the" behind them. */
const BEGINS = wordSet(
  'set setup convert introduce migrate implement build create write design develop draft port prototype integrate translate prepare investigate generate upgrade',
);
/** How far behind the beginning such a verb may be: "could you please migrate …". */
const NEAR_VERB = 5;
/**
 * Returns whether a clause says all of a task, and of nothing that was spoken of: "please migrate the CI from Jenkins to
 * GitHub".
 */
export const describesTask = (view: View, clause: ClauseReading): boolean =>
  clause.words.length >= TASK_TOLD &&
  clause.words.slice(0, NEAR_VERB).some((word) => BEGINS.has(word)) &&
  !clause.words.some((word) => ANY_PARTS.has(word)) &&
  !mentionsSpoken(view, clause);

/**
 * Whether "next" is before what is a task of its own, if the work is finished: "next: set up renovate for all our repos",
 * "next on my list is the password reset". What is named must be no part that any task has, and nothing that was spoken of.
 */
export function announcesNextTask(view: View): boolean {
  const at = view.clauses.findIndex(({ kind }) => !COURTESIES.includes(kind));
  const clause = view.clauses[at];
  const words = clause?.words.filter((word) => !LEADS.has(word)) ?? [];
  if (!clause || !isFinished(view) || words[0] !== 'next') return false;
  const [lead = ''] = PATTERNS.nextOnList.exec(words.join(' ')) ?? [];
  const named = words.slice(lead.split(' ').filter(Boolean).length);
  if (named.length > 0 && words.length - named.length === 1) return false;
  const told = named.length > 0 ? { ...clause, kind: 'tell' as const, words: named } : view.clauses[at + 1];
  if (!told) return false;
  const isNamed = told.kind === 'tell' && told.words.length > 1 && !pointsBack(told) && !told.isQuestion;
  return (
    describesTask(view, told) ||
    (isNamed && !told.words.some((word) => ANY_PARTS.has(word)) && !mentionsSpoken(view, told))
  );
}

/** Words that speak of what was spoken of just before. */
const SAME = wordSet('it its this that these those same');
/** How far behind the beginning of a sentence such a word may be: "can you make it …". */
const NEAR = 4;
/** "That" is one only if it begins the sentence: "a script that …". */
const pointsAtSame = (word: string, at: number): boolean => SAME.has(word) && (word !== 'that' || at < 2);
/** Returns whether "different thing now" is alone, or before more about the same: "different thing: it crashes". */
function isSameThing(view: View, clause: ClauseReading): boolean {
  if (!isVagueTopic(clause)) return false;
  const behind = view.clauses[view.clauses.indexOf(clause) + 1];
  return behind === undefined || behind.words.slice(0, NEAR).some(pointsAtSame) || mentionsSpoken(view, behind);
}

/** Words that speak of the place at hand. */
const HERE = wordSet('this these here');
/** Returns whether only a point is parted from the others, and not a task: "separately, the label in this form is off". */
function isPointApart(view: View, clause: ClauseReading): boolean {
  const behind = view.clauses[view.clauses.indexOf(clause) + 1];
  if (!behind) return false;
  if (behind === view.clauses.at(-1) && tellsName(behind)) return true;
  const isApart = clause.words.includes('separately');
  const isVague = isVagueTopic(clause) && !isPutBefore(view, clause);
  // With nothing more to be done about it than that.
  if ((isApart || isVague) && behind === view.clauses.at(-1) && tellsFault(behind)) return true;
  if (!isApart) return false;
  // "Separately, bump the version": a task of its own is informed in more words, or asked for.
  const isShort = behind.words.length < TASK_TOLD && !behind.words.some((word) => WANTS.has(word));
  return isShort || behind.words.some((word) => HERE.has(word)) || namesSpoken(view, behind);
}
/** As many words as report a task; fewer are about the one at hand. */
const TASK_TOLD = 6;
const WANTS = wordSet('need needs want wants lets can could please task');
/** Returns whether the work at hand is put off for it: "before that, …". */
const isPutBefore = (view: View, clause: ClauseReading): boolean =>
  BEFORE_TOPIC.has(view.clauses[view.clauses.indexOf(clause) - 1]?.words.join(' ') ?? '');
const IS = wordSet('is are was were looks look seems feels isnt arent');
/** Returns whether a clause says that something there is not as it should be: "the padding is off in the card". */
const tellsFault = ({ words }: ClauseReading): boolean => words.slice(1, NEAR).some((word) => IS.has(word));

/** Returns whether what a clause opens is a part that any task has: "let's work on the naming". */
export const opensPart = (clause: ClauseReading): boolean =>
  !clause.words.some(namesTask) && clause.words.slice(-LAST_FEW).some((word) => ANY_PARTS.has(word));
const LAST_FEW = 5;

/** Words of messaging, if a topic is a thing that is published to. */
const MESSAGING = wordSet('kafka partition partitions broker brokers mqtt pubsub sns');
/** Words before what both know of: "new topic for the events". */
const KNOWN = wordSet('the this these that those our');
/** Returns whether "new topic" or "new subject" names a thing that the work is about: "new topic: orders.v2 with 3 partitions". */
function isTopicOfWork(view: View, clause: ClauseReading): boolean {
  const isTopic = clause.words.includes('topic');
  if (!isTopic && !clause.words.includes('subject')) return false;
  const behind = view.clauses[view.clauses.indexOf(clause) + 1];
  if (isTopic && clause.words.some((word, at) => word === 'for' && KNOWN.has(clause.words[at + 1] ?? ''))) return true;
  // A name in quotation marks alone is no clause that says something.
  if (!behind && [...'`"“'].some((mark) => view.text.includes(mark))) return true;
  const [name = '', next = ''] = behind?.words ?? [];
  if (isName(name) && (next === '' || FOR_WHAT.has(next))) return true;
  const spoken = `${view.text} ${view.lastMessage} ${view.task}`.toLowerCase().split(/\s+/).map(bare);
  return isTopic && spoken.some((word) => MESSAGING.has(word));
}

/** Returns whether "let's move on" is all that a message says: to what, it leaves open. */
const isMovedOn = (view: View, clause: ClauseReading): boolean =>
  clause.act === 'go' && isOnly(view, 'topic', 'yes', 'approve', 'thanks', 'own');

const isPartOfPlan = (view: View, { words }: ClauseReading): boolean =>
  words.some((word) => ONWARD.has(word)) && PATTERNS.planPart.test(view.text);

/** Words behind which is when a thing of the work begins: "start a new session when the token expires". */
const WHENEVER = wordSet('when whenever if once after each every per');
const isBegunBy = ({ words }: ClauseReading): boolean =>
  (words.includes('start') || words.includes('begin')) && words.some((word) => WHENEVER.has(word));

/** What has a text in it that may be quoted: "new task: prefix must go" speaks of the prefix. */
const HAS_TEXT = wordSet(
  'prefix suffix label heading header string text title button caption placeholder field tag badge',
);
const HAS_TO = wordSet('is are was has must should needs can isnt shouldnt');
/** Returns whether the words only name a piece of text that the next clause reports. */
function isQuoted({ clauses }: View, clause: ClauseReading): boolean {
  const behind = clauses[clauses.indexOf(clause) + 1]?.words ?? [];
  return HAS_TEXT.has(behind[0] ?? '') && HAS_TO.has(behind[1] ?? '');
}

/** Returns whether something else is only wanted for a thing at hand: "let's do something else for the delay". */
const isForKnown = (view: View, clause: ClauseReading): boolean =>
  clause.words.includes('something') && !isUnrelated(clause) && namesTheSpoken(view, clause);

/** What would be another task, and is another way where the agent had asked for one. */
const DOES_ELSE: ReadonlySet<string> = new Set([
  'lets do something else',
  'lets do something different',
  'do something else',
]);
/** "Something else", "a new task": what is meant must be beside it, and may be an answer where the agent had asked. */
const isBare = (view: View, clause: ClauseReading): boolean =>
  (clause.words[0] === 'a' || isVagueTopic(clause) || (waits(view) && DOES_ELSE.has(clause.words.join(' ')))) &&
  ((waits(view) && !isPutBefore(view, clause)) || view.clauses.at(-1) === clause);

/** Returns whether a clause points at the current work only to say that it is unrelated: "unrelated to this". */
const isUnrelated = ({ words, isQuestion }: ClauseReading): boolean =>
  (words.includes('unrelated') || words.join(' ').endsWith('out of the way')) && !isQuestion;

/** Returns whether a clause points at the current work only to postpone that work: "let's put this aside and …". */
const putsAside = ({ words }: ClauseReading): boolean => words.includes('and') && words.some((word) => PARKS.has(word));

/** Clauses that only state when: "while CI is running, …". */
const tellsWhen = ({ words, kind }: ClauseReading): boolean => kind === 'tell' && words[0] === 'while';

/** Clauses that only say of the work at hand that it is done: "no, the sidebar is done. Next task: …". */
const DONE = wordSet('done finished complete merged fine good');
const tellsDone = ({ kind, words, isQuestion }: ClauseReading): boolean =>
  kind === 'tell' &&
  !isQuestion &&
  words.length <= TASK_TOLD &&
  DONE.has(words.at(-1) ?? '') &&
  IS.has(words.at(-2) ?? '');

const PUTS_OFF: readonly ClauseKind[] = ['leave', 'no', 'hold', 'yes'];
/** Returns whether what the agent asked about is only called another topic, and left for it: "separate issue, leave". */
const isPutOff = (view: View, clause: ClauseReading): boolean =>
  waits(view) &&
  view.clauses.length > 1 &&
  clause.words.length <= 3 &&
  view.clauses.every(
    (other) =>
      other === clause ||
      PUTS_OFF.includes(other.kind) ||
      (other.kind === 'request' && other.words.length === 1) ||
      (other.words[0] === 'not' && other.words.length < TASK_TOLD),
  );

/** Words of a wish for what was just named: "unrelated: whitespace changes in 14 files. Remove them". */
const isOfNamed = ({ kind, words }: ClauseReading): boolean =>
  kind === 'request' && words.length < TASK_TOLD && words.some((word) => SAME.has(word) || word === 'them');
/** Returns whether a clause is no more than a word for what the agent asked: "new task: `email.send`". */
const isLiteral = (view: View, clause: ClauseReading): boolean =>
  clause.words.length <= 2 &&
  (clause.words.every((word) => word === 'codespan' || word === 'quotation') || namesSpoken(view, clause));
/** Returns whether what is behind is an answer, or a fault of the work at hand, and no task. */
function isOfAsked(view: View, clause: ClauseReading): boolean {
  const behind = view.clauses.slice(view.clauses.indexOf(clause) + 1);
  const [first] = behind;
  if (waits(view) && behind.length === 0) return [...'`"“'].some((mark) => view.text.includes(mark));
  if (waits(view)) return behind.length === 1 && first !== undefined && isLiteral(view, first);
  return clause.words.includes('unrelated') && behind.length === 2 && behind.slice(1).every(isOfNamed);
}

/** The clause that announces another task, if the message begins or ends with one. */
export function announcedTask(view: View): ClauseReading | undefined {
  if (!has(view, 'topic')) return undefined;
  const rest = view.clauses.filter(
    (clause) =>
      !COURTESIES.includes(clause.kind) &&
      !BEFORE_TOPIC.has(clause.words.join(' ')) &&
      !parks(clause) &&
      !tellsWhen(clause) &&
      !tellsDone(clause),
  );
  const last = view.clauses.at(-1);
  return [rest[0], last].find(
    (clause) =>
      clause?.kind === 'topic' &&
      (isUnrelated(clause) || putsAside(clause) || !pointsBack(clause)) &&
      !isPutOff(view, clause) &&
      !isOfAsked(view, clause) &&
      !isForKnown(view, clause) &&
      !isNextPart(view, clause) &&
      !isSameThing(view, clause) &&
      !isMovedOn(view, clause) &&
      !isPartOfPlan(view, clause) &&
      !isQuoted(view, clause) &&
      !isBegunBy(clause) &&
      !isPointApart(view, clause) &&
      !isTopicOfWork(view, clause) &&
      !isBare(view, clause),
  );
}
