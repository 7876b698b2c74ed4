/** `ctx du`. */

import { type DiskUsage, type DiskUsageKey, type DiskUsageRow, diskUsage } from '../../app/du.ts';
import { bytesInWords } from '../../core/text.ts';
import { defineCommand } from '../frame/command.ts';

const KEYS: readonly DiskUsageKey[] = ['session', 'kind', 'age'];

interface Input {
  by?: DiskUsageKey | undefined;
}

function* render(usage: DiskUsage): Generator<string> {
  const rows = [...usage.rows, usage.total];
  const cells = (row: DiskUsageRow): string[] => [
    bytesInWords(row.loose),
    bytesInWords(row.packed),
    String(row.objects),
    row.name,
  ];
  const table = [['loose', 'packed', 'objects', usage.by], ...rows.map(cells)];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => (row[column] as string).length)));
  for (const row of table) yield `${row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  ')}\n`;
}

export const duCommand = defineCommand<Input, DiskUsage>({
  name: 'du',
  summary: 'show disk usage by session, kind or age',
  options: [
    { flags: '--by <what>', description: 'one row for each session, kind or age (default: kind)', choices: KEYS },
  ],
  examples: [
    ['ctx du', 'what kinds of things there are, and how large they are'],
    ['ctx du --by session', 'which session takes the most'],
  ],
  exits: [[5, 'the store is damaged']],
  mutates: false,
  paged: true,
  input: (z) => z.object({ by: z.optional(z.enum(KEYS)) }),
  run: (app, input) => diskUsage(app.repository(), input.by ?? 'kind'),
  render,
});
