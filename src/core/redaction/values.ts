/** Where the value stands that belongs to a name, and where it ends: behind a sign, in a list, on the next line, in any depth of escaping. */
import { CONTROL } from '../characters.ts';
import { isHarmless, isPlaceholder, isScrambled } from './shape.ts';

const LONGEST_VALUE = 512;
const QUOTE = '\\\\{0,7}["\'`]';
/** A colour of a terminal, as it is or escaped. */
const COLOUR = '(?:\\u001b|\\\\{1,7}(?:u001[bB]|x1[bB]|e|033))\\[[0-9;]{0,12}m';
/** Blanks and colours between a name, its sign and its value. */
const GAP = `[ \\t]{0,8}(?:${COLOUR}[ \\t]{0,8}){0,3}`;
/** What stands between a name and its value, each with what may begin there. */
const TYPED = /\??:[ \t]{0,4}[A-Za-z][A-Za-z0-9_.<>|[\]]{0,40}[ \t]{1,4}=[ \t]{1,4}/y;
/** A quote as HTML writes it, and what Markdown makes bold with. */
const MARK = '&(?:quot|#34|#39|apos);|\\*\\*';
const PLAIN = new RegExp(
  `\\??(?:${COLOUR}){0,3}(?:${QUOTE}|${MARK})?\\]?${GAP}(?:={1,3}>?|!={1,2}|:=|:[-=]?|>)(?:${MARK}|<!\\[CDATA\\[)?${GAP}(?:${MARK})?`,
  'y',
);
/** What a program takes where nothing else is set. */
const INSTEAD = new RegExp(`[ \\t]{1,4}(?:\\|\\||\\?\\?|or)[ \\t]{1,4}(?=${QUOTE})`, 'y');
/** A sign in a URL inside a URL, and what the value then is made of. */
const ENCODED = /(?:%22|%5[Dd])?%3[ADad](?:%22)?/y;
const ENCODED_VALUE = /(?:[A-Za-z0-9._~+-]|%(?:2[134589BbFf]|3[Ff]|40|5[Ee])){1,512}/y;
/** The cell beside a name in a table of Markdown. */
const CELL = /[`*]{0,2}[ \t]{1,40}\|[ \t]{1,40}/y;
const CELL_BEFORE = /\|[ \t]{1,8}[`*]{0,2}$/;
/** A field of a form that is sent in parts. */
const PART = new RegExp(`${QUOTE}(?:\\r?\\n|(?:\\\\{1,7}r)?\\\\{1,7}n){2}`, 'y');
const PART_BEFORE = /name=\\{0,7}"$/;
/** A variable of Terraform with what it is where nobody sets it. */
const DEFAULT = new RegExp(`${QUOTE}[ \\t]{0,4}\\{[^{}]{0,300}?default[ \\t]{0,8}=[ \\t]{0,8}(?=${QUOTE})`, 'y');
const DEFAULT_BEFORE = /variable[ \t]{1,4}\\{0,7}"$/;
const LISTED = new RegExp(`${QUOTE},[ \\t\\r\\n]{0,12}(?=${QUOTE})`, 'y');
const PAIRED = new RegExp(
  `${QUOTE}(?:[ \\t]{1,4}value=|,[ \\t\\r\\n]{0,12}${QUOTE}value${QUOTE}:[ \\t]{0,4})(?=${QUOTE})`,
  'iy',
);
const BELOW = /\r?\n[ \t-]{0,24}value:[ \t]{0,4}/y;
/** The same where each line has something in front of it: a number, a file, a time, the sign of a diff or of a quotation. */
const BELOW_MARGIN = new RegExp(
  `(?:${QUOTE})?(?:\\r?\\n|\\\\{1,7}(?:r\\\\{1,7})?n)(?:[A-Za-z0-9_./+>|→:\\t -]|\\\\{1,7}t){0,160}?[ \\t>+|→:-]value:[ \\t]{0,4}`,
  'y',
);
const NAME_BEFORE = /name:[ \t]{1,4}(?:\\{0,7}["'])?$/;
const LONGEST_BEFORE = 24;
const FLAG = /[ \t]{1,4}/y;
/** A quote within single quotes of a shell, `'\''` or `'"'"'`; what it opens ends with the same. */
const SHELL_QUOTE = /'(?:\\{1,8}'|(\\{0,7})"'\1")'/y;
/** Characters in a row that are neither white space nor any of these. */
const run = (stops: string, then = ''): RegExp => new RegExp(`[^\\s${CONTROL}${stops}]{1,512}${then}`, 'uy');
const OPENING = /[bru]?(\\{0,7})(["'`])/y;
/** What such a quote may hold, and what stands in a line up to white space or a quote. */
const SHELL_QUOTED = run(`'"\`\\\\`, "(?='|$)");
const REST = run(`'"\`\\\\`);
/** What an unquoted value may hold; fewer in code than in a file of settings. */
const BARE = run(`"'\`,;<>(){}[\\]\\\\&|`);
const SETTING = run(`"'\`;<>\\\\&|`);

function after(pattern: RegExp, text: string, index: number): number {
  pattern.lastIndex = index;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** How a value follows its name: `listed` is only the next text in a list or a call, `cell` the next of a table. */
export interface Link {
  readonly begin: number;
  readonly how: 'sign' | 'listed' | 'flag' | 'encoded' | 'cell';
}

const SIGNS = [TYPED, PLAIN, PAIRED, BELOW, INSTEAD];
/** What counts only behind such a beginning. */
const FRAMED: readonly (readonly [RegExp, RegExp, Link['how']])[] = [
  [NAME_BEFORE, BELOW_MARGIN, 'sign'],
  [PART_BEFORE, PART, 'sign'],
  [DEFAULT_BEFORE, DEFAULT, 'sign'],
  [CELL_BEFORE, CELL, 'cell'],
];

/**
 * Where the value begins that belongs to a name; null where none does.
 * @param isFlag whether a blank is enough
 */
export function valueAfter(text: string, nameStart: number, nameEnd: number, isFlag: boolean): Link | null {
  for (const pattern of SIGNS) {
    const begin = after(pattern, text, nameEnd);
    if (begin >= 0) return { begin, how: 'sign' };
  }
  const listed = after(LISTED, text, nameEnd);
  if (listed >= 0) return { begin: listed, how: 'listed' };
  const encoded = after(ENCODED, text, nameEnd);
  if (encoded >= 0) return { begin: encoded, how: 'encoded' };
  for (const [before, pattern, how] of FRAMED) {
    const begin = after(pattern, text, nameEnd);
    if (begin >= 0 && before.test(text.slice(Math.max(0, nameStart - LONGEST_BEFORE), nameStart)))
      return { begin, how };
  }
  const flag = isFlag ? after(FLAG, text, nameEnd) : -1;
  return flag < 0 ? null : { begin: flag, how: 'flag' };
}

const SPACED = new RegExp(`[ \\t](?:${COLOUR}){0,3}$`);
const LONGEST_SPACE = 90;

/** Whether a blank stands before an index, whatever the colours between. */
export const isSpaced = (text: string, index: number): boolean =>
  SPACED.test(text.slice(Math.max(0, index - LONGEST_SPACE), index));

const ENDS_JSON = /^[,:}\]]?$/;

/** Where a quoted value ends: before a quote with as many backslashes as the opening one has; -1 where it does not. */
function closing(text: string, begin: number, quote: string, depth: number): number {
  const last = Math.min(text.length, begin + LONGEST_VALUE);
  let slashes = 0;
  for (let index = begin; index < last; index++) {
    const letter = text.charAt(index);
    if (letter === '\\') {
      slashes++;
      continue;
    }
    // JSON around it ends there, though the quote that the value began with is still open.
    if (letter === '"' && quote !== '"' && ENDS_JSON.test(text.slice(index + 1, index + 2))) return index - slashes;
    if (letter === quote && (slashes <= depth || (depth === 0 && slashes % 2 === 0))) {
      return index - Math.min(slashes, depth);
    }
    // White space, or an escaped end of line of the depth that the value is in.
    if (/\s/.test(letter) || (slashes > 0 && slashes <= Math.max(depth, 1) && /[nrt]/.test(letter))) return -1;
    slashes = 0;
  }
  return last === text.length ? last : -1;
}

export interface Value {
  readonly start: number;
  readonly end: number;
}

/** Longer ones are many settings in a row. */
const LONGEST_REST = 200;
const isWholeRest = (rest: string): boolean =>
  rest.length <= LONGEST_REST && isScrambled(rest) && !isPlaceholder(rest) && !isHarmless(rest);

/** @param setting whether it stands behind a name as shells and files of settings write it */
export function valueAt(text: string, { begin, how }: Link, setting: boolean): Value | null {
  if (how === 'encoded') {
    const end = after(ENCODED_VALUE, text, begin);
    return end < 0 ? null : { start: begin, end };
  }
  const shell = text.charAt(begin) === "'" ? after(SHELL_QUOTE, text, begin) : -1;
  if (shell >= 0) {
    const end = after(SHELL_QUOTED, text, shell);
    return end < 0 ? null : { start: shell, end };
  }
  OPENING.lastIndex = begin;
  const opening = OPENING.exec(text);
  if (opening) {
    const start = OPENING.lastIndex;
    const end = closing(text, start, opening[2] ?? '"', opening[1]?.length ?? 0);
    return end > start ? { start, end } : null;
  }
  const rest = setting ? after(REST, text, begin) : -1;
  // Only such a value holds signs of a shell without quotes.
  if (rest >= 0 && isWholeRest(text.slice(begin, rest))) return { start: begin, end: rest };
  const end = after(setting ? SETTING : BARE, text, begin);
  if (end < 0 || text.charAt(end) === '(' || text.startsWith('[redacted:', end)) return null;
  return { start: begin, end };
}

const OPENS_PAIR = /[([{][ \t\r\n]{0,12}\\{0,7}["'`]$/;
const CLOSES_PAIR = /^\\{0,7}["'`][ \t\r\n]{0,12}(?:[)\]}]|$)/;
const LONGEST_BRACKET = 24;

/** Whether a name and the next text are all that stands in a list or a call. */
export const isPair = (text: string, nameStart: number, { end }: Value): boolean =>
  OPENS_PAIR.test(text.slice(Math.max(0, nameStart - LONGEST_BRACKET), nameStart)) &&
  CLOSES_PAIR.test(text.slice(end, end + LONGEST_BRACKET));

const CLOSES_CELL = /^(?:`|\*\*)?[ \t]{1,40}\|/;

/** Whether a value is all that its cell of a table holds. */
export const fillsCell = (text: string, { end }: Value): boolean =>
  CLOSES_CELL.test(text.slice(end, end + LONGEST_CELL));
const LONGEST_CELL = 48;
