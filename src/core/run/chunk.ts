/** Reads the chunks of a UI message stream of the AI SDK, as NDJSON or as server-sent events. */
import { isObject, type JsonObject } from '../json.ts';

/** One chunk of a stream. What it holds beside its type depends on the type, and on the version of the package. */
export type Chunk = JsonObject & { type: string };

export const isChunk = (value: unknown): value is Chunk => isObject(value) && typeof value['type'] === 'string';

/**
 * The types of transient data chunks that a program writes for ctx alone: clients of the AI SDK pass them over. `step` says what a call of
 * the model used, `status` that the call is tried again, `cursor` where its provider continues.
 */
export const OWN_CHUNK = { step: 'data-ctx-step', status: 'data-ctx-status', cursor: 'data-ctx-cursor' } as const;

/** Longest chunk, in UTF-16 code units. */
const CHUNK_LIMIT = 16 * 1024 * 1024;

/** Reads a stream in pieces of text that may be cut anywhere. */
export class ChunkReader {
  /** Problems of the first lines that hold no chunk, one for each line. */
  readonly problems: string[] = [];
  #rest = '';
  #line = 0;
  /** The data of a server-sent event whose end has not come. */
  #event: string[] = [];

  /** Returns the chunks that a piece completes. */
  push(piece: string): Chunk[] {
    const end = piece.lastIndexOf('\n');
    if (end < 0) {
      this.#rest += piece;
      if (this.#rest.length <= CHUNK_LIMIT) return [];
      this.#problem(`it is longer than ${CHUNK_LIMIT / 1_048_576} MiB`, this.#line + 1);
      this.#rest = '';
      return [];
    }
    const lines = (this.#rest + piece.slice(0, end)).split('\n');
    this.#rest = piece.slice(end + 1);
    return lines.flatMap((line) => this.#take(line));
  }

  /** Returns the chunks of a stream that ends without a line feed. */
  end(): Chunk[] {
    const last = this.#rest;
    this.#rest = '';
    return [...(last === '' ? [] : this.#take(last)), ...this.#take('')];
  }

  #take(whole: string): Chunk[] {
    this.#line += 1;
    // A stream of server-sent events may begin with a byte order mark.
    const bare = this.#line === 1 && whole.startsWith('\ufeff') ? whole.slice(1) : whole;
    const line = bare.endsWith('\r') ? bare.slice(0, -1) : bare;
    if (line.startsWith('data:')) {
      this.#event.push(line.slice(line.startsWith('data: ') ? 6 : 5));
      return [];
    }
    if (line.trim() !== '') return /^(?::|event:|id:|retry:)/.test(line) ? [] : this.#parse(line);
    if (this.#event.length === 0) return [];
    const data = this.#event.join('\n');
    this.#event = [];
    return data === '[DONE]' ? [] : this.#parse(data);
  }

  #parse(text: string): Chunk[] {
    try {
      const value: unknown = JSON.parse(text);
      if (isChunk(value)) return [value];
      this.#problem('it is no object with a "type"');
    } catch {
      this.#problem('it is no JSON');
    }
    return [];
  }

  #problem(why: string, line = this.#line): void {
    if (this.problems.length < MOST_PROBLEMS) this.problems.push(`line ${line}: ${why}`);
  }
}

const MOST_PROBLEMS = 20;
