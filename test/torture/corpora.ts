/** The corpora of fuzzing and of strangers: run whole, several times as much as in `npm test`, and counted. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { collect, ROOT } from './program.ts';

/** What vitest reports, as far as it is read here. */
interface Reported {
  testResults: { name: string; assertionResults: { status: string; fullName: string; failureMessages: string[] }[] }[];
}

/** Runs both suites, `factor` times as many random cases; a row for each file: its tests, cases, failures. */
export async function countCases(factor: number): Promise<{ rows: (string | number)[][]; losses: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'ctx-cases-'));
  const [counts, report] = [join(folder, 'cases'), join(folder, 'report.json')];
  try {
    const words = ['vitest', 'run', 'test/fuzz', 'test/strangers', '--reporter=json', `--outputFile=${report}`];
    const more = factor > 1 ? { CTX_FUZZ_RUNS: String(factor), CTX_STRANGERS_FULL: '1' } : {};
    const env = { ...process.env, ...more, TORTURE_CASES: counts };
    await collect(spawn('npx', words, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] }));
    const cases = new Map<string, number>();
    for (const line of readFileSync(counts, 'utf8').trim().split('\n')) {
      const [name = '', count] = line.split(' ');
      cases.set(name, (cases.get(name) ?? 0) + Number(count));
    }
    return tableOf(JSON.parse(readFileSync(report, 'utf8')) as Reported, cases);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function tableOf(
  { testResults }: Reported,
  cases: ReadonlyMap<string, number>,
): { rows: (string | number)[][]; losses: string[] } {
  const losses: string[] = [];
  const rows = testResults
    .map(({ name, assertionResults }): (string | number)[] => {
      const failed = assertionResults.filter(({ status }) => status === 'failed');
      losses.push(...failed.map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages.join('; ')}`));
      const suite = name.split(sep).slice(-2).join('/');
      const count = cases.get(suite) ?? 0;
      if (count === 0) losses.push(`${suite} tells no cases`);
      return [suite.replace('.test.ts', ''), assertionResults.length, count, failed.length];
    })
    .sort(([one], [other]) => (String(one) < String(other) ? -1 : 1));
  const sum = (column: number): number => rows.reduce((all, row) => all + Number(row[column]), 0);
  if (rows.length === 0) losses.push('no suite has run');
  return { rows: [...rows, ['all', sum(1), sum(2), sum(3)]], losses };
}
