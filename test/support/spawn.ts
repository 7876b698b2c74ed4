/**
 * Runs programs to their end by helpers: others by a small process, since a fork of this one, which is large, takes as long as many a
 * program does; ctx itself by a process that has loaded it already.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, openSync, readSync, realpathSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

type Helper = 'spawner.cjs' | 'resident.cjs';

/** The end of a program, and its output. */
export interface Ended {
  status: number | null;
  signal: NodeJS.Signals | null;
  stdout: Buffer;
  stderr: Buffer;
}

export interface SpawnOptions {
  cwd?: string | undefined;
  env: Record<string, string | undefined>;
  /** Typed text; if absent, it has no standard input. */
  input?: string | Buffer | undefined;
}

/** The pipes to a helper and from it. */
interface Pipes {
  orders: number;
  answers: number;
}

const helpers = new Map<Helper, Pipes>();

function begin(helper: Helper, words: readonly string[]): Pipes {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'ctx-spawner-'));
  const pipes = [join(folder, 'orders'), join(folder, 'answers')] as const;
  execFileSync('mkfifo', pipes);
  const script = fileURLToPath(new URL(helper, import.meta.url));
  spawn(process.execPath, [script, ...pipes, ...words], { stdio: ['ignore', 'ignore', 'inherit'] }).unref();
  // Each waits for the other end to be opened.
  const [orders, answers] = [openSync(pipes[0], 'w'), openSync(pipes[1], 'r')];
  rmSync(folder, { recursive: true });
  return { orders, answers };
}

/** Runs a program to its end. @throws where it cannot be begun */
export const runToEnd = (file: string, words: readonly string[], options: SpawnOptions): Ended =>
  ask('spawner.cjs', [], { file, words }, options);

/** Runs a line of ctx to its end, in a process that has loaded it already. @param program its built file */
export const runResident = (program: string, words: readonly string[], options: SpawnOptions): Ended =>
  ask('resident.cjs', [program], { words }, options);

/** @param settings what the helper is started with */
function ask(helper: Helper, settings: readonly string[], what: object, { input, ...options }: SpawnOptions): Ended {
  const { orders, answers } = helpers.get(helper) ?? begin(helper, settings);
  helpers.set(helper, { orders, answers });
  const typed = input === undefined ? null : Buffer.from(input);
  const order = Buffer.from(JSON.stringify({ ...what, options, input: typed?.length ?? null }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(order.length);
  give(orders, Buffer.concat([length, order, typed ?? Buffer.alloc(0)]));
  const told = JSON.parse(take(answers, take(answers, 4).readUInt32LE()).toString('utf8'));
  const [stdout, stderr] = [take(answers, told.out), take(answers, told.err)];
  // One that needs no input may have ended before it was there.
  if (told.error && told.error.code !== 'EPIPE') throw Object.assign(new Error(told.error.message), told.error);
  return { status: told.status, signal: told.signal, stdout, stderr };
}

function give(pipe: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(pipe, bytes, at);
}

function take(pipe: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let at = 0; at < length; ) {
    const more = readSync(pipe, bytes, at, length - at, null);
    if (more === 0) throw new Error('the process that runs programs has ended');
    at += more;
  }
  return bytes;
}
