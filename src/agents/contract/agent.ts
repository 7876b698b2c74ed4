/** The contract of an agent: its transcripts, its hooks, and the user's words. An agent takes text and returns core values. */
import type { IsSame } from '../../core/intake/deeds.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { AnyBody } from '../../core/records/record.ts';
import type { Verb } from '../../core/state.ts';
import type { HookContract } from './hook-settings.ts';
import type { AgentCollections, AgentTranscripts } from './transcript-places.ts';
import type { TranscriptWriter } from './transcript-writer.ts';

/** A position in a transcript. */
export interface Place {
  /** Number of the line, from 1. */
  line: number;
}

/**
 * One event of a transcript, in the transcript's own order and at its own times (Unix seconds).
 * - `record`: something to keep; `content` is the content of a file as the transcript shows it. `begins_call` marks a part with
 *   a call that is new.
 * - `prompt`: the user's message that begins a turn, or the answer to a question; it moves the session to Running by the state
 *   table. An empty text means that the agent continues by itself without a message. `goes_on` is set if the transcript ends in
 *   the middle of the prompt: its end may be the beginning of a secret.
 * - `more`: the continuation of the prompt that an earlier part ended in: its text `before`, and its whole text now.
 * - `move`: what a turn ended in, or a question to the user, as a move of the state table. `of_tool` is set if a tool asked;
 *   `call` is the id of that tool's call, and the answer to the question has the same id.
 * - `turn`: the end of a turn; everything since the last `turn` is one step.
 * - `about`: information about the whole session; a later value replaces an earlier one.
 * - `problem`: a line that could not be read as expected.
 */
export type TranscriptEvent =
  | { type: 'record'; at: number; body: AnyBody; content?: Buffer; begins_call?: true }
  | { type: 'prompt'; at: number; text: string; goes_on?: true; call?: string }
  | { type: 'more'; at: number; before: string; text: string; goes_on?: true }
  | {
      type: 'move';
      at: number;
      verb: Extract<Verb, 'ask' | 'done' | 'interrupt'>;
      text: string;
      of_tool?: true;
      call?: string;
      cuts_in?: true;
    }
  | { type: 'turn'; at: number }
  | { type: 'about'; session: About }
  | ({ type: 'problem' } & LineProblem);

/** A line that could not be read as expected; its unreadable text is kept as a text. */
export interface LineProblem {
  line: number;
  message: string;
  /** True if everything on the line was read in spite of the problem. */
  all_read?: true;
  /** Why a part of the conversation may be outside what is read; absent if the problem is in the line alone. */
  beyond?: Beyond;
}

/** A part of a conversation that is not read: another file, by its id, or a mode of the file that ctx does not know. */
export interface Beyond {
  missing?: string;
  unknown?: string;
}

/** Information about a session. */
export interface About {
  /** The agent's own id of the session. */
  agent_session_id?: string;
  cwd?: string;
  /** SHA-256 of that folder's path, hexadecimal, if the agent records only the hash. */
  cwd_hash?: string;
  /** That path as the name of a folder (`nameOfPath`), if the agent records no more than that. */
  cwd_name?: string;
  title?: string;
  model?: string;
  /** Version of the agent's program. */
  agent_version?: string;
  git_branch?: string;
  /** The agent's own id of the session that started this one as a sub-agent, or of which it is a copy. */
  parent_agent_session_id?: string;
  /** The call of that session that started this one. */
  parent_tool_call_id?: string;
  /** The kind of sub-agent that the session belongs to, in its agent's own word. */
  sub_agent_type?: string;
}

/** A file beside a transcript, or above it, with more information about the same session. */
export interface Companion {
  /** Returns the possible paths of the file, relative to the folder of the transcript; the first that exists counts. */
  placesOf: (name: string) => readonly string[];
  /** Reads the information about the session from the text of the file. */
  about: (text: string) => About;
  /** Returns the folder with the transcripts of the sub-agents, by the transcript's name; absent if the name does not say it. */
  subAgents?: (name: string) => string | null;
  /** Returns the name of a sub-agent's transcript below that folder, by the id of the sub-agent. */
  subAgentName?: (subAgent: string) => string;
  /** Returns a test for transcripts of sub-agents among the files beside it, by name and beginning; null if there can be none. */
  besideSubAgents?: (name: string) => ((other: string, beginning: () => string) => boolean) | null;
  /** Returns the possible paths of a sub-agent's transcript, by the transcript's name and the id of the sub-agent. */
  transcriptsOf?: (name: string, subAgent: string) => readonly string[];
}

/** Questions of a reader about the files beside its transcript. */
export interface Beside {
  /** Checks if a sub-agent has a transcript of its own there: what its caller's transcript repeats of it is not counted twice. */
  hasTranscriptOf: (subAgent: string) => boolean;
  /** True if the path of the transcript shows that it belongs to a sub-agent, and to whose. */
  isBelowCaller: boolean;
  /** Finds another transcript of the agent by an id that this one names, or that `from` names; null if there is none. */
  other: (id: string, from?: Other) => Other | null;
}

/** Another transcript. */
export interface Other {
  file: string;
  lines: () => Iterable<string>;
}

/** Finds a transcript that another one names. Paths have slashes. */
export interface Others {
  /** Returns the rank of a file as the one that `from` names by the id, null if it is not; the file that sorts last is the one. */
  rank: (name: string, from: string, id: string) => string | null;
  /** Returns the folders that most likely hold it, by the path of the transcript that names it. */
  likely: (path: string, id: string) => readonly string[];
  /** Returns the folders below which it can be. */
  roots: (path: string) => readonly string[];
}

/** The state from which a reader continues a transcript that was read in part. */
export interface Resume {
  /** The cursor that the reader returned at the end of the last part. */
  cursor: JsonValue;
  /**
   * Returns the kept records of this transcript from earlier parts, in order, with long texts whole. The reader looks up in
   * them what its cursor has no room for (the tree of the conversation, the input of an open call). This walks the chain, so
   * it is called only if needed, and at most once.
   */
  kept: () => Iterable<AnyBody>;
  /** True if the file was rewritten or shortened since: it is read from its beginning, and records that are kept are skipped. */
  rewritten: boolean;
  /**
   * Returns all lines of the file: a reader of a rewritten file finds in them how far the kept records reach, and finds the
   * earlier pieces of a text that continues.
   */
  lines?: (() => Iterable<{ text: string | null; number: number }>) | undefined;
  /** True if the cursor is that of a later file of the same session: this file does not say in which state the session is now. */
  isEarlier?: boolean | undefined;
}

/** The bytes of a document, wherever they are: of a large one, no more is held than is asked for. */
export interface DocumentBytes {
  size: number;
  /** All of them in their order; a piece is only valid until the next one is asked for. */
  pieces: () => Iterable<Buffer>;
  /** Returns a range of them as text, cut at the end of the document. */
  text: (from: number, to: number) => string;
  /** Returns the kept short form of a range that is longer than any line, or null; absent if nothing shortens the document. */
  shortened?: (from: number, to: number) => string | null;
}

/** A document as lines of JSON. */
export interface Unfolded {
  /** Returns the lines, each made when it is asked for. */
  lines: () => Iterable<string>;
  /** Returns the line of the document that one of these lines begins on; both count from 1. */
  lineInDocument: (line: number) => number;
}

/** A reader of one transcript. */
export interface TranscriptReader {
  /** Reads one line without its line feed; the number counts from 1 over the whole file. */
  line: (text: string, number: number) => Iterable<TranscriptEvent>;
  /** Ends the part: closes what is open. A later part continues from the cursor. */
  end: () => Iterable<TranscriptEvent>;
  /** Returns the state that the next part needs: small, plain JSON. Its `asking` names the call that waits for the user, if any. */
  cursor: () => JsonValue;
}

/**
 * One agent: the one value of its folder. Its members load what they use when they are called: a process that only
 * installs hooks loads no reader.
 */
export interface Agent {
  /** Name of the agent, as on the command line. */
  name: string;
  /** Absent if ctx has no hooks for it. */
  hooks?: HookContract;
  /** Returns the places of its transcripts; absent if they are unknown, or if it keeps many conversations in one place. */
  places?: () => AgentTranscripts;
  /** Returns the places with many conversations each. */
  collections?: () => AgentCollections;
  /** Returns the user's own words in the texts of a message; null if a program wrote all of them. Absent if no program does. */
  usersWords?: (texts: readonly string[]) => string | null;
  /**
   * Returns whether two records of the same act, a hook's without an id and a transcript's, are of one deed. Absent if its hooks
   * pass an id with every call, or if what both records have of the outcome is equal.
   */
  isSame?: IsSame;
  /** True if its transcripts never contain the result of a call. */
  hasNoResults?: true;
  /** Returns whether a text, the first lines of a file, is a transcript of this agent; by content, never by name. */
  recognises: (beginning: string) => boolean;
  /** Returns whether only this agent writes such a record; for a long record, its short form by `JsonSketch` is enough. */
  isOurs: (record: JsonObject) => boolean;
  /**
   * Turns a transcript that is one document into lines of JSON, which its reader then reads like the lines of a file. This is a
   * pure function of the document, and lines before a new one never change, so that only new lines of a grown document are read.
   * Returns null if the document is made of lines already. Absent if an agent writes no documents. Text of a document that
   * cannot be read is a line of its own, unchanged.
   */
  unfold?: (document: DocumentBytes) => Unfolded | null;
  /**
   * Patterns whose first group is the id of a session: `file` in the path of a file, with slashes, and `line` in a line. `line` is
   * global, and present if a file may begin with lines of the session that it continues. Absent if only the reader knows the id.
   */
  sessionIds?: { file: RegExp; line?: RegExp };
  /**
   * Returns when a file continues another one, by its first line, in a form that sorts: the times order the files of one
   * session. Null if a file continues none; absent if an agent keeps a session in one file.
   */
  continuedAt?: (firstLine: string) => string | null;
  /** Returns the id of the file that a file continues, by its first line; null if it continues none. */
  goesOnFrom?: (firstLine: string) => string | null;
  /** True if two files may hold much of the same conversation: one in the form of an older version, one in that of today. */
  hasTwoForms?: true;
  /** Absent if no transcript names another one. */
  others?: Others;
  /** Absent if an agent puts nothing beside its transcripts. */
  companion?: Companion;
  /** Returns what the folders of a transcript say about its session, by its whole path with slashes; absent if nothing. */
  aboutPath?: (path: string) => About;
  /** Writes a transcript that the agent's own resume opens; absent if ctx writes none for it. */
  write?: TranscriptWriter;
  /** Returns a reader that begins a transcript, or continues it. */
  reader: (resume: Resume | null, beside?: Beside) => TranscriptReader;
}
