/** `ctx usage`: sums the tokens that models were sent and have sent. */
import { askCatalog, type CatalogOptions } from '../../catalog/catalog.ts';
import { type Uses, usesIn } from '../../catalog/find/usage.ts';
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

/** Sums usage. What is in several sessions, which are copies of each other, counts for each of them, and once in everything else. */
export function usageOf(repository: Repository, options: UsageOptions = {}): UsageResult {
  const { by = 'day', since = 0, until = Number.POSITIVE_INFINITY } = options;
  const { total, rows } = askCatalog(
    repository,
    { sessions: true },
    (catalog) => summed(usesIn(catalog), { by, since, until, project: repository.project }),
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

/** A row, with the time of its last call. */
type Dated = UsageRow & { title?: string; last: number };

interface Summing {
  by: UsageKey;
  since: number;
  until: number;
  project: string;
}

/** Sums that a row has, in the order in which they are added up; the last is the number of calls whose cost is known. */
const SUMS = ['turns', 'calls', 'input', 'output', 'reasoning', 'cache_read', 'cache_write', 'cost_usd'] as const;
const WIDTH = SUMS.length + 1;
/** The place of the total; those of the keys follow. */
const TOTAL = 0;

function summed(uses: Uses, { by, since, until, project }: Summing): { total: UsageRow; rows: Map<string, Dated> } {
  const { sessions, models, columns, isCopy, costs } = uses;
  const keyOf = keysOf(by, project);
  const keys = new Map<string, number>();
  const last: number[] = [0];
  // In an array of numbers: to add to a member of an object would make a new number each time.
  let sums = new Float64Array(WIDTH * 64);
  const placeOf = (session: number, model: number, at: number): number => {
    const key = keyOf(sessions[session] as SessionEntry, models[model] ?? null, at);
    const place = keys.get(key) ?? keys.size + 1;
    if (place > keys.size) {
      keys.set(key, place);
      const wider = new Float64Array(sums.length * ((place + 1) * WIDTH > sums.length ? 2 : 1));
      if (wider.length > sums.length) {
        wider.set(sums);
        sums = wider;
      }
    }
    last[place] = Math.max(last[place] ?? 0, at);
    return place;
  };
  const [calls, input, output, reasoning] = [columns.calls, columns.input, columns.output, columns.reasoning];
  const { read, write } = columns;
  const add = (place: number, row: number): void => {
    const to = place * WIDTH;
    sums[to + 1] = (sums[to + 1] as number) + (calls[row] as number);
    sums[to + 2] = (sums[to + 2] as number) + (input[row] as number);
    sums[to + 3] = (sums[to + 3] as number) + (output[row] as number);
    sums[to + 4] = (sums[to + 4] as number) + (reasoning[row] as number);
    sums[to + 5] = (sums[to + 5] as number) + (read[row] as number);
    sums[to + 6] = (sums[to + 6] as number) + (write[row] as number);
    if (costs.size === 0) return;
    const cost = costs.get(row);
    sums[to + 7] = (sums[to + 7] as number) + (cost ?? 0);
    sums[to + 8] = (sums[to + 8] as number) + (cost === undefined ? 0 : 1);
  };
  /** The place of the row before: most are of the same key, if days do not count. */
  let before = { session: -1, model: -1, place: TOTAL };
  for (let index = 0; index < uses.rows.length; index += 1) {
    const row = uses.rows[index] as number;
    const at = columns.at[row] as number;
    if (at < since || at > until) continue;
    if (isCopy[row] === 0) add(TOTAL, row);
    else if (by !== 'session') continue;
    const [session, model] = [columns.session[row] as number, columns.model[row] as number];
    if (by === 'day' || session !== before.session || model !== before.model)
      before = { session, model, place: placeOf(session, model, at) };
    else last[before.place] = Math.max(last[before.place] as number, at);
    add(before.place, row);
  }
  for (const { session, model, at, isCopy: isOther } of uses.turns) {
    if (at < since || at > until) continue;
    if (!isOther) sums[TOTAL] = (sums[TOTAL] as number) + 1;
    if (isOther && by !== 'session') continue;
    const to = placeOf(session, model, at) * WIDTH;
    sums[to] = (sums[to] as number) + 1;
  }
  const titles = new Map(by === 'session' ? sessions.map(({ id, title }) => [id, title]) : []);
  const rows = new Map<string, Dated>();
  for (const [key, place] of keys) {
    const title = titles.get(key);
    rows.set(key, {
      ...rowOf(key, sums, place),
      last: last[place] as number,
      ...(title === undefined ? {} : { title }),
    });
  }
  return { total: rowOf('total', sums, TOTAL), rows };
}

function rowOf(key: string, sums: Float64Array, place: number): UsageRow {
  const of = (name: (typeof SUMS)[number]): number => sums[place * WIDTH + SUMS.indexOf(name)] as number;
  return {
    key,
    turns: of('turns'),
    calls: of('calls'),
    input: of('input'),
    output: of('output'),
    reasoning: of('reasoning'),
    cache_read: of('cache_read'),
    cache_write: of('cache_write'),
    total: of('input') + of('output') + of('cache_read') + of('cache_write'),
    cost_usd: sums[place * WIDTH + SUMS.length] === 0 ? null : of('cost_usd'),
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
