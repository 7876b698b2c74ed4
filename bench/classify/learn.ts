/** Trains the weights of `linear-model.ts` on labelled messages: logistic regression, the same each time. */
import { featuresOf, LEANINGS, ONE, scaleOf } from '../../src/language/features.ts';
import { viewOf } from '../../src/language/message-view.ts';
import type { LabelledRow } from './rows.ts';

/** How much a weight costs, against a row: without that the weights would tell the rows by heart. */
const COST = 1 / 6;
const ROUNDS = 400;
const RATE = 0.05;
/** A feature of fewer rows tells nothing. */
const FEWEST = 2;
/** Weights below this are left out: they change next to nothing, and a hook has to load them. */
const LEAST = 5;

export interface Example {
  readonly row: LabelledRow;
  readonly weight: number;
}

interface Encoded {
  readonly at: readonly number[];
  readonly scale: number;
  readonly target: number;
  readonly weight: number;
}

/** The weights by feature, as whole numbers; the one without a name is what every message has. */
export function learn(examples: readonly Example[]): Map<string, number[]> {
  const read = examples.map(({ row, weight }) => ({ features: featuresOf(viewOf(row)), row, weight }));
  const counts = new Map<string, number>();
  for (const { features } of read) for (const feature of features) counts.set(feature, (counts.get(feature) ?? 0) + 1);
  const names = ['', ...[...counts].filter(([, count]) => count >= FEWEST).map(([feature]) => feature)].sort();
  const places = new Map(names.map((feature, index) => [feature, index]));
  const encoded = read.map(({ features, row, weight }): Encoded => {
    const at = [...features].flatMap((feature) => places.get(feature) ?? []);
    return { at, scale: scaleOf(features.size), target: (LEANINGS as readonly string[]).indexOf(row.label), weight };
  });
  const weights = descend(encoded, names.length);
  const found = names.map((feature, index): [string, number[]] => {
    const own = LEANINGS.map((_, leaning) => Math.round((weights[index * LEANINGS.length + leaning] as number) * ONE));
    return [feature, own];
  });
  return new Map(found.filter(([feature, own]) => feature === '' || own.some((weight) => Math.abs(weight) >= LEAST)));
}

/** Adam over all rows at once (Kingma and Ba 2015, with its usual numbers). */
function descend(rows: readonly Encoded[], features: number): Float64Array {
  const size = features * LEANINGS.length;
  const [weights, slope, square, gradient] = [0, 0, 0, 0].map(() => new Float64Array(size)) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  const total = rows.reduce((sum, { weight }) => sum + weight, 0);
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (let index = 0; index < size; index += 1)
      gradient[index] = index < LEANINGS.length ? 0 : (COST * (weights[index] as number)) / total;
    for (const row of rows) addGradient(row, weights, gradient, total);
    for (let index = 0; index < size; index += 1) {
      const own = gradient[index] as number;
      slope[index] = 0.9 * (slope[index] as number) + 0.1 * own;
      square[index] = 0.999 * (square[index] as number) + 0.001 * own * own;
      const step = (slope[index] as number) / (1 - 0.9 ** round);
      weights[index] =
        (weights[index] as number) -
        (RATE * step) / (Math.sqrt((square[index] as number) / (1 - 0.999 ** round)) + 1e-8);
    }
  }
  return weights;
}

/** The name without letters sorts first: its weights are at the beginning, and cost nothing. */
function addGradient(
  { at, scale, target, weight }: Encoded,
  weights: Float64Array,
  gradient: Float64Array,
  total: number,
): void {
  const sums = LEANINGS.map((_, leaning) => {
    let sum = weights[leaning] as number;
    for (const place of at) sum += scale * (weights[place * LEANINGS.length + leaning] as number);
    return sum;
  });
  const powers = sums.map(Math.exp);
  const all = powers.reduce((sum, power) => sum + power, 1);
  for (const [leaning, power] of powers.entries()) {
    const error = (weight * (power / all - (leaning === target ? 1 : 0))) / total;
    gradient[leaning] = (gradient[leaning] as number) + error;
    for (const place of at) {
      const index = place * LEANINGS.length + leaning;
      gradient[index] = (gradient[index] as number) + scale * error;
    }
  }
}
