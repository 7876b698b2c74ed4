/** Decides whether an agent's last message really puts a question to the user, and which part of it does. */
import { approvalIn, isApprovalOfPart } from './approval.ts';
import { type Block, blocksOf, sentencesOf } from './blocks.ts';
import { asksForPlannedWork, asksLeave } from './planned-work.ts';
import { leavesChoice, requestsFromUser, wantsAnswer } from './requests-to-user.ts';

const QUESTION_END = /[?？][\s"'”’)\]*_`~>]*\p{Extended_Pictographic}?\ufe0f?\s*$/u;
/** The pattern takes long to compile, and most sentences have no such mark, or continue in words. */
const asks = (text: string): boolean => {
  const mark = Math.max(text.lastIndexOf('?'), text.lastIndexOf('？'));
  return mark >= 0 && !/[A-Za-z0-9]/.test(text.slice(mark)) && QUESTION_END.test(text);
};
/** Words by which a question is put to the user, and is no figure of speech that the text continues to answer. */
const TO_THE_USER =
  /\b(am i (right|correct)|should (i|we|it|the)|shall (i|we)|(do|did|would|could|can|will|are|were|have) you|want (me|to(?! (know|hear|see)))|can i|may i|which (one|option|approach|way|of|would|do|should)|what('s| is| would| do) you|prefer(ence)?|agree|your (call|choice|preference|thoughts)|need your \w+|(or|otherwise) (should|shall|do|would))\b/i;
/** A choice put to the user whose question mark was left out. */
const UNMARKED =
  /^((so|and|then|now|ok|okay),? )?((which|what|where|how)( \w+)? (should|shall|would|do) (i|we|you)\b(?!.* (is|are|was|depends)\b)|(should|shall|may) (i|we)\b.* or\b|(do|would) you (want|like|prefer)\b.* or\b)[^!:]*$/i;
/** Its verb is one of these. Most sentences have none, and a hook would wait until the pattern is compiled. */
const asksUnmarked = (sentence: string): boolean =>
  /(should|shall|would|do|may) /i.test(sentence) && UNMARKED.test(sentence);

/** The beginning of a question that its choices below it end: "Would you like me to:", "Which would you like:". */
const OVER_CHOICES =
  /^((so|and|then|now|ok|okay|first),? )?((should|shall|may|can) (i|we)\b|(do|would) you (want|like|prefer)\b|(which|what|where|how)( \w+){0,3} (should|shall|would|do|can) (i|we|you)\b)[^?!.:]{0,80}:$/i;

/** Matches words behind a question while it waits: why it is asked, that nothing is done before, what is proposed. */
const WAITS =
  /\b(i|we)( still)? (can't|cannot|can not|won't|haven't|have not|didn't|don't know|need)\b|\b(doesn't|does not|don't|do not|didn't|nowhere) (say|says|specify|tell|mention|define)\b|\bcontradict|\b(my|the) (suggestion|recommendation|preference|proposal|default)\b|\bi (suggest|recommend) (it|that|this)\b|\bi('d| would) (suggest|recommend|go (with|for)|pick|lean|choose)\b|\bi lean\b|\b(i'll|i will|i can) (then )?(start|begin|continue|go on|proceed|wait)\b|\bonce (i|we) know\b|^if (yes|so),? (i|we) (have to|need|must|can't|cannot)\b|\b(fine|ok|okay|happy|good) with (either|both|any)\b|^either( one| way)? (is|works|would be)\b/i;
/** It asks whether something is so, and behind it is what is done then: "Is it true that nobody uses it? I'd remove it." */
const ASKS_IF_SO = /\b(is (it|that|this) (right|correct|true) that|(do|did) (i|we) (understand|read|get) \w+)\b/i;
const DONE_THEN = /\b(i|we)('d| would|'ll| will)\b/i;
/** It asks what the user thinks of something that is not done yet. */
const ASKS_OF_PLAN =
  /^(so,? |and |but )?(do|does|did|is|are) (this|that|the|these|those|my) ([\w-]+ ){0,2}(plan|approach|design|proposal|outline|strategy|idea|direction)\b/i;
/** Matches the beginning of an answer of one's own: "Why did it fail? Because …". */
const ANSWERED = /^(because|since|due to|no\b|yes\b)/i;
const isWaitedFor = (behind: readonly string[]): boolean =>
  behind.length > 0 &&
  behind.length <= 3 &&
  !ANSWERED.test(behind[0] as string) &&
  (behind.some((later) => WAITS.test(later) || wantsAnswer(later)) ||
    /\bsays? .{1,80}\bsays? /i.test(behind.at(-1) ?? ''));

/** A question that something shows: "The dialog now asks: Are you sure?" */
const SHOWS = /\bnow (asks|reads|says|shows|prompts|prints|displays)\b[^:?]{0,40}: /i;
/** The same of a thing with a text: "The button is now: Really?" */
const SHOWN =
  /\b(?<!open )(item|text|label|title|heading|headline|caption|banner|prompt|button|entry|placeholder|tooltip)( \w{1,20}){0,4} (is|are|was|were) (now|changed to|renamed to): /i;
const isShown = (sentence: string): boolean =>
  sentence.includes(': ') && (SHOWS.test(sentence) || SHOWN.test(sentence));

const DONE = '(chang|add|fix|remov|improv|updat|includ|mov|replac|renam)ed';
const DO = '(change|add|fix|remove|improve|update|include|move|replace|rename|do)';
const AT_END = '( (now|here|exactly|so far|and why|in (this|the) (change|commit|pr|patch|version|release|branch)))?';
const HEADING = new RegExp(
  `^((so|and),? )?(what('s| is| was| has| has been| have been|'s been| got)? (${DONE}|new|done|different|in it)|what (did|have) (i|we) (${DO}|${DONE}|done)|what (i|we)( have|'ve)? (${DONE}|did)|what (it|this) does|` +
    `which files( have| were| have been)? ${DONE}|which files did (i|we) ${DO}|why|why (this|that|it) (works|matters|helps|happened|failed|broke)|what (happened|went wrong|caused (it|this))|how|how (it|this) works|how to (test|try|run|use|verify|check)( (it|this|that))?)${AT_END}\\s?[?？][\\s*_]*$`,
  'i',
);
/** Returns whether a question is the heading of a list that answers it: "What changed?" */
const isAnsweredBelow = (question: string): boolean => HEADING.test(question);
const MOST_BEHIND_APPROVAL = 2;

/**
 * Checks if a block puts a question; only its end counts, and what is answered right after does not. What is before it
 * says whether an approval is asked of what is done, or of what is still to do.
 */
function putsQuestion(block: Block, isLast: boolean, before: readonly string[]): boolean {
  const sentences = sentencesOf(block.plain).slice(-6);
  return sentences.some((sentence, index) => {
    const isEnd = isLast && index === sentences.length - 1;
    if (isEnd && (requestsFromUser(sentence) || asksLeave(sentence))) return true;
    if (isEnd && leavesChoice([...before, ...sentences.slice(0, -1)], sentence)) return true;
    if (isShown(sentence)) return false;
    const isUnmarked = isEnd && !block.isList && asksUnmarked(sentence);
    if (!asks(sentence) && !isUnmarked) return false;
    const beside = [...before, ...sentences.filter((other) => other !== sentence)];
    const approval = approvalIn(sentence, beside);
    if (approval)
      return (
        index >= sentences.length - 1 - MOST_BEHIND_APPROVAL && asksForPlannedWork(approval.asked, approval.beside)
      );
    const behind = sentences.slice(index + 1);
    const isSo = (ASKS_IF_SO.test(sentence) || ASKS_OF_PLAN.test(sentence)) && DONE_THEN.test(behind[0] ?? '');
    return isEnd || isSo || TO_THE_USER.test(sentence) || behind.every((later) => asks(later)) || isWaitedFor(behind);
  });
}

/**
 * Returns the part of a message that puts a question to the user: its block, with the options that follow. Returns null if the
 * message puts none: it reports, or only asks whether finished work is well.
 */
export function questionIn(message: string): string | null {
  // The end of a long message says; what is far above was said on the way.
  const blocks = blocksOf(message.slice(-8000));
  let options = blocks.length;
  const isOptions = (at: number): boolean =>
    blocks[at]?.isList === true && !putsQuestion(blocks[at] as Block, true, saidBefore(blocks, at));
  // A list of choices is announced by its heading, and the question is above both.
  const isHeading = (at: number): boolean => at > 0 && at < blocks.length - 1 && blocks[at]?.isHeading === true;
  while (options > 0 && (isOptions(options - 1) || isHeading(options - 1))) options -= 1;
  const last = blocks[options - 1];
  if (!last) return null;
  const whole = (from: number): string =>
    blocks
      .slice(from)
      .map((block) => block.text)
      .join('\n\n');
  const said = saidBefore(blocks, options - 1);
  if (isOfText(last, said)) return null;
  if (options < blocks.length && isAnsweredBelow(sentencesOf(last.plain).at(-1) ?? '')) return null;
  // The choices may be above it, or what leads up to a list.
  const hasMore = options >= 2 && (last.isList || blocks[options - 2]?.isList === true);
  const isBegun = options < blocks.length && OVER_CHOICES.test(sentencesOf(last.plain).at(-1) ?? '');
  if (isBegun || putsQuestion(last, true, said)) return whole(hasMore ? options - 2 : options - 1);
  const before = blocks[options - 2];
  // A question with its reasons behind it: one short block more, and it must be put to the user in so many words.
  const isShort = last.text.length <= 300 && options === blocks.length;
  if (!before || !isShort) return null;
  // Its choices may be above it here, too.
  const from = blocks[options - 3]?.isList ? options - 3 : options - 2;
  if (!before.isList) return endsWithQuestion(before, blocks, options - 2) ? whole(from) : null;
  if (isOfText(before, saidBefore(blocks, options - 2))) return null;
  const at = options - (blocks[options - 3]?.isHeading ? 4 : 3);
  const above = blocks[at];
  const isAbove = above !== undefined && asks(above.plain) && isWaitedFor(sentencesOf(last.plain));
  if (isAbove && putsQuestion(above, true, saidBefore(blocks, at))) return whole(at);
  const asked = sentencesOf(before.plain).some((item) => asks(item)) && isWaitedFor(sentencesOf(last.plain));
  return asked ? whole(Math.max(0, options - 3)) : null;
}

/**
 * Returns whether the last sentence of a block asks the user; the block behind it says what comes then, or waits for the answer.
 */
function endsWithQuestion(block: Block, blocks: readonly Block[], at: number): boolean {
  const sentences = sentencesOf(block.plain);
  const [answer, ...more] = sentencesOf(blocks[at + 1]?.plain ?? '');
  if (answer && more.length === 0 && wantsAnswer(answer)) return asksUser(sentences);
  const sentence = sentences.at(-1) ?? '';
  if (!asks(sentence)) return false;
  const beside = [...sentences.slice(0, -1), ...sentencesOf(blocks[at + 1]?.plain ?? '')];
  const behind = sentencesOf(blocks[at + 1]?.plain ?? '');
  // A quoted question was asked by another, and is answered below.
  if (block.isQuote) return isWaitedFor(behind);
  const isPut = TO_THE_USER.test(sentence) || isApprovalOfPart(sentence) || isWaitedFor(behind);
  const approval = approvalIn(sentence, beside);
  return approval ? asksForPlannedWork(approval.asked, approval.beside) : isPut;
}

const asksUser = (sentences: readonly string[]): boolean =>
  sentences.slice(-4).some(
    (one) =>
      asks(one) &&
      TO_THE_USER.test(one) &&
      !approvalIn(
        one,
        sentences.filter((other) => other !== one),
      ),
  );

/**
 * Returns the patterns of words that introduce a list of texts which are questions themselves: "The FAQ now answers:", "I added
 * two questions to it:". Each ends in a colon.
 */
const namingTexts = (): readonly RegExp[] => [
  /\b(have|with) ((these|the following|new|two|three|four|five|\d{1,2}) )?(\w+ )?(entries|headings|sections|titles|faqs?|captions|labels|strings|test cases|questions):$/i,
  /\b(asks|answers|covers|contains?|includes|shows?|displays|lists|has|reads|offers|prompts|(entries|headings|sections|titles|questions|prompts|labels) are)\b[^.!?]{0,80}:$/i,
  /^(added|wrote|written|put|created|inserted|generated|updated|replaced|extended|rewrote|changed)\b[^,;:]{0,80}\b(questions?|entries|prompts?|headings?|faqs?|captions?|labels?|strings?|fields?|test cases|titles|sections|messages|texts?)\b[^,;:]{0,60}:$/i,
];
const WHO_WROTE = /^(i|we)('ve| have)?( now| also)? (?=(\w+ed|wrote|written|put)\b)/i;
/** Matches words for something open, or put to the user, whatever it is a list in. */
const IS_OPEN =
  /\b(i|we|me|us|open|unclear|unanswered|unresolved|undecided|decide|decisions?|for you|to you|from you|to answer|need|my|our|down|together)\b/i;
/** Returns whether a list is what a text says, and not what the agent asks. */
function isOfText(block: Block, said: readonly string[]): boolean {
  if (!block.isList) return false;
  const introduction = said.at(-1) ?? '';
  if (!introduction.endsWith(':')) return false;
  const lead = introduction.replace(WHO_WROTE, '');
  const isPut = IS_OPEN.test(lead) || TO_THE_USER.test(lead);
  return !isPut && namingTexts().some((pattern) => pattern.test(lead));
}
const MOST_BEFORE = 3;

/** The sentences right before a block: of the paragraph before it, and of what leads up to a list there. */
function saidBefore(blocks: readonly Block[], at: number): string[] {
  let index = at - 1;
  while (index >= 0 && blocks[index]?.isList) index -= 1;
  return index < 0 ? [] : sentencesOf(blocks[index]?.plain ?? '').slice(-MOST_BEFORE);
}
