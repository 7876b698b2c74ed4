/** Measures how fast secrets are found: through the text of transcripts, and in 10 KB by a process that has just begun. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { findSecrets } from '../src/secrets/find.ts';
import { SLOWEST, slowText } from '../test/support/slow-texts.ts';
import { type Row, SLOWEST_TEXT, THROUGHPUT } from './budgets.ts';
import { ROOT } from './program.ts';
import { median, quantile } from './statistics.ts';

const MEGABYTE = 1_000_000;
const COLD_BYTES = 10_240;

/** The text of real sessions where they are at hand, else of the fixtures. */
function transcripts(): string[] {
  const folders = [join(ROOT, '..', 'shared', 'transcripts'), join(ROOT, 'fixtures')];
  for (const folder of folders) {
    try {
      const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.jsonl?$/.test(name));
      if (names.length > 0) return names.map((name) => readFileSync(join(folder, name), 'utf8'));
    } catch {
      // Not everybody has the first one.
    }
  }
  return [];
}

const spread = (values: readonly number[]): string =>
  `${quantile(values, 0.25).toFixed(2)}–${quantile(values, 0.75).toFixed(2)}`;

/** Milliseconds that a megabyte takes once everything is compiled, and those of the first 10 KB in new processes. */
export async function redactionRows(workshop: string, runs: number): Promise<Row[]> {
  const texts = transcripts();
  const megabytes = texts.reduce((sum, text) => sum + text.length, 0) / MEGABYTE;
  const rounds = Array.from({ length: Math.min(runs, 10) + 2 }, () => {
    const begin = performance.now();
    for (const text of texts) findSecrets(text);
    return (performance.now() - begin) / megabytes;
  }).slice(2);

  const slowest = SLOWEST.map((unit) => slowText(unit, MEGABYTE)).map((text) => {
    const begin = process.cpuUsage();
    findSecrets(text);
    const { user, system } = process.cpuUsage(begin);
    return (user + system) / 1000;
  });

  const bundle = join(workshop, 'redaction.cjs');
  const build = await rolldown({ input: join(ROOT, 'src/secrets/find.ts'), platform: 'node' });
  await build.write({ file: bundle, format: 'cjs' });
  const sample = join(workshop, 'sample.txt');
  writeFileSync(sample, (texts[0] ?? '').slice(0, COLD_BYTES));
  const program = `const text = require('fs').readFileSync(${JSON.stringify(sample)}, 'utf8');
    const { findSecrets } = require(${JSON.stringify(bundle)});
    const begin = performance.now(); findSecrets(text); console.log(performance.now() - begin);`;
  const cold = Array.from({ length: runs }, () =>
    Number(spawnSync(process.execPath, ['-e', program], { encoding: 'utf8', env: {} }).stdout),
  );
  return [
    {
      name: `1 MB of ${megabytes.toFixed(0)} MB of transcripts`,
      figure: median(rounds),
      beside: spread(rounds),
      budget: THROUGHPUT,
    },
    {
      name: 'the slowest text known, 1 MB',
      figure: Math.max(...slowest),
      beside: JSON.stringify(SLOWEST[slowest.indexOf(Math.max(...slowest))]),
      budget: SLOWEST_TEXT,
    },
    { name: '10 KB, the first of a process', figure: median(cold), beside: spread(cold), budget: null },
  ];
}
