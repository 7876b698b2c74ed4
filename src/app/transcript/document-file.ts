/** Reads the bytes of a transcript that is one document; one too large to be held is read in parts. */
import { closeSync, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import type { DocumentBytes } from '../../agents/contract/agent.ts';
import { documentOf } from '../../agents/shared/document/document.ts';
import { CtxError } from '../../core/errors.ts';
import { ioError } from '../../platform/files.ts';
import { readHandle } from '../../platform/pieces.ts';
import { newShortener } from './lines.ts';

/** Largest document that is held in memory, in bytes. */
const HELD = 8 * 1024 * 1024;
/** Length of the piece of a larger one that is read at a time, in bytes. */
const WINDOW = 1024 * 1024;

/** Opens the document in a file. @throws {CtxError} io, also later, if a large one is written while it is read */
export function documentIn(file: string): DocumentBytes {
  const { stat, text } = opened(file, (handle, found) => ({
    stat: found,
    text: found.size <= HELD ? readFileSync(handle) : null,
  }));
  return text ? documentOf(text) : new DocumentFile(file, stat);
}

function opened<Value>(file: string, use: (handle: number, stat: Stats) => Value): Value {
  try {
    const handle = openSync(file, 'r');
    try {
      return use(handle, fstatSync(handle));
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    throw ioError('read', file, error);
  }
}

class DocumentFile implements DocumentBytes {
  readonly size: number;
  readonly #file: string;
  readonly #stat: Stats;
  /** The part that was read last, and its offset. */
  #window: Buffer = Buffer.alloc(0);
  #from = 0;

  constructor(file: string, stat: Stats) {
    this.#file = file;
    this.#stat = stat;
    this.size = stat.size;
  }

  *pieces(): Generator<Buffer> {
    for (let at = 0; at < this.size; at += WINDOW) yield this.#read(at, WINDOW);
  }

  text(from: number, to: number): string {
    const end = Math.min(to, this.size);
    // A large part is asked for once: it is not kept.
    if (end - from > WINDOW) return this.#read(from, end - from).toString('utf8');
    if (from < this.#from || end > this.#from + this.#window.length) {
      this.#window = this.#read(from, WINDOW);
      this.#from = from;
    }
    return this.#window.toString('utf8', from - this.#from, end - this.#from);
  }

  /** Shortens a part without ever holding all of it. */
  shortened(from: number, to: number): string | null {
    const shortener = newShortener();
    for (let at = from; at < to; at += WINDOW) shortener.push(this.#read(at, Math.min(WINDOW, to - at)));
    return shortener.end()?.toString('utf8') ?? null;
  }

  /** Reads a range of the file, which must not have changed since the offsets were determined. */
  #read(from: number, length: number): Buffer {
    return opened(this.#file, (handle, { ino, size, mtimeMs }) => {
      const was = this.#stat;
      if (ino !== was.ino || size !== was.size || mtimeMs !== was.mtimeMs) throw changed(this.#file);
      for (const piece of readHandle(handle, length, from)) return piece;
      return Buffer.alloc(0);
    });
  }
}

const changed = (file: string): CtxError =>
  new CtxError('io', `${file} was written while it was read.`, { hint: 'Nothing of it was taken. Do it again.' });
