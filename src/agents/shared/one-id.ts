/** Unique ids for calls that share one, as some models give every call the same id. */
import type { ToolPart } from './parts.ts';

/** Returns the id of the nth of several calls with the same id. */
export const nthOf = (id: string, nth: number): string => (nth === 1 ? id : `${id}~${nth}`);

/** Returns whether an id may be one that was made unique. */
export const isNth = (id: string): boolean => /~[0-9]+$/.test(id);

/** Finds the first free name for another thing with an id. A taken name is not tried again until it is released. */
export class FreeNames {
  /** The lowest number of each id that may be free: all below are taken. */
  readonly #next = new Map<string, number>();

  /** Returns the name with the lowest number from 2 on that is not taken. */
  free(id: string, isTaken: (name: string) => boolean): string {
    let nth = this.#next.get(id) ?? 2;
    while (isTaken(nthOf(id, nth))) nth += 1;
    this.#next.set(id, nth);
    return nthOf(id, nth);
  }

  /** Marks a name as free. */
  release(name: string): void {
    const [, id, nth] = /^(.*)~([0-9]+)$/s.exec(name) ?? [];
    const next = id === undefined ? undefined : this.#next.get(id);
    if (id !== undefined && next !== undefined) this.#next.set(id, Math.min(next, Math.max(2, Number(nth))));
  }
}

/** The numbers of calls with one id that are kept apart. */
export const IN_ORDER: readonly number[] = Array.from({ length: 16 }, (_, index) => index + 1);

/** Returns whether a call is a copy of a kept one, from which the secrets were removed. */
export function isSameCall(kept: ToolPart, told: ToolPart): boolean {
  if (kept.toolName !== told.toolName) return false;
  const input = JSON.stringify(kept.input);
  return TAKEN_OUT.some((mark) => input.includes(mark)) || input === JSON.stringify(told.input);
}
/** Marks in place of a secret, or of the content of a file that is known to hold some. */
const TAKEN_OUT = ['[redacted:', '[withheld:', '[forgotten'];
