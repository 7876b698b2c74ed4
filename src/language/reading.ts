/** Reads what each clause of a message does: approves, stops, asks, requests something, or states. */
import { wordList } from '../core/word-set.ts';
import { type Act, actOf, isIdiomAfterLeads, LEXICON, NO_ACT, openingOf, piecesOf } from './acts.ts';
import { FORM_BOOK, type Form, LEADS, TOPICS_ALONE } from './clause-forms.ts';
import { matchAt } from './phrases.ts';
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

const shortened = (word: string): string[] => Array.from(word, (_, at) => word.slice(0, at) + word.slice(at + 1));
/** Returns whether one letter more, less, other, or at another place makes one word of the other. */
function isOneSlip(word: string, other: string): boolean {
  if (Math.abs(word.length - other.length) > 1 || word.charAt(0) !== other.charAt(0)) return false;
  const [short, otherShort] = [shortened(word), shortened(other)];
  return short.includes(other) || otherShort.includes(word) || short.some((one) => otherShort.includes(one));
}

/** Words that mean something by themselves, and are typed in a hurry. */
const CORRECTED =
  `what looks looking perfect perfectly thanks thank great awesome amazing excellent brilliant beautiful approved correct works cancel abort never nevermind forget continue proceed option commit publish merge release unrelated different`.split(
    ' ',
  );

/** Words that are one slip away from those, and no slip: "about" is no "abort". */
const NO_SLIPS = wordList`about aborts cancels cancer chancel continua continued continues corrects approves commits options proceeds forge forged forger forges forgets forgot greats greet locks looms loons loops loots locking looming looping loosing looting merged merger merges newer released releases tanks think thinks thunk thunks words world worlds worms`;

/** A word with its slip corrected, if it is none that is known. */
function mended(word: string): string {
  const isKnown = LEADS.has(word) || LEXICON.at(word).length > 0 || FORM_BOOK.at(word).length > 0;
  if (word.length < 4 || NO_SLIPS.has(word) || isKnown) return word;
  return CORRECTED.find((known) => isOneSlip(word, known)) ?? word;
}

/** A clause with its slips corrected, if it is an act then and was none before. */
function spelled(clause: Clause): Clause {
  const words = clause.words.map(mended);
  if (words.every((word, at) => word === clause.words[at])) return clause;
  const isRead = actOf(piecesOf(words)) !== null || formOf(words) === 'ask' || formOf(words) === 'topic';
  return actOf(piecesOf(clause.words)) === null && isRead ? { ...clause, words } : clause;
}

const NAMED: ReadonlySet<string> = new Set(['new', 'next', 'the', 'another', 'different', 'separate', 'other', 'a']);
const VERBS_BEHIND_NAME = wordList`name is are was were has have should must can could will would`;
const BEHIND_NAME: ReadonlySet<string> = new Set(['for', 'from', 'now', 'please', 'then', 'here', 'first']);
/** Verbs whose topic may be a thing of the work: "switch topic names to uppercase", "change topics in the menu". */
const SWITCHES = wordList`switch change switching changing`;
const PARTS_OF_TOPICS = wordList`name names title titles label labels filter filters list lists field fields column columns id ids tag tags order color colors icon icons picker menu model models in of`;

/** Returns whether what could announce a topic is only what the sentence speaks of: "the next task in the queue is skipped". */
function isNoun(words: readonly string[], at: number, length: number): boolean {
  const rest = words.slice(at + length);
  if (words[at + length - 1] === 'up' || words[at + length - 1] === 'list') return false;
  if (SWITCHES.has(words[at] ?? '')) return PARTS_OF_TOPICS.has(rest[0] ?? '');
  if (!NAMED.has(words[at] ?? '') || rest.length === 0 || BEHIND_NAME.has(rest[0] ?? '')) return false;
  const [noun = '', next = ''] = rest;
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
const TAGS: ReadonlySet<string> = new Set(
  `does that make sense|does this make sense|make sense|makes sense|does that work|ok|okay|please|thanks|deal`.split(
    '|',
  ),
);

/** Words that only look like a question where more is said behind them: "honestly? neither", "it is long, no? Trim it". */
const RHETORICAL: ReadonlySet<string> = new Set(
  'honestly|seriously|really|no|right|eh|huh|isnt it|is it|you know'.split('|'),
);

const FIRST_FORMS: ReadonlySet<ClauseKind> = new Set<ClauseKind>(['ask', 'inform', 'topic', 'follow', 'also', 'talk']);
const PRAISES: ReadonlySet<ClauseKind> = new Set<ClauseKind>(['approve', 'yes', 'thanks']);
const SHOWS = wordList`show list`;
const TO_AGENT = wordList`me us you youre done finished ready possible able`;
const WHENEVER = wordList`when whenever if while unless on`;
const ASKS_INSIDE = wordList`why how what where when`;
const TURNED = wordList`do does did is are was were will would can could should has have`;
const SUBJECTS = wordList`ist sind macht soll i you we they he she it this that these those the there my our your`;
/** Returns whether a question is behind what leads up to it: "if it is still used why did you remove it". */
const asksInside = (words: readonly string[]): boolean =>
  isAskedLast(words) ||
  words.some((word, at) => {
    if (!ASKS_INSIDE.has(word)) return false;
    // "How big would it be", and not "why it is the default".
    const verb = at + (TURNED.has(words[at + 1] ?? '') || SUBJECTS.has(words[at + 1] ?? '') ? 1 : 2);
    return TURNED.has(words[verb] ?? '') && SUBJECTS.has(words[verb + 1] ?? '');
  });
const isAskedLast = (words: readonly string[]): boolean =>
  words.length <= 3 && ASKS_INSIDE.has(words.at(-1) ?? '') && !NO_MATTER.has(words.at(-2) ?? '');
const NO_MATTER = wordList`matter so guess know is`;

/** The form of a clause as its first words, its mark and what it speaks of make it together. */
function wholeFormOf(words: readonly string[], alone: readonly string[], isMarked: boolean): Form | null {
  const form = formOf(words);
  // "Show a hint when the list is empty" is done by the work, and not by the agent.
  if (form === 'inform' && !isMarked && SHOWS.has(alone[0] ?? '') && !alone.some((word) => TO_AGENT.has(word)))
    return alone.some((word, at) => at > 1 && WHENEVER.has(word)) ? 'request' : form;
  // "Link?", and no wish of one word.
  if (form === 'request' && isMarked && (alone[0] === 'do' || alone.length === 1)) return 'ask';
  if (form === null && !isMarked && asksInside(words)) return 'ask';
  // "Was better before" reports.
  return form === 'ask' && !isMarked && alone[0] === 'was' && !SUBJECTS.has(alone[1] ?? '') ? null : form;
}

function readClause(clause: Clause, previous: ClauseReading | undefined, isLast: boolean): ClauseReading {
  const { words } = clause;
  const pieces = piecesOf(words, NO_ACT);
  const opening = openingOf(pieces);
  const alone = words.filter((word) => !LEADS.has(word));
  const isMarked = clause.end === '?';
  const isTopic = isTopicAlone(alone);
  const form = isTopic ? 'topic' : wholeFormOf(words, alone, isMarked);
  const whole = actOf(pieces);
  // "Please confirm" and "can you approve" want something done.
  // "Cancel works" praises what is called so.
  const isPraised = whole === 'approve' && opening === 'stop';
  const isWish = form === 'suggest' || (form === 'request' && !isPraised && !isIdiomAfterLeads(pieces));
  const act = (whole !== null && PRAISES.has(whole) && isWish) || isScope(words) ? null : whole;
  const base = { words, shown: clause.shown, opening, act };
  const isTag = previous !== undefined && TAGS.has(words.join(' '));
  const read = (kind: ClauseKind, isQuestion: boolean): ClauseReading => ({ ...base, kind, isQuestion });
  if (isMarked && (isTag || (!isLast && RHETORICAL.has(words.join(' '))))) return read('glue', false);
  // "Can you push?" asks for it as much as "push" does.
  if (act === 'publish' && form === 'suggest') return read(act, false);
  const isAct = !(form && FIRST_FORMS.has(form)) && (act !== 'glue' || form === null || form === 'own');
  if (act && !isMarked && isAct) return read(act, false);
  // "Which one do you mean, build or test?"
  if (isMarked && form === 'request' && previous?.kind === 'ask' && words.includes('or')) return read('ask', true);
  if (isMarked && (form === null || form === 'also' || form === 'but' || act !== null))
    return read(act !== null && form === 'suggest' ? 'suggest' : 'ask', true);
  return read(form ?? (isScope(words) ? 'request' : 'tell'), isMarked || form === 'ask');
}

/** Words for only a part of it: "now all of them", behind "good". */
const SCOPE = wordList`now all of them these those everything both the rest others please and ok everywhere`;
const MUCH = wordList`all everything both rest others everywhere`;
const isScope = (words: readonly string[]): boolean =>
  words.every((word) => SCOPE.has(word)) &&
  words.some((word) => MUCH.has(word)) &&
  words.some((word) => !LEADS.has(word));

const TICKETS = wordList`ticket issue task`;
/** Returns whether words that nothing follows announce another task: "unrelated", "let's move to #12", "switch to ticket 12". */
function isTopicAlone(words: readonly string[]): boolean {
  const [verb = '', to, ticket = '', number = ''] = words[0] === 'lets' ? words.slice(1) : words;
  const isTurn = TURNS_TO.has(verb) && to === 'to';
  const isTicket = ticket.includes('#') || (TICKETS.has(ticket) && /[0-9]/.test(number));
  return TOPICS_ALONE.has(words.join(' ')) || (isTurn && isTicket);
}
const TURNS_TO = wordList`move switch turn`;

/** Reads a message clause by clause. */
export function readMessage(message: string): { clauses: ClauseReading[]; words: number; hasPaste: boolean } {
  const { clauses, hasPaste } = clausesOf(message);
  const words = clauses.reduce((sum, clause) => sum + clause.words.length, 0);
  const isShort = words <= 6;
  const readings: ClauseReading[] = [];
  for (const clause of clauses)
    readings.push(readClause(isShort ? spelled(clause) : clause, readings.at(-1), clause === clauses.at(-1)));
  return { clauses: readings, words, hasPaste };
}
