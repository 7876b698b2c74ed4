/** From the pattern of a whole match to that of one that has only begun: the text ends before the match does. */
import { type Node, readPattern } from './pattern-reader.ts';

const NEVER = '(?!)';

/** The pattern again; but what it looks for ahead of a place, the text may end in the middle of. */
function whole(node: Node): string {
  switch (node.kind) {
    case 'sequence':
      return node.items.map(whole).join('');
    case 'choice':
      return `(?:${node.options.map(whole).join('|')})`;
    case 'repeat':
      return `(?:${whole(node.item)}){${node.least},${Number.isFinite(node.most) ? node.most : ''}}`;
    case 'catch':
      return `(${whole(node.item)})`;
    case 'look':
      return node.source.startsWith('(?=') ? `(?=${partial(node.item)}|${whole(node.item)})` : node.source;
    default:
      return node.source;
  }
}

/** Returns the pattern of the beginning of a match that ends with the text. */
function partial(node: Node): string {
  switch (node.kind) {
    case 'chars':
      return '$';
    case 'sequence':
      // As far as it goes: what is before a secret may be of the same characters.
      return node.items.reduceRight((rest, item) => `(?:${whole(item)}${rest}|${partial(item)})`, NEVER);
    case 'choice':
      return `(?:${node.options.map(partial).join('|')})`;
    case 'repeat':
      return `(?:${whole(node.item)}){0,${Number.isFinite(node.most) ? node.most : ''}}(?:${partial(node.item)})`;
    case 'catch':
      return `(${partial(node.item)})`;
    case 'look':
      // A lookahead may still match later; a lookbehind matches already, or never will.
      return node.source.startsWith('(?<') ? NEVER : '$';
    default:
      return NEVER;
  }
}

/**
 * A pattern that matches, up to the end of the text, all that the given one could still become a match of. A group that
 * caught the secret is in it more than once: the first that is there counts.
 */
export const partialPattern = (pattern: string): string => partial(readPattern(pattern, false));

/** The same, if the secret itself is whole already and only what is behind it, and says it, has begun. */
export const lateContextPattern = (pattern: string): string => whole(readPattern(pattern, false));
