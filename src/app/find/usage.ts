/** `ctx usage`: sums the tokens that models were sent and have sent. */
import { askCatalog, type CatalogOptions } from '../../catalog/catalog.ts';
import { QUARTER, ROW, type UsageSums, usageSums, WIDTH } from '../../catalog/find/usage-sums.ts';
import type { SessionEntry } from '../../catalog/segment/rows.ts';
import { localDay } from '../../core/listing/day.ts';
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

/** Sums usage. What is in several sessions, which are copies of each other, counts for each of them, and once in everything else. */
export function usageOf(repository: Repository, options: UsageOptions = {}): UsageResult {
  const { by = 'day', since = 0, until = Number.POSITIVE_INFINITY } = options;
  const { total, rows } = askCatalog(
    repository,
    { sessions: true, commits: true },
    (catalog) => summed(usageSums(repository, catalog, { since, until }), by, repository.project),
    options.catalog,
  );
  const sorted = [...rows.values()].sort((a, b) => order(a, b, by));
  return { by, rows: sorted.map(({ last: _last, ...row }) => row), total };
}

/** A row, with the time of its last call. */
type Dated = UsageResult['rows'][number] & { last: number };

/** Columns that are added up. */
const SUMS = ['turns', 'calls', 'input', 'output', 'reasoning', 'cache_read', 'cache_write'] as const;

const emptyRow = (key: string): Dated => {
  const counts = { turns: 0, calls: 0, input: 0, output: 0, reasoning: 0, cache_read: 0, cache_write: 0, total: 0 };
  return { key, ...counts, cost_usd: null, last: 0 };
};

function summed(
  { sessions, models, numbers }: UsageSums,
  by: UsageKey,
  project: string,
): { total: UsageRow; rows: Map<string, Dated> } {
  const keyOf = keysOf(by, project);
  const { last: _last, ...total } = emptyRow('total');
  const rows = new Map<string, Dated>();
  for (let at = 0; at < numbers.length; at += WIDTH) {
    const number = (column: number): number => numbers[at + column] as number;
    const isCopy = number(ROW.isCopy) === 1;
    if (!isCopy) add(total, number);
    else if (by !== 'session') continue;
    const place = number(ROW.session);
    const key = keyOf(() => sessions.row(place), models[number(ROW.model)] ?? null, number(ROW.quarter) * QUARTER);
    let row = rows.get(key);
    if (!row) {
      row = {
        ...emptyRow(key),
        ...(by === 'session' ? { title: sessions.row(place).title, short_id: sessions.about(place).short_id } : {}),
      };
      rows.set(key, row);
    }
    add(row, number);
    row.last = Math.max(row.last, number(ROW.last));
  }
  return { total, rows };
}

function add(row: UsageRow, number: (column: number) => number): void {
  for (const name of SUMS) row[name] += number(ROW[name]);
  row.total += number(ROW.input) + number(ROW.output) + number(ROW.cache_read) + number(ROW.cache_write);
  if (number(ROW.costs) > 0) row.cost_usd = (row.cost_usd ?? 0) + number(ROW.cost);
}

/** Days in their order, sessions by their last call, and other things by their tokens. */
function order(a: UsageRow & { last: number }, b: UsageRow & { last: number }, by: UsageKey): number {
  if (by === 'day') return a.key < b.key ? -1 : 1;
  return (by === 'session' ? b.last - a.last : b.total - a.total) || (a.key < b.key ? -1 : 1);
}

/** Returns what gives a call, or a turn, the key of its row. */
function keysOf(
  by: UsageKey,
  project: string,
): (session: () => SessionEntry, model: string | null, at: number) => string {
  const days = new Map<number, string>();
  const dayOf = (at: number): string => {
    const day = days.get(at) ?? localDay(at);
    days.set(at, day);
    return day;
  };
  switch (by) {
    case 'session':
      return (session) => session().id;
    case 'model':
      return (_session, model) => model ?? 'unknown';
    case 'agent':
      return (session) => session().agent ?? 'unknown';
    case 'day':
      return (_session, _model, at) => dayOf(at);
    case 'project':
      return (session) => session().project ?? project;
  }
}
