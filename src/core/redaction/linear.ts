/** Tells of a pattern how many steps a backtracking engine needs at one place at most, so that a slow one is refused. */
import { CtxError } from '../errors.ts';
import { ALL, type Chars, meet, NONE, type Node, readPattern, union } from './pattern-reader.ts';

/** What a pattern costs, as far as its shape tells. Infinite where it is not bounded. */
export interface Cost {
  /** Steps at one place of the text, at most. */
  readonly steps: number;
  /** Characters that it looks at, at most. */
  readonly length: number;
}

/** Steps that a pattern of somebody's own may need at each place, and how far it may look. */
export const MOST_STEPS = 2000;
export const MOST_LENGTH = 4096;

interface Measure extends Cost {
  /** In how many ways it may match, so how often what follows is tried. */
  readonly ways: number;
  /** What it may begin with. */
  readonly first: Chars;
  readonly canBeEmpty: boolean;
}

/** @param follow what may come after it; null where success does, after which nothing is tried again */
function measure(node: Node, follow: Chars | null): Measure {
  switch (node.kind) {
    case 'chars':
      return { steps: 1, length: 1, ways: 1, first: node.chars, canBeEmpty: false };
    case 'edge':
      return { steps: 1, length: 0, ways: 1, first: ALL, canBeEmpty: false };
    case 'catch':
      return measure(node.item, follow);
    case 'look': {
      const inner = measure(node.item, null);
      return { ...inner, ways: 1, first: ALL, canBeEmpty: false };
    }
    case 'choice': {
      const options = node.options.map((option) => measure(option, follow));
      const apart = options.every((one, index) =>
        options.slice(index + 1).every((other) => !meet(one.first, other.first)),
      );
      const ways = options.map((one) => one.ways);
      return {
        steps: options.reduce((sum, one) => sum + one.steps, 0),
        length: Math.max(...options.map((one) => one.length)),
        ways: apart ? Math.max(...ways) : ways.reduce((sum, one) => sum + one, 0),
        first: options.reduce((chars, one) => union(chars, one.first), NONE),
        canBeEmpty: options.some((one) => one.canBeEmpty),
      };
    }
    case 'repeat': {
      const alone = measure(node.item, ALL);
      const { most, least } = node;
      const inner = most === 1 ? measure(node.item, follow) : measure(node.item, follow && union(follow, alone.first));
      // It gives back one round after the other; where what follows cannot begin there, that fails at once.
      const rounds = follow === null || (!meet(alone.first, follow) && inner.ways === 1) ? 1 : most - least + 1;
      return {
        steps: inner.ways === 1 ? inner.steps * most : inner.steps * inner.ways ** most,
        length: inner.length * most,
        ways: inner.ways === 1 ? rounds : inner.ways ** most * rounds,
        first: inner.first,
        canBeEmpty: least === 0 || inner.canBeEmpty,
      };
    }
    case 'sequence': {
      let rest: Measure = { steps: 0, length: 0, ways: 1, first: NONE, canBeEmpty: true };
      for (const item of [...node.items].reverse()) {
        const behind: Chars | null = rest.canBeEmpty ? follow && union(follow, rest.first) : rest.first;
        const one = measure(item, behind);
        rest = {
          steps: one.steps + one.ways * rest.steps,
          length: one.length + rest.length,
          ways: one.ways * rest.ways,
          first: one.canBeEmpty ? union(one.first, rest.first) : one.first,
          canBeEmpty: one.canBeEmpty && rest.canBeEmpty,
        };
      }
      return rest;
    }
  }
}

/** What a pattern costs at most at one place. @throws where it is none, or has what cannot be told */
export function costOf(pattern: string, flags = ''): Cost {
  new RegExp(pattern, flags);
  const { steps, length } = measure(readPattern(pattern, flags.includes('i')), null);
  return { steps, length };
}

/** @throws CtxError where a pattern of somebody's own could be slow on some text */
export function assertLinear(pattern: string): void {
  let cost: Cost;
  try {
    cost = costOf(pattern);
  } catch (cause) {
    throw new CtxError('invalid_settings', `The pattern ${pattern} cannot be used. ${(cause as Error).message}`, {
      hint: 'Use characters, classes, groups, edges, looks and bounded repeats only',
      cause,
    });
  }
  if (cost.steps <= MOST_STEPS && cost.length <= MOST_LENGTH) return;
  throw new CtxError('invalid_settings', `The pattern ${pattern} could take too long on some text.`, {
    hint: 'Say how often each part repeats, as in {1,100}, and let what follows begin with another character',
  });
}
