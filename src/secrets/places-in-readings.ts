/** Finds the keywords in a text without its escapes, once their places in the escaped text are known. */
import { lastNotAbove } from '../core/search-sorted.ts';
import { type Place, placesOf, type Searched, searchJoined } from './batch-search.ts';
import type { Prefilter } from './prefilter.ts';
import type { Escapes, Reading } from './reading.ts';

/** No keyword is longer, in UTF-16 code units. */
export const LONGEST_KEYWORD = 40;
/** What is searched of each escape: a keyword that has a part of it, for it means one unit, reaches no further to either side. */
const WINDOW = 2 * LONGEST_KEYWORD;

/**
 * What a search of a reading finds: a keyword that no escape is in is one of the text, so only what is near one is searched.
 * Undefined where that is most of it, or where the text was not searched itself.
 */
export function placesInReading<T>(
  searched: Searched<T> | undefined,
  text: string,
  { text: read, escapes }: Reading,
): Searched<T> | undefined {
  const known = searched && placesOf(searched, text);
  if (!known || !escapes || escapes.begins.length * WINDOW > read.length / 2) return undefined;
  const places = [...unaffectedPlaces(known, escapes), ...affectedPlaces(searched.prefilter, read, escapes)];
  return { prefilter: searched.prefilter, texts: new Set([read]), places: new Map([[read, places]]) };
}

/** The places of the text that are not near the next escape. */
function unaffectedPlaces<T>(known: readonly Place<T>[], { begins, moved }: Escapes): Place<T>[] {
  const starts = begins.map((begin, stretch) => begin + (moved[stretch] as number));
  return known.flatMap(({ target, at }) => {
    const stretch = lastNotAbove(starts, at);
    const index = at - (moved[stretch] as number);
    const next = begins[stretch + 1] ?? Number.POSITIVE_INFINITY;
    // What is before the reading begins is looked at by nobody.
    return index < next - LONGEST_KEYWORD ? [{ target, at: index }] : [];
  });
}

/** The places that are. */
function affectedPlaces<T>(prefilter: Prefilter<T>, read: string, { begins }: Escapes): Place<T>[] {
  const ends = begins.slice(1);
  const froms = ends.map((end) => Math.max(0, end - LONGEST_KEYWORD));
  const near = ends.map((end, nth) => read.slice(froms[nth], end + LONGEST_KEYWORD));
  const places: Place<T>[] = [];
  searchJoined(prefilter, near, (target, nth, at) => {
    const index = at + (froms[nth] as number);
    // Each counts where it is before the next escape, not where it is behind one.
    if (lastNotAbove(begins, index) === nth) places.push({ target, at: index });
  });
  return places;
}
