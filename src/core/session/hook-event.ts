/** Defines the event of an agent's hook, the same for every agent. */

import type { AnyBody } from '../records/record.ts';
import type { OwnCommand } from '../resume/own-commands.ts';

/** A record that follows from a tool call, with a file's content where the payload shows all of it. */
export interface ToolRecord {
  body: AnyBody;
  content?: Buffer;
}

/** Deeds of a tool call, and the value that identifies it: its id, or the time of its report, if the agent gives that. */
export interface ToolDeeds {
  call_id: string | null;
  told_at?: string;
  records: ToolRecord[];
}

/** A tool call that came to its end. */
export interface ToolUse extends ToolDeeds {
  what: 'tool';
  answer: string | null;
  asked?: string;
  permission?: string;
}

/**
 * - `start`: the agent began, resumed or compacted a conversation; `source` in the agent's own word.
 * - `prompt`: the user said something; `id` is the agent's own of it, or of the turn that it begins; `takesNothing` if the
 *   agent takes no text then, and so no question of ctx's.
 * - `tool`: a tool call came to its end; `records` is what it did that is worth keeping, `answer` what the user said where the
 *   tool put a question to them, which is `asked`; `permission` how the tool would have asked whether it may be used.
 * - `question`: the agent waits for the user: a question that it put, or a permission that it wants; `call_id` where the end
 *   of a tool brings the answer, null if that call is not named; `isNotice` if this says no more than that it waits, and may
 *   come behind what has put the question.
 * - `turn_end`: the agent has stopped, with its last words if the hook has them.
 * - `interrupt`: the user stopped it, or it could not continue; `cut` is the tool call that it was in, if the hook has that.
 * - `pause`: what is known must be saved now: before a compaction.
 * - `end`: the program ends, and with it the turn that it was in.
 * - `foreign`: a prompt all of which the program or another agent wrote in the user's name.
 * - `nothing`: known, and of no meaning for the session.
 */
export type Happening =
  | { what: 'start'; source: string }
  | { what: 'prompt'; text: string; id?: string; takesNothing?: true }
  | ToolUse
  | { what: 'question'; text: string; call_id?: string | null; isNotice?: true }
  | { what: 'turn_end'; text: string | null }
  | { what: 'interrupt'; cut?: ToolDeeds }
  | { what: 'pause' }
  | { what: 'end' }
  | { what: 'foreign'; command?: OwnCommand }
  | { what: 'nothing' };

export interface HookEvent {
  /** The agent's own name of the event. */
  event: string;
  /** The agent's own id of the session. */
  agent_session: string;
  /** Path of the agent's transcript; null if it does not say. */
  transcript: string | null;
  /** Folder in which the agent works; null if it does not say. */
  cwd: string | null;
  /** Id of the sub-agent that it happened in; null in the conversation itself. */
  sub_agent: string | null;
  /** The model that it names; absent if it names none. */
  model?: string;
  happened: Happening;
}
