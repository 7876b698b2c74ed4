/** The rules of classification in their order: the first one that fits a message decides. */
import type { Classification } from '../core/message-class.ts';
import { wordList } from '../core/word-set.ts';
import { goesOnward } from './acts.ts';
import { approves } from './approval.ts';
import { answersAsked, isNamedTopic, offersExtra } from './asked.ts';
import { bare } from './characters.ts';
import { FORM_BOOK, LEADS } from './clause-forms.ts';
import { givesUp, signsOff, stopsHere, takesOver } from './ending.ts';
import { announcedTask, beginsAnother, openedTask, postponingClause } from './other-task.ts';
import { PATTERNS } from './patterns.ts';
import { matchAt } from './phrases.ts';
import type { ClauseReading } from './reading.ts';
import {
  asks,
  has,
  isFinished,
  isNone,
  isOffered,
  isOnly,
  opensWith,
  quote,
  takesNote,
  type View,
  waits,
  wantsWork,
} from './view.ts';

/**
 * A class, how plainly a message says so from 0 to 1, whether the rule fits, the sentence for the user (`%` is what decided), and
 * the kinds of the clauses that decided. Below 0.5 the message leans to another class that it does not say plainly.
 */
type Rule = readonly [Classification, number, fits: (view: View) => boolean, reason: string, kinds?: string];

/** Returns whether a message is one of the agent's own commands, as "/review" is. */
const isCommand = ({ text }: View, names: string): boolean =>
  names.split(' ').includes(PATTERNS.command.exec(text)?.[1]?.toLowerCase() ?? '');
const isStopCommand = (view: View): boolean => isCommand(view, 'stop cancel abort');
const isEndCommand = (view: View): boolean => isCommand(view, 'new clear reset exit quit logout');
const isPublishCommand = (view: View): boolean =>
  isFinished(view) && isCommand(view, 'commit push pr create-pr commit-push-pr merge ship release');
const answers = (view: View, answer: 'answer' | 'unclear'): boolean =>
  waits(view) && givesUp(view) && answersAsked(view) === answer;
const refusesMore = (view: View): boolean => isFinished(view) && givesUp(view) && offersExtra(view);
const stopsAtOffer = (view: View): boolean =>
  refusesMore(view) && has(view, 'stop') && !view.clauses.some(({ words }) => words.includes('bother'));
const endsAll = (view: View): boolean =>
  givesUp(view) && !(stopsHere(view) && isOnly(view, 'stop', 'yes', 'no', 'hold', 'takeover'));

const ENDINGS: readonly Rule[] = [
  ['Response', 0.85, (view) => answers(view, 'answer'), 'It says % to what the agent had asked.', 'stop dismiss'],
  ['Unclear', 0.6, (view) => answers(view, 'unclear'), 'It says %: to the task, or to the question?', 'stop dismiss'],
  ['Unclear', 0.6, stopsAtOffer, 'It says %: to the task, or to the offer of the agent?', 'stop'],
  ['Confirmation', 0.75, refusesMore, 'The work was finished, and it refuses more: %.', 'dismiss'],
  ['Unclear', 0.6, isEndCommand, 'The command % may end the task or only the window.'],
  ['Confirmation', 0.75, signsOff, 'The work was finished, and it says % and goes.', 'thanks approve yes'],
  ['Abandon', 0.95, isStopCommand, 'It is the command %.'],
  ['Abandon', 0.95, endsAll, 'It says % and asks for no other work.', 'dismiss stop leave'],
  ['Unclear', 0.6, stopsHere, 'The work was finished, and it says %: is it well, or given up?', 'stop takeover'],
  ['Abandon', 0.85, takesOver, 'It says %: the user goes on alone.', 'takeover'],
  ['Confirmation', 0.85, isPublishCommand, 'The work was finished, and it is the command %.'],
];

const namesAsked = (view: View): boolean => waits(view) && isNamedTopic(view, announcedTask(view)?.words ?? []);
const OTHER_TASKS: readonly Rule[] = [
  ['Response', 0.85, namesAsked, 'The agent had asked just that, and it says %.', 'topic'],
  ['NewTask', 0.9, (view) => announcedTask(view) !== undefined, 'It announces something else: %.', 'topic'],
  ['NewTask', 0.85, (view) => openedTask(view) !== undefined, 'It opens what comes next: %.', 'follow'],
  ['NewTask', 0.85, (view) => postponingClause(view) !== undefined, 'It puts the task aside for another one: %.'],
  ['NewTask', 0.85, beginsAnother, 'It begins a conversation, and says what to do: %.', 'request suggest tell'],
];

/** Words of "leave it out" and "kill it", which are said of one thing if they say how, or if the agent has just spoken of one. */
const LEFT_HOW = wordList`out as in was were`;
const THINGS = wordList`server process job container watcher daemon port task worker command script build drop kill discard ditch ignore leave keep`;
function isOfOneThing({ clauses, lastMessage }: View): boolean {
  const words = clauses.filter(({ kind }) => kind === 'leave').flatMap((clause) => clause.words);
  const things = lastMessage
    .slice(-300)
    .toLowerCase()
    .split(/\s+/)
    .map(bare)
    .filter((word) => THINGS.has(word));
  const isKilled = words.includes('kill') || words.includes('shut');
  return words.some((word) => LEFT_HOW.has(word) || things.includes(word)) || (isKilled && things.length > 0);
}
const isWordless = ({ clauses, words, hasPaste }: View): boolean => clauses.length === 0 && words <= 2 && !hasPaste;
/** Returns whether a message is only a word of the question: "cursor", to "by offset or by cursor?" */
const isWordOfQuestion = ({ text, lastMessage }: View): boolean =>
  bare(text).length > 2 && lastMessage.slice(-300).toLowerCase().includes(bare(text).toLowerCase());
const isLeftAlone = (view: View): boolean =>
  !waits(view) &&
  has(view, 'leave') &&
  isOnly(view, 'leave', 'no', 'hold', 'thanks', 'own', 'yes', 'takeover') &&
  !isOfOneThing(view);

const asksWithMark = (view: View): boolean => isWordless(view) && PATTERNS.questionMarks.test(view.text);
const isPaste = (view: View): boolean => view.hasPaste && view.words === 0 && !waits(view) && !isNone(view);
const saysNothing = (view: View): boolean => isWordless(view) && !(waits(view) && isWordOfQuestion(view));
const WORDLESS: readonly Rule[] = [
  ['Clarification', 0.9, asksWithMark, 'It is a question mark and nothing else.'],
  ['Modification', 0.85, isPaste, 'It shows output or code without a word about it.'],
  ['Unclear', 0.8, ({ text }) => text === '', 'It is empty.'],
  ['Unclear', 0.8, saysNothing, 'It has no word that says what is wanted.'],
  ['Unclear', 0.55, isLeftAlone, 'It says %: the task as a whole, or one thing in it?', 'leave'],
];

const TURNED = wordList`are is was were do does did arent isnt`;
/** Returns whether a message only asks, even if it first acknowledges the words of the agent: "ok, what happens if …". */
function onlyAsks(view: View): boolean {
  const [first, ...rest] = view.clauses;
  const isAsking = ({ kind }: ClauseReading): boolean => kind === 'ask' || kind === 'inform';
  if (!first || !rest.every(isAsking)) return false;
  // "Are you sure it fails?" has a yes in it, and says none.
  if (isAsking(first))
    return takesNote(view) || first.opening === 'pick' || first.opening === 'go' || TURNED.has(first.words[0] ?? '');
  return takesNote(view) && first.kind === 'yes' && rest.length > 0;
}
const adds = (view: View): boolean =>
  view.clauses[0]?.kind === 'also' ||
  (opensWith(view, 'approve') && has(view, 'but', 'also')) ||
  PATTERNS.correction.test(view.text);

const asksBack = (view: View): boolean => asks(view) && !wantsWork(view);
const choosesPlainly = (view: View): boolean =>
  opensWith(view, 'yes', 'no', 'pick', 'go') && !onlyAsks(view) && !has(view, 'stop', 'dismiss');
const changesPlan = (view: View): boolean => PATTERNS.plan.test(view.lastMessage) && !opensWith(view, 'approve');
const ANSWERS: readonly Rule[] = [
  ['Confirmation', 0.8, (view) => isOnly(view, 'thanks'), 'It says % and answers nothing.', 'thanks'],
  ['Modification', 0.85, adds, 'It begins with %: it changes the task instead of answering.'],
  ['Response', 0.9, choosesPlainly, 'The agent had asked, and it begins with %.'],
  ['Clarification', 0.85, asksBack, 'It asks back instead of answering: %.', 'ask inform talk'],
  ['Modification', 0.85, changesPlan, 'It says something about the plan of the agent, and approves of nothing: %.'],
  ['Response', 0.8, () => true, 'The agent had asked, and % is no question and no other task.'],
];

const WRAPS = wordList`wrap close mark finish call`;
const isPraiseClause = ({ kind, opening, words }: ClauseReading): boolean =>
  (kind === 'approve' && !words.some((word) => WRAPS.has(word))) ||
  (opening === 'approve' && words.length < 7 && words.at(-1) === 'far');
/** Returns whether a message only praises, while nothing waits for approval: "looks good so far". */
const isPraise = (view: View): boolean =>
  !isFinished(view) &&
  view.clauses.length > 0 &&
  view.clauses.every((clause) => isPraiseClause(clause) || clause.kind === 'thanks' || clause.kind === 'yes') &&
  (view.state !== 'Interrupted' || !isOnly(view, 'yes'));
/** Returns whether a clause asks for the same work once more, and not only that the agent continues: "try again". */
const isOnceMore = ({ kind, words }: ClauseReading): boolean =>
  kind === 'go' && (words.includes('again') || words.includes('retry'));
const isToPublish = (view: View): boolean =>
  isFinished(view) &&
  has(view, 'go') &&
  isOnly(view, 'go', 'yes', 'approve', 'thanks') &&
  !view.clauses.some((clause) => clause.kind === 'go' && (goesOnward(clause.words) || isOnceMore(clause))) &&
  PATTERNS.asksToPublish.test(view.lastMessage.slice(-200));
const takesMore = (view: View): boolean =>
  isFinished(view) && has(view, 'yes') && isOnly(view, 'yes', 'own') && isOffered(view);
const declines = (view: View): boolean =>
  isOnly(view, 'no') &&
  (isOffered(view) || view.clauses.some(({ words }) => words.some((word) => DECLINING.has(word))));
const DECLINING = wordList`thanks thank need`;
const agrees = (view: View): boolean => isFinished(view) && (isOnly(view, 'yes') || declines(view));
const CONFIRMATIONS: readonly Rule[] = [
  ['Confirmation', 0.8, isToPublish, 'The agent asked whether to publish the work, and it says %.', 'go'],
  ['Response', 0.8, takesMore, 'The agent offered more, and it says %.', 'yes'],
  ['Confirmation', 0.95, approves, 'It says % and asks for nothing more.', 'approve publish thanks'],
  ['Confirmation', 0.75, agrees, 'The work was finished, and it says %.', 'yes no'],
  ['Confirmation', 0.8, isPraise, 'It says %, and nothing waits for approval.', 'approve thanks yes'],
];

const ASKS_VALUE = wordList`who which what where when how whose why`;
const REPORTS = wordList`i im ive id my we weve our just because cause sorry since nothing nobody is are was were isnt arent wasnt does do did doesnt dont didnt has have had hasnt havent cant cannot get got see says said`;
const isValue = ({ kind, words }: ClauseReading): boolean =>
  (kind === 'tell' || kind === 'pick' || (kind === 'but' && words[0] === 'only')) &&
  words.length < 7 &&
  ((words[0] ?? '') < ':' || !words.some((word) => REPORTS.has(word)));
const isTold = ({ kind, words }: ClauseReading): boolean =>
  ['tell', 'own', 'but'].includes(kind) || (words[0] === 'show' && words[1] !== 'me');
/** Returns whether a question is followed by the answer that the user wants to it: "who should see it? only admins". */
function answersItself({ clauses }: View): boolean {
  const [question, ...behind] = clauses.slice(
    Math.max(
      clauses.findLastIndex(({ isQuestion }) => isQuestion),
      0,
    ),
  );
  if (!question?.isQuestion || behind.length === 0) return false;
  if (question.words.some((word, at) => word === 'about' && at < 3)) return behind.every(isTold);
  const first = question.words.find((word) => !LEADS.has(word)) ?? '';
  // "All tests pass? I get 3 failures": what the agent said is repeated and denied.
  if (matchAt(FORM_BOOK, question.words, 0) === null)
    return behind.every(({ kind, isQuestion }) => !isQuestion && (kind === 'tell' || kind === 'own'));
  return question.kind === 'ask' && ASKS_VALUE.has(first) && behind.every(isValue);
}
const isOf = ({ kind, opening }: ClauseReading, kinds: string): boolean =>
  kinds.split(' ').some((one) => one === kind || one === opening);
const leans = (view: View, kinds: string): boolean => view.clauses.some((clause) => isOf(clause, kinds));
const goesOnPlainly = (view: View): boolean =>
  has(view, 'go', 'pick', 'yes') && isOnly(view, 'go', 'pick', 'yes', 'own', 'approve', 'thanks', 'no');
const saysHow = (view: View): boolean => !isNone(view) && answersItself(view);
const repeats = (view: View): boolean => !isNone(view) && goesOnPlainly(view) && view.clauses.some(isOnceMore);
const refusesNothing = (view: View): boolean => isNone(view) && isOnly(view, 'no', 'hold', 'leave', 'takeover', 'own');
const [ENDS, APPROVES, OPENS] = ['stop dismiss takeover leave', 'approve publish thanks', 'topic follow'] as const;
const REST: readonly Rule[] = [
  ['Modification', 0.85, saysHow, 'It asks, and says how it is to be: %.', 'ask inform'],
  ['Modification', 0.85, repeats, 'It wants it done once more: %.', 'go'],
  ['Response', 0.85, goesOnPlainly, 'It says %: the agent shall continue.', 'go pick yes'],
  ['Clarification', 0.9, asksBack, 'It asks and wants nothing changed: %.', 'ask inform talk'],
  ['Unclear', 0.6, refusesNothing, 'It says %, and no task is under way.'],
  ['NewTask', 0.9, isNone, 'No task is under way, and it says what to do: %.', 'request suggest topic follow'],
  ['Modification', 0.45, (view) => leans(view, ENDS), 'It says %, and not plainly that the task is given up.', ENDS],
  ['Modification', 0.45, (view) => isFinished(view) && leans(view, APPROVES), 'It approves not plainly: %.', APPROVES],
  ['Modification', 0.45, (view) => leans(view, OPENS), 'It says %, and not plainly that it is another task.', OPENS],
  ['Modification', 0.9, wantsWork, 'It asks for a change: %.', 'request suggest also'],
];
const REMARK: Rule = ['Modification', 0.7, () => true, 'It reports something about the task: %.'];
const ALL = [...ENDINGS, ...OTHER_TASKS, ...WORDLESS];
const ASKED = [...ALL, ...ANSWERS];
const OTHERS = [...ALL, ...CONFIRMATIONS, ...REST];

/** The class of a message by the first rule that fits, how plainly it says so, and the words that decided in a sentence. */
export function decide(view: View): { classification: Classification; confidence: number; reason: string } {
  const rule = (waits(view) ? ASKED : OTHERS).find(([, , fits]) => fits(view)) ?? REMARK;
  const [classification, confidence, , reason, kinds] = rule;
  const clause = kinds === undefined ? postponingClause(view) : view.clauses.find((one) => isOf(one, kinds));
  return { classification, confidence, reason: reason.replace('%', () => quote(view, clause)) };
}
