/** Sets of words as they are written: taken apart when they are first asked, for a hook asks few of them. */

export interface WordSet {
  readonly has: (word: string) => boolean;
}

/** The words of a text, which blanks part. */
export function wordSet(text: string): WordSet {
  let words: ReadonlySet<string> | undefined;
  return {
    has: (word) => {
      words ??= new Set(text.split(' '));
      return words.has(word);
    },
  };
}
