/** Collects passages and rows in memory until they are encoded as a segment. */
import { lengthCode, Numbers } from '../bytes/columns.ts';
import { eachSpan } from '../words/tokens.ts';
import { UsageTable } from './usage-table.ts';
import { WordTable } from './word-table.ts';

/** Entry of a message, or of a record that can be found like one. */
export interface MessageEntry {
  /** A number for its id; 0 of a title. */
  id: number;
  /** The number of its session in the segment. */
  session: number;
  /** The number of its step in the segment. */
  step: number;
  /** The number of the record in its step that is the message, or the first that is of it. */
  record: number;
  /** Unix seconds. */
  at: number;
  role: number;
  /** The number of its turn in the session. */
  turn: number;
}

/** A step that holds messages. */
export interface StepEntry {
  session: number;
  /** Its number in the session. */
  step: number;
  tree: string;
  /** The object that has its records. */
  records: string;
}

/** Names of the tables of a segment that have one JSON line a row. */
export const TABLES = ['sessions', 'paths', 'commands', 'commits'] as const;
export type TableName = (typeof TABLES)[number];

export const emptyTables = (): Record<TableName, string[]> => ({ sessions: [], paths: [], commands: [], commits: [] });

/** Passages of an older segment that are replaced, by the number of the segment. */
export type Replaced = Map<number, number[]>;

export class SegmentBuilder {
  readonly table = new WordTable();
  /** The words of all passages, in order, by their numbers in the table. */
  readonly words = new Numbers(65_536);
  /** Positions at which the words of each passage begin. */
  readonly begins = new Numbers();
  /** Lengths of the passages, as a column has them. */
  readonly lengths = new Numbers();
  readonly kinds = new Numbers();
  readonly keys = new Numbers();
  readonly messageOf = new Numbers();
  readonly messages: MessageEntry[] = [];
  readonly steps: StepEntry[] = [];
  readonly dropped = new Set<number>();
  readonly replaced: Replaced = new Map();
  readonly tables = emptyTables();
  readonly usage = new UsageTable();

  get passages(): number {
    return this.begins.length;
  }

  get isEmpty(): boolean {
    return (
      this.passages === 0 &&
      this.replaced.size === 0 &&
      this.usage.isEmpty &&
      TABLES.every((name) => this.tables[name].length === 0)
    );
  }

  /** Adds a message; returns its number. */
  message(entry: MessageEntry): number {
    return this.messages.push(entry) - 1;
  }

  step(entry: StepEntry): number {
    return this.steps.push(entry) - 1;
  }

  /** Adds a passage of the last message; returns its number. */
  passage(message: number, kind: number, key: number, text: string): number {
    const { table, words } = this;
    this.begins.push(words.length);
    this.messageOf.push(message);
    this.kinds.push(kind);
    this.keys.push(key);
    let length = 0;
    eachSpan(text, (begin, end) => {
      const word = table.numberOf(text, begin, end);
      words.push(word);
      length += table.widths.values[word] as number;
    });
    this.lengths.push(lengthCode(length));
    return this.passages - 1;
  }

  /** Drops a passage that a later one replaces: an empty one stays in its place, since others are named by their numbers. */
  drop(passage: number): void {
    this.dropped.add(passage);
    this.lengths.values[passage] = 0;
  }

  /** Notes that a passage of an older segment is replaced. */
  replace(segment: number, passage: number): void {
    const known = this.replaced.get(segment);
    if (known) known.push(passage);
    else this.replaced.set(segment, [passage]);
  }

  row(table: TableName, row: unknown): void {
    this.tables[table].push(JSON.stringify(row));
  }
}
