/** An immutable segment: the inverted index of some passages, what is known of their messages, and rows of the tables. */
import { DeltaColumn, numberOfThree, wordsIn } from '../bytes/columns.ts';
import { CatalogDamage, Sections, type Source } from '../bytes/sections.ts';
import { type MessageEntry, type StepEntry, TABLES, type TableName } from './builder.ts';
import { Dictionary } from './dictionary.ts';
import { ID_SIZE, STEP_SIZE } from './encode.ts';
import { Exchanges } from './exchanges.ts';
import {
  type Documents,
  decodeDocuments,
  decodePostings,
  type List,
  NO_DOCUMENTS,
  type TakeDocument,
} from './postings.ts';
import { OWN, type SessionEntry } from './rows.ts';
import { numberIn, readUsage, type UsageTable } from './usage-table.ts';

/** Bytes of the lists that are read at once by who reads all of them. */
const AHEAD = 1024 * 1024;

/** The bytes of a segment, in files or in memory. */
export interface SegmentBytes {
  /** Orders segments: what is in a later one counts. */
  number: number;
  index: () => Source;
  /** Returns the rows of a table, a JSON text a line. @throws {CatalogDamage} */
  table: (name: TableName) => string;
}

/** Returns the rows of a table. @throws {CatalogDamage} */
function rowsIn(text: string): unknown[] {
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
  readonly #columns = new Map<string, DeltaColumn>();
  readonly #wholes = new Map<string, Buffer>();
  #exchanges: Exchanges | undefined;
  readonly #rows = new Map<TableName, unknown[]>();
  #usage: UsageTable | undefined;

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

  #whole(name: string): Buffer {
    let bytes = this.#wholes.get(name);
    if (!bytes) {
      bytes = this.#open.whole(name);
      this.#wholes.set(name, bytes);
    }
    return bytes;
  }

  #column(name: string): DeltaColumn {
    let column = this.#columns.get(name);
    if (!column) {
      column = new DeltaColumn(this.#open.whole(name));
      this.#columns.set(name, column);
    }
    return column;
  }

  /** The message of each passage. */
  get messageOf(): DeltaColumn {
    return this.#column('passage-message');
  }
  get kinds(): Uint8Array {
    return this.#whole('passage-kind');
  }
  /** Length of each passage, as a column has it; 0 for one that was dropped. */
  get lengths(): Uint8Array {
    return this.#whole('passage-length');
  }
  get exchanges(): Exchanges {
    this.#exchanges ??= new Exchanges(this.#open.whole('exchanges'));
    return this.#exchanges;
  }
  get times(): DeltaColumn {
    return this.#column('message-at');
  }
  get roles(): Uint8Array {
    return this.#whole('message-role');
  }

  /** Returns the number for the key of a passage. */
  keyOf(passage: number): number {
    return numberOfThree(this.#whole('passage-key'), passage);
  }

  /** Lengths: of all passages together, then of those of each session by the weights of their kinds. */
  get sessionLengths(): Uint32Array {
    return wordsIn(this.#whole('session-lengths'));
  }

  /** Counts the messages. */
  get messageCount(): number {
    return this.#open.length('message-role');
  }

  /** Counts the passages. */
  get passageCount(): number {
    return this.#open.length('passage-kind');
  }

  /** Returns the session of a message, by its number in the segment. */
  sessionOf(message: number): number {
    return this.exchanges.session(this.exchanges.ofMessage(message));
  }

  /** Passages of older segments that passages of this one replace. */
  get replaced(): [segment: number, passages: number[]][] {
    return JSON.parse(this.#whole('replaced').toString('utf8')) as [number, number[]][];
  }

  get usage(): UsageTable {
    this.#usage ??= readUsage(this.#open.whole('usage'));
    return this.#usage;
  }

  #listOf(term: string): List | null {
    const entry = this.dictionary.find(term);
    return entry && { bytes: this.#open.part('lists', entry.offset, entry.length), split: entry.split };
  }

  /** Returns the documents of a term, with how often each has it. @throws {CatalogDamage} */
  documentsOf(term: string): Documents {
    const list = this.#listOf(term);
    return list ? decodeDocuments(list) : NO_DOCUMENTS;
  }

  /** Passes on the documents of a term, with the places in each. @throws {CatalogDamage} */
  eachPosting(term: string, take: TakeDocument): void {
    const list = this.#listOf(term);
    if (list) decodePostings(list, take);
  }

  /** Returns a reader of lists that are asked for in the order of their places. */
  listsInOrder(): (place: { offset: number; length: number; split: number }) => List {
    let [begin, window] = [0, Buffer.alloc(0) as Buffer];
    return ({ offset, length, split }) => {
      if (offset < begin || offset + length > begin + window.length) {
        const all = this.#open.length('lists');
        window = this.#open.part('lists', offset, Math.max(length, Math.min(AHEAD, all - offset)));
        begin = offset;
      }
      return { bytes: window.subarray(offset - begin, offset - begin + length), split };
    };
  }

  /** Returns the number for the id of a message; 0 of a title. */
  idOf(message: number): number {
    const ids = this.#whole('message-id');
    if ((message + 1) * ID_SIZE > ids.length) throw new CatalogDamage('a message is missing');
    return numberIn(ids, message * ID_SIZE);
  }

  /** Returns what is known of a message. */
  message(message: number): MessageEntry {
    const exchange = this.exchanges.ofMessage(message);
    return {
      id: this.idOf(message),
      session: this.exchanges.session(exchange),
      step: this.#column('message-step').at(message),
      record: this.#column('message-record').at(message),
      at: this.times.at(message),
      role: this.roles[message] as number,
      turn: this.exchanges.turn(exchange),
    };
  }

  /** Counts the steps that are in the segment. */
  get stepCount(): number {
    return this.#open.length('steps') / STEP_SIZE;
  }

  /** Returns a step by its number in the segment. */
  step(index: number): StepEntry {
    const steps = this.#whole('steps');
    const at = index * STEP_SIZE;
    if (at + STEP_SIZE > steps.length) throw new CatalogDamage('a step is missing');
    return {
      session: steps.readUInt32LE(at),
      step: steps.readUInt32LE(at + 4),
      tree: steps.toString('hex', at + 8, at + 28),
      records: steps.toString('hex', at + 28, at + STEP_SIZE),
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
    const listAt = this.listsInOrder();
    for (const entry of this.dictionary.from()) decodePostings(listAt(entry), () => undefined);
    if (this.messageOf.all().length !== this.kinds.length || this.kinds.length !== this.lengths.length)
      throw new CatalogDamage('its passages are not as many as their messages say');
    for (let message = 0; message < this.messageCount; message += 1) this.message(message);
    if (this.stepCount > 0) this.step(this.stepCount - 1);
    if (this.replaced.length > 0) this.replaced.at(0);
    if (this.kinds.length > 0) this.keyOf(this.kinds.length - 1);
    this.sessionLengths.at(0);
    this.usage.callAt(0);
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
