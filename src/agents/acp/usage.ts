/** Tokens and costs: those of a turn, and those of the session so far. */
import { type JsonObject, numberOf, objectOf } from '../../core/json.ts';
import type { RecordEvent } from '../shared/plain-agent.ts';
import { knownTokens, type Tokens } from '../shared/usage.ts';

/**
 * Returns the tokens of a turn, each counted once: where the total is that of input and output alone, these contain what was read from the
 * cache and written to it, and what was thought.
 */
export function tokensOf(usage: JsonObject | undefined): Tokens | undefined {
  if (!usage) return undefined;
  const count = (key: string): number | undefined => numberOf(usage[key]);
  const input = count('inputTokens');
  const output = count('outputTokens');
  const reasoning = count('thoughtTokens');
  const cache_read = count('cachedReadTokens');
  const cache_write = count('cachedWriteTokens');
  const cached = (cache_read ?? 0) + (cache_write ?? 0);
  const thought = reasoning ?? 0;
  const whole = (input ?? 0) + (output ?? 0);
  const total = count('totalTokens');
  const isCacheInside = cached > 0 && cached <= (input ?? 0) && (total === whole || total === whole + thought);
  const isThoughtInside = thought > 0 && thought <= (output ?? 0) && (total === whole || total === whole + cached);
  const tokens = knownTokens({
    input: isCacheInside ? (input ?? 0) - cached : input,
    output: isThoughtInside ? (output ?? 0) - thought : output,
    reasoning,
    cache_read,
    cache_write,
  });
  return tokens ?? {};
}

/** Returns the events of an update about the window. The cost is that of the session so far. */
export function windowEvents(memory: JsonObject, update: JsonObject): RecordEvent[] {
  const used = numberOf(update['used']);
  const size = numberOf(update['size']);
  const window = used !== undefined && size !== undefined && used >= 0 && size > 0 ? { used, size } : undefined;
  const cost = objectOf(update['cost']);
  const amount = cost?.['currency'] === 'USD' ? numberOf(cost['amount']) : undefined;
  if (amount === undefined) return window ? [{ what: 'window', window }] : [];
  const before = numberOf(memory['cost_usd']) ?? 0;
  // An agent that was started again counts from the beginning.
  const cost_usd = amount >= before ? amount - before : amount;
  return [
    { what: 'window', window, cost_usd },
    { what: 'remembers', memory: { cost_usd: amount } },
  ];
}
