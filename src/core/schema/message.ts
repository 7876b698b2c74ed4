/** The format of a message: the shape of the AI SDK's UIMessage, with what agents know of it in `metadata` (zod). */
import * as z from 'zod/mini';
import type { JsonValue } from '../json.ts';
import type { Message, Part, TokenUsage } from '../message.ts';

/** Any JSON; the type is ours, whose objects may lack keys. */
const json = z.json() as unknown as z.ZodMiniType<JsonValue>;

/** Tokens; a kind that the agent does not tell is absent. */
export const usageSchema: z.ZodMiniType<TokenUsage> = z.looseObject({
  input: z.optional(z.number()),
  output: z.optional(z.number()),
  reasoning: z.optional(z.number()),
  cache_read: z.optional(z.number()),
  cache_write: z.optional(z.number()),
});

const textPart = z.looseObject({ type: z.literal('text'), text: z.string() });
const reasoningPart = z.looseObject({ type: z.literal('reasoning'), text: z.string() });
const filePart = z.looseObject({
  type: z.literal('file'),
  mediaType: z.string(),
  url: z.string(),
  filename: z.optional(z.string()),
});
const toolBase = { type: z.literal('dynamic-tool'), toolName: z.string(), toolCallId: z.string() };
const toolPart = z.union([
  z.looseObject({ ...toolBase, state: z.literal('input-available'), input: json }),
  z.looseObject({ ...toolBase, state: z.literal('output-available'), input: json, output: json }),
  z.looseObject({ ...toolBase, state: z.literal('output-error'), input: json, errorText: z.string() }),
]);
const dataPart = z.looseObject({ type: z.templateLiteral(['data-', z.string()]), data: json });

/** One part of a message. */
export const partSchema: z.ZodMiniType<Part> = z.union([textPart, reasoningPart, filePart, toolPart, dataPart]);

export const messageSchema: z.ZodMiniType<Message> = z.looseObject({
  id: z.string().check(z.minLength(1)),
  role: z.enum(['system', 'user', 'assistant']),
  parts: z.array(partSchema),
  metadata: z.optional(
    z.looseObject({
      created_at: z.optional(z.number()),
      model: z.optional(z.string()),
      usage: z.optional(usageSchema),
      parent_id: z.optional(z.nullable(z.string())),
      snapshot_id: z.optional(z.string()),
    }),
  ),
});
