/** Finds where keywords stand, many at once: by parts that they share in the first texts of a process, by pairs of bytes later. */

/** Keywords, and whom they concern. */
export interface Keywords<T> {
  readonly words: readonly string[];
  readonly anyCase: boolean;
  readonly target: T;
}

interface Entry<T> {
  readonly word: string;
  readonly anyCase: boolean;
  /** Where in the word the pair stands that leads here. */
  readonly offset: number;
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

/**
 * Where in a word the pair stands by which it is seen: rare characters make the pass quick. Most words end in a sign that
 * does well; to look further is for the words of every day, for it is done at every start.
 */
function pairIn(word: string, anyCase: boolean): number {
  const last = word.length - 2;
  let best = 0;
  for (let index = anyCase ? 1 : last; index <= last; index++) {
    const isRarer = weightOf(word, index) * weightOf(word, index + 1) < weightOf(word, best) * weightOf(word, best + 1);
    if (isRarer) best = index;
  }
  return best;
}

const isSmall = (code: number): boolean => code >= 97 && code <= 122;

/** Whether a word stands at a place in any case; the word itself is in lower case. */
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
 * @param keywords of ASCII, at least two characters each; those in any case are given in lower case. Asked for where one stands:
 * most texts of a hook have none
 * @param atoms that lead to each of them
 */
export function prefilterOf<T>(keywords: () => readonly Keywords<T>[], atoms: AtomTable): Prefilter<T> {
  const inFew = searchAtoms(keywords, atoms);
  let seen = 0;
  let pairs: Prefilter<T> | undefined;
  return (text, from, visit) => {
    seen += text.length - from + EACH;
    if (seen <= FEW && inFew(text, from, visit)) return;
    pairs ??= searchPairs(keywords());
    pairs(text, from, visit);
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

/** Whether a word counts anywhere in a text: where what follows it is known and stands nowhere, it does not. */
function counts(text: string, from: number, word: string, follows: string | undefined): boolean {
  if (follows === undefined) return true;
  const pattern = new RegExp(word + follows, 'g');
  pattern.lastIndex = from;
  return pattern.test(text);
}

/** Atom by atom, as fast as the machine's own search is; gives false where that cannot be done with a text. */
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

/** Tells whom a word concerns, and remembers it: a process finds few of them. */
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

/** Calls back for each word that stands in a text. */
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

/** By a table of the pairs of bytes that keywords are seen by, which is made once. */
export function searchPairs<T>(keywords: readonly Keywords<T>[]): Prefilter<T> {
  const buckets: Entry<T>[][] = [[]];
  /**
   * From a pair of bytes to its bucket; 0 leads nowhere. Seven bits of each: so small a table stays near the processor, and
   * what is found is looked at again in the text.
   */
  const table = new Uint16Array(128 * 128);
  const enter = (entry: Entry<T>, first: number, second: number): void => {
    const pair = (first << 7) | second;
    const bucket = table[pair] || buckets.push([]) - 1;
    table[pair] = bucket;
    buckets[bucket]?.push(entry);
  };
  const enterWord = (word: string, anyCase: boolean, target: T): void => {
    const offset = pairIn(word, anyCase);
    const entry: Entry<T> = { word, anyCase, offset, target };
    const [first, second] = [word.charCodeAt(offset), word.charCodeAt(offset + 1)];
    enter(entry, first, second);
    if (!anyCase) return;
    if (isSmall(first)) enter(entry, first - 32, second);
    if (isSmall(second)) enter(entry, first, second - 32);
    if (isSmall(first) && isSmall(second)) enter(entry, first - 32, second - 32);
  };
  for (const { words, anyCase, target } of keywords) for (const word of words) enterWord(word, anyCase, target);

  const look = (
    text: string,
    from: number,
    place: number,
    visit: (target: T, at: number) => void,
    bucket: number,
  ): void => {
    // Plain steps here and above: most processes are over before any of this is compiled.
    const entries = buckets[bucket] as Entry<T>[];
    for (let index = 0; index < entries.length; index++) {
      const { word, anyCase, offset, target } = entries[index] as Entry<T>;
      const at = place - offset;
      if (at >= from && (anyCase ? standsInAnyCase(text, at, word) : text.startsWith(word, at))) visit(target, at);
    }
  };

  return (text, from, visit) => {
    scratch.bytes ??= Buffer.allocUnsafeSlow(STRETCH);
    const bytes: Uint8Array = scratch.bytes;
    for (let begin = from; begin < text.length - 1; begin += STRETCH - 1) {
      // Characters beyond one byte lose their upper half here.
      const length = scratch.bytes.write(text.slice(begin, begin + STRETCH), 0, STRETCH, 'latin1');
      let pair = (bytes[0] as number) & 0x7f;
      for (let index = 1; index < length; index++) {
        pair = ((pair << 7) | ((bytes[index] as number) & 0x7f)) & 0x3fff;
        const bucket = table[pair] as number;
        if (bucket !== 0) look(text, from, begin + index - 1, visit, bucket);
      }
    }
  };
}
