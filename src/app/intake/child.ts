/** Tracks whether a transcript is a child's: its parent, and whether the last words of a sub-agent ask its caller. */
import type { About, TranscriptEvent } from '../../agents/contract/agent.ts';
import { type AnyBody, isKind, type StoredRecord } from '../../core/records/record.ts';
import type { Session } from '../../core/session/session.ts';
import { isSubAgentsPlace } from '../transcript/about.ts';

export class Child {
  /** The agent's own id of the session that has called this one, or that it is a copy of; undefined while unknown. */
  parent: string | undefined;
  /** True if it is a sub-agent's: a copy of a session is the user's own. */
  #isCalled: boolean;
  readonly #kept: () => Iterable<AnyBody>;

  /**
   * @param session the one that has a part of the transcript already
   * @param beside what the path and the companion file say
   * @param kept what was read of it before
   */
  constructor(session: Session | undefined, beside: About | null, kept: () => Iterable<AnyBody>) {
    const known = session?.parent_agent_session_id;
    this.parent = typeof known === 'string' ? known : beside?.parent_agent_session_id;
    this.#isCalled = isSubAgentsPlace(beside);
    this.#kept = kept;
  }

  /**
   * Updates what is known from an event.
   * @returns the event for its session: a question at the end of a sub-agent is for its caller, and no user ever
   * answers it
   */
  hear(event: TranscriptEvent): TranscriptEvent {
    if (event.type === 'about') this.parent = event.session.parent_agent_session_id ?? this.parent;
    if (event.type === 'record') this.#isCalled ||= isOfSubAgent(event.body);
    const isLastWords = event.type === 'move' && event.verb === 'ask' && event.of_tool !== true;
    return isLastWords && this.#isSubAgents() ? { ...event, verb: 'done' } : event;
  }

  #isSubAgents(): boolean {
    if (this.#isCalled) return true;
    for (const body of this.#kept()) {
      if (body.kind !== 'message') continue;
      this.#isCalled = isOfSubAgent(body);
      break;
    }
    return this.#isCalled;
  }
}

/** Returns whether a record is a message in a sub-agent's own transcript, and not aside in that of its caller. */
function isOfSubAgent(body: AnyBody): boolean {
  const record = body as StoredRecord;
  if (!isKind(record, 'message')) return false;
  const { agent_id, is_sidechain } = record.message.metadata ?? {};
  return typeof agent_id === 'string' && is_sidechain !== true;
}
