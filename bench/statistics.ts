/** The few statistics that the tables need. */

/** The value below which a share of the values lies, interpolated. @param share from 0 to 1 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  if (below === undefined || above === undefined) throw new Error('There is no value to look at.');
  return below + (above - below) * (position - Math.floor(position));
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);
