/** A second opinion: strace puts the faults into the system calls themselves, without our preload, and the same checks follow. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, readFileSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { homeOf } from './homes.ts';
import { launch } from './launch.ts';
import { NOW, type Outcome, pool, seedOf, spread } from './program.ts';
import type { Bench, Stage } from './stage.ts';
import { copyProject, removeProject } from './stores.ts';
import { judgeFault } from './sweep.ts';
import { checkShort, closeTally, newTally, type Tally } from './tally.ts';

/** Faults of a call, as the checks of a sweep name it. */
export const INJECTIONS = ['kill', 'ENOSPC', 'EIO'] as const;
export type Injection = (typeof INJECTIONS)[number];

/** Returns the name of such a fault in a tally: others put faults of the same names before calls of the program. */
export const byStrace = (injection: Injection): string => `strace ${injection}`;

/** System calls that make a change durable, publish it or take it away; not every machine has all of them. */
const CALLS = [
  'fsync',
  'fdatasync',
  'rename',
  'renameat',
  'renameat2',
  'link',
  'linkat',
  'unlink',
  'unlinkat',
] as const;

/** The call that begins a program: traced as well, to tell Git's processes from ours. */
const BEGIN = 'execve';

/** Longest life of a process under strace, in milliseconds. */
const PATIENCE = 60_000;

/** One line of a log: the thread, its system call, and the number that this call has among those of its name there. */
export interface Call {
  thread: string;
  name: string;
  number: number;
  /** The first path that it is about. */
  path: string;
  /** True if this is where the fault was put. */
  injected: boolean;
}

/** A call that a fault is to hit: the n-th of its name in a thread. */
interface Point {
  name: string;
  number: number;
}

/** Reads a log. strace counts per thread and system call, and so is it counted here. */
export function readLog(log: string): Call[] {
  const counts = new Map<string, number>();
  const calls: Call[] = [];
  for (const line of log.split('\n')) {
    const [, thread, name, rest] = /^(\d+) +(\w+)\((.*)$/.exec(line) ?? [];
    if (thread === undefined || name === undefined || rest === undefined) {
      markStruck(calls, line);
      continue;
    }
    const key = `${thread} ${name}`;
    const number = (counts.get(key) ?? 0) + 1;
    counts.set(key, number);
    // A path stands in quotes, that of an open file in angle brackets behind its number.
    const path = /"([^"]*)"|^\d+<([^>]*)>/.exec(rest);
    calls.push({
      thread,
      name,
      number,
      path: path?.[1] ?? path?.[2] ?? '',
      injected: rest.includes('(INJECTED)'),
    });
  }
  return calls;
}

/** A line that tells the end of a call which another thread interrupted in the log, or that the thread was killed before it. */
function markStruck(calls: Call[], line: string): void {
  const [, thread] = /^(\d+) +(?:\+\+\+ killed by SIGKILL|<\.\.\. \w+ resumed>.*\(INJECTED\))/.exec(line) ?? [];
  const last = calls.findLast((call) => call.thread === thread);
  if (last) last.injected = true;
}

/** Finds strace; null if it is absent or may not trace. */
export function findStrace(): string | null {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const program = join(folder, 'strace');
    try {
      accessSync(program, constants.X_OK);
    } catch {
      continue;
    }
    const line = ['-f', '--seccomp-bpf', '-o', '/dev/null', '-e', 'trace=?unlink', process.execPath, '-e', '0'];
    const trial = spawnSync(program, line);
    return trial.status === 0 ? program : null;
  }
  return null;
}

/** Result of a run under strace: the end of the process, the calls, and if the fault struck a process of Git's. */
interface Traced {
  outcome: Outcome;
  calls: Call[];
  inGit: boolean;
}

let logs = 0;

/** Runs the command of a stage under strace, with a fault at a point or without. */
async function runTraced(
  strace: string,
  bench: Bench,
  stage: Stage,
  project: string,
  fault?: { point: Point; injection: Injection },
): Promise<Traced> {
  logs += 1;
  const log = join(bench.workshop, `strace-${logs}`);
  const { scenario } = stage;
  const how = fault?.injection === 'kill' ? 'signal=KILL' : `error=${fault?.injection}`;
  const line = ['-f', '-y', '-o', log, '-e', `trace=${[BEGIN, ...CALLS].map((name) => `?${name}`).join(',')}`];
  // A program that is stopped at these calls alone takes half as long; strace 6.1 sends no signal then.
  if (fault?.injection !== 'kill') line.push('--seccomp-bpf');
  if (fault) line.push('-e', `inject=${fault.point.name}:${how}:when=${fault.point.number}`);
  const started = performance.now();
  const ended = await launch({
    file: strace,
    words: [...line, process.execPath, '-r', seedOf(bench.program), bench.program, '--json', ...stage.words],
    options: {
      cwd: project,
      env: {
        PATH: scenario.withoutGit ? '/nonexistent' : process.env['PATH'],
        HOME: homeOf(project, scenario.words),
        TZ: 'UTC',
        CTX_NOW: String(scenario.now ?? NOW),
        TORTURE_MOMENT: String(stage.moment),
      },
      timeout: PATIENCE,
      killSignal: 'SIGABRT',
    },
    input: scenario.input ?? '',
  });
  const calls = readLog(readFileSync(log, 'utf8'));
  rmSync(log);
  const store = join(project, '.ctx');
  const ofGit = new Set(calls.filter(({ name, path }) => name === BEGIN && isGit(path)).map(({ thread }) => thread));
  // Each process counts for itself, so that one order may strike several: ours is the one to judge.
  const hits = calls.filter((call) => call.injected);
  const struck = hits.find(({ thread }) => !ofGit.has(thread)) ?? hits[0];
  const hit = struck && { index: struck.number, call: struck.name, path: struck.path.slice(store.length + 1) };
  const inGit = struck !== undefined && ofGit.has(struck.thread);
  const outcome = { ...ended, milliseconds: performance.now() - started, hit: hit ?? null, total: null };
  return { outcome, calls, inGit };
}

const isGit = (program: string): boolean => /\/git[^/]*$/.test(program);

/** The points of an untouched run: calls on the store alone, since the start of Node makes some elsewhere. */
export function pointsOf(calls: readonly Call[], store: string): Point[] {
  const points = new Map<string, Point>();
  for (const { name, number, path } of calls)
    if (path === store || path.startsWith(`${store}/`)) points.set(`${name} ${number}`, { name, number });
  return [...points.values()];
}

/** Runs the command of a stage with a fault at each of its calls, or at `limit` of them. */
export async function traceScenario(
  strace: string,
  bench: Bench,
  stage: Stage,
  injection: Injection,
  limit: number,
): Promise<Tally> {
  const trial = copyProject(stage.project, bench.workshop);
  const points = pointsOf((await runTraced(strace, bench, stage, trial)).calls, join(trial, '.ctx'));
  removeProject(trial);
  const chosen = spread(points.length, limit).map((number) => points[number - 1] as Point);
  const tally = { ...newTally(stage.title, byStrace(injection)), points: chosen.length };
  await pool(chosen, async (point) => {
    const project = copyProject(stage.project, bench.workshop);
    try {
      await strike(strace, bench, stage, project, { point, injection }, tally);
    } finally {
      removeProject(project);
    }
  });
  if (tally.points === 0) tally.losses.push(`${stage.title}, ${tally.mode}: there was nothing to hit`);
  return closeTally(tally);
}

/** One fault at one point, and everything that is checked after it. */
async function strike(
  strace: string,
  bench: Bench,
  stage: Stage,
  project: string,
  fault: { point: Point; injection: Injection },
  tally: Tally,
): Promise<void> {
  const { point, injection } = fault;
  const where = `${stage.title}, ${tally.mode} at ${point.name} ${point.number}`;
  const { outcome, calls, inGit } = await runTraced(strace, bench, stage, project, fault);
  if (outcome.hit) {
    tally.hits += 1;
    const problems = await judgeFault(stage, project, outcome, injection, inGit);
    const call = `${outcome.hit.call} ${outcome.hit.path}`;
    tally.losses.push(...problems.map((problem) => `${where}: (${call}) ${problem}`));
    return;
  }
  const most = Math.max(0, ...calls.filter(({ name }) => name === point.name).map(({ number }) => number));
  if (most < point.number) {
    tally.short += 1;
    checkShort(tally, where, outcome, stage.scenario.exit ?? 0);
  } else tally.losses.push(`${where}: no fault was seen; the harness is broken (${outcome.err})`);
}
