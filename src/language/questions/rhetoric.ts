/** Questions in an agent's words that are put to nobody: that something shows, or that head the answer to them. */

/** A question that something shows: "The dialog now asks: Are you sure?" */
const SHOWS = /\bnow (asks|reads|says|shows|prompts|prints|displays)\b[^:?]{0,40}: /i;
/** The same of a thing with a text: "The button is now: Really?" */
const SHOWN =
  /\b(?<!open )(item|text|label|title|heading|headline|caption|banner|prompt|button|entry|placeholder|tooltip)( \w{1,20}){0,4} (is|are|was|were) (now|changed to|renamed to): /i;
/** One of these is in all of them: the patterns are long, and a hook would wait until they are compiled. */
const IS_SHOWN = [' now: ', ' changed to: ', ' renamed to: '];
export function isShown(sentence: string): boolean {
  if (!sentence.includes(': ')) return false;
  const lower = sentence.toLowerCase();
  return (
    (lower.includes('now ') && SHOWS.test(sentence)) ||
    (IS_SHOWN.some((sign) => lower.includes(sign)) && SHOWN.test(sentence))
  );
}

const DONE = '(chang|add|fix|remov|improv|updat|includ|mov|replac|renam)ed';
const DO = '(change|add|fix|remove|improve|update|include|move|replace|rename|do)';
const AT_END = '( (now|here|exactly|so far|and why|in (this|the) (change|commit|pr|patch|version|release|branch)))?';
/** A heading that asks what was done, why, or how it is tried. */
const HEADING = new RegExp(
  `^((so|and),? )?(what('s| is| was| has| has been| have been|'s been| got)? (${DONE}|new|done|different|in it)|what (did|have) (i|we) (${DO}|${DONE}|done)|what (i|we)( have|'ve)? (${DONE}|did)|what (it|this) does|` +
    `which files( have| were| have been)? ${DONE}|which files did (i|we) ${DO}|why|why (this|that|it) (works|matters|helps|happened|failed|broke)|what (happened|went wrong|caused (it|this))|how|how (it|this) works|how to (test|try|run|use|verify|check)( (it|this|that))?)${AT_END}\\s?[?？][\\s*_]*$`,
  'i',
);
/** Whether a question is the heading of a list that answers it: "What changed?" */
export const isAnsweredBelow = (question: string): boolean => HEADING.test(question);
