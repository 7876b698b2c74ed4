/** Copies the visible part of a conversation up to a message, with new ids: what a branch begins with. */
import type { Message, Part } from '../message.ts';
import type { Conversation, FoldedMessage } from './conversation.ts';
import { sightAt, sightNow } from './sight.ts';
import { seenInOrder } from './view.ts';

/** A message to be copied, and its copy without the long texts of its parts. */
export interface Copied {
  source: FoldedMessage;
  id: string;
  metadata: Message['metadata'];
}

/** Records with which a branch begins. */
export interface BranchPlan {
  copies: Copied[];
  /** Calls whose outputs are pruned from the view. */
  pruned: string[];
  /** A call among the copies that has no result yet; null if all have one. */
  open: string | null;
}

/**
 * Plans a branch: the messages that the model sees, up to one, in the order in which it sees them. If that one is out of view, what was in
 * view when it came.
 * @param newId makes the id of a copy
 */
export function planBranch(conversation: Conversation, at: FoldedMessage, newId: () => string): BranchPlan {
  const seen = at.hidden === null ? sightNow(conversation) : sightAt(conversation, at);
  const inOrder = seenInOrder(conversation, (message) => seen.has(message.id));
  const end = inOrder.findIndex(({ id }) => id === at.id);
  const sources = end < 0 ? [] : inOrder.slice(0, end + 1);
  const ids = new Map(sources.map(({ id }) => [id, newId()]));
  const plan: BranchPlan = { copies: [], pruned: [], open: null };
  let before: string | null = null;
  for (const source of sources) {
    const id = ids.get(source.id) as string;
    const { parent_id: parent, ...metadata } = source.metadata;
    const above = typeof parent === 'string' ? (ids.get(parent) ?? before) : before;
    plan.copies.push({
      source,
      id,
      metadata: { ...metadata, parent_id: above, copied_from: source.id, recorded_by: 'ctx' } as Message['metadata'],
    });
    before = id;
    for (const { part } of source.parts) notePart(plan, conversation, source, part);
  }
  return plan;
}

/** Notes whether the output of a call is pruned, and whether the call has no result. */
function notePart(plan: BranchPlan, { pruned }: Conversation, { id }: FoldedMessage, part: Part): void {
  if (part.type !== 'dynamic-tool') return;
  const call = String(part.toolCallId);
  if (pruned.has(call) || pruned.has(id)) plan.pruned.push(call);
  if (part.state === 'input-available' || part.state === 'input-streaming') plan.open ??= call;
}
