// A second opinion on a transcript, worked out in another way: everything in memory, sets instead of counters.
import type { JsonObject } from '../../../src/core/json.ts';

export interface Opinion {
  /** Ids of the messages on the live branch. */
  live: Set<string>;
  usage: Record<string, number>;
  apiMessages: number;
  /** Distinct tool calls, and those that have a result. */
  calls: Set<string>;
  answered: Set<string>;
  /** Distinct messages, on the live branch or not; one that is nothing but results of calls is none of its own. */
  messages: Set<string>;
}

const KEYS = {
  input_tokens: 'input',
  output_tokens: 'output',
  cache_read_input_tokens: 'cache_read',
  cache_creation_input_tokens: 'cache_write',
} as const;

interface Node {
  parent: string | null;
  message: string | null;
  preserved: string[];
}

/** Reads every record of a transcript; of a line that holds several, all of them. */
export function parseAll(lines: readonly string[]): JsonObject[] {
  return lines.flatMap((line) => {
    try {
      return [JSON.parse(line) as JsonObject];
    } catch {
      const pieces = line.split(/(?<=\})(?=\{")/);
      const found: JsonObject[] = [];
      let text = '';
      for (const piece of pieces) {
        text += piece;
        try {
          found.push(JSON.parse(text) as JsonObject);
          text = '';
        } catch {
          // Not a whole object yet.
        }
      }
      return found;
    }
  });
}

// biome-ignore lint/suspicious/noExplicitAny: a second opinion does not share the types of the first
type Loose = any;

/** `isOwn` says whether a sub-agent's lines are the live branch: its own file. */
export function opinionOf(lines: readonly string[], isOwn = false): Opinion {
  const nodes = new Map<string, Node>();
  const usage = new Map<string, Loose>();
  const calls = new Map<string, string>();
  const answered = new Set<string>();
  const messages = new Set<string>();
  let leaf: string | null = null;
  const speak = (record: Loose): string | null => {
    const id: string = record.type === 'assistant' ? (record.message.id ?? record.uuid) : record.uuid;
    const blocks: Loose[] = Array.isArray(record.message.content) ? record.message.content : [{ type: 'text' }];
    if (record.type === 'assistant' && record.message.usage && record.message.model !== '<synthetic>') {
      usage.set(id, record.message.usage);
    }
    for (const block of blocks) if (block.type === 'tool_use' && !calls.has(block.id)) calls.set(block.id, id);
    const results = blocks.filter((block) => block.type === 'tool_result');
    for (const result of results) answered.add(result.tool_use_id);
    const isOnlyResults = results.length === blocks.length && results.every((each) => calls.has(each.tool_use_id));
    if (!isOnlyResults) messages.add(id);
    return isOnlyResults ? (calls.get(results[0].tool_use_id) ?? null) : id;
  };
  for (const record of parseAll(lines) as Loose[]) {
    if (record.uuid && nodes.has(record.uuid)) continue;
    const isSpoken = (record.type === 'user' || record.type === 'assistant') && record.message;
    const isSide = record.isSidechain === true && !isOwn;
    const message = isSpoken ? speak(record) : null;
    const carried = record.type === 'progress' ? record.data?.message : null;
    if (carried?.message) speak(carried);
    if (!record.uuid) continue;
    const isBoundary = record.subtype === 'compact_boundary';
    const preserved = record.compactMetadata?.preservedMessages?.uuids ?? [];
    nodes.set(record.uuid, { parent: isBoundary ? null : (record.parentUuid ?? null), message, preserved });
    if ((isSpoken && !isSide) || isBoundary) leaf = record.uuid;
  }
  const live = new Set<string>();
  for (let at: string | null = leaf; at !== null; at = nodes.get(at)?.parent ?? null) {
    const node = nodes.get(at);
    for (const message of [node?.message, ...(node?.preserved ?? []).map((id) => nodes.get(id)?.message)]) {
      if (message) live.add(message);
    }
  }
  const total: Record<string, number> = {};
  for (const told of usage.values()) {
    for (const [key, name] of Object.entries(KEYS)) total[name] = (total[name] ?? 0) + (told[key] ?? 0);
  }
  return { live, usage: total, apiMessages: usage.size, calls: new Set(calls.keys()), answered, messages };
}
