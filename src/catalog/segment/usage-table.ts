/** Usage of models, in columns: one row for each call of a model, and one for each thing that the user said. */
import { isObject } from '../../core/json.ts';
import { ByteReader, ByteWriter } from '../bytes/varint.ts';

/** Tokens: input, output, reasoning, read from a cache, written to a cache. */
export type Tokens = [input: number, output: number, reasoning: number, cache_read: number, cache_write: number];

/** Usage of one call of a model. Usage that an agent reports only for a turn as a whole has a row of its own. */
export interface UsageCall {
  /** The number of its session in the segment. */
  session: number;
  /** Null if no agent said it. */
  model: string | null;
  /** A number for the ids of its message and its request: see `callNumber`. */
  message: number;
  /** Unix seconds. */
  at: number;
  /** Number of calls that it counts for. */
  calls: number;
  tokens: Tokens;
  /** US dollars; null if nobody said it. */
  cost: number | null;
}

/** The lowest bits of a number for a call are of its request; 0 of one whose request is not known. */
const REQUEST = 31;

/** Returns a number for a call by those for the ids of its message and its request. @param request null if it is not known */
export const callNumber = (message: number, request: number | null): number =>
  messageOfCall(message) + (request === null ? 0 : 1 + (request % REQUEST));

/** Returns the part of a number for a call that is of its message. */
export const messageOfCall = (call: number): number => call - requestOfCall(call);

/** Returns the part of a number for a call that is of its request; 0 if that is not known. */
export const requestOfCall = (call: number): number => call & REQUEST;

/** Columns of the calls, each with a number a row; every further one is a class of tokens. */
export const COLUMNS = [
  'session',
  'model',
  'message',
  'at',
  'calls',
  'input',
  'output',
  'reasoning',
  'read',
  'write',
] as const;
const TURN_COLUMNS = ['session', 'message', 'at'] as const;
/** Columns whose neighbours are near each other: what differs is stored. */
const NEAR: ReadonlySet<string> = new Set(['session', 'model', 'at']);
/** A number for the id of a message has no pattern: all of its bytes are stored. */
const MESSAGE_BYTES = 6;

/** Returns the tokens that a usage names. */
export function tokensIn(usage: unknown): Tokens {
  const counts = (isObject(usage as never) ? usage : {}) as Record<string, unknown>;
  const count = (key: string): number => {
    const value = counts[key];
    return typeof value === 'number' && value > 0 ? value : 0;
  };
  return [count('input'), count('output'), count('reasoning'), count('cache_read'), count('cache_write')];
}

type Columns<Name extends string> = Record<Name, number[] | Float64Array>;

export class UsageTable {
  readonly models: (string | null)[] = [];
  calls: Columns<(typeof COLUMNS)[number]> = emptyColumns(COLUMNS);
  turns: Columns<(typeof TURN_COLUMNS)[number]> = emptyColumns(TURN_COLUMNS);
  /** By row, what a call cost, if somebody said it. */
  readonly costs = new Map<number, number>();

  get isEmpty(): boolean {
    return this.calls.session.length + this.turns.session.length === 0;
  }

  /** Adds a call. Only to a table that is being made. */
  call({ session, model, message, at, calls, tokens, cost }: UsageCall): void {
    let place = this.models.indexOf(model);
    if (place < 0) place = this.models.push(model) - 1;
    const row = [session, place, message, at, calls, ...tokens];
    for (const [index, name] of COLUMNS.entries()) (this.calls[name] as number[]).push(row[index] as number);
    if (cost !== null) this.costs.set(this.calls.session.length - 1, cost);
  }

  /** Adds something that the user said. Only to a table that is being made. */
  turn(session: number, message: number, at: number): void {
    const { turns } = this;
    (turns.session as number[]).push(session);
    (turns.message as number[]).push(message);
    (turns.at as number[]).push(at);
  }

  callAt(row: number): UsageCall {
    const { calls } = this;
    const value = (name: (typeof COLUMNS)[number]): number => calls[name][row] as number;
    return {
      session: value('session'),
      model: this.models[value('model')] ?? null,
      message: value('message'),
      at: value('at'),
      calls: value('calls'),
      tokens: [value('input'), value('output'), value('reasoning'), value('read'), value('write')],
      cost: this.costs.get(row) ?? null,
    };
  }

  /** Adds the rows of another table. @param sessions by the number of a session there its number here; negative of one that is left out */
  addAll(other: UsageTable, numberOf: (session: number) => number): void {
    for (let row = 0; row < other.calls.session.length; row += 1) {
      const session = numberOf(other.calls.session[row] as number);
      if (session >= 0) this.call({ ...other.callAt(row), session });
    }
    const { turns } = other;
    for (let row = 0; row < turns.session.length; row += 1) {
      const session = numberOf(turns.session[row] as number);
      if (session >= 0) this.turn(session, turns.message[row] as number, turns.at[row] as number);
    }
  }

  encode(): Buffer {
    const writer = new ByteWriter(65_536);
    const about = Buffer.from(JSON.stringify({ models: this.models, costs: [...this.costs] }));
    writer.varint(about.length);
    writer.bytes(about);
    writeColumns(writer, COLUMNS, this.calls);
    writeColumns(writer, TURN_COLUMNS, this.turns);
    return Buffer.from(writer.written());
  }
}

/** Decodes a table. @throws {RangeError} if it is cut off */
export function readUsage(bytes: Buffer): UsageTable {
  const table = new UsageTable();
  if (bytes.length === 0) return table;
  const reader = new ByteReader(bytes);
  const { models, costs } = JSON.parse(reader.take(reader.varint()).toString('utf8')) as {
    models: (string | null)[];
    costs: [number, number][];
  };
  table.models.push(...models);
  for (const [row, cost] of costs) table.costs.set(row, cost);
  table.calls = readColumns(reader, COLUMNS);
  table.turns = readColumns(reader, TURN_COLUMNS);
  return table;
}

function emptyColumns<Name extends string>(names: readonly Name[]): Columns<Name> {
  return Object.fromEntries(names.map((name) => [name, [] as number[]])) as unknown as Columns<Name>;
}

function writeColumns<Name extends string>(writer: ByteWriter, names: readonly Name[], columns: Columns<Name>): void {
  const [first] = names as [Name];
  writer.varint(columns[first].length);
  for (const name of names) {
    let last = 0;
    for (const value of columns[name]) {
      if (name === 'message') {
        const bytes = Buffer.alloc(MESSAGE_BYTES);
        bytes.writeUIntLE(value, 0, MESSAGE_BYTES);
        writer.bytes(bytes);
        continue;
      }
      const difference = value - last;
      writer.varint(difference >= 0 ? difference * 2 : -difference * 2 - 1);
      if (NEAR.has(name)) last = value;
    }
  }
}

function readColumns<Name extends string>(reader: ByteReader, names: readonly Name[]): Columns<Name> {
  const rows = reader.varint();
  // Each row has a byte in each column at least.
  if (rows > reader.end) throw new RangeError('a table is cut off');
  const columns = emptyColumns(names);
  for (const name of names) {
    const values = new Float64Array(rows);
    columns[name] = values;
    if (name === 'message') {
      const bytes = reader.take(rows * MESSAGE_BYTES);
      for (let row = 0; row < rows; row += 1) values[row] = numberIn(bytes, row * MESSAGE_BYTES);
      continue;
    }
    reader.signed(values, NEAR.has(name));
  }
  return columns;
}

/** Reads a number for the id of a message. */
export const numberIn = (bytes: Uint8Array, at: number): number =>
  (bytes[at] as number) +
  (bytes[at + 1] as number) * 2 ** 8 +
  (bytes[at + 2] as number) * 2 ** 16 +
  (bytes[at + 3] as number) * 2 ** 24 +
  ((bytes[at + 4] as number) + (bytes[at + 5] as number) * 2 ** 8) * 2 ** 32;
