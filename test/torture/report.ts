/** Prints what the harness found: tables of figures, and the losses behind them. */

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

export class Report {
  readonly #started = performance.now();
  #losses = 0;
  #since = performance.now();

  /** Tells one part of the run. */
  part(title: string, text: string, losses: readonly string[]): void {
    const seconds = ((performance.now() - this.#since) / 1000).toFixed(0);
    this.#since = performance.now();
    this.#losses += losses.length;
    const told = losses.slice(0, TOLD).map((loss) => `  LOSS ${loss.slice(0, LONGEST)}`);
    if (losses.length > TOLD) told.push(`  … and ${losses.length - TOLD} more`);
    process.stdout.write(`${[`\n${title} (${seconds} s)`, text, ...told].join('\n')}\n`);
  }

  /** Tells the end; gives the exit code. */
  end(): number {
    const seconds = ((performance.now() - this.#started) / 1000).toFixed(0);
    process.stdout.write(`\n${this.#losses === 0 ? 'Nothing lost.' : `${this.#losses} losses.`} ${seconds} s\n`);
    return this.#losses === 0 ? 0 : 1;
  }
}
