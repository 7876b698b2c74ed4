/** `ctx show <session> --at <message>`: what a session says from a message, or a record, on. */
import type { ViewedMessage } from '../../core/conversation/view.ts';
import { CtxError } from '../../core/errors.ts';
import type { Repository } from '../../history/store/repository.ts';
import { readConversation } from '../conversation/read.ts';
import { type Shown, type ShownStep, showRevision } from '../show.ts';

/** A place in a session. */
export interface ShownMoment {
  kind: 'moment';
  session_id: string | null;
  title: string | null;
  /** The message before, the message, and all after it; none if a record was asked for that is no message. */
  messages: Iterable<ViewedMessage>;
  /** The step of the record that was asked for; null if it is a message. */
  step: ShownStep | null;
}

/**
 * Opens a session at a message or a record.
 * @param given a session, a step or a commit
 * @param id the id of a message, or the beginning of one; or the id of a record, as `ctx search --json` names it
 * @throws {CtxError} not_found, ambiguous, no_active_session, damaged
 */
export function showMoment(repository: Repository, given: string, id: string): ShownMoment {
  const shown = showRevision(repository, given);
  const { session_id, title } = shown;
  const common = { kind: 'moment', session_id, title } as const;
  const before = messageBefore(repository, given, id);
  if (before !== undefined) {
    const from = before ?? id;
    return {
      ...common,
      messages: readConversation(repository, given, { view: 'all', from, outputs: 'stored' }),
      step: null,
    };
  }
  const step = stepWith(shown, id);
  if (step) return { ...common, messages: [], step };
  throw new CtxError('not_found', `${given} has no message and no record ${id}.`, {
    hint: `See its messages with: ctx messages ${given} --view all`,
  });
}

/** Returns the message before one; null if it is the first, and undefined if there is no such message. */
function messageBefore(repository: Repository, given: string, id: string): string | null | undefined {
  let before: string | null = null;
  for (const message of readConversation(repository, given, { view: 'all', outputs: 'stored' })) {
    if (message.id === id || (id.length >= SHORTEST && message.id.startsWith(id))) return before;
    before = message.id;
  }
  return undefined;
}

/** Shortest beginning of an id. */
const SHORTEST = 4;

function stepWith({ steps }: Shown, id: string): ShownStep | null {
  for (const step of steps) if (step.observations.some((record) => record.id === id)) return step;
  return null;
}
