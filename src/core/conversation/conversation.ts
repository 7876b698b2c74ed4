/** A conversation as it is folded from the records of a session. Types, and the empty conversation. */
import type { Message, Part, TokenUsage } from '../message.ts';

/** What put a message or a part out of the model's sight. */
export interface Cover {
  /** The id of the overlay record. */
  overlay: string;
  /** When the overlay was recorded, in Unix seconds. */
  at: number;
  /** Why, in the word of whoever recorded the overlay: `rollback`, `compaction`, …; absent if the record gives none. */
  reason?: string | undefined;
}

/** The newest version of a part. */
export interface FoldedPart {
  /** The id that later versions of this part carry; null for a part that no later version can name. */
  key: string | null;
  /** The `seq` of this version; -1 for a part that came with its message. */
  seq: number;
  part: Part;
  /** The number of the step that holds this version, by which a long text is found. */
  step: number;
}

/** One message with the newest version of each of its parts. */
export interface FoldedMessage {
  id: string;
  role: Message['role'];
  parts: FoldedPart[];
  /** The metadata of the newest message record, usage brought up to date; without the reader's own book-keeping. */
  metadata: { [key: string]: unknown };
  /** The overlay that hides the message; null while it is in view. */
  hidden: Cover | null;
}

/** Where a tool call is in a conversation, and whether its result is there. */
export interface FoldedCall {
  message: string;
  /** The index of the part in its message. */
  part: number;
  state: 'input-available' | 'output-available' | 'output-error';
}

/** A conversation as of some record. A `Map` keeps the order in which its keys first came. */
export interface Conversation {
  /** Messages by id, in the order of the conversation. */
  messages: Map<string, FoldedMessage>;
  /** The message before each message in the tree; absent for the first message of a branch. */
  parents: Map<string, string>;
  /** Calls by the agent's own id of the call; the newest call counts if an id comes twice. */
  calls: Map<string, FoldedCall>;
  /** The exit codes of the commands that calls ran, by the call's id. */
  exits: Map<string, number>;
  /** The overlay that prunes the output of a call, by the call's id, or all outputs of a message, by the message's id. */
  pruned: Map<string, Cover>;
  /** What each message used, once per call of a model. */
  usage: Map<string, TokenUsage>;
  /** Parts that came before their message, by the message's id. */
  early: Map<string, FoldedPart[]>;
}

/** The conversation before its first record. */
export const emptyConversation = (): Conversation => ({
  messages: new Map(),
  parents: new Map(),
  calls: new Map(),
  exits: new Map(),
  pruned: new Map(),
  usage: new Map(),
  early: new Map(),
});
