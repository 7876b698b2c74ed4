/** Plans a compaction of the context: which of the messages that the model sees a summary replaces, and which stay as they are. */
import type { FoldedMessage } from './conversation.ts';
import { isUsers } from './rewind.ts';

/** Rules for the messages that stay behind a summary. */
export interface TailRules {
  /** Number of turns of the user that stay. */
  turns: number;
  /** Most tokens of these turns; null if the window of the model is unknown. */
  budget: number | null;
  /** True if only the first and the last words of the last turn stay if it is over the budget. */
  split: boolean;
}

/** Change of the view by a compaction. */
export interface CompactionPlan {
  /** The messages that the summary replaces, in order. */
  summarised: FoldedMessage[];
  /** The first message that stays. */
  tail: FoldedMessage;
  /** Number of messages that stay. */
  kept: number;
  /** Number of turns of the user that the summary replaces. */
  turns: number;
  warnings: string[];
}

/**
 * Plans a compaction; null if there is nothing to summarise before the tail.
 * @param seen the messages that the model sees, in their order
 */
export function planCompaction(
  seen: readonly FoldedMessage[],
  { turns, budget, split }: TailRules,
  tokensOf: (message: FoldedMessage) => number,
): CompactionPlan | null {
  const system = seen.findIndex(({ role }) => role !== 'system');
  const said = seen.slice(Math.max(system, 0));
  const starts = said.flatMap((message, index) => (isUsers(message) ? [index] : []));
  const isOver = (from: number): boolean =>
    budget !== null && said.slice(from).reduce((sum, message) => sum + tokensOf(message), 0) > budget;
  const warnings: string[] = [];
  const last = starts.at(-1);
  if (last === undefined) return null;
  // Of a conversation of few turns, all but the last can go.
  let start = starts.at(starts.length > turns ? -turns : Math.min(-1, 1 - starts.length)) as number;
  if (start !== last && isOver(start)) {
    start = last;
    warnings.push('The last turns are larger than the room for them: only the last one stays as it is.');
  }
  const tail = said[start] as FoldedMessage;
  let between: FoldedMessage[] = [];
  const isAlone = starts.length === 1;
  if (start === last && (isAlone || (split && isOver(start)))) {
    between = middleOf(said, start);
    if (between.length > 0) warnings.push('Of the last turn only the request and the last answer stay.');
  } else if (start === last && isOver(start)) warnings.push('The last turn alone is larger than the room for it.');
  const before = said.slice(0, start);
  const summarised = [...before, ...between];
  const replaced = before.filter(isUsers).length;
  if (replaced === 0 && between.length === 0) return null;
  return {
    summarised,
    tail,
    kept: said.length - summarised.length,
    turns: replaced,
    warnings,
  };
}

/** Returns the messages between the request of a turn and the last words of its answer. */
function middleOf(said: readonly FoldedMessage[], start: number): FoldedMessage[] {
  const words = said.findLastIndex((message) => message.role === 'assistant' && hasWords(message));
  return said.slice(start + 1, words > start ? words : said.length);
}

const hasWords = ({ parts }: FoldedMessage): boolean => parts.some(({ part }) => part.type === 'text');
