/** Calls that have one id, as some models give each of theirs: what they are called, and what tells one from a copy. */
import type { ToolPart } from './parts.ts';

/** What the nth of several calls is called that have the same id. */
export const nthOf = (id: string, nth: number): string => (nth === 1 ? id : `${id}~${nth}`);

/** Whether a call may be called so because another one has its id. */
export const isNth = (id: string): boolean => /~[0-9]+$/.test(id);

/** Finds the first free name for another thing with an id. Names that were taken are not asked about again until they are released. */
export class FreeNames {
  /** The lowest number of each id that may be free: all below are taken. */
  readonly #next = new Map<string, number>();

  /** Returns the name of the lowest number from 2 on that is not taken. */
  free(id: string, isTaken: (name: string) => boolean): string {
    let nth = this.#next.get(id) ?? 2;
    while (isTaken(nthOf(id, nth))) nth += 1;
    this.#next.set(id, nth);
    return nthOf(id, nth);
  }

  /** Notes that a name is not taken any more. */
  release(name: string): void {
    const [, id, nth] = /^(.*)~([0-9]+)$/s.exec(name) ?? [];
    const next = id === undefined ? undefined : this.#next.get(id);
    if (id !== undefined && next !== undefined) this.#next.set(id, Math.min(next, Math.max(2, Number(nth))));
  }
}

/** As many of them are told apart. */
export const IN_ORDER: readonly number[] = Array.from({ length: 16 }, (_, index) => index + 1);

/** Whether a call is another one told again; of one that is kept already the secrets were taken out. */
export function isSameCall(kept: ToolPart, told: ToolPart): boolean {
  if (kept.toolName !== told.toolName) return false;
  const input = JSON.stringify(kept.input);
  return TAKEN_OUT.some((mark) => input.includes(mark)) || input === JSON.stringify(told.input);
}
/** What stands where a secret was, or the content of a file that is known to hold some. */
const TAKEN_OUT = ['[redacted:', '[withheld:', '[forgotten'];
