/** The tokens of a message of opencode: of its steps, each a call of the model, or of the message if its steps have none. */
import { isObject, type JsonObject, type JsonValue, numberOf, objectOf } from '../../core/json.ts';
import { addTokens, type Tokens } from '../shared/usage.ts';

/**
 * Returns the tokens of a call of the model; undefined if there are none.
 * @param isApart whether the tokens of thoughts are known to be beside those of the output, and not among them
 */
export function countsOf(value: JsonValue | undefined, isApart?: true): Tokens | undefined {
  const told = objectOf(value);
  if (!told) return undefined;
  const cache = objectOf(told['cache']);
  const count = (fields: JsonObject | undefined, key: string): number => Math.max(0, numberOf(fields?.[key]) ?? 0);
  const [input, reasoning] = [count(told, 'input'), count(told, 'reasoning')];
  const [cache_read, cache_write] = [count(cache, 'read'), count(cache, 'write')];
  const output = count(told, 'output');
  // Newer versions do not count thoughts as output; the total shows which.
  const total = input + output + reasoning + cache_read + cache_write;
  const all = isApart || numberOf(told['total']) === total ? output + reasoning : output;
  return { input, output: all, reasoning, cache_read, cache_write };
}

/** Returns the tokens of a message; undefined if there are none. The message's own tokens are only those of its last step. */
export function tokensOf(info: JsonObject, parts: readonly JsonValue[]): Tokens | undefined {
  const steps = parts.flatMap((part) => {
    const isStep = isObject(part) && part['type'] === 'step-finish';
    return (isStep ? countsOf(part['tokens']) : undefined) ?? [];
  });
  if (steps.length > 0) return steps.reduce((sum, step) => addTokens(sum, step));
  const told = countsOf(info['tokens']);
  // An incomplete message has zeros.
  return told && Object.values(told).some((count) => count > 0) ? told : undefined;
}
