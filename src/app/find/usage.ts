/** `ctx usage`: sums the tokens that models were sent and have sent. */
import { askCatalog, type CatalogOptions } from '../../catalog/catalog.ts';
import { type UsageCall, usageCalls } from '../../catalog/find/usage.ts';
import { localDay } from '../../core/listing/day.ts';
import { shortIdsOf } from '../../history/pointers/candidates.ts';
import type { Repository } from '../../history/store/repository.ts';

export const USAGE_KEYS = ['session', 'model', 'agent', 'day', 'project'] as const;
export type UsageKey = (typeof USAGE_KEYS)[number];

/** Sums of one kind of thing. */
export interface UsageRow {
  key: string;
  /** Number of times that the user said something that was answered. */
  turns: number;
  /** Calls of a model. */
  calls: number;
  input: number;
  output: number;
  reasoning: number;
  cache_read: number;
  cache_write: number;
  /** Input, output, and what was read from and written to a cache. The output has the reasoning in it. */
  total: number;
  /** Null if no agent said what it cost. */
  cost_usd: number | null;
}

/** A row for a session has its title too. */
export interface UsageResult {
  by: UsageKey;
  rows: (UsageRow & { title?: string; short_id?: string })[];
  total: UsageRow;
}

export interface UsageOptions {
  by?: UsageKey | undefined;
  /** Unix seconds, both inclusive, of the calls. */
  since?: number | undefined;
  until?: number | undefined;
  catalog?: CatalogOptions | undefined;
}

const NOTHING: Omit<UsageRow, 'key'> = {
  turns: 0,
  calls: 0,
  input: 0,
  output: 0,
  reasoning: 0,
  cache_read: 0,
  cache_write: 0,
  total: 0,
  cost_usd: null,
};

/** Sums usage. What is in several sessions, which are copies of each other, counts for each of them, and once in everything else. */
export function usageOf(repository: Repository, options: UsageOptions = {}): UsageResult {
  const { by = 'day', since = 0, until = Number.POSITIVE_INFINITY } = options;
  const total: UsageRow = { key: 'total', ...NOTHING };
  const rows = new Map<string, UsageRow & { title?: string; last: number }>();
  askCatalog(
    repository,
    { sessions: true },
    (catalog) => {
      rows.clear();
      Object.assign(total, NOTHING);
      for (const call of usageCalls(catalog)) {
        if (call.at < since || call.at > until) continue;
        if (!call.isCopy) add(total, call);
        if (call.isCopy && by !== 'session') continue;
        const key = keyOf(call, by, repository.project);
        let row = rows.get(key);
        if (!row) {
          row = { key, ...NOTHING, last: 0, ...(by === 'session' ? { title: call.session.title } : {}) };
          rows.set(key, row);
        }
        row.last = Math.max(row.last, call.at);
        add(row, call);
      }
    },
    options.catalog,
  );
  const sorted = [...rows.values()].sort((a, b) => order(a, b, by));
  const short = by === 'session' ? shortIdsOf(repository) : null;
  return {
    by,
    rows: sorted.map(({ last: _last, ...row }) => ({
      ...row,
      ...(short ? { short_id: short.get(row.key) ?? row.key } : {}),
    })),
    total,
  };
}

/** Days in their order, sessions by their last call, and other things by their tokens. */
function order(a: UsageRow & { last: number }, b: UsageRow & { last: number }, by: UsageKey): number {
  if (by === 'day') return a.key < b.key ? -1 : 1;
  return (by === 'session' ? b.last - a.last : b.total - a.total) || (a.key < b.key ? -1 : 1);
}

function keyOf({ session, model, at }: UsageCall, by: UsageKey, project: string): string {
  switch (by) {
    case 'session':
      return session.id;
    case 'model':
      return model ?? 'unknown';
    case 'agent':
      return session.agent ?? 'unknown';
    case 'day':
      return localDay(at);
    case 'project':
      return session.project ?? project;
  }
}

function add(row: UsageRow, { tokens }: UsageCall): void {
  if (tokens === null) {
    row.turns += 1;
    return;
  }
  const [, , calls, [input, output, reasoning, read, write], cost] = tokens;
  row.calls += calls;
  row.input += input;
  row.output += output;
  row.reasoning += reasoning;
  row.cache_read += read;
  row.cache_write += write;
  row.total += input + output + read + write;
  if (cost !== null) row.cost_usd = (row.cost_usd ?? 0) + cost;
}
