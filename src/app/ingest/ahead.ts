/** Reading transcripts ahead, in threads: as many at a time as there are, while one side moves the pointers in order. */

import { releasePacks } from '../../git/objects/keep-file.ts';
import { collectGarbage } from '../../platform/memory.ts';
import { parallelism, programBeside, startThreads, type Threads } from '../../platform/threads.ts';
import type { FileProblem } from '../transcript/file-problem.ts';
import type { Work } from './read.ts';

/** What a thread is to read. */
export interface ReadOrder {
  /** The store, and the folder that it was opened from. */
  store: string;
  directory: string;
  file: string;
  agent: string;
  from: string | undefined;
}

/** What it has read: the objects are durable, and nothing names them yet. */
export interface ReadTranscript {
  work: Work;
  /** Of the files that the text was made of, those that could not be read. */
  unreadable: readonly FileProblem[];
}

/** A transcript that may be read ahead. */
export interface Ahead {
  /** The last one before it that must be through first: its parent, or another file of its own session; -1 where there is none. */
  behind: number;
  /** What to give to a thread; null where it is not for one. Asked for at the last moment. */
  order: () => ReadOrder | null;
}

export type ReadingThreads = Pick<Threads<ReadOrder, ReadTranscript>, 'idle' | 'order' | 'end'>;

/** Most threads: each takes some 50 MB, and all of ctx is to do with 200. */
const MOST = 2;
/** How far ahead of the pointers is read: what a kill takes is read again. */
const LOOK_AHEAD = 16;

/** As many threads as the machine has work for; null where it has none for a second one, or they cannot be started. */
export function readingThreads(): ReadingThreads | null {
  const count = Math.min(parallelism(), MOST);
  const program = programBeside('ingest-thread.cjs');
  if (count < 2 || program === null) return null;
  // What looking for transcripts has left would lie beside all that the threads hold.
  collectGarbage();
  try {
    return startThreads(program, count);
  } catch {
    return null;
  }
}

/** Keeps threads busy with what comes next. They are started once there is an order for one. */
export class ReadAhead {
  readonly #start: () => ReadingThreads | null;
  readonly #all: readonly Ahead[];
  /** Null where there can be none. */
  #threads: ReadingThreads | null | undefined;
  readonly #begun = new Map<number, Promise<ReadTranscript | null>>();
  readonly #running = new Set<Promise<unknown>>();

  constructor(start: () => ReadingThreads | null, all: readonly Ahead[]) {
    this.#start = start;
    this.#all = all;
  }

  /** What was read of a transcript, once all before it are through; null where whoever asks must read it himself. */
  async take(index: number): Promise<ReadTranscript | null> {
    for (;;) {
      this.#begin(index, index);
      const begun = this.#begun.get(index);
      if (!begun && this.#running.size > 0) {
        // All threads are at later ones: it had to wait for one before it.
        await Promise.race(this.#running);
        continue;
      }
      const read = (await begun) ?? null;
      this.#begun.delete(index);
      // The thread that has read it goes on while its pointers are moved.
      this.#begin(index + 1, index);
      return read;
    }
  }

  /** Ends the threads. What they have read in vain is nobody's. */
  async end(): Promise<void> {
    await this.#threads?.end();
    for (const begun of this.#begun.values()) void begun.then((read) => releasePacks(read?.work.kept ?? []));
  }

  /** Gives the threads that wait what may be read. @param through how many are through */
  #begin(from: number, through: number): void {
    const end = Math.min(this.#all.length, through + LOOK_AHEAD);
    for (let index = from; index < end && this.#threads !== null && this.#threads?.idle !== 0; index += 1) {
      const one = this.#all[index] as Ahead;
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
