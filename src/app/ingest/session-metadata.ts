/** What a session keeps of what its transcript has told of the whole of it. */
import type { About } from '../../agents/contract/agent.ts';
import type { Session } from '../../core/session/session.ts';
import { ONCE_TOLD, textsAt } from '../transcript/source.ts';

/** What session.json keeps of what a transcript tells of the whole session. */
const KEPT_OF_ABOUT = [
  ...ONCE_TOLD,
  ...(['title', 'parent_agent_session_id', 'parent_tool_call_id', 'sub_agent_type'] as const),
];

/** What a session tells of its transcript: a reader that goes on tells only what is new. */
export function aboutOf(session: Session | undefined): About {
  return session ? textsAt(session, KEPT_OF_ABOUT) : {};
}
