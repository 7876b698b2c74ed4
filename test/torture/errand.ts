/** What a part of the harness is sent with: how much of everything is done, and with which commands. */
import type { Mode } from './program.ts';
import type { Report } from './report.ts';
import { SCENARIOS, titleOf } from './scenarios.ts';
import type { Bench } from './stage.ts';

/** How much of everything is done. */
export const SIZES = {
  quick: {
    points: { kill: 1, torn: 1, ENOSPC: 1, EIO: 1 } satisfies Record<Mode, number>,
    compound: { commands: ['stage flush', 'stage confirm'], limit: 3, depth: 3 },
    power: { commands: ['stage confirm', 'observe batch', 'ingest'], limit: 4, more: false, life: 4, kills: 2 },
    crowd: { processes: 24, rounds: 1, commands: 3, seeds: [1] },
    // Every third call: what is harmed by a plain write is harmed at two calls in a row, and at several places.
    knownBad: { commands: ['observe note Decision: no retries', 'stage flush'] as readonly string[], kills: 32 },
    damage: 320,
    randomDamage: 10,
    strace: 4,
    corpora: 1,
  },
  full: {
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
      kills: 100_000,
    },
    damage: 1,
    randomDamage: 2000,
    strace: 100_000,
    corpora: 10,
  },
} as const;

/** What a part is run with. */
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

/** The same for a part that does a few commands: what is asked for by name is done whatever it is. */
export const chosenOf = (errand: Errand, commands: readonly string[] | null): number[] =>
  chosen(errand, errand.only === '' ? commands : null);
