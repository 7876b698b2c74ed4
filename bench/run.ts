/** `npm run bench`: measures ctx against its budgets, prints the tables, and fails where a must is missed. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { acpRows } from './acp.ts';
import { missesMust } from './budgets.ts';
import { classifierRows } from './classifier.ts';
import { commandSubjects } from './commands.ts';
import { endedSubjects, filesRows } from './ended.ts';
import { findTables } from './find.ts';
import { growthSubjects } from './growth.ts';
import { ingestTables } from './ingest.ts';
import { compare } from './measure.ts';
import { memoryRows } from './memory.ts';
import { type Group, type Options, readOptions } from './options.ts';
import { ROOT } from './program.ts';
import { makeWorkshop } from './project.ts';
import { recordTables } from './record.ts';
import { redactionRows } from './redaction.ts';
import { renderMachine, renderTable, type Table } from './table.ts';

const README = join(ROOT, 'bench', 'README.md');
const [BEGIN, END] = ['<!-- table -->', '<!-- /table -->'];

/** Measures one group; makes its table. */
const MEASURE: Record<Group, (workshop: string, runs: number) => Promise<Table | Table[]>> = {
  commands: async (workshop, runs) => {
    const { rows, unit } = compare(commandSubjects(workshop), runs, 'commands');
    return {
      title: 'Commands',
      about: `Median wall time of ${runs} runs as a ratio to that of \`node -e 0\` (${unit.toFixed(1)} ms), and the same of the quartiles.`,
      headings: ['ratio', 'quartiles'],
      unit: '×',
      rows,
    };
  },
  growth: async (workshop, runs) => {
    const { rows, unit } = compare(growthSubjects(workshop), runs, 'growth');
    const ended = compare(endedSubjects(workshop), runs, 'ended sessions');
    return [
      {
        title: 'Growth',
        about: `Median wall time of ${runs} runs as a ratio to that of the first line (${unit.toFixed(1)} ms), and the same of the quartiles.`,
        headings: ['ratio', 'quartiles'],
        unit: '×',
        rows,
      },
      {
        title: 'Ended sessions',
        about: `Median wall time of ${runs} runs as a ratio to that of the same command in a store of 10 ended sessions (\`node -e 0\`: ${ended.unit.toFixed(1)} ms), and the same of the quartiles.`,
        headings: ['ratio', 'quartiles'],
        unit: '×',
        rows: ended.rows,
      },
      {
        title: 'Files',
        about: 'Files of the whole store for each session that has ended in it.',
        headings: ['files a session', 'in all'],
        unit: '',
        rows: filesRows(workshop),
      },
    ];
  },
  memory: async (workshop) => ({
    title: 'Memory',
    about: 'The most memory that the process held (1 MB = 1,000,000 bytes), and how long it took, once.',
    headings: ['peak', 'time'],
    unit: ' MB',
    rows: await memoryRows(workshop),
  }),
  redaction: async (workshop, runs) => ({
    title: 'Redaction',
    about: 'How long secrets are looked for, and the quartiles: 50 ms a megabyte are 20 MB/s.',
    headings: ['time', 'quartiles'],
    unit: ' ms',
    rows: await redactionRows(workshop, runs),
  }),
  classifier: async (workshop, runs) => ({
    title: 'Classifier',
    about: 'How long a message of the fixtures is classified, and the quartiles.',
    headings: ['time', 'quartiles'],
    unit: ' ms',
    rows: await classifierRows(workshop, runs),
  }),
  ingest: (workshop) => ingestTables(workshop),
  record: (workshop) => recordTables(workshop),
  find: findTables,
  acp: async (workshop) => ({
    title: 'The Agent Client Protocol',
    about: 'How much later a message is back from the agent, of one connection.',
    headings: ['added', 'in all'],
    unit: ' ms',
    rows: await acpRows(workshop),
  }),
};

function writeReadme(report: string): void {
  const text = readFileSync(README, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${README} has no ${BEGIN} … ${END}`);
  writeFileSync(README, `${text.slice(0, begin + BEGIN.length)}\n\n${report}\n${text.slice(end)}`);
}

async function main({ runs, groups, write }: Options): Promise<number> {
  const workshop = makeWorkshop();
  const tables: Table[] = [];
  for (const group of groups) tables.push(...[await MEASURE[group](workshop, runs)].flat());
  const report = [renderMachine(), ...tables.map(renderTable)].join('\n');
  process.stdout.write(`${report}\n`);
  if (write) writeReadme(report);
  const missed = tables.flatMap((table) => table.rows).filter(missesMust);
  for (const row of missed) process.stderr.write(`misses must: ${row.name}\n`);
  if (missed.length === 0) process.stderr.write('All must rows hold.\n');
  return missed.length === 0 ? 0 : 1;
}

let options: Options;
try {
  options = readOptions(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(2);
}
process.exit(await main(options));
