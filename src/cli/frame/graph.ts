/** Draws how commits follow each other beside their texts, as `git log --graph` does. */
import type { Theme } from './theme.ts';

/** A commit, as it is drawn. */
interface Node {
  oid: string;
  parents: readonly string[];
}

/** Takes commits one by one, each before its parents. */
export class Graph {
  /** The commits that are expected, by their columns. */
  #open: string[] = [];
  readonly #theme: Theme;

  constructor(theme: Theme) {
    this.#theme = theme;
  }

  /** Counts the terminal columns that the drawing of the next commit takes. */
  get width(): number {
    return 2 * Math.max(1, this.#open.length + 1);
  }

  #lines(mark: (column: number) => string): string {
    return this.#open.map((_oid, column) => this.#theme.bad(mark(column))).join(' ');
  }

  /** Returns an empty line between two commits. */
  between(): string {
    return `${this.#lines(() => '|')}\n`;
  }

  /** Returns the text of a commit with the drawing in front of each line. */
  draw({ oid, parents }: Node, text: string): string {
    if (!this.#open.includes(oid)) this.#open.push(oid);
    const at = this.#open.indexOf(oid);
    const [first = '', ...rest] = text.trimEnd().split('\n');
    const head = this.#open.map((_, column) => (column === at ? '*' : this.#theme.bad('|'))).join(' ');
    const bar = this.#lines(() => '|');
    const drawn = [`${head} ${first}`, ...rest.map((line) => `${bar} ${line}`.trimEnd())];
    const fresh = parents.filter((parent) => !this.#open.includes(parent));
    if (parents.length > 1) drawn.push(`${this.#lines((column) => (column === at ? '|\\' : '|'))}`);
    this.#open.splice(at, 1, ...fresh);
    if (fresh.length === 0 && this.#open.length > 0 && at > 0) drawn.push(`${this.#lines(() => '|')}/`);
    return `${drawn.join('\n')}\n`;
  }
}
