/** Prints what the harness found: tables of figures, and the losses behind them. */

import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

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
const DOCUMENT = join(import.meta.dirname, '..', '..', 'docs', 'reliability.md');

export class Report {
  readonly #started = performance.now();
  readonly #told: string[] = [];
  #losses = 0;
  #since = performance.now();

  /** Tells one part of the run. */
  part(title: string, text: string, losses: readonly string[]): void {
    const seconds = ((performance.now() - this.#since) / 1000).toFixed(0);
    this.#since = performance.now();
    this.#losses += losses.length;
    const told = losses.slice(0, TOLD).map((loss) => `  LOSS ${loss.slice(0, LONGEST)}`);
    if (losses.length > TOLD) told.push(`  … and ${losses.length - TOLD} more`);
    this.#tell([`${title} (${seconds} s)`, text, ...told].join('\n'));
  }

  /** Tells the end; gives the exit code. */
  end(): number {
    const seconds = ((performance.now() - this.#started) / 1000).toFixed(0);
    this.#tell(`${this.#losses === 0 ? 'Nothing lost.' : `${this.#losses} losses.`} ${seconds} s`);
    return this.#losses === 0 ? 0 : 1;
  }

  /** Puts what was told since the last time into the document, as the figures of a part. */
  write(part: string): void {
    const document = readFileSync(DOCUMENT, 'utf8');
    const [begin, end] = [`<!-- ${part} -->\n`, `<!-- /${part} -->`];
    const [before, after] = [document.indexOf(begin), document.indexOf(end)];
    if (before < 0 || after < before) throw new Error(`${DOCUMENT} has no place for the figures of ${part}`);
    const machine = `Node ${process.version}, ${process.platform} ${process.arch}, ${availableParallelism()} CPUs.`;
    const told = this.#told.splice(0).join('\n\n');
    const figures = `\n\`\`\`text\n${told}\n\n${machine}\n\`\`\`\n\n`;
    writeFileSync(DOCUMENT, document.slice(0, before + begin.length) + figures + document.slice(after));
  }

  #tell(text: string): void {
    this.#told.push(text);
    process.stdout.write(`\n${text}\n`);
  }
}
