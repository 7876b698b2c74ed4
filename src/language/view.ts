/** A message in its place: what it says, beside the state of the session and what the agent said before. */
import type { StateKind } from '../core/state.ts';
import { wordList } from '../core/word-set.ts';
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
  /** True if the message is the first prompt of a conversation that begins again. */
  beginsConversation?: boolean | undefined;
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
  readonly beginsConversation: boolean;
}

const EMPTY: ReadonlySet<ClauseKind> = new Set<ClauseKind>(['glue', 'lead']);

export function viewOf({ state, message, lastMessage, task, beginsConversation }: ClassifyInput): View {
  const { clauses, words, hasPaste } = readMessage(message);
  return {
    state,
    text: readPart(message),
    hasPaste,
    words,
    clauses: clauses.filter((clause) => !EMPTY.has(clause.kind)),
    lastMessage: readPart(lastMessage ?? ''),
    task: (task ?? '').slice(0, 2000),
    beginsConversation: beginsConversation === true,
  };
}

export const waits = ({ state }: View): boolean => state === 'AwaitingUser';
export const isFinished = ({ state }: View): boolean => state === 'PendingComplete';
export const isNone = ({ state }: View): boolean => state === null || state === 'Complete' || state === 'Aborted';
/** The first clause of one of these kinds. */
export const clauseOf = (view: View, ...kinds: readonly ClauseKind[]): ClauseReading | undefined =>
  view.clauses.find((clause) => kinds.includes(clause.kind));
export const has = (view: View, ...kinds: readonly ClauseKind[]): boolean => clauseOf(view, ...kinds) !== undefined;
/** Returns whether every clause is of one of these kinds, and there is one. */
export const isOnly = (view: View, ...kinds: readonly ClauseKind[]): boolean =>
  view.clauses.length > 0 && view.clauses.every((clause) => kinds.includes(clause.kind));
export const opensWith = (view: View, ...acts: readonly Act[]): boolean =>
  acts.some((act) => view.clauses[0]?.opening === act);

/** The words of the clause that decides, in quotation marks. */
export function quote(view: View, clause: ClauseReading | undefined): string {
  // A clause that is only a sign shows no words.
  const shown = (clause ?? view.clauses[0])?.shown.trim() || view.text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return `“${shown.length > 48 ? `${shown.slice(0, 48).trimEnd()}…` : shown}”`;
}

const WISHES = wordList`should shouldnt`;
/** "Use that" picks something where the agent had asked, and is a wish elsewhere; so is "the flag should be off". */
const isWish = ({ kind, words, isQuestion }: ClauseReading): boolean =>
  (kind === 'pick' && words[0] === 'use') ||
  (!isQuestion && (kind === 'also' || (kind === 'tell' && words.some((word) => WISHES.has(word)))));
/** Returns whether a message asks for work. */
export const wantsWork = (view: View): boolean =>
  has(view, 'request', 'suggest') || (!waits(view) && view.clauses.some(isWish));
/** Returns whether a message asks a question, or asks for information. */
export const asks = (view: View): boolean => has(view, 'ask', 'inform', 'talk');
const NOTED = wordList`ok okay k kk alright right sure fine`;
/** Returns whether a message begins with a word that only acknowledges, such as "ok". */
export const takesNote = ({ clauses: [first] }: View): boolean =>
  first?.opening === 'yes' && NOTED.has(first.words[0] ?? '');

/** Returns whether the agent offered to do more at the end of its message, and not only in the place of what it asked first. */
export const isOffered = ({ lastMessage }: View): boolean =>
  PATTERNS.offer.test(lastMessage.slice(-300).replace(PATTERNS.otherwise, ''));

const COMMON = wordList`now lets let add make the and for with from into some that this have need want next move new work start tackle begin should would could about more please they then what when which your able okay well also task done file files code change changes write show just like there where`;
const isTelling = (word: string): boolean => word.length > 3 && !COMMON.has(word);
/** Words are the same if their beginnings are: "retry" and "retries". */
const stemOf = (word: string): string => word.replaceAll('y', 'i').slice(0, 5);
/** Stems of what the agent just spoke of, and of the task. */
function spokenStems(view: View): ReadonlySet<string> {
  const said = `${view.lastMessage.slice(-600)} ${view.task}`.toLowerCase().split(/\s+/);
  const stems = STEMS.get(view) ?? new Set(said.map(bare).filter(isTelling).map(stemOf));
  STEMS.set(view, stems);
  return stems;
}
const STEMS = new WeakMap<View, ReadonlySet<string>>();
/** Returns whether a word was just spoken of. */
export const isSpoken = (view: View, word: string): boolean => isTelling(word) && spokenStems(view).has(stemOf(word));
/** Returns whether a clause is mostly of what the agent just spoke of. */
export function namesSpoken(view: View, { words }: ClauseReading): boolean {
  const telling = words.filter(isTelling);
  return telling.filter((word) => isSpoken(view, word)).length * 2 > telling.length;
}

const FOLLOW_UPS = wordList`it this that these those them also test tests testing docs documentation changelog readme commit push merge pr fix finish verify check run deploy same rest update again too accordingly remaining step phase part stage batch section option first second third b c d 1 2 3 4 5`;
const KNOWN = wordList`the this that these those your our its each every`;
/**
 * Returns whether a clause continues with the work at hand: it points back, adds "as well", or names what the agent just spoke
 * of as a thing that both know ("the retries").
 */
export const goesOn = (view: View, clause: ClauseReading): boolean =>
  clause.words.some((word, at) => FOLLOW_UPS.has(word) || (word === 'well' && clause.words[at - 1] === 'as')) ||
  namesSpoken(view, clause) ||
  clause.words.some((word, at) => KNOWN.has(clause.words[at - 1] ?? '') && isSpoken(view, word));
