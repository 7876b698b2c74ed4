/** Finds the word that was meant by one that nobody has said. */
import { distance } from 'fastest-levenshtein';
import { stemmer } from 'stemmer';

/** Shortest word that is corrected: a shorter one is near too many. */
const SHORTEST = 4;

/** Letters at the beginning that a mistyped word has in common with a stem if its ending is compared, too. */
const BEGINNING = 3;

/** A term that may have been meant. */
export interface Candidate {
  term: string;
  /** In how many passages it is. */
  documents: number;
}

/** Endings that stemming takes away from English words, by which a mistyped word is compared with whole words. */
const ENDINGS =
  'e s es ed er ers ing ings y ly al able ible ance ence ation ations ator ion ions ity ities ive ment ments ness'.split(
    ' ',
  );

/** Returns the fewest edits from a word to a term, or to a word of which that is the stem. */
function editsTo(word: string, stem: string, term: string, alike: number): number {
  let least = isTransposed(stem, term) ? 1 : distance(stem, term);
  if (alike < BEGINNING || word.length <= term.length) return least;
  for (const ending of ENDINGS) {
    const form = term + ending;
    if (Math.abs(form.length - word.length) >= least) continue;
    const edits = isTransposed(word, form) ? 1 : distance(word, form);
    if (edits < least && stemmer(form) === term) least = edits;
  }
  return least;
}

/**
 * Returns the nearest of some terms: of those as near, the one that begins alike for longest, then the one in the most passages; null
 * if none is near.
 * @param word the whole word of which `term` is the stem
 */
export function nearestTerm(term: string, vocabulary: Iterable<Candidate>, word: string = term): string | null {
  if (term.length < SHORTEST || /\d/.test(term)) return null;
  const most = term.length < 6 ? 1 : 2;
  let best: { term: string; far: number; alike: number; documents: number } | null = null;
  for (const { term: other, documents } of vocabulary) {
    if (other.length < SHORTEST - 1 || other.length > term.length + most) continue;
    const alike = beginningAlike(term, other);
    if (other.length < term.length - most && alike < BEGINNING) continue;
    const edits = editsTo(word, term, other, alike);
    if (edits > most) continue;
    // People rarely mistype the first letter.
    const far = edits + (alike > 0 ? 0 : 0.5);
    if (best && (best.far - far || alike - best.alike || documents - best.documents) <= 0) continue;
    best = { term: other, far, alike, documents };
  }
  return best?.term ?? null;
}

/** Returns how many letters two words have in common at their beginning: a word that was mistyped at its end keeps its stem. */
function beginningAlike(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}

/** Returns whether two words differ by two neighbouring letters that have changed places. */
function isTransposed(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  const at = beginningAlike(a, b);
  return a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
}
