/** Extracts the features that a message is classified by: words and pairs of them, the kinds of its clauses, its beginning and end, its place. */
import type { Classification } from '../core/message-class.ts';
import type { View } from './message-view.ts';

/** What it says apart, in the order of the weights; whatever is none of these is a change of some kind. */
export const LEANINGS = ['Confirmation', 'Abandon', 'NewTask'] as const satisfies readonly Classification[];
export type Leaning = (typeof LEANINGS)[number];

/** The parts of a message and its context that features read. */
export type LeaningView = Pick<View, 'text' | 'lastMessage' | 'state' | 'clauses'>;

/** Weights are whole numbers: so many are one. */
export const ONE = 10;
/** A long message has more features than a short one, and is no surer for that. */
export const scaleOf = (features: number): number => 3 / Math.sqrt(Math.max(1, features));

/** Longest part of a message that is looked at, in tokens. */
const MOST_TOKENS = 200;
/** The number of characters at the end of the agent's message that are compared. */
const END = 600;
/** Shorter words are in every message. */
const LONG = 5;
/** From how many tokens on a message is no longer as short as those before. */
const LENGTHS = [3, 6, 12, 25];

const isLetter = (character: string): boolean => (character >= 'a' && character <= 'z') || character === "'";
const isDigit = (character: string): boolean => character >= '0' && character <= '9';

/** Returns whether a sign is in a word right behind one kind of character, and before another. */
function isBetween(
  word: string,
  sign: string,
  before: (one: string) => boolean,
  behind: (one: string) => boolean,
): boolean {
  const at = word.indexOf(sign, 1);
  return at > 0 && before(word.charAt(at - 1)) && behind(word.charAt(at + 1));
}

/** Returns the placeholder for all words of a kind, or null for a plain word. */
function kindOf(word: string): string | null {
  if (word.includes('://')) return '<url>';
  if (word.includes('`')) return '<name>';
  if ((word.startsWith('#') && isDigit(word.charAt(1))) || isBetween(word, '-', isLetter, isDigit)) return '<ticket>';
  const isSign = (one: string): boolean => isLetter(one) || isDigit(one);
  if (word.includes('_') || isBetween(word, '.', isSign, isLetter) || isBetween(word, '/', isSign, isSign))
    return '<path>';
  return null;
}

/** The letters of a word together, a number, and question and exclamation marks; all else only parts them. */
function addPieces(word: string, to: string[]): void {
  for (let at = 0; at < word.length; ) {
    const character = word.charAt(at);
    const isPart = isLetter(character) ? isLetter : isDigit(character) ? isDigit : null;
    let end = at + 1;
    while (isPart && end < word.length && isPart(word.charAt(end))) end += 1;
    if (isPart === isLetter) to.push(word.slice(at, end));
    else if (isPart === isDigit) to.push('<number>');
    else if (character === '?' || character === '!') to.push(character);
    at = end;
  }
}

/** The words of a text in lower case, and what is for names, paths and numbers. Character by character, so that a hook waits for no pattern. */
export function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  let isCode = false;
  for (const line of text.toLowerCase().replaceAll('’', "'").split('\n')) {
    const isFence = line.trimStart().startsWith('```');
    if (isFence && !isCode) tokens.push('<code>');
    if (isFence) isCode = !isCode;
    if (isFence || isCode) continue;
    for (const word of line.split(' ')) {
      const kind = kindOf(word);
      if (kind === null) addPieces(word, tokens);
      else tokens.push(kind);
      if (tokens.length >= MOST_TOKENS) return tokens.slice(0, MOST_TOKENS);
    }
  }
  return tokens;
}

/** Returns whether a message speaks of what the agent spoke of: of none, of some or of much of it. */
function sharedOf(tokens: readonly string[], lastMessage: string): number {
  const said = new Set(tokensOf(lastMessage.slice(-END)));
  const words = tokens.filter((token) => token.length >= LONG);
  const shared = words.filter((word) => said.has(word)).length;
  return shared === 0 ? 0 : shared < words.length / 5 ? 1 : 2;
}

/**
 * The features of a message, each once: `stop`, `stop it`, `^stop` and `^stop it` at the beginning, `it$` at the end, `#2` by its
 * length, `~0` by what it shares with the agent's words, `=Running` by the state; `:request` and `:approve>request` by what its
 * clauses do, which holds for words that no training has seen.
 */
export function featuresOf({ text, lastMessage, state, clauses }: LeaningView): Set<string> {
  const tokens = tokensOf(text);
  const [first = '', second] = tokens;
  const features = new Set<string>([`^${first}`, `${tokens.at(-1) ?? ''}$`, `=${state}`]);
  if (second !== undefined) features.add(`^${first} ${second}`);
  features.add(`#${LENGTHS.filter((length) => tokens.length >= length).length}`);
  features.add(`~${sharedOf(tokens, lastMessage)}`);
  for (let index = 0; index < tokens.length; index += 1) {
    features.add(tokens[index] as string);
    if (index > 0) features.add(`${tokens[index - 1]} ${tokens[index]}`);
  }
  const kinds = clauses.map(({ kind, opening }) => (kind === 'tell' && opening ? `tell-${opening}` : kind));
  for (let index = 0; index <= kinds.length; index += 1) {
    const [before = '', kind = ''] = [kinds[index - 1], kinds[index]];
    if (kind !== '') features.add(`:${kind}`);
    features.add(`:${before}>${kind}`);
  }
  return features;
}
