/** The call that a result belongs to, among those that are read now and those that are stored. */
import type { Call } from './calls.ts';
import type { Conversation } from './conversation.ts';
import type { Outbox } from './outbox.ts';
import type { StoredTranscript } from './stored-transcript.ts';

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
