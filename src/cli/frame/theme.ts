/** The looks of an answer: its colours, or none, and its width. */
export interface Theme {
  strong: (text: string) => string;
  faint: (text: string) => string;
  good: (text: string) => string;
  bad: (text: string) => string;
  warn: (text: string) => string;
  accent: (text: string) => string;
  /** Returns how many columns a line has room for; null if it need not be cut, as in a file. */
  columns: () => number | null;
}

const same = (text: string): string => text;

export const PLAIN: Theme = {
  strong: same,
  faint: same,
  good: same,
  bad: same,
  warn: same,
  accent: same,
  columns: () => null,
};

/** The theme of a terminal; the library for it is loaded only here. */
export async function colours(): Promise<Theme> {
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  return {
    strong: chalk.bold,
    faint: chalk.dim,
    good: chalk.green,
    bad: chalk.red,
    warn: chalk.yellow,
    accent: chalk.cyan,
    columns: () => null,
  };
}
