/** Paired measurement: every subject once a round, in the same order, so that whatever disturbs the machine disturbs all of them. */
import type { Budget, Row } from './budgets.ts';
import { median, quantile } from './statistics.ts';

/** Something whose wall time is measured. */
export interface Subject {
  name: string;
  budget: Budget | null;
  /** The subject that its figure is a ratio to; the first one of all where absent. */
  against?: Subject;
  /** Prepares each run, untimed. */
  prepare?: () => void;
  /** Runs it once; gives the wall time. */
  run: () => { milliseconds: number };
}

/** Rounds that are not counted: they fill the caches. */
const WARM_UPS = 3;

/** Wall times of every subject, in milliseconds, by round. */
function measure(subjects: readonly Subject[], runs: number, title: string): Map<Subject, number[]> {
  process.stderr.write(`${title}: ${runs} rounds of ${subjects.length}\n`);
  const times = new Map(subjects.map((subject): [Subject, number[]] => [subject, []]));
  for (let round = 1 - WARM_UPS; round <= runs; round += 1) {
    if (process.stderr.isTTY) process.stderr.write(`\r${title}: ${round > 0 ? `round ${round}` : 'warming up'}   `);
    for (const [subject, found] of times) {
      subject.prepare?.();
      const { milliseconds } = subject.run();
      if (round > 0) found.push(milliseconds);
    }
  }
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  return times;
}

/** Measures subjects together; gives each one's median as a ratio to that of its own base, or the first one's, with the ratios of its quartiles. */
export function compare(subjects: readonly Subject[], runs: number, title: string): { rows: Row[]; unit: number } {
  const times = measure(subjects, runs, title);
  const [first] = times.values();
  const unit = median(first ?? []);
  const rows = [...times].map(([{ name, budget, against }, found]): Row => {
    const base = against ? median(times.get(against) ?? []) : unit;
    const quartiles = [0.25, 0.75].map((share) => (quantile(found, share) / base).toFixed(2));
    return { name, figure: median(found) / base, beside: quartiles.join('–'), budget };
  });
  return { rows, unit };
}
