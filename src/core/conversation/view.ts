/** Selects what a reader gets of a conversation: what the model would be sent, everything, or one branch. */
import type { Message, Part } from '../message.ts';
import type { Conversation, Cover, FoldedMessage } from './conversation.ts';
import { outputLength } from './prune.ts';
import { isSummary } from './sight.ts';
import { snapshotsOf } from './snapshots.ts';

/**
 * `model`: what the agent would send to the model now. `all`: every message, those out of sight marked. `branch`: the messages
 * from the first one down to the named one, along their parents.
 */
export type View = 'model' | 'all' | { branch: string };

/** Why a message is out of the model's sight (format rule of `ctx messages --view all`). */
export interface Hidden {
  /** Reason for which the message is hidden: that of the overlay, or `overlay` if the overlay gives none. */
  by: string;
  /** Unix seconds. */
  at: number;
  /** The id of the overlay record. */
  overlay: string;
}

/** One message of a view, in the shape of the AI SDK's UIMessage. */
export interface ViewedMessage extends Message {
  /** Null while the message is in view; only in the view `all`. */
  hidden?: Hidden | null;
}

/**
 * A message of a view, with the number of the step that holds each of its parts. A call that ran a command has the
 * command's `exit_code`, if it is known.
 */
export interface Viewed {
  message: ViewedMessage;
  /** The steps of `message.parts`, by index. */
  steps: number[];
}

/** The messages of a view, in order, as they are asked for. An unknown branch has none. */
export function* view(conversation: Conversation, which: View): Generator<Viewed> {
  const snapshots = snapshotsOf(conversation);
  for (const folded of selected(conversation, which)) {
    const one = viewed(conversation, folded, which === 'all');
    const snapshot_id = snapshots.get(folded.id)?.snapshot_id;
    if (snapshot_id !== undefined) one.message.metadata = { ...one.message.metadata, snapshot_id };
    yield one;
  }
}

function selected(conversation: Conversation, which: View): Iterable<FoldedMessage> {
  if (which === 'all') return conversation.messages.values();
  return which === 'model' ? seenByModel(conversation) : branchTo(conversation, which.branch);
}

/** Returns whether a message is one of a sub-agent that writes to the transcript of its caller. */
const isSide = ({ metadata }: FoldedMessage): boolean => metadata['is_sidechain'] === true;

/**
 * Returns the messages that the model sees. The summary of a compaction comes before the messages that the compaction left in view, since
 * a model is sent the summary first, though it was written last.
 */
export const seenByModel = (conversation: Conversation): FoldedMessage[] =>
  seenInOrder(conversation, ({ hidden }) => hidden === null);

/** Returns some messages in the order in which a model is sent them, without those of sub-agents. */
export function seenInOrder({ messages }: Conversation, isSeen: (message: FoldedMessage) => boolean): FoldedMessage[] {
  const lead: FoldedMessage[] = [];
  const rest: FoldedMessage[] = [];
  for (const folded of messages.values()) {
    if (!isSeen(folded) || isSide(folded)) continue;
    const leads = isSummary(folded) || (folded.role === 'system' && rest.length === 0);
    (leads ? lead : rest).push(folded);
  }
  return [...lead, ...rest];
}

/** The messages from the root of a branch down to its tip. A ring of parents ends where it closes. */
function branchTo({ messages, parents }: Conversation, tip: string): FoldedMessage[] {
  const path = new Set<string>();
  for (let id: string | undefined = tip; id !== undefined && !path.has(id); id = parents.get(id)) path.add(id);
  return [...path].reverse().flatMap((id) => messages.get(id) ?? []);
}

/** Returns a message as a model sees it. */
export const viewOf = (conversation: Conversation, folded: FoldedMessage): Viewed => viewed(conversation, folded, false);

function viewed(conversation: Conversation, folded: FoldedMessage, marked: boolean): Viewed {
  const parts = folded.parts.map(({ part }) => {
    const shown = marked ? part : prunedPart(conversation, folded.id, part);
    const exit_code = part.type === 'dynamic-tool' ? conversation.exits.get(part.toolCallId) : undefined;
    return exit_code === undefined ? shown : { ...shown, exit_code };
  });
  const { id, role, metadata, hidden } = folded;
  const message: ViewedMessage = { id, role, parts, metadata };
  if (marked) message.hidden = hidden && hiddenBy(hidden);
  return { message, steps: folded.parts.map(({ step }) => step) };
}

const hiddenBy = ({ reason, at, overlay }: Cover): Hidden => ({ by: reason ?? 'overlay', at, overlay });

/** Characters of a token, as a rule of thumb of models' makers for English. */
const CHARACTERS_PER_TOKEN = 4;

/** A part as the model sees it: the output of a pruned call is replaced by a short notice. */
export function prunedPart({ pruned }: Conversation, id: string, part: Part): Part {
  if (pruned.size === 0 || part.type !== 'dynamic-tool' || part.state !== 'output-available') return part;
  if (!pruned.has(part.toolCallId) && !pruned.has(id)) return part;
  const { output, result: _result, ...call } = part;
  const tokens = Math.ceil(outputLength(output) / CHARACTERS_PER_TOKEN);
  return { ...call, output: `<output pruned, ${tokens} tokens>` };
}
