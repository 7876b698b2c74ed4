/** Finds where keywords stand in all texts of a JSON value with one search: most have none, and a search of each costs more than the texts do. */
import type { JsonValue } from '../json.ts';
import type { Prefilter } from './prefilter.ts';

/** Between two texts: no keyword has one in it. */
const APART = '\n';
/** Longer texts are searched by themselves, in UTF-16 code units: they cost what they cost. */
const LONGEST = 65_536;

/** Where a keyword stands in a text, and whom it concerns. */
interface Place<T> {
  readonly target: T;
  readonly at: number;
}

/** The texts of a value, keys too, each once. */
function textsIn(value: JsonValue, isKnown: (key: string) => boolean): string[] {
  const texts = new Set<string>();
  const collect = (node: JsonValue | undefined): void => {
    if (typeof node === 'string') {
      if (node.length <= LONGEST) texts.add(node);
    } else if (Array.isArray(node)) {
      for (let index = 0; index < node.length; index++) collect(node[index]);
    } else if (typeof node === 'object' && node !== null) {
      const keys = Object.keys(node);
      for (let index = 0; index < keys.length; index++) {
        const key = keys[index] as string;
        if (!isKnown(key)) texts.add(key);
        collect((node as { readonly [key: string]: JsonValue })[key]);
      }
    }
  };
  collect(value);
  return [...texts];
}

/** The last text that begins at an index or before. */
function textAt(starts: readonly number[], index: number): number {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] as number) <= index) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * A prefilter that has searched the texts of a value already; it searches others as the given one does.
 * @param isKnown whether a key need not be searched
 */
export function searchedTogether<T>(
  prefilter: Prefilter<T>,
  value: JsonValue,
  isKnown: (key: string) => boolean,
): Prefilter<T> {
  const texts = textsIn(value, isKnown);
  if (texts.length < 2) return prefilter;
  const places = new Map<string, Place<T>[]>();
  const starts: number[] = [];
  let length = 0;
  for (const text of texts) {
    places.set(text, []);
    starts.push(length);
    length += text.length + APART.length;
  }
  prefilter(texts.join(APART), 0, (target, at) => {
    const index = textAt(starts, at);
    places.get(texts[index] as string)?.push({ target, at: at - (starts[index] as number) });
  });
  return (text, from, visit) => {
    const found = places.get(text);
    if (!found) return prefilter(text, from, visit);
    for (const { target, at } of found) if (at >= from) visit(target, at);
  };
}
