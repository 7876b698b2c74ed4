/** `ctx messages`: reads the conversation of a session back from its chain. */
import { type Conversation, emptyConversation } from '../core/conversation/conversation.ts';
import { foldConversation } from '../core/conversation/fold.ts';
import { type View, type Viewed, type ViewedMessage, view } from '../core/conversation/view.ts';
import { CtxError } from '../core/errors.ts';
import { type FetchPayload, internalise } from '../core/externalise.ts';
import type { Message } from '../core/message.ts';
import { sessionRef } from '../git/layout.ts';
import { readTree } from '../git/objects/tree-editor.ts';
import { readRecords, walkChain } from '../history/chain/chain.ts';
import { payloadReader } from '../history/chain/session-document.ts';
import type { Repository } from '../history/store/repository.ts';
import { eachInLittleRoom } from '../platform/memory.ts';
import { openSession } from './session/active.ts';
import { chainBehind } from './show.ts';

/** Which messages of a conversation are wanted. */
export interface ConversationOptions {
  /** `model` (default): what the agent would be sent now. `all`: everything, what is out of view marked. */
  view?: View | undefined;
  /** The id of the first message, or an unambiguous beginning of the id. */
  from?: string | undefined;
  /** The id of the last message, likewise. */
  to?: string | undefined;
  /** Only messages of these roles. */
  roles?: readonly Message['role'][] | undefined;
}

/** The number that records have which no step holds yet. */
const UNFLUSHED = 0;

/**
 * Reads the conversation of a session, open or ended, or as of one of its steps. What waits to be flushed is counted in.
 * @returns the messages in order, each in the shape of the AI SDK's UIMessage; long texts are fetched as a message is iterated
 * @param given a session, a step or a canonical commit; `STAGE` is the active session
 * @throws {CtxError} not_found, ambiguous, no_active_session, damaged
 */
export function readConversation(
  repository: Repository,
  given = 'STAGE',
  options: ConversationOptions = {},
): Iterable<ViewedMessage> {
  const { session_id, head, isOpen } = chainBehind(repository, given);
  const trees = treesOf(repository, head);
  const conversation = emptyConversation();
  for (const [step, tree] of eachInLittleRoom(trees)) {
    const records = readRecords(repository.objects, tree, `step ${step} of ${session_id}`, false);
    foldConversation(records, conversation, { step });
  }
  if (isOpen) {
    const { pending } = openSession(repository, sessionRef(session_id), head);
    foldConversation(
      pending.map(({ record }) => record),
      conversation,
      { step: UNFLUSHED },
    );
  }
  // An unknown message is refused at once, not when the first message is asked for.
  const range = rangeOf(conversation, options);
  return wholeMessages(repository, select(conversation, options, range), new Map(trees));
}

/** The trees of a chain by the number of their step, first to last. */
function treesOf({ objects }: Repository, head: string): [step: number, tree: string][] {
  const trees = [...walkChain(objects, head)].map(([, { tree }]) => tree).reverse();
  return trees.map((tree, index) => [index + 1, tree]);
}

/** The ids of the first and the last message that are asked for. */
interface Range {
  first: string | undefined;
  last: string | undefined;
}

/** @throws {CtxError} not_found, ambiguous */
function rangeOf(conversation: Conversation, { from, to }: ConversationOptions): Range {
  const named = (given: string | undefined): string | undefined =>
    given === undefined ? undefined : messageNamed(conversation, given);
  return { first: named(from), last: named(to) };
}

/** The messages of a view that the options ask for. */
function* select(
  conversation: Conversation,
  { view: which = 'model', roles }: ConversationOptions,
  { first, last }: Range,
): Generator<Viewed> {
  let isWithin = first === undefined;
  for (const viewed of view(conversation, which)) {
    const { id, role } = viewed.message;
    isWithin ||= id === first;
    if (isWithin && (roles === undefined || roles.includes(role))) yield viewed;
    if (id === last) return;
  }
}

/** The id of the message that a whole id, or the beginning of one, names. */
function messageNamed({ messages }: Conversation, given: string): string {
  if (messages.has(given)) return given;
  const [found, ...others] = [...messages.keys()].filter((id) => id.startsWith(given));
  const hint = 'See the ids with: ctx messages --view all';
  if (found === undefined) throw new CtxError('not_found', `The conversation has no message ${given}.`, { hint });
  if (others.length === 0) return found;
  const candidates = [found, ...others];
  throw new CtxError('ambiguous', `${candidates.length} messages have an id that begins with ${given}.`, {
    hint,
    data: { candidates },
  });
}

/** Fetches the long texts of messages from the steps that hold the parts. */
function* wholeMessages(
  { objects }: Repository,
  selected: Iterable<Viewed>,
  trees: ReadonlyMap<number, string>,
): Generator<ViewedMessage> {
  let [fetched, fetch]: [number, FetchPayload] = [UNFLUSHED, () => null];
  for (const { message, steps } of selected) {
    const parts = message.parts.map((part, index) => {
      const step = steps[index] as number;
      const tree = trees.get(step);
      if (tree === undefined) return part;
      if (step !== fetched) [fetched, fetch] = [step, payloadReader(objects, readTree(objects, tree), `step ${step}`)];
      return internalise(part, fetch);
    });
    yield { ...message, parts };
  }
}
