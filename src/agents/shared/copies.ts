/** Which lines were read before: a line that stands in a transcript once more says nothing new. */
import { type JsonValue, objectOf, textOf } from '../../core/json.ts';
import { idsOf } from './fields.ts';

/** The latest time that a line told, and the keys of the lines that told it: a copy of another line tells an earlier one. */
export interface Newest {
  time: string;
  keys: string[];
  /** Whether there were more keys than there is room for. */
  is_cut: boolean;
}

/** A line as it is compared. Any order of times does, as long as it is one: they are compared as texts. */
export interface Stamped {
  key: string;
  /** Empty where it tells none. */
  time: string;
}

/** Lines of one and the same time that a cursor remembers. */
const KEYS_LIMIT = 32;

/** The latest time as it came back in a cursor. */
export function readNewest(value: JsonValue | undefined): Newest {
  const newest = objectOf(value);
  return {
    time: textOf(newest?.['time']) ?? '',
    keys: idsOf(newest?.['keys']),
    is_cut: newest?.['is_cut'] === true,
  };
}

export class Copies {
  /** The keys of this part. */
  readonly #seen = new Set<string>();
  /** What the parts before this one came to. */
  readonly #before: Newest;
  readonly #isPartial: boolean;
  readonly #isKept: (key: string) => boolean;
  #newest: Newest;

  /**
   * @param isPartial whether parts were read before that this one does not go through again
   * @param isKept whether a line with this key is kept of earlier parts
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

  /** Whether this line was read before. What is newer than all of them was not: most lines are. */
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
