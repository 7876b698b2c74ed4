/** The program under torture: a copy of the build, run in processes of its own with a fault in its way. */
import type { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { homeOf } from './homes.ts';
import { type Ended, launch } from './launch.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The recorded time of everything: nothing goes stale while a run takes long. */
export const NOW = 1_769_040_000;

/** Fault at the chosen call. */
export type Mode = 'kill' | 'torn' | 'ENOSPC' | 'EIO';
export const MODES: readonly Mode[] = ['kill', 'torn', 'ENOSPC', 'EIO'];

/** Folder of the workshops: in memory if the machine has such, since waiting for a disk proves nothing here. */
export const WORKSHOPS = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** A folder for one run. */
export const makeWorkshop = (): string => realpathSync(mkdtempSync(join(WORKSHOPS, 'ctx-torture-')));

/** A folder in it for what is ready to be tortured. */
export function makeStages(workshop: string): string {
  const folder = join(workshop, 'stages');
  mkdirSync(folder);
  return folder;
}

export function removeWorkshop(workshop: string): void {
  rmSync(workshop, { recursive: true, force: true, maxRetries: 5 });
}

/** The preload that counts calls and puts faults in their place, beside a copy of the program. */
export const faultOf = (program: string): string => join(dirname(program), 'fault.cjs');

/** Takes a copy of the build, so that a build beside does not change what is tested; gives the program. */
export function copyProgram(workshop: string): string {
  const folder = join(workshop, 'program');
  cpSync(join(ROOT, 'dist'), folder, { recursive: true, preserveTimestamps: true });
  rmSync(join(folder, 'types'), { recursive: true, force: true });
  return withFault(join(folder, 'ctx.cjs'));
}

/** Beside it lies the one that makes what is random the same each time. */
export const seedOf = (program: string): string => join(dirname(program), 'seed.cjs');

/** Puts the preloads beside a program. */
export function withFault(program: string): string {
  for (const place of [faultOf(program), seedOf(program)])
    cpSync(join(ROOT, 'test', 'torture', basename(place)), place);
  return program;
}

/** The order for a process. */
export interface Order {
  program: string;
  /** The folder that holds `.ctx`. */
  project: string;
  words: readonly string[];
  input?: string | undefined;
  now?: number | undefined;
  /**
   * First time of its ids, in milliseconds since 1970: two runs of one moment do the same on the same store, so that a
   * second run on one store needs a later one. Where absent, ids are new each time.
   */
  moment?: number | undefined;
  /** As if Git were not installed. */
  withoutGit?: boolean | undefined;
  /** As if the file system had no hard links. */
  withoutLinks?: boolean | undefined;
  fault?: { at: number; mode: Mode } | undefined;
  /** A file that gets every call that changes the store, a JSON object a line. */
  log?: string | undefined;
}

/** The moment of what runs on a store after what ran in this one; what is run for real comes after both. */
export const later = (moment: number, steps = 1): number => moment + 20 * steps;

/** The end of a process, and the calls that the preload saw. */
export interface Outcome extends Ended {
  milliseconds: number;
  /** The call that the fault took the place of; null where the run was left untouched. */
  hit: { index: number; call: string; path: string } | null;
  /** Calls in all, and writes among them; null where the fault ended the process. */
  total: { calls: number; writes: number } | null;
}

/** Longest life of a process before it counts as hanging, in milliseconds. */
const PATIENCE = 60_000;
let marks = 0;

/** Runs ctx with `--json`, with a fault or without. */
export async function runProgram(order: Order): Promise<Outcome> {
  marks += 1;
  const mark = join(order.project, `mark-${marks}`);
  const environment = {
    PATH: order.withoutGit ? '/nonexistent' : process.env['PATH'],
    HOME: homeOf(order.project, order.words),
    TZ: 'UTC',
    CTX_NOW: String(order.now ?? NOW),
    TORTURE_STORE: join(order.project, '.ctx'),
    TORTURE_AT: String(order.fault?.at ?? 0),
    TORTURE_MODE: order.fault?.mode ?? 'kill',
    TORTURE_MARK: mark,
    ...(order.moment === undefined ? {} : { TORTURE_MOMENT: String(order.moment) }),
    ...(order.withoutLinks ? { TORTURE_LINKS: 'none' } : {}),
    ...(order.log === undefined ? {} : { TORTURE_LOG: order.log }),
  };
  const started = performance.now();
  const ended = await launch({
    file: process.execPath,
    words: ['-r', faultOf(order.program), order.program, '--json', ...order.words],
    options: { cwd: order.project, env: environment, timeout: PATIENCE, killSignal: 'SIGABRT' },
    input: order.input ?? '',
  });
  const seen = existsSync(mark) ? (JSON.parse(readFileSync(mark, 'utf8')) as Record<string, unknown>) : {};
  rmSync(mark, { force: true });
  const total = 'calls' in seen ? (seen as unknown as NonNullable<Outcome['total']>) : null;
  const hit = (seen['hit'] as Outcome['hit'] | undefined) ?? null;
  return { ...ended, milliseconds: performance.now() - started, hit, total };
}

type Child = ReturnType<typeof spawn>;

/** Waits for the end of a process; gives what it wrote. @throws where it cannot be begun */
export function collect(child: Child): Promise<Ended> {
  let [out, err] = ['', ''];
  child.stdout?.on('data', (piece: Buffer) => {
    out += piece.toString('utf8');
  });
  child.stderr?.on('data', (piece: Buffer) => {
    err += piece.toString('utf8');
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, out, err }));
  });
}

const GIT_ENVIRONMENT = {
  PATH: process.env['PATH'],
  HOME: '/dev/null/home',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
};

/** Runs Git on the store of a project. */
export function runGit(project: string, words: readonly string[]): Promise<Ended> {
  const line = ['--git-dir', join(project, '.ctx'), ...words];
  return launch({ file: 'git', words: line, options: { env: GIT_ENVIRONMENT } });
}

/** Number of programs that run at once: as many as the machine has processors, if the process is not one of a crew. */
const WIDTH = Number(process.env['TORTURE_WIDTH'] ?? availableParallelism());

/** Does tasks side by side, as many at once as there is room for; in order of their list. */
export async function pool<T>(tasks: readonly T[], work: (task: T) => Promise<void>, width = WIDTH): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    try {
      for (let index = next++; index < tasks.length; index = next++) await work(tasks[index] as T);
    } finally {
      // After a failure no more are begun; those at work are waited for, since their folders go afterwards.
      next = tasks.length;
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: width }, worker));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
}

/** Numbers that look random and are the same in every run (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** At most `count` of the numbers 1 … last, spread evenly, the first and the last among them. */
export function spread(last: number, count: number): number[] {
  if (last <= count) return Array.from({ length: last }, (_, index) => index + 1);
  if (count === 1) return [Math.ceil(last / 2)];
  const numbers = Array.from({ length: count }, (_, index) => 1 + Math.round((index * (last - 1)) / (count - 1)));
  return [...new Set(numbers)];
}
