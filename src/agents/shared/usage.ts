/** Tokens by the kinds of ctx, and sums of them. */
import { type JsonValue, numberOf, objectOf } from '../../core/json.ts';

const KEYS = ['input', 'output', 'reasoning', 'cache_read', 'cache_write'] as const;

/** Tokens by kind; a kind without a count is absent. */
export type Tokens = { [Key in (typeof KEYS)[number]]?: number };

/** Returns the sum of two; with `sign` -1 the difference. */
export function addTokens(first: Tokens, second: Tokens, sign: 1 | -1 = 1): Tokens {
  const sum: Tokens = {};
  for (const key of KEYS) {
    if (first[key] !== undefined || second[key] !== undefined) sum[key] = (first[key] ?? 0) + sign * (second[key] ?? 0);
  }
  return sum;
}

/** Returns the larger count of two for each kind. */
export function largerOf(first: Tokens, second: Tokens): Tokens {
  const larger: Tokens = {};
  for (const key of KEYS) {
    if (first[key] !== undefined || second[key] !== undefined)
      larger[key] = Math.max(first[key] ?? 0, second[key] ?? 0);
  }
  return larger;
}

export function isNothing(tokens: Tokens): boolean {
  return KEYS.every((key) => !tokens[key]);
}

/** Reads tokens from a kept value, without fields that are no counts. */
export function readTokens(value: JsonValue | undefined): Tokens {
  const fields = objectOf(value);
  const told = KEYS.map((key) => [key, numberOf(fields?.[key])] as const);
  return Object.fromEntries(told.filter(([, count]) => count !== undefined));
}

/** Returns the counts that are known and not negative; undefined if there are none. */
export function knownTokens(counts: { [Key in keyof Tokens]: number | undefined }): Tokens | undefined {
  const known = Object.entries(counts).filter(([, count]) => count !== undefined && count >= 0);
  return known.length > 0 ? Object.fromEntries(known) : undefined;
}
