/** The command line of the benchmark. */
import { parseArgs } from 'node:util';

export const GROUPS = [
  'commands',
  'growth',
  'memory',
  'redaction',
  'classifier',
  'ingest',
  'find',
  'record',
  'acp',
] as const;
export type Group = (typeof GROUPS)[number];

export interface Options {
  /** Number of times that each command is timed. */
  runs: number;
  groups: readonly Group[];
  /** True if the tables go into README.md. */
  write: boolean;
}

/** Fewer runs are for a quick look only: they do not go into README.md. */
const FEWEST_RUNS = 20;

/** @throws where the command line is wrong */
export function readOptions(words: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...words],
    options: {
      runs: { type: 'string', default: '40' },
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  });
  const runs = Number(values.runs);
  if (!Number.isSafeInteger(runs) || runs < 1) throw new Error(`--runs takes a number, not ${values.runs}`);
  const only = GROUPS.find((group) => group === values.only);
  if (values.only !== undefined && !only) throw new Error(`--only takes one of ${GROUPS.join(', ')}`);
  const groups: readonly Group[] = only ? [only] : values.quick ? ['commands'] : GROUPS;
  if (values.write && (groups !== GROUPS || runs < FEWEST_RUNS)) {
    throw new Error(`--write takes the whole benchmark with at least ${FEWEST_RUNS} runs`);
  }
  return { runs, groups, write: values.write };
}
