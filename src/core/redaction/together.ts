/** Finds where keywords stand in many texts with one search: most have none, and a search of each costs more than the texts do. */
import type { Place, Prefilter } from './prefilter.ts';

/** Between two texts: no keyword has one in it. */
const APART = '\n';
/** Longer texts are searched by themselves, in UTF-16 code units: they cost what they cost. */
const LONGEST = 65_536;

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

/** Texts that were searched. */
export interface Searched<T> {
  readonly prefilter: Prefilter<T>;
  readonly texts: ReadonlySet<string>;
  readonly places: ReadonlyMap<string, readonly Place<T>[]>;
}

/** Searches the short ones of some texts. */
export function searchedTogether<T>(prefilter: Prefilter<T>, texts: ReadonlySet<string>): Searched<T> {
  const short: string[] = [];
  const starts: number[] = [];
  let length = 0;
  for (const text of texts) {
    if (text.length > LONGEST) continue;
    short.push(text);
    starts.push(length);
    length += text.length + APART.length;
  }
  const places = new Map<string, Place<T>[]>();
  for (const { target, at } of prefilter(short.join(APART), 0)) {
    const index = textAt(starts, at);
    const text = short[index] as string;
    const place = { target, at: at - (starts[index] as number) };
    const others = places.get(text);
    if (others) others.push(place);
    else places.set(text, [place]);
  }
  return { prefilter, texts, places };
}

const NOWHERE: readonly never[] = [];

const isSearched = <T>({ texts }: Searched<T>, text: string): boolean => text.length <= LONGEST && texts.has(text);

/** Where keywords stand in a text at `from` or later; what was not searched yet is searched now. */
export function placesIn<T>(searched: Searched<T>, text: string, from: number): readonly Place<T>[] {
  if (!isSearched(searched, text)) return searched.prefilter(text, from);
  const places = searched.places.get(text) ?? NOWHERE;
  return from === 0 ? places : places.filter(({ at }) => at >= from);
}

/** Whether no keyword stands in a text, as far as was searched. */
export const isFree = <T>(searched: Searched<T>, text: string): boolean =>
  isSearched(searched, text) && !searched.places.has(text);
