/** The agent's side of the plain reader: data, and a pure function from one record to its events. */
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
import type { ToolRecord } from '../../core/session/hook-event.ts';
import type { About } from '../contract/agent.ts';
import type { Node } from './keys.ts';
import type { RecordShape } from './lines.ts';
import type { Result, ToolPart } from './parts.ts';
import type { Tokens } from './usage.ts';

/** A message, or an addition to one. */
export interface RecordMessage {
  what: 'message';
  role: 'user' | 'assistant' | 'system';
  parts: (Part | ToolPart)[];
  /** The agent's own id of the message, if several records make one; if absent, the record makes a message of its own. */
  id?: string;
  /** True if the parts are added to the agent's current message, without an id. */
  joins?: boolean;
  /** True if a text continues where the last one of its kind stopped, even in the middle of a word. */
  glued?: boolean;
  /** True if the record repeats calls of its message that may have results: they are not new calls with the same ids. */
  repeats?: boolean;
  /** The user's own words, if they begin a turn. */
  prompt?: string;
  /** True if the prompt interrupts the agent, which continues with it at once. */
  cutsIn?: boolean;
  /** True if the agent's words may be its last in this turn (default: true). */
  isOver?: boolean;
  /** `is_meta`, `is_compact_summary`, `is_sidechain`, `model`, `agent_id` … */
  metadata?: JsonObject;
  /** The tokens of the model call that made the message, so far. */
  tokens?: Tokens | undefined;
  /** Other fields of the record that are kept beside the parts. */
  line?: JsonObject;
}

/** Window of a model, in tokens. */
export interface Window {
  used: number;
  size: number;
}

/** One event of a record; several of them are in the order in which they happened. */
export type RecordEvent =
  | RecordMessage
  /** Information about the whole session; undefined for what the record does not contain. */
  | { what: 'session'; about: { [Key in keyof About]?: About[Key] | undefined } }
  /** The result of a call, with the records of its actions if the record has them; else `derive` of the agent makes them. */
  | { what: 'result'; result: Result; records?: ToolRecord[]; line?: JsonObject }
  /** Files and commands of no call, or of one that has its result. */
  | { what: 'records'; records: ToolRecord[]; callId?: string }
  /** Tokens of no message; `calls` is the number of model calls that used them. */
  | { what: 'usage'; tokens: Tokens; calls: number }
  /** State of the window by the word of the agent, and the cost of the session since its last word about it. */
  | { what: 'window'; window?: Window | undefined; cost_usd?: number | undefined }
  /** The end of the agent's message: its next words begin another one. */
  | { what: 'closes' }
  /** The end of the turn, by the agent's own word; its last words were the answer. */
  | { what: 'ends' }
  /** The user stopped the agent, or it could not continue. */
  | { what: 'stops'; refusal?: string }
  /** A call asks the user a question, or for a permission. */
  | { what: 'asks'; callId: string; text: string }
  /** The user's answer to it; null if they refused to answer. */
  | { what: 'answers'; text: string | null }
  /** Another line is the end of the live branch now. */
  | { what: 'goes'; to: string | null }
  /** Everything before is out of view; for agents without trees. */
  | { what: 'compacts' }
  /** State that the agent needs for later records: small, plain; keys without a new value stay as they are. */
  | { what: 'remembers'; memory: JsonObject };

/** Returns the events that still count of a record that was read before with another text. */
export function eventsOfRewritten(events: readonly RecordEvent[]): RecordEvent[] {
  const isMessage = events.some(({ what }) => what === 'message');
  const counting = isMessage
    ? ['message', 'session', 'stops', 'closes', 'remembers']
    : ['result', 'session', 'remembers'];
  return events.filter(({ what }) => counting.includes(what));
}

/** A record with the state of the reader before it. */
export interface RecordContext {
  record: JsonObject;
  /** Identifies the record: the agent makes ids of it for whatever has none. */
  id: string;
  /** The agent's state. It may come from a cursor that is invalid. */
  memory: JsonObject;
  /** The folder that the agent works in, if it is known. */
  cwd: string | undefined;
}

/** The position of a record in the tree: its key is its id if it has none, and its parent is the line before it if it has none. */
export interface TreePosition {
  id?: string | undefined;
  parent?: string | null | undefined;
  keeps?: Node['keeps'];
}

/** An agent whose transcript is made of lines, for the plain reader. */
export interface PlainAgent {
  name: string;
  shape: RecordShape;
  /** Returns the type of a record, by which raw records are counted. */
  typeOf: (record: JsonObject) => string;
  /** Returns when a record was written, in seconds, milliseconds, or as a text; undefined if it has no time. */
  timeOf: (record: JsonObject) => JsonValue | undefined;
  /** True if equal texts in a file may mean different things: records have no ids and no times. */
  isRepetitive?: boolean;
  /** Returns the agent's own id of a record, by which another version of it is known; absent if records have none. */
  ownId?: (record: JsonObject) => string | undefined;
  /** Returns the record as older versions of the agent may have written it, before they rewrote the file. */
  formerRecords?: (record: JsonObject) => JsonObject[];
  /** Returns the position of a record in the tree; null if it has none. Absent if the agent has no trees. */
  positionOf?: (context: RecordContext) => TreePosition | null;
  /** Returns the events of a record; none if it is unknown: then it is kept unchanged. */
  eventsOf: (context: RecordContext) => RecordEvent[];
  /** Returns the kept form of a record without events of its own, if that differs from the record. */
  kept?: (context: RecordContext) => JsonObject;
  /** Returns the records of a call with its result, and the agent's new state if it changes. */
  derive?: (
    name: string,
    input: JsonValue,
    result: Result,
    cwd: string | undefined,
    around: { part: ToolPart | undefined; memory: JsonObject },
  ) => ToolRecord[] | { records: ToolRecord[]; memory: JsonObject };
}
