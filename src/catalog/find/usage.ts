/** Reads what models used from the catalog: each call once, though it may be in several sessions, which are copies. */
import type { Catalog } from '../catalog.ts';
import { COLUMNS, messageOfCall, requestOfCall } from '../segment/usage-table.ts';
import type { SessionList } from '../views/session-list.ts';

type Name = (typeof COLUMNS)[number];

/** Calls of models in columns, in which a process that has just begun adds up a hundred thousand of them in no time. */
export interface Uses {
  /** The oldest first: `session` is a place here. */
  sessions: SessionList;
  models: (string | null)[];
  columns: Record<Name, Float64Array>;
  /** The rows that count, session by session, in the order of their times; and the places at which those of each session begin. */
  rows: Uint32Array;
  begins: Uint32Array;
  /** By row, whether another session had the call first. */
  isCopy: Uint8Array;
  /** By row, US dollars of calls of which somebody said it. */
  costs: Map<number, number>;
  turns: Turn[];
}

/** Something that the user said. */
export interface Turn {
  session: number;
  /** The place of the model that answered. */
  model: number;
  at: number;
  isCopy: boolean;
}

/** Returns the calls and turns of all sessions. */
export function usesIn(catalog: Catalog): Uses {
  const sessions = catalog.list;
  const uses = collected(catalog, sessions);
  const { columns } = uses;
  const isLast = lastAccounts(uses);
  const sorted = bySession(columns, isLast, sessions.length);
  markCopies(uses, sorted.rows);
  return { ...uses, ...sorted, turns: turnsIn(catalog, { ...uses, ...sorted }) };
}

/** Columns that are changed while they are put together. */
const CHANGED: ReadonlySet<Name> = new Set(['session', 'model', 'message', 'at']);

type Sorted = Pick<Uses, 'rows' | 'begins'>;
type Collected = Omit<Uses, 'turns' | keyof Sorted>;

/** Puts the calls of all segments into one table. */
function collected(catalog: Catalog, sessions: SessionList): Collected {
  const total = catalog.segments.reduce((sum, { usage }) => sum + usage.calls.at.length, 0);
  const [first, ...others] = catalog.segments;
  const columns = Object.fromEntries(
    COLUMNS.map((name) => {
      // Columns that are not changed below are not copied, if there is one segment.
      const isKept = others.length === 0 && !CHANGED.has(name);
      const own = isKept && first?.usage.calls[name];
      return [name, own instanceof Float64Array ? own : new Float64Array(total)];
    }),
  ) as Uses['columns'];
  const models: (string | null)[] = [];
  const costs = new Map<number, number>();
  let begin = 0;
  for (const [index, places] of sessions.places.entries()) {
    const { usage } = catalog.segments[index] as Catalog['segments'][number];
    for (const name of COLUMNS) if (columns[name] !== usage.calls[name]) columns[name].set(usage.calls[name], begin);
    const modelOf = usage.models.map((model) => placeIn(models, model));
    const end = begin + usage.calls.at.length;
    const { session, model } = columns;
    for (let row = begin; row < end; row += 1) {
      session[row] = places[session[row] as number] as number;
      model[row] = modelOf[model[row] as number] as number;
    }
    for (const [row, cost] of usage.costs) costs.set(begin + row, cost);
    begin = end;
  }
  return { sessions, models, columns, costs, isCopy: new Uint8Array(total) };
}

function placeIn(models: (string | null)[], model: string | null): number {
  const place = models.indexOf(model);
  return place < 0 ? models.push(model) - 1 : place;
}

/** An empty table of rows by a hash, with room for some; -1 is in what is free. */
const slotsFor = (rows: number): Int32Array => new Int32Array(2 ** Math.ceil(Math.log2(rows * 2 + 2))).fill(-1);

/** Returns for each row whether it counts: of several accounts of a message in one session the last one, put in the place of the first. */
function lastAccounts({ columns, models }: Collected): Uint8Array {
  const { session, message, model, at } = columns;
  const counts = new Uint8Array(message.length);
  const slots = slotsFor(message.length);
  const mask = slots.length - 1;
  for (let row = 0; row < message.length; row += 1) {
    if ((session[row] as number) < 0) continue;
    const own = messageOfCall(message[row] as number);
    let slot = (own / 32 + (session[row] as number) * 40_503) & mask;
    for (; ; slot = (slot + 1) & mask) {
      const held = slots[slot] as number;
      if (held < 0 || (messageOfCall(message[held] as number) === own && session[held] === session[row])) break;
    }
    const first = slots[slot] as number;
    counts[row] = 1;
    slots[slot] = row;
    if (first < 0) continue;
    // A later account of a message may be without its model, request and time.
    counts[first] = 0;
    at[row] = at[first] as number;
    if (models[model[row] as number] === null) model[row] = model[first] as number;
    if (message[row] === own) message[row] = message[first] as number;
  }
  return counts;
}

/** Returns the rows that count, session by session, in the order of their times. */
function bySession({ session, at }: Uses['columns'], counts: Uint8Array, sessions: number): Sorted {
  const begins = new Uint32Array(sessions + 1);
  for (let row = 0; row < counts.length; row += 1)
    if (counts[row] === 1) begins[(session[row] as number) + 1] = (begins[(session[row] as number) + 1] as number) + 1;
  for (let place = 0; place < sessions; place += 1)
    begins[place + 1] = (begins[place + 1] as number) + (begins[place] as number);
  const rows = new Uint32Array(begins[sessions] as number);
  const nexts = begins.slice();
  const unsorted = new Set<number>();
  for (let row = 0; row < counts.length; row += 1) {
    if (counts[row] === 0) continue;
    const own = session[row] as number;
    const to = nexts[own] as number;
    if (to > (begins[own] as number) && (at[rows[to - 1] as number] as number) > (at[row] as number)) unsorted.add(own);
    rows[to] = row;
    nexts[own] = to + 1;
  }
  for (const own of unsorted)
    rows.subarray(begins[own], begins[own + 1]).sort((a, b) => (at[a] as number) - (at[b] as number) || a - b);
  return { rows, begins };
}

/** Marks calls that an older session has too, and entries that take away what their session has copied from another. */
function markCopies({ columns, costs, isCopy }: Collected, rows: Uint32Array): void {
  const { message, at, calls, input, output, reasoning, read, write } = columns;
  const same = (one: number, other: number): boolean =>
    message[one] === message[other] &&
    // With its request a message is one of an API, whatever its copies say of it.
    (requestOfCall(message[one] as number) !== 0 ||
      (at[one] === at[other] &&
        calls[one] === calls[other] &&
        input[one] === input[other] &&
        output[one] === output[other] &&
        reasoning[one] === reasoning[other] &&
        read[one] === read[other] &&
        write[one] === write[other] &&
        costs.get(one) === costs.get(other)));
  const slots = slotsFor(rows.length);
  const mask = slots.length - 1;
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] as number;
    let slot = ((message[row] as number) / 32) & mask;
    while ((slots[slot] as number) >= 0 && !same(slots[slot] as number, row)) slot = (slot + 1) & mask;
    const takesAway =
      (input[row] as number) < 0 ||
      (output[row] as number) < 0 ||
      (reasoning[row] as number) < 0 ||
      (read[row] as number) < 0 ||
      (write[row] as number) < 0;
    if ((slots[slot] as number) >= 0 || takesAway) isCopy[row] = 1;
    if ((slots[slot] as number) < 0) slots[slot] = row;
  }
}

/** Returns what the users said, session by session; a turn is of the model that answers it. */
function turnsIn(catalog: Catalog, { sessions, models, columns, rows, begins }: Omit<Uses, 'turns'>): Turn[] {
  const said = Array.from({ length: sessions.length }, () => new Map<number, number>());
  for (const [index, places] of sessions.places.entries()) {
    const { turns } = (catalog.segments[index] as Catalog['segments'][number]).usage;
    for (let row = 0; row < turns.at.length; row += 1) {
      const own = said[places[turns.session[row] as number] as number];
      const message = turns.message[row] as number;
      if (own && !own.has(message)) own.set(message, turns.at[row] as number);
    }
  }
  const found: Turn[] = [];
  const seen = new Set<string>();
  const unknown = placeIn(models, null);
  for (const [session, own] of said.entries()) {
    const [begin, end] = [begins[session] as number, begins[session + 1] as number];
    let answer = begin;
    for (const [message, at] of [...own].sort(([, a], [, b]) => a - b)) {
      while (answer < end && (columns.at[rows[answer] as number] as number) < at) answer += 1;
      const by = rows[Math.min(answer, end - 1)] as number;
      const before = seen.size;
      const isCopy = seen.add(`${message} ${at}`).size === before;
      found.push({ session, model: end > begin ? (columns.model[by] as number) : unknown, at, isCopy });
    }
  }
  return found;
}
