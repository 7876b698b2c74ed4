/** Sets of words as they are written: taken apart when they are first asked, for a hook asks few of them. */

export interface WordSet {
  readonly has: (word: string) => boolean;
}

/** A class and no closure: there are far more than a hundred, and each process makes all of them. */
class Words implements WordSet {
  #text: string;
  #words: ReadonlySet<string> | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  has(word: string): boolean {
    this.#words ??= new Set(this.#text.split(' '));
    return this.#words.has(word);
  }
}

/** The words of a text, which blanks part. */
export const wordSet = (text: string): WordSet => new Words(text);

/** The words of a text that is written as a list: wordList`yes no`. */
export const wordList = ([text = '']: TemplateStringsArray): WordSet => new Words(text);
