/** What one API message used, in the names of ctx. */
import { type JsonObject, numberOf, objectOf } from '../../core/json.ts';
import type { Tokens } from '../shared/usage.ts';

const TOLD = new Set(['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens']);

/** The tokens of an assistant record's message, or undefined where it tells none. */
export function tokensOf(message: JsonObject): Tokens | undefined {
  const usage = objectOf(message['usage']);
  if (!usage) return undefined;
  const found: [keyof Tokens, number | undefined][] = [
    ['input', numberOf(usage['input_tokens'])],
    ['output', numberOf(usage['output_tokens'])],
    ['reasoning', numberOf(objectOf(usage['output_tokens_details'])?.['thinking_tokens'])],
    ['cache_read', numberOf(usage['cache_read_input_tokens'])],
    ['cache_write', numberOf(usage['cache_creation_input_tokens'])],
  ];
  const tokens: Tokens = {};
  for (const [key, value] of found) if (value !== undefined && value >= 0) tokens[key] = value;
  return Object.keys(tokens).length > 0 ? tokens : undefined;
}

/** What a usage says beside the counts: tiers, tools of the server, and whatever comes. */
export function usageDetails(message: JsonObject): JsonObject | undefined {
  const entries = Object.entries(objectOf(message['usage']) ?? {}).filter(
    ([key, value]) => !TOLD.has(key) && value !== null,
  );
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}
