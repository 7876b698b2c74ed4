/** What every agent's file gives: how its transcript is recognised and read. It gets text and returns core values. */
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { AnyBody } from '../../core/records/record.ts';
import type { Verb } from '../../core/state.ts';

/** Where something stands in a transcript. */
export interface Place {
  /** Number of the line, from 1. */
  line: number;
}

/**
 * What a transcript tells, in its own order and at its own times (Unix seconds).
 * - `record`: something to keep; `content` is a file's content as the transcript shows it. A part may be a call that was not told
 *   before (`begins_call`).
 * - `prompt`: the user's message that begins a turn, or the answer to a question that was put; it moves the session to
 *   Running by the state table. An empty text: the agent goes on by itself, nobody said anything. `goes_on` where the transcript
 *   ends in the midst of it: its end may be the beginning of a secret.
 * - `more`: the prompt that an earlier part ended in goes on: what there was of it, and what there is now.
 * - `move`: what a turn ended in, or a question put to the user, `of_tool` where a tool has put it, by a `call`, as its answer comes
 *   of one; a move of the state table.
 * - `turn`: a turn is over; what came since the last one is one step.
 * - `about`: what is known of the whole session; later values count.
 * - `problem`: a line with which something is wrong.
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

/** A line with which something is wrong: what of it could not be read is kept as a text. */
export interface LineProblem {
  line: number;
  message: string;
  /** Everything on it was read all the same. Absent where it was not. */
  all_read?: true;
  /** Why a part of the conversation may lie where it is not read. Absent where the line is all that is the matter. */
  beyond?: Beyond;
}

/** What is not read of a conversation beside its file: another file, by its id, or what a mode means that ctx does not know. */
export interface Beyond {
  missing?: string;
  unknown?: string;
}

export interface About {
  /** The agent's own id of the session. */
  agent_session_id?: string;
  cwd?: string;
  /** SHA-256 of that folder's path, hexadecimal, where the agent tells it so. */
  cwd_hash?: string;
  /** That path as the name of a folder (`nameOfPath`), where no more than that is told. */
  cwd_name?: string;
  title?: string;
  model?: string;
  /** Version of the agent's program. */
  agent_version?: string;
  git_branch?: string;
  /** The agent's own id of the session that started this one as a sub-agent, or of which it is a copy. */
  parent_agent_session_id?: string;
  /** The call of that session which started this one. */
  parent_tool_call_id?: string;
  /** What kind of sub-agent the session is of, by its agent's word. */
  sub_agent_type?: string;
}

/** A file that stands beside a transcript, or above it, and tells more of the same session. */
export interface Companion {
  /** Where it may stand, from the folder of the transcript, by the transcript's name; the first that is there counts. */
  placesOf: (name: string) => readonly string[];
  /** What its text tells. */
  about: (text: string) => About;
  /** The folder below which the transcripts of its sub-agents may stand, by the transcript's name; absent where that tells nothing. */
  subAgents?: (name: string) => string | null;
  /** The name of a sub-agent's transcript below that folder, by its id. */
  subAgentName?: (subAgent: string) => string;
  /** Tells the transcripts of its sub-agents among the files beside it, by their names and beginnings; null if it can have none there. */
  besideSubAgents?: (name: string) => ((other: string, beginning: () => string) => boolean) | null;
  /** Where the transcript of a sub-agent may stand, by the transcript's name and the id of the sub-agent. */
  transcriptsOf?: (name: string, subAgent: string) => readonly string[];
}

/** What a reader may ask of what stands beside its transcript. */
export interface Beside {
  /** Whether a sub-agent has a transcript of its own there: what its caller's repeats of that is not counted again. */
  hasTranscriptOf: (subAgent: string) => boolean;
  /** Whether the place of the transcript says that it is a sub-agent's, and whose. */
  isBelowCaller: boolean;
  /** Another transcript of the agent, by an id that this one names, or one that was found so; null where it is not there. */
  other: (id: string, from?: Other) => Other | null;
}

/** Another transcript. */
export interface Other {
  file: string;
  lines: () => Iterable<string>;
}

/** How a transcript that another one names is found. Paths have slashes. */
export interface Others {
  /** Null where a file is not what another one names by an id; of several, the one that sorts last is. */
  rank: (name: string, from: string, id: string) => string | null;
  /** The folders that it lies in, most likely, by the path of the one that names it. */
  likely: (path: string, id: string) => readonly string[];
  /** The folders that it lies below. */
  roots: (path: string) => readonly string[];
}

/** How a reader goes on with a transcript of which a part has been read. */
export interface Resume {
  /** What the reader said at the end of the last part. */
  cursor: JsonValue;
  /**
   * What this reader gave of this transcript before and what is kept, in order, long texts whole. The reader looks up in it
   * what its cursor has no room for (the tree of the conversation, the input of an open call). Costs a walk over the chain:
   * asked for only when it is needed, and at most once.
   */
  kept: () => Iterable<AnyBody>;
  /** Whether the file was rewritten or shortened since: it is read from its beginning, and what is kept is skipped. */
  rewritten: boolean;
  /**
   * All lines of the file: for a reader of one that was rewritten, which has to know how far what is kept stands in it, and for
   * what of a text that goes on was read before.
   */
  lines?: (() => Iterable<{ text: string | null; number: number }>) | undefined;
  /** Whether the cursor is that of a later file of the same session: how the session stands now, this one does not tell. */
  isEarlier?: boolean | undefined;
}

/** The bytes of a document, wherever they lie: of a large one, no more is held than is asked for. */
export interface DocumentBytes {
  size: number;
  /** All of them in their order; a piece is only valid until the next one is asked for. */
  pieces: () => Iterable<Buffer>;
  /** A stretch of them, or what there is of it, as text. */
  text: (from: number, to: number) => string;
  /** What is kept of a stretch that is longer than any line; null where nothing is. Absent where nothing shortens it. */
  shortened?: (from: number, to: number) => string | null;
}

/** A document as lines of JSON. */
export interface Unfolded {
  /** The lines, made one by one whenever they are asked for. */
  lines: () => Iterable<string>;
  /** The line of the document on which that begins what stands on one of these; both from 1. */
  lineInDocument: (line: number) => number;
}

export interface TranscriptReader {
  /** Takes one line without its line feed; number from 1 over the whole file. */
  line: (text: string, number: number) => Iterable<TranscriptEvent>;
  /** Takes the end of what there is: closes what is open. A later part goes on from the cursor. */
  end: () => Iterable<TranscriptEvent>;
  /** What the next part needs; small, plain JSON. `asking` in it names the call that the user has not answered yet, if any. */
  cursor: () => JsonValue;
}

/** One agent. */
export interface Agent {
  name: string;
  /** Whether it never tells what came of a call. */
  tellsNoResults?: true;
  /** Whether a text, the first lines of a file, is a transcript of this agent; by content, never by name. */
  recognises: (beginning: string) => boolean;
  /** Whether a record can only be one of this agent's; of a long one the short form is enough that `JsonSketch` makes. */
  isOurs: (record: JsonObject) => boolean;
  /**
   * Turns a transcript that is one document into lines of JSON, which its reader then reads like those of a file: a pure
   * function of the document, in which what stands before something new stays as it was, so that of a document that has
   * grown only what is new is read. Null where it is made of lines already. Absent where an agent writes no documents.
   * What cannot be read of a document is a line of its own, as it stands.
   */
  unfold?: (document: DocumentBytes) => Unfolded | null;
  /**
   * How the path of a file tells its session, with slashes, and each line its own, in the first group; the second pattern is
   * global, and there where a file may begin with lines of the session that it goes on from. Absent where only lines tell.
   */
  sessionIds?: { file: RegExp; line?: RegExp };
  /**
   * When a file goes on with what stands in another, by its first line, in a form that sorts: it tells the files of one
   * session apart. Null where a file begins by itself; absent where an agent keeps a session in one file.
   */
  continuedAt?: (firstLine: string) => string | null;
  /** The id of the file that one goes on from, by its first line; null where it begins by itself. */
  goesOnFrom?: (firstLine: string) => string | null;
  /** Whether a conversation may lie in two files that tell much of it twice: in the form of an older version and in that of today. */
  hasTwoForms?: true;
  /** Absent where no transcript names another one. */
  others?: Others;
  /** Absent where an agent puts nothing beside its transcripts. */
  companion?: Companion;
  /** What the folders that a transcript lies in tell of its session, by its whole path with slashes; absent where nothing. */
  aboutPath?: (path: string) => About;
  reader: (resume: Resume | null, beside?: Beside) => TranscriptReader;
}
