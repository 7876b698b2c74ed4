/** Reads transcripts ahead in threads, several at a time, while the main thread moves the pointers in order. */

import { releasePacks } from '../../git/objects/keep-file.ts';
import { collectGarbage } from '../../platform/memory.ts';
import { parallelism, programBeside, startThreads, type Threads } from '../../platform/threads.ts';
import type { FileProblem } from '../transcript/file-problem.ts';
import type { Work } from './read.ts';

/** A transcript for a thread to read. */
export interface ReadOrder {
  /** The store, and the folder that it was opened from. */
  store: string;
  directory: string;
  file: string;
  agent: string;
  from: string | undefined;
}

/** A transcript that a thread has read: the objects are durable, and nothing names them yet. */
export interface ReadTranscript {
  work: Work;
  /** Those of several source files that could not be read. */
  unreadable: readonly FileProblem[];
}

/** A transcript that may be read ahead. */
export interface QueuedTranscript {
  /**
   * Index of the last one before it that must be published first: its parent, or another file of its own session; -1 if
   * there is none.
   */
  behind: number;
  /** Returns the order for a thread; null if a thread must not read it. Called as late as possible. */
  order: () => ReadOrder | null;
}

export type ReadingThreads = Pick<Threads<ReadOrder, ReadTranscript>, 'idle' | 'order' | 'end'>;

/** Most threads: each takes some 50 MB, and ctx as a whole should stay below 200. */
const MOST = 2;
/** Distance by which reading is ahead of the pointers: a kill wastes that much. */
const LOOK_AHEAD = 16;

/** Starts as many threads as the machine has processors for; null if it has only one, or if they cannot be started. */
export function readingThreads(): ReadingThreads | null {
  const count = Math.min(parallelism(), MOST);
  const program = programBeside('ingest-thread.cjs');
  if (count < 2 || program === null) return null;
  // Garbage of the search for transcripts would add to the memory of the threads.
  collectGarbage();
  try {
    return startThreads(program, count);
  } catch {
    return null;
  }
}

/** Keeps threads busy with the next transcripts. They are started with the first order. */
export class ReadAhead {
  readonly #start: () => ReadingThreads | null;
  readonly #all: readonly QueuedTranscript[];
  /** Null if there can be none. */
  #threads: ReadingThreads | null | undefined;
  readonly #begun = new Map<number, Promise<ReadTranscript | null>>();
  readonly #running = new Set<Promise<unknown>>();

  constructor(start: () => ReadingThreads | null, all: readonly QueuedTranscript[]) {
    this.#start = start;
    this.#all = all;
  }

  /** Returns what was read of a transcript, once all before it are published; null if the caller must read it. */
  async take(index: number): Promise<ReadTranscript | null> {
    for (;;) {
      this.#begin(index, index);
      const begun = this.#begun.get(index);
      if (!begun && this.#running.size > 0) {
        // All threads read later ones, since this one had to wait for one before it.
        await Promise.race(this.#running);
        continue;
      }
      const read = (await begun) ?? null;
      this.#begun.delete(index);
      // The thread that has read it continues while its pointers are moved.
      this.#begin(index + 1, index);
      return read;
    }
  }

  /** Ends the threads, and releases what they have read in vain. */
  async end(): Promise<void> {
    await this.#threads?.end();
    for (const begun of this.#begun.values()) void begun.then((read) => releasePacks(read?.work.kept ?? []));
  }

  /** Orders idle threads to read. @param through how many are published */
  #begin(from: number, through: number): void {
    const end = Math.min(this.#all.length, through + LOOK_AHEAD);
    for (let index = from; index < end && this.#threads !== null && this.#threads?.idle !== 0; index += 1) {
      const one = this.#all[index] as QueuedTranscript;
      if (one.behind >= through || this.#begun.has(index)) continue;
      const order = one.order();
      this.#begun.set(index, order ? this.#read(order) : Promise.resolve(null));
    }
  }

  #read(order: ReadOrder): Promise<ReadTranscript | null> {
    if (this.#threads === undefined) this.#threads = this.#start();
    const reading = this.#threads?.order(order) ?? Promise.resolve(null);
    const running: Promise<unknown> = reading.then(() => this.#running.delete(running));
    this.#running.add(running);
    return reading;
  }
}
