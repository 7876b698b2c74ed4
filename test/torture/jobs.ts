/** What a member of the crew can be asked to do: tasks and results are plain values, a scenario is its number in the table. */
import { FOLLOWED, type Followed, powerAfterKill, powerOfFollowed } from './after-kill.ts';
import { sweepTwice } from './compound.ts';
import { type DamageTally, type DamageTask, runDamage } from './damage.ts';
import { MORE_STATES, type PowerTally, powerOfLife, powerOfScenario, STATES } from './power.ts';
import { MODES, type Mode } from './program.ts';
import { type RandomDamageTally, runRandomDamage } from './random-damage.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';
import { findStrace, traceScenario } from './strace.ts';
import { type Bench, makeReady, sweep } from './sweep.ts';
import type { Tally } from './tally.ts';

/** What came of one scenario: a tally for each kind of fault, and what was wrong before any. */
export interface Swept {
  title: string;
  calls: number;
  tallies: Tally[];
  losses: string[];
}

/**
 * Which of the stories of a power cut: of a scenario, of one that was killed first, of one that another follows then, or of
 * a whole session.
 */
export interface PowerTask {
  story: 'scenario' | 'after a kill' | 'followed' | 'life';
  /** Its number in the table of scenarios, or in that of what follows a kill. */
  scenario: number;
  limit: number;
  more: boolean;
  kills: number;
}

export interface Jobs {
  sweep: { task: { scenario: number; points: Record<Mode, number> }; result: Swept };
  compound: { task: { scenario: number; limit: number; depth: number }; result: Tally };
  power: { task: PowerTask; result: PowerTally };
  damage: { task: DamageTask; result: DamageTally };
  'random-damage': { task: { from: number; count: number }; result: RandomDamageTally };
  strace: { task: { scenario: number; limit: number }; result: Swept };
}
export type JobName = keyof Jobs;

const scenarioOf = (number: number): Scenario => SCENARIOS[number] as Scenario;

export const JOBS: {
  [Name in JobName]: (bench: Bench, task: Jobs[Name]['task']) => Promise<Jobs[Name]['result']>;
} = {
  sweep: async (bench, { scenario, points }) => {
    const stage = await makeReady(bench, scenarioOf(scenario));
    const swept = beginning(stage.title, stage.total.calls, stage.problems);
    if (stage.problems.length > 0 || stage.scenario.untouched) return swept;
    for (const mode of MODES) swept.tallies.push(await sweep(bench, stage, mode, points[mode]));
    return swept;
  },
  compound: async (bench, { scenario, limit, depth }) =>
    sweepTwice(bench, await makeReady(bench, scenarioOf(scenario)), limit, depth),
  power: (bench, { story, scenario, limit, more, kills }) => {
    const options = { limit, states: more ? MORE_STATES : STATES };
    if (story === 'life') return powerOfLife(bench, options);
    if (story === 'scenario') return powerOfScenario(bench, scenarioOf(scenario), options);
    if (story === 'followed') return powerOfFollowed(bench, FOLLOWED[scenario] as Followed, { ...options, kills });
    return powerAfterKill(bench, scenarioOf(scenario), { ...options, kills });
  },
  damage: (bench, task) => runDamage(bench.workshop, task),
  'random-damage': (bench, { from, count }) => runRandomDamage(bench, count, from),
  strace: async (bench, { scenario, limit }) => {
    const stage = await makeReady(bench, scenarioOf(scenario));
    const swept = beginning(stage.title, stage.total.calls, stage.problems);
    const strace = findStrace();
    if (strace !== null && stage.problems.length === 0)
      swept.tallies.push(...(await traceScenario(strace, bench, stage, limit)));
    return swept;
  },
};

const beginning = (title: string, calls: number, problems: readonly string[]): Swept => ({
  title,
  calls,
  tallies: [],
  losses: problems.map((problem) => `${title}: ${problem}`),
});
