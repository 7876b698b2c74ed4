/** Where a run of characters ends: looked for once, however many places in the run ask for it. */
import { lazyPattern } from '../core/lazily.ts';

/**
 * Makes what tells where a run of characters ends that goes on at an index; -1 if none of them stands there. A text may have a
 * name at every place, and each would look through the same run again.
 * @param characters a class of a pattern
 */
export function runOf(characters: string): (text: string, from: number, longest: number) => number {
  const pattern = lazyPattern(`${characters}+`, 'uy');
  let known = '';
  let begin = 0;
  let end = 0;
  return (text, from, longest) => {
    if (from < begin || from >= end || text !== known) {
      const run = pattern();
      run.lastIndex = from;
      if (!run.test(text)) return -1;
      [known, begin, end] = [text, from, run.lastIndex];
    }
    const last = from + longest;
    if (end <= last) return end;
    // Half of a character is none.
    const code = text.charCodeAt(last);
    return code >= 0xdc00 && code <= 0xdfff ? last - 1 : last;
  };
}
