/** Finds reservations beside approval of finished work, which is no approval then: what the user tries first, misses, waits for. */

import { type WordSet, wordSet } from '../core/word-set.ts';
import { goesOnward } from './acts.ts';
import { bare } from './characters.ts';
import { DENIES } from './doubts.ts';
import type { View } from './message-view.ts';

/** What the user does with finished work and says no more of it. */
const TAKES = wordSet('ill i wewill im');
/** What the user wants to do or says before it is approved: "let me try it first", "I was hoping for less". */
const TRIES = wordSet(
  'test try check look see review verify read think run was had have ive hoping expecting back ask',
);
export const hasReservation = (view: View): boolean =>
  view.clauses.some(
    ({ kind, words }) =>
      kind === 'own' && (!words.some((word) => TAKES.has(word)) || words.some((word) => TRIES.has(word))),
  );

/** Words that would rather have something else, or report what was found. */
export const MISSES = wordSet(
  'want need needs should would could missing found noticed saw wonder except only but instead rather more',
);
/** Words by which users say that they checked the work. */
export const CHECKED = wordSet('went tested tried ran read reviewed checked looked walked verified');

/** A message without what the user did to look at the work before approving it: "I went through the diff, …". */
export function withoutReport(view: View): View {
  const at = view.clauses.findIndex(({ kind }) => kind === 'approve');
  const told = view.clauses.slice(0, Math.max(at, 0));
  const [first = '', ...verbs] = told[0]?.words.slice(0, 3) ?? [];
  if ((first !== 'i' && first !== 'ive') || !verbs.some((verb) => CHECKED.has(verb))) return view;
  const isReport = told.every(
    ({ kind, words }) =>
      (kind === 'tell' || kind === 'own') && !words.some((word) => DENIES.has(word) || MISSES.has(word)),
  );
  return isReport ? { ...view, clauses: view.clauses.slice(at) } : view;
}

/** Words of "better" and "much better already": than before, and it may not be well yet. */
const COMPARES = wordSet('better much already even way a lot bit so far ok okay yes yeah ah oh hm');
/** Returns whether a message only says that the work is better than before. */
export const isComparison = ({ clauses }: View): boolean =>
  clauses.some(({ words }) => words.includes('better')) &&
  clauses.every(({ words }) => words.every((word) => COMPARES.has(word)));

/** Words for what must come first: "let me know once the benchmarks ran, then we can merge". */
const CONDITIONS = wordSet('once when whenever after until till before if unless provided assuming');
/** Returns whether the user says what they wait for before they publish. */
export const waitsFor = ({ clauses }: View): boolean =>
  clauses.some(({ kind, words }) => kind === 'own' && words.some((word) => CONDITIONS.has(word)));

/** Things to which "it" refers in "close it", if the agent mentioned one. */
const CLOSABLE = wordSet(
  'dialog dialogs modal popup popover menu dropdown window tab panel drawer sidebar overlay browser connection connections socket stream handle',
);
/** The number of characters at the end of the agent's message to which "it" may refer. */
const MOST_SPOKEN = 600;
const hasSpoken = (text: string, words: WordSet): boolean =>
  text
    .toLowerCase()
    .split(/\s+/)
    .some((word) => words.has(bare(word)));
/** Returns whether "close it" may close a thing that the work is about, and not the work. */
export const closesThing = ({ clauses, lastMessage, task }: View): boolean =>
  clauses.some(({ kind, words }) => kind === 'publish' && words.includes('close')) &&
  hasSpoken(`${lastMessage.slice(-MOST_SPOKEN)} ${task}`, CLOSABLE);

const MANY = wordSet('them these those both');
/** What is merged or tagged as the work is. */
const BRANCHES = wordSet('pr prs mr mrs branch branches commit commits request requests release releases');
const TRUNKS = wordSet('main master develop dev production prod staging upstream origin');
/** Returns whether things that the work is about are merged into one, and not branches: "merge them". */
export const mergesThings = ({ clauses, lastMessage }: View): boolean =>
  clauses.some(
    ({ kind, words }) =>
      kind === 'publish' &&
      (words.includes('merge') || words.includes('tag')) &&
      words.some((word) => MANY.has(word)) &&
      !words.some((word) => BRANCHES.has(word) || TRUNKS.has(word)),
  ) && !hasSpoken(lastMessage.slice(-MOST_SPOKEN), BRANCHES);

const WRAPS = wordSet('wrap close mark finish call');
/** Returns whether a message asks the agent to finish the work, which is approval only if the work is finished. */
export const wrapsUp = ({ clauses }: View): boolean =>
  clauses.some(({ kind, words }) => kind === 'approve' && words.some((word) => WRAPS.has(word)));

/** Returns whether praise is for a part of the way, or what is pushed goes up on a screen: "looks good so far", "push this up". */
export const isPartly = ({ clauses }: View): boolean =>
  clauses.some(
    ({ words }) => (words.includes('so') && words.includes('far')) || (words.includes('push') && words.at(-1) === 'up'),
  );

/** Returns whether the agent shall continue behind what is published: "push it, then continue". */
export const isPushedOn = (view: View): boolean =>
  view.clauses.some(({ kind, words }) => kind === 'go' && goesOnward(words));
