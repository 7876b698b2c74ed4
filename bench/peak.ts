/** Runs one command of ctx and tells the most memory that it has held. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ENVIRONMENT, PROGRAM, ROOT } from './program.ts';

export interface Peak {
  /** In bytes. */
  bytes: number;
  seconds: number;
  /** Its last output, at most 64 KiB. */
  tail: string;
}

const PRELOAD = join(ROOT, 'bench', 'peak.cjs');
const TAIL = 64 * 1024;

/**
 * Runs ctx in a project as an agent would: its standard input and output are pipes, and somebody reads what it says.
 * @param input file whose bytes come through standard input
 * @throws where it does not end with 0
 */
export async function peakOf(project: string, words: readonly string[], input?: string): Promise<Peak> {
  const report = join(project, 'peak.txt');
  const env = { ...ENVIRONMENT, BENCH_PEAK: report };
  const started = performance.now();
  const child = spawn(process.execPath, ['--require', PRELOAD, PROGRAM, ...words], { cwd: project, env });
  const ended = once(child, 'exit');
  let tail = Buffer.alloc(0);
  const keep = (piece: Buffer): void => {
    tail = Buffer.concat([tail, piece]).subarray(-TAIL);
  };
  child.stdout.on('data', keep);
  let problem = '';
  child.stderr.on('data', (piece: Buffer) => {
    problem += piece.toString('utf8');
  });
  if (input === undefined) child.stdin.end();
  else await pipeline(createReadStream(input), child.stdin);
  const [status] = await ended;
  const seconds = (performance.now() - started) / 1000;
  if (status !== 0) throw new Error(`ctx ${words.join(' ')} ended with ${status}: ${problem || tail}`);
  const bytes = Number(readFileSync(report, 'utf8'));
  rmSync(report);
  return { bytes, seconds, tail: tail.toString('utf8') };
}
