/** Reads the last lines of a reflog without reading all of it: every command does so. */
import { below } from '../../platform/below.ts';
import { readEnd } from '../../platform/plain-files.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';

/** Bytes that are read from the end of a reflog: lines longer than ctx's own need another read. */
const END = 512;
/** Bytes that are searched for earlier values of a ref: some four hundred moves, since a stranger's reflog may be of any size. */
const LATELY = 64 * 1024;
/** Offset of the new value in a line, behind the old one. */
const NEW_VALUE = 41;

/** Returns whether the last line of a pointer's reflog has this value; true if there is no reflog, which contradicts nothing. */
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

/** A complete line of Git's with its two values: a torn line is no move. */
const MOVE = /^([0-9a-f]{40}) ([0-9a-f]{40}) [^\t\n]*> \d+ [+-]\d{4}(?=[\t\n])/gm;
export const NO_OBJECT = '0'.repeat(40);

/** Returns whether a pointer's reflog has a recent move away from this value. */
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
