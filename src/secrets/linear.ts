/** Bounds the steps of a backtracking engine for a pattern at one place, so that a slow pattern is refused. */
import { CtxError } from '../core/errors.ts';
import { ALL, boundedPattern, type Chars, meet, NONE, type Node, readPattern, union } from './pattern-reader.ts';

/** The cost of a pattern by its shape; infinite if the pattern is not bounded. */
export interface Cost {
  /** Steps at one place of the text, at most. */
  readonly steps: number;
  /** Characters that it looks at, at most. */
  readonly length: number;
}

/** Steps that a pattern of somebody's own may need at each place, and how far it may look. */
export const MOST_STEPS = 2000;
export const MOST_LENGTH = 4096;
/** So often a repeat without a bound repeats: a stretch that begins at each place of a text and has no end would be a square. */
const MOST_ROUNDS = 960;

interface Measure extends Cost {
  /** In how many ways it may match, so how often what follows is tried. */
  readonly ways: number;
  /** Characters that it may begin with. */
  readonly first: Chars;
  readonly canBeEmpty: boolean;
}

/**
 * A character that every match has near its beginning. No match begins inside a stretch without it: so a stretch is looked at from no
 * more places than the rest of the match has characters, however long it is.
 */
interface Anchor {
  readonly chars: Chars;
  readonly places: number;
}

/**
 * @param follow what may come after it; null if success does, after which nothing is tried again
 * @param anchor what is before it in every match
 */
function measure(node: Node, follow: Chars | null, anchor: Anchor | null = null): Measure {
  switch (node.kind) {
    case 'chars':
      return { steps: 1, length: 1, ways: 1, first: node.chars, canBeEmpty: false };
    case 'edge':
      return { steps: 1, length: 0, ways: 1, first: ALL, canBeEmpty: false };
    case 'catch':
      return measure(node.item, follow, anchor);
    case 'look': {
      const inner = measure(node.item, null);
      return { ...inner, ways: 1, first: ALL, canBeEmpty: false };
    }
    case 'choice': {
      const options = node.options.map((option) => measure(option, follow, anchor));
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
      const alone = measure(node.item, ALL, anchor);
      const { most, least } = node;
      const behind = most === 1 ? follow : follow && union(follow, alone.first);
      const inner = measure(node.item, behind, anchor);
      const isFree = anchor !== null && !meet(charsIn(node.item), anchor.chars);
      // It gives back one round after the other; if what follows cannot begin there, that fails at once.
      const rounds = follow === null || (!meet(alone.first, follow) && inner.ways === 1) ? 1 : most - least + 1;
      return {
        steps:
          inner.ways === 1
            ? inner.steps * (isFree ? Math.min(most, anchor.places) : most)
            : inner.steps * inner.ways ** most,
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
        const one = measure(item, behind, anchor);
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

/** All characters that a piece may take. */
function charsIn(node: Node): Chars {
  switch (node.kind) {
    case 'chars':
      return node.chars;
    case 'catch':
    case 'repeat':
      return charsIn(node.item);
    case 'choice':
      return node.options.map(charsIn).reduce(union, NONE);
    case 'sequence':
      return node.items.map(charsIn).reduce(union, NONE);
    default:
      return NONE;
  }
}

/** Returns how many characters a piece takes at most, without repeats of pieces that have none of some characters. */
function lengthBeside(node: Node, chars: Chars): number {
  switch (node.kind) {
    case 'chars':
      return 1;
    case 'catch':
      return lengthBeside(node.item, chars);
    case 'repeat':
      return meet(charsIn(node.item), chars) ? lengthBeside(node.item, chars) * node.most : 0;
    case 'choice':
      return Math.max(...node.options.map((option) => lengthBeside(option, chars)));
    case 'sequence':
      return node.items.reduce((sum, item) => sum + lengthBeside(item, chars), 0);
    default:
      return 0;
  }
}

/** The characters that a match begins with, one after the other, as far as each is one whatever it matches. */
function anchorsOf(node: Node): Anchor[] {
  if (node.kind !== 'sequence') return [];
  const last = node.items.findIndex(({ kind }) => kind !== 'chars' && kind !== 'edge' && kind !== 'look');
  return node.items
    .slice(0, last < 0 ? node.items.length : last)
    .flatMap((item) => (item.kind === 'chars' ? [{ chars: item.chars, places: lengthBeside(node, item.chars) }] : []));
}

/** Returns the highest cost of a pattern at one index. @throws if the pattern is invalid, or has a part of unknown cost */
export function costOf(pattern: string, flags = ''): Cost {
  new RegExp(pattern, flags);
  const node = readPattern(pattern, flags.includes('i'));
  const { steps, length } = measure(node, null);
  const anchored = anchorsOf(node).map((anchor) => measure(node, null, anchor).steps);
  return { steps: Math.min(steps, ...anchored), length };
}

/**
 * A pattern of somebody's own as it is used: with a bound where a repeat has none.
 * @throws CtxError where it could be slow on some text
 */
export function linearPattern(pattern: string): string {
  let cost: Cost;
  let bounded: string;
  try {
    new RegExp(pattern);
    bounded = boundedPattern(pattern, MOST_ROUNDS);
    cost = costOf(bounded);
  } catch (cause) {
    throw new CtxError('invalid_settings', `The pattern ${pattern} cannot be used. ${(cause as Error).message}`, {
      hint: 'Use characters, classes, groups, edges, looks and repeats only',
      cause,
    });
  }
  const { steps, length } = cost;
  if (steps > MOST_STEPS) {
    const why =
      steps > MANY
        ? 'it can read the same text in too many ways'
        : `${steps} steps at one place, and ${MOST_STEPS} are the most`;
    throw new CtxError('invalid_settings', `The pattern ${pattern} could take too long on some text: ${why}.`, {
      hint: 'Say how often each part repeats, as in {1,100}, and let what follows begin with another character',
    });
  }
  if (length > MOST_LENGTH) {
    throw new CtxError(
      'invalid_settings',
      `The pattern ${pattern} looks at ${length} characters, and ${MOST_LENGTH} are the most.`,
      {
        hint: `Say how often each part repeats, as in {1,100}; without a bound it is ${MOST_ROUNDS} times`,
      },
    );
  }
  return bounded;
}

/** More steps than this come of pieces that take the same characters. */
const MANY = 100_000;
