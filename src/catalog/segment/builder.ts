/** Collects passages and rows in memory until they are encoded as a segment. */
import { eachWord } from '../words/tokens.ts';

/** Entry of a message, or of a record that can be found like one. */
export interface MessageEntry {
  id: string;
  /** The number of its session in the segment. */
  session: number;
  /** The number of its step in the segment. */
  step: number;
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
}

/** A growing list of numbers. */
export class Numbers {
  values: Uint32Array;
  length = 0;

  constructor(size = 1024) {
    this.values = new Uint32Array(size);
  }

  push(value: number): void {
    if (this.length === this.values.length) {
      const next = new Uint32Array(this.length * 2);
      next.set(this.values);
      this.values = next;
    }
    this.values[this.length] = value;
    this.length += 1;
  }

  at(index: number): number {
    return this.values[index] as number;
  }

  /** Returns the numbers as bytes, lowest byte first. */
  bytes(): Buffer {
    const content = Buffer.allocUnsafe(this.length * 4);
    for (let index = 0; index < this.length; index += 1) content.writeUInt32LE(this.at(index), index * 4);
    return content;
  }
}

/** Names of the tables of a segment. */
export const TABLES = ['sessions', 'paths', 'commands', 'usage', 'commits'] as const;
export type TableName = (typeof TABLES)[number];

/** Passages of an older segment that are replaced, by the number of the segment. */
export type Replaced = Map<number, number[]>;

export class SegmentBuilder {
  readonly terms = new Map<string, number>();
  /** The terms of the words, in order, and their places. */
  readonly words = new Numbers(65_536);
  readonly places = new Numbers(65_536);
  /** Positions at which the words of each passage begin. */
  readonly begins = new Numbers();
  readonly lengths = new Numbers();
  readonly kinds = new Numbers();
  readonly keys = new Numbers();
  readonly messageOf = new Numbers();
  readonly messages: MessageEntry[] = [];
  readonly steps: StepEntry[] = [];
  readonly dropped = new Set<number>();
  readonly replaced: Replaced = new Map();
  readonly tables: Record<TableName, string[]> = { sessions: [], paths: [], commands: [], usage: [], commits: [] };

  get passages(): number {
    return this.begins.length;
  }

  get isEmpty(): boolean {
    return this.passages === 0 && this.replaced.size === 0 && TABLES.every((name) => this.tables[name].length === 0);
  }

  /** Adds a message; returns its number. */
  message(entry: MessageEntry): number {
    return this.messages.push(entry) - 1;
  }

  step(entry: StepEntry): number {
    return this.steps.push(entry) - 1;
  }

  /** Adds a passage of a message; returns its number. */
  passage(message: number, kind: number, key: number, text: string): number {
    const { terms, words, places } = this;
    this.begins.push(words.length);
    this.messageOf.push(message);
    this.kinds.push(kind);
    this.keys.push(key);
    let place = 0;
    eachWord(text, (word) => {
      for (const { term, offset } of word.terms) {
        let number = terms.get(term);
        if (number === undefined) {
          number = terms.size;
          terms.set(term, number);
        }
        words.push(number);
        places.push(place + offset);
      }
      place += word.width;
    });
    this.lengths.push(place);
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
