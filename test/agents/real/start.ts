/** Starts the programs and ctx in a place. */
import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { prefixOf, ROOT } from './place.ts';
import type { Place, Program } from './programs.ts';
import type { ModelServer } from './server.ts';

/** Longest that one run of a program may take, in milliseconds. */
const LONGEST = 120_000;
export const CTX = join(ROOT, 'dist', 'ctx.cjs');

export type Environment = Record<string, string>;

/** Prepares a place for a program; returns the environment of the program and of ctx there. */
export const environmentOf = (program: Program, place: Place): Environment => ({
  PATH: process.env['PATH'] ?? '',
  HOME: place.home,
  TERM: 'xterm',
  ...program.prepare(place),
});

export const runCtx = (
  place: Place,
  env: Environment,
  words: readonly string[],
  node = process.execPath,
): SpawnSyncReturns<string> => spawnSync(node, [CTX, ...words], { cwd: place.project, env, encoding: 'utf8' });

/** Returns the result of a command of ctx. @throws {Error} if the command fails */
export function askCtx<T>(place: Place, env: Environment, words: readonly string[], node = process.execPath): T {
  const ran = runCtx(place, env, ['--json', ...words], node);
  if (ran.status !== 0) throw new Error(`ctx ${words.join(' ')} ended with ${ran.status}: ${ran.stdout}${ran.stderr}`);
  return (JSON.parse(ran.stdout) as { result: T }).result;
}

/** Waits until something holds. @returns whether it does in time */
export async function waitFor(holds: () => boolean, milliseconds: number): Promise<boolean> {
  for (const end = Date.now() + milliseconds; !holds(); await pause(100)) if (Date.now() > end) return false;
  return true;
}

/** The end of a program by others, and its moment; by default as Ctrl-C does, once the model hangs. */
interface Stop {
  signal?: NodeJS.Signals;
  when?: () => boolean;
}

/** Runs a program to its end; what hangs is broken off as Ctrl-C does, or killed. */
export function runProgram(
  program: Program,
  words: readonly string[],
  place: Place,
  env: Environment,
  server: ModelServer,
  { signal = 'SIGINT', when = () => server.isHanging() }: Stop = {},
): Promise<{ ended: boolean; printed: string }> {
  const path = join(prefixOf(program.package), 'node_modules', '.bin', program.bin);
  // A group of its own: a kill reaches what it has started, too.
  const child = spawn(path, words, { cwd: place.project, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let printed = '';
  let ended = true;
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (printed += text.toString('utf8')));
  const late = setTimeout(() => {
    ended = false;
    child.kill('SIGKILL');
  }, LONGEST);
  const watch = setInterval(() => {
    if (!when()) return;
    if (signal === 'SIGKILL' && child.pid !== undefined) process.kill(-child.pid, signal);
    else child.kill(signal);
  }, 500);
  return new Promise((resolve) =>
    child.on('close', () => {
      clearTimeout(late);
      clearInterval(watch);
      resolve({ ended, printed });
    }),
  );
}
