/** The tokens of one message of the API, by the kinds of ctx. */
import { type JsonObject, numberOf, objectOf } from '../../core/json.ts';
import { knownTokens, type Tokens } from '../shared/usage.ts';

const KEPT_ELSEWHERE = new Set([
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
]);

/** Returns the tokens of an assistant record's message, or undefined if there are none. */
export function tokensOf(message: JsonObject): Tokens | undefined {
  const usage = objectOf(message['usage']);
  if (!usage) return undefined;
  return knownTokens({
    input: numberOf(usage['input_tokens']),
    output: numberOf(usage['output_tokens']),
    reasoning: numberOf(objectOf(usage['output_tokens_details'])?.['thinking_tokens']),
    cache_read: numberOf(usage['cache_read_input_tokens']),
    cache_write: numberOf(usage['cache_creation_input_tokens']),
  });
}

/** Returns the other fields of a usage: tiers, tools of the server, and any new ones. */
export function usageDetails(message: JsonObject): JsonObject | undefined {
  const entries = Object.entries(objectOf(message['usage']) ?? {}).filter(
    ([key, value]) => !KEPT_ELSEWHERE.has(key) && value !== null,
  );
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}
