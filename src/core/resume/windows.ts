/** Estimates the length of text that models take, by figures of their makers, to decide if a whole history may be handed over. */

/** Tokens by the beginning of the model's name; the first that fits counts. */
const WINDOWS: readonly (readonly [name: RegExp, tokens: number])[] = [
  [/\[1m\]$/i, 1_000_000],
  [/^(?:.*\/)?claude/i, 200_000],
  [/^(?:.*\/)?gemini/i, 1_048_576],
  [/^(?:.*\/)?gpt-4\.1/i, 1_047_576],
  [/^(?:.*\/)?gpt-5/i, 272_000],
  [/^(?:.*\/)?gpt-4/i, 128_000],
  [/^(?:.*\/)?o[1-9]/i, 200_000],
];

/** Room that a model needs beside a history: its system prompt, its tools, its answer (design of ctx: min(20,000, …)). */
const RESERVE = 20_000;

/** Returns how many tokens of history a model has room for; null if its window is unknown. */
export function roomOf(model: string | null | undefined): number | null {
  const window = model ? WINDOWS.find(([name]) => name.test(model))?.[1] : undefined;
  return window === undefined ? null : window - RESERVE;
}
