/** Measures questions to the whole store, and what their catalog costs. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Budget, Row } from './budgets.ts';
import { compare, type Subject } from './measure.ts';
import { peakOf } from './peak.ts';
import { ROOT, runCtx, runNode } from './program.ts';
import type { Table } from './table.ts';

const MESSAGES = 100_000;
const QUESTION: Budget = { must: 2.5, wanted: 1.7 };
const LIST: Budget = { must: 2.5, wanted: 1.6 };
const SIZE: Budget = { must: 0.4, wanted: 0.25 };
/** Milliseconds for 1,000 messages: 10,000 a second are 100 of them. */
const FEED: Budget = { must: 100, wanted: 33.3 };
const MEMORY: Budget = { must: 200, wanted: 100 };

/** Sessions of the store whose lists are measured. */
const SESSIONS = 10_000;

/** Measures the lists of all sessions, with a fresh catalog. */
function listTable(workshop: string, runs: number): Table {
  const project = join(workshop, 'lists');
  process.stderr.write(`find: building a store of ${SESSIONS.toLocaleString('en')} sessions\n`);
  runNode(ROOT, '--import', 'tsx', join(ROOT, 'bench', 'ended-store.ts'), project, String(SESSIONS));
  runCtx(project, 'reindex');
  const node: Subject = { name: '`node -e 0`', budget: null, run: () => runNode(project, '-e', '0') };
  const lists = [['list'], ['list', '--limit', '20'], ['resume', '--list']].map((words): Subject => {
    return { name: `\`${words.join(' ')}\``, budget: LIST, run: () => runCtx(project, ...words) };
  });
  const { rows, unit } = compare([node, ...lists], runs, 'lists');
  return {
    title: 'Lists',
    about: `Median wall time of ${runs} runs as a ratio to that of \`node -e 0\` (${unit.toFixed(1)} ms), in a store of ${SESSIONS.toLocaleString('en')} ended sessions with a fresh catalog.`,
    headings: ['ratio', 'quartiles'],
    unit: '×',
    rows,
  };
}

export async function findTables(workshop: string, runs: number): Promise<Table[]> {
  const project = join(workshop, 'find');
  process.stderr.write(`find: building a store of ${MESSAGES.toLocaleString('en')} messages\n`);
  runNode(ROOT, '--import', 'tsx', join(ROOT, 'bench', 'find-store.ts'), project, String(MESSAGES));
  const bytes = Number(readFileSync(join(project, 'bytes'), 'utf8'));
  const fed = await peakOf(project, ['reindex']);
  const folder = join(project, '.ctx', 'cache', 'catalog');
  const size = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  const node: Subject = { name: '`node -e 0`', budget: null, run: () => runNode(project, '-e', '0') };
  const ctx = (budget: Budget, ...words: string[]): Subject => {
    return { name: `\`${words.join(' ')}\``, budget, run: () => runCtx(project, ...words) };
  };
  const subjects = [
    node,
    ctx(QUESTION, 'search', 'retry', 'backoff'),
    ctx(QUESTION, 'search', '--sessions', 'catalog', 'segment'),
    ctx(QUESTION, 'usage', '--by', 'model'),
  ];
  const { rows, unit } = compare(subjects, runs, 'find');
  const searched = await peakOf(project, ['search', 'retry', 'backoff']);
  const memory: Row[] = [
    { name: '`reindex`', figure: fed.bytes / 1e6, beside: `${fed.seconds.toFixed(1)} s`, budget: MEMORY },
    { name: '`search`', figure: searched.bytes / 1e6, beside: `${searched.seconds.toFixed(1)} s`, budget: MEMORY },
  ];
  return [
    listTable(workshop, runs),
    {
      title: 'Find',
      about: `Median wall time of ${runs} runs as a ratio to that of \`node -e 0\` (${unit.toFixed(1)} ms), in a store of ${MESSAGES.toLocaleString('en')} messages with a fresh catalog.`,
      headings: ['ratio', 'quartiles'],
      unit: '×',
      rows,
    },
    {
      title: 'Feeding',
      about: 'Milliseconds for 1,000 messages, of one run.',
      headings: ['time', 'in all'],
      unit: ' ms',
      rows: [
        {
          name: '`reindex`',
          figure: (fed.seconds * 1e6) / MESSAGES,
          beside: `${fed.seconds.toFixed(1)} s`,
          budget: FEED,
        },
      ],
    },
    {
      title: 'Size of the catalog',
      about: 'Bytes as a ratio to those of the texts.',
      headings: ['ratio', 'texts'],
      unit: '×',
      rows: [{ name: '`cache/catalog`', figure: size / bytes, beside: `${(bytes / 1e6).toFixed(0)} MB`, budget: SIZE }],
    },
    {
      title: 'Memory of finding',
      about: 'The most memory that the process held (1 MB = 1,000,000 bytes).',
      headings: ['peak', 'time'],
      unit: ' MB',
      rows: memory,
    },
  ];
}
