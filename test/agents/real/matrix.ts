/** The table of what is not carried over from one agent to another, for `docs/agents.md`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './place.ts';

/** Losses of one transcript on its way. */
export interface Passage {
  from: string;
  to: string;
  messages: number;
  losses: readonly { kind: string; count: number }[];
}

const PAGE = join(ROOT, 'docs', 'agents.md');
const [BEGIN, END] = ['<!-- losses -->', '<!-- /losses -->'];

/** Words a cell: the losses by kind, over all transcripts of the pair. */
function cellOf(passages: readonly Passage[]): string {
  const counts = new Map<string, number>();
  for (const { losses } of passages)
    for (const { kind, count } of losses) counts.set(kind, (counts.get(kind) ?? 0) + count);
  const words = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([kind, count]) => `${kind} ${count}`);
  return words.length === 0 ? 'nothing' : words.join(', ');
}

/** Returns the table: a row for each source, a column for each target. */
export function matrixOf(passages: readonly Passage[], agents: readonly string[]): string {
  const rows = agents.map((from) => {
    const cells = agents.map((to) => cellOf(passages.filter((one) => one.from === from && one.to === to)));
    const [own] = agents;
    const messages = passages
      .filter((one) => one.from === from && one.to === own)
      .reduce((sum, one) => sum + one.messages, 0);
    return `| ${from} (${messages} messages) | ${cells.join(' | ')} |`;
  });
  return [`| from, to | ${agents.join(' | ')} |`, `| --- |${' --- |'.repeat(agents.length)}`, ...rows].join('\n');
}

/** Writes the table into the page. */
export function writeMatrix(table: string): void {
  const page = readFileSync(PAGE, 'utf8');
  const [begin, end] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)];
  writeFileSync(PAGE, `${page.slice(0, begin)}\n\n${table}\n\n${page.slice(end)}`);
}
