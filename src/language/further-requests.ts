/** Decides whether words that lean to approval or to giving up want more: they add a thing, or send the agent on. */
import { wordSet } from '../core/word-set.ts';
import { piecesOf } from './acts.ts';
import { bare } from './characters.ts';
import type { View } from './message-view.ts';
import type { ClauseReading } from './reading.ts';
import { CHECKED } from './reservations.ts';

const COURTESY = wordSet('please pls plz thanks thx ty then now');
const SPEAKS = wordSet('i ive we weve');
/** A clause without the "as well" or "too" that it ends in; null if it ends in neither. */
function withoutAddition(words: readonly string[]): readonly string[] | null {
  const end = words.findLastIndex((word) => !COURTESY.has(word));
  if (words[end] === 'too') return words.slice(0, end);
  return words[end] === 'well' && words[end - 1] === 'as' ? words.slice(0, end - 1) : null;
}

/** What says that something is so: "the plan is empty for me too". */
const IS = wordSet('is are was were isnt arent its thats does has have');
const LOOKED = wordSet('confirmed seen watched compared');
/** Returns whether a clause adds a thing: "orders as well". What is well too, is so or was looked at as well, is none. */
function isAddition(words: readonly string[]): boolean {
  const named = withoutAddition(words);
  const [first = ''] = named ?? [];
  if (named === null || first === '' || SPEAKS.has(first) || CHECKED.has(first) || LOOKED.has(first)) return false;
  if (named.some((word) => IS.has(word))) return false;
  return !piecesOf(named).some(({ sign }) => sign === 'approve' || sign === 'thanks' || sign === 'publish');
}
/** Of "all of them as well" no word says anything by itself, and it is no clause. */
const wordsOf = (text: string): string[] => text.toLowerCase().split(/\s+/).map(bare);
export const addsThing = ({ clauses, text }: View): boolean =>
  clauses.length === 0 ? isAddition(wordsOf(text)) : clauses.some(({ words }) => isAddition(words));

const YOU = wordSet('you u youll');
const BETWEEN = wordSet('only just then can could should please still now will');
const DOES = wordSet(
  'do write make take handle finish continue go work add build implement focus fix stay concentrate proceed start test use put create move update change read run draw review document',
);
/** Returns whether a clause says the agent what to do: "you do the code". */
function isToldTo({ words }: ClauseReading): boolean {
  const you = words.findIndex((word) => YOU.has(word));
  const verb = words.slice(you + 1).find((word) => !BETWEEN.has(word));
  return you >= 0 && DOES.has(verb ?? '') && !words.some((word) => AWAY.has(word));
}
/** "You can put it all back": the work is undone. */
const AWAY = wordSet('back away off out');

const DENIED = wordSet('no not dont do wont cant cannot neednt shouldnt never without nothing stop if unless until');
const ONWARD = wordSet('go carry');
/** Subjects that say what becomes of the matter, and not what the agent is to do: "we continue with the old version". */
const OTHERS = wordSet('we were weve wewill i im ill they it that');
const CONTINUES = wordSet('continue proceed resume');
/** Returns whether a clause asks the agent to continue, and does not say that the agent need not. */
const isSentOnward = ({ words }: ClauseReading): boolean =>
  words.some((word, at) => CONTINUES.has(word) || (ONWARD.has(word) && words[at + 1] === 'on')) &&
  !words.some((word, at) => DENIED.has(word) || (at === 0 && OTHERS.has(word)));

/** What may be wrong about where the agent works, and is set right: a chat or a repository may be the wrong one for all of it. */
const PLACES = wordSet('branch folder directory file line page function class module environment env port version');
const isInWrongPlace = ({ words: [first = '', ...words] }: ClauseReading): boolean =>
  (first === 'youre' || YOU.has(first)) &&
  words.some((word, at) => word === 'wrong' && PLACES.has(words[at + 1] ?? '')) &&
  !words.some((word) => DENIED.has(word));

const MANY = wordSet('them those these');
/** Returns whether a clause asks for a change of things that it names, which are not the task: "delete them". */
const isOfThings = ({ kind, opening, words }: ClauseReading): boolean =>
  kind === 'request' && opening === null && words.some((word) => MANY.has(word));

/** Returns whether the agent is informed to continue with something, whatever is given up beside it. */
export const isToldToContinue = ({ clauses }: View): boolean =>
  clauses.some((clause) => isToldTo(clause) || isSentOnward(clause) || isInWrongPlace(clause) || isOfThings(clause));
