/** Reads what each clause of a message does: approves, stops, asks, requests something, or states. */
import { wordSet } from '../core/word-set.ts';
import { type Act, actOf, isIdiomAfterLeads, LEXICON, NO_ACT, openingOf, piecesOf, takesOver } from './acts.ts';
import { FORM_BOOK, type Form, LEADS } from './clause-forms.ts';
import { matchAt } from './phrases.ts';
import { isTopicAlone } from './topics.ts';
import { type Clause, clausesOf } from './words.ts';

/** The kind of a clause: an act alone, words without meaning, a form, or a statement. */
export type ClauseKind = Act | 'glue' | Form | 'tell';

export interface ClauseReading {
  readonly kind: ClauseKind;
  /** The act with which the clause begins: "no, …", "looks good but …". */
  readonly opening: Act | null;
  /** The act of the whole clause; its form may count more. */
  readonly act: Act | 'glue' | null;
  readonly words: readonly string[];
  /** As it was typed, to be quoted. */
  readonly shown: string;
  readonly isQuestion: boolean;
}

export interface Reading {
  readonly clauses: readonly ClauseReading[];
  /** Words in all clauses. */
  readonly words: number;
  /** Whether code, a log or other output was pasted beside the words. */
  readonly hasPaste: boolean;
}

/** Messages of so few words may have a letter wrong. */
const FEW_WORDS = 6;

/** Returns whether one letter more, less, other, or exchanged with its neighbour makes one word of the other. */
function isOneSlip(word: string, other: string): boolean {
  if (Math.abs(word.length - other.length) > 1 || word.charAt(0) !== other.charAt(0)) return false;
  let start = 0;
  while (start < word.length && word[start] === other[start]) start += 1;
  const [rest, otherRest] = [word.slice(start), other.slice(start)];
  return (
    rest.slice(1) === otherRest ||
    rest === otherRest.slice(1) ||
    rest.slice(1) === otherRest.slice(1) ||
    (rest.charAt(0) === otherRest.charAt(1) &&
      rest.charAt(1) === otherRest.charAt(0) &&
      rest.slice(2) === otherRest.slice(2))
  );
}

/** Words that mean something by themselves, and are typed in a hurry. */
const CORRECTED =
  'looks looking perfect perfectly thanks thank great awesome amazing excellent brilliant beautiful approved correct works cancel abort never nevermind forget continue proceed option commit publish merge release'.split(
    ' ',
  );

/** Words that are one slip away from those, and no slip: "about" is no "abort". */
const NO_SLIPS = wordSet(
  'about aborts cancels cancer chancel continua continued continues corrects approves commits options proceeds forge forged forger forges forgets ' +
    'forgot greats greet locks looms loons loops loots locking looming looping loosing looting merged merger merges newer released releases tanks think thinks ' +
    'thunk thunks words world worlds worms',
);

/** A word with its slip corrected, if it is none that is known. */
function mended(word: string): string {
  if (
    word.length < 5 ||
    NO_SLIPS.has(word) ||
    LEXICON.at(word).length > 0 ||
    FORM_BOOK.at(word).length > 0 ||
    LEADS.has(word)
  )
    return word;
  return CORRECTED.find((known) => isOneSlip(word, known)) ?? word;
}

/** A clause with its slips corrected, if it is an act then and was none before. */
function spelled(clause: Clause): Clause {
  const words = clause.words.map(mended);
  if (words.every((word, at) => word === clause.words[at])) return clause;
  return actOf(piecesOf(clause.words)) === null && actOf(piecesOf(words)) !== null ? { ...clause, words } : clause;
}

/** Words that a topic announced by its noun begins with. */
const NAMED: ReadonlySet<string> = new Set(['new', 'next', 'the', 'another', 'different', 'separate', 'other', 'a']);
const VERBS_BEHIND_NAME = wordSet('is are was were has have should must can could will would');
const BEHIND_NAME: ReadonlySet<string> = new Set(['for', 'from', 'now', 'please', 'then', 'here', 'first']);

/** Nouns that are verbs as well, and what parts them from those: "a different topic name for the events". */
const PROPERTIES: ReadonlySet<string> = new Set(['name', 'format', 'limit', 'filter', 'link', 'tag', 'document']);
const BEHIND_PROPERTY: ReadonlySet<string> = new Set(['for', 'of', 'in', 'is', 'please', 'now', 'then', 'instead']);

/** Verbs whose topic may be a thing of the work: "switch topic names to uppercase", "change topics in the menu". */
const SWITCHES = wordSet('switch change switching changing');
const PARTS_OF_TOPICS = wordSet(
  'name names title titles label labels filter filters list lists field fields column columns id ids tag tags order color colors icon icons picker menu model models in of',
);

/** Returns whether what could announce a topic is only what the sentence speaks of: "the next task in the queue is skipped". */
function isNoun(words: readonly string[], at: number, length: number): boolean {
  const rest = words.slice(at + length);
  if (SWITCHES.has(words[at] ?? '')) return PARTS_OF_TOPICS.has(rest[0] ?? '');
  if (!NAMED.has(words[at] ?? '') || rest.length === 0 || BEHIND_NAME.has(rest[0] ?? '')) return false;
  const [noun = '', next = ''] = rest;
  if (PROPERTIES.has(noun) && (next === '' || BEHIND_PROPERTY.has(next))) return true;
  // "Next ticket is PROJ-1182".
  if (noun === 'is' && /[0-9]/.test(next)) return false;
  return VERBS_BEHIND_NAME.has(noun) || formOf(rest) === null;
}

const PRAISING: ReadonlySet<string> = new Set(['great', 'cool', 'nice', 'perfect', 'good', 'awesome']);

/** The form of a clause, by its first words or those behind what only leads up to it. */
function formOf(words: readonly string[]): Form | null {
  for (let at = 0; at < words.length; at += 1) {
    const match = matchAt(FORM_BOOK, words, at);
    // "also can you explain": what is behind says more.
    if (match?.sign === 'also' || match?.sign === 'but') {
      const later = formOf(words.slice(at + match.length));
      return later === 'ask' || later === 'inform' || later === 'topic' ? later : match.sign;
    }
    if (match?.sign === 'lead') {
      at += match.length - 1;
      continue;
    }
    if (match?.sign === 'topic' && isNoun(words, at, match.length)) return null;
    if (match) return match.sign;
    // "Perfect is the enemy of good": no praise, and no question.
    if (!LEADS.has(words[at] ?? '') || (PRAISING.has(words[at] ?? '') && words[at + 1] === 'is')) return null;
  }
  return null;
}

/** Tags that make no question of a wish: "…, does that make sense?" */
const TAGS: ReadonlySet<string> = new Set([
  'does that make sense',
  'does this make sense',
  'make sense',
  'makes sense',
  'does that work',
  'ok',
  'okay',
  'please',
  'thanks',
  'deal',
]);

/** Words that only look like a question where more is said behind them: "honestly? neither", "it is long, no? Trim it". */
const RHETORICAL: ReadonlySet<string> = new Set([
  'honestly',
  'seriously',
  'really',
  'no',
  'right',
  'eh',
  'huh',
  'isnt it',
  'is it',
  'you know',
]);

/** What a clause begins with in these forms says more than its words. */
const FIRST_FORMS: ReadonlySet<ClauseKind> = new Set<ClauseKind>(['ask', 'inform', 'topic', 'follow', 'also', 'talk']);

/** Acts that a wish of the same words is not. */
const PRAISES: ReadonlySet<ClauseKind> = new Set<ClauseKind>(['approve', 'yes', 'thanks']);

const MODALS: ReadonlySet<string> = new Set(['can', 'could', 'would', 'may', 'might']);
/** Returns whether words ask for one thing in place of another: "could it be blue instead?" */
const isWishToSwap = (words: readonly string[]): boolean =>
  MODALS.has(words[0] ?? '') && words.includes('instead') && !words.includes('of');

/** Words behind "was" that make a question of it without a mark: German has another "was", and "was better before" says. */
const BEHIND_WAS = wordSet(
  'i you we they he she it there this that these those the all my our your its everything ist sind war bedeutet heißt heisst passiert macht machst mache soll sollen kann können hast hat habe wird wäre fehlt meinst willst genau für du das die der den ich wir mit',
);

/** Nouns that want to be informed when they are alone, and what may be behind them: "status of the build", "recap please". */
const TOLD = wordSet('status recap tldr summary');
const BEHIND_TOLD = wordSet('of on for please pls update updates report check so now again');
const isNamedOnly = ([noun = '', next = '']: readonly string[]): boolean =>
  TOLD.has(noun) && next !== '' && !BEHIND_TOLD.has(next);

/** What is to be shown by the work, and not decided by the agent: "show a hint when the list is empty". */
const SHOWS = wordSet('show list');
const WHENEVER = wordSet('when whenever while if where unless on');
const TO_AGENT = wordSet('me us you youre done finished ready possible able');
const isAddressed = (words: readonly string[]): boolean => words.some((word) => TO_AGENT.has(word));
/** Returns whether a clause says when the work is to do something: "when hovering, …". */
const isWhenever = ({ words }: Pick<Clause, 'words'>): boolean =>
  WHENEVER.has(words.find((word) => !LEADS.has(word)) ?? '') && !isAddressed(words);
const isShownByWork = (words: readonly string[], previous: ClauseReading | undefined): boolean =>
  SHOWS.has(words[0] ?? '') &&
  !isAddressed(words) &&
  ((previous !== undefined && isWhenever(previous)) || words.some((word, at) => at > 1 && WHENEVER.has(word)));

const ASKS_INSIDE = wordSet('why how what where when');
const TURNED = wordSet('do does did is are was were will would can could should has have');
const SUBJECTS = wordSet('i you we they he she it this that these those the there my our your');
/** Returns whether a question is behind what leads up to it: "if it is still used why did you remove it". */
const asksInside = (words: readonly string[]): boolean =>
  isAskedLast(words) ||
  words.some((word, at) => {
    if (!ASKS_INSIDE.has(word)) return false;
    // "How big would it be", and not "why it is the default".
    const verb = at + (TURNED.has(words[at + 1] ?? '') || SUBJECTS.has(words[at + 1] ?? '') ? 1 : 2);
    return TURNED.has(words[verb] ?? '') && SUBJECTS.has(words[verb + 1] ?? '');
  });
/** "Coyote what", "since when". */
const MOST_ASKED_LAST = 3;
const isAskedLast = (words: readonly string[]): boolean =>
  words.length <= MOST_ASKED_LAST && ASKS_INSIDE.has(words.at(-1) ?? '') && !NO_MATTER.has(words.at(-2) ?? '');
const NO_MATTER = wordSet('matter so guess know is');

/** The form of a clause as its first words, its mark and what it speaks of make it together. */
function wholeFormOf(
  words: readonly string[],
  alone: readonly string[],
  isMarked: boolean,
  previous: ClauseReading | undefined,
): Form | null {
  const form = formOf(words);
  if (form === 'inform' && !isMarked && isNamedOnly(alone)) return null;
  if (form === 'inform' && !isMarked && isShownByWork(alone, previous)) return 'request';
  // "Link?", and no wish of one word.
  if (form === 'request' && isMarked && (alone[0] === 'do' || alone.length === 1)) return 'ask';
  if (form === null && !isMarked && asksInside(words)) return 'ask';
  if (form !== 'ask') return form;
  if (!isMarked && alone[0] === 'was' && !BEHIND_WAS.has(alone[1] ?? '')) return null;
  return isWishToSwap(alone) ? 'suggest' : form;
}

function readClause(clause: Clause, previous: ClauseReading | undefined, isLast: boolean): ClauseReading {
  const { words } = clause;
  const pieces = piecesOf(words, NO_ACT);
  const opening = openingOf(pieces);
  const alone = words.filter((word) => !LEADS.has(word));
  const isMarked = clause.end === '?';
  const isTopic = isTopicAlone(alone);
  const form = isTopic ? 'topic' : wholeFormOf(words, alone, isMarked, previous);
  const whole = takesOver(words) ? 'takeover' : actOf(pieces);
  // "Please confirm" and "can you approve" want something done.
  // "Cancel works" praises what is called so.
  const isPraised = whole === 'approve' && opening === 'stop';
  const isWish = form === 'suggest' || (form === 'request' && !isPraised && !isIdiomAfterLeads(pieces));
  const act = (whole !== null && PRAISES.has(whole) && isWish) || isScope(words) ? null : whole;
  const base = { words, shown: clause.shown, opening, act };
  const isTag = previous !== undefined && TAGS.has(words.join(' '));
  if (isMarked && (isTag || (!isLast && RHETORICAL.has(words.join(' ')))))
    return { ...base, kind: 'glue', isQuestion: false };
  // "Can you push?" asks for it as much as "push" does.
  if (act === 'publish' && form === 'suggest') return { ...base, kind: act, isQuestion: false };
  if (act && !isMarked && !(form && FIRST_FORMS.has(form)) && (act !== 'glue' || form === null || form === 'own'))
    return { ...base, kind: act, isQuestion: false };
  // "Which one do you mean, build or test?"
  if (isMarked && form === 'request' && previous?.kind === 'ask' && words.includes('or'))
    return { ...base, kind: 'ask', isQuestion: true };
  if (isMarked && (form === null || form === 'also' || form === 'but' || act !== null))
    return { ...base, kind: act !== null && form === 'suggest' ? 'suggest' : 'ask', isQuestion: true };
  return { ...base, kind: form ?? (isScope(words) ? 'request' : 'tell'), isQuestion: isMarked || form === 'ask' };
}

/** What names only how much of it: "now all of them", behind "good". */
const SCOPE = wordSet('now all of them these those everything both the rest others please and ok everywhere');
const MUCH = wordSet('all everything both rest others everywhere');
const isScope = (words: readonly string[]): boolean =>
  words.every((word) => SCOPE.has(word)) &&
  words.some((word) => MUCH.has(word)) &&
  words.some((word) => !LEADS.has(word));

/** Reads a message clause by clause. */
export function readMessage(message: string): Reading {
  const { clauses, hasPaste } = clausesOf(message);
  const words = clauses.reduce((sum, clause) => sum + clause.words.length, 0);
  const isShort = words <= FEW_WORDS;
  const readings: ClauseReading[] = [];
  for (const clause of clauses) {
    readings.push(readClause(isShort ? spelled(clause) : clause, readings.at(-1), clause === clauses.at(-1)));
  }
  return { clauses: readings, words, hasPaste };
}
