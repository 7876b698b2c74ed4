/** `ctx usage`: sums the tokens that models were sent and have sent. */
import { askCatalog, type CatalogOptions } from '../../catalog/catalog.ts';
import { type CallPlace, eachUse } from '../../catalog/find/usage.ts';
import type { SessionEntry } from '../../catalog/segment/rows.ts';
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
      const keyOf = keysOf(by, repository.project);
      eachUse(catalog, ({ session, model, at, call, isCopy }) => {
        if (at < since || at > until) return;
        if (!isCopy) add(total, call);
        if (isCopy && by !== 'session') return;
        const key = keyOf(session, model, at);
        let row = rows.get(key);
        if (!row) {
          row = { key, ...NOTHING, last: 0, ...(by === 'session' ? { title: session.title } : {}) };
          rows.set(key, row);
        }
        row.last = Math.max(row.last, at);
        add(row, call);
      });
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

/** Every time zone is some quarters of an hour from any other. */
const QUARTER = 900;

/** Returns what gives a call, or a turn, the key of its row. */
function keysOf(by: UsageKey, project: string): (session: SessionEntry, model: string | null, at: number) => string {
  const days = new Map<number, string>();
  const dayOf = (at: number): string => {
    const quarter = Math.floor(at / QUARTER);
    const day = days.get(quarter) ?? localDay(at);
    days.set(quarter, day);
    return day;
  };
  switch (by) {
    case 'session':
      return ({ id }) => id;
    case 'model':
      return (_session, model) => model ?? 'unknown';
    case 'agent':
      return ({ agent }) => agent ?? 'unknown';
    case 'day':
      return (_session, _model, at) => dayOf(at);
    case 'project':
      return (session) => session.project ?? project;
  }
}

function add(row: UsageRow, place: CallPlace | null): void {
  if (place === null) {
    row.turns += 1;
    return;
  }
  const { calls, costs } = place.table;
  const of = (column: number[] | Float64Array): number => column[place.row] as number;
  const [input, output, read, write] = [of(calls.input), of(calls.output), of(calls.read), of(calls.write)];
  row.calls += of(calls.calls);
  row.input += input;
  row.output += output;
  row.reasoning += of(calls.reasoning);
  row.cache_read += read;
  row.cache_write += write;
  row.total += input + output + read + write;
  const cost = costs.get(place.row);
  if (cost !== undefined) row.cost_usd = (row.cost_usd ?? 0) + cost;
}
