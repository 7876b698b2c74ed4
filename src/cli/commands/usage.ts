/** `ctx usage`: sums of tokens. */
import { USAGE_KEYS, type UsageKey, type UsageResult, type UsageRow, usageOf } from '../../app/find/usage.ts';
import { lazily } from '../../core/lazily.ts';
import { oneLine } from '../../core/text.ts';
import { pad, truncated, widest } from '../frame/columns.ts';
import { defineCommand } from '../frame/command.ts';
import { moment } from '../frame/moment.ts';
import type { Theme } from '../frame/theme.ts';

interface Input {
  by?: UsageKey | undefined;
  since?: string | undefined;
  until?: string | undefined;
  csv?: boolean | undefined;
}

const COUNTS = ['turns', 'calls', 'input', 'output', 'reasoning', 'cache_read', 'cache_write', 'total'] as const;
const HEADINGS = ['turns', 'calls', 'input', 'output', 'reasoning', 'cache read', 'cache write', 'total'] as const;
/** Headings for a terminal that is too narrow for exact numbers. */
const SHORT_HEADINGS = ['turns', 'calls', 'input', 'output', 'reason', 'cache r', 'cache w', 'total'] as const;

/** Widest plot, in columns. */
const PLOT = 24;
const PLOT_GAP = '  ';
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** Returns a bar whose length says how large a part of the largest a number is. */
function bar(value: number, most: number, width: number): string {
  const eighths = most === 0 ? 0 : Math.round((value / most) * width * 8);
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] as string);
}

const grouped = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',');
/** Made for a narrow terminal alone: it loads much. */
const roundedNumbers = lazily(() => new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 }));

/** Narrowest first column of a table with rounded numbers. */
const NARROWEST_NAME = 8;

type Row = UsageResult['rows'][number];

const nameOf = (row: Row): string => oneLine(row.short_id ? `${row.short_id} ${row.title ?? ''}` : row.key, 60);

function* render(result: UsageResult, theme: Theme, { csv }: Input): Generator<string> {
  if (csv) yield* csvLines(result);
  else if (result.total.calls === 0 && result.total.turns === 0) yield 'No usage yet.\n';
  else yield* table(result, theme);
}

/** A table in cells, with the widths of its columns and what is between them. */
interface Layout {
  lines: string[][];
  widths: number[];
  gap: string;
}

const tableWidth = ({ widths, gap }: Pick<Layout, 'widths' | 'gap'>): number =>
  widths.reduce((sum, width) => sum + width + gap.length, -gap.length);

/** Lays the table out: with exact numbers if they fit, else closely with rounded ones beside names that are cut. */
function layoutOf({ by, rows, total }: UsageResult, columns: number | null): Layout {
  const withCost = total.cost_usd !== null;
  const layout = (headings: readonly string[], write: (value: number) => string, gap: string): Layout => {
    const cells = (row: UsageRow): string[] => [
      ...COUNTS.map((name) => write(row[name])),
      ...(withCost ? [row.cost_usd === null ? '-' : row.cost_usd.toFixed(2)] : []),
    ];
    const lines = [[by, ...headings, ...(withCost ? ['US$'] : [])], ...rows.map((row) => [nameOf(row), ...cells(row)])];
    lines.push(['total', ...cells(total)]);
    return {
      lines,
      widths: (lines[0] as string[]).map((_, at) => widest(lines.map((line) => line[at] as string))),
      gap,
    };
  };
  const exact = layout(HEADINGS, grouped, '  ');
  if (columns === null || tableWidth(exact) <= columns) return exact;
  const { lines, widths, gap } = layout(SHORT_HEADINGS, (value) => roundedNumbers().format(value), ' ');
  const [longest, ...numbers] = widths as [number, ...number[]];
  const name = Math.min(longest, Math.max(NARROWEST_NAME, columns - tableWidth({ widths: numbers, gap }) - gap.length));
  return {
    lines: lines.map(([first, ...cells]) => [truncated(first as string, name), ...cells]),
    widths: [name, ...numbers],
    gap,
  };
}

function* table(result: UsageResult, theme: Theme): Generator<string> {
  const { rows } = result;
  const columns = theme.columns();
  const layout = layoutOf(result, columns);
  const { lines, widths, gap } = layout;
  const most = rows.reduce((max, row) => Math.max(max, row.total), 0);
  // In a file a plot is in the way.
  const plot = columns === null ? 0 : Math.min(PLOT, columns - tableWidth(layout) - PLOT_GAP.length);
  for (const [index, line] of lines.entries()) {
    const text = line.map((cell, column) =>
      column === 0 ? pad(cell, widths[0] as number) : cell.padStart(widths[column] as number),
    );
    const row = rows[index - 1];
    const drawn = row && plot >= 4 ? `${PLOT_GAP}${theme.accent(bar(row.total, most, plot))}` : '';
    const painted =
      index === 0
        ? theme.faint(text.join(gap))
        : index === lines.length - 1
          ? theme.strong(text.join(gap))
          : text.join(gap);
    yield columns !== null && drawn === '' ? `${truncated(text.join(gap), columns)}\n` : `${painted}${drawn}\n`;
  }
}

/** Yields the rows as comma-separated values (RFC 4180), without the total. */
function* csvLines({ by, rows }: UsageResult): Generator<string> {
  const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  yield `${[by, ...COUNTS, 'cost_usd'].join(',')}\n`;
  for (const row of rows)
    yield `${[quoted(row.key), ...COUNTS.map((name) => row[name]), row.cost_usd ?? ''].join(',')}\n`;
}

export const usageCommand = defineCommand<Input, UsageResult>({
  name: 'usage',
  summary: 'sum the tokens that models read and wrote',
  options: [
    {
      flags: '--by <what>',
      description: 'one row for each session, model, agent, day or project (default: day)',
      choices: USAGE_KEYS,
    },
    { flags: '--since <time>', description: 'only calls from then on: a date, a time, yesterday, 2 weeks ago' },
    { flags: '--until <time>', description: 'only calls up to then' },
    { flags: '--csv', description: 'print comma-separated values' },
  ],
  examples: [
    ['ctx usage', 'day by day'],
    ['ctx usage --by model --since "2 weeks ago"', 'which model read and wrote how much of late'],
    ['ctx usage --by session --csv > usage.csv', 'for a spreadsheet'],
  ],
  mutates: false,
  paged: true,
  isPlain: () => true,
  input: (z) =>
    z.object({
      by: z.optional(z.enum(USAGE_KEYS)),
      since: z.optional(z.string()),
      until: z.optional(z.string()),
      csv: z.optional(z.boolean()),
    }),
  run: async (app, { by, since, until }) =>
    usageOf(app.repository(), {
      by,
      since: await moment('since', since),
      until: await moment('until', until),
      catalog: { warn: app.remark, progress: app.progress },
    }),
  render,
});
