/** Declares the format of a message: the shape of the AI SDK's UIMessage, with what agents know of the message in `metadata`. */
import { anyJson, filledText, type Infer, type Zod } from './schema.ts';

/** Tokens used; a count that the agent does not give is absent. */
export const usageSchema = (z: Zod) =>
  z.looseObject({
    input: z.optional(z.number()),
    output: z.optional(z.number()),
    reasoning: z.optional(z.number()),
    cache_read: z.optional(z.number()),
    cache_write: z.optional(z.number()),
  });
export type TokenUsage = Infer<typeof usageSchema>;

const textPart = (z: Zod) => z.looseObject({ type: z.literal('text'), text: z.string() });
/** A text of the message. */
export type TextPart = Infer<typeof textPart>;

const reasoningPart = (z: Zod) => z.looseObject({ type: z.literal('reasoning'), text: z.string() });
/** The model's thoughts before it spoke. */
export type ReasoningPart = Infer<typeof reasoningPart>;

const filePart = (z: Zod) =>
  z.looseObject({
    type: z.literal('file'),
    mediaType: z.string(),
    /** A data URL if the transcript holds the bytes of the file. */
    url: z.string(),
    filename: z.optional(z.string()),
  });
/** An image or a document. */
export type FilePart = Infer<typeof filePart>;

const toolBase = (z: Zod) => ({
  type: z.literal('dynamic-tool'),
  toolName: z.string(),
  /** The agent's own id of the call. */
  toolCallId: z.string(),
  /** Input of the tool. */
  input: anyJson(z),
});
const toolPart = (z: Zod) =>
  z.union([
    z.looseObject({ ...toolBase(z), input: z.optional(anyJson(z)), state: z.literal('input-streaming') }),
    z.looseObject({ ...toolBase(z), state: z.literal('input-available') }),
    z.looseObject({ ...toolBase(z), state: z.literal('output-available'), output: anyJson(z) }),
    z.looseObject({ ...toolBase(z), state: z.literal('output-error'), errorText: z.string() }),
  ]);
/** A tool that was called: its input still comes, no result yet, its result, or why there is none. */
export type ToolPart = Infer<typeof toolPart>;

const dataPart = (z: Zod) => z.looseObject({ type: z.templateLiteral(['data-', z.string()]), data: anyJson(z) });
/** Anything else, as the agent wrote it. */
export type DataPart = Infer<typeof dataPart>;

/** One part of a message. */
export const partSchema = (z: Zod) => z.union([textPart(z), reasoningPart(z), filePart(z), toolPart(z), dataPart(z)]);
export type Part = Infer<typeof partSchema>;

const metadataSchema = (z: Zod) =>
  z.looseObject({
    created_at: z.optional(z.number()),
    model: z.optional(z.string()),
    /** Usage of the model call behind the message; once for each call. */
    usage: z.optional(usageSchema(z)),
    /** The message before this one in the tree of the conversation. */
    parent_id: z.optional(z.nullable(z.string())),
    snapshot_id: z.optional(z.string()),
    /** The model that a message of the user was sent to, with a variant of it. */
    provider_id: z.optional(z.string()),
    model_id: z.optional(z.string()),
    variant: z.optional(z.string()),
    /** Cost of the call, if its writer says so: ctx computes no price. */
    cost_usd: z.optional(z.number()),
    /** Of a message that was recorded from a stream: what the last call of the model behind it used. */
    step_usage: z.optional(usageSchema(z)),
    /** The metadata of such a message as its chunks gave them. */
    message_metadata: z.optional(anyJson(z)),
    /** End of such a stream; null if it was cut off. */
    stream_end: z.optional(z.nullable(z.looseObject({ kind: z.string(), reason: z.optional(z.string()) }))),
    /** `ctx` for a message that a command of ctx has recorded. */
    recorded_by: z.optional(z.string()),
  });
/** Metadata of an agent about a message beside its parts; times are Unix seconds. */
export type MessageMetadata = Infer<typeof metadataSchema>;

export const messageSchema = (z: Zod) =>
  z.looseObject({
    id: filledText(z),
    role: z.enum(['system', 'user', 'assistant']),
    parts: z.array(partSchema(z)),
    metadata: z.optional(metadataSchema(z)),
  });
export type Message = Infer<typeof messageSchema>;
