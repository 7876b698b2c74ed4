/** Classifies characters by their codes: a pattern with Unicode classes takes longer to compile than a message to read. */

/** `ideograph`: a word by itself. `joiner`: picks a skin or joins pictures, and says nothing. */
type CharacterKind = 'letter' | 'ideograph' | 'picture' | 'joiner' | 'space' | 'mark';

type Range = readonly [from: number, to: number, kind: CharacterKind];

/** Beyond ASCII, in order; what is in no range is a letter. */
const RANGES: readonly Range[] = [
  [0x80, 0xa0, 'space'],
  [0xa1, 0xa9, 'mark'],
  [0xab, 0xb4, 'mark'],
  [0xb6, 0xb9, 'mark'],
  [0xbb, 0xbf, 'mark'],
  [0x1680, 0x1680, 'space'],
  [0x2000, 0x200a, 'space'],
  [0x200b, 0x200d, 'joiner'],
  [0x200e, 0x2027, 'mark'],
  [0x2028, 0x202f, 'space'],
  [0x2030, 0x205e, 'mark'],
  [0x205f, 0x2064, 'space'],
  [0x2190, 0x22ff, 'mark'],
  [0x2300, 0x23ff, 'picture'],
  [0x2400, 0x25ff, 'mark'],
  [0x2600, 0x27bf, 'picture'],
  [0x27c0, 0x2aff, 'mark'],
  [0x2b00, 0x2bff, 'picture'],
  [0x3000, 0x3000, 'space'],
  [0x3001, 0x303f, 'mark'],
  [0x3040, 0x30ff, 'ideograph'],
  [0x3400, 0x9fff, 'ideograph'],
  [0xd800, 0xdfff, 'mark'],
  [0xf900, 0xfaff, 'ideograph'],
  [0xfe00, 0xfe0f, 'joiner'],
  [0xfe10, 0xfe6f, 'mark'],
  [0xfeff, 0xfeff, 'space'],
  [0xff01, 0xff0f, 'mark'],
  [0xff1a, 0xff20, 'mark'],
  [0xff66, 0xff9d, 'ideograph'],
  [0x1f3fb, 0x1f3ff, 'joiner'],
  [0x1f000, 0x1faff, 'picture'],
  [0x20000, 0x3ffff, 'ideograph'],
  [0xe0000, 0xe0fff, 'joiner'],
];

/** Returns the kind of the character with a code. */
export function kindOf(code: number): CharacterKind {
  if (code < 0x80) {
    if ((code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90)) return 'letter';
    return code <= 32 || code === 127 ? 'space' : 'mark';
  }
  for (const [from, to, kind] of RANGES) if (code >= from && code <= to) return kind;
  return 'letter';
}

/** Marks that are inside of a word: paths, names, versions, numbers, "don't". */
const INSIDE = new Set("_#@$%&+*~=/\\.'’`´<>-");

const LINE_END = 10;

/** The tokens of a text: words with the marks inside and around them, ideographs and pictures and other marks alone, line ends. */
export function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  /** What there is of a word up to a joiner, which is left out of it, and if the rest of it begins. */
  let word = '';
  let start = -1;
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at) as number;
    const next = at + (code > 0xffff ? 2 : 1);
    const kind = kindOf(code);
    if (kind === 'letter' || (kind === 'mark' && INSIDE.has(text.charAt(at)))) {
      if (start < 0) start = at;
    } else {
      if (start >= 0) word += text.slice(start, at);
      start = -1;
      if (kind !== 'joiner') {
        if (word !== '') tokens.push(word);
        word = '';
        if (kind !== 'space' || code === LINE_END) tokens.push(text.slice(at, next));
      }
    }
    at = next;
  }
  if (start >= 0) word += text.slice(start);
  if (word !== '') tokens.push(word);
  return tokens;
}

/** Returns whether a token is a word by itself: a picture or an ideograph. */
export function isSymbol(token: string): boolean {
  const kind = kindOf(token.codePointAt(0) as number);
  return kind === 'picture' || kind === 'ideograph';
}

const isLetter = (text: string, at: number): boolean => kindOf(text.charCodeAt(at)) === 'letter';

/** A token without the marks around it: none at its end, and none but `#` and `/` at its beginning. */
export function bare(token: string): string {
  let [start, end] = [0, token.length];
  while (end > start && !isLetter(token, end - 1)) end -= 1;
  while (start < end && !isLetter(token, start) && token[start] !== '#' && token[start] !== '/') start += 1;
  return token.slice(start, end);
}
