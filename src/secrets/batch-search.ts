/** Finds the keywords of many texts with one search: most have none, and a search of each costs more than the texts do. */
import { lastNotAbove } from '../core/search-sorted.ts';
import type { Prefilter } from './prefilter.ts';

/** Between two texts: no keyword has one in it. */
const APART = '\n';
/** Longer texts are searched by themselves, in UTF-16 code units: they cost what they cost. */
const LONGEST = 65_536;
/** Most that is searched at once, likewise: a text may be full of keywords, and each place is remembered. */
const MOST = 1_048_576;

/** Where a keyword stands in a text, and whom it concerns. */
export interface Place<T> {
  readonly target: T;
  readonly at: number;
}

/** Texts that were searched at once. */
export interface Searched<T> {
  readonly prefilter: Prefilter<T>;
  readonly texts: ReadonlySet<string>;
  /** By text; null where they are so many that each has to be searched by itself. */
  readonly places: ReadonlyMap<string, readonly Place<T>[]> | null;
}

/** Searches the short ones of some texts. @param isClean whether a text is known to hold nothing: it counts as searched */
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

/** Searches some texts as one; calls back with which of them each place is in, and where in it. */
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

/** Where keywords stand in a text; null for one that was not searched. */
export const placesOf = <T>({ texts, places }: Searched<T>, text: string): readonly Place<T>[] | null =>
  places === null || text.length > LONGEST || !texts.has(text) ? null : (places.get(text) ?? NOWHERE);

/** Calls back for each of them at `from` or later; what was not searched yet is searched now. */
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

/** Whether no keyword stands in a text, as far as was searched. */
export const hasNoKeyword = <T>(searched: Searched<T>, text: string): boolean => placesOf(searched, text)?.length === 0;
