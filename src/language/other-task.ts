/** Finds the words by which a message announces another task: "new task: …", "unrelated, but …", "let's move on to #12". */
import { type WordSet, wordList } from '../core/word-set.ts';
import { bare } from './characters.ts';
import { LEADS } from './clause-forms.ts';
import { PATTERNS } from './patterns.ts';
import type { ClauseKind, ClauseReading } from './reading.ts';
import { clauseOf, goesOn, isFinished, isNone, isOnly, isSpoken, namesSpoken, type View, waits } from './view.ts';

const COURTESIES = 'yes approve thanks no hold dismiss publish own stop leave takeover'.split(' ') as ClauseKind[];
const isOf = ({ words }: ClauseReading, set: WordSet): boolean => words.some((word) => set.has(word));
const TASK_WORDS = wordList`task topic subject ticket project story feature issue backlog session unrelated`;
const namesTask = ({ words }: ClauseReading): boolean =>
  words.some((word) => TASK_WORDS.has(word) || word.startsWith('#'));

/** Words that lead up to another task, and are no part of this one: "before you continue with that". */
const SUBORDINATES = wordList`before first while`;
/** Words that say of the work at hand that it is done: "that's it for the parser". */
const DONE = wordList`done finished complete merged closes that’s thats`;
const leadsUp = (clause: ClauseReading): boolean =>
  COURTESIES.includes(clause.kind) ||
  (!clause.isQuestion &&
    (SUBORDINATES.has(clause.words.find((word) => !LEADS.has(word)) ?? 'first') || parks(clause))) ||
  (clause.kind === 'tell' && !clause.isQuestion && isOf(clause, DONE));

const PARKS = wordList`leave forget park put pause shelve drop postpone`;
const ASIDE = wordList`aside hold later now doing sec moment minute tomorrow`;
const WHOLE = wordList`this that it everything what`;
/** Returns whether a clause puts the task aside: "park this for now", and not "leave the footer for later". */
function parks({ words }: ClauseReading): boolean {
  const at = words.findIndex((word) => PARKS.has(word));
  if (at < 0 || at > 3 || !WHOLE.has(words[at + 1] ?? '') || (words[at] === 'leave' && words[at + 1] === 'it'))
    return false;
  if (words[at + 2] === 'question') return true;
  return words.length === at + 2
    ? !['leave', 'drop', 'forget'].includes(words[at] as string)
    : isOf({ words } as ClauseReading, ASIDE);
}

/** Words for parts of every task: "next up: error handling". */
const ANY_PARTS = wordList`error errors edge handling case cases cleanup validation logging types naming names wording messages copy styling layout spacing padding comments docs tests polish formatting`;
const ONWARD = wordList`next moving move`;
const LEADS_TO_NEXT = wordList`up one thing`;
const DEFINITE = wordList`the it its this that these those them same our`;
/** Words behind which is what a thing is for, and not the thing: "rate limiting for the API". */
const FOR_WHAT = wordList`for in on of to with at`;
/** Returns whether what a clause names is a part that any task has, or a thing that both know of. */
function isOfKnown({ words }: ClauseReading, least = 0): boolean {
  const from = Math.max(least, words.lastIndexOf('to') + 1, words.lastIndexOf('onto') + 1);
  const end = words.findIndex((word, at) => at > from && FOR_WHAT.has(word));
  return words.slice(from, end < 0 ? undefined : end).some((word) => DEFINITE.has(word) || ANY_PARTS.has(word));
}

const isName = (word: string): boolean =>
  word === 'codespan' || word === 'quotation' || word.slice(1).includes('.') || word.includes('_');

/** Returns whether a clause only announces what comes next, which may be a part of the work: "next up, the error case". */
function isNextPart(view: View, clause: ClauseReading): boolean {
  const { words } = clause;
  if (isVague(clause)) return false;
  if (!words.some((word, at) => ONWARD.has(word) || (word === 'on' && words[at + 1] === 'to')) || namesTask(clause))
    return false;
  const before = view.clauses.slice(0, view.clauses.indexOf(clause));
  if (before.some((one) => PATTERNS.closesPart.test(one.words.join(' ')))) return false;
  const noun = words[words.indexOf('next') + 1] ?? '';
  // "The next field" is one of those that the work is about.
  if (words.includes('next') && noun !== '' && !LEADS_TO_NEXT.has(noun)) return true;
  const behind = view.clauses[view.clauses.indexOf(clause) + 1];
  const clauses = [clause, ...(behind ? [behind] : [])];
  if (clauses.some((one) => goesOn(view, one)) || behind?.words.every((word) => isName(word) || LEADS.has(word)))
    return true;
  return clauses.some((one) => (!behind || one.words.length <= 6) && isOfKnown(one)) || behind?.isQuestion === true;
}

/** Announcements that do not say that what comes is a task: "something else: …". */
const VAGUE = wordList`on to something else different thing separately other separate completely totally entirely issue problem matter job new a`;
const isVague = ({ words }: ClauseReading): boolean =>
  !words.includes('lets') && words.every((word) => VAGUE.has(word) || LEADS.has(word) || DEFINITE.has(word));
const IS = wordList`is are was were looks look seems feels isnt arent`;
const SAME = wordList`it its this that these those`;
const NAMED = wordList`called named spelled`;
/** Returns whether what is announced is something of the work at hand, or nothing. */
function isOfThis(view: View, clause: ClauseReading): boolean {
  const [behind, ...more] = view.clauses.slice(view.clauses.indexOf(clause) + 1);
  const [name = ''] = behind?.words ?? [];
  // After a question of the agent a few words are the answer, and so is a reference to the question.
  const isShort = (behind?.words.length ?? clause.words.length - 2) < 3 && !behind?.words.includes('weblink');
  if (waits(view) && (isShort || SAME.has(name))) return true;
  if (clause.words.includes('unrelated') || clause.words.join(' ').endsWith('out of the way')) {
    if (clause.isQuestion || !behind) return clause.words.length < 4 || clause.isQuestion;
    const isOfNamed = more.length === 1 && more[0]?.kind === 'request' && more[0].words.includes('them');
    return behind.words.every(isName) || (behind.kind === 'tell' && isOf(behind, NAMED)) || isOfNamed;
  }
  if (isVague(clause)) {
    if (!behind || behind.words.slice(0, 4).some((word, at) => SAME.has(word) && (word !== 'that' || at < 2)))
      return true;
    if (isOfSpoken(view, behind) || behind.words.some((word) => isSpoken(view, word))) return true;
    // With nothing more to be done about it than that something is off.
    const isBefore = view.clauses[view.clauses.indexOf(clause) - 1]?.words.includes('before');
    return (
      more.length === 0 &&
      !isBefore &&
      (behind.words.slice(1, 4).some((word) => IS.has(word)) ||
        (clause.words.includes('separately') && behind.words.length < 5))
    );
  }
  if (isOf(clause, wordList`topic subject`)) {
    const isFor = clause.words.some((word, at) => word === 'for' && DEFINITE.has(clause.words[at + 1] ?? ''));
    if (isFor || isName(name) || PATTERNS.messaging.test(`${view.text} ${view.lastMessage}`)) return true;
  }
  if (namesTask(clause)) return !behind && [...'`"“'].some((mark) => view.text.includes(mark));
  return isOfSpoken(view, clause);
}
/** Words behind which is when a thing of the work begins: "start a new session when the token expires". */
const WHENEVER = wordList`when whenever if once after each every per`;
/** The clause that announces another task in so many words, if the message begins or ends with it. */
export function announcedTask(view: View): ClauseReading | undefined {
  const first = view.clauses.find((clause) => clause.kind === 'topic' || !leadsUp(clause));
  return [first, view.clauses[1], view.clauses.at(-1)].find(
    (clause) =>
      clause?.kind === 'topic' &&
      !(clause.act === 'go' && isOnly(view, 'topic', 'yes', 'approve', 'thanks', 'own')) &&
      !(isOf(clause, ONWARD) && PATTERNS.planPart.test(view.text)) &&
      !(isOf(clause, wordList`start begin`) && isOf(clause, WHENEVER)) &&
      !isNextPart(view, clause) &&
      !isOfThis(view, clause),
  );
}

/** Words that compare a thing with what it is to be: "now let's make the font bigger". */
const COMPARES = wordList`bigger smaller larger wider narrower longer shorter darker lighter bolder thinner thicker higher lower taller brighter faster stricter simpler cleaner`;
/** The clause that opens what comes next behind finished work, and nothing of that: "now let's add connection pooling". */
export function openedTask(view: View): ClauseReading | undefined {
  const clause = clauseOf(view, 'follow');
  if (!clause || isNone(view) || goesOn(view, clause) || isOf(clause, COMPARES) || clause.isQuestion) return undefined;
  if (clause.words.includes('now') || (view.clauses[0]?.kind === 'dismiss' && clause.words.includes('instead')))
    return clause;
  if (!isFinished(view)) return undefined;
  return isOf(clause, ANY_PARTS) || (clause.words.includes('next') && isOfKnown(clause, 2)) ? undefined : clause;
}

const isOfSpoken = (view: View, clause: ClauseReading): boolean =>
  namesSpoken(view, clause) ||
  clause.words.some((word, at) => (DEFINITE.has(clause.words[at - 1] ?? '') && isSpoken(view, word)) || word === 'it');

/** The clause that puts the task aside for another one: "put this on hold, production is down: find out why". */
export const postponingClause = (view: View): ClauseReading | undefined =>
  view.clauses.find((clause, at) => {
    const behind = view.clauses.slice(at + 1);
    const isWork = ({ kind, words }: ClauseReading): boolean => WORK.includes(kind) && words.length > 3;
    return !isNone(view) && parks(clause) && behind.some(isWork) && !behind.some((one) => isOfSpoken(view, one));
  });
const WORK: readonly ClauseKind[] = ['request', 'suggest', 'follow', 'topic', 'inform', 'ask'];
const isTelling = ({ kind, words }: ClauseReading): boolean =>
  ['request', 'suggest', 'topic', 'follow'].includes(kind) ||
  (['tell', 'inform', 'ask'].includes(kind) && words.length > 3);
/**
 * Returns whether the first prompt of a conversation says what to do, and does not continue what was done before it: "fix the
 * flaky test", and not "continue where we left off".
 */
export function beginsAnother(view: View): boolean {
  if (!view.beginsConversation || isNone(view) || PATTERNS.resumes.test(view.text)) return false;
  const clauses = view.clauses.filter((clause) => !COURTESIES.includes(clause.kind));
  const first = clauses[0];
  if (!first || !clauses.some(isTelling) || first.kind === 'also' || first.kind === 'go') return false;
  const task = new Set(view.task.toLowerCase().split(/\s+/).map(bare));
  const telling = first.words.filter((word) => word.length > 3);
  const known = telling.filter((word) => task.has(word)).length;
  return (
    known * 2 <= telling.length &&
    !(telling.length === 0 || (first.words.length < 4 && goesOn({ ...view, task: '' }, first)))
  );
}
