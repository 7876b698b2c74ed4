/** Finds the end of a text that is to be cut, without the beginning of a secret: half of one has no shape by which it would be known. */

/** A character as JSON writes it. */
const CHARACTER = /\\(?:u[0-9a-fA-F]{4}|[^u])|[^\\]/gs;
const LINE_END = /^(?:\\[nr]|\\u000[aAdD]|[\n\r])$/;
const BLANK = /^(?:\\[nrt]|\\u00(?:0[9aAdD]|20|[aA]0)|\s)$/;
const QUOTES = new Map([
  ['\\"', '"'],
  ['\\u0022', '"'],
  ["'", "'"],
  ['\\u0027', "'"],
  ['`', '`'],
]);
/** Matches a character behind which no quotation begins: the apostrophe of `don't` is none. */
const WORD = /^[\w\x80-\xff]$/;
/** A private key begins: its end is yet to come. */
const KEY = /-----BEGIN |---- BEGIN SSH2|Private-Lines: /g;
const KEY_END = /-----END |---- END SSH2|Private-MAC: /g;

/**
 * Finds where to cut before the last line; if no line ends there, before the last run of characters that are not blank, and
 * before a quotation that is still open. A private key without its end goes from its heading on.
 * @param written the last bytes before the cut, as JSON writes them
 * @returns how many of these bytes are kept; 0 if all of them are one run
 */
export function safeEnd(written: Buffer): number {
  const text = written.toString('latin1');
  const end = endOfWords(text);
  const key = lastOf(KEY, text);
  return key >= 0 && key < end && lastOf(KEY_END, text) < key ? key : end;
}

function endOfWords(text: string): number {
  let line = -1;
  let blank = 0;
  let open: { quote: string; at: number } | null = null;
  let before = ' ';
  for (const { 0: character, index } of text.matchAll(CHARACTER)) {
    const quote = QUOTES.get(character);
    if (open !== null) {
      if (quote === open.quote) open = null;
    } else if (quote !== undefined && !WORD.test(before)) open = { quote, at: index };
    if (LINE_END.test(character)) {
      line = index;
      open = null;
    }
    if (BLANK.test(character)) blank = index;
    before = character;
  }
  return line >= 0 ? line : Math.min(blank, open === null ? blank : wordBefore(text, open.at));
}

/** Returns the beginning of the run of characters that a quotation belongs to: the name of a value may be right before it. */
const wordBefore = (text: string, at: number): number => Math.max(0, text.lastIndexOf(' ', at));

function lastOf(pattern: RegExp, text: string): number {
  let last = -1;
  for (const { index } of text.matchAll(pattern)) last = index;
  return last;
}
