/** The five kinds of tokens. */

/** Their names. */
export const TOKEN_KINDS = ['input', 'output', 'reasoning', 'cache_read', 'cache_write'] as const;
export type FiveKinds = Record<(typeof TOKEN_KINDS)[number], number>;

/** Returns a count that an agent has given; 0 if it is none. */
export const countOf = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);

export const noTokens = (): FiveKinds => ({ input: 0, output: 0, reasoning: 0, cache_read: 0, cache_write: 0 });
