/** The lines that were read before: a copy of such a line adds nothing. */
import { type JsonValue, objectOf, textOf } from '../../core/json.ts';
import { idsOf } from './fields.ts';

/** The latest time of a line, and the keys of the lines with that time: a copy of another line has an earlier one. */
export interface Newest {
  time: string;
  /** The keys of those lines, as many as there is room for. */
  keys: string[];
  /** True if there were more keys. */
  is_cut: boolean;
}

/** A line as it is compared. Times in any order will do: they are compared as texts. */
export interface Stamped {
  /** The key of the line. */
  key: string;
  /** The time of the line; empty if it has none. */
  time: string;
}

/** The number of lines of the same time that a cursor holds. */
const KEYS_LIMIT = 32;

/** Reads the latest time from a cursor. */
export function readNewest(value: JsonValue | undefined): Newest {
  const newest = objectOf(value);
  return {
    time: textOf(newest?.['time']) ?? '',
    keys: idsOf(newest?.['keys']),
    is_cut: newest?.['is_cut'] === true,
  };
}

/** The lines that were read, by their keys. */
export class Copies {
  /** The keys of this part. */
  readonly #seen = new Set<string>();
  /** The latest time of the earlier parts. */
  readonly #before: Newest;
  readonly #isPartial: boolean;
  readonly #isKept: (key: string) => boolean;
  #newest: Newest;

  /**
   * @param isPartial whether earlier parts were read that this one does not read again
   * @param isKept returns whether a line with this key is kept of earlier parts
   */
  constructor(newest: Newest, isPartial: boolean, isKept: (key: string) => boolean) {
    this.#before = newest;
    this.#newest = newest;
    this.#isPartial = isPartial;
    this.#isKept = isKept;
  }

  get newest(): Newest {
    return this.#newest;
  }

  /** Returns whether this line was read before. A line that is newer than all of them, as most are, was not. */
  has({ key, time }: Stamped): boolean {
    if (this.#seen.has(key)) return true;
    if (!this.#isPartial) return false;
    const { time: latest, keys, is_cut } = this.#before;
    if (time > latest) return false;
    if (time !== '' && time === latest && !is_cut) return keys.includes(key);
    return this.#isKept(key);
  }

  note({ key, time }: Stamped): void {
    this.#seen.add(key);
    const { time: latest, keys, is_cut } = this.#newest;
    if (time > latest) this.#newest = { time, keys: [key], is_cut: false };
    else if (time === latest && keys.length < KEYS_LIMIT) this.#newest = { time, keys: [...keys, key], is_cut };
    else if (time === latest) this.#newest = { time, keys, is_cut: true };
  }
}
