/** Finds why a task is given up, in a sentence of a user or an agent. */
import { wordList } from '../core/word-set.ts';
import { matchAt, type PhraseTable, phraseBook } from './phrases.ts';

/** `state`: what is said of the task, or of one thing in it. `event`: what became of the task. */
const REASONS: PhraseTable<'state' | 'event'> = {
  state: `no longer needed/required/necessary/relevant/wanted | not needed/required/necessary/relevant/wanted anymore/now | not needed/required/necessary any more/longer | isnt needed/required/necessary/relevant anymore/now | obsolete | pointless | none of it/this/that is needed | none of it/this/that is needed anymore/now | not/isnt worth it/this/that | not/isnt worth the effort/time/trouble/hassle/risk | not important | useless | a waste of time/tokens/money/effort | waste of time/tokens/money/effort | a dead end | going/leading/leads nowhere | not/isnt going anywhere | not/isnt happening | wrong chat/window/session/terminal/tab/conversation/repo/repository/project/ticket | lohnt sich nicht | führt zu nichts | das lohnt sich nicht | das führt zu nichts`,
  event: `dont/wont/didnt need it/this/that/them | do/will not need it/this/that/them | dont need the/this/that feature/task/project/ticket | do not need the/this/that feature/task/project/ticket | dont want it/this/that | nobody needs it/this/that | found/have/got/chose/picked a/another different/better/other solution/way/approach | found/have/got another solution/way/approach | solved it/this/that differently/elsewhere/otherwise | solved/done/fixed/merged elsewhere | cancelled/canceled/dropped/killed/axed/descoped the/this/that/our feature/project/task/ticket/story/idea/request/release/requirement | feature/project/task/ticket/story/request/requirement/design/idea/plan/spec/epic was/is/got cancelled/canceled/dropped/killed/axed/descoped | giving up on it/this/that | give up on it/this/that | already did/fixed/solved/handled/finished/merged it/this/that | will/would/can/gonna do/handle/finish it/this/that | takes/take care of it/this/that | closed the/this/that ticket/issue/task/story | figured it/this/that out | no need to continue/proceed/finish | no need to go on | found the answer/solution/fix/cause myself/elsewhere/already | found the answer/solution | no longer need it/this/that/them | no longer need the/this/that feature/task/project/ticket | no point in fixing/doing/finishing/continuing it/this/that | were/are not doing/shipping/building/releasing/launching/pursuing it/this/that | not doing/shipping/building/releasing/launching it/this/that anymore | decided not to go ahead/forward/on with it/this/that | is/its moot | got wontfixed | requirement/need is/was gone | we wont do/ship/build/release/launch it/this | wont ship/build/release/launch it/this | we will not do/ship/build/release/launch it/this | is/was/got closed as wontfix | wont be needing it/this/that | out of time | dont/wont want the/this/that feature/task/project/ticket | nobody needs it/this/that | we/were/wewill go/going/went another way/route/direction | we/were go/going/went a different way/route/direction | took another/a different way/route/approach | priorities/plans changed | customer/client/management/they cancelled/canceled | customer/client/management/they pulled out | priorities/plans have/has/had changed | decided against it/this/that | decided against the/this whole/entire thing/idea/plan | decided against this feature/task/project/idea | decided not to do/build/ship/release/launch/continue/finish/pursue it/this/that | not going to do/need/use/build/ship/merge/release/launch/finish/continue it/this/that | this/it is not going to ship/happen | its not going to ship/happen |  not going down this/that road/path/route | wont be doing/using/building/shipping it/this/that | this/it was a bad/stupid/terrible/silly/dumb idea | feature/project/task/idea/plan is dead | someone else is on it | found a library/tool/package/plugin that does it/this/that | found a library/tool/package/plugin that already does it/this/that | already working on it/this/that | got/was/is/been deprioritized/deprioritised/descoped | is/was off the table | by hand | on my own | do it/this/that myself | another time | some other time | the wrong repo/window/terminal/chat/session/account | wrong account | were staying/sticking on/with | were going with | ill handle/do the rest | i will handle/do the rest | i will do/handle it/the | already has a branch for it/this | has a branch for it/this | were/are done here | we decided to drop/cancel/scrap/abandon/kill it/this/that/the | nothing left to do for you/us/me | brauchen das/es nicht mehr | brauchen wir nicht mehr/doch | brauchen wir doch nicht | brauche ich nicht mehr | nicht mehr nötig/gebraucht | plus besoin | ya no hace falta | 不需要了 | もう不要です | もう必要ありません`,
};
const BOOK = phraseBook<'state' | 'event'>(REASONS);
/** Words of such a sentence that mean the task: "this", "the whole thing". */
const OF_TASK = wordList`so then sorry thats theres it its this that is was the all of whole entire thing task feature project work ticket story idea now because since as and honestly really just`;
const BEHIND = wordList`tomorrow any anymore more longer yesterday already now anyway myself meanwhile in on another branch pr meantime from the start after all at altogether either today then mehr 了 です`;
const TURNS = wordList`not isnt if when unless once until never aint`;
const OPEN_BOOK = phraseBook<'event'>({
  event: `decided against | customer/client cancelled/canceled the/their contract/order/project | were/are not doing the | not going to do the`,
});
const givesUp = (words: readonly string[]): boolean =>
  !words.some((word) => TURNS.has(word) && word !== 'not') &&
  words.some((_, at) => {
    const match = matchAt(OPEN_BOOK, words, at);
    return match !== null && words.length - at - match.length <= 3;
  });

/** Returns whether a clause ends in a reason for which nothing is left to do. */
export function isEndReason(words: readonly string[]): boolean {
  if (givesUp(words)) return true;
  return words.some((_, at) => {
    const match = matchAt(BOOK, words, at);
    return (
      match !== null &&
      words.slice(at + match.length).every((word) => BEHIND.has(word)) &&
      !words.slice(0, at).some((word) => TURNS.has(word)) &&
      (match.sign === 'event' || words.slice(0, at).every((word) => OF_TASK.has(word)))
    );
  });
}
