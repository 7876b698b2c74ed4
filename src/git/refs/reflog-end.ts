/** What the last lines of a reflog say, at the cost of its end: every command asks for it. */
import { below } from '../../platform/below.ts';
import { readEnd } from '../../platform/plain-files.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';

/** What is looked at of a reflog's end, in bytes: longer lines than our own need another look. */
const END = 512;
/** What is looked at for values that a ref has left, in bytes: some four hundred moves, for a stranger's may be of any size. */
const LATELY = 64 * 1024;
/** Where the new value stands in a line, behind the old one. */
const NEW_VALUE = 41;

/** Whether the last line of a pointer's reflog gives it this value; so where there is no reflog, which says nothing else. */
function reflogEndsWith(root: string, ref: string, value: string): boolean {
  let end: Buffer;
  try {
    end = readEnd(below(root, 'logs', ref), END);
  } catch (error) {
    throwResourceError(error);
    return true;
  }
  const begin = end.lastIndexOf(0x0a, -2) + 1;
  return end.length === 0 || end.toString('latin1', begin + NEW_VALUE, begin + NEW_VALUE + value.length) === value;
}

/** A line of Git's that stands whole, by its two values: what is torn tells of no move. */
const MOVE = /^([0-9a-f]{40}) ([0-9a-f]{40}) [^\t\n]*> \d+ [+-]\d{4}(?=[\t\n])/gm;
export const NO_OBJECT = '0'.repeat(40);

/** Whether a pointer's reflog tells of another value after this one, not long ago. */
export function hasLatelyLeft(root: string, ref: string, value: string): boolean {
  if (reflogEndsWith(root, ref, value)) return false;
  const moves = [
    ...readEnd(below(root, 'logs', ref), LATELY)
      .toString('latin1')
      .matchAll(MOVE),
  ];
  const newest = moves.at(-1)?.[2];
  if (newest === value || newest === NO_OBJECT) return false;
  return moves.some(([, before, after]) => before === value || after === value);
}
