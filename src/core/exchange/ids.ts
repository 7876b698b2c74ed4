/** Ids that every provider takes, and ids that follow from what they name. */
import { shaOf } from '../digest.ts';

/** Most characters of the id of a call. */
const LONGEST = 64;

const plainId = (own: string): string => own.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, LONGEST) || 'call';

/**
 * Gives calls ids of the alphabet of every provider, each once in a conversation. None is another one with `_` and a number behind it:
 * Claude Code loses the result of such a call.
 */
export class CallIds {
  readonly #given = new Set<string>();
  readonly #own: ReadonlySet<string>;

  /** @param own the ids of all calls of the conversation */
  constructor(own: Iterable<string>) {
    this.#own = new Set([...own].map(plainId));
  }

  /** Returns the id of a call: its own, if that can be kept. */
  take(own: string): string {
    const plain = plainId(own);
    const [, base] = /^(.+)_\d+$/.exec(plain) ?? [];
    const first = base !== undefined && this.#own.has(base) ? `${plain.slice(0, LONGEST - 8)}-1` : plain;
    let id = first;
    for (let nth = 2; this.#given.has(id); nth += 1) id = `${plain.slice(0, LONGEST - 8)}-${nth}`;
    this.#given.add(id);
    return id;
  }
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** Returns whether a text is a UUID in lower case. */
export const isUuid = (text: string): boolean => UUID.test(text);

/** Returns a UUID that follows from texts: the same file is written from the same conversation. */
export function derivedUuid(...texts: readonly (string | number)[]): string {
  const hash = shaOf('sha256', Buffer.from(texts.join('\0')));
  const variant = ((Number.parseInt(hash.charAt(16), 16) & 3) | 8).toString(16);
  const pieces = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, variant + hash.slice(17, 20)];
  return [...pieces, hash.slice(20, 32)].join('-');
}

/** Returns a short id that follows from texts, of letters and digits. */
export const derivedId = (...texts: readonly (string | number)[]): string =>
  shaOf('sha256', Buffer.from(texts.join('\0'))).slice(0, 26);

/** The times of records: each is another one, since records of one second are many. */
export class Times {
  readonly #ascend: boolean;
  readonly #taken = new Set<number>();
  #last = 0;

  /** @param ascend whether each is later than all before it: some agents order records by their times */
  constructor(ascend: boolean) {
    this.#ascend = ascend;
  }

  /** @param at Unix seconds @returns milliseconds */
  take(at: number): number {
    let time = Math.max(Math.floor(at * 1000), this.#ascend ? this.#last + 1 : 0);
    if (!this.#ascend) for (; this.#taken.has(time); ) time += 1;
    if (!this.#ascend) this.#taken.add(time);
    this.#last = Math.max(this.#last, time);
    return time;
  }

  iso(at: number): string {
    return new Date(this.take(at)).toISOString();
  }
}
