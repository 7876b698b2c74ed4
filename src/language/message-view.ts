/** A message in its place: what it says, beside the state of the session and what the agent said before. */

import type { StateKind } from '../core/state.ts';
import { wordSet } from '../core/word-set.ts';
import type { Act } from './acts.ts';
import { bare } from './characters.ts';
import { PATTERNS } from './patterns.ts';
import { type ClauseKind, type ClauseReading, readMessage } from './reading.ts';
import { readPart } from './words.ts';

export interface ClassifyInput {
  /** State of the active session; null if none is active. */
  state: StateKind | null;
  message: string;
  /** The last message of the agent, if it is known. */
  lastMessage?: string | null | undefined;
  /** The task of the session, if it is known. */
  task?: string | null | undefined;
}

export interface View {
  readonly state: StateKind | null;
  /** The part of the message that is read. */
  readonly text: string;
  readonly hasPaste: boolean;
  /** The clauses that say something. */
  readonly clauses: readonly ClauseReading[];
  /** Words in all clauses, also in those that say nothing. */
  readonly words: number;
  /** The beginning and the end of what the agent said last. */
  readonly lastMessage: string;
  readonly task: string;
}

const EMPTY: ReadonlySet<ClauseKind> = new Set<ClauseKind>(['glue', 'lead']);
/** The number of characters of a task that are read. */
const MOST_OF_TASK = 2000;

export function viewOf({ state, message, lastMessage, task }: ClassifyInput): View {
  const { clauses, words, hasPaste } = readMessage(message);
  return {
    state,
    text: readPart(message),
    hasPaste,
    words,
    clauses: clauses.filter((clause) => !EMPTY.has(clause.kind)),
    lastMessage: readPart(lastMessage ?? ''),
    task: (task ?? '').slice(0, MOST_OF_TASK),
  };
}

/** The first clause of one of these kinds. */
export function clauseOf(view: View, ...kinds: readonly ClauseKind[]): ClauseReading | undefined {
  return view.clauses.find((clause) => kinds.includes(clause.kind));
}

/** Returns whether every clause is of one of these kinds, and there is one. */
export function isOnly(view: View, ...kinds: readonly ClauseKind[]): boolean {
  return view.clauses.length > 0 && view.clauses.every((clause) => kinds.includes(clause.kind));
}

export const opensWith = (view: View, ...acts: readonly Act[]): boolean =>
  acts.some((act) => view.clauses[0]?.opening === act);

/** Returns whether a message asks for work. */
export const wantsWork = (view: View): boolean =>
  clauseOf(view, 'request', 'suggest') !== undefined || (view.state !== 'AwaitingUser' && view.clauses.some(isUse));
/** "Use that" picks something where the agent had asked, and is a wish elsewhere. */
const isUse = ({ kind, words }: ClauseReading): boolean => kind === 'pick' && words[0] === 'use';
/** Returns whether a message asks a question, or asks for information. */
export const asks = (view: View): boolean => clauseOf(view, 'ask', 'inform', 'talk') !== undefined;

/** Words that say yes, or only take note of what was said. */
const NOTED: ReadonlySet<string> = new Set(['ok', 'okay', 'k', 'kk', 'alright', 'right', 'sure', 'fine']);
/** Returns whether a message begins with a word that only acknowledges, such as "ok". */
export const takesNote = ({ clauses: [first] }: View): boolean =>
  first?.opening === 'yes' && NOTED.has(first.words[0] ?? '');

/** Verbs that are before their subject in a question. */
const TURNED: ReadonlySet<string> = new Set(['are', 'is', 'was', 'were', 'do', 'does', 'did', 'arent', 'isnt']);

/** Returns whether a message only asks, even if it first acknowledges the words of the agent: "ok, what happens if …". */
export function onlyAsks(view: View): boolean {
  const [first, ...rest] = view.clauses;
  const isAsking = ({ kind }: ClauseReading): boolean => kind === 'ask' || kind === 'inform';
  if (!first || !rest.every(isAsking)) return false;
  const isNoted = takesNote(view);
  // "Are you sure it fails?" has a yes in it, and says none.
  if (isAsking(first))
    return isNoted || first.opening === 'pick' || first.opening === 'go' || TURNED.has(first.words[0] ?? '');
  return isNoted && first.kind === 'yes' && rest.length > 0;
}

/** Returns whether the agent offered to do more at the end of its message, and not only in the place of what it asked first. */
export function isOffered(view: View): boolean {
  const end = view.lastMessage.slice(-300);
  return mayOffer(end) && PATTERNS.offer.test(end.replace(PATTERNS.otherwise, ''));
}

/** Words without which nothing is offered: to look for them costs less than to make the pattern, which most messages need not. */
export const OFFERING: readonly string[] = [
  ...['want me', 'would you like', 'shall i', 'should i', 'let me know', 'if you', 'do you want', 'anything else'],
  ...['ready ', 'happy to', 'i can ', 'part '],
];

function mayOffer(text: string): boolean {
  const lower = text.toLowerCase();
  return OFFERING.some((words) => lower.includes(words));
}

/** Returns whether the agent put a plan to the user and waits for approval of it. */
export const isPlanPut = (view: View): boolean => PATTERNS.plan.test(view.lastMessage);

/** Words of what follows on from finished work, and is no task of its own. */
const FOLLOW_UPS = wordSet(
  'it this that these those them also test tests testing docs documentation changelog readme commit push merge pr fix finish verify check run deploy same rest update again too accordingly remaining step phase part stage batch section option first second third b c d 1 2 3 4 5',
);
const COMMON = wordSet(
  'now lets let add make the and for with from into some that this have need want next move new work start tackle begin should would could about more please they then what when which your able okay well also task done file files code change changes',
);

/** Returns whether a clause points back at the work at hand. */
export const pointsBack = (clause: ClauseReading): boolean => clause.words.some((word) => FOLLOW_UPS.has(word));

const DEFINITE: ReadonlySet<string> = new Set(['the', 'it', 'its', 'this', 'that', 'these', 'those', 'them', 'same']);

/** Returns whether clauses name something that both know of: "the error case". */
export const namesKnown = (clauses: readonly ClauseReading[]): boolean =>
  clauses.some(({ words }) => words.some((word) => DEFINITE.has(word)));

/** Returns whether what is announced continues with the work at hand: it points back, or names what the agent just spoke of. */
export const goesOn = (view: View, clause: ClauseReading): boolean =>
  pointsBack(clause) || addsToIt(clause) || namesSpoken(view, clause) || namesTheSpoken(view, clause);

/** Returns whether a clause ends in "as well". */
const addsToIt = ({ words }: ClauseReading): boolean =>
  words.some((word, at) => word === 'well' && words[at - 1] === 'as');

/** Endings that make another form of a word, the longest first: "retry" and "retries", "log" and "logging". */
const ENDINGS = ['ies', 'ing', 'ed', 'es', 's', 'y', 'e'];
/** A word without what its forms differ in; a letter that is doubled before an ending is one. */
function stemOf(word: string): string {
  const ending = word.length > 4 ? (ENDINGS.find((one) => word.endsWith(one)) ?? '') : '';
  const stem = word.slice(0, word.length - ending.length);
  return stem.length > 3 && stem.at(-1) === stem.at(-2) ? stem.slice(0, -1) : stem;
}

/** Stems of what the agent just spoke of, and of the task. */
const spokenStems = (view: View): ReadonlySet<string> =>
  new Set(
    `${view.lastMessage.slice(-600)} ${view.task}`
      .toLowerCase()
      .split(/\s+/)
      .map(bare)
      .filter((word) => word.length > 3 && !COMMON.has(word))
      .map(stemOf),
  );

/** Words before a thing that both know of. */
const BEFORE_KNOWN: ReadonlySet<string> = new Set('the this that these those your our its each every'.split(' '));

/**
 * Whether a clause names a thing that the agent just spoke of as one that both know: "the retries". The first word that says which
 * counts: "the billing page" is another one than the login page.
 */
export function namesTheSpoken(view: View, clause: ClauseReading): boolean {
  const named = clause.words.flatMap((word, at) =>
    BEFORE_KNOWN.has(word)
      ? clause.words
          .slice(at + 1)
          .filter((one) => one.length > 3 && !COMMON.has(one))
          .slice(0, 1)
      : [],
  );
  if (named.length === 0) return false;
  const stems = spokenStems(view);
  return named.some((word) => stems.has(stemOf(word)));
}

/** The words of a clause that say what it is about, and those of them that were just spoken of. */
function spokenIn(view: View, clause: ClauseReading): { words: readonly string[]; spoken: readonly string[] } {
  const words = clause.words.filter((word) => word.length > 3 && !COMMON.has(word));
  const all = new Set(`${view.lastMessage.slice(-600)} ${view.task}`.toLowerCase().split(/\s+/).map(bare));
  return { words, spoken: words.filter((word) => all.has(word)) };
}

/** Returns whether a clause is mostly of what the agent just spoke of. */
export function namesSpoken(view: View, clause: ClauseReading): boolean {
  const { words, spoken } = spokenIn(view, clause);
  return spoken.length * 2 > words.length;
}

/** Returns whether a clause has something in it that the agent just spoke of. */
export const mentionsSpoken = (view: View, clause: ClauseReading): boolean => spokenIn(view, clause).spoken.length > 0;
