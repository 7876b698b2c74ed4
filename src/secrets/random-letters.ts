/** Decides whether letters were drawn by chance: words, and names made of words, keep to few pairs of letters and change case at words. */

/** By letter from `a` on: what often follows it within the words of people and of code. About two in five pairs are here. */
const FOLLOWERS =
  'bcdfgiklmnprstuvwy aceilorstu acehiklorstuy adeilorsu abcdefgilmnopqrstuvwxyz aefilortuy aeghilnorsu aehiortu abcdefglmnoprstvxz e eis acdeilostuvy abeimopsu acdefgiklnostuvy abcdfgiklmnoprstuvwx aehiloprstu u acdefgiklmnoprstuvy acefhiklmnopstuwy acehilmorstuy abcdefgilmnprst aeio aehinors ceipt einps ae'.split(
    ' ',
  );
const FIRST = 97;

/** Returns how many of the pairs of letters that are side by side are rare, as a share; 0 if there are no such pairs. */
export function rarePairShare(text: string): number {
  const lower = text.toLowerCase();
  let pairs = 0;
  let rare = 0;
  for (let index = 1; index < lower.length; index++) {
    const followers = FOLLOWERS[lower.charCodeAt(index - 1) - FIRST];
    const code = lower.charCodeAt(index);
    if (followers === undefined || code < FIRST || code >= FIRST + FOLLOWERS.length) continue;
    pairs++;
    if (!followers.includes(lower.charAt(index))) rare++;
  }
  return pairs === 0 ? 0 : rare / pairs;
}

/** Capitals side by side, and a small letter between two of them: names have few of these. */
const ODD = /[A-Z]{2,}|(?<=[A-Z])[a-z](?![a-z])/g;
const SHORTEST = 10;
/** Small letters alone have only their pairs to say. From so many on fewer rare ones are enough: chance rarely makes as many in a word. */
const LONG = 16;
/** Fewer different letters are a row of the same ones, as a finger makes it on a keyboard. */
const LEAST_DIFFERENT = 7;

/** Returns whether letters alone were drawn by chance. Of names in code, two in a thousand pass as well. */
export function areRandomLetters(text: string): boolean {
  if (text.length < SHORTEST || !/^[A-Za-z]+$/.test(text) || !/[a-z]/.test(text)) return false;
  const share = rarePairShare(text);
  if (!/[A-Z]/.test(text)) return share >= (text.length >= LONG ? 0.35 : 0.45) && new Set(text).size >= LEAST_DIFFERENT;
  const odd = text.match(ODD)?.length ?? 0;
  if (share >= 0.45 && text.length >= 12) return true;
  return (odd >= 1 && share >= 0.35) || (odd >= 2 && share >= 0.2) || (odd >= 3 && share >= 0.15);
}

/**
 * The same of fewer letters, of either case, of which a name might have as many: their case changes as it does in no name, and they
 * follow each other as in no word. Of 1,629 names of twelve to fifteen letters in code, none that was made of words passes; of as
 * many drawn ones, nine in ten and more.
 */
export function areSurelyRandomLetters(text: string): boolean {
  if (!/^[A-Za-z]+$/.test(text) || !/[a-z]/.test(text) || !/[A-Z]/.test(text)) return false;
  const odd = text.match(ODD)?.length ?? 0;
  const share = rarePairShare(text);
  return (odd >= 3 && share >= 0.2) || (odd >= 2 && share >= 0.35) || (odd >= 1 && share >= 0.5);
}
