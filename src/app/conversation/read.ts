/** `ctx messages`: reads the conversation of a session back from its chain. */
import type { Conversation } from '../../core/conversation/conversation.ts';
import { notedMessages } from '../../core/conversation/noted.ts';
import { type View, type Viewed, type ViewedMessage, view } from '../../core/conversation/view.ts';
import { UNTITLED } from '../../core/listing/title.ts';
import type { Message } from '../../core/message.ts';
import { readSteps } from '../../history/chain/chain.ts';
import { sessionRef } from '../../history/names/layout.ts';
import type { Repository } from '../../history/store/repository.ts';
import { openSession } from '../session/active.ts';
import { type Loaded, loadConversation, messageNamed, partReader } from './load.ts';

/** Selects the messages of a conversation. */
export interface ConversationOptions {
  /**
   * `model` (default): what the agent would be sent now. `all`: everything, with what is out of view marked. `{ branch }`: the line from
   * the first message to this one, by its id; to the last one in view if the id is empty.
   */
  view?: View | undefined;
  /** The id of the first message, or an unambiguous beginning of the id. */
  from?: string | undefined;
  /** The id of the last message, likewise. */
  to?: string | undefined;
  /** Only messages of these roles. */
  roles?: readonly Message['role'][] | undefined;
  /** `whole` (default): the outputs of calls are fetched. `stored`: a long output stays the stub that the store has of it. */
  outputs?: 'whole' | 'stored' | undefined;
  /** True for the messages that are stored as such, and no others. */
  isStored?: boolean | undefined;
}

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
  const loaded = loadConversation(repository, given);
  const { conversation, trees, session } = loaded;
  if (conversation.messages.size === 0 && session.sources.length > 0 && options.isStored !== true)
    return saidInRecords(repository, loaded, options);
  // An unknown message is refused at once, not when the first message is asked for.
  const range = rangeOf(conversation, options);
  const which = viewOf(conversation, options.view);
  return wholeMessages(
    repository,
    select(conversation, { ...options, view: which }, range),
    trees,
    options.outputs ?? 'whole',
  );
}

/**
 * Returns the messages of a conversation that no transcript has shown: what hooks have recorded of it. A transcript that is read later
 * has all of them.
 */
function saidInRecords(
  repository: Repository,
  { session: { session_id }, head, isOpen, conversation }: Loaded,
  { from, to, roles, view: which }: ConversationOptions,
): ViewedMessage[] {
  const stored = [...readSteps(repository.objects, head, true)].flatMap(({ records }) => records);
  const pending = isOpen ? openSession(repository, sessionRef(session_id), head).pending : [];
  const messages = notedMessages([...stored, ...pending.map(({ record }) => record)], UNTITLED);
  const placeOf = (given: string): number => {
    const place = messages.findIndex(({ id }) => id.startsWith(given));
    // There is no message at all in the conversation itself: this refuses the id.
    return place < 0 ? messageNamed(conversation, given).place : place;
  };
  const first = from === undefined ? 0 : placeOf(from);
  const last = to === undefined ? messages.length : placeOf(to);
  return messages
    .slice(first, last + 1)
    .filter(({ role }) => roles?.includes(role) !== false)
    .map((message) => (which === 'all' ? { ...message, hidden: null } : message));
}

/** Returns the view that is wanted, with the whole id of the message at the end of a branch. */
function viewOf(conversation: Conversation, which: View = 'model'): View {
  if (typeof which === 'string') return which;
  if (which.branch !== '') return { branch: messageNamed(conversation, which.branch).id };
  const last = [...view(conversation, 'model')].at(-1);
  return { branch: last?.message.id ?? '' };
}

/** The ids of the first and the last message that are asked for. */
interface Range {
  first: string | undefined;
  last: string | undefined;
}

/** @throws {CtxError} not_found, ambiguous */
function rangeOf(conversation: Conversation, { from, to }: ConversationOptions): Range {
  const named = (given: string | undefined): string | undefined =>
    given === undefined ? undefined : messageNamed(conversation, given).id;
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

/** Fetches the long texts of messages from the steps that hold the parts. */
export function* wholeMessages(
  repository: Repository,
  selected: Iterable<Viewed>,
  trees: readonly string[],
  outputs: 'whole' | 'stored',
): Generator<ViewedMessage> {
  const read = partReader(repository, trees, outputs);
  for (const { message, steps } of selected)
    yield { ...message, parts: message.parts.map((part, index) => read(part, steps[index] as number)) };
}
