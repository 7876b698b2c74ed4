/** Decides whether a message approves of finished work and wants nothing more: "looks good", "great, 40 ms is enough", "push it". */
import { wordList } from '../core/word-set.ts';
import { goesOnward, piecesOf, SAYS_HOW } from './acts.ts';
import { bare } from './characters.ts';
import type { Piece } from './lexicon.ts';
import { PATTERNS } from './patterns.ts';
import type { ClauseReading } from './reading.ts';
import { isFinished, isOffered, type View } from './view.ts';

const FAULTS = wordList`isnt doesnt didnt arent still failing fails broken breaks wrong fail failed failure failures error errors red crash crashes crashed otherwise differs different disagrees says old wont broke hangs missing empty null undefined nan blank want need needs should would noticed wonder except only but instead rather bug bugs issue issues problem problems slow slower weird strange odd ugly off bad worse confusing unclear hard harder impossible lost leaks overlaps truncated misaligned reverted undid dont hardly barely almost nearly next also add remove change make because why wish prefer maybe perhaps probably`;
/** The same, which only state something in a report that approval ends: "not a single hang. I'm convinced". */
const DOUBTS = wordList`twice not no nothing none nobody never without could can might found saw more too cant cannot you your`;
const CONDITIONS = wordList`once when whenever after until till before if unless provided assuming`;
const CHECKED = wordList`went tested tried ran read reviewed checked looked walked verified tests`;
const SPEAKERS = wordList`i ive we weve just and`;
const TAKES = wordList`ill i wewill im`;
const TRIES = wordList`test try check look see review verify read think run was had have ive hoping expecting back ask`;
/** Returns whether a clause says what the user did: "I killed the server 3 times", "tried it in Firefox". */
const isReport = ([first = '', ...rest]: readonly string[]): boolean =>
  CHECKED.has(first) ||
  (SPEAKERS.has(first) && rest.slice(0, 2).some((verb) => CHECKED.has(verb) || verb.endsWith('ed')));
const PRAISES = wordList`nice great good cool lovely neat sweet solid awesome excellent clean`;
const IN_PART = wordList`one some first second third last half part parts sometimes mostly kinda was were used other others better than`;
const isVerb = ({ sign, words: [first = '', ...rest] }: Piece): boolean =>
  sign === 'approve' && (rest.length > 0 || ['work', 'pass', 'match'].some((verb) => first.startsWith(verb)));
/** Returns whether a thing is named and said to be well, and no more: "the login works", "tested on 3 boards all good". */
function endsWell({ words }: ClauseReading): boolean {
  if (words.length > 8 || words.some((word) => IN_PART.has(word))) return false;
  const pieces = piecesOf(words);
  const at = pieces.findIndex(({ sign }) => sign === 'approve');
  if (!words.some((word) => SAYS_HOW.has(word)) && !pieces.some(isVerb)) return false;
  return at > 0 && pieces.slice(at).every(({ sign }) => sign === 'approve' || sign === 'glue' || sign === 'thanks');
}

/**
 * Reads the part that a clause has in an approval. `pure`: says no more than that the work is well or may be published. `well`: says so of a
 * thing. `beside`: changes nothing of it. `null`: wants or reports something else.
 */
function readingOf(
  clause: ClauseReading,
  isPublished: boolean,
  isBeforeApproval: boolean,
): 'pure' | 'well' | 'beside' | null {
  const { kind, words } = clause;
  if (kind === 'approve' || kind === 'publish' || kind === 'thanks') return 'pure';
  if (kind === 'yes' || kind === 'takeover' || kind === 'leave' || kind === 'no') return 'beside';
  if (kind === 'go') return isPublished && !goesOnward(words) ? 'beside' : null;
  if (kind === 'request' && words.length === 2 && PRAISES.has(words[0] ?? '')) return 'well';
  if ((kind !== 'tell' && kind !== 'own') || clause.isQuestion || words.some((word) => CONDITIONS.has(word)))
    return null;
  if (isBeforeApproval && !words.some((word) => FAULTS.has(word))) return 'beside';
  // "Not flickering anymore" says that a fault is gone.
  if (words[0] === 'not' && words[1]?.endsWith('ing') && words.includes('anymore')) return 'well';
  const isOwn = kind === 'own' && words.some((word) => TAKES.has(word)) && !words.some((word) => TRIES.has(word));
  if (isPublished && kind === 'own') return 'beside';
  const pieces = piecesOf(words.at(-1) === 'too' ? words.slice(0, -1) : words);
  const isTakenBack = pieces.some(
    (piece) =>
      piece.sign === 'negate' ||
      ((piece.sign !== 'approve' || piece.words.length === 1) &&
        piece.words.some((word) => FAULTS.has(word) || DOUBTS.has(word))),
  );
  if (isTakenBack) return null;
  if (endsWell(clause)) return 'pure';
  if (pieces.some(({ sign }) => sign === 'approve')) return 'well';
  return isReport(words) || isOwn ? 'beside' : null;
}

/** Things to which "it" refers in "close it", if the agent mentioned one; and what is merged as the work is. */
const CLOSABLE = wordList`dialog dialogs modal popup popover menu dropdown window tab panel drawer sidebar overlay browser connection connections socket stream handle`;
const BRANCHES = wordList`pr prs mr mrs branch branches commit commits request requests release releases main master develop dev production prod staging upstream origin`;
const MANY = wordList`them these those both`;
/** Returns whether "close it" or "merge them" speaks of things that the work is about, and not of the work. */
function publishesThing({ clauses, lastMessage, task }: View): boolean {
  const spoken = `${lastMessage.slice(-600)} ${task}`.toLowerCase().split(/\s+/).map(bare);
  return clauses.some(({ kind, words }) => {
    if (kind !== 'publish') return false;
    if (words.includes('close') && spoken.some((word) => CLOSABLE.has(word))) return true;
    const isOfMany = (words.includes('merge') || words.includes('tag')) && words.some((word) => MANY.has(word));
    return isOfMany && ![...words, ...spoken].some((word) => BRANCHES.has(word));
  });
}

/** Words of "better" and "much better already": than before, and it may not be well yet. */
const COMPARES = wordList`better much already even way a lot bit so far ok okay yes yeah ah oh hm`;
const BARE_NO = wordList`no nope nah nein nee nö non não nao нет`;
const isBareNo = (clause: ClauseReading | undefined): boolean =>
  clause?.kind === 'no' && clause.words.every((word) => BARE_NO.has(word));
const asksIfWell = ({ lastMessage }: View): boolean =>
  PATTERNS.asksIfWell.test(lastMessage.slice(-40)) && !lastMessage.slice(-90).includes(' or ');

/** Returns whether a message approves of finished work, and beside that says nothing but why. */
export function approves(view: View): boolean {
  const { clauses } = view;
  if (!isFinished(view)) return false;
  const isPublished = clauses.some(({ kind }) => kind === 'publish');
  const last = clauses.findLastIndex(({ kind }) => kind === 'approve' || kind === 'publish');
  const readings = clauses.map((clause, at) => readingOf(clause, isPublished, at < last));
  if (PATTERNS.arrow.test(view.text) || !readings.includes('pure') || readings.includes(null) || publishesThing(view))
    return false;
  if (
    clauses.some(({ words }) => words.includes('better')) &&
    clauses.every(({ words }) => words.every((word) => COMPARES.has(word)))
  )
    return false;
  // "I tried it and it flickers": what came of it must be said to be well behind that.
  const isOpen = ({ kind, words }: ClauseReading, at: number): boolean =>
    readings[at] === 'beside' &&
    (kind === 'tell' || kind === 'own') &&
    words.includes('and') &&
    !readings.slice(at).some((one) => one === 'pure' || one === 'well');
  if (clauses.some(isOpen)) return false;
  // "Wow, no", or "no, wow" to "does this look good?"
  return (
    !(isBareNo(clauses[0]) && asksIfWell(view)) && !(clauses.length > 1 && isBareNo(clauses.at(-1)) && !isOffered(view))
  );
}
