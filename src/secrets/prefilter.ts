/** Finds the places of many keywords at once: by parts that they share in the first texts of a process, by three bytes each later. */

/** Keywords, and whom they concern. */
export interface Keywords<T> {
  readonly words: readonly string[];
  readonly anyCase: boolean;
  readonly target: T;
}

interface Entry<T> {
  readonly word: string;
  readonly anyCase: boolean;
  /** Position of the bytes in the word that lead here. */
  readonly offset: number;
  /** The first two of them, with the bit of their case set where that does not count. */
  readonly first: number;
  readonly second: number;
  /** That bit, or none. */
  readonly anyBit: number;
  readonly target: T;
}

/** Characters that are looked at in one go. */
const STRETCH = 65_536;
const scratch: { bytes?: Buffer } = {};

/** Characters by how common they are in the texts that agents write; those that are not listed are rare. */
const COMMON = ' etaoinsrlcd.:pumhg/-_fbyv=0123456789wkxjqz';
const weights = new Uint8Array(128).fill(3);
for (let index = 0; index < COMMON.length; index++) weights[COMMON.charCodeAt(index)] = 48 - index;
const weightOf = (word: string, index: number): number => weights[word.charCodeAt(index) & 0x7f] ?? 0;

/** Number of bytes of a word that lead to it, if it has as many. */
const SEEN_BY = 3;

/**
 * Chooses the bytes by which a word is seen: rare characters make the pass quick. Most words end in signs that
 * do well; to look further is for the words of every day, for it is done at every start.
 */
function seenAt(word: string, anyCase: boolean): number {
  const last = Math.max(0, word.length - SEEN_BY);
  let best = last;
  for (let index = 0; anyCase && index < last; index++) if (weightAt(word, index) < weightAt(word, best)) best = index;
  return best;
}

const weightAt = (word: string, at: number): number =>
  weightOf(word, at) * weightOf(word, at + 1) * weightOf(word, at + 2);

const isSmall = (code: number): boolean => code >= 97 && code <= 122;

/** Returns whether a word is at a place in any case; the word itself is in lower case. */
function standsInAnyCase(text: string, at: number, word: string): boolean {
  for (let index = 0; index < word.length; index++) {
    const code = text.charCodeAt(at + index);
    const wanted = word.charCodeAt(index);
    if (code !== wanted && !(isSmall(wanted) && code === wanted - 32)) return false;
  }
  return true;
}

/** Calls back for every place of every keyword at `from` or later, in no order that counts. */
export type Prefilter<T> = (text: string, from: number, visit: (target: T, at: number) => void) => void;

/**
 * So many characters are searched atom by atom, and each text counts for some more. Most processes see less, and would make
 * the table for nothing; and V8 would set about compiling the loop over it, which the end of a process waits for.
 */
const FEW = 65_536;
const EACH = 256;

/**
 * @param keywords of ASCII, at least two characters each; those in any case are given in lower case. Asked for where one is:
 * most texts of a hook have none
 * @param atoms that lead to each of them
 */
export function prefilterOf<T>(keywords: () => readonly Keywords<T>[], atoms: AtomTable): Prefilter<T> {
  const inFew = searchAtoms(keywords, atoms);
  let seen = 0;
  let bytes: Prefilter<T> | undefined;
  return (text, from, visit) => {
    seen += text.length - from + EACH;
    if (seen <= FEW && inFew(text, from, visit)) return;
    bytes ??= searchBytes(keywords());
    bytes(text, from, visit);
  };
}

/** Parts of words, each followed by the words that have it, a line each: where an atom is not, none of its words is. */
export type Atoms = readonly string[];

/** The atoms of words that count as they are written, and of those that count in any case. */
export interface AtomTable {
  readonly asWritten: Atoms;
  readonly anyCase: Atoms;
  /** Of some words, a pattern of what follows them at once where they count, in lower case for those in any case. */
  readonly follows: Readonly<Record<string, string>>;
}

/** Returns whether a word counts anywhere in a text: where what follows it is known and is nowhere, it does not. */
function counts(text: string, from: number, word: string, follows: string | undefined): boolean {
  if (follows === undefined) return true;
  const pattern = new RegExp(word + follows, 'g');
  pattern.lastIndex = from;
  return pattern.test(text);
}

/** Atom by atom, as fast as the machine's own search is; gives false if that cannot be done with a text. */
export function searchAtoms<T>(
  keywords: () => readonly Keywords<T>[],
  { asWritten, anyCase, follows }: AtomTable,
): (...of: Parameters<Prefilter<T>>) => boolean {
  const exact = targetsAmong(keywords, false);
  const folded = targetsAmong(keywords, true);
  return (text, from, visit) => {
    const lower = text.toLowerCase();
    // A few signs become two in lower case.
    if (lower.length !== text.length) return false;
    eachWord(text, from, asWritten, (word) => {
      if (counts(text, from, word, follows[word])) visitAll(text, from, word, exact(word), visit);
    });
    eachWord(lower, from, anyCase, (word) => {
      if (!counts(lower, from, word, follows[word])) return;
      const visitWord = (target: T, at: number): void => {
        if (standsInAnyCase(text, at, word)) visit(target, at);
      };
      visitAll(lower, from, word, folded(word), visitWord);
    });
    return true;
  };
}

/** Says whom a word concerns, and remembers it: a process finds few of them. */
function targetsAmong<T>(keywords: () => readonly Keywords<T>[], anyCase: boolean): (word: string) => readonly T[] {
  const found = new Map<string, readonly T[]>();
  return (word) => {
    const known = found.get(word);
    if (known) return known;
    const own = keywords().filter((one) => one.anyCase === anyCase && one.words.includes(word));
    const targets = own.map(({ target }) => target);
    found.set(word, targets);
    return targets;
  };
}

/** Calls back for each word that is in a text. */
function eachWord(text: string, from: number, atoms: Atoms, found: (word: string) => void): void {
  for (let index = 0; index < atoms.length; index += 2) {
    // Hardly any is there: as little as can be is done for each that is not.
    if (text.indexOf(atoms[index] as string, from) < 0) continue;
    for (const word of (atoms[index + 1] as string).split('\n')) if (text.indexOf(word, from) >= 0) found(word);
  }
}

/** Calls back for each target at each place of a word. No iterator for each place: a text may be full of them. */
function visitAll<T>(
  text: string,
  from: number,
  word: string,
  targets: readonly T[],
  visit: (target: T, at: number) => void,
): void {
  for (let at = text.indexOf(word, from); at >= 0; at = text.indexOf(word, at + 1))
    for (let index = 0; index < targets.length; index++) visit(targets[index] as T, at);
}

/** By a table of the bytes that keywords are seen by, which is made once. */
export function searchBytes<T>(keywords: readonly Keywords<T>[]): Prefilter<T> {
  const buckets: Entry<T>[][] = [[]];
  /**
   * From three bytes to their bucket; 0 leads nowhere. Five bits of each, which are the same in both cases: so small a table stays
   * near the processor, and what is found is looked at again in the text.
   */
  const table = new Uint16Array(CODE + 1);
  const enter = (entry: Entry<T>, code: number): void => {
    const bucket = table[code] || buckets.push([]) - 1;
    table[code] = bucket;
    buckets[bucket]?.push(entry);
  };
  for (const { words, anyCase, target } of keywords)
    for (const word of words) {
      const offset = seenAt(word, anyCase);
      const anyBit = anyCase ? CASE_BIT : 0;
      const [first, second] = [word.charCodeAt(offset) | anyBit, word.charCodeAt(offset + 1) | anyBit];
      const code = after(after(0, first), second);
      const thirds = word.length < SEEN_BY ? ANY_BYTE : [word.charCodeAt(offset + 2)];
      for (const third of thirds) enter({ word, anyCase, offset, first, second, anyBit, target }, after(code, third));
    }

  return (text, from, visit) => {
    scratch.bytes ??= Buffer.allocUnsafeSlow(STRETCH + 1);
    const bytes: Uint8Array = scratch.bytes;
    // Names of its own, numbers for constants, and no call but where a word may be: all else would take longer than the search.
    const codes = table;
    const entered = buckets;
    for (let begin = from, isLast = text.length - from < 2; !isLast; begin += STRETCH - SEEN_BY + 1) {
      // Characters beyond one byte lose their upper half here.
      const length = scratch.bytes.write(text.slice(begin, begin + STRETCH), 0, STRETCH, 'latin1');
      isLast = begin + length >= text.length;
      // A word of two characters may be the end of a text.
      bytes[length] = 0;
      const end = isLast ? length : length - 1;
      let code = after(after(0, bytes[0] as number), bytes[1] as number);
      for (let index = SEEN_BY - 1; index <= end; index++) {
        // The function `after` inlined.
        code = ((code << 5) | ((bytes[index] as number) & 0x1f)) & 0x7fff;
        const bucket = codes[code] as number;
        if (bucket === 0) continue;
        const entries = entered[bucket] as Entry<T>[];
        for (let nth = 0; nth < entries.length; nth++) {
          const { word, anyCase, offset, first, second, anyBit, target } = entries[nth] as Entry<T>;
          // Other letters lead here as well.
          if (((bytes[index - 2] as number) | anyBit) !== first) continue;
          if (((bytes[index - 1] as number) | anyBit) !== second) continue;
          const at = begin + index - 2 - offset;
          if (at >= from && (anyCase ? standsInAnyCase(text, at, word) : text.startsWith(word, at))) visit(target, at);
        }
      }
    }
  };
}

/** The bit in which a small letter differs from a capital one. */
const CASE_BIT = 0x20;
/** Bits that count of a byte, and which those are, of one and of all by which a word is seen. */
const BITS = 5;
const BYTE = 2 ** BITS - 1;
const CODE = 2 ** (BITS * SEEN_BY) - 1;
const ANY_BYTE = Array.from({ length: 2 ** BITS }, (_, byte) => byte);

/** Returns the code of some bytes with one more byte after them. */
const after = (code: number, byte: number): number => ((code << BITS) | (byte & BYTE)) & CODE;
