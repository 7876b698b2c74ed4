/** Decides whether words that would end a task answer the agent's question: "cancel it", asked "wait for it or cancel it?" */
import { wordList } from '../core/word-set.ts';
import { piecesOf } from './acts.ts';
import { bare, isSymbol, tokensOf } from './characters.ts';
import { isEndReason } from './end-reasons.ts';
import type { Piece } from './lexicon.ts';
import { PATTERNS } from './patterns.ts';
import { has, type View } from './view.ts';

const MOST_OF_QUESTION = 800;
const isAsking = (text: string): boolean => text.includes('?') || text.includes('？');
const isChoice = (text: string): boolean => text.includes(' or ');

/** The sentences around what the agent asked: of its end, and of the first line, which a long plan is behind. */
function sentencesAround({ lastMessage }: View): string[] {
  const first = lastMessage.split('\n', 1)[0]?.slice(0, MOST_OF_QUESTION);
  const isLong = lastMessage.length > MOST_OF_QUESTION;
  const text = isLong ? `${first}\n${lastMessage.slice(-MOST_OF_QUESTION)}` : lastMessage;
  const lines = text.replace(PATTERNS.sentenceEnd, '$1\n').split('\n');
  return lines.map((line) => line.trim()).filter((line) => line !== '');
}

/** Returns the agent's questions and the items of lists beside them; without any, the end of its message. */
function questionsIn(sentences: readonly string[]): readonly string[] {
  const isAsked = sentences.some(isAsking);
  return isAsked ? sentences.filter((one) => isAsking(one) || PATTERNS.listItem.test(one)) : sentences.slice(-1);
}

const wordsOf = (text: string): string[] =>
  tokensOf(text.toLowerCase()).map((token) => (isSymbol(token) ? token : bare(token).replace(/['’]/g, '')));

const UNNAMED = wordList`it this that them these those here there a an the all of lets let us please pls to about just ok okay no yes now then and`;
const SUFFIXES = wordList`s d ed ped led ing ping ling e en t`;
/** Returns whether every word that names something is in a text: "cancelled" is "cancel", and "/cancel" too. */
function areNamed(words: readonly string[], text: readonly string[]): boolean {
  const isNamed = (word: string): boolean =>
    text.some(
      (one) => one === word || one === `/${word}` || (one.startsWith(word) && SUFFIXES.has(one.slice(word.length))),
    );
  const naming = words.filter((word) => !UNNAMED.has(word));
  return naming.length > 0 && naming.every(isNamed);
}

const isEnd = ({ sign }: Piece): boolean => sign === 'stop' || sign === 'dismiss' || sign === 'leave';
const OBJECTS = wordList`it this that them these those bother`;
const hasObject = ({ words }: Piece): boolean => words.some((word) => OBJECTS.has(word));
/** Returns whether a phrase may end one thing that was spoken of: one verb, with or without "it". */
const endsThing = ({ words }: Piece): boolean =>
  !words.some((word) => word === 'lets' || word.startsWith('work')) &&
  (words.every(isSymbol) || words.filter((word) => !UNNAMED.has(word)).length === 1 || words.at(-1) === 'off');

const WHOLES = wordList`task session everything whole entire project feature`;
const ENDS = wordList`stop cancel abort halt kill quit terminate interrupt abandon scrap discard drop ditch close`;
/** Returns whether a sentence names what would end a task, or offers another end: "I can wait or cancel it". */
function offersEnd(place: string, ends: readonly Piece[]): boolean {
  const words = wordsOf(place);
  if (ends.some((end) => areNamed(end.words, words))) return true;
  const isOffer = isAsking(place) || isChoice(place) || PATTERNS.iCould.test(place);
  return isOffer && ends.length > 0 && ends.every(endsThing) && words.some((word) => ENDS.has(word));
}

const NEEDS = wordList`need needed`;
const names = (words: readonly string[], set: { has: (word: string) => boolean }): boolean => words.some(set.has, set);
/** Decides the relation of words that would end a task to the agent's question; null if they are no answer to it. */
export function answersAsked(view: View): 'answer' | 'unclear' | null {
  const sentences = sentencesAround(view);
  const questions = questionsIn(sentences);
  const ends = view.clauses.flatMap(({ words }) => piecesOf(words).filter(isEnd));
  const reasons = view.clauses.filter(({ words }) => isEndReason(words));
  const isFact = questions.some((one) => PATTERNS.asksFact.test(one) && !PATTERNS.asksWhatWith.test(one));
  const isThing = ends.every((end) => endsThing(end) || names(end.words, NEEDS));
  const namesTask = view.clauses.some(({ words }) => words.includes('task'));
  if (reasons.length > 0 && isThing && !namesTask && reasons.every(({ words }) => names(words, NEEDS)))
    return questions.length === 0 || isFact ? 'unclear' : 'answer';
  if (questions.length === 0 || reasons.length > 0) return null;
  const said = new Set(sentences.flatMap(wordsOf));
  const isWhole = view.clauses.some(({ words }) => words.some((word) => WHOLES.has(word) && !said.has(word)));
  const asked = questions.join('\n');
  if (questions.some((one) => PATTERNS.listItem.test(one) && offersEnd(one, ends))) return 'answer';
  if (isThing && PATTERNS.asksWhatWith.test(asked)) return isWhole ? null : 'answer';
  if (PATTERNS.asksOfReaction.test(asked)) return namesTask ? null : 'unclear';
  if (isWhole) return null;
  if (sentences.some((one) => offersEnd(one, ends))) return 'answer';
  if (said.has('job') && view.clauses.some(({ words }) => words.includes('job'))) return 'answer';
  if (view.clauses.length === 1 && PATTERNS.asksLabel.test(asked))
    return isThing && !ends.some(hasObject) ? 'answer' : 'unclear';
  if (view.clauses.length === 1 && PATTERNS.asksName.test(asked)) return 'unclear';
  return answersLeave(view, sentences, ends, asked);
}

/** The same of a question that asks leave for something, offers it, wants it from the user, or asks for a fact. */
function answersLeave(
  view: View,
  sentences: readonly string[],
  ends: readonly Piece[],
  asked: string,
): 'answer' | 'unclear' | null {
  const isNo = view.clauses.some(({ opening, words }, at) => opening === 'no' && (at === 0 || words.length === 1));
  const isBother = ends.some(({ words }) => words.includes('bother'));
  const isWaved = !has(view, 'stop') || isBother;
  const isOfIt = ends.length > 0 && ends.every((end) => endsThing(end) && hasObject(end));
  const leave = sentences.find((one) => PATTERNS.asksLeave.test(one) && !PATTERNS.asksWay.test(one));
  const mayI = sentences.some((one) => PATTERNS.mayI.test(one));
  // Words that end the task are no answer to whether it is to continue, unless the agent needs leave for that.
  if (leave && PATTERNS.continues.test(leave))
    return isNo || (mayI && ends.every(endsThing) && !names(ends[0]?.words ?? [], FORGETS)) ? 'answer' : null;
  if (leave && isChoice(leave)) return isNo ? 'answer' : isOfIt ? 'unclear' : null;
  // "Never mind" waves the task away, unless the agent offers more than that.
  const isIdiom = ends.length > 0 && ends.every(({ words }) => words[0] === 'never' || words[0]?.startsWith('n'));
  if (isIdiom && !isNo && !offersExtra(view) && !PATTERNS.asksFavor.test(asked) && !PATTERNS.asksFact.test(asked))
    return null;
  if (leave || offersExtra(view)) {
    if (isNo || isWaved || isOfIt || (mayI && ends.every(endsThing))) return 'answer';
    return ends.every(endsThing) ? 'unclear' : null;
  }
  if (!isWaved) return null;
  if (isBother || PATTERNS.asksFavor.test(asked)) return 'answer';
  if (PATTERNS.asksFact.test(asked)) return has(view, 'tell', 'own', 'pick', 'request') ? 'answer' : null;
  return isOfIt ? 'unclear' : null;
}
const FORGETS = wordList`forget`;
/** Returns whether the agent offers something beside the task, and does not only ask which way the task is to go. */
export const offersExtra = (view: View): boolean =>
  questionsIn(sentencesAround(view)).some(
    (one) =>
      ((isAsking(one) || PATTERNS.offer.test(one)) && PATTERNS.extra.test(one)) ||
      (PATTERNS.offeredDeed.test(one) &&
        !PATTERNS.asksWay.test(one) &&
        !PATTERNS.continues.test(one) &&
        !(isChoice(one) && one.includes(' use '))),
  ) || PATTERNS.extraBefore.test(view.lastMessage.slice(-300));

/** Returns whether a message announces another task in the words of the agent's question. */
export function isNamedTopic(view: View, words: readonly string[]): boolean {
  const asked = questionsIn(sentencesAround(view)).join('\n');
  const isWord =
    view.clauses.length === 1 && words.length <= 3 && (PATTERNS.asksLabel.test(asked) || PATTERNS.asksName.test(asked));
  return asked !== '' && words.length > 0 && (areNamed(words, wordsOf(asked)) || isWord);
}
