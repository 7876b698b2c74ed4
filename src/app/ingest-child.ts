/** A transcript that may be a child's: whose it is. */
import type { About, TranscriptEvent } from '../agents/agent.ts';
import type { Session } from '../core/session.ts';

export class Child {
  /** The agent's own id of the session that has called this one, or of which it is a copy; undefined where none is known by now. */
  parent: string | undefined;

  /**
   * @param session the one that has a part of it already
   * @param beside what its place and the file beside it tell
   */
  constructor(session: Session | undefined, beside: About | null) {
    const known = session?.parent_agent_session_id;
    this.parent = typeof known === 'string' ? known : beside?.parent_agent_session_id;
  }

  /** Takes note of what an event tells of it. */
  hear(event: TranscriptEvent): void {
    if (event.type === 'about') this.parent = event.session.parent_agent_session_id ?? this.parent;
  }
}
