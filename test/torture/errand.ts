/** Defines the errand of a part of the harness: the share of everything that is done, and the commands for it. */
import { MODES, type Mode } from './program.ts';
import type { Report } from './report.ts';
import { SCENARIOS, titleOf } from './scenarios.ts';
import type { Bench } from './stage.ts';

/** Sizes of the share of everything that is done. */
export const SIZES = {
  quick: {
    /** True if all is done that there is, not only something of each kind. */
    whole: false,
    points: { kill: 1, torn: 1, ENOSPC: 1, EIO: 1 } satisfies Record<Mode, number>,
    compound: { commands: ['stage flush', 'stage confirm'], limit: 3, depth: 3 },
    power: { commands: ['stage confirm', 'observe batch', 'ingest'], limit: 4, more: false, life: 3, kills: 2 },
    crowd: { processes: 24, rounds: 1, commands: 3, seeds: [1] },
    knownBad: { commands: ['observe note Decision: no retries', 'stage flush'] as readonly string[] },
    damage: 320,
    randomDamage: 10,
    strace: 4,
    corpora: 1,
  },
  full: {
    whole: true,
    points: { kill: 100_000, torn: 100_000, ENOSPC: 100_000, EIO: 100_000 } satisfies Record<Mode, number>,
    compound: { commands: null, limit: 6, depth: 20 },
    power: { commands: null, limit: 100_000, more: true, life: 100_000, kills: 24 },
    crowd: { processes: 24, rounds: 8, commands: 4, seeds: [1, 2, 3] },
    knownBad: {
      commands: [
        'observe note Decision: no retries',
        'stage flush',
        'stage ask Which jitter?',
        'stage compact -m As far as it got',
      ] as readonly string[],
    },
    damage: 1,
    randomDamage: 2000,
    strace: 100_000,
    corpora: 10,
  },
} as const;

/** The options of a part. */
export interface Errand {
  bench: Bench;
  size: Omit<(typeof SIZES)['quick' | 'full'], 'points'> & { points: Readonly<Record<Mode, number>> };
  /** Only commands whose line begins so. */
  only: string;
  report: Report;
}

/** Numbers of scenarios that are asked for; without those that change nothing, and of some commands alone, where so wanted. */
export function chosen({ only }: Errand, commands: readonly string[] | null = null, withUntouched = false): number[] {
  return [...SCENARIOS.entries()]
    .filter(([, scenario]) => titleOf(scenario).startsWith(only))
    .filter(([, scenario]) => withUntouched || !scenario.untouched)
    .filter(([, scenario]) => commands === null || commands.includes(scenario.command))
    .map(([number]) => number);
}

/**
 * The same for a part that does a few commands, each of them in one scenario unless all is done: what is asked for by name is
 * done whatever it is.
 */
export function chosenOf(errand: Errand, commands: readonly string[] | null): number[] {
  if (errand.only !== '') return chosen(errand);
  return errand.size.whole ? chosen(errand, commands) : firstOfEach(chosen(errand, commands));
}

const commandOf = (number: number): string => SCENARIOS[number]?.command ?? '';

/** The first scenario of each command. */
export const firstOfEach = (numbers: readonly number[]): number[] =>
  numbers.filter((number, index) => numbers.findIndex((other) => commandOf(other) === commandOf(number)) === index);

/**
 * Chooses the kinds of faults for scenarios: all for each if all is done. Else each is killed, and those of one command
 * take turns with the other kinds, so that each command meets each of them.
 */
export function kindsOf({ size, only }: Errand, numbers: readonly number[]): (scenario: number) => readonly Mode[] {
  if (size.whole || only !== '') return () => MODES;
  const others = MODES.filter((mode) => mode !== 'kill');
  return (scenario) => {
    const ones = numbers.filter((other) => commandOf(other) === commandOf(scenario));
    const turn = ones.indexOf(scenario) % others.length;
    return ['kill', ...others.filter((_, index) => index % ones.length === turn)];
  };
}
