/** Recognises an expression of code after a name, which is no value: in a bundle, identifiers look random. */
import { lazily, lazyPattern } from '../core/lazily.ts';
import { isBetweenStrings } from './between-strings.ts';
import { lineBefore, lineBehind } from './line-context.ts';
import { QUOTE } from './quotes.ts';
import type { Value } from './values.ts';

/** A name and its value in a text. */
export interface Beside {
  readonly text: string;
  /** Start and end of the whole name. */
  readonly nameStart: number;
  readonly nameEnd: number;
  /** Start of what follows the separator: a quote, or the value itself. */
  readonly begin: number;
  readonly value: Value;
}

// An unquoted value is code only if all of it parses as an expression.
const NAME = '[A-Za-z_$][\\w$]{0,120}';
const OPERAND = `(?:${NAME}(?:\\??\\.#?${NAME}){0,20}|0x[0-9a-f]{1,16}|\\.?[0-9]{1,20}(?:\\.[0-9]{1,20})?(?:e[0-9]{1,3})?n?)`;
const OPERATOR = '(?:[!=]==?|=>|\\*\\*=?|\\?\\??=?|[-+*/%^]=?|[=:])';
const EXPRESSION = lazyPattern(
  `^[!~+-]{0,3}${OPERAND}(?:${OPERATOR}[!~+-]{0,3}${OPERAND}){0,400}(\\+\\+|--|${OPERATOR}[!~+-]{0,3})?$`,
);
/** Matches text that may follow an operator at the end of an expression: a text or a bracket. */
const GOES_ON = lazily(() => /^[\\"'`[({>]/);
const MEMBER = lazily(() => /[\w$]\.[A-Za-z_$]/);
const PLAIN_NAME = lazily(() => /^[!~+-]{0,3}[\w$]+$/);

/** Parts of code that hardly any password contains. */
const SURE = lazily(
  () => /[!=]==|[=?:](?:!0|!1)(?![\w$])|^_0x[0-9a-f]{4,6}(?![0-9a-f])|^(?:this|self|cls)\.#?[A-Za-z_$]/,
);
/** Optional chaining, before one of the characters below. */
const OPTIONAL = lazily(() => /^[\w$]+(?:\.[\w$]+)*\?\.[\w$.?]+$/);
const CLOSES = lazily(() => /^[;,)}\][&|]/);
/** An operator that is a word, and a comment. */
const WORD_OPERATOR = lazily(() => /(?:^|[=?:])(?:void|new|typeof|await)$/);
const LONGEST_COMMENT = 244;
const COMMENT = lazily(() => /^[\w$.]{1,120}\/\*[^*\r\n]{0,120}\*\//);

const QUOTE_BEFORE = lazyPattern(`${QUOTE}$`);
/** The first text of a conditional: after its colon follows the other one, and no value. */
const CHOICE = lazyPattern(`\\?[ \\t\\r\\n]{0,8}${QUOTE}[^"'\`\\\\\\r\\n]{0,60}$`);
/** A conditional with names instead of texts, with and without blanks around its signs. */
const TIGHT_CHOICE = lazily(() => /[\w$)\]"'`]\?$/);
const SPACED_CHOICE = lazily(() => /[\w$)\]"'`][ \t]\?[ \t]$/);
const CASE = lazily(() => /(?:^|[^\w$.-]|\\[nrt]|\[[0-9;]{0,12}m)case[ \t]{0,4}$/);
/** A string literal that begins on the line and is prose, not code that is carried in JSON. */
const IN_TEXT = lazyPattern(`(?:^|[\\s([{,;:=+?!&|>])${QUOTE}[\\w$/<?&%.-][^"'\`\\\\\\r\\n{}()[\\]]{0,400}$`);

const DECLARED = lazily(() => /(?:^|[^\w$.-]|\\[nrt]|\[[0-9;]{0,12}m)(?:const|let|var|lambda)[ \t]{1,4}$/);
const OWN = lazily(() => /^(?:this|self|cls|exports)\./);
const LINE_BEGINS = lazily(() => /(?:^|[\r\n]|\\[nr])[ \t]{0,40}$/);
const LINE_ENDS = lazily(() => /^;[ \t]*(?:$|[\r\n\\])/);
/** Matches the end of a value in a list of values, or the continuation of the expression. */
const ITEM_ENDS = lazily(() => /^(?:[,})\]<>]|\\?["'`[]|&&|\|\||[ \t](?:[})]|(?:in|instanceof)[ \t]))/);
const STATEMENT_ENDS = lazily(() => /^(?:[;}]|,[A-Za-z_$]|\)[,;)}]|&&|\|\||\[)/);
/** String literals that may hold a password: their signs are not code, and a marker will not contain them. */
const TEXTS = lazyPattern(`([=:([{,?][ \\t]?)(${QUOTE})[^\\s"'\`\\\\]{1,64}\\2(?=[,;)}\\]\\s]|$)`, 'g');
/** Parts that minified code is full of, and text is not. */
const MINIFIED = lazily(() => /=>|\)\{|\}\)|\(\)|function\(|!0\b|void 0|===|&&[\w$]|\|\|[\w$]|\.[\w$]+\(|\.\.\.[\w$]/);
/** Matches code before the brace of an object that is passed, returned or assigned, and of destructured names. */
const GIVES = lazily(() => /(?:[(?]|=>|[ \t]=|return|&&|\|\|)[ \t]{0,2}$/);
const TAKES_APART = lazily(() => /(?:(?:const|let|var)[ \t]{0,2}|_\$_)$/);
const CALLED = lazily(() => /([A-Za-z_$][\w$]{0,60})$/);
/** The start of a default in a shell or a template: `${PASSWORD:-…}`. */
const FILLED_IN = lazily(() => /[$#@%]\{$/);
/** A name so short at the beginning of an expression that it was minified. */
const SHORT_NAME = lazily(() => /^[!~+-]{0,3}[A-Za-z_$][\w$]?(?![\w$])/);

/** Returns the index of the bracket that is open at the end of a text; -1 if none is. */
function openedAt(before: string): number {
  let closed = 0;
  for (let index = before.length - 1; index >= 0; index--) {
    const sign = before.charAt(index);
    if (sign === '}' || sign === ')' || sign === ']') closed++;
    else if ((sign === '{' || sign === '(' || sign === '[') && closed-- === 0) return index;
  }
  return -1;
}

/** An expression and what surrounds it. */
interface Place {
  /** The line before the name, without its quote and short literals, and the line after the expression. */
  readonly before: string;
  readonly next: string;
  readonly name: string;
  /** Everything between the name and the expression. */
  readonly sign: string;
  readonly written: string;
  readonly isQuoted: boolean;
  /** True if there are no blanks around the separator. */
  readonly isTight: boolean;
  /** `isPlain`: the expression is a single name; `isShort`: it begins with a very short one. */
  readonly isPlain: boolean;
  readonly isShort: boolean;
}

/** Checks whether an expression is the value of a key of an object, or a named argument of a call. */
function isItem({ before, next, sign, isQuoted, isTight, isPlain, isShort }: Place): boolean {
  if (FILLED_IN().test(before) || !ITEM_ENDS().test(next) || !/[{,(][ \t]{0,2}$/.test(before)) return false;
  const opened = openedAt(before);
  const around = before.slice(0, Math.max(0, opened));
  if (before.charAt(opened) === '(') {
    // Printed objects may look like a call of their class.
    const called = CALLED().exec(around)?.[1];
    return (
      called !== undefined &&
      !isPlain &&
      !isQuoted &&
      isTight &&
      (/^[a-z_$]/.test(called) || (isShort && !before.endsWith(' ')))
    );
  }
  // With another separator, Java and shells print what they hold.
  if (!/(?::-?|=>)[ \t]*$/.test(sign)) return !isPlain && isTight && MINIFIED().test(before);
  if (isPlain) return isTight && (TAKES_APART().test(around) || MINIFIED().test(before));
  // JSON has no such values, so a quoted key is code. YAML has a blank after its colon, also in braces.
  if (isQuoted || isTight) return opened >= 0 || MINIFIED().test(before);
  return opened >= 0 && GIVES().test(around);
}

/** Returns the text before the object whose member a name is: a `$` in the object cuts the name off. */
const withoutObject = (before: string, name: string): string =>
  name.startsWith('.') ? before.replace(OBJECT(), '') : before;
const OBJECT = lazily(() => /(?<![\w$])[\w$]{1,60}$/);

/** Checks whether an expression is assigned to a member of an object; property files and settings have such names too. */
function isAssigned({ before, next, name, sign, isTight, isPlain, isShort }: Place): boolean {
  if (!/=[ \t]*$/.test(sign) || !(name.includes('.') || /[\])]\.$/.test(before))) return false;
  if (LINE_ENDS().test(next))
    return !isPlain || LINE_BEGINS().test(withoutObject(before, name)) || MINIFIED().test(before);
  return (
    STATEMENT_ENDS().test(next) && isTight && (MINIFIED().test(before) || (isShort && !isPlain && /^\w?\./.test(name)))
  );
}

/** Checks whether only an expression can be at this place: in a comparison, a conditional or brackets. */
function isPlacedAsCode(place: Place): boolean {
  const { before, name, sign, written, isQuoted, isTight, isPlain } = place;
  const isChosen = (sign === ':' ? TIGHT_CHOICE() : SPACED_CHOICE()).test(before);
  if (!isQuoted && isChosen && /:[ \t]*$/.test(sign)) return true;
  if (sign === ':' && CASE().test(before)) return !isPlain;
  if (OWN().test(name)) return true;
  if (/[!=]=/.test(sign)) return MEMBER().test(written);
  if (sign.endsWith('>') && !isPlain && isTight && name.includes('.')) return true;
  if (isQuoted && /\][ \t]*=[ \t]*$/.test(sign)) return !isPlain || MINIFIED().test(before);
  return isAssigned(place) || isItem(place);
}

/** Checks whether a value is the text of an element whose tag or attribute is the name. */
function isElement(before: string, sign: string, next: string): boolean {
  if (!sign.endsWith('>') || sign.endsWith('=>')) return false;
  return before.endsWith('<') || CLOSES_ELEMENT().test(next) || (ENDS_TAG().test(sign) && IN_TAG().test(before));
}
const CLOSES_ELEMENT = lazily(() => /^<\\{0,15}\//);
const ENDS_TAG = lazyPattern(`(?:${QUOTE}|&(?:quot|#34|#39|apos);)>$`);
const IN_TAG = lazily(() => /<[A-Za-z][^<>]*=[^<>]*$/);

/** Checks whether an expression is recognisable at any place. */
const isSureOfItself = ({ next, sign, written }: Place): boolean =>
  /[!=]==/.test(sign) ||
  SURE().test(written) ||
  (OPTIONAL().test(written) && CLOSES().test(next)) ||
  (WORD_OPERATOR().test(written) && /^[ \t]/.test(next)) ||
  // The head of an arrow function, without its arrow.
  (written.endsWith('=') && next.startsWith('>'));

/** Checks whether a value parses as an expression, which may continue after it. */
function canBeRead(written: string, next: string): boolean {
  const read = EXPRESSION().exec(written);
  const last = read?.[1];
  return read !== null && (last === undefined || /^(?:\+\+|--)$/.test(last) || GOES_ON().test(next));
}

/** Checks whether the text before a name begins at a marker, which may have replaced the `case` or the question mark. */
const touchesMarker = (text: string, at: number): boolean =>
  BEHIND_MARKER().test(text.slice(Math.max(0, at - LONGEST_TEXT), at));
const LONGEST_TEXT = 100;
const BEHIND_MARKER = lazyPattern(`:[0-9a-f]{6,10}\\][ \\t]{0,8}${QUOTE}[^"'\`\\\\\\r\\n]{0,60}$`);

/** Checks whether an unquoted value is an expression, by its form and its place. */
function isExpression({ text, nameStart, nameEnd, begin, value }: Beside): boolean {
  const found = lineBefore(text, nameStart);
  const sign = text.slice(nameEnd, begin);
  const closesQuote = /^[\\"'`]/.test(sign);
  const isQuoted = closesQuote && QUOTE_BEFORE().test(found);
  const before = isQuoted ? found.replace(QUOTE_BEFORE(), '') : found;
  const isColon = /:-?[ \t]*$/.test(sign);
  if (closesQuote && isColon && (CHOICE().test(found) || (isQuoted && CASE().test(before)))) return true;
  if (closesQuote && touchesMarker(text, nameStart)) return true;
  if (COMMENT().test(text.slice(value.start, value.start + LONGEST_COMMENT))) return true;

  const written = text.slice(value.start, value.end);
  const next = lineBehind(text, value.end);
  const name = text.slice(nameStart, nameEnd);
  const isSetting = /^=+$/.test(sign) && /^[A-Z0-9_]+$/.test(name) && !DECLARED().test(before);
  if (isSetting || isElement(before, sign, next)) return false;
  if (!canBeRead(written, next)) return false;
  const isPlain = PLAIN_NAME().test(written);
  if (DECLARED().test(before)) return !isPlain || /^[,;)]/.test(next);
  const isTight = !/[ \t]/.test(sign);
  const isShort = SHORT_NAME().test(written);
  const place: Place = {
    before: before.replace(TEXTS(), '$1""'),
    next,
    name,
    sign,
    written,
    isQuoted,
    isTight,
    isPlain,
    isShort,
  };
  return isSureOfItself(place) || ((isQuoted || !IN_TEXT().test(before)) && isPlacedAsCode(place));
}

/** Checks whether the value of a name is code, and so no value. */
export function isCode(beside: Beside): boolean {
  const { text, nameStart, nameEnd, begin, value } = beside;
  if (value.start === begin) return isExpression(beside);
  // A quote directly after the name belongs to the name, and ends the text.
  if (/["'`\\]/.test(text.charAt(nameEnd))) return false;
  return isBetweenStrings(text, nameStart, text.slice(begin, value.start), text.slice(value.start, value.end));
}
