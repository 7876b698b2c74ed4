/** Kinds of faults put into scenarios: each scenario is made ready once, and each kind of fault in it is a task of its own. */
import { shareOut } from './crew.ts';
import type { Jobs, Ready } from './jobs.ts';
import type { Mode } from './program.ts';
import { table } from './report.ts';
import { SCENARIOS } from './scenarios.ts';
import type { Bench } from './stage.ts';
import { INJECTIONS, type Injection } from './strace.ts';
import { hitsOf, type Tally } from './tally.ts';

/** Result of one scenario: a tally for each kind of fault that was put into it, none if nothing was to be hit. */
export interface Swept {
  ready: Ready;
  tallies: Tally[];
}

/** Faults for a scenario. */
export interface Plan {
  kindsOf: (scenario: number) => readonly Mode[];
  /** At how many of its calls. */
  points: Readonly<Record<Mode, number>>;
  /** True if one loss is enough: of a build that must lose something. */
  untilLoss?: boolean;
}

/** More calls than any command makes. */
const MOST_CALLS = 1_000_000;

/** Reports the tally during the run. */
type SoFar = (tally: Tally) => void;

export const lossesOf = ({ ready, tallies }: Swept): string[] => [
  ...ready.losses,
  ...tallies.flatMap((tally) => tally.losses),
];

/** Makes scenarios ready, for all parts that come. */
export const getReady = (bench: Bench, numbers: readonly number[]): Promise<Ready[]> =>
  shareOut(
    'ready',
    bench,
    numbers.map((scenario) => ({ scenario })),
  );

/**
 * The order of the kinds: a full disk and a broken one leave the same stores for the most part, so that the second finds them
 * judged where it comes after the first, and not beside it.
 */
const KINDS: readonly (Mode | Injection)[] = ['ENOSPC', 'kill', 'EIO', 'torn'];

async function share<Job extends 'sweep' | 'strace'>(
  job: Job,
  bench: Bench,
  readies: readonly Ready[],
  faultsOf: (scenario: number) => readonly Jobs[Job]['task'][],
  soFar: SoFar | undefined,
): Promise<Swept[]> {
  const able = readies.filter(({ scenario, losses }) => losses.length === 0 && !SCENARIOS[scenario]?.untouched);
  const tasks = able.flatMap(({ scenario }) => faultsOf(scenario));
  const weights = new Map(able.map(({ scenario, calls, writes }) => [scenario, { calls, writes }]));
  const weightOf = ({ scenario, fault }: Jobs[Job]['task']): number =>
    (weights.get(scenario)?.[fault === 'torn' ? 'writes' : 'calls'] ?? 0) - KINDS.indexOf(fault) * MOST_CALLS;
  const tallies = await shareOut(job, bench, tasks, soFar, weightOf);
  return readies.map((ready) => ({
    ready,
    tallies: tallies.filter((_, index) => tasks[index]?.scenario === ready.scenario),
  }));
}

/** Puts faults before the calls of scenarios. */
export async function shareSweeps(
  bench: Bench,
  numbers: readonly number[],
  { kindsOf, points, untilLoss = false }: Plan,
  soFar?: SoFar,
): Promise<Swept[]> {
  const faultsOf = (scenario: number): Jobs['sweep']['task'][] =>
    kindsOf(scenario).map((fault) => ({ scenario, fault, limit: points[fault], untilLoss }));
  return share('sweep', bench, await getReady(bench, numbers), faultsOf, soFar);
}

/** Puts faults into the system calls of scenarios. */
export async function shareStraces(
  bench: Bench,
  numbers: readonly number[],
  limit: number,
  soFar?: SoFar,
): Promise<Swept[]> {
  const faultsOf = (scenario: number): Jobs['strace']['task'][] =>
    INJECTIONS.map((fault) => ({ scenario, fault, limit }));
  return share('strace', bench, await getReady(bench, numbers), faultsOf, soFar);
}

/**
 * A table of what came of scenarios: a row for each, a column for each kind of fault.
 * @throws {Error} where there are tallies of another kind, of which it would show nothing
 */
export function sweptTable(
  swept: readonly Swept[],
  faults: readonly string[],
  notes: readonly string[],
  more: number,
): string {
  const unshown = swept.flatMap(({ tallies }) => tallies).find(({ mode }) => !faults.includes(mode));
  if (unshown) throw new Error(`There is no column for ${unshown.title}, ${unshown.mode}.`);
  const found = ({ tallies }: Swept, fault: string): Tally[] => tallies.filter(({ mode }) => mode === fault);
  const rows = swept.map((one, index): (string | number)[] => [
    one.ready.title,
    one.ready.calls,
    ...faults.map((fault) => (found(one, fault).length > 0 ? hitsOf(found(one, fault)) : '-')),
    lossesOf(one).length,
    notes[index] ?? '',
  ]);
  const all = faults.map((fault) => hitsOf(swept.flatMap((one) => found(one, fault))));
  rows.push(['all', '', ...all, swept.flatMap(lossesOf).length + more]);
  return table(['command', 'calls', ...faults, 'losses', ''], rows);
}
