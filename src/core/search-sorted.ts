/** Looking in numbers that ascend. */

/** Returns the index of the last one that is not above a given number; 0 if all are, or if there is none. */
export function lastNotAbove(numbers: readonly number[], most: number): number {
  let low = 0;
  let high = numbers.length;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) <= most) low = middle;
    else high = middle;
  }
  return low;
}
