/** Finds what a clause does as a whole: approves, stops, publishes, answers. A clause with any other word does nothing. */
import { wordSet } from '../core/word-set.ts';
import { ENGLISH, OTHER_LANGUAGES, type Piece, type Sign } from './lexicon.ts';
import { matchAt, phraseBook } from './phrases.ts';
import { isMoved, isOfLook, SAYS_HOW } from './word-senses.ts';

/** What a clause does as a whole: every word of it serves that, and no other word is in it. */
export type Act = Exclude<Sign, 'negate' | 'object' | 'glue'>;

export const LEXICON = phraseBook<Sign>(ENGLISH, OTHER_LANGUAGES);

/** In a clause that does several things, the first of these is what it does. */
const RANK: readonly Act[] = [
  'dismiss',
  'stop',
  'leave',
  'hold',
  'takeover',
  'publish',
  'go',
  'pick',
  'no',
  'approve',
  'yes',
  'thanks',
];

/** A letter or a number picks an answer where little is around it. */
const MOST_WORDS_OF_A_PICK = 4;

/** Words behind which an "a" is no choice where more follows: "that's a great solution". */
const BEFORE_ARTICLE = wordSet('is was thats its such what quite are youre');
const isBehindVerb = (words: readonly string[], at: number): boolean =>
  at < words.length - 1 && BEFORE_ARTICLE.has(words[at - 1] ?? '');

/** What no table knows, and what turns a clause around: with it no clause is an act, whatever is behind. */
export const NO_ACT: readonly Piece['sign'][] = [null, 'negate'];

/** The phrases of a clause in order. @param until signs behind which no more are looked for */
export function piecesOf(words: readonly string[], until: readonly Piece['sign'][] = []): Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < words.length; ) {
    const match = matchAt(LEXICON, words, at);
    const length = match?.length ?? 1;
    const isLetter = match?.sign === 'pick' && length === 1 && words[at] === 'a';
    const isArticle = isLetter && (words.length > MOST_WORDS_OF_A_PICK || isBehindVerb(words, at));
    const sign = isArticle ? 'glue' : (match?.sign ?? null);
    pieces.push({ sign, words: words.slice(at, at + length) });
    if (until.includes(sign)) break;
    at += length;
  }
  return pieces;
}

/** What may be before words that end a task, and behind them; more of a sentence makes it one about something else. */
const BEFORE_END = wordSet(
  'please pls plz plse pleas just now so and then ok oh ah hey hm hmm ugh actually sorry anyway again can you will do lets let i id want to we have claude gemini codex copilot cursor man dude',
);
const BEHIND_END = wordSet(
  'please pls plz plse pleas now just right already here there it this that its im is are all everything the a task session work whole entire thing job you really then and ok anyway sorry again immediately asap man dude mate buddy bro claude gemini codex copilot cursor haha lol 🙂 😂 😅 🤷 bitte es das ça 了 吧 ください',
);

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
const ONWARD = wordSet(
  'continue carry proceed keep move moving next start begin resume retry run implement try first second',
);
/** Returns whether there is more to do behind what is published. */
export const goesOnward = (words: readonly string[]): boolean => words.some((word) => ONWARD.has(word));

/** Branches that are merged into the work, and not the work into them, if they are behind the verb: "merge main". */
const TRUNKS = wordSet('main master develop dev upstream origin');
const takesIn = (words: readonly string[]): boolean =>
  words.some((word, index) => word === 'merge' && TRUNKS.has(words[index + 1] ?? ''));

/** Words for things that are merged or staged as a part of the work: "merge the files". */
const PARTS = wordSet('file files tests output results result solution summary stack checks test review feature lint');

/** Words for things that are closed with the work: "close this pr", and not "close this file". */
const PULLS = wordSet('pr prs mr request draft');
const closesPart = (pieces: readonly Piece[]): boolean =>
  pieces.some(({ words: [first] }) => first === 'close' || first === 'closing') &&
  pieces.some(({ sign, words }) => sign === 'object' && !PULLS.has(words.at(-1) ?? ''));

/** Verbs that approve as an adjective or by themselves, and ask for work with what they take behind them. */
const VERBS = wordSet('complete pass clean correct perfect approve accept confirm better close');
/** What such a verb takes. */
const TAKEN = wordSet(
  'it this that these those them all the a an my your our its up on over out off down through along everything some id',
);
/** Of these an object without an article is no praise either: "complete tests". */
const STRICT = wordSet('complete pass clean better approve');

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

/** What "again" may have beside it and want it done once more, as no praise does behind "good". */
const ONCE_MORE = wordSet('again and then now please pls');
const isOnceMore = (pieces: readonly Piece[]): boolean =>
  pieces.some(({ words }) => words[0] === 'again') &&
  pieces.every(({ words }) => words.every((word) => ONCE_MORE.has(word)));

/** Returns what a clause does as a whole, or null if words are in it that the tables do not know or that turn it around. */
export function actOf(pieces: readonly Piece[]): Act | 'glue' | null {
  const signs = pieces.map(({ sign }) => sign);
  if (signs.includes(null) || signs.includes('negate')) return null;
  if (isRefused(pieces)) return null;
  const act = isOfFeature(pieces) ? 'approve' : RANK.find((candidate) => signs.includes(candidate));
  if (!act && isOnceMore(pieces)) return 'go';
  if (act === 'no' && isContent(pieces)) return 'approve';
  if (!act) return signs.includes('object') ? null : 'glue';
  // "Stop the build" stops a build, and "ok, new tests" wants some.
  if (act !== 'approve' && act !== 'publish' && act !== 'pick' && signs.includes('object')) return null;
  return isMixed(act, pieces) ? null : act;
}

/** Verbs that report a thing, so that what is before them is its name: "cancel works like a charm". */
const TELLS_OF = wordSet('works work working worked looks is runs behaves feels');
/** Returns whether what would stop the agent is the name of a thing that is praised. */
const isOfFeature = (pieces: readonly Piece[]): boolean => {
  const at = pieces.findIndex(({ sign }) => sign === 'stop' || sign === 'dismiss');
  const [stop, next] = pieces.slice(at, at + 2);
  return (
    at >= 0 &&
    stop?.words.length === 1 &&
    TELLS_OF.has(next?.words[0] ?? '') &&
    pieces.slice(at + 1).some(({ sign }) => sign === 'approve')
  );
};

/** Returns whether what would publish is refused: "no push please". */
const isRefused = (pieces: readonly Piece[]): boolean =>
  pieces.some(({ sign, words }, index) => words[0] === 'no' && sign === 'no' && pieces[index + 1]?.sign === 'publish');

/** Returns whether words ask to release or put something at a place in the code: "release it in the finally". */
const isPutSomewhere = (words: readonly string[]): boolean =>
  /^(release|publish|commit|tag|close|push) (it|this|that|them) (in|into|from|at) (the|a|an)\b/.test(words.join(' '));

/** Words of a no to more, behind which is approval of what there is: "no that's all". */
const OF_WORK = wordSet('thats that its it im were all');
const isContent = (pieces: readonly Piece[]): boolean => {
  const at = pieces.findIndex(({ sign }) => sign === 'no');
  const rest = pieces.slice(at + 1);
  return at === 0 && OF_WORK.has(rest[0]?.words[0] ?? '') && rest.some(({ sign }) => sign === 'approve');
};

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
    const isElse = takesIn(words) || goesOnward(words) || isPutSomewhere(words);
    return isPart || closesPart(pieces) || isMoved(pieces) || isElse;
  }
  return (act === 'approve' || act === 'yes') && (wishes(pieces) || isOfLook(pieces) || wrapsObject(pieces));
}

/** Returns whether what would wrap the work up has a thing in it: "wrap it up with tests". */
const wrapsObject = (pieces: readonly Piece[]): boolean =>
  pieces.some(({ sign, words }) => sign === 'approve' && words.includes('up')) &&
  pieces.some(({ sign }) => sign === 'object');

/** The words of who continues without the agent, and what must be among them: "I'm going to do the rest myself". */
const WITHOUT_AGENT = wordSet(
  'ill i will im am going to gonna let me just rather do write fix finish handle implement build code solve it this that the rest everything all thing by hand myself manually alone on my own then ok now anyway',
);
const TO_COME = wordSet('ill will going gonna let rather');
const ALONE = wordSet('myself hand manually alone own');
const LATER = wordSet('tomorrow later tonight today then instead');
/**
 * Returns whether the user continues alone with all that there is to do, and not with a part of it: "I'll write the tests
 * myself".
 */
export function takesOver(words: readonly string[]): boolean {
  const said = LATER.has(words.at(-1) ?? '') ? words.slice(0, -1) : words;
  return (
    ALONE.has(said.at(-1) ?? '') &&
    said.some((word) => TO_COME.has(word)) &&
    said.every((word) => WITHOUT_AGENT.has(word))
  );
}

/** Returns what a clause begins with, words without meaning left aside. */
export function openingOf(pieces: readonly Piece[]): Act | null {
  const first = pieces.find(({ sign }) => sign !== 'glue')?.sign;
  return first && first !== 'negate' && first !== 'object' && first !== 'glue' ? first : null;
}

/** Words that may lead up to an idiom such as "mark it as done". */
const LEADS_TO_IDIOM = wordSet(
  'please pls plz just now ok oh and then so lets let go ahead actually yes yep yeah sure you we can could may',
);

/** Returns whether a clause is an idiom that only looks like a wish: "ship it", "please mark it as done"; or one word alone. */
export function isIdiomAfterLeads(pieces: readonly Piece[]): boolean {
  const index = pieces.findIndex(({ sign }) => sign !== 'glue' && sign !== 'yes');
  const before = pieces.slice(0, Math.max(index, 0)).flatMap(({ words }) => words);
  if (pieces.length === 1) return true;
  return (pieces[index]?.words.length ?? 0) > 1 && before.every((word) => LEADS_TO_IDIOM.has(word));
}
