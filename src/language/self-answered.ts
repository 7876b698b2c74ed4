/** Decides whether the user asks and says the answer as well, which is a wish: "who should see it? only admins". */
import { wordSet } from '../core/word-set.ts';
import { LEADS } from './clause-forms.ts';
import type { View } from './message-view.ts';
import type { ClauseReading } from './reading.ts';

/** What asks for a value: the answer may be the value alone. */
const ASKS = wordSet('who which what where when how whose why');
/** As many words as a value has. */
const MOST_OF_VALUE = 6;
/** Who says these says why it was asked, or what is there: "I only have 20", "the list is empty". */
const TELLS = wordSet(
  'i im ive id my we weve our just because cause sorry since nothing nobody is are was were isnt arent wasnt does do did doesnt dont didnt has have had hasnt havent cant cannot get got see says said',
);
const isNumber = (word: string): boolean => word >= '0' && word < ':';
const isValue = ({ kind, words }: ClauseReading): boolean =>
  (kind === 'tell' || kind === 'pick' || (kind === 'but' && words[0] === 'only')) &&
  words.length <= MOST_OF_VALUE &&
  (isNumber(words[0] ?? '') || !words.some((word) => TELLS.has(word)));

const WISHES = wordSet('should must needs need');
const TO_AGENT = wordSet('me us you');
/** Returns whether a clause says how something is to be: "they should stream too", "show them inline". */
const isWish = ({ kind, words }: ClauseReading): boolean =>
  (kind === 'tell' && words.some((word) => WISHES.has(word))) ||
  (kind === 'inform' && words[0] === 'show' && !words.some((word) => TO_AGENT.has(word)));

/** Returns whether words ask what becomes of a thing. */
const isAbout = ({ words }: ClauseReading): boolean =>
  words.some((word, at) => word === 'about' && (words[at - 1] === 'what' || words[at - 1] === 'how'));

/** Returns whether a question is followed by the answer that the user wants to it. */
export function answersItself({ clauses }: View): boolean {
  const at = clauses.findLastIndex(({ isQuestion }) => isQuestion);
  const question = clauses[at];
  const behind = clauses.slice(at + 1);
  if (!question || behind.length === 0) return false;
  if (isAbout(question)) return behind.some(isWish) || behind.every(isValue);
  const first = question.words.find((word) => !LEADS.has(word)) ?? '';
  return question.kind === 'ask' && ASKS.has(first) && behind.every(isValue);
}
