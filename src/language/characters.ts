/** Classifies characters by their codes: a pattern with Unicode classes takes longer to compile than a message to read. */

/** `ideograph`: a word by itself. `joiner`: picks a skin or joins pictures, and says nothing. */
type CharacterKind = 'letter' | 'ideograph' | 'picture' | 'joiner' | 'space' | 'mark';

/** Beyond ASCII, by kind: the first and the last code of each range. What is in no range is a letter. */
const RANGES: Readonly<Partial<Record<CharacterKind, readonly number[]>>> = {
  space: [0x80, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x202f, 0x205f, 0x2064, 0x3000, 0x3000, 0xfeff, 0xfeff],
  joiner: [0x200b, 0x200d, 0xfe00, 0xfe0f, 0x1f3fb, 0x1f3ff, 0xe0000, 0xe0fff],
  mark: [
    0xa1, 0xa9, 0xab, 0xb4, 0xb6, 0xb9, 0xbb, 0xbf, 0x200e, 0x2027, 0x2030, 0x205e, 0x2190, 0x22ff, 0x2400, 0x25ff,
    0x27c0, 0x2aff, 0x3001, 0x303f, 0xd800, 0xdfff, 0xfe10, 0xfe6f, 0xff01, 0xff0f, 0xff1a, 0xff20,
  ],
  picture: [0x2300, 0x23ff, 0x2600, 0x27bf, 0x2b00, 0x2bff, 0x1f000, 0x1faff],
  ideograph: [0x3040, 0x30ff, 0x3400, 0x9fff, 0xf900, 0xfaff, 0xff66, 0xff9d, 0x20000, 0x3ffff],
};
const KINDS = Object.entries(RANGES) as [CharacterKind, readonly number[]][];

/** Returns the kind of the character with a code. */
function kindOf(code: number): CharacterKind {
  if (code < 0x80) {
    if ((code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90)) return 'letter';
    return code <= 32 || code === 127 ? 'space' : 'mark';
  }
  for (const [kind, ranges] of KINDS)
    for (let at = 0; at < ranges.length; at += 2)
      if (code >= (ranges[at] as number) && code <= (ranges[at + 1] as number)) return kind;
  return 'letter';
}

/** Marks that are inside of a word: paths, names, versions, numbers, "don't". */
const INSIDE = new Set("_#@$%&+*~=/\\.'’`´<>-");
const LINE_END = 10;

/** The tokens of a text: words with the marks inside and around them, ideographs and pictures and other marks alone, line ends. */
export function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  /** The part of a word up to a joiner, which is left out of it; the rest of the word may begin. */
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
