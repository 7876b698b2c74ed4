/** Which call a result belongs to, of those that are read now and those that were kept before. */
import type { Call } from './calls.ts';
import type { Conversation } from './conversation.ts';
import type { Outbox } from './outbox.ts';

interface Tools {
  conversation: Conversation;
  outbox: Outbox;
  /** The calls of the parts that were read before; null in the first part. */
  kept: () => { resolved: ReadonlySet<string>; open: ReadonlyMap<string, Call> } | null;
}

/** The call that a result belongs to; null where none is known, `repeated` where it has one already. */
export function callOf({ conversation, outbox, kept: keptOf }: Tools, id: string): Call | null | 'repeated' {
  const open = conversation.call(id);
  // What is known already stands in the order in which it was first read.
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
