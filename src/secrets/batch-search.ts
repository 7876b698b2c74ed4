/** Finds the keywords of many texts with one search: most texts have no keyword, and one search each costs more than the texts do. */
import { lastNotAbove } from '../core/search-sorted.ts';
import type { Prefilter } from './prefilter.ts';

/** Separator between two texts; no keyword contains it. */
const APART = '\n';
/** Longer texts are searched separately. In UTF-16 code units. */
const LONGEST = 65_536;
/** Most that is searched at once, in UTF-16 code units: a text may be full of keywords, and each place is remembered. */
const MOST = 1_048_576;

/** Place of a keyword in a text, and the target of the keyword. */
export interface Place<T> {
  readonly target: T;
  readonly at: number;
}

/** Texts that were searched together. */
export interface Searched<T> {
  readonly prefilter: Prefilter<T>;
  readonly texts: ReadonlySet<string>;
  /** Places by text; null if the texts are so long that each must be searched separately. */
  readonly places: ReadonlyMap<string, readonly Place<T>[]> | null;
}

/** Searches the short ones of some texts together. @param isClean whether a text is known to hold nothing, and counts as searched */
export function searchBatch<T>(
  prefilter: Prefilter<T>,
  texts: ReadonlySet<string>,
  isClean: (text: string) => boolean = () => false,
): Searched<T> {
  const short: string[] = [];
  let length = 0;
  for (const text of texts) {
    if (text.length > LONGEST || isClean(text)) continue;
    short.push(text);
    length += text.length + APART.length;
    if (length > MOST) return { prefilter, texts, places: null };
  }
  const places = new Map<string, Place<T>[]>();
  searchJoined(prefilter, short, (target, nth, at) => {
    const text = short[nth] as string;
    const others = places.get(text);
    if (others) others.push({ target, at });
    else places.set(text, [{ target, at }]);
  });
  return { prefilter, texts, places };
}

/** Searches texts as one text, and calls back with the index of the text and the place in it. */
export function searchJoined<T>(
  prefilter: Prefilter<T>,
  texts: readonly string[],
  visit: (target: T, nth: number, at: number) => void,
): void {
  const starts: number[] = [];
  let length = 0;
  for (const text of texts) {
    starts.push(length);
    length += text.length + APART.length;
  }
  prefilter(texts.join(APART), 0, (target, at) => {
    const nth = lastNotAbove(starts, at);
    visit(target, nth, at - (starts[nth] as number));
  });
}

const NOWHERE: readonly never[] = [];

/** Returns the places of keywords in a text; null if the text was not searched. */
export const placesOf = <T>({ texts, places }: Searched<T>, text: string): readonly Place<T>[] | null =>
  places === null || text.length > LONGEST || !texts.has(text) ? null : (places.get(text) ?? NOWHERE);

/** Calls back for each keyword at `from` or later; searches the text now if it was not searched yet. */
export function visitPlaces<T>(
  searched: Searched<T>,
  text: string,
  from: number,
  visit: (target: T, at: number) => void,
): void {
  const places = placesOf(searched, text);
  if (places === null) searched.prefilter(text, from, visit);
  else for (const { target, at } of places) if (at >= from) visit(target, at);
}

/** Checks whether a searched text has no keyword. */
export const hasNoKeyword = <T>(searched: Searched<T>, text: string): boolean => placesOf(searched, text)?.length === 0;
