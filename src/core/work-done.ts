/** Recognises words that report finished work. Word by word: one pattern of all this takes longer to compile than a hook takes to look. */
import { wordSet } from './word-set.ts';

/** Words for what one has done that do not end in "ed". */
const DID = wordSet('wrote made built put split ran took gave got');
/** Words with such an end that report nothing done. */
const NOT_DONE = wordSet('need based supposed');
/** Words for a thing that is done. */
const IS_DONE = wordSet(
  'done gone green ready fixed finished complete completed written merged updated removed renamed moved replaced live in implemented ' +
    'deployed installed created added pushed committed tested migrated converted resolved solved reverted refactored rebuilt built wired',
);
/** Words that begin a report: "Fixed the cache". */
const BEGINS = wordSet(
  'done set fixed added updated removed renamed moved changed replaced implemented finished completed refactored merged committed',
);
const ONE = ['i', 'we'];
const HAS = ["i've", "we've"];
const BE = ['is', 'are', 'was', 'were', 'been'];
/** Contractions of those. What is done follows them, and no place: "it's in the parser" does not count. */
const DRAWN = ["it's", "that's", "everything's", "all's", "they're"];

const isSign = (character: string): boolean => /\w/.test(character);

/** Checks if a word, or what follows a sign in it, is one of some words. */
const endsIn = (word: string, ends: readonly string[]): boolean =>
  ends.some((end) => word.endsWith(end) && !isSign(word.charAt(word.length - end.length - 1)));

/** Returns the beginning of a word: letters, digits and lines. */
function beginningOf(word: string): string {
  let end = 0;
  while (isSign(word.charAt(end))) end += 1;
  return word.slice(0, end);
}

/** Checks if one of the words at a place is skipped: gives the place behind it. */
const behind = (words: readonly string[], at: number, skipped: readonly string[]): number =>
  skipped.includes(words[at] ?? '') ? at + 1 : at;

/** "I have now added", "we wrote". */
function isDeed(words: readonly string[], at: number): boolean {
  const word = words[at] as string;
  const has = endsIn(word, HAS) ? at + 1 : endsIn(word, ONE) ? behind(words, at + 1, ['have']) : -1;
  if (has < 0) return false;
  const did = beginningOf(words[behind(words, has, ['now', 'also', 'just'])] ?? '');
  return (did.length >= 4 && did.endsWith('ed') && !NOT_DONE.has(did)) || DID.has(did);
}

/** "It is in place", "the tests are now green". */
function isState(words: readonly string[], at: number): boolean {
  const word = words[at] as string;
  const isDrawn = endsIn(word, DRAWN);
  if (!isDrawn && !endsIn(word, BE)) return false;
  const is = words[behind(words, at + 1, ['now', 'all'])] ?? '';
  return IS_DONE.has(beginningOf(is)) && !(isDrawn && is === 'in');
}

const NOW = /\b(?:now|pass(?:es)?)\b/;

function tells(sentence: string): boolean {
  const lower = sentence.toLowerCase();
  if ((lower.includes('now') || lower.includes('pass')) && NOW.test(lower)) return true;
  const words = lower.split(' ');
  if (BEGINS.has(beginningOf(words[behind(words, 0, ['all'])] ?? ''))) return true;
  return words.some((_, at) => isDeed(words, at) || isState(words, at));
}

/** Checks if sentences report something done. */
export const tellsOfWork = (sentences: readonly string[]): boolean => sentences.some(tells);
