/** Finds the word that was meant by one that no session has. */
import { distance } from 'fastest-levenshtein';

/** Shortest word that is corrected: a shorter one is near too many. */
const SHORTEST = 4;

/** A term that may have been meant. */
export interface Candidate {
  term: string;
  /** In how many passages it is. */
  documents: number;
}

/** Returns the nearest of some terms: of those as near, one that begins alike, then the one that is in the most passages; null if none is near. */
export function nearestTerm(term: string, vocabulary: Iterable<Candidate>): string | null {
  if (term.length < SHORTEST || /\d/.test(term)) return null;
  const most = term.length < 6 ? 1 : 2;
  let best: { term: string; far: number; documents: number } | null = null;
  for (const { term: other, documents } of vocabulary) {
    if (Math.abs(other.length - term.length) > most || other.length < SHORTEST - 1) continue;
    const edits = isTransposed(term, other) ? 1 : distance(term, other);
    if (edits > most) continue;
    // People rarely mistype the first letter.
    const far = edits + (other[0] === term[0] ? 0 : 0.5);
    if (best && (best.far < far || (best.far === far && best.documents >= documents))) continue;
    best = { term: other, far, documents };
  }
  return best?.term ?? null;
}

/** Returns whether two words differ by two neighbouring letters that have changed places. */
function isTransposed(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
}
