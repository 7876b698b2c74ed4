/** What an agent tells the plain reader: data, and a pure function from one record to what it says. */

import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
import type { ToolRecord } from '../../core/session/hook-event.ts';
import type { About } from '../contract/agent.ts';
import type { Node } from './keys.ts';
import type { RecordShape } from './lines.ts';
import type { Result, ToolPart } from './parts.ts';
import type { Tokens } from './usage.ts';

/** A message, or what one gains. */
export interface Words {
  what: 'message';
  role: 'user' | 'assistant' | 'system';
  parts: (Part | ToolPart)[];
  /** The agent's own id of the message, where several records make one; absent: the record makes a message of its own. */
  id?: string;
  /** The agent's message that is under way goes on: no id is needed for that. */
  joins?: boolean;
  /** A text goes on where the last one of its kind stopped, in the middle of a word if need be. */
  glued?: boolean;
  /** The record repeats calls of its message that may have their results: they are none of their own. */
  repeats?: boolean;
  /** The user's own words, where they begin a turn; `cutsIn` where the agent is at work and goes on at once. */
  prompt?: string;
  cutsIn?: boolean;
  /** Whether the agent's words may be its last in this turn; true where absent. */
  isOver?: boolean;
  /** `is_meta`, `is_compact_summary`, `is_sidechain`, `model`, `agent_id` … */
  metadata?: JsonObject;
  /** What the model call behind it used, so far. */
  tokens?: Tokens | undefined;
  /** What the record tells beside the parts. */
  line?: JsonObject;
}

/** What a record says; several of them in the order in which they came about. */
export type Saying =
  | Words
  /** What is known of the whole session; what is not told is undefined. */
  | { what: 'session'; about: { [Key in keyof About]?: About[Key] | undefined } }
  /** A tool has come back. What follows from it: `deeds` where the record tells it, else by `derive` of the agent. */
  | { what: 'result'; result: Result; deeds?: ToolRecord[]; line?: JsonObject }
  /** Files and commands of no call, or of one that has its result. */
  | { what: 'deeds'; deeds: ToolRecord[]; callId?: string }
  /** Tokens of no message; `calls` is how many calls of the model they are of. */
  | { what: 'usage'; tokens: Tokens; calls: number }
  /** The agent's message is complete: what it says next is another one. */
  | { what: 'closes' }
  /** The turn came to its end, by the agent's own word; its last words were the answer. */
  | { what: 'ends' }
  /** The user stopped the agent, or it could not go on. */
  | { what: 'stops'; refusal?: string }
  /** A call waits for the user: a question, or a permission; and what they answered: null where they refused to. */
  | { what: 'asks'; callId: string; text: string }
  | { what: 'answers'; text: string | null }
  /** The live branch ends in another line now. */
  | { what: 'goes'; to: string | null }
  /** All that came before is out of view; for agents without trees. */
  | { what: 'compacts' }
  /** What the agent has to remember of this for later records: small, plain; keys not named stay as they are. */
  | { what: 'remembers'; memory: JsonObject };

/** What still counts of a record that was read before with another text. */
export function saidAnew(sayings: readonly Saying[]): Saying[] {
  const isMessage = sayings.some(({ what }) => what === 'message');
  const counting = isMessage
    ? ['message', 'session', 'stops', 'closes', 'remembers']
    : ['result', 'session', 'remembers'];
  return sayings.filter(({ what }) => counting.includes(what));
}

/** A record with what is known when it comes. */
export interface Heard {
  record: JsonObject;
  /** Stands for the record: ids that it does not have can be made of it. */
  id: string;
  /** What the agent remembers. It may come from a cursor that is nonsense. */
  memory: JsonObject;
  /** Where the agent works, as far as the session tells. */
  cwd: string | undefined;
}

/** Place of a record in the tree; without an id its key is one, and without a parent it hangs on the line before it. */
export interface Hanging {
  id?: string | undefined;
  parent?: string | null | undefined;
  keeps?: Node['keeps'];
}

/** What the reader must know of an agent whose transcript is made of lines. */
export interface PlainAgent {
  name: string;
  shape: RecordShape;
  /** Type of a record, as raw records are counted by. */
  typeOf: (record: JsonObject) => string;
  /** When a record was written, as it says it itself; undefined where it does not tell. Seconds, milliseconds, or a text. */
  timeOf: (record: JsonObject) => JsonValue | undefined;
  /** Whether one and the same text may stand in a file twice and mean two things: records have no ids and no times. */
  isRepetitive?: boolean;
  /** The agent's own id of a record, by which another text of it is known as such; absent where records have none. */
  ownId?: (record: JsonObject) => string | undefined;
  /** The same record as older versions of the agent may have written it, before they wrote the file anew. */
  formers?: (record: JsonObject) => JsonObject[];
  /** Where a record stands in the tree; null where it stands in none. Absent where the agent has no trees. */
  hangs?: (heard: Heard) => Hanging | null;
  /** What a record says; nothing where it is unknown: then it is kept as it is. */
  says: (heard: Heard) => Saying[];
  /** A record as it is kept where it says nothing by itself of what another has named; the same one everywhere else. */
  kept?: (heard: Heard) => JsonObject;
  /** What a call with its result did; with what the agent has to remember of it, where there is something. */
  derive?: (
    name: string,
    input: JsonValue,
    result: Result,
    cwd: string | undefined,
    around: { part: ToolPart | undefined; memory: JsonObject },
  ) => ToolRecord[] | { deeds: ToolRecord[]; memory: JsonObject };
}
