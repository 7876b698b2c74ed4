/** Runs the tasks of the crew: tasks and results are plain values, a scenario is its number in the table. */
import { FOLLOWED, type Followed, powerAfterKill, powerOfFollowed } from './after-kill.ts';
import { sweepTwice } from './compound.ts';
import { type DamageTally, type DamageTask, runDamage } from './damage.ts';
import { MORE_STATES, type PowerTally, powerOfLife, powerOfScenario, STATES } from './power.ts';
import type { Mode } from './program.ts';
import { type RandomDamageTally, runRandomDamage } from './random-damage.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';
import { type Bench, makeReady } from './stage.ts';
import { findStrace, type Injection, traceScenario } from './strace.ts';
import { sweep } from './sweep.ts';
import type { Tally } from './tally.ts';

/** A scenario that is ready, and what was wrong with it before any fault. */
export interface Ready {
  scenario: number;
  title: string;
  calls: number;
  writes: number;
  losses: string[];
}

/**
 * Story of a power cut: of a scenario, of one that was killed first, of one that another follows then, or of
 * a whole session.
 */
export interface PowerTask {
  story: 'scenario' | 'after a kill' | 'followed' | 'life';
  /** Its number in the table of scenarios, or in that of what follows a kill. */
  scenario: number;
  limit: number;
  more: boolean;
  kills: number;
  /** True if one loss is enough. */
  untilLoss?: boolean;
}

export interface Jobs {
  ready: { task: { scenario: number }; result: Ready };
  sweep: { task: { scenario: number; fault: Mode; limit: number; untilLoss: boolean }; result: Tally };
  compound: { task: { scenario: number; limit: number; depth: number }; result: Tally };
  power: { task: PowerTask; result: PowerTally };
  damage: { task: DamageTask; result: DamageTally };
  'random-damage': { task: { from: number; count: number }; result: RandomDamageTally };
  strace: { task: { scenario: number; fault: Injection; limit: number }; result: Tally };
}
export type JobName = keyof Jobs;

const scenarioOf = (number: number): Scenario => SCENARIOS[number] as Scenario;

export const JOBS: {
  [Name in JobName]: (bench: Bench, task: Jobs[Name]['task']) => Promise<Jobs[Name]['result']>;
} = {
  ready: async (bench, { scenario }) => {
    const { title, total, problems } = await makeReady(bench, scenarioOf(scenario));
    return { scenario, title, ...total, losses: problems.map((problem) => `${title}: ${problem}`) };
  },
  sweep: async (bench, { scenario, fault, limit, untilLoss }) =>
    sweep(bench, await makeReady(bench, scenarioOf(scenario)), fault, limit, untilLoss),
  compound: async (bench, { scenario, limit, depth }) =>
    sweepTwice(bench, await makeReady(bench, scenarioOf(scenario)), limit, depth),
  power: (bench, { story, scenario, limit, more, kills, untilLoss = false }) => {
    const options = { limit, states: more ? MORE_STATES : STATES, untilLoss };
    if (story === 'life') return powerOfLife(bench, options);
    if (story === 'scenario') return powerOfScenario(bench, scenarioOf(scenario), options);
    if (story === 'followed') return powerOfFollowed(bench, FOLLOWED[scenario] as Followed, { ...options, kills });
    return powerAfterKill(bench, scenarioOf(scenario), { ...options, kills });
  },
  damage: (bench, task) => runDamage(bench.workshop, task),
  'random-damage': (bench, { from, count }) => runRandomDamage(bench, count, from),
  strace: async (bench, { scenario, fault, limit }) => {
    const strace = findStrace();
    if (strace === null) throw new Error('strace may trace no longer');
    return traceScenario(strace, bench, await makeReady(bench, scenarioOf(scenario)), fault, limit);
  },
};
