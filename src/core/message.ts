/** Messages: the shape of the AI SDK's UIMessage, with what agents know of a message in its metadata. Types only. */
import type { JsonValue } from './json.ts';

/** Tokens used; a kind that the agent does not tell is absent. */
export interface TokenUsage {
  input?: number | undefined;
  output?: number | undefined;
  reasoning?: number | undefined;
  cache_read?: number | undefined;
  cache_write?: number | undefined;
}

/** What was said. */
export interface TextPart {
  type: 'text';
  text: string;
  [key: string]: unknown;
}

/** What the model thought before it spoke. */
export interface ReasoningPart {
  type: 'reasoning';
  text: string;
  [key: string]: unknown;
}

/** An image or a document; a data URL where the transcript holds its bytes. */
export interface FilePart {
  type: 'file';
  mediaType: string;
  url: string;
  filename?: string | undefined;
  [key: string]: unknown;
}

interface ToolBase {
  type: 'dynamic-tool';
  toolName: string;
  /** The agent's own id of the call. */
  toolCallId: string;
  /** What the tool was called with. */
  input: JsonValue;
  [key: string]: unknown;
}

/** A tool that was called: no result yet, its result, or why there is none. */
export type ToolPart =
  | (ToolBase & { state: 'input-available' })
  | (ToolBase & { state: 'output-available'; output: JsonValue })
  | (ToolBase & { state: 'output-error'; errorText: string });

/** Anything else, as the agent wrote it. */
export interface DataPart {
  type: `data-${string}`;
  data: JsonValue;
  [key: string]: unknown;
}

export type Part = TextPart | ReasoningPart | FilePart | ToolPart | DataPart;

/** What an agent knows of a message beside its parts; times are Unix seconds. */
export interface MessageMetadata {
  created_at?: number | undefined;
  model?: string | undefined;
  /** What the model call behind it used; once per call. */
  usage?: TokenUsage | undefined;
  /** The message before it in the tree of the conversation. */
  parent_id?: string | null | undefined;
  snapshot_id?: string | undefined;
  [key: string]: unknown;
}

export interface Message {
  id: string;
  role: 'system' | 'user' | 'assistant';
  parts: Part[];
  metadata?: MessageMetadata | undefined;
  [key: string]: unknown;
}
