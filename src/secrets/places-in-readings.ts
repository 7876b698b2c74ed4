/** Finds the keywords in an unescaped reading of a text from the places that are known of the escaped text. */
import { lastNotAbove } from '../core/search-sorted.ts';
import { type Place, placesOf, type Searched, searchJoined } from './batch-search.ts';
import type { Prefilter } from './prefilter.ts';
import type { Escapes, Reading } from './reading.ts';

/** Length of the longest keyword, in UTF-16 code units. */
export const LONGEST_KEYWORD = 40;
/** Characters searched around each escape. An escape means one code unit, so a keyword that contains one reaches no further to either side. */
const WINDOW = 2 * LONGEST_KEYWORD;

/**
 * Returns the places of keywords in a reading. Only what is near an escape is searched; the other places are those of the text,
 * moved. Returns undefined if most of the reading is near an escape, or if the text itself was not searched.
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

/** Returns the places of the text that are not near the next escape. */
function unaffectedPlaces<T>(known: readonly Place<T>[], { begins, moved }: Escapes): Place<T>[] {
  const starts = begins.map((begin, stretch) => begin + (moved[stretch] as number));
  return known.flatMap(({ target, at }) => {
    const stretch = lastNotAbove(starts, at);
    const index = at - (moved[stretch] as number);
    const next = begins[stretch + 1] ?? Number.POSITIVE_INFINITY;
    // Nothing reads the places before the begin of the reading.
    return index < next - LONGEST_KEYWORD ? [{ target, at: index }] : [];
  });
}

/** Searches the characters near escapes. */
function affectedPlaces<T>(prefilter: Prefilter<T>, read: string, { begins }: Escapes): Place<T>[] {
  const ends = begins.slice(1);
  const froms = ends.map((end) => Math.max(0, end - LONGEST_KEYWORD));
  const near = ends.map((end, nth) => read.slice(froms[nth], end + LONGEST_KEYWORD));
  const places: Place<T>[] = [];
  searchJoined(prefilter, near, (target, nth, at) => {
    const index = at + (froms[nth] as number);
    // A place counts for the escape before it, not for the one after it.
    if (lastNotAbove(begins, index) === nth) places.push({ target, at: index });
  });
  return places;
}
