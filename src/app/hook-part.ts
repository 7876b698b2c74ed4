/** What hooks of prompts and all others have in common: the transcript that a session takes in, and what must be kept. */
import { CtxError } from '../core/errors.ts';
import type { AnyBody } from '../core/record.ts';
import type { Session } from '../core/session.ts';
import { type Hook, openStateOf } from './hook-session.ts';
import { type Increment, newSource, sourceOf, takeIncrement } from './increment.ts';
import { keepNote } from './missed.ts';
import { redactionFor } from './redact.ts';
import { findSource, goingOn } from './source.ts';
import type { Beginning } from './start.ts';

/** Makes a change. Where the store is busy, what nothing else would tell of is kept in a note. */
export function orKept<Made>({ repository, conversation }: Hook, note: AnyBody | null, change: () => Made): Made {
  try {
    return change();
  } catch (error) {
    const isBusy = error instanceof CtxError && error.code === 'busy';
    const open = isBusy && note ? openStateOf(repository, conversation) : null;
    if (open && note) keepNote(repository, open.session_id, note);
    throw error;
  }
}

/** What the transcript of a session's conversation adds to it. */
export function incrementOf(
  { repository, event, conversation, agent, timeLeft }: Hook,
  chain: Increment['chain'],
): Increment {
  const { session } = chain;
  const known = sourceOf(session, conversation.agent, conversation.agent_session);
  const file = event.transcript;
  const said = event.happened.what === 'prompt' ? event.happened.text : null;
  return agent && known && file
    ? takeIncrement(repository, chain, { agent, known, file, said, timeLeft })
    : { chain, session, records: [], interrupted: null };
}

/** What a session begins with: the transcript, from where an earlier session of the same conversation has left it. */
export function beginning({ repository, conversation, event }: Hook, replaced: Session | null): Beginning {
  const { agent, agent_session } = conversation;
  const before = replaced ?? findSource(repository, agent, agent_session)?.chain.session ?? null;
  const source = before && sourceOf(before, agent, agent_session);
  return {
    agent,
    sources: [source ?? redactionFor(repository).value(newSource(agent, agent_session, event.transcript))],
    ...(before ? goingOn(before) : {}),
  };
}
