/** A transcript that may be a child's: whose it is, and to whom the last words of a sub-agent go. */
import type { About, TranscriptEvent } from '../../agents/contract/agent.ts';
import { type AnyBody, isKind, type StoredRecord } from '../../core/record.ts';
import type { Session } from '../../core/session.ts';
import { isSubAgentsPlace } from '../transcript/about.ts';

export class Child {
  /** The agent's own id of the session that has called this one, or of which it is a copy; undefined where none is known by now. */
  parent: string | undefined;
  /** Whether it is a sub-agent's: a copy of a session is the user's own. */
  #isCalled: boolean;
  readonly #kept: () => Iterable<AnyBody>;

  /**
   * @param session the one that has a part of it already
   * @param beside what its place and the file beside it tell
   * @param kept what was read of it before
   */
  constructor(session: Session | undefined, beside: About | null, kept: () => Iterable<AnyBody>) {
    const known = session?.parent_agent_session_id;
    this.parent = typeof known === 'string' ? known : beside?.parent_agent_session_id;
    this.#isCalled = isSubAgentsPlace(beside);
    this.#kept = kept;
  }

  /**
   * Takes note of what an event tells of it.
   * @returns the event as its session has it: what a sub-agent's last words ask goes to its caller, and no user ever answers it
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

/** Whether a record is a message of the sub-agent that a whole transcript is of; one aside stands in that of its caller. */
function isOfSubAgent(body: AnyBody): boolean {
  const record = body as StoredRecord;
  if (!isKind(record, 'message')) return false;
  const { agent_id, is_sidechain } = record.message.metadata ?? {};
  return typeof agent_id === 'string' && is_sidechain !== true;
}
