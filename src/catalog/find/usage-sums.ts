/** Sums of usage by session, model and quarter of an hour: what a catalog has is added up once, and kept until more is taken in. */
import type { Repository } from '../../history/store/repository.ts';
import { numbersIn, numbersOf } from '../bytes/columns.ts';
import type { Sections } from '../bytes/sections.ts';
import type { Catalog } from '../catalog.ts';
import { keepDerived, readDerived } from '../store/derived.ts';
import { stampOfHeads } from '../store/pointers.ts';
import type { SessionList } from '../views/session-list.ts';
import { usesIn } from './usage.ts';

/** Every time zone is some quarters of an hour from any other: calls of one are of one day. */
export const QUARTER = 900;

/** Numbers of a row; what is summed begins with `turns`. */
export const ROW = {
  session: 0,
  model: 1,
  quarter: 2,
  isCopy: 3,
  /** Unix seconds of the last call, 0 if there is none. */
  last: 4,
  turns: 5,
  calls: 6,
  input: 7,
  output: 8,
  reasoning: 9,
  cache_read: 10,
  cache_write: 11,
  cost: 12,
  /** Number of calls whose cost is known. */
  costs: 13,
} as const;
export const WIDTH = 14;

export interface UsageSums {
  /** `session` is a place here. */
  sessions: SessionList;
  models: (string | null)[];
  /** Row after row. */
  numbers: Float64Array;
}

/** Bounds of times, in Unix seconds, both inclusive. */
export interface Times {
  since: number;
  until: number;
}

const ALWAYS: Times = { since: 0, until: Number.POSITIVE_INFINITY };

/** Returns the sums of calls and turns within some times; of all of them they are kept beside the catalog. */
export function usageSums(repository: Repository, catalog: Catalog, times: Times): UsageSums {
  const { list: sessions, state: manifest, whole: state } = catalog;
  const isAll = times.since <= ALWAYS.since && times.until >= ALWAYS.until;
  if (!isAll || state === null || manifest === null) return summedUp(catalog, times);
  const known = readDerived(repository, NAME, state, sumsIn);
  if (known) return { sessions, ...known };
  const sums = summedUp(catalog, times);
  const now = (): string => manifest + stampOfHeads(repository);
  keepDerived(repository, NAME, { manifest, state, now }, (writer) => {
    writer.add('models', Buffer.from(JSON.stringify(sums.models)));
    writer.add('numbers', numbersOf(sums.numbers));
  });
  return sums;
}

const NAME = 'usage';

const sumsIn = (sections: Sections): Omit<UsageSums, 'sessions'> => ({
  models: JSON.parse(sections.whole('models').toString('utf8')) as (string | null)[],
  numbers: numbersIn(sections.whole('numbers')),
});

function summedUp(catalog: Catalog, { since, until }: Times): UsageSums {
  const uses = usesIn(catalog);
  const { sessions, models, columns, isCopy, costs } = uses;
  const { session: sessionOf, model: modelOf, at: times, calls, input, output, reasoning, read, write } = columns;
  let numbers = new Float64Array(WIDTH * 256);
  let rows = 0;
  const places = new Map<number, number>();
  /** The place of the first number of a row. */
  const rowOf = (session: number, model: number, quarter: number, copy: number): number => {
    const key = ((quarter * models.length + model) * sessions.length + session) * 2 + copy;
    const known = places.get(key);
    if (known !== undefined) return known;
    const at = rows * WIDTH;
    rows += 1;
    if (at + WIDTH > numbers.length) {
      const wider = new Float64Array(numbers.length * 2);
      wider.set(numbers);
      numbers = wider;
    }
    places.set(key, at);
    numbers[at] = session;
    numbers[at + ROW.model] = model;
    numbers[at + ROW.quarter] = quarter;
    numbers[at + ROW.isCopy] = copy;
    return at;
  };
  const add = (at: number, column: number, more: number): void => {
    numbers[at + column] = (numbers[at + column] as number) + more;
  };
  /** The row of the call before: most are of the same. */
  let before = { session: -1, model: -1, quarter: -1, copy: -1, at: 0 };
  for (const row of uses.rows) {
    const time = times[row] as number;
    if (time < since || time > until) continue;
    const [session, model, copy] = [sessionOf[row] as number, modelOf[row] as number, isCopy[row] as number];
    const quarter = Math.floor(time / QUARTER);
    if (session !== before.session || model !== before.model || quarter !== before.quarter || copy !== before.copy)
      before = { session, model, quarter, copy, at: rowOf(session, model, quarter, copy) };
    const { at } = before;
    numbers[at + ROW.last] = Math.max(numbers[at + ROW.last] as number, time);
    add(at, ROW.calls, calls[row] as number);
    add(at, ROW.input, input[row] as number);
    add(at, ROW.output, output[row] as number);
    add(at, ROW.reasoning, reasoning[row] as number);
    add(at, ROW.cache_read, read[row] as number);
    add(at, ROW.cache_write, write[row] as number);
    const cost = costs.size === 0 ? undefined : costs.get(row);
    if (cost === undefined) continue;
    add(at, ROW.cost, cost);
    add(at, ROW.costs, 1);
  }
  for (const { session, model, at: time, isCopy: copy } of uses.turns) {
    if (time < since || time > until) continue;
    const at = rowOf(session, model, Math.floor(time / QUARTER), Number(copy));
    numbers[at + ROW.last] = Math.max(numbers[at + ROW.last] as number, time);
    add(at, ROW.turns, 1);
  }
  return { sessions, models, numbers: numbers.slice(0, rows * WIDTH) };
}
