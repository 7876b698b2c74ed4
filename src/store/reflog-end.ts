/** What the last line of a reflog says, at the cost of its end: every command asks for it. */
import { below } from '../platform/below.ts';
import { readEnd } from '../platform/plain-files.ts';

/** What is looked at of a reflog's end, in bytes: longer lines than our own need another look. */
const END = 512;
/** Where the new value stands in a line, behind the old one. */
const NEW_VALUE = 41;

/** Whether the last line of a pointer's reflog gives it this value; so where there is no reflog, which says nothing else. */
export function reflogEndsWith(root: string, ref: string, value: string): boolean {
  let end: Buffer;
  try {
    end = readEnd(below(root, 'logs', ref), END);
  } catch {
    return true;
  }
  const begin = end.lastIndexOf(0x0a, -2) + 1;
  return end.length === 0 || end.toString('latin1', begin + NEW_VALUE, begin + NEW_VALUE + value.length) === value;
}
