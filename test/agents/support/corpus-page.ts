// The two tables of transcripts.md beside the tests: what was counted in each real transcript, and which files are none.

/** Counts of one file. */
export interface Counted {
  /** Its path below the folder of the corpus. */
  name: string;
  agent: string;
  records: number;
  kept: number;
  unknown: number;
  malformed: number;
  turns: number;
  calls: number;
  tokens: number;
}

const COLUMNS = ['agent', 'records', 'kept', 'unknown', 'malformed', 'turns', 'calls', 'tokens'] as const;
const LABELS = ['agent', 'records', 'kept', 'unknown', 'malformed', 'turns', 'tool calls', 'tokens'];

/** Why a file is passed over, by its path: the first that fits. */
const REASONS: [path: RegExp, why: string][] = [
  [/^(README\.md|SOURCES\.tsv)$/, 'names the sources of the corpus'],
  [/\.meta\.json$/, 'has details of the transcript beside it, and is read with it'],
  [/^kiro\//, 'a transcript of Kiro, which ctx does not know'],
];

const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |\n`;
const byName = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** A line for each transcript, and one for all of them. */
export function countedTable(rows: readonly Counted[]): string {
  const sorted = rows.toSorted((a, b) => byName(a.name, b.name));
  const [, ...numbers] = COLUMNS;
  const sums = numbers.map((column) => rows.reduce((sum, row) => sum + (row[column] as number), 0));
  return [
    line(['file', ...LABELS]),
    line(['---', '---', ...numbers.map(() => '---:')]),
    ...sorted.map((row) => line([row.name, ...COLUMNS.map((column) => row[column])])),
    line([`all ${rows.length}`, '', ...sums]),
  ].join('');
}

/** A line for each file that is no transcript of an agent that ctx knows. @throws {Error} if no reason is known for a file */
export function passedOverTable(names: readonly string[]): string {
  const rows = names.toSorted(byName).map((name) => {
    const [, why] = REASONS.find(([path]) => path.test(name)) ?? [];
    if (why === undefined) throw new Error(`${name} is passed over, and nothing in corpus-page.ts says why`);
    return line([name, why]);
  });
  return [line(['file', 'why']), line(['---', '---']), ...rows].join('');
}
