/** Finds the lines of a text that a change of it wrote. */

/** The number of the first of some lines that follow one another, from 1, and their count. */
export type LineRange = [first: number, count: number];

/** Most ranges that are kept of one change: of a change with more, nobody asks for each line. */
const MOST_RANGES = 256;

/** Two stretches of lines, one before the change and one after it; ends are exclusive. */
interface Pair {
  before: { from: number; to: number };
  after: { from: number; to: number };
}

/**
 * Returns the ranges of lines of `after` that are not in `before`, in order; undefined if there are too many. Lines that are in both
 * once and in one order are the same lines, as are those at the beginning and the end of what lies between two such lines.
 */
export function changedLines(before: string, after: string): LineRange[] | undefined {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const whole = trimmed(old, now, { before: { from: 0, to: old.length }, after: { from: 0, to: now.length } });
  const ranges: LineRange[] = [];
  let from = { before: whole.before.from, after: whole.after.from };
  const end = { before: whole.before.to, after: whole.after.to };
  for (const anchor of [...anchorsIn(old, now, whole), end]) {
    const { after: left } = trimmed(old, now, {
      before: { from: from.before, to: anchor.before },
      after: { from: from.after, to: anchor.after },
    });
    if (left.to > left.from) ranges.push([left.from + 1, left.to - left.from]);
    from = { before: anchor.before + 1, after: anchor.after + 1 };
  }
  return ranges.length > MOST_RANGES ? undefined : ranges;
}

/** Returns two stretches without the lines that both begin or end with. */
function trimmed(old: readonly string[], now: readonly string[], { before, after }: Pair): Pair {
  let [a, b, aEnd, bEnd] = [before.from, after.from, before.to, after.to];
  for (; a < aEnd && b < bEnd && old[a] === now[b]; a += 1) b += 1;
  for (; a < aEnd && b < bEnd && old[aEnd - 1] === now[bEnd - 1]; aEnd -= 1) bEnd -= 1;
  return { before: { from: a, to: aEnd }, after: { from: b, to: bEnd } };
}

/** Returns the lines that are once in both stretches, as many of them as are in the same order. */
function anchorsIn(old: readonly string[], now: readonly string[], { before, after }: Pair): Place[] {
  const places = uniqueLines(old, before);
  const common: Place[] = [];
  for (const [line, place] of uniqueLines(now, after)) {
    const other = places.get(line);
    if (other !== undefined && other >= 0 && place >= 0) common.push({ before: other, after: place });
  }
  return longestRise(common);
}

interface Place {
  before: number;
  after: number;
}

/** Returns the place of each line of a stretch; -1 if the line is there more than once. */
function uniqueLines(lines: readonly string[], { from, to }: { from: number; to: number }): Map<string, number> {
  const places = new Map<string, number>();
  for (let index = from; index < to; index += 1) {
    const line = lines[index] as string;
    places.set(line, places.has(line) ? -1 : index);
  }
  return places;
}

/** Returns the longest sequence of places whose place before the change rises, too: they rise after it already. */
function longestRise(places: readonly Place[]): Place[] {
  /** The last place of the lowest sequence of each length, and for each place the one before it. */
  const lowest: number[] = [];
  const previous: number[] = [];
  for (const [index, { before }] of places.entries()) {
    let [low, high] = [0, lowest.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((places[lowest[middle] as number] as Place).before < before) low = middle + 1;
      else high = middle;
    }
    previous[index] = lowest[low - 1] ?? -1;
    lowest[low] = index;
  }
  const rise: Place[] = [];
  for (let index = lowest.at(-1) ?? -1; index >= 0; index = previous[index] as number)
    rise.push(places[index] as Place);
  return rise.reverse();
}
