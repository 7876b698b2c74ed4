/** A conversation as it is folded from the records of a session. Types, and the empty conversation. */
import type { JsonObject } from '../json.ts';
import type { Message, Part, TokenUsage, ToolPart } from '../message.ts';
import { type FiveKinds, noTokens } from './token-kinds.ts';

/** The overlay that put a message or a part out of the model's sight. */
export interface Cover {
  /** The id of the overlay record. */
  overlay: string;
  /** When the overlay was recorded, in Unix seconds. */
  at: number;
  /** The reason as the overlay names it: `rollback`, `compaction`, …; absent if the overlay names none. */
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
  /** The overlay that hides the message; null while the message is in view. */
  hidden: Cover | null;
  /** The place of the message in the order of the conversation, from 0. */
  place: number;
  /** The index of each part by its key; null while the parts are so few that a search is as fast. */
  places: Map<string, number> | null;
}

/** The place of a tool call in a conversation, and whether the call has its result. */
export interface FoldedCall {
  message: string;
  /** The index of the part in its message, or among the early parts of the message. */
  part: number;
  state: ToolPart['state'];
}

/** A restore of files: the tree of the work tree before, and the one that was asked for; or the snapshots of a host. */
export interface WorldChange {
  /** Absent if the host has kept no snapshot of what was there before. */
  from?: string | undefined;
  to: string;
  by?: 'host' | undefined;
}

/** The command of ctx that recorded an overlay. Its overlays share one act, which another act can take back. */
export interface Act {
  id: string;
  /** The word of the command: `rewind`, `unrewind`, `compact`, … */
  by: string;
  /** The act that this one takes back. */
  of?: string | undefined;
  /** The message that the command was about: where a rewind goes, what holds the summary of a compaction. */
  to?: string | undefined;
  /** The files that it has changed. */
  world?: WorldChange | undefined;
}

/** A snapshot of the work tree: its files at some moment of a session. */
export interface KeptSnapshot {
  /** The id of the record; of one that a branch has copied, that of its source. */
  id: string;
  /** Unix seconds. */
  at: number;
  point: 'message' | 'turn_end' | 'rewind';
  /** The id of a Git tree; of a snapshot that a host has taken, what the host calls it. */
  snapshot_id: string;
  isHosts: boolean;
  /** The message that it belongs to, if its id was known when the snapshot was taken. */
  message?: string | undefined;
  /** A print of the first words of that message. */
  words?: string | undefined;
}

/** An overlay as it was folded. */
export interface FoldedOverlay {
  /** The id of the record. */
  id: string;
  /** When it was recorded, in Unix seconds. */
  at: number;
  op: string;
  /** The ids that it names, in the order of the conversation if it names a range. */
  targets: readonly string[];
  reason?: string | undefined;
  /** Number of messages before it. */
  place: number;
  /** Null for an overlay that a reader of a transcript, or another program, has recorded. */
  act: Act | null;
}

/** A conversation as of some record. A `Map` keeps the order in which its keys first came. */
export interface Conversation {
  /** Messages by id, in the order of the conversation. */
  messages: Map<string, FoldedMessage>;
  /** The ids of the messages, in the same order. */
  order: string[];
  /** The message before each message in the tree; absent for the first message of a branch. */
  parents: Map<string, string>;
  /** Calls by the agent's own id of the call; the newest call counts if an id comes twice. */
  calls: Map<string, FoldedCall>;
  /** The exit codes of the commands that calls ran, by the call's id. */
  exits: Map<string, number>;
  /** The overlay that prunes the output of a call, by the call's id, or all outputs of a message, by the message's id. */
  pruned: Map<string, Cover>;
  /** Usage of each message, once per call of a model. */
  usage: Map<string, TokenUsage>;
  /** Tokens of messages since the last record of what a turn used. */
  unsettled: FiveKinds;
  /** Tokens of turns that none of their messages says. */
  apart: FiveKinds & { cost_usd: number | null };
  /** Every overlay, in the order of the records. */
  overlays: FoldedOverlay[];
  /** The snapshots of the work tree that were kept, in the order of the records. */
  snapshots: KeptSnapshot[];
  /** Parts that came before their message, by the message's id. */
  early: Map<string, EarlyParts>;
}

/** The newest versions of parts whose message has not come yet. */
export type EarlyParts = Pick<FoldedMessage, 'id' | 'parts' | 'places'>;

/** Selects the parts of a message that are held, for a caller that has no room for all of it. */
export interface Keep {
  /** Returns the held form of the newest version of a part. */
  part: (part: Part) => Part;
  /** Returns the held form of the metadata of a message. */
  metadata: (metadata: JsonObject) => JsonObject;
}

/**
 * Is notified of each record as it is folded, before `Keep` drops anything of the record: but not of messages and overlays that a command
 * of ctx has recorded, since no transcript has them.
 */
export interface FoldListener {
  /** @param message with the parts of its record alone */
  message?: (message: FoldedMessage, metadata: JsonObject) => void;
  /** @param id the id of the message, which may not have come yet */
  part?: (id: string, part: Part, record: JsonObject) => void;
  raw?: (record: JsonObject) => void;
  /** @param ids the ids that the overlay names, in the order of the conversation if it names a range; no message may have one of them */
  overlay?: (op: string, ids: readonly string[], reason: string | undefined) => void;
  /** The message that a line went into, by the key of the line: a record may repeat a line instead of a message. */
  messageOfLine?: (key: string) => string | undefined;
}

/** The conversation before its first record. */
export const emptyConversation = (): Conversation => ({
  messages: new Map(),
  order: [],
  parents: new Map(),
  calls: new Map(),
  exits: new Map(),
  pruned: new Map(),
  usage: new Map(),
  unsettled: noTokens(),
  apart: { ...noTokens(), cost_usd: null },
  overlays: [],
  snapshots: [],
  early: new Map(),
});

/** The newest version of the part of a call, by the agent's own id of the call. */
export function partOfCall({ calls, messages, early }: Conversation, id: string): Part | undefined {
  const call = calls.get(id);
  const message = call && (messages.get(call.message) ?? early.get(call.message));
  return message?.parts[call?.part ?? -1]?.part;
}
