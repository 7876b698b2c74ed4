/** Finds what a clause does as a whole: approves, stops, publishes, answers. A clause with any other word does nothing. */
import { wordList } from '../core/word-set.ts';
import { ENGLISH, OTHER_LANGUAGES, type Piece, type Sign } from './lexicon.ts';
import { PATTERNS } from './patterns.ts';
import { matchAt, phraseBook } from './phrases.ts';

/** Effect of a clause as a whole: every word of it serves that, and no other word is in it. */
export type Act = Exclude<Sign, 'negate' | 'object' | 'glue'>;

export const LEXICON = phraseBook<Sign>(ENGLISH, OTHER_LANGUAGES);
const RANK = 'dismiss stop leave hold takeover publish go pick no approve yes thanks'.split(' ') as Act[];
/** Words behind which an "a" is no choice where more follows: "that's a great solution". */
const BEFORE_ARTICLE = wordList`is was thats its such what quite are youre`;
/** Behind these it is one as well: "thanks a lot". */
const NOUNS_OF_A = wordList`lot bit bunch ton few million`;
/** Signs of words that no table knows, and of those that turn a clause around: with them no clause is an act, whatever is behind. */
export const NO_ACT: readonly Piece['sign'][] = [null, 'negate'];

/** "v2.8.1", "#931": what is tagged, merged or closed. */
const isVersion = (word: string): boolean => {
  const digits = word.startsWith('v') || word.startsWith('#') ? word.slice(1) : word;
  return digits.length > 1 && digits >= '0' && digits < ':';
};

/** The phrases of a clause in order. @param until signs behind which no more are looked for */
export function piecesOf(words: readonly string[], until: readonly Piece['sign'][] = []): Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < words.length; ) {
    const match = matchAt(LEXICON, words, at);
    const length = match?.length ?? 1;
    const isLetter = match?.sign === 'pick' && length === 1 && words[at] === 'a';
    const isArticle =
      isLetter &&
      (words.length > 4 ||
        (at < words.length - 1 && BEFORE_ARTICLE.has(words[at - 1] ?? '')) ||
        NOUNS_OF_A.has(words[at + 1] ?? ''));
    const sign = isArticle ? 'glue' : (match?.sign ?? (isVersion(words[at] ?? '') ? 'object' : null));
    pieces.push({ sign, words: words.slice(at, at + length) });
    if (until.includes(sign)) break;
    at += length;
  }
  return pieces;
}

const BEFORE_END = wordList`please pls plz plse pleas just now so and then ok oh ah hey hm hmm ugh actually sorry anyway again can you will do lets let i id want to we have claude gemini codex copilot cursor man dude`;
const BEHIND_END = wordList`please pls plz plse pleas now just right already here there it this that its im is are all everything the a task session work whole entire thing job you really then and ok anyway sorry again immediately asap man dude mate buddy bro claude gemini codex copilot cursor haha lol 🙂 😂 😅 🤷 bitte es das ça 了 吧 ください`;

/** Returns whether a clause that stops or waves away ends the task, and neither continues with it nor reports something else. */
function endsAll(pieces: readonly Piece[]): boolean {
  const first = pieces.findIndex(({ sign }) => sign === 'stop' || sign === 'dismiss');
  return pieces.every(({ sign, words }, index) => {
    if (sign === 'approve') return index > first;
    if (sign !== 'glue') return true;
    return (
      words.every((word) => (index < first ? BEFORE_END : BEHIND_END).has(word)) || words.join(' ') === 'right now'
    );
  });
}

/** Words that continue with the work: "commit and continue", "commit first". */
const ONWARD = wordList`continue carry proceed keep move moving next start begin resume retry run implement try first second`;
/** Returns whether there is more to do behind what is published. */
export const goesOnward = (words: readonly string[]): boolean => words.some((word) => ONWARD.has(word));
/** Words for things that are merged or staged as a part of the work: "merge the files". */
const PARTS = wordList`file files tests output results result solution summary stack checks test review feature lint`;
const VERBS = wordList`complete pass clean correct perfect approve accept confirm better close`;
const TAKEN = wordList`it this that these those them all the a an my your our its up on over out off down through along everything some id`;
/** Of these an object without an article is no praise either: "complete tests". */
const STRICT = wordList`complete pass clean better approve`;

/** Returns whether a word of approval is the verb of a wish: "complete the rest", "clean it". */
function isVerbOfWish(pieces: readonly Piece[], index: number): boolean {
  const [word = ''] = pieces[index]?.words ?? [];
  const next = pieces[index + 1];
  if (pieces[index]?.words.length !== 1 || !VERBS.has(word)) return false;
  if (pieces[index - 1]?.words.at(-1) === 'to') return true;
  if (!next || pieces.slice(0, index).some(({ sign }) => sign !== 'glue')) return false;
  const before = pieces.slice(0, index).flatMap(({ words }) => words);
  if (before.some((one) => SAYS_HOW.has(one))) return false;
  if (next.sign === 'object') return STRICT.has(word);
  // "Perfect that works": a sentence of its own.
  const isSentence = pieces
    .slice(index + 1)
    .some(({ sign, words }) => sign === 'approve' || words.some((one) => SAYS_HOW.has(one)));
  return TAKEN.has(next.words[0] ?? '') && !isSentence;
}

/** Returns whether words of approval want something: "I want it working", "complete the rest". */
function wishes(pieces: readonly Piece[]): boolean {
  const glue = pieces.filter(({ sign }) => sign === 'glue').flatMap(({ words }) => words);
  if (glue.includes('want') && !glue.includes('what')) return true;
  return pieces.some(({ sign }, index) => (sign === 'approve' || sign === 'yes') && isVerbOfWish(pieces, index));
}

/** Words by which something is said of a thing, and not only named. */
export const SAYS_HOW = wordList`is are was were looks look looking seems seem feels sounds its thats im very so really all everything`;
const WHICH = wordList`right correct true better best clean fair fine`;
const NOUNS = wordList`way thing things side end one job stuff legend`;
/** Returns whether a thing is named, and nothing is said of it: "right way". */
const isOnlyNamed = (pieces: readonly Piece[]): boolean =>
  pieces.some(({ words }, index) => WHICH.has(words.at(-1) ?? '') && NOUNS.has(pieces[index + 1]?.words[0] ?? ''));

const isPraise = ({ sign, words }: Piece): boolean => (sign === 'approve' || sign === 'yes') && words.length === 1;
/** Behind these is a thing, a place or a look, whatever else the word means: "to the right", "in green". */
const POINTS = wordList`the to on at in into onto`;
const isPlace = (pieces: readonly Piece[], index: number): boolean => {
  const [piece, next] = pieces.slice(index, index + 2);
  if (!piece || !isPraise(piece) || piece.words[0] === 'best' || next?.sign === 'object') return false;
  return POINTS.has(pieces[index - 1]?.words.at(-1) ?? '');
};

const PLEASE = wordList`please pls plz plse pleas`;
const isAdjective = (pieces: readonly Piece[]): boolean =>
  pieces.some(({ sign }) => sign === 'approve') && pieces.every((piece) => piece.sign === 'glue' || isPraise(piece));

/** Returns whether words of praise only say what a thing is to look like, or which is meant: "solid please", "on the right". */
function isOfLook(pieces: readonly Piece[]): boolean {
  const words = pieces.flatMap((piece) => piece.words);
  if (words.some((word) => SAYS_HOW.has(word)) || pieces.some(({ sign }) => sign === 'thanks')) return false;
  const isWished = words.some((word) => PLEASE.has(word)) && isAdjective(pieces);
  return isWished || isOnlyNamed(pieces) || pieces.some((_, index) => isPlace(pieces, index));
}

/** Returns whether what is pushed goes to another place on the screen, and nowhere that work is published: "push it up". */
function isMoved(pieces: readonly Piece[]): boolean {
  const words = pieces.flatMap((piece) => piece.words);
  const isUp = words.includes('push') && words.includes('up') && !pieces.some(({ sign }) => sign === 'object');
  return isUp || pieces.some((_, index) => isPlace(pieces, index));
}

/** Returns what a clause does as a whole, or null if words are in it that the tables do not know or that turn it around. */
export function actOf(pieces: readonly Piece[]): Act | 'glue' | null {
  const signs = pieces.map(({ sign }) => sign);
  if (signs.includes(null) || signs.includes('negate')) return null;
  const said = pieces.flatMap((piece) => piece.words).join(' ');
  // "Cancel works like a charm" and "no that's all" approve, "no push please" refuses.
  if (PATTERNS.refusesToPublish.test(said)) return null;
  if (signs.includes('approve') && PATTERNS.praisesNamed.test(said)) return 'approve';
  const act = RANK.find((candidate) => signs.includes(candidate));
  if (!act && PATTERNS.onceMore.test(said)) return 'go';
  if (!act) return signs.includes('object') ? null : 'glue';
  // "Stop the build" stops a build, and "ok, new tests" wants some.
  if (act !== 'approve' && act !== 'publish' && act !== 'pick' && signs.includes('object')) return null;
  // "10 is better" names a value.
  if (act !== 'publish' && pieces.some(({ words: [first = ''] }) => isVersion(first))) return null;
  return isMixed(act, pieces) ? null : act;
}

/** Returns whether the rest of a clause says otherwise than its act: "cancel it and continue", "commit and continue". */
function isMixed(act: Act, pieces: readonly Piece[]): boolean {
  const signs = pieces.map(({ sign }) => sign);
  const words = pieces.flatMap((piece) => piece.words);
  if (act === 'dismiss' || act === 'stop' || act === 'leave') {
    if (signs.includes('go') || signs.includes('publish') || signs.includes('pick')) return true;
    return act !== 'leave' && !endsAll(pieces);
  }
  if (act === 'publish') {
    const isPart = (words.includes('merge') || words.includes('amend')) && words.some((word) => PARTS.has(word));
    // "Commit and continue" names nothing that is left to do.
    const isBare = PATTERNS.bareGo.test(words.join(' '));
    const isElse = PATTERNS.publishesElse.test(words.join(' ')) || (goesOnward(words) && !isBare);
    return isPart || isMoved(pieces) || isElse;
  }
  return (
    (act === 'approve' || act === 'yes') &&
    (wishes(pieces) || isOfLook(pieces) || (words.includes('up') && signs.includes('object')))
  );
}

/** Returns what a clause begins with, words without meaning left aside. */
export function openingOf(pieces: readonly Piece[]): Act | null {
  const first = pieces.find(({ sign }) => sign !== 'glue')?.sign;
  return first && first !== 'negate' && first !== 'object' && first !== 'glue' ? first : null;
}

/** Words that may lead up to an idiom such as "mark it as done". */
const LEADS_TO_IDIOM = wordList`please pls plz just now ok oh and then so lets let go ahead actually yes yep yeah sure you we can could may`;

/** Returns whether a clause is an idiom that only looks like a wish: "ship it", "please mark it as done"; or one word alone. */
export function isIdiomAfterLeads(pieces: readonly Piece[]): boolean {
  const index = pieces.findIndex(({ sign }) => sign !== 'glue' && sign !== 'yes');
  const before = pieces.slice(0, Math.max(index, 0)).flatMap(({ words }) => words);
  if (pieces.length === 1) return true;
  return (pieces[index]?.words.length ?? 0) > 1 && before.every((word) => LEADS_TO_IDIOM.has(word));
}
