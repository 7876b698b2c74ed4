/** Words that approve or publish in one sense and say in another how a thing looks or where it goes: "legend on the right". */
import { wordSet } from '../core/word-set.ts';
import type { Piece } from './lexicon.ts';

/** Words by which something is said of a thing, and not only named. */
export const SAYS_HOW = wordSet(
  'is are was were looks look looking seems seem feels sounds its thats im very so really all everything',
);

/** Adjectives that say of a thing which one it is, as much as that it is well; and nouns that say nothing. */
const WHICH = wordSet('right correct true better best clean fair fine');
const NOUNS = wordSet('way thing things side end one job stuff legend');
/** Returns whether a thing is named, and nothing is said of it: "right way". */
const isOnlyNamed = (pieces: readonly Piece[]): boolean =>
  pieces.some(({ words }, index) => WHICH.has(words.at(-1) ?? '') && NOUNS.has(pieces[index + 1]?.words[0] ?? ''));

const isPraise = ({ sign, words }: Piece): boolean => (sign === 'approve' || sign === 'yes') && words.length === 1;
/** Behind these is a thing, a place or a look, whatever else the word means: "to the right", "in green". */
const POINTS = wordSet('the to on at in into onto');
const isPlace = (pieces: readonly Piece[], index: number): boolean => {
  const [piece, next] = pieces.slice(index, index + 2);
  if (!piece || !isPraise(piece) || piece.words[0] === 'best' || next?.sign === 'object') return false;
  return POINTS.has(pieces[index - 1]?.words.at(-1) ?? '');
};

const PLEASE = wordSet('please pls plz plse pleas');
/** Returns whether the words of praise of a clause are single ones that say how a thing is. */
const isAdjective = (pieces: readonly Piece[]): boolean =>
  pieces.some(({ sign }) => sign === 'approve') && pieces.every((piece) => piece.sign === 'glue' || isPraise(piece));

/** Returns whether words of praise only say what a thing is to look like, or which is meant: "solid please", "on the right". */
export function isOfLook(pieces: readonly Piece[]): boolean {
  const words = pieces.flatMap((piece) => piece.words);
  if (words.some((word) => SAYS_HOW.has(word)) || pieces.some(({ sign }) => sign === 'thanks')) return false;
  const isWished = words.some((word) => PLEASE.has(word)) && isAdjective(pieces);
  return isWished || isOnlyNamed(pieces) || pieces.some((_, index) => isPlace(pieces, index));
}

/** Returns whether what is pushed goes to another place on the screen, and nowhere that work is published: "push it up". */
export function isMoved(pieces: readonly Piece[]): boolean {
  const words = pieces.flatMap((piece) => piece.words);
  const isUp = words.includes('push') && words.includes('up') && !pieces.some(({ sign }) => sign === 'object');
  return isUp || pieces.some((_, index) => isPlace(pieces, index));
}
