/** Counts the results of putting one kind of fault into one command, and if the faults were in their intended places. */
import type { Outcome } from './program.ts';

export interface Tally {
  title: string;
  mode: string;
  /** Calls at which a fault was wanted. */
  points: number;
  /** Faults that were seen to hit a call. */
  hits: number;
  /** Points that a run was seen to end before. */
  short: number;
  /** Losses and errors, a sentence each. */
  losses: string[];
}

export const newTally = (title: string, mode: string): Tally => ({
  title,
  mode,
  points: 0,
  hits: 0,
  short: 0,
  losses: [],
});

/**
 * The largest part of the runs that may be short. Ids are new in every run, so that one may need fewer folders, and calls,
 * than another: that concerns the last points alone.
 */
const SHORT = 1 / 3;

/** A run without a fault must end as it does untouched: one that gives up early has fewer calls, too. */
export function checkShort(tally: Tally, where: string, outcome: Outcome, exit: number): void {
  if (outcome.code === exit) return;
  const end = outcome.code ?? outcome.signal;
  tally.losses.push(`${where}: no fault was put in, and it ended with ${end}: ${outcome.out}${outcome.err}`);
}

/** Adds what is wrong with the tally as a whole: faults that hit too little show too little. */
export function closeTally(tally: Tally): Tally {
  const { title, mode, points, hits, short, losses } = tally;
  const found = `${hits} of ${points} were hit, ${short} runs were short`;
  if (points > 0 && hits === 0) losses.push(`${title}, ${mode}: nothing was ever hit`);
  else if (hits < points - short || short > Math.max(1, points * SHORT))
    losses.push(`${title}, ${mode}: too little was hit: ${found}`);
  return tally;
}

/** Counts the times that the points were hit, and the runs that were short, in a cell of a table. */
export function hitsOf(tallies: readonly Tally[]): string {
  const sum = (count: (tally: Tally) => number): number => tallies.reduce((all, tally) => all + count(tally), 0);
  const short = sum((tally) => tally.short);
  return `${sum(({ hits }) => hits)} of ${sum(({ points }) => points)}${short > 0 ? ` (${short} short)` : ''}`;
}
