/** The corpora of fuzzing and of strangers: run whole, several times as much as in `npm test`, and counted. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { collect, ROOT } from './program.ts';

/** The report of vitest, as far as it is read here. */
interface Reported {
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
}

/** A row for each file, its tests, cases and failures; and what was lost. */
interface Counted {
  rows: (string | number)[][];
  losses: string[];
}

/** The end of a run of vitest. */
type Ended = Awaited<ReturnType<typeof collect>>;

/** Length of vitest's output that is reported, in characters: the end of it. */
const SAID = 2000;

/** Runs suites, `factor` times as many random cases. @param suites what vitest is told to run */
export async function countCases(
  factor: number,
  suites: readonly string[] = ['test/fuzz', 'test/strangers'],
): Promise<Counted> {
  const folder = mkdtempSync(join(tmpdir(), 'ctx-cases-'));
  const [counts, report] = [join(folder, 'cases'), join(folder, 'report.json')];
  try {
    // The report has no word of errors that belong to no test: a person's has.
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const more = factor > 1 ? { CTX_FUZZ_RUNS: String(factor), CTX_STRANGERS_FULL: '1' } : {};
    const env = { ...process.env, ...more, TORTURE_CASES: counts, NO_COLOR: '1' };
    const ended = await collect(
      spawn('npx', ['vitest', 'run', ...suites, ...reporters], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] }),
    );
    const reported = JSON.parse(textOf(report) ?? '{"testResults":[]}') as Reported;
    return tableOf(reported, casesIn(textOf(counts) ?? ''), ended);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A file that a run leaves behind, if it came so far. */
const textOf = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);

function casesIn(counts: string): Map<string, number> {
  const cases = new Map<string, number>();
  for (const line of counts.split('\n').filter((one) => one !== '')) {
    const [name = '', count] = line.split(' ');
    cases.set(name, (cases.get(name) ?? 0) + Number(count));
  }
  return cases;
}

function tableOf({ testResults }: Reported, cases: ReadonlyMap<string, number>, ended: Ended): Counted {
  const losses: string[] = [];
  const rows = testResults
    .map(({ name, status, message, assertionResults }): (string | number)[] => {
      const passed = assertionResults.filter((one) => one.status === 'passed');
      const failed = assertionResults.filter((one) => one.status === 'failed');
      const suite = name.split(sep).slice(-2).join('/');
      losses.push(...failed.map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages.join('; ')}`));
      if (status === 'failed' && failed.length === 0) losses.push(`${suite} could not be run: ${message}`);
      const count = cases.get(suite) ?? 0;
      if (count === 0) losses.push(`${suite} tells no cases`);
      // A skipped test has shown nothing.
      return [suite.replace('.test.ts', ''), passed.length + failed.length, count, failed.length];
    })
    .sort(([one], [other]) => (String(one) < String(other) ? -1 : 1));
  const sum = (column: number): number => rows.reduce((all, row) => all + Number(row[column]), 0);
  if (rows.length === 0) losses.push('no suite has run');
  // An error that belongs to no test, such as a promise that nobody waits for, shows in nothing else.
  const { code, signal, out, err } = ended;
  if (code !== 0 && !testResults.some(({ status }) => status === 'failed'))
    losses.push(`vitest ended with ${code ?? signal}, and no test has failed: ${`${err}\n${out}`.trim().slice(-SAID)}`);
  return { rows: [...rows, ['all', sum(1), sum(2), sum(3)]], losses };
}
