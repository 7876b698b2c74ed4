/** What a record of an agent tells that writes each message as it stands now, again and again: the latest counts. */
import type { ToolRecord } from '../../../core/hook-event.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { Part } from '../../../core/message.ts';
import type { About } from '../../contract/agent.ts';
import type { LineRead } from '../lines.ts';
import type { Draft } from '../outbox.ts';
import type { Result, ToolPart } from '../parts.ts';
import type { Tokens } from '../usage.ts';

/** A part of a message, found again in a later version of it by its key: of a call, its id. */
export interface ToldPart {
  key: string;
  part: Part | ToolPart;
  /** When a call gave its result, in Unix seconds, where that is told. */
  at?: number | undefined;
}

/** A message as it stands now. */
export interface ToldMessage {
  id: string;
  role: Draft['role'];
  /** When it was begun, in Unix seconds; undefined where it is not told. */
  at: number | undefined;
  parts: ToldPart[];
  /** The user's own words, where the message is theirs; null where it is another's, or the program's. */
  prompt: string | null;
  metadata: JsonObject;
  /** What it used so far. */
  usage?: Tokens | undefined;
  /** Whether the agent was stopped in it, by the user or by an error. */
  isStopped: boolean;
  /** Whether the agent is known to go on after it. */
  goesOn: boolean;
}

/**
 * What a record does to what the model sees.
 * - `rewind`: this message, and everything after it, was taken back.
 * - `list`: from now on it is these messages. What is new among them counts as if it stood by itself, and so does a version
 *   that says more of one that is known; of any other, what it says is kept as it is. One with a mark has only its place.
 * - `compact`: everything before a message is summed up by it; `from` is the first that stays.
 */
export type ViewMove =
  | { type: 'rewind'; to: string }
  | { type: 'list'; messages: Listed[] }
  | { type: 'compact'; from: string };

/** One of a list of messages; what is kept of one that is new is the line of what it tells, where that is more than its id. */
export interface Listed {
  id: string;
  telling: Telling;
  record: JsonObject;
}

/** What one record tells. */
export interface Telling {
  /** When it was written, in Unix seconds; undefined where it does not tell. */
  at?: number | undefined;
  /** What is known of the session. */
  about?: About;
  /** The message that it is a version of. */
  message?: ToldMessage;
  /** Results that stand in a record of their own. */
  results?: Result[];
  view?: ViewMove;
  /** The id of a record that is no message and has a place between them, up to which they may be taken back. */
  mark?: string | undefined;
  /** Whether it says that the agent was stopped. */
  isStop?: boolean;
  /** What is kept of the record beside its message; the whole of it where it is none. */
  line: JsonObject;
  /** The type of a record that is no message. */
  type?: string | undefined;
}

/** An agent's own way to write. */
export interface Dialect {
  agent: string;
  read: (line: string) => LineRead;
  /** What a record tells; `key` stands for a message that has no id. */
  tell: (record: JsonObject, key: string) => Telling;
  /** What a call that has its result did. */
  derive: (part: ToolPart, cwd: string | undefined) => ToolRecord[];
  /** The question that a call puts to the user, as text; null where it puts none. */
  question: (part: ToolPart) => string | null;
  /** Whether what a record takes back is in view again once that record is gone. A file that only grows loses none. */
  comesBack?: true;
  /**
   * Whether a message tells again, in another form, what is known of it by the keys of its parts: as where a newer version of the
   * agent has written its sessions anew. Absent where an agent does no such thing.
   */
  retells?: (told: ToldMessage, known: Iterable<string>) => boolean;
  /** What the user answered to it; null where nothing. */
  answer: (part: ToolPart) => string | null;
}
