/** The calls of a turn: the one that a result belongs to, in this part of a transcript or an earlier one, and the end of all of them. */
import type { Call } from './basic-cursor.ts';
import type { Conversation } from './conversation.ts';
import type { Outbox } from './outbox.ts';
import type { StoredTranscript } from './stored-transcript.ts';
import type { Turn } from './turn.ts';

/** Tools that the search needs. */
interface Tools {
  conversation: Conversation;
  outbox: Outbox;
  /** The calls of the parts that were read before; null in the first part. */
  kept: () => Pick<StoredTranscript, 'hasResult' | 'openCall'> | null;
}

/** Finds the call that a result belongs to: null if no call is known, `repeated` if the call has its result already. */
export function callOf({ conversation, outbox, kept: keptOf }: Tools, id: string): Call | null | 'repeated' {
  const open = conversation.call(id);
  // Known lines are in the order in which they were first read.
  if (outbox.isQuiet) return open ?? (conversation.isResolved(id) ? 'repeated' : null);
  if (open?.part !== undefined) return open;
  if (conversation.isResolved(id)) return 'repeated';
  const kept = keptOf();
  if (kept?.hasResult(id)) return 'repeated';
  const found = kept?.openCall(id);
  if (!found) return open ?? null;
  conversation.expect(found);
  return found;
}

/** Values that the end of a turn needs. */
interface Ending {
  outbox: Outbox;
  turn: Turn;
  conversation: Conversation;
  /** Returns the words of the turn's prompt. */
  prompt: () => string;
  /** Is called before the end is given, unless the lines are known. */
  settle?: () => void;
}

/** Ends the turn, if there is one. @param isOver whether later results hardly belong to its calls */
export function finishTurn({ outbox, turn, conversation, prompt, settle }: Ending, at: number, isOver = true): void {
  const { isQuiet } = outbox;
  const { isBegun } = turn;
  // A line that is known may end a turn that is not.
  outbox.isQuiet = isQuiet && !isBegun;
  if (isBegun) conversation.closeCalls(at);
  if (isOver) conversation.leaveCalls();
  if (!outbox.isQuiet) settle?.();
  turn.finish(at, prompt);
  if (isBegun) outbox.flush();
  outbox.isQuiet = isQuiet;
}

/** Gives everything that is held: the part of the transcript is over. */
export function finishAll(ending: Ending, at: number): void {
  finishTurn(ending, at, false);
  ending.conversation.closeCalls(at);
  ending.outbox.flush();
}
