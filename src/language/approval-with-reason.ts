/** Recognises a message that approves of finished work and adds no more than why: "excellent, 38 ms is more than enough". */
import { wordSet } from '../core/word-set.ts';
import { piecesOf } from './acts.ts';
import { bare } from './characters.ts';
import { CONTRADICTS, DENIES } from './doubts.ts';
import type { Piece } from './lexicon.ts';
import { isOffered, type View } from './message-view.ts';
import type { ClauseKind, ClauseReading } from './reading.ts';
import { CHECKED, closesThing, hasReservation, MISSES, mergesThings, waitsFor } from './reservations.ts';
import { SAYS_HOW } from './word-senses.ts';

/** Kinds that approve of the work, and those that change nothing beside them. */
const APPROVING: readonly ClauseKind[] = ['approve', 'publish'];
const BESIDE: readonly ClauseKind[] = [...APPROVING, 'thanks', 'yes', 'takeover', 'leave', 'glue'];

const SAYS_SO: readonly ClauseKind[] = [...APPROVING, 'thanks', 'yes'];

/** Words that report something which is not well, or is not known to be. */
const FAULTS = wordSet(
  'bug bugs issue issues problem problems slow slower weird strange odd ugly off bad worse confusing unclear hard harder impossible too lost leaks overlaps truncated misaligned twice reverted undid dont wont never nobody none without no hardly barely almost nearly ' +
    'next also add remove change make because why when if unless until once before after wish prefer can might maybe perhaps probably you your',
);
const takesBack = (word: string): boolean =>
  DENIES.has(word) || CONTRADICTS.has(word) || MISSES.has(word) || FAULTS.has(word);

/** How praise of a thing begins that could be a wish: "nice split". */
const PRAISES = wordSet('nice great good cool lovely neat sweet solid awesome excellent clean');
const isPraiseOfOne = ({ kind, words }: ClauseReading): boolean =>
  kind === 'request' && words.length === 2 && PRAISES.has(words[0] ?? '');

const SPEAKERS = wordSet('i ive we weve just and');
/** Returns whether a clause says what the user did: "I killed the server 3 times", "tried it in Firefox". */
const isReport = ([first = '', ...rest]: readonly string[]): boolean =>
  CHECKED.has(first) ||
  (SPEAKERS.has(first) && rest.slice(0, 2).some((verb) => CHECKED.has(verb) || verb.endsWith('ed')));

/** Returns whether words say that a fault is gone: "not flickering anymore". */
const isGone = (words: readonly string[]): boolean =>
  words[0] === 'not' &&
  words[1]?.endsWith('ing') === true &&
  words.includes('anymore') &&
  words.length <= MOST_OF_CONTENT;

/** Returns whether a clause is of a kind that says that the work is well, or says what the user did. */
const isContent = (clause: ClauseReading): boolean =>
  BESIDE.includes(clause.kind) ||
  isPraiseOfOne(clause) ||
  ((clause.kind === 'tell' || clause.kind === 'own') && !clause.isQuestion);

/** `well`: the clause says that the work is well. `report`: the clause only reports what the user did. `null`: anything else. */
function readingOf(clause: ClauseReading): 'well' | 'report' | null {
  if (APPROVING.includes(clause.kind) || isPraiseOfOne(clause)) return 'well';
  if (BESIDE.includes(clause.kind)) return 'report';
  // "Too" at the end only means "as well".
  const pieces = piecesOf(clause.words.at(-1) === 'too' ? clause.words.slice(0, -1) : clause.words);
  if (isGone(clause.words)) return 'well';
  const isTakenBack = pieces.some(
    ({ sign, words }) => sign === 'negate' || ((sign !== 'approve' || words.length === 1) && words.some(takesBack)),
  );
  if (isTakenBack) return null;
  if (pieces.some(({ sign }) => sign === 'approve')) return 'well';
  return isReport(clause.words) ? 'report' : null;
}

/** Words by which it is well in part, or once was. */
const IN_PART = wordSet(
  'one some first second third last half part parts sometimes mostly kinda was were used other others better best than',
);
/** Returns whether a thing is named and said to be well, and no more: "the login works", "tested on 3 boards all good". */
function endsWell({ kind, words }: ClauseReading): boolean {
  if (kind !== 'tell' || words.length > MOST_OF_CONTENT || words.some((word) => IN_PART.has(word))) return false;
  const pieces = piecesOf(words);
  const at = pieces.findIndex(({ sign }) => sign === 'approve');
  const isVerb = ({ sign, words: [first = '', ...rest] }: Piece): boolean =>
    sign === 'approve' && (rest.length > 0 || first.startsWith('work') || first.startsWith('pass'));
  // "Text green" is a wish.
  if (!words.some((word) => SAYS_HOW.has(word)) && !pieces.some(isVerb)) return false;
  return at > 0 && pieces.slice(at).every(({ sign }) => sign === 'approve' || sign === 'glue' || sign === 'thanks');
}
const MOST_OF_CONTENT = 8;

/** Returns whether every clause says that the work is well, or only leads up to that, and one says no more than that. */
export function isApprovalWithReason(view: View): boolean {
  const { clauses } = view;
  // Most messages say something else as well, and need not be read word by word for it.
  if (!clauses.every(isContent)) return false;
  const isSaid = clauses.some((clause) => SAYS_SO.includes(clause.kind) || endsWell(clause));
  if (!isSaid) return false;
  const readings = clauses.map(readingOf);
  return (
    readings.includes('well') &&
    !readings.includes(null) &&
    !clauses.some((clause, index) => goesOnTelling(clause, readings[index]) && !readings.includes('well', index)) &&
    readings.some((reading, index) => reading !== null && isTold(clauses[index])) &&
    !hasReservation(view) &&
    !waitsFor(view) &&
    !closesThing(view) &&
    !mergesThings(view)
  );
}
/**
 * Returns whether a report continues with what came of it, which only approval behind it says to be well: "tried it and it
 * flickers".
 */
const goesOnTelling = ({ words }: ClauseReading, reading: 'well' | 'report' | null | undefined): boolean =>
  reading === 'report' && words.includes('and');
const isTold = (clause: ClauseReading | undefined): boolean =>
  clause?.kind === 'tell' || clause?.kind === 'own' || clause?.kind === 'request';

const BARE_NO = wordSet('no nope nah nein nee nö non não nao нет');
const isBareNo = (clause: ClauseReading | undefined): boolean =>
  clause?.kind === 'no' && clause.words.every((word) => BARE_NO.has(word));
/** The agent asks whether the work is well. */
const ASKS_IF_WELL = wordSet('good right ok okay fine correct well great better work works');
const asksIfWell = ({ lastMessage }: View): boolean => {
  const end = lastMessage.trimEnd();
  const sentence =
    end
      .slice(0, -1)
      .split(/[.!?:\n]/)
      .at(-1) ?? '';
  const words = sentence.toLowerCase().split(' ').map(bare);
  return end.endsWith('?') && !words.includes('or') && ASKS_IF_WELL.has(words.at(-1) ?? '');
};
/** Returns whether approval has a no beside it that declines nothing: "wow, no", or "no, wow" to "Does this look good?". */
export const isDenied = (view: View): boolean =>
  (isBareNo(view.clauses[0]) && asksIfWell(view)) ||
  (view.clauses.length > 1 && isBareNo(view.clauses.at(-1)) && !isOffered(view));
