/** What the agent asked, and whether words that would end or start a task are the answer to it. */
import { piecesOf, setOf } from './acts.ts';
import { bare, isSymbol, tokensOf } from './characters.ts';
import { isEndReason } from './end-reasons.ts';
import { PATTERNS } from './patterns.ts';
import type { ClauseReading } from './reading.ts';
import type { View } from './view.ts';

/** How much of the end of the agent's message may belong to its question. */
const MOST_OF_QUESTION = 800;

const MARKS: ReadonlySet<string> = new Set(['?', '？', '!', '！', '。']);
const isAsking = (text: string): boolean => text.includes('?') || text.includes('？');

/** Words of ideographs have no blanks between them. */
const joined = (text: string, token: string): string => text + (isSymbol(token) || text === '' ? '' : ' ') + token;

/** The questions of a line. */
function questionsOf(line: string): string[] {
  let sentence: string[] = [];
  const questions: string[] = [];
  for (const token of tokensOf(line)) {
    sentence.push(token);
    if (!MARKS.has(token) && !(token.length > 1 && token.endsWith('.'))) continue;
    if (token === '?' || token === '？') questions.push(sentence.reduce(joined, ''));
    sentence = [];
  }
  return questions;
}

/** What the agent asked: its questions, and the items of lists beside them; without any, the end of its message. */
export function questionOf({ lastMessage }: View): string {
  const lines = lastMessage
    .slice(-MOST_OF_QUESTION)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (!lines.some(isAsking)) return lines.at(-1) ?? '';
  return lines.flatMap((line) => (PATTERNS.listItem.test(line) ? [line] : questionsOf(line))).join('\n');
}

const wordsOf = (text: string): string[] =>
  tokensOf(text.toLowerCase()).map((token) =>
    isSymbol(token) ? token : bare(token).replaceAll("'", '').replaceAll('’', ''),
  );

/** Words that name nothing by themselves. */
const UNNAMED = setOf(
  'it this that them these those here there a an the lets let us please pls to about just ok okay no yes now then and',
);
/** What a word may have behind it and name the same: "cancel" and "cancelled". */
const SUFFIXES: ReadonlySet<string> = new Set(['s', 'd', 'ed', 'ped', 'led', 'ing', 'ping', 'ling', 'e', 'en', 't']);

/** Whether every word that names something is in a question. */
function areNamed(words: readonly string[], question: readonly string[]): boolean {
  const naming = words.filter((word) => !UNNAMED.has(word));
  const isNamed = (word: string): boolean =>
    question.some((asked) => asked === word || (asked.startsWith(word) && SUFFIXES.has(asked.slice(word.length))));
  return naming.length > 0 && naming.every(isNamed);
}

/** The words of a message that would end a task, a list for each phrase. */
const endingsOf = (view: View): (readonly string[])[] =>
  view.clauses.flatMap(({ words }) =>
    piecesOf(words).flatMap((piece) =>
      piece.sign === 'stop' || piece.sign === 'dismiss' || piece.sign === 'leave' ? [piece.words] : [],
    ),
  );

/** Words for all of the work; where the question does not speak of it, they are no answer to it. */
const WHOLES = setOf('task session everything whole entire project feature');
export const isOfAll = (view: View, question: readonly string[] = wordsOf(questionOf(view))): boolean =>
  view.clauses.some(({ words }) => words.some((word) => WHOLES.has(word) && !question.includes(word)));

const EFFECTS = setOf('do say read print show display trigger');
/** "What should the key do?" asks for a word, as "what label?" does. */
const asksForWord = (question: string, words: readonly string[]): boolean =>
  PATTERNS.asksWord.test(question) || (PATTERNS.asksOfThing.test(question) && words.some((word) => EFFECTS.has(word)));

/** Whether it says in the words of the question what would end a task: "cancel it", asked "wait for it, or cancel it?" */
export function namesAsked(view: View): boolean {
  const question = questionOf(view);
  const words = wordsOf(question);
  if (isOfAll(view, words)) return false;
  const endings = endingsOf(view);
  if (endings.some((ending) => areNamed(ending, words))) return true;
  return view.clauses.length === 1 && view.clauses[0]?.kind === 'stop' && asksForWord(question, words);
}

/** Whether another task is announced in the words of the question: "a different topic", asked "the same topic or another?" */
export const isNamedTopic = (view: View, { words }: ClauseReading): boolean =>
  areNamed(words, wordsOf(questionOf(view)));

/** What an agent wants to begin or go on with by its offer: the task, and nothing beside it. */
const ONWARD = setOf('continue proceed go start begin implement try retry keep finish complete');

const MOST_OF_OFFER = 300;

/** Whether the agent offers something beside the task. */
export function offersExtra(view: View): boolean {
  const question = questionOf(view);
  if (PATTERNS.extra.test(question) || PATTERNS.extraBefore.test(view.lastMessage.slice(-MOST_OF_OFFER))) return true;
  const verb = PATTERNS.offeredVerb.exec(question)?.[1]?.toLowerCase();
  return verb !== undefined && !ONWARD.has(verb);
}

/** Kinds that say more than that something is waved away. */
const TELLING = new Set(['tell', 'own', 'pick', 'request']);

/** Whether only what the agent asked about is waved away: an offer, or what it wanted from the user. */
export function refusesAsked(view: View): boolean {
  const question = questionOf(view);
  if (question === '' || isOfAll(view)) return false;
  const endings = endingsOf(view);
  const isBother = endings.some((words) => words.includes('bother'));
  const isRefused = view.clauses[0]?.opening === 'no' || isBother;
  if (isRefused && (PATTERNS.offer.test(question) || offersExtra(view))) return true;
  if (view.clauses.some(({ kind, opening }) => kind === 'stop' || opening === 'stop') && !isBother) return false;
  if (offersExtra(view) || PATTERNS.asksFavor.test(question)) return true;
  // "Never mind, it is in the other file", asked where it is.
  return (
    PATTERNS.asksFact.test(question) && view.clauses.some(({ kind, words }) => TELLING.has(kind) && !isEndReason(words))
  );
}
