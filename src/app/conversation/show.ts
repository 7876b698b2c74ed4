/** `ctx show <message>`: one message, with what is known of it. */
import { type ViewedMessage, view } from '../../core/conversation/view.ts';
import { CtxError } from '../../core/errors.ts';
import { currentRef } from '../../history/pointers/current.ts';
import type { Repository } from '../../history/store/repository.ts';
import { observedSession } from '../session/observe.ts';
import { loadConversation, messageNamed } from './load.ts';
import { wholeMessages } from './read.ts';

export interface ShownMessage {
  kind: 'message';
  session_id: string;
  message: ViewedMessage;
}

/** Shortest beginning of an id by which a message is looked up, in characters. */
const SHORTEST = 4;

/**
 * Returns a message of the active session by its id or the beginning of one; null if there is none of that name.
 * @throws {CtxError} ambiguous, damaged
 */
export function messageShown(repository: Repository, given: string): ShownMessage | null {
  if (currentRef(repository) === null) return null;
  const { session, conversation, trees } = loadConversation(repository, observedSession(repository));
  try {
    if (given.length < SHORTEST && !conversation.messages.has(given)) return null;
    const { id } = messageNamed(conversation, given);
    const found = [...view(conversation, 'all')].filter(({ message }) => message.id === id);
    const [message] = wholeMessages(repository, found, trees, 'whole');
    return message ? { kind: 'message', session_id: session.session_id, message } : null;
  } catch (error) {
    if (error instanceof CtxError && error.code === 'not_found') return null;
    throw error;
  }
}
