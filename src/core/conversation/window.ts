/** Says how full the window of a model is: what its provider reported last, and an estimate of what changed since. */
import type { Part, TokenUsage, ToolPart } from '../message.ts';
import type { Conversation, FoldedMessage } from './conversation.ts';
import { prunedBefore, sightAt } from './sight.ts';
import { countOf, type FiveKinds, TOKEN_KINDS } from './token-kinds.ts';
import { prunedPart } from './view.ts';

/** Usage of the messages of a conversation: sums over those in view and those that are not. */
export interface Rollup extends FiveKinds {
  total: number;
  /** The sum of the costs that were given; null if none was. */
  cost_usd: number | null;
}

/** Sums what the messages of the assistant used, and what turns used beside them. */
export function rollupOf({ messages, apart }: Conversation): Rollup {
  const sum: Rollup = { ...apart, total: 0 };
  for (const { role, metadata } of messages.values()) {
    if (role !== 'assistant') continue;
    const usage = metadata['usage'] as TokenUsage | undefined;
    for (const kind of TOKEN_KINDS) sum[kind] += countOf(usage?.[kind]);
    const cost = metadata['cost_usd'];
    if (typeof cost === 'number') sum.cost_usd = (sum.cost_usd ?? 0) + cost;
  }
  sum.total = totalOf({ ...sum });
  return sum;
}

/** The tokens of all five kinds: what a request and its answer take of the window. */
const totalOf = (usage: TokenUsage | undefined): number =>
  TOKEN_KINDS.reduce((sum, kind) => sum + countOf(usage?.[kind]), 0);

/**
 * Reads what a call used, in the names of ctx or of the AI SDK, whose count of the input contains what was read from the cache and written
 * to it; undefined if nothing is known.
 */
export function usageOf(value: unknown): TokenUsage | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const fields = value as Record<string, unknown>;
  const inner = (name: string): Record<string, unknown> => (fields[name] ?? {}) as Record<string, unknown>;
  const count = (...given: unknown[]): number | undefined =>
    given.find((one): one is number => typeof one === 'number' && Number.isFinite(one) && one >= 0);
  const read = count(fields['cache_read'], inner('inputTokenDetails')['cacheReadTokens'], fields['cachedInputTokens']);
  const write = count(fields['cache_write'], inner('inputTokenDetails')['cacheWriteTokens']);
  const reasoning = count(
    fields['reasoning'],
    inner('outputTokenDetails')['reasoningTokens'],
    fields['reasoningTokens'],
  );
  const allInput = count(fields['inputTokens']);
  const allOutput = count(fields['outputTokens']);
  const input = count(
    fields['input'],
    allInput === undefined ? undefined : Math.max(0, allInput - (read ?? 0) - (write ?? 0)),
  );
  // The output of the AI SDK contains what was thought.
  const output = count(
    fields['output'],
    allOutput === undefined ? undefined : Math.max(0, allOutput - (reasoning ?? 0)),
  );
  const known = { input, output, reasoning, cache_read: read, cache_write: write };
  const entries = Object.entries(known).filter(([, tokens]) => tokens !== undefined);
  return entries.length > 0 ? (Object.fromEntries(entries) as TokenUsage) : undefined;
}

/** Contents of a window, in tokens. */
export interface Filling {
  /** Tokens that the next request would carry. */
  used: number;
  /** True if any of it is estimated. */
  estimated: boolean;
  /** Tokens that the provider reported for the last answer in view; null if it reported nothing. */
  reported: number | null;
  by_role: Record<string, number>;
  /** Calls with their results, by tool, most first. */
  by_tool: { tool: string; calls: number; tokens: number }[];
  largest: { message_id: string; role: string; tokens: number }[];
}

/** Number of the largest messages that are named. */
const LARGEST = 10;

/**
 * Says what fills the window. The parts are estimated; the sum is what the provider reported for the last answer, as far as the model
 * still sees what it saw then.
 * @param seen the messages that the model sees, in their order, with their parts as it sees them
 */
export function fillingOf(
  conversation: Conversation,
  seen: readonly FoldedMessage[],
  tokensOf: (part: Part) => number,
): Filling {
  const by_role: Record<string, number> = {};
  const tools = new Map<string, { calls: number; tokens: number }>();
  const sizes = new Map<string, number>();
  for (const { id, role, parts } of seen) {
    let size = 0;
    for (const { part } of parts) {
      const tokens = tokensOf(part);
      size += tokens;
      if (part.type !== 'dynamic-tool') continue;
      const { toolName } = part as ToolPart;
      const tool = tools.get(toolName) ?? { calls: 0, tokens: 0 };
      tools.set(toolName, { calls: tool.calls + 1, tokens: tool.tokens + tokens });
    }
    by_role[role] = (by_role[role] ?? 0) + size;
    sizes.set(id, size);
  }
  const largest = seen.map(({ id, role }) => ({ message_id: id, role, tokens: sizes.get(id) ?? 0 }));
  largest.sort((a, b) => b.tokens - a.tokens);
  const by_tool = [...tools].map(([tool, sums]) => ({ tool, ...sums })).sort((a, b) => b.tokens - a.tokens);
  return {
    ...usedBy(conversation, seen, tokensOf, sizes),
    by_role,
    by_tool,
    largest: largest.slice(0, LARGEST),
  };
}

/** Computes the tokens that the next request would carry. */
function usedBy(
  conversation: Conversation,
  seen: readonly FoldedMessage[],
  tokensOf: (part: Part) => number,
  sizes: ReadonlyMap<string, number>,
): Pick<Filling, 'used' | 'estimated' | 'reported'> {
  const estimate = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const last = seen.findLast(({ role, metadata }) => role === 'assistant' && reportedBy(metadata) > 0);
  if (!last) return { used: estimate, estimated: seen.length > 0, reported: null };
  const reported = reportedBy(last.metadata);
  const then = sightAt(conversation, last);
  const prunedThen = prunedBefore(conversation, last.place);
  const sum = (parts: readonly Part[]): number => parts.reduce((all, part) => all + tokensOf(part), 0);
  const sizeThen = (id: string): number =>
    sum((conversation.messages.get(id)?.parts ?? []).map(({ part }) => prunedPart({ pruned: prunedThen }, id, part)));
  const sizesThen = new Map([...then].map((id) => [id, sizeThen(id)]));
  const known = [...sizesThen.values()].reduce((all, size) => all + size, 0);
  const gone = [...sizesThen].reduce((all, [id, size]) => all + Math.max(0, size - (sizes.get(id) ?? 0)), 0);
  const added = [...sizes].reduce((all, [id, size]) => all + Math.max(0, size - (sizesThen.get(id) ?? 0)), 0);
  const isExact = gone === 0 && added === 0;
  return { used: withoutPart(reported, known, gone) + added, estimated: !isExact, reported };
}

/**
 * Subtracts a part from what was reported of the whole. If the provider counts fewer tokens than the estimate of the whole, the part has the
 * share that it has in the estimate.
 * @param whole the estimate of the whole
 * @param part the estimate of the part
 */
const withoutPart = (reported: number, whole: number, part: number): number =>
  Math.round(reported - part * Math.min(1, whole === 0 ? 1 : reported / whole));

/** Computes the tokens that the next request would carry without some of what is in view. */
export function usedWithout({ used, by_role }: Pick<Filling, 'used' | 'by_role'>, freed: number): number {
  const estimate = Object.values(by_role).reduce((sum, size) => sum + size, 0);
  return Math.max(0, withoutPart(used, estimate, freed));
}

/** Returns how full the window was after a message: as the agent said, or by what the call of the model used; 0 if unknown. */
const reportedBy = (metadata: FoldedMessage['metadata']): number =>
  countOf(metadata['context_used']) || totalOf(usageIn(metadata));

/** Returns the usage of the last call of the model behind a message: of a message of several steps, the last step. */
const usageIn = (metadata: FoldedMessage['metadata']): TokenUsage | undefined =>
  (metadata['step_usage'] ?? metadata['usage']) as TokenUsage | undefined;
