/** Declares what an agent provides if its records hold whole messages: the latest record of a message counts. */

import type { JsonObject } from '../../../core/json.ts';
import type { Part } from '../../../core/message.ts';
import type { ToolRecord } from '../../../core/session/hook-event.ts';
import type { About } from '../../contract/agent.ts';
import type { LineRead } from '../lines.ts';
import type { Draft } from '../outbox.ts';
import type { Result, ToolPart } from '../parts.ts';
import type { Tokens } from '../usage.ts';

/** One part of a version of a message. Its key, the id if it is a call, identifies the part in later versions. */
export interface VersionPart {
  key: string;
  part: Part | ToolPart;
  /** The time at which a call returned, in Unix seconds; undefined if the record does not have it. */
  at?: number | undefined;
}

/** One version of a message: all of the message as it was when the record was written. */
export interface VersionMessage {
  id: string;
  role: Draft['role'];
  /** The time at which the message began, in Unix seconds; undefined if the record does not have it. */
  at: number | undefined;
  parts: VersionPart[];
  /** The user's own words, or null if the agent or the program wrote the message. */
  prompt: string | null;
  metadata: JsonObject;
  /** The tokens that the message used so far. */
  usage?: Tokens | undefined;
  /** True if the user or an error stopped the agent in this message. */
  isStopped: boolean;
  /** True if the agent is known to continue after this message. */
  continues: boolean;
}

/**
 * A change of the messages that the model sees.
 * - `rewind`: the message `to` and everything after it were taken back.
 * - `list`: the model sees exactly these messages from now on. A new message in the list is read like one in a record of its
 *   own, and so is a version that adds something to a known message; any other version is kept as a raw record. An entry with a
 *   mark only has a position.
 * - `compact`: everything before the message `from`, the first that stays, was replaced by a summary.
 */
export type ViewMove =
  | { type: 'rewind'; to: string }
  | { type: 'list'; messages: Listed[] }
  | { type: 'compact'; from: string };

/** One entry of a list of messages. Of a new message, the list keeps the line of its meaning, or only its id if that is all. */
export interface Listed {
  id: string;
  meaning: Meaning;
  record: JsonObject;
}

/** The meaning of one record. */
export interface Meaning {
  /** The time at which the record was written, in Unix seconds; undefined if the record does not have it. */
  at?: number | undefined;
  /** The information about the session in the record. */
  about?: About;
  /** The version of a message in the record. */
  message?: VersionMessage;
  /** The results of calls that are in earlier records. */
  results?: Result[];
  view?: ViewMove;
  /** The id of a record that is no message but has a position among them: a rewind may name it. */
  mark?: string | undefined;
  /** True if the record says that the agent was stopped. */
  isStop?: boolean;
  /** The rest of the record, which is kept beside its message; the whole record if it is no message. */
  line: JsonObject;
  /** The type of a record that is no message. */
  type?: string | undefined;
}

/** The format of one agent. */
export interface Dialect {
  agent: string;
  read: (line: string) => LineRead;
  /** Returns the meaning of a record; `key` is the id of a message that has none. */
  meaningOf: (record: JsonObject, key: string) => Meaning;
  /** Returns the records of what a call with a result did. */
  derive: (part: ToolPart, cwd: string | undefined) => ToolRecord[];
  /** Returns the question that a call asks the user, or null if it asks none. */
  question: (part: ToolPart) => string | null;
  /** True if the messages that a rewind took back are in view again once its record is gone. Absent for a file that only grows. */
  restoresRewound?: true;
  /**
   * Returns whether a version repeats a known message in another form, by the keys of its parts: a newer release of the agent
   * may have rewritten its sessions. Absent for an agent that never does.
   */
  repeatsInOtherForm?: (version: VersionMessage, knownKeys: Iterable<string>) => boolean;
  /** Returns the user's answer to the question of a call, or null if the user did not answer. */
  answer: (part: ToolPart) => string | null;
}
