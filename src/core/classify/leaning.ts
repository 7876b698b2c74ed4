/** Which way a message leans that no rule could read: a linear model over its words, trained on labelled messages. */
import { featuresOf, LEANINGS, type Leaning, type LeaningView, ONE, scaleOf } from './features.ts';
import { WEIGHTS } from './weights.ts';

/** The weights by feature, those of each leaning; the one without a name is what every message has. */
export function readWeights(table: string): Map<string, readonly number[]> {
  const weights = new Map<string, readonly number[]>();
  for (const record of table.replaceAll('\n', '').split('|')) {
    const [feature = '', ...numbers] = record.split('\t');
    weights.set(feature, numbers.map(Number));
  }
  return weights;
}

let known: Map<string, readonly number[]> | undefined;

/** How likely each leaning is, from 0 to 1, and the words that speak for it most. */
export interface Lean {
  readonly shares: Readonly<Record<Leaning, number>>;
  readonly words: (leaning: Leaning) => string[];
}

const MOST_WORDS = 3;
/** Whether a feature is words of the message, and not where they stand or what stands for others. */
const isWords = (feature: string): boolean =>
  feature >= 'a' && feature < '{' && !feature.endsWith('$') && !feature.includes('<');

const leans = new WeakMap<object, Lean>();

/** Several rules ask for that of one message. */
export function leanOf(view: LeaningView): Lean {
  const before = leans.get(view);
  if (before) return before;
  const lean = leanAnew(view);
  leans.set(view, lean);
  return lean;
}

function leanAnew(view: LeaningView): Lean {
  known ??= readWeights(WEIGHTS);
  const weights = known;
  const features = featuresOf(view);
  const scale = scaleOf(features.size) / ONE;
  const sums = (weights.get('') ?? []).map((bias) => bias / ONE);
  for (const feature of features) {
    const own = weights.get(feature);
    if (own)
      for (let index = 0; index < sums.length; index += 1) sums[index] = (sums[index] ?? 0) + (own[index] ?? 0) * scale;
  }
  // What is none of them has no weights: its sum is 0.
  const powers = sums.map(Math.exp);
  const all = powers.reduce((sum, power) => sum + power, 1);
  const [confirmation = 0, abandon = 0, task = 0] = powers.map((power) => power / all);
  return {
    shares: { Confirmation: confirmation, Abandon: abandon, NewTask: task },
    words: (leaning) => {
      const at = LEANINGS.indexOf(leaning);
      const weightOf = (feature: string): number => weights.get(feature)?.[at] ?? 0;
      return [...features]
        .filter((feature) => isWords(feature) && weightOf(feature) > 0)
        .sort((one, other) => weightOf(other) - weightOf(one))
        .slice(0, MOST_WORDS);
    },
  };
}
