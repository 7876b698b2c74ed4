/** Finds what the agent asked, and decides whether words that would end or start a task answer that question. */
import { wordSet } from '../core/word-set.ts';
import { piecesOf } from './acts.ts';
import { bare, isSymbol, tokensOf } from './characters.ts';
import { isEndReason, isGivenUp } from './end-reasons.ts';
import type { Piece } from './lexicon.ts';
import type { View } from './message-view.ts';
import { PATTERNS } from './patterns.ts';
import type { ClauseReading } from './reading.ts';

/** The number of characters at the end of the agent's message that may belong to its question. */
const MOST_OF_QUESTION = 800;

const MARKS: ReadonlySet<string> = new Set(['?', '？', '!', '！', '。']);
export const isAsking = (text: string): boolean => text.includes('?') || text.includes('？');
export const isChoice = (sentence: string): boolean => sentence.includes(' or ');

/** Words of ideographs have no blanks between them. */
const joined = (text: string, token: string): string => text + (isSymbol(token) || text === '' ? '' : ' ') + token;

/** The sentences of a line. */
function sentencesOf(line: string): string[] {
  const sentences: string[] = [];
  let sentence = '';
  for (const token of tokensOf(line)) {
    sentence = joined(sentence, token);
    if (!MARKS.has(token) && !(token.length > 1 && token.endsWith('.'))) continue;
    // A mark behind a mark ends nothing.
    if (sentence !== token || token.length > 1) sentences.push(sentence);
    sentence = '';
  }
  return sentence === '' ? sentences : [...sentences, sentence];
}

/** The text around what the agent asked: its end, and the first line, which a long plan or command is behind. */
function textOf({ lastMessage }: View): string {
  if (lastMessage.length <= MOST_OF_QUESTION) return lastMessage;
  const first = lastMessage.split('\n', 1)[0]?.slice(0, MOST_OF_QUESTION);
  return `${first}\n${lastMessage.slice(-MOST_OF_QUESTION)}`;
}

const linesOf = (view: View): string[] =>
  textOf(view)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Sentences by the view that they were read for: several rules look at them. */
const READ = new WeakMap<View, readonly string[]>();
/** The sentences of the text around what the agent asked. */
export function sentencesAround(view: View): readonly string[] {
  const sentences = READ.get(view) ?? linesOf(view).flatMap(sentencesOf);
  READ.set(view, sentences);
  return sentences;
}

const QUESTIONS = new WeakMap<View, string>();
/** Returns what the agent asked: its questions, and the items of lists beside them; without any, the end of its message. */
export function questionOf(view: View): string {
  const question = QUESTIONS.get(view) ?? questionIn(view);
  QUESTIONS.set(view, question);
  return question;
}
function questionIn(view: View): string {
  const lines = linesOf(view);
  if (!lines.some(isAsking)) return lines.at(-1) ?? '';
  return lines
    .flatMap((line) => (PATTERNS.listItem.test(line) ? [line] : sentencesOf(line).filter(isAsking)))
    .join('\n');
}

const WORDS = new WeakMap<View, readonly string[]>();
/** The words of what the agent asked. */
function wordsAsked(view: View): readonly string[] {
  const words = WORDS.get(view) ?? wordsOf(questionOf(view));
  WORDS.set(view, words);
  return words;
}

export const wordsOf = (text: string): string[] =>
  tokensOf(text.toLowerCase()).map((token) =>
    isSymbol(token) ? token : bare(token).replaceAll("'", '').replaceAll('’', ''),
  );

/** Words that name nothing by themselves. */
const UNNAMED = wordSet(
  'it this that them these those here there a an the lets let us please pls to about just ok okay no yes now then and',
);
/** The suffixes with which a word still names the same: "cancel" and "cancelled". */
const SUFFIXES: ReadonlySet<string> = new Set(['s', 'd', 'ed', 'ped', 'led', 'ing', 'ping', 'ling', 'e', 'en', 't']);

/** Returns whether every word that names something is in a question. */
function areNamed(words: readonly string[], question: readonly string[]): boolean {
  const naming = words.filter((word) => !UNNAMED.has(word));
  const isNamed = (word: string): boolean =>
    // A path or a command of one word is that word, too: "/cancel or /abort?"
    question.some(
      (asked) =>
        asked === word || asked === `/${word}` || (asked.startsWith(word) && SUFFIXES.has(asked.slice(word.length))),
    );
  return naming.length > 0 && naming.every(isNamed);
}

/** Words for an end; if one of them is offered, each of them takes the offer. */
const ENDS = wordSet('stop cancel abort halt kill quit terminate interrupt abandon scrap discard drop ditch close');

/** Words for what else may become of a thing: "keep it, or start over?" */
const KEEPS = wordSet('keep wait delete remove');
/** Returns whether a place offers to end something: the question, or a sentence that says what could be done. */
const offersEnd = (place: string, words: readonly string[]): boolean =>
  (isAsking(place) || isChoice(place) || PATTERNS.iCould.test(place)) && words.some((word) => ENDS.has(word));

/** The phrases of a message that would end a task. */
export const endingsOf = (view: View): Piece[] =>
  view.clauses.flatMap(({ words }) =>
    piecesOf(words).filter(({ sign }) => sign === 'stop' || sign === 'dismiss' || sign === 'leave'),
  );

/** Words for all of the work; if the question does not speak of it, they are no answer to it. */
const WHOLES = wordSet('task session everything whole entire project feature');
export const isOfAll = (view: View, question: readonly string[] = wordsAsked(view)): boolean =>
  view.clauses.some(({ words }) => words.some((word) => WHOLES.has(word) && !question.includes(word)));

const EFFECTS = wordSet('do say read print show display trigger');
/** "What should the key do?" asks for a word, as "what label?" does. */
const asksForWord = (question: string, words: readonly string[]): boolean =>
  PATTERNS.asksWord.test(question) || (PATTERNS.asksOfThing.test(question) && words.some((word) => EFFECTS.has(word)));

/** Things that "stop the job" ends, if the agent spoke of one. */
const THINGS = wordSet('job');

/**
 * Whether it says in the words of the question, or of a sentence beside it, what would end a task: "cancel it", asked "wait
 * for it, or cancel it?" or "I can wait or cancel it. Which one?"
 */
export function namesAsked(view: View): boolean {
  const question = questionOf(view);
  const endings = endingsOf(view);
  const isOfThing = endings.some(endsThing) && !givesReason(view);
  const isOfIt = isOfThing && endings.every((ending) => isImperative(ending) && hasObject(ending));
  const isNamedIn = (place: string): boolean => {
    const words = wordsOf(place);
    if (isOfAll(view, words)) return false;
    const isThing = (word: string): boolean => THINGS.has(word) && words.includes(word);
    return (
      endings.some((ending) => areNamed(ending.words, words)) ||
      view.clauses.some((one) => one.words.some(isThing)) ||
      (isOfThing && !isOfAll(view) && offersEnd(place, words)) ||
      (isOfIt && !isOfAll(view) && isChoice(place) && words.some((word) => KEEPS.has(word)))
    );
  };
  if ([question, ...sentencesAround(view)].some(isNamedIn)) return true;
  const [only, ...others] = view.clauses;
  // What says more than a word of the language names nothing: "let's stop here", "cancel that".
  const isWord = only?.kind === 'stop' && others.length === 0 && !only.words.some((word) => SAYS_MORE.has(word));
  return isWord && asksForWord(question, wordsAsked(view)) && !isOfAll(view);
}

const SAYS_MORE = wordSet('lets we it this that here there on working work');

/** Returns whether a message may be the word that the agent asked for: "never mind", if the agent asked what the button should say. */
export function isWordAsked(view: View): boolean {
  const question = questionOf(view);
  return view.clauses.length === 1 && (PATTERNS.asksName.test(question) || asksForWord(question, wordsAsked(view)));
}

/** Returns whether the agent asks for permission to do one thing, and not which of two to do. */
const asksLeave = (view: View): boolean =>
  sentencesAround(view).some(
    (sentence) =>
      PATTERNS.mayI.test(sentence) ||
      PATTERNS.goOn.test(sentence) ||
      (PATTERNS.shallI.test(sentence) && !isChoice(sentence)),
  );

/** Returns whether the agent asks for permission to do more than to continue with the task. */
export const asksOfDeed = (view: View): boolean =>
  sentencesAround(view).some(
    (sentence) => PATTERNS.shouldI.test(sentence) && !isChoice(sentence) && !goesOnByDeed(sentence),
  );
/**
 * Returns whether what it asks if it shall do is to continue with the task: "should I start implementing it?", and not "should I
 * start the server?"
 */
function goesOnByDeed(sentence: string): boolean {
  const deed = PATTERNS.deedVerb.exec(sentence);
  if (deed === null || !ONWARD.has(deed[1]?.toLowerCase() ?? '')) return false;
  const behind = wordsOf(sentence.slice(deed.index + deed[0].length)).filter(
    (word) => word !== '' && !TO_TASK.has(word),
  );
  return behind[0]?.endsWith('ing') === true || behind.every((word) => TASK.has(word));
}
/** Words between such a verb and what it takes, and words for the task. */
const TO_TASK = wordSet('ahead on with to at now then please the this that these those it my our so right away');
const TASK = wordSet('approach plan design implementation implement work task change changes proposal idea');

/** Words for what the agent asked about, if it asked about one thing. */
const OBJECTS = wordSet('it this that them these those');
const hasObject = ({ words }: Piece): boolean => words.some((word) => OBJECTS.has(word));
/** Returns whether phrases stop a thing of which the agent asked if it shall do it: "cancel it", and not "cancel". */
const stopsDeed = (view: View, endings: readonly Piece[]): boolean => endings.every(hasObject) && asksOfDeed(view);

/**
 * Returns whether a phrase may end one thing that was spoken of: it has an "it" in it, or is one verb; "let's stop" ends the
 * work.
 */
function endsThing(phrase: Piece): boolean {
  const { words } = phrase;
  if (hasObject(phrase)) return !words.some((word) => word.startsWith('work'));
  return isImperative(phrase) && !words.includes('lets');
}
/** Returns whether a message says why nothing is left to do. */
export const givesReason = (view: View): boolean => view.clauses.some(({ words }) => isEndReason(words));

/** Idioms with a verb that takes a thing: that thing may be what the agent asked about. */
const THROWS = wordSet('scrap scratch');
/** Returns whether a phrase is one verb, with or without "it": no idiom, and nothing that is of the task alone. */
function isImperative({ sign, words }: Piece): boolean {
  if (sign === 'dismiss') return THROWS.has(words[0] ?? '');
  const naming = words.filter((word) => !UNNAMED.has(word));
  return naming.length === 1 || naming.every(isSymbol);
}

/** Returns whether only that is stopped for which the agent asked leave, or of which it asked what to do with it. */
export function stopsAsked(view: View): boolean {
  const endings = endingsOf(view);
  if (isOfAll(view) || givesReason(view)) return false;
  if (PATTERNS.asksWhatWith.test(questionOf(view))) return endings.every(endsThing);
  return endings.every(isImperative) && (asksLeave(view) || stopsDeed(view, endings));
}

/** More words than these say what the other task is. */
const MOST_OF_LABEL = 3;
/**
 * Whether another task is announced in the words of the question: "a different topic", asked "the same topic or another?"; or
 * is only the word that was asked for: "new task", asked what the button should say.
 */
export const isNamedTopic = (view: View, { words }: ClauseReading): boolean =>
  areNamed(words, wordsAsked(view)) || (words.length <= MOST_OF_LABEL && isWordAsked(view));

/** What an agent wants to begin or continue with by its offer: the task, and nothing beside it. */
export const ONWARD = wordSet('continue proceed go start begin implement try retry keep finish complete');

const MOST_OF_OFFER = 300;

/** Returns whether the agent offers something beside the task. */
export function offersExtra(view: View): boolean {
  const question = questionOf(view);
  // "I also updated the tests" says what was done.
  const isOffer = isAsking(question) || PATTERNS.offer.test(question);
  if (isOffer && PATTERNS.extra.test(question)) return true;
  if (PATTERNS.extraBefore.test(view.lastMessage.slice(-MOST_OF_OFFER))) return true;
  return question.split('\n').some(offersDeed);
}
/** Returns whether a sentence offers to do a thing; which way the task is to go is nothing beside it. */
function offersDeed(sentence: string): boolean {
  const offer = PATTERNS.offeredVerb.exec(sentence);
  const verb = offer?.[1]?.toLowerCase() ?? '';
  if (offer === null || ONWARD.has(verb) || (verb === 'use' && isChoice(sentence))) return false;
  const [first = '', ...others] = wordsOf(
    sentence
      .slice(0, offer.index)
      .split(/[,;:—–]/)
      .at(-1) ?? '',
  ).filter((word) => word !== '' && !BEFORE_QUESTION.has(word));
  return !ASKS_WAY.has(first) || !others.some((word) => TURNED.has(word));
}
/** "Which one would you like me to use?", and not "what it prints is wrong, want me to change it?" */
const ASKS_WAY = wordSet('which what how where when');
const TURNED = wordSet('would do should');
const BEFORE_QUESTION = wordSet('so and then now ok okay but');

/** Kinds that say more than that something is waved away. */
const TELLING = new Set(['tell', 'own', 'pick', 'request']);

/** Returns whether a clause says no: the first one begins with it, or it is all of another. */
const saysNo = ({ opening, words }: ClauseReading, index: number): boolean =>
  opening === 'no' && (index === 0 || words.length === 1);

/** Returns whether only what the agent asked about is waved away: an offer, or what it wanted from the user. */
export function refusesAsked(view: View): boolean {
  const question = questionOf(view);
  if (question === '' || isOfAll(view)) return false;
  const endings = endingsOf(view);
  const isBother = endings.some(({ words }) => words.includes('bother'));
  const isRefused = view.clauses.some(saysNo) || isBother;
  if (isRefused && (PATTERNS.offer.test(question) || offersExtra(view) || asksLeave(view))) return true;
  if (view.clauses.some(({ kind, opening }) => kind === 'stop' || opening === 'stop') && !isBother) return false;
  if (offersExtra(view) || PATTERNS.asksFavor.test(question)) return true;
  // "Never mind, it is in the other file", asked where it is.
  return (
    PATTERNS.asksFact.test(question) &&
    view.clauses.some(({ kind, words }) => TELLING.has(kind) && !isEndReason(words) && !isGivenUp(words))
  );
}

/** Returns whether something is given up that may be the task, or what the agent asked for a fact of. */
export const givesUpAsked = (view: View): boolean =>
  PATTERNS.asksFact.test(questionOf(view)) && view.clauses.some(({ words }) => isGivenUp(words));
