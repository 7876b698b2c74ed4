/** Where a name begins and ends in a text. */
import { lazyPattern } from '../core/lazily.ts';
import { after } from './links.ts';

export const LONGEST_NAME = 48;

/** Characters of a name from a place on, and up to one. Patterns, for V8 would set about compiling a loop over them. */
const NAME_ON = lazyPattern(`[A-Za-z0-9_.-]{0,${LONGEST_NAME}}`, 'y');
const NAME_BEFORE = new RegExp(`(?<=([A-Za-z0-9_.-]{0,${LONGEST_NAME}}))`, 'y');

/** Where the name ends that goes on at a place. */
export const endOfName = (text: string, from: number): number => after(NAME_ON, text, from);

/** Where the name begins that stands before a place. */
export function beginOfName(text: string, to: number): number {
  NAME_BEFORE.lastIndex = to;
  return to - (NAME_BEFORE.exec(text)?.[1]?.length ?? 0);
}
