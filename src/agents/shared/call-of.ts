/** Finds the call that a result belongs to, among the calls of this part of a transcript and those of earlier ones. */
import type { Call } from './calls.ts';
import type { Conversation } from './conversation.ts';
import type { Outbox } from './outbox.ts';

/** What the search needs. */
interface Tools {
  conversation: Conversation;
  outbox: Outbox;
  /** Returns the calls of earlier parts; null in the first part. */
  kept: () => { resolved: ReadonlySet<string>; open: ReadonlyMap<string, Call> } | null;
}

/** Returns the call that a result belongs to; null if it is unknown, `repeated` if it has a result already. */
export function callOf({ conversation, outbox, kept: keptOf }: Tools, id: string): Call | null | 'repeated' {
  const open = conversation.call(id);
  // What is known already is in the order in which it was first read.
  if (outbox.isQuiet) return open ?? (conversation.isResolved(id) ? 'repeated' : null);
  if (open?.part !== undefined) return open;
  if (conversation.isResolved(id)) return 'repeated';
  const kept = keptOf();
  if (kept?.resolved.has(id)) return 'repeated';
  const found = kept?.open.get(id);
  if (!found) return open ?? null;
  conversation.expect(found);
  return found;
}
