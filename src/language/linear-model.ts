/** Which way a message leans that no rule could read: a linear model over its words, trained on labelled messages. */
import { featuresOf, LEANINGS, type Leaning, type LeaningView, ONE, scaleOf } from './features.ts';
import { WEIGHTS } from './weights.ts';

/**
 * The weights of a feature, those of each leaning; null if it has none. The one without a name is what every message has. Each is
 * searched for where it is needed: to read all of them takes longer than all else that is done for a message.
 */
export function weightsOf(feature: string): readonly number[] | null {
  const records = WEIGHTS[feature.charAt(0)] ?? '';
  const at = records.indexOf(`|${feature}\t`);
  if (at < 0) return null;
  const start = at + feature.length + 2;
  const end = records.indexOf('|', start);
  return records
    .slice(start, end < 0 ? undefined : end)
    .split('\t')
    .map(Number);
}

/** The probability of each leaning, from 0 to 1, and the words with the most weight for it. */
interface Lean {
  readonly shares: Readonly<Record<Leaning, number>>;
  readonly words: (leaning: Leaning) => string[];
}

const MOST_WORDS = 3;
/** Checks whether a feature is words of the message, and no position or placeholder. */
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
  const features = featuresOf(view);
  const scale = scaleOf(features.size) / ONE;
  const sums = (weightsOf('') ?? []).map((bias) => bias / ONE);
  const weights = new Map<string, readonly number[]>();
  for (const feature of features) {
    const own = weightsOf(feature);
    if (own === null) continue;
    weights.set(feature, own);
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
      return [...weights.keys()]
        .filter((feature) => isWords(feature) && weightOf(feature) > 0)
        .sort((one, other) => weightOf(other) - weightOf(one))
        .slice(0, MOST_WORDS);
    },
  };
}
