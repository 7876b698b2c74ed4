/** Prints what the harness found, tables of figures and the losses behind them, and puts it into the document of the figures. */

import { readFileSync, statfsSync, writeFileSync } from 'node:fs';
import { availableParallelism, release } from 'node:os';
import { join } from 'node:path';
import { ROOT, WORKSHOPS } from './program.ts';

/** A table in plain text: the first column to the left, figures to the right. */
export function table(headings: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [headings, ...rows].map((row) => row.map(String));
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] as number) : cell.padStart(widths[column] as number),
      )
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width)).join('  ');
  return [line(cells[0] as string[]), rule, ...cells.slice(1).map(line)].join('\n');
}

/** Most losses that are told of one part, and of each the most characters. */
const [TOLD, LONGEST] = [25, 900];

/** The document that tells the figures of the last full run, each part between two lines of its own. */
const DOCUMENT = join(ROOT, 'docs', 'reliability.md');

/** The last line of the figures of a part; what all parts took is the sum of these. */
const TOOK = /^Took (\d+) s on (\d{4}-\d\d-\d\d) with ctx (\S+)\.$/gm;

/** Kinds of file systems by the number that the kernel gives them. */
const FILE_SYSTEMS: Record<number, string> = {
  16914836: 'tmpfs',
  61267: 'ext4',
  2435016766: 'btrfs',
  1481003842: 'xfs',
  2035054128: 'overlayfs',
};

export class Report {
  readonly #started = performance.now();
  readonly #print: (text: string) => void;
  readonly #document: string;
  readonly #told: string[] = [];
  #losses = 0;
  #since = performance.now();
  #written = performance.now();

  constructor(print: (text: string) => void = (text) => process.stdout.write(text), document = DOCUMENT) {
    this.#print = print;
    this.#document = document;
  }

  /** Tells of each result of a part when it is there, a line each, and of its losses at once: a part may take an hour. */
  soFar<Result>(of: (result: Result) => readonly [title: string, losses: readonly string[]]): (result: Result) => void {
    return (result) => {
      const [title, losses] = of(result);
      const lines = losses.slice(0, TOLD).map((loss) => `    LOSS ${loss.slice(0, LONGEST)}\n`);
      this.#print(`  ${secondsSince(this.#since)} s  ${title}: ${losses.length} losses\n${lines.join('')}`);
    };
  }

  /** Tells one part of the run. */
  part(title: string, text: string, losses: readonly string[]): void {
    const seconds = secondsSince(this.#since);
    this.#since = performance.now();
    this.#losses += losses.length;
    const told = losses.slice(0, TOLD).map((loss) => `  LOSS ${loss.slice(0, LONGEST)}`);
    if (losses.length > TOLD) told.push(`  … and ${losses.length - TOLD} more`);
    this.#tell([`${title} (${seconds} s)`, text, ...told].join('\n'));
  }

  /** Tells the end; gives the exit code. */
  end(): number {
    const lost = this.#losses === 0 ? 'Nothing lost.' : `${this.#losses} losses.`;
    this.#tell(`${lost} ${secondsSince(this.#started)} s`);
    return this.#losses === 0 ? 0 : 1;
  }

  /** Puts what was told since the last time into the document, as the figures of a part, and says at its head what all took. */
  write(part: string): void {
    const date = new Date().toISOString().slice(0, 10);
    const took = `Took ${secondsSince(this.#written)} s on ${date} with ctx ${version()}.`;
    this.#written = performance.now();
    const told = this.#told.splice(0).join('\n\n');
    const document = this.#replaced(readFileSync(this.#document, 'utf8'), part, `${told}\n\n${took}`);
    const head = headOf(document, (places, seconds) => `${places}, the last run of each, ${seconds} s in all`);
    writeFileSync(this.#document, this.#replaced(document, 'head', head));
  }

  /** Says at the head of the document that its figures are those of this one run, after all parts are written. */
  writeWhole(): void {
    const document = readFileSync(this.#document, 'utf8');
    const head = headOf(document, (places) => `${places} in one run of ${secondsSince(this.#started)} s`);
    writeFileSync(this.#document, this.#replaced(document, 'head', head));
  }

  /** The document with other text between the two lines of a part. */
  #replaced(document: string, part: string, text: string): string {
    const [begin, end] = [`<!-- ${part} -->\n`, `<!-- /${part} -->`];
    const [before, after] = [document.indexOf(begin), document.indexOf(end)];
    if (before < 0 || after < before) throw new Error(`${this.#document} has no place for the figures of ${part}`);
    return `${document.slice(0, before + begin.length)}\n\`\`\`text\n${text}\n\`\`\`\n\n${document.slice(after)}`;
  }

  #tell(text: string): void {
    this.#told.push(text);
    this.#print(`\n${text}\n`);
  }
}

const secondsSince = (start: number): number => Math.round((performance.now() - start) / 1000);

const version = (): string =>
  (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;

/**
 * Writes the head of the figures: of each part that has some the version, the days, and the time.
 * @param tell says how many parts have figures, in how many runs and seconds
 */
function headOf(document: string, tell: (places: string, seconds: number) => string): string {
  const runs = [...document.matchAll(TOOK)];
  const places = [...document.matchAll(/^<!-- (?!head)[a-z-]+ -->$/gm)].length;
  const days = runs.map(([, , day]) => day as string).sort();
  const versions = [...new Set(runs.map(([, , , of]) => of))].join(', ');
  const seconds = runs.reduce((sum, [, took]) => sum + Number(took), 0);
  const when = days[0] === days.at(-1) ? `on ${days[0]}` : `from ${days[0]} to ${days.at(-1)}`;
  const kind = statfsSync(WORKSHOPS).type;
  return [
    `ctx ${versions}, ${when}: ${tell(`${runs.length} of ${places} parts`, seconds)}`,
    `Node ${process.version}, ${process.platform} ${release()} ${process.arch}, ${availableParallelism()} CPUs, stores on ${FILE_SYSTEMS[kind] ?? `a file system of kind 0x${kind.toString(16)}`}`,
  ].join('\n');
}
