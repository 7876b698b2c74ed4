/** Runs programs to their end by a small process: a fork of this one, which is large, takes as long as many a program does. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, openSync, readSync, realpathSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SPAWNER = fileURLToPath(new URL('spawner.cjs', import.meta.url));

/** How a program ended, and what it wrote. */
export interface Ended {
  status: number | null;
  signal: NodeJS.Signals | null;
  stdout: Buffer;
  stderr: Buffer;
}

export interface SpawnOptions {
  cwd?: string | undefined;
  env: Record<string, string | undefined>;
  /** What is typed; where absent, it has no standard input. */
  input?: string | Buffer | undefined;
}

/** The pipes to the small process and from it. */
let spawner: { orders: number; answers: number } | undefined;

function begin(): { orders: number; answers: number } {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'ctx-spawner-'));
  const pipes = [join(folder, 'orders'), join(folder, 'answers')] as const;
  execFileSync('mkfifo', pipes);
  spawn(process.execPath, [SPAWNER, ...pipes], { stdio: ['ignore', 'ignore', 'inherit'] }).unref();
  // Each waits for the other end to be opened.
  const [orders, answers] = [openSync(pipes[0], 'w'), openSync(pipes[1], 'r')];
  rmSync(folder, { recursive: true });
  return { orders, answers };
}

/** Runs a program to its end. @throws where it cannot be begun */
export function runToEnd(file: string, words: readonly string[], { input, ...options }: SpawnOptions): Ended {
  spawner ??= begin();
  const typed = input === undefined ? null : Buffer.from(input);
  const order = Buffer.from(JSON.stringify({ file, words, options, input: typed?.length ?? null }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(order.length);
  give(spawner.orders, Buffer.concat([length, order, typed ?? Buffer.alloc(0)]));
  const told = JSON.parse(take(spawner.answers, take(spawner.answers, 4).readUInt32LE()).toString('utf8'));
  const [stdout, stderr] = [take(spawner.answers, told.out), take(spawner.answers, told.err)];
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
