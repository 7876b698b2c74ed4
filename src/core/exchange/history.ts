/** Selects the messages of a conversation that a transcript is written from. */
import type { Conversation } from '../conversation/conversation.ts';
import { compactionsOf } from '../conversation/rewind.ts';
import { sightNow } from '../conversation/sight.ts';
import { seenInOrder, type Viewed, viewOf } from '../conversation/view.ts';

/**
 * Returns the messages of a history, in the order in which a model is sent them.
 * @param isFull whether the messages that compactions have hidden take the place of the summaries
 */
export function historyOf(conversation: Conversation, isFull: boolean): Viewed[] {
  const seen = sightNow(conversation);
  // A summary may be among what a later compaction has hidden.
  if (isFull)
    for (const { summary, summarised } of compactionsOf(conversation).reverse()) {
      if (!seen.delete(summary.id)) continue;
      for (const id of summarised) seen.add(id);
    }
  return seenInOrder(conversation, ({ id }) => seen.has(id)).map((folded) => viewOf(conversation, folded));
}
