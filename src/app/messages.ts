/** `ctx messages`: reads the conversation of a session back from its chain. */
import { type Conversation, emptyConversation } from '../core/conversation/conversation.ts';
import { foldConversation } from '../core/conversation/fold.ts';
import { type View, type Viewed, type ViewedMessage, view } from '../core/conversation/view.ts';
import { CtxError } from '../core/errors.ts';
import { type FetchPayload, internalise, isStub } from '../core/externalise.ts';
import type { Message, Part } from '../core/message.ts';
import { sessionRef } from '../git/layout.ts';
import { readTree } from '../git/objects/tree-editor.ts';
import { readRecords, walkChain } from '../history/chain/chain.ts';
import { payloadReader } from '../history/chain/session-document.ts';
import type { Repository } from '../history/store/repository.ts';
import { leavingGarbage } from '../platform/memory.ts';
import { openSession } from './session/active.ts';
import { chainBehind } from './show.ts';

/** Which messages of a conversation are wanted. */
export interface ConversationOptions {
  /** `model` (default): what the agent would be sent now. `all`: everything, with what is out of view marked. */
  view?: View | undefined;
  /** The id of the first message, or an unambiguous beginning of the id. */
  from?: string | undefined;
  /** The id of the last message, likewise. */
  to?: string | undefined;
  /** Only messages of these roles. */
  roles?: readonly Message['role'][] | undefined;
  /** `whole` (default): the outputs of calls are fetched. `stored`: a long output stays the stub that the store has of it. */
  outputs?: 'whole' | 'stored' | undefined;
}

/** The step number of records that are in no step yet. */
const UNFLUSHED = 0;

/**
 * Reads the conversation of a session, open or ended, or as of one of its steps, with the records that wait to be flushed.
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
  leavingGarbage(() => {
    for (const [index, tree] of trees.entries()) {
      const step = index + 1;
      const records = readRecords(repository.objects, tree, `step ${step} of ${session_id}`, false);
      foldConversation(records, conversation, { step });
    }
  });
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
  return wholeMessages(repository, select(conversation, options, range), trees, options.outputs ?? 'whole');
}

/** The trees of a chain, first to last: the tree of step 1 has the index 0. */
function treesOf({ objects }: Repository, head: string): string[] {
  const trees: string[] = [];
  for (const [, { tree }] of walkChain(objects, head)) trees.push(tree);
  return trees.reverse();
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

/** Steps whose payloads are at hand: the parts of a message may be in several steps, one after the other. */
const STEPS_AT_HAND = 8;

/** Fetches the long texts of messages from the steps that hold the parts. */
function* wholeMessages(
  { objects }: Repository,
  selected: Iterable<Viewed>,
  trees: readonly string[],
  outputs: 'whole' | 'stored',
): Generator<ViewedMessage> {
  const atHand = new Map<number, FetchPayload>();
  const fetchOf = (step: number, tree: string): FetchPayload => {
    const known = atHand.get(step);
    if (known) return known;
    const fetch = payloadReader(objects, readTree(objects, tree), `step ${step}`);
    const [oldest] = atHand.keys();
    if (oldest !== undefined && atHand.size >= STEPS_AT_HAND) atHand.delete(oldest);
    atHand.set(step, fetch);
    return fetch;
  };
  for (const { message, steps } of selected) {
    const parts = message.parts.map((part, index) => {
      const step = steps[index] as number;
      const tree = step === UNFLUSHED ? undefined : trees[step - 1];
      if (tree === undefined || !holdsStub(part)) return part;
      const stub = outputs === 'stored' && part.type === 'dynamic-tool' ? part['output'] : undefined;
      // The stub of a text has the size of the text; the stub of any other value does not.
      if (!isStub(stub) || stub.encoding !== undefined) return internalise(part, fetchOf(step, tree));
      const call = { ...part, output: null };
      return { ...(holdsStub(call) ? internalise(call, fetchOf(step, tree)) : call), output: stub } as Part;
    });
    yield { ...message, parts };
  }
}

/** Whether a value holds a stub at any depth. */
function holdsStub(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (isStub(value)) return true;
  for (const key in value) if (holdsStub((value as { [key: string]: unknown })[key])) return true;
  return false;
}
