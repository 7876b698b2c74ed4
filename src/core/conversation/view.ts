/** Selects what a reader gets of a conversation: what the model would be sent, everything, or one branch. */

import { isStub } from '../externalise.ts';
import type { Message, Part, ToolPart } from '../message.ts';
import type { Conversation, Cover, FoldedMessage } from './conversation.ts';
import { coversOf } from './covers.ts';
import { OWN } from './fold.ts';
import { outputLength } from './prune.ts';
import { compactionsOf, isUsers } from './rewind.ts';
import { isSummary, summariesOf } from './sight.ts';
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
  /** The message with the summary, if a compaction has hidden it. */
  summary_id?: string;
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
  const compactions = agentsCompactions(conversation);
  const summaries = new Map([...summariesOf(conversation)].map(([{ id }, summary]) => [id, summary.id]));
  const covers = which === 'all' ? coversOf(conversation) : null;
  for (const folded of selected(conversation, which)) {
    const one = viewed(conversation, folded, covers);
    const summary_id = one.message.hidden && summaries.get(one.message.hidden.overlay);
    if (one.message.hidden && summary_id) one.message.hidden = { ...one.message.hidden, summary_id };
    const compaction = compactions.get(folded.id);
    if (compaction) one.message.parts = one.message.parts.map((part) => asCompaction(part, compaction));
    const snapshot_id = snapshots.get(folded.id)?.snapshot_id;
    if (snapshot_id !== undefined) one.message.metadata = { ...one.message.metadata, snapshot_id };
    yield one;
  }
}

/** Compaction by an agent: the first message that it left as it was, and the number of turns that it summarised. */
interface AgentsCompaction {
  tail_start_id: string | null;
  turns: number;
}

/** The compactions that agents have made themselves, by the messages with their summaries. */
function agentsCompactions(conversation: Conversation): Map<string, AgentsCompaction> {
  const { messages } = conversation;
  const found = new Map<string, AgentsCompaction>();
  for (const message of messages.values())
    if (isSummary(message) && message.metadata['recorded_by'] !== OWN)
      found.set(message.id, { tail_start_id: null, turns: 0 });
  if (found.size === 0) return found;
  for (const { summary, summarised } of compactionsOf(conversation)) {
    const compaction = found.get(summary.id);
    if (!compaction) continue;
    const gone = summarised.flatMap((id) => messages.get(id) ?? []);
    const last = gone.at(-1)?.place ?? summary.place;
    const isTail = ({ place, id }: FoldedMessage): boolean => place > last && id !== summary.id;
    compaction.tail_start_id = [...messages.values()].find(isTail)?.id ?? null;
    compaction.turns = turnsWith(messages.values(), new Set(summarised));
  }
  return found;
}

/** Counts the turns of which at least one message is among these: an agent may leave the words of the user in view. */
function turnsWith(messages: Iterable<FoldedMessage>, ids: ReadonlySet<string>): number {
  const turns = new Set<string>();
  let begins = '';
  for (const message of messages) {
    if (isUsers(message)) begins = message.id;
    if (ids.has(message.id) && (message.role === 'assistant' || isUsers(message))) turns.add(begins);
  }
  return turns.size;
}

/** The words of a summary in the form that ctx gives its own. An agent does not say if it was asked for one. */
function asCompaction(part: Part, { tail_start_id, turns }: AgentsCompaction): Part {
  if (part.type !== 'text') return part;
  const summary_tokens = Math.ceil(textLength(part.text) / CHARACTERS_PER_TOKEN);
  return {
    type: 'data-compaction',
    data: { summary: part.text, tail_start_id, auto: null, summary_tokens, status: 'completed', turns, by: 'agent' },
  };
}

/** Characters of a text, or bytes of one that lies elsewhere. */
const textLength = (text: unknown): number => (isStub(text) ? text.bytes : String(text).length);

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
export const viewOf = (conversation: Conversation, folded: FoldedMessage): Viewed => viewed(conversation, folded, null);

/** @param covers why messages are out of view, if each is to be marked */
function viewed(conversation: Conversation, folded: FoldedMessage, covers: ReadonlyMap<string, Cover> | null): Viewed {
  const parts = folded.parts.map(({ part }) => {
    const shown = covers ? part : prunedPart(conversation, folded.id, part);
    const exit_code = part.type === 'dynamic-tool' ? conversation.exits.get(part.toolCallId) : undefined;
    return exit_code === undefined ? shown : { ...shown, exit_code };
  });
  const { id, role, metadata, hidden } = folded;
  const message: ViewedMessage = { id, role, parts, metadata };
  if (covers) message.hidden = hidden && hiddenBy(covers.get(id) ?? hidden);
  return { message, steps: folded.parts.map(({ step }) => step) };
}

const hiddenBy = ({ reason, at, overlay }: Cover): Hidden => ({ by: reason ?? 'overlay', at, overlay });

/** Characters of a token, as a rule of thumb of models' makers for English. */
const CHARACTERS_PER_TOKEN = 4;

/** A part as the model sees it: the output of a pruned call is replaced by a short notice. */
export function prunedPart({ pruned }: { pruned: Pruned }, id: string, part: Part): Part {
  if (pruned.size === 0 || part.type !== 'dynamic-tool' || part.state !== 'output-available') return part;
  return pruned.has(String(part.toolCallId)) || pruned.has(id) ? pruneNotice(part) : part;
}

/** The ids of the calls, and messages, whose outputs are pruned. */
type Pruned = Pick<ReadonlySet<string>, 'has' | 'size'>;

/** Replaces the output of a call by a short notice. */
export function pruneNotice(part: Part): Part {
  const { output, result: _result, ...call } = part as ToolPart;
  const tokens = Math.ceil(outputLength(output) / CHARACTERS_PER_TOKEN);
  return { ...call, output: `<output pruned, ${tokens} tokens>` };
}
