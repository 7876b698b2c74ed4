/** Finds the end of a run of characters once, however many places in the run ask for it. */
import { lazyPattern } from '../core/lazily.ts';

/**
 * Makes a function that returns the end of the run of characters at an index, or -1 if there is none. A text may have a name at
 * every place, and each name would search the same run.
 * @param characters a character class of a pattern
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
    // Does not split a surrogate pair.
    const code = text.charCodeAt(last);
    return code >= 0xdc00 && code <= 0xdfff ? last - 1 : last;
  };
}
