/** Measures how long a message is classified in a process that has just begun, as each hook is, and in one that runs on. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { CLASSIFIER, type Row } from './budgets.ts';
import { readRows } from './classify/rows.ts';
import { ROOT } from './program.ts';
import { quantile } from './statistics.ts';

/** So many messages are taken for each run, evenly from all that there are: each is the first of a process. */
const MESSAGES = 3;

/** Runs the script as the built command does, with the code that V8 has kept of it; prints the milliseconds of each message, in order. */
const RUNNER = `
const { existsSync, readFileSync, writeFileSync } = require('fs');
const [script, cache, ...rows] = process.argv.slice(1);
const cachedData = existsSync(cache) ? readFileSync(cache) : undefined;
const compiled = new (require('vm').Script)('(function (exports, require) {' + readFileSync(script, 'utf8') + '})', { filename: script, cachedData });
const own = {};
compiled.runInThisContext()(own, require);
const times = rows.map(JSON.parse).map((row) => {
  const begin = performance.now();
  own.classifyMessage(row);
  return performance.now() - begin;
});
if (!cachedData) writeFileSync(cache, compiled.createCachedData());
console.log(JSON.stringify({ times, isRejected: compiled.cachedDataRejected === true }));
`;

async function build(workshop: string): Promise<string> {
  const file = join(workshop, 'classify.cjs');
  const bundle = await rolldown({ input: join(ROOT, 'src/language/index.ts'), platform: 'node' });
  await bundle.write({ file, format: 'cjs', minify: true });
  return file;
}

/** Milliseconds that messages take as the first of a process each, and in one process that classifies all of them. */
export async function classifierRows(workshop: string, runs: number): Promise<Row[]> {
  const file = join(ROOT, 'fixtures', 'classify', 'messages.jsonl');
  const rows = readRows(file, readFileSync(file, 'utf8'));
  const script = await build(workshop);
  const timesOf = (own: readonly unknown[]): number[] => {
    const words = [script, `${script}.cache`, ...own.map((row) => JSON.stringify(row))];
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', RUNNER, ...words], { encoding: 'utf8', env: {} });
    if (stdout === '') throw new Error(stderr);
    const { times, isRejected } = JSON.parse(stdout) as { times: number[]; isRejected: boolean };
    if (isRejected) throw new Error('V8 has not taken the code that it kept of the classifier');
    return times;
  };
  const all = timesOf(rows);
  const step = Math.max(1, Math.floor(rows.length / (runs * MESSAGES)));
  const first = rows.filter((_, index) => index % step === 0).map((row) => timesOf([row])[0] as number);
  const rowOf = (name: string, times: readonly number[], share: number): Row => ({
    name,
    figure: quantile(times, share),
    beside: `${quantile(times, 0.25).toFixed(2)}–${quantile(times, 0.75).toFixed(2)}`,
    budget: CLASSIFIER,
  });
  const slow = {
    ...rowOf('99 of 100 of those are below', first, 0.99),
    beside: `at most ${Math.max(...first).toFixed(2)}`,
  };
  return [
    rowOf(`The first message of a process, ${first.length} of ${rows.length}`, first, 0.5),
    slow,
    rowOf('A message in a process that runs on', all.slice(1), 0.5),
  ];
}
