/** Compares the words of a command with the pattern of a rule. */
import type { Word } from './shell.ts';
import { programName } from './wrappers.ts';

/** Degree to which a pattern covers something: surely, possibly (only the shell will know), or not. */
export type Covers = 'yes' | 'maybe' | 'no';

/** Folders whose programs are the ones that a bare name means. */
const PROGRAM_FOLDERS = /^\/(?:usr\/(?:local\/)?)?s?bin\//;

/** Returns a pattern of one word, or of a text, as a regular expression: `*` is any run of characters, `?` one. */
export const globOf = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replaceAll(/[.+^${}()|[\]\\/]/g, String.raw`\$&`)
      .replaceAll(/\*+/g, '[^]*')
      .replaceAll('?', '[^]')}$`,
    'u',
  );

/**
 * Returns whether a pattern covers the words of a command. A word `*` is any number of words.
 * @param isStrict for a rule that allows nothing: then options before a word of the pattern may be anything, and so may the
 * folder of the program
 */
export function coversWords(pattern: string, words: readonly Word[], isStrict: boolean): Covers {
  const forms = pattern.endsWith(':*') ? [pattern, `${pattern.slice(0, -2)} *`] : [pattern];
  const answers = forms.map((form) => compare(form.split(/\s+/), withName(words, isStrict, form), isStrict));
  return answers.includes('yes') ? 'yes' : answers.includes('maybe') ? 'maybe' : 'no';
}

/** Returns the words with the bare name of the program, if the pattern names no folder. */
function withName(words: readonly Word[], isStrict: boolean, pattern: string): readonly Word[] {
  const [first, ...rest] = words;
  if (!first || (pattern.split(/\s/)[0] as string).includes('/')) return words;
  const isBare = isStrict || PROGRAM_FOLDERS.test(first.text);
  return isBare ? [{ ...first, text: programName(first.text) }, ...rest] : words;
}

/** The surest of several answers. */
const surest = (...answers: readonly Covers[]): Covers =>
  answers.includes('yes') ? 'yes' : answers.includes('maybe') ? 'maybe' : 'no';

/** Compares the ends of a pattern with the ends of the words, the shortest first. */
function compare(pattern: readonly string[], words: readonly Word[], isStrict: boolean): Covers {
  const globs = pattern.map((wanted) => (isAny(wanted) ? null : globOf(wanted)));
  /** The answers for the words from the next one on, and from the one after that, by the place in the pattern. */
  let [next, afterNext]: [Covers[], Covers[]] = [[], []];
  for (let w = words.length; w >= 0; w -= 1) {
    const word = words[w];
    const row: Covers[] = [];
    // Such a word may become all the rest of the pattern, or nothing.
    row[pattern.length] = !word ? 'yes' : word.open === 'many' && next[pattern.length] !== 'no' ? 'maybe' : 'no';
    for (let p = pattern.length - 1; p >= 0; p -= 1) {
      const glob = globs[p] as RegExp | null;
      if (glob === null) row[p] = surest(row[p + 1] as Covers, next[p] ?? 'no');
      else if (!word) row[p] = 'no';
      else if (word.open === 'many') row[p] = 'maybe';
      else {
        const rest = next[p + 1] ?? 'no';
        const taken = word.open === 'one' ? (rest === 'no' ? 'no' : 'maybe') : glob.test(word.text) ? rest : 'no';
        const isOption = isStrict && p > 0 && word.text.startsWith('-') && word.text !== '--';
        row[p] = isOption ? surest(taken, next[p] ?? 'no', afterNext[p] ?? 'no') : taken;
      }
    }
    [next, afterNext] = [row, next];
  }
  return next[0] ?? 'no';
}

const isAny = (wanted: string): boolean => /^\*+$/.test(wanted);
