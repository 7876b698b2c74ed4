/**
 * `npm run classify:train -- <labelled.jsonl>`: learns the weights of `linear-model.ts` from the messages of our own and from that file,
 * and counts on it how often each rule is right. Before that it tells how well weights do that have not seen the file.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Example, learn } from './learn.ts';
import { readRows } from './rows.ts';
import { sentenceRows } from './sentences.ts';
import { weightsFile } from './weights-file.ts';

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const WEIGHTS = path('../../src/language/weights.ts');
const OWN = path('../../fixtures/classify/messages.jsonl');
/** A message of a real session counts as so many of ours. */
const REAL = 2;

function examplesOf(file: string, weight: number): Example[] {
  return readRows(file, readFileSync(file, 'utf8')).map((row) => ({ row, weight }));
}

/** Writes what is learned: each feature with its weights for approval, giving up and another task, in tenths. */
function writeWeights(examples: readonly Example[]): void {
  writeFileSync(WEIGHTS, weightsFile(learn(examples)));
  spawnSync('biome', ['format', '--write', WEIGHTS], { stdio: 'inherit' });
}

/** Runs another script of this folder: in a process of its own, which reads the weights that are written now. */
const run = (script: string, file: string): number | null =>
  spawnSync('tsx', [path(script), file], { stdio: 'inherit' }).status;

const file = process.argv[2];
if (file === undefined) {
  console.error('Usage: npm run classify:train -- <labelled.jsonl>');
  process.exitCode = 2;
} else {
  const own = [...examplesOf(OWN, 1), ...sentenceRows().map((row) => ({ row, weight: 1 }))];
  const real = examplesOf(file, REAL);
  writeWeights(own);
  console.log('With weights that have not seen the file:\n');
  run('eval.ts', file);
  writeWeights([...own, ...real]);
  console.log('\nWith those that are kept:\n');
  process.exitCode = run('count.ts', file) ?? 1;
}
