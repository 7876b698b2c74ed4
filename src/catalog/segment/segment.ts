/** An immutable segment: the inverted index of some passages, what is known of their messages, and rows of the tables. */
import { CatalogDamage, Sections, type Source } from '../bytes/sections.ts';
import { type MessageEntry, type StepEntry, TABLES, type TableName } from './builder.ts';
import { Dictionary } from './dictionary.ts';
import { STEP_SIZE } from './encode.ts';
import { decodePostings, type TakeDocument } from './postings.ts';
import { OWN, type SessionEntry } from './rows.ts';

/** The bytes of a segment, in files or in memory. */
export interface SegmentBytes {
  /** Orders segments: what is in a later one counts. */
  number: number;
  index: () => Source;
  /** Returns the rows of a table, a JSON text a line. @throws {CatalogDamage} */
  table: (name: TableName) => string;
}

/** A column of numbers that are read from bytes. */
export interface Column {
  length: number;
  at: (index: number) => number;
}

function columnOf(bytes: Buffer, width: 1 | 2 | 4): Column {
  const length = bytes.length / width;
  if (width === 1) return { length, at: (index) => bytes[index] as number };
  // A view of the bytes is far faster than a call for each number.
  const aligned = bytes.byteOffset % width === 0 ? bytes : Buffer.from(bytes);
  const values =
    width === 2
      ? new Uint16Array(aligned.buffer, aligned.byteOffset, length)
      : new Uint32Array(aligned.buffer, aligned.byteOffset, length);
  return { length, at: (index) => values[index] as number };
}

/** Returns the rows of a table. @throws {CatalogDamage} */
export function rowsIn(text: string): unknown[] {
  try {
    return JSON.parse(`[${text.trimEnd().replaceAll('\n', ',')}]`) as unknown[];
  } catch {
    throw new CatalogDamage('a table is damaged');
  }
}

export class Segment {
  readonly number: number;
  readonly #bytes: SegmentBytes;
  #sections: Sections | undefined;
  #dictionary: Dictionary | undefined;
  #steps: Buffer | undefined;
  readonly #columns = new Map<string, Column>();
  readonly #rows = new Map<TableName, unknown[]>();

  constructor(bytes: SegmentBytes) {
    this.number = bytes.number;
    this.#bytes = bytes;
  }

  get #open(): Sections {
    this.#sections ??= new Sections(this.#bytes.index());
    return this.#sections;
  }

  get dictionary(): Dictionary {
    this.#dictionary ??= new Dictionary(this.#open);
    return this.#dictionary;
  }

  #column(name: string, width: 1 | 2 | 4): Column {
    let column = this.#columns.get(name);
    if (!column) {
      column = columnOf(this.#open.whole(name), width);
      this.#columns.set(name, column);
    }
    return column;
  }

  get messageOf(): Column {
    return this.#column('passage-message', 4);
  }
  get kinds(): Column {
    return this.#column('passage-kind', 1);
  }
  get lengths(): Column {
    return this.#column('passage-length', 2);
  }
  get keys(): Column {
    return this.#column('passage-key', 4);
  }
  get sessions(): Column {
    return this.#column('message-session', 4);
  }
  get turns(): Column {
    return this.#column('message-turn', 4);
  }
  get times(): Column {
    return this.#column('message-at', 4);
  }
  get roles(): Column {
    return this.#column('message-role', 1);
  }

  /** Passages of older segments that passages of this one replace. */
  get replaced(): [segment: number, passages: number[]][] {
    return JSON.parse(this.#open.whole('replaced').toString('utf8')) as [number, number[]][];
  }

  /** Passes on the documents of a term; returns in how many it is. @throws {CatalogDamage} */
  eachDocument(term: string, take: TakeDocument): number {
    const entry = this.dictionary.find(term);
    if (!entry) return 0;
    decodePostings(this.#open.part('lists', entry.offset, entry.length), entry.split, take);
    return entry.documents;
  }

  /** Returns the bytes of a list. */
  list(offset: number, length: number): Buffer {
    return this.#open.part('lists', offset, length);
  }

  /** Returns the id of a message. */
  idOf(message: number): string {
    const ends = this.#column('message-id-end', 4);
    const begin = message === 0 ? 0 : ends.at(message - 1);
    return this.#open.part('message-ids', begin, ends.at(message) - begin).toString('utf8');
  }

  /** Returns what is known of a message, without its id. */
  message(message: number): Omit<MessageEntry, 'id'> {
    const step = this.#column('message-step', 4).at(message);
    return {
      session: this.sessions.at(message),
      step,
      at: this.times.at(message),
      role: this.roles.at(message),
      turn: this.turns.at(message),
    };
  }

  /** Counts the steps that are in the segment. */
  get stepCount(): number {
    return this.#open.length('steps') / STEP_SIZE;
  }

  /** Returns a step by its number in the segment. */
  step(index: number): StepEntry {
    this.#steps ??= this.#open.whole('steps');
    const at = index * STEP_SIZE;
    if (at + STEP_SIZE > this.#steps.length) throw new CatalogDamage('a step is missing');
    return {
      session: this.#steps.readUInt32LE(at),
      step: this.#steps.readUInt32LE(at + 4),
      tree: this.#steps.toString('hex', at + 8, at + STEP_SIZE),
    };
  }

  rows(name: TableName): unknown[] {
    let rows = this.#rows.get(name);
    if (!rows) {
      rows = rowsIn(this.#bytes.table(name));
      this.#rows.set(name, rows);
    }
    return rows;
  }

  /** The rows of the sessions; of one that was given up while it was read, the id is empty. */
  get sessionRows(): SessionEntry[] {
    const rows = this.rows('sessions') as SessionEntry[];
    return rows.map((row) => (row.titled?.[0] === OWN ? { ...row, titled: [this.number, row.titled[1]] } : row));
  }

  /** Reads all of the segment. @throws {CatalogDamage} */
  check(): void {
    for (const entry of this.dictionary.from())
      decodePostings(this.list(entry.offset, entry.length), entry.split, () => undefined);
    for (const message of [this.messageOf, this.kinds, this.lengths, this.keys, this.turns, this.times, this.roles])
      if (message.length > 0) message.at(0);
    for (let message = 0; message < this.sessions.length; message += 1) this.idOf(message);
    if (this.stepCount > 0) this.step(0);
    if (this.replaced.length > 0) this.replaced.at(0);
    for (const name of TABLES) this.rows(name);
  }

  /** Returns a table as it is stored. */
  table(name: TableName): string {
    return this.#bytes.table(name);
  }

  close(): void {
    this.#sections?.close();
    this.#sections = undefined;
  }
}
