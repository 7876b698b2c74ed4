/** `ctx rewind` and `ctx unrewind`: the conversation continues from a message of the user, or from where it was. */
import { overlaysOf } from '../../core/conversation/acts.ts';
import type { Conversation, FoldedMessage } from '../../core/conversation/conversation.ts';
import {
  isUsers,
  nearestOfUser,
  rewindTo,
  unrewind as takenBack,
  usersInView,
  wordsOf,
} from '../../core/conversation/rewind.ts';
import { CtxError } from '../../core/errors.ts';
import { oneLine, plural } from '../../core/text.ts';
import { checkNoRun } from '../../history/runs/run-status.ts';
import type { Repository } from '../../history/store/repository.ts';
import { changeConversation } from './change.ts';
import { type Loaded, messageNamed, partReader } from './load.ts';

/** A line of a conversation that is out of view, by its first message of the user. */
export interface NamedLine {
  message_id: string;
  /** The beginning of its words. */
  text: string;
  messages: number;
}

export interface RewindResult {
  session_id: string;
  /** The message from which the conversation continues. */
  message_id: string | null;
  /** The words of that message, to be edited and sent again. */
  text: string;
  /** Number of messages that were hidden from the model's view, and number of those that came back into it. */
  hidden: number;
  shown: number;
  /** Changes in the files of the project; null if nothing was asked for. */
  world: null;
  /** The lines that are kept out of view. */
  lines: NamedLine[];
}

/** Length of the words that name a message, in characters. */
const NAME_LENGTH = 72;

const nameOf = (message: FoldedMessage): string => oneLine(wordsOf(message), NAME_LENGTH);

/**
 * Continues the conversation of the active session from a message of the user: everything after it goes out of the model's view, and
 * what a later compaction had summarised comes back. Nothing is deleted, and files stay as they are.
 * @param given the id of the message or its beginning, or a number: 1 is the last message of the user in view
 * @throws {CtxError} not_found, ambiguous; invalid_input, if it is no message of the user: the nearest two are named;
 * no_active_session, choice_waits, busy, damaged
 */
export function rewind(repository: Repository, given: string): RewindResult {
  return changeConversation(repository, 'rewind', (loaded) => {
    const { conversation, session } = loaded;
    checkNoRun(repository, session.session_id);
    const message = targetOf(conversation, given);
    const { hide, show } = rewindTo(conversation, message);
    const act = { id: repository.ids(), by: 'rewind', to: message.id };
    const isChange = hide.length + show.length > 0;
    return {
      records: isChange ? overlaysOf(act, { hide, show }) : [],
      isRedacted: true,
      result: {
        session_id: session.session_id,
        message_id: message.id,
        text: wholeWords(repository, loaded, message),
        hidden: hide.length,
        shown: show.length,
        world: null,
        lines: linesOf(conversation, hide),
      },
    };
  });
}

/**
 * Takes back the last rewind of the active session: the model sees what it saw before. What was said since stays as a line of its own.
 * @throws {CtxError} no_such_move, if there is no rewind to take back; no_active_session, choice_waits, busy, damaged
 */
export function unrewind(repository: Repository): RewindResult {
  return changeConversation(repository, 'unrewind', (loaded) => {
    const { conversation, session } = loaded;
    checkNoRun(repository, session.session_id);
    const back = takenBack(conversation);
    if (!back)
      throw new CtxError('no_such_move', 'No rewind is left to take back.', {
        hint: 'See every message with: ctx messages --view all',
      });
    const seen = new Set(back.show);
    const shown = [...conversation.messages.values()].filter(
      ({ id, hidden }) => (hidden === null && !back.hide.includes(id)) || seen.has(id),
    );
    const last = shown.findLast(isUsers);
    const act = { id: repository.ids(), by: 'unrewind', of: back.act.id };
    return {
      records: overlaysOf(act, back),
      isRedacted: true,
      result: {
        session_id: session.session_id,
        message_id: last?.id ?? null,
        text: last ? wholeWords(repository, loaded, last) : '',
        hidden: back.hide.length,
        shown: back.show.length,
        world: null,
        lines: linesOf(conversation, back.left),
      },
    };
  });
}

/** The line that goes out of view, named by its first message of the user. */
function linesOf({ messages }: Conversation, ids: readonly string[]): NamedLine[] {
  const line = ids.flatMap((id) => messages.get(id) ?? []);
  const first = line.find(isUsers);
  return first ? [{ message_id: first.id, text: nameOf(first), messages: line.length }] : [];
}

/** Returns the message to go back to. @throws {CtxError} not_found, ambiguous, invalid_input */
export function targetOf(conversation: Conversation, given: string): FoldedMessage {
  const isNumber = /^[1-9]\d{0,5}$/.test(given) && !conversation.messages.has(given);
  if (!isNumber) return usersOnly(conversation, messageNamed(conversation, given));
  const users = usersInView(conversation);
  const message = users.at(-Number(given));
  if (message) return message;
  throw new CtxError('not_found', `The model sees ${plural(users.length, 'message')} of the user.`, {
    hint: 'See them with: ctx messages --role user',
  });
}

/** @throws {CtxError} invalid_input, naming the nearest messages of the user */
function usersOnly(conversation: Conversation, message: FoldedMessage): FoldedMessage {
  if (isUsers(message)) return message;
  const nearest = nearestOfUser(conversation, message.place);
  const lines = nearest.map((one) => `ctx rewind ${one.id}   ${nameOf(one)}`);
  throw new CtxError(
    'invalid_input',
    `${message.id} is no message of the user: a conversation continues only from one.`,
    {
      hint: lines.length > 0 ? `The nearest are:\n${lines.join('\n')}` : 'The conversation has none yet.',
      data: {
        message_id: message.id,
        role: message.role,
        nearest: nearest.map((one) => ({ message_id: one.id, text: nameOf(one) })),
      },
    },
  );
}

/** The words of a message, long ones too. */
function wholeWords(repository: Repository, { trees }: Loaded, message: FoldedMessage): string {
  const read = partReader(repository, trees, 'whole');
  return wordsOf({ parts: message.parts.map((one) => ({ ...one, part: read(one.part, one.step) })) });
}
