/** Tables in Markdown, with what they were measured on. */
import { arch, availableParallelism, platform, release } from 'node:os';
import { type Row, verdict } from './budgets.ts';
import { gitVersion } from './program.ts';

/** One table of the report. */
export interface Table {
  title: string;
  /** One sentence: what the figures are. */
  about: string;
  /** Headings of the figure and of what stands beside it. */
  headings: [figure: string, beside: string];
  unit: '×' | ' MB' | ' ms' | '';
  rows: readonly Row[];
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

export function renderTable({ title, about, headings, unit, rows }: Table): string {
  const shown = (value: number): string => `${value.toFixed(unit === ' MB' ? 0 : 2)}${unit}`;
  const budgeted = (value: number | undefined): string => (value === undefined ? '' : `${value}${unit}`);
  const lines = rows.map((row) =>
    line([
      row.name,
      shown(row.figure),
      row.beside,
      budgeted(row.budget?.must),
      budgeted(row.budget?.wanted),
      verdict(row),
    ]),
  );
  const head = line(['', ...headings, 'must', 'wanted', 'verdict']);
  return [`### ${title}`, '', about, '', head, '| --- | ---: | ---: | ---: | ---: | --- |', ...lines, ''].join('\n');
}

/** Describes the machine that was measured. */
export function renderMachine(): string {
  const git = gitVersion();
  return `Node ${process.version}, ${git === null ? 'no Git' : `Git ${git}`}, ${platform()} ${release()} ${arch()}, ${availableParallelism()} CPUs.\n`;
}
