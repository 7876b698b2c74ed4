/** Finds the end of the value of a name: at its quote, line or cell, or by the syntax of shells, URLs and JSON. */
import { CONTROL } from '../core/characters.ts';
import { lazily, lazyPattern } from '../core/lazily.ts';
import { runOf } from './character-run.ts';
import { after, type Link } from './name-value-links.ts';
import { COLOUR, ESCAPED_QUOTE, QUOTE } from './quotes.ts';
import { isHarmless, isMixed, isOpaque, isPlaceholder, isScrambled } from './randomness.ts';

/**
 * Builds the patterns of values, up to a length. Nearly all are short, and a text made to be slow has a name at every place: a
 * long one is only looked for where the first of it looks like a key.
 */
function shapesOf(longest: number) {
  /** Characters in a row that are neither white space nor any of these. */
  const run = (stops: string, then = ''): (() => RegExp) =>
    lazyPattern(`[^\\s${CONTROL}${stops}]{1,${longest}}${then}`, 'uy');
  return {
    longest,
    /** Text that fills a line of YAML, and an element of XML. */
    line: run(`"'\`\\\\`, `(?=$|[\\r\\n\\t"'\`\\\\])`),
    element: run('<', '(?=<)'),
    /** Within a quote of a shell in quotes, and in a line up to white space or a quote. */
    shell: run(`'"\`\\\\`, "(?='|$)"),
    /** In the brackets of a text of Lua. */
    brackets: lazyPattern(`[^\\s${CONTROL}[\\]]{1,${longest}}(?=\\]\\])`, 'uy'),
  };
}
/** Characters of a value without quotes, in a line up to white space or a quote; fewer in code than in a file of settings. */
const REST = runOf(`[^\\s${CONTROL}'"\`\\\\]`);
const BARE = runOf(`[^\\s${CONTROL}"'\`,;<>(){}[\\]\\\\&|]`);
const SETTING = runOf(`[^\\s${CONTROL}"'\`;<>\\\\&|]`);
/** Returns whether what is behind a place is longer than values are, were it one without quotes. */
export const isEndless = (text: string, from: number, longest: number): boolean =>
  BARE(text, from, longest + 1) - from > longest;
type Shapes = ReturnType<typeof shapesOf>;
const SHORT = shapesOf(512);
const LONG = shapesOf(4096);
/** So much of a long value has no white space in it, and looks like a key. */
const BEGINNING = runOf('\\S');
const LONG_BEGINNING = 160;

/** A quote within single quotes of a shell, `'\''` or `'"'"'`; what it opens ends with the same. */
const SHELL_QUOTE = lazily(() => /'(?:\\{1,31}'|(\\{0,31})"'\1")'/y);
const OPENING = lazily(() => /(?:[bfruN@]|[bB][rR]|[rR][bB])?(\\{0,31})(["'`])/y);
/** Characters with which it may begin; `N` in SQL. */
const OPENS = 'bfruNBR@\\"\'`';
/** A quote that is written as an escape. */
const ESCAPED = lazyPattern(ESCAPED_QUOTE, 'y');

const SPACED = lazyPattern(`[ \\t](?:${COLOUR}){0,3}$`);
const LONGEST_SPACE = 90;

/** Returns whether a blank is before an index, whatever the colours between. */
export const isSpaced = (text: string, index: number): boolean =>
  SPACED().test(text.slice(Math.max(0, index - LONGEST_SPACE), index));

/** Characters at which a value without quotes ends before its line does. */
const STOPS = ',;<>(){}[]&|';

const ENDS_JSON = /^[,:}\]]?$/;

/** Returns what `judge` says of the first sign that it says anything of; `slashes` are right before that. */
function judged(
  text: string,
  begin: number,
  last: number,
  judge: (letter: string, index: number, slashes: number) => number | null,
): number | null {
  let slashes = 0;
  for (let index = begin; index < last; index++) {
    const letter = text.charAt(index);
    if (letter === '\\') {
      slashes++;
      continue;
    }
    const end = judge(letter, index, slashes);
    if (end !== null) return end;
    slashes = 0;
  }
  return null;
}

/** Returns where a quoted value ends: before a quote with as many backslashes as the opening one has; -1 if it does not. */
function closing(text: string, begin: number, quote: string, depth: number, longest: number): number {
  const last = Math.min(text.length, begin + longest);
  const end = judged(text, begin, last, (letter, index, slashes) => {
    // JSON around it ends there, though the quote that the value began with is still open.
    if (letter === '"' && quote !== '"' && ENDS_JSON.test(text.slice(index + 1, index + 2))) return index - slashes;
    if (letter === quote && (slashes <= depth || (depth === 0 && slashes % 2 === 0)))
      return index - Math.min(slashes, depth);
    // White space, or an escaped end of line of the depth that the value is in.
    return /\s/.test(letter) || (slashes > 0 && slashes <= Math.max(depth, 1) && /[nrt]/.test(letter)) ? -1 : null;
  });
  return end ?? (last === text.length ? last : -1);
}

/**
 * Returns where a value ends that begins behind a quote written as an escape: before one that is no deeper, or what else ends
 * it.
 */
function closingEscape(text: string, begin: number, opening: string, longest: number): number {
  const depth = opening.lastIndexOf('\\') + 1;
  const last = Math.min(text.length, begin + longest);
  const end = judged(text, begin, last, (letter, index, slashes) => {
    const isEscape = slashes > 0 && (letter === 'u' || letter === 'x');
    const isQuote = isEscape && slashes <= depth && ESCAPED_SIGN.test(text.slice(index, index + 5));
    return isQuote || ENDS_ESCAPED.test(letter) || (slashes > 0 && !isEscape) ? index - slashes : null;
  });
  return end ?? last;
}
const ENDS_ESCAPED = /[\s"'`]/;
const ESCAPED_SIGN = /^(?:u002|x2)[27]/;

export interface Value {
  readonly start: number;
  readonly end: number;
}

/** A name, and what it is written like. */
export interface Owner {
  readonly nameStart: number;
  /** True if it is one of a setting, as shells and files of settings write it. */
  readonly isSetting: boolean;
}

/** Longer ones are many settings in a row. */
const LONGEST_REST = 200;
const isWholeRest = (rest: string): boolean =>
  rest.length <= LONGEST_REST && isScrambled(rest) && !isPlaceholder(rest) && !isHarmless(rest);

/** Nothing but a name is on its line, or in its text, in front of the sign. */
const LINE_BEGINS = lazily(() => /(?:^|[\r\n"'`]|\\[nr])[ \t+-]{0,24}(?:export |set )?$/);
const LONGEST_LINE_BEGINNING = 36;
const LINE_ENDS = lazily(() => /[ \t]{0,8}(?:$|[\r\n]|\\{0,31}["'`]|\\{1,31}[nr])/y);
/** As code ends, and the next setting of a URL or of a connection string. */
const IS_MORE = lazily(() => /[,;)}\]>]$|[;&|][\w.-]{1,60}=/);
/** A command of a shell, in small letters, is none of it. */
const BEHIND_SIGN = lazily(() => /[;&|<>(){}[\],][^;&|<>(){}[\],]{0,200}[A-Z0-9]/);

/** Matches an object, or one with so short a name as only minified code has, in the arguments of a call. */
const MEMBER = lazily(() => /^(?:[A-Za-z_$]|this|self|cls|exports)\./);
const CALL = lazily(() => /^[A-Za-z_$][\w$.]{0,120}\([^\r\n]{0,200}\)/);
const isGivenOfCall = (name: string, rest: string): boolean => MEMBER().test(name) && CALL().test(rest);

/** Returns whether a name and what follows it up to a place are all of their line, or of their text. */
export const fillsLine = (text: string, nameStart: number, { end }: Pick<Value, 'end'>): boolean =>
  after(LINE_ENDS, text, end) >= 0 &&
  LINE_BEGINS().test(text.slice(Math.max(0, nameStart - LONGEST_LINE_BEGINNING), nameStart));

/** Returns whether a value with signs of code or of a shell in it goes to the end of its line or of its text, and was drawn. */
const isWholeLine = (text: string, nameStart: number, rest: string, end: number): boolean =>
  rest.length <= LONGEST_REST &&
  isMixed(rest) &&
  BEHIND_SIGN().test(rest) &&
  !IS_MORE().test(rest) &&
  fillsLine(text, nameStart, { end }) &&
  !isGivenOfCall(text.slice(nameStart, end - rest.length), rest);

/** Word of openssl in front of a password that is written out: `-pass pass:…`. */
const SOURCE = 'pass:';

/** Returns where the secret begins in the value of a name. */
export const behindSource = (text: string, { nameStart, start }: { nameStart: number; start: number }): number =>
  text.startsWith(SOURCE, start) && text.startsWith('-pass', nameStart) ? start + SOURCE.length : start;

export function valueAt(text: string, link: Link, owner: Owner): Value | null {
  const value = valueWithin(text, link, owner, SHORT);
  const isShort = value ? value.end - value.start < SHORT.longest : link.begin + SHORT.longest > text.length;
  if (isShort) return value;
  const quoted = after(OPENING, text, link.begin);
  const begin = value?.start ?? (quoted < 0 ? link.begin : quoted);
  const beginning = BEGINNING(text, begin, LONG_BEGINNING);
  const isKey = beginning - begin === LONG_BEGINNING && isOpaque(text.slice(begin, beginning));
  return isKey ? valueWithin(text, link, owner, LONG) : value;
}

/** The quote that a value begins with. */
function openingAt(text: string, begin: number): RegExpExecArray | null {
  const first = text.charAt(begin);
  if (first === '' || !OPENS.includes(first)) return null;
  const pattern = OPENING();
  pattern.lastIndex = begin;
  return pattern.exec(text);
}

function valueWithin(text: string, { begin, how }: Link, owner: Owner, shapes: Shapes): Value | null {
  const fill = (shape: () => RegExp, start: number): Value | null => {
    const end = after(shape, text, start);
    return end < 0 ? null : { start, end };
  };
  if (how === 'line' || how === 'element') return fill(shapes[how], begin);
  const first = text.charAt(begin);
  const shell = first === "'" ? after(SHELL_QUOTE, text, begin) : -1;
  if (shell >= 0) return fill(shapes.shell, shell);
  const escaped = first === '\\' ? after(ESCAPED, text, begin) : -1;
  if (escaped >= 0) {
    const end = closingEscape(text, escaped, text.slice(begin, escaped), shapes.longest);
    return end > escaped ? { start: escaped, end } : null;
  }
  const brackets = text.startsWith('[[', begin) ? fill(shapes.brackets, begin + 2) : null;
  if (brackets) return brackets;
  const opening = openingAt(text, begin);
  if (opening) {
    const unit = `${opening[1]}${opening[2]}`;
    // Three quotes in a row begin a text of Python, Scala and others; three backticks a block of Markdown.
    const behind = begin + opening[0].length;
    const isTriple = opening[2] !== '`' && text.startsWith(unit + unit, behind);
    const start = behind + (isTriple ? 2 * unit.length : 0);
    const end = closing(text, start, opening[2] ?? '"', opening[1]?.length ?? 0, shapes.longest);
    return end > start ? { start, end } : null;
  }
  const end = (owner.isSetting ? SETTING : BARE)(text, begin, shapes.longest);
  if (end < 0 || STOPS.includes(text.charAt(end))) {
    const last = REST(text, begin, shapes.longest);
    const rest = last < 0 ? '' : text.slice(begin, last);
    // Only such a value holds signs of a shell or of code without quotes.
    const isForm = FORM_BEFORE.includes(text.charAt(owner.nameStart - 1)) || NEXT_FIELD().test(rest);
    if ((owner.isSetting && !isForm && isWholeRest(rest)) || isWholeLine(text, owner.nameStart, rest, last))
      return { start: begin, end: last };
  }
  if (end < 0 || text.charAt(end) === '(' || text.startsWith('[redacted:', end)) return null;
  return { start: begin, end };
}

/** Text before a field of a form or of a URL, and at the beginning of the next one. */
const FORM_BEFORE: readonly string[] = ['&', '?'];
const NEXT_FIELD = lazily(() => /&[A-Za-z_][\w.-]{1,60}=/);

const OPENS_PAIR = lazyPattern(`[([{][ \\t\\r\\n]{0,12}${QUOTE}$`);
const CLOSES_PAIR = lazyPattern(`^${QUOTE}[ \\t\\r\\n]{0,12}(?:[)\\]}]|$)`);
const LONGEST_BRACKET = 24;

/** Returns whether a value is the last in its list, call or braces. */
export const closesPair = (text: string, { end }: Value): boolean =>
  CLOSES_PAIR().test(text.slice(end, end + LONGEST_BRACKET));

/** Returns whether a name and the next text are all that is in a list or a call. */
export const isPair = (text: string, nameStart: number, value: Value): boolean =>
  OPENS_PAIR().test(text.slice(Math.max(0, nameStart - LONGEST_BRACKET), nameStart)) && closesPair(text, value);

const CLOSES_CELL = /^(?:`|\*{1,3})?[ \t]{1,40}(?:\||│|â\u0094\u0082)/;

/** Returns whether a value is all that its cell of a table holds. */
export const fillsCell = (text: string, { end }: Value): boolean =>
  CLOSES_CELL.test(text.slice(end, end + LONGEST_CELL));
const LONGEST_CELL = 48;

const CLOSES_CALL = lazyPattern(`^${QUOTE}[ \\t]{0,4}\\)`);

/** Returns whether a value is all that a call is given. */
export const fillsCall = (text: string, { end }: Value): boolean =>
  CLOSES_CALL().test(text.slice(end, end + LONGEST_CALL));
const LONGEST_CALL = 16;

/** Returns whether a value is the last of its line, or of its column. */
export const endsColumn = (text: string, { end }: Value): boolean =>
  /^(?:$|[\t\r\n"\\])/.test(text.slice(end, end + 1));
