/** Finds secrets by the name before them: `PASSWORD=…`, `"token": "…"`, `--api-key …`, `<password>…</password>`, at any depth of escaping. */
import { lazyPattern } from '../core/lazily.ts';
import { wordSet } from '../core/word-set.ts';
import { isCode } from './code-expressions.ts';
import { LONG_VALUE, NameDensity, simpleValueAfter } from './dense-names.ts';
import { withoutEnclosure } from './enclosure.ts';
import { isFingerprint, isHashOf, withPath } from './hashes.ts';
import { followsMarker } from './marker.ts';
import { beginsCore, coreAt, kindOfName, type NameKind } from './name-kinds.ts';
import { after, type Link, valueAfter } from './name-value-links.ts';
import { isPassword, mayBecomePassword } from './passwords.ts';
import { isBlank } from './plain-separator.ts';
import {
  entropyOf,
  isHarmless,
  isOpaque,
  isPlaceholder,
  isRandomUuid,
  isSignedWord,
  isUuid,
  mayBecomeKey,
} from './randomness.ts';
import type { Found } from './rule.ts';
import { isTypeName } from './type-names.ts';
import {
  behindSource,
  closesPair,
  endsColumn,
  fillsCall,
  fillsCell,
  fillsLine,
  isEndless,
  isPair,
  isSpaced,
  type Value,
  valueAt,
} from './values.ts';
import { behindEscape, endWithoutMarks } from './word-boundaries.ts';

const SHORTEST_VALUE = 6;
const MAY_FOLLOW = new Set('?:=,!>"\'`\\] \t\r\n\u001b&%*([{<');
const FLAG_NAME = /^-[A-Za-z0-9-]*$|(?:^|[a-z0-9])--[A-Za-z0-9-]*$/;
/** The minus sign is that of a removed line of a diff. */
const SETTING_NAME = /^-?[A-Z0-9_]+$/;
const isSettingAt = (text: string, nameStart: number, nameEnd: number): boolean =>
  text.charAt(nameEnd) === '=' && SETTING_NAME.test(text.slice(nameStart, nameEnd));
/** Words that set a variable without a separator between its name and its value: in a Dockerfile, csh, fish, C, Lisp. */
const SETTER =
  /(?:^|[^A-Za-z0-9_]|\\[nrt]|\\u[0-9A-Fa-f]{4}|\[[0-9;]{0,12}[mK])(?:ENV|setenv|setx|setq|def(?:var|const|parameter)|#[ \t]{0,2}define|set(?:[ \t]{1,4}-{1,2}[A-Za-z-]{1,12}){1,2})[ \t]{1,4}$/;
const LONGEST_SETTER = 40;

/** Position of a value: in a `text` that cannot be code, `close` to its separator, or `apart` from its separator. */
export type Position = 'text' | 'close' | 'apart';

/** Checks whether a value looks like what its name says. */
export function isSecretValue(kind: NameKind, value: string, position: Position = 'text'): boolean {
  if (value.includes('[redacted:') || isHarmless(value)) return false;
  if (kind === 'password') return isPassword(value, position === 'text');
  if (kind === 'secret') return isRandomUuid(value) || isSignedWord(value, position !== 'apart') || isOpaque(value);
  if (kind === 'key') return value.split(',').every(isOpaqueKey);
  return isOpaque(value) && !isUuid(value) && value.length >= LEAST_TOKEN;
}

/** Checks whether a JSON number is a password: shorter numbers are sizes, and some are times. */
export const isSecretNumber = (digits: string): boolean =>
  NUMBER.test(digits) && !TIME.test(digits) && !isPlaceholder(digits) && entropyOf(digits) >= LEAST_ENTROPY_OF_NUMBER;
const NUMBER = /^[0-9]{8,}$/;
const TIME = /^(?:1[4-9][0-9]{8}(?:[0-9]{3}){0,3}|(?:19|20)[0-9]{2}[01][0-9][0-3][0-9])$/;
const LEAST_ENTROPY_OF_NUMBER = 2;

/** Shorter values after a mere `token` are names and types. */
const LEAST_TOKEN = 16;

/**
 * Checks a value whose name has other meanings as well. Shorter hexadecimal digits and UUIDs are ids; a value with a dot, a colon
 * or a slash may be a path. Each value of a comma-separated list must pass.
 */
const isOpaqueKey = (value: string): boolean =>
  value.length >= (/^[0-9a-f]+$/i.test(value) ? 32 : 20) &&
  LIKE_KEY.test(value) &&
  !HAS_UUID.test(value) &&
  isOpaque(value);
const LIKE_KEY = /^(?=[^0-9]*[0-9])(?:[\w-]+|(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])[A-Za-z0-9+/]{40,}={0,2})$/;
const HAS_UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-/i;

/** Checks whether a command sets the name, with a blank between name and value. */
function isSet(text: string, nameStart: number, end: number): boolean {
  if (!isBlank(text.charAt(end)) || !isBlank(text.charAt(nameStart - 1))) return false;
  const before = text.slice(Math.max(0, nameStart - LONGEST_SETTER), nameStart);
  // Few names follow one of these words, and compiling the pattern is the slowest step here.
  return SETTERS.some((word) => before.includes(word)) && SETTER.test(before);
}
const SETTERS = ['ENV', 'set', 'def'];

const LONGEST_NAME = 48;

/** Characters of a name after and before a place. These are patterns because V8 would begin to compile a loop over the characters. */
const NAME_ON = lazyPattern(`[A-Za-z0-9_.-]{0,${LONGEST_NAME}}`, 'y');
const NAME_BEFORE = new RegExp(`(?<=([A-Za-z0-9_.-]{0,${LONGEST_NAME}}))`, 'y');

/** Returns the end of the name that continues at a place. */
const endOfName = (text: string, from: number): number => after(NAME_ON, text, from);

/** Returns the start of the name that ends at a place. */
function beginOfName(text: string, to: number): number {
  NAME_BEFORE.lastIndex = to;
  return to - (NAME_BEFORE.exec(text)?.[1]?.length ?? 0);
}

/** The value of a name, before its content is checked. */
interface Named extends Value {
  readonly kind: NameKind;
  /** The value is in quotes, or right after its separator. */
  readonly close: boolean;
  /** Start and end of the name, and the link between name and value. */
  readonly nameStart: number;
  readonly nameEnd: number;
  readonly link: Link;
}

function namedAt(text: string, at: number, shortest: number): Named | null {
  // Few names are followed by anything that could be a value; this check is the cheapest.
  const last = endOfName(text, at);
  if (!MAY_FOLLOW.has(text.charAt(last))) return null;
  const core = coreAt(text, at);
  if (!core || !beginsCore(text, at, core.text)) return null;
  const coreEnd = at + core.text.length;
  // The name continues after its core only if its end was too far away to see.
  const end = coreEnd <= last && last - at < LONGEST_NAME ? last : Math.max(last, endOfName(text, coreEnd));
  const before = text.slice(behindEscape(text, beginOfName(text, at), at), at);
  // In a URL this is a user, and a host follows: other rules read URLs.
  const nameStart = at - before.length;
  if (text.endsWith('//', nameStart) || followsMarker(text, nameStart) || isInArn(text, nameStart)) return null;
  if (text.endsWith('::', nameStart) && ENDS_KEY.has(text.charAt(end))) return null;
  // In scripts of Vim, Perl and PHP this dot joins a text to the name.
  if (text.charAt(end - 1) === '.' && ENDS_KEY.has(text.charAt(end))) return null;
  if (text.endsWith('${', nameStart) && REFUSES.test(text.slice(end, end + 2))) return null;
  const isFlag = before.includes('-') && FLAG_NAME.test(before);
  const link = valueAfter(text, nameStart, end, isFlag || isSet(text, nameStart, end));
  if (!link) return null;
  const isSetting = isSettingAt(text, nameStart, end);
  const found = valueAt(text, link, { nameStart, isSetting });
  if (!found) return null;
  const isBare = found.start === link.begin;
  const { start, end: framed } = isBare ? withoutEnclosure(text, nameStart, found) : found;
  const value = { start, end: endWithoutMarks(text, start, framed) };
  if (value.end - start < shortest) return null;
  const isApart = isBare && isSpaced(text, link.begin);
  // Test runners print `PASS: TestName`.
  if (isApart && before === '' && BARE_PASS.test(text.slice(at, value.start)) && !isLineOfSettings(text, at, value))
    return null;
  const rest = text.slice(coreEnd, end);
  const kind = kindOfName(before, core, rest);
  if (kind === 'token' && isOfPages(text, nameStart)) return null;
  if (kind === null || !isLinked({ text, nameStart, before, core: core.text, after: rest, kind }, link, value))
    return null;
  // Field by field: V8 copies objects slowly, and a hostile text has a name at every place.
  const from = isBare ? { begin: start, how: link.how } : link;
  return { start, end: value.end, kind, close: !isApart, nameStart, nameEnd: end, link: from };
}
/** Characters after a key. A name with colons before one of these is a type of CloudFormation, `AWS::SecretsManager::Secret`. */
const ENDS_KEY = new Set('"\'`\\:');
/** The message of a shell for a variable that is not set, `${PASSWORD:?missing}`. */
const REFUSES = /^:?\?/;
/** Checks whether a name is the resource type of an Amazon ARN, as in `…:123456789012:secret:prod`. */
const isInArn = (text: string, at: number): boolean =>
  text.charAt(at - 1) === ':' && IN_ARN.test(text.slice(Math.max(0, at - LONGEST_ARN), at));
const IN_ARN = /\barn:[\w-]{3,12}:[\w-]{2,20}:[^:\s]{0,40}:[^:\s]{0,40}:$/;
const LONGEST_ARN = 128;

/** Checks whether the word before a name makes it a token of pagination. */
const isOfPages = (text: string, at: number): boolean =>
  text.charAt(at - 1) === ' ' && OF_PAGES.test(text.slice(Math.max(0, at - LONGEST_OF_PAGES), at));
const OF_PAGES = /(?:page|cursor|continuation|pagination) $/i;
const LONGEST_OF_PAGES = 14;

const BARE_PASS = /^pass(?![a-z])[^=>]*:/i;

/** Checks whether a `pass:` is a line of settings: in lower case, with a value up to the end of the line that is no name. */
function isLineOfSettings(text: string, at: number, { start, end }: Value): boolean {
  const value = text.slice(start, end);
  return (
    text.startsWith('pass', at) && ENDS_LINE.test(text.slice(end, end + 2)) && (SIGN.test(value) || isOpaque(value))
  );
}
/** The end of a line, of a JSON text, or the start of a terminal colour. */
const ENDS_LINE = /^(?:$|[\r\n,}"'\\]|\p{Cc})/u;
const SIGN = /[!@#$%^&*+=?~|]/;

/** A name in a text: its start, and the parts before and after its core. */
interface NameAt {
  readonly text: string;
  readonly nameStart: number;
  readonly before: string;
  readonly core: string;
  readonly after: string;
  readonly kind: NameKind;
}

/** "To pass" is an everyday verb, and `pwd` is the current folder. */
const EVERYDAY = new Set(['pass', 'pwd', 'psk']);

/** Verbs of functions whose argument is a password; other functions look one up or prompt for it. */
const SETS = wordSet('set with use put store save update change define encrypt add');
/** Checks whether a function sets the password that it is called with: `setPassword`, `db.password`. */
function isSetBy(before: string): boolean {
  const own = before.slice(before.lastIndexOf('.') + 1);
  return own === '' || SETS.has(/^[A-Z]?[a-z]+/.exec(own)?.[0].toLowerCase() ?? '');
}
const ADDRESS = /^[\w.+-]{1,64}@[\w-]{1,64}\.\w/;

/** Checks whether a value belongs to the name before it, by the link between them. */
function isLinked({ text, nameStart, before, after, kind, core }: NameAt, link: Link, value: Value): boolean {
  const isEveryday = EVERYDAY.has(core.toLowerCase());
  const written = text.slice(value.start, value.end);
  switch (link.how) {
    // In a table, an upper-case name is a setting, and a single word in the next cell is its value.
    case 'cell':
      return (
        fillsCell(text, value) &&
        (SETTING_NAME.test(before) || text.charAt(value.start - 1) === '`' || isOpaque(written))
      );
    case 'tab':
      if (!endsColumn(text, value) || !(SIGN.test(written) || isOpaque(written))) return false;
      if (isOpaque(written) && ROW_BEGINS.test(text.slice(Math.max(0, nameStart - LONGEST_ROW), nameStart)))
        return true;
      return SETTING_NAME.test(before) && (after === '' || SETTING_NAME.test(after));
    case 'call':
      return after === '' && !isEveryday && isSetBy(before) && fillsCall(text, value) && !ADDRESS.test(written);
    // After a colon the name is a Clojure keyword, or a symbol.
    case 'beside':
      if (after !== '' || text.charAt(value.start - 1) === '`') return false;
      if (HEADER_BEFORE.test(text.slice(Math.max(0, nameStart - LONGEST_ROW), nameStart))) return true;
      return text.charAt(nameStart - 1) === ':' || (kind === 'password' && !isEveryday && !SNAKE.test(written));
    // A backtick after a flag is Markdown, not a shell: `--pass `strict=False``.
    case 'flag':
      return text.charAt(value.start - 1) !== '`';
    case 'tuple':
      return after === '' && !isEveryday && !SNAKE.test(written) && closesPair(text, value);
    // In a list, a password needs the list to itself: `["password", "created_at2"]` are columns.
    case 'listed':
      if (kind !== 'password' || before.startsWith('-')) return true;
      return after === '' && isPair(text, nameStart, value) && !SNAKE.test(written);
    default:
      return true;
  }
}
/** The start of a row of a table without lines. */
const ROW_BEGINS = /(?:^|[\r\n]|\\[nr])[ \t]{0,16}$/;
/** The nginx directive that sets a header. */
const HEADER_BEFORE = /(?:set|add)_header[ \t]{1,4}$/;
const LONGEST_ROW = 24;
const SNAKE = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/;

const foundAs = (text: string, named: Named): Found => ({
  rule: named.kind === 'password' ? 'password' : 'secret',
  certainty: 'guess',
  start: behindSource(text, named),
  end: named.end,
});

function positionOf(text: string, named: Named): Position {
  const { link, start, end, nameStart, nameEnd } = named;
  const isQuoted = start > link.begin && text.charAt(start - 1) !== '`';
  const isElement = text.charAt(nameStart - 1) === '<' && CLOSES_ELEMENT.test(text.slice(end, end + LONGEST_CLOSING));
  if (isQuoted || isElement || link.how === 'line' || link.how === 'element') return 'text';
  if (link.how === 'sign' && isSettingAt(text, nameStart, nameEnd) && fillsLine(text, nameStart, named)) return 'text';
  return named.close ? 'close' : 'apart';
}
const CLOSES_ELEMENT = /^<\\{0,15}\//;
const LONGEST_CLOSING = 17;

/** Checks whether the value of a name is an expression. This check is the slowest, so it comes last. */
const isCodeBeside = (text: string, { nameStart, nameEnd, link, start, end }: Named): boolean =>
  (link.how === 'sign' || link.how === 'beside') &&
  isCode({ text, nameStart, nameEnd, begin: link.begin, value: { start, end } });

const crowd = new NameDensity();

/** Finds the secret whose name contains a keyword. */
export function findAssignment(text: string, at: number): Found | null {
  const last = endOfName(text, at);
  if (!MAY_FOLLOW.has(text.charAt(last))) return null;
  if (crowd.has(text, at, isEndless(text, last, LONG_VALUE))) return simpleValueAfter(text, at, last);
  const named = namedAt(text, at, SHORTEST_VALUE);
  if (!named) return null;
  const value = text.slice(named.start, named.end);
  const position = positionOf(text, named);
  if (!isSecretValue(named.kind, value, position) || (position === 'apart' && isTypeName(value))) return null;
  // The placeholders of a template are no part of a secret.
  const isFilled = value.includes('${') && text.charAt(named.start - 1) === '`';
  if (isFilled && !isSecretValue(named.kind, value.replace(FILLED_IN, ''), position)) return null;
  const { nameStart, nameEnd, link } = named;
  if (isFingerprint(text.slice(nameStart, nameEnd), value)) return null;
  if (isHashOf(withPath(text, nameStart, nameEnd), value, text.slice(nameEnd, link.begin))) return null;
  return isCodeBeside(text, named) ? null : foundAs(text, named);
}

const FILLED_IN = /\$\{[^{}]{0,200}\}/g;

/** Finds the value of a name at the end of an unfinished text that may become a secret. */
export function findPartialAssignment(text: string, at: number): Found | null {
  const named = namedAt(text, at, LEAST_PARTIAL);
  if (!named || named.end < text.length || behindSource(text, named) === text.length) return null;
  const value = text.slice(named.start);
  if (value.includes('[redacted:') || isHarmless(value)) return null;
  const isOne = named.kind === 'password' ? mayBecomePassword(value, named.close) : mayBecomeKey(value, 0);
  return isOne && !isCodeBeside(text, named) ? foundAs(text, named) : null;
}
const LEAST_PARTIAL = 4;
