/** Secrets beside their name: `PASSWORD=…`, `"token": "…"`, `--api-key …`, `<password>…</password>`, in any depth of escaping. */
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
/** Also as a line of a diff that goes. */
const SETTING_NAME = /^-?[A-Z0-9_]+$/;
const isSettingAt = (text: string, nameStart: number, nameEnd: number): boolean =>
  text.charAt(nameEnd) === '=' && SETTING_NAME.test(text.slice(nameStart, nameEnd));
/** What sets a variable without a sign between its name and its value: in a Dockerfile, csh, fish, C, Lisp. */
const SETTER =
  /(?:^|[^A-Za-z0-9_]|\\[nrt]|\\u[0-9A-Fa-f]{4}|\[[0-9;]{0,12}[mK])(?:ENV|setenv|setx|setq|def(?:var|const|parameter)|#[ \t]{0,2}define|set(?:[ \t]{1,4}-{1,2}[A-Za-z-]{1,12}){1,2})[ \t]{1,4}$/;
const LONGEST_SETTER = 40;

/** How a value stands: as a `text`, where no code can; or else `close`, right behind its sign, or `apart` from that. */
export type Position = 'text' | 'close' | 'apart';

/** Whether a value looks like what its name says. */
export function isSecretValue(kind: NameKind, value: string, position: Position = 'text'): boolean {
  if (value.includes('[redacted:') || isHarmless(value)) return false;
  if (kind === 'password') return isPassword(value, position === 'text');
  if (kind === 'secret') return isRandomUuid(value) || isSignedWord(value, position !== 'apart') || isOpaque(value);
  if (kind === 'key') return value.split(',').every(isOpaqueKey);
  return isOpaque(value) && !isUuid(value) && value.length >= LEAST_TOKEN;
}

/** Whether a number of JSON beside the name of a password is one: shorter ones are sizes, and some are times. */
export const isSecretNumber = (digits: string): boolean =>
  NUMBER.test(digits) && !TIME.test(digits) && !isPlaceholder(digits) && entropyOf(digits) >= LEAST_ENTROPY_OF_NUMBER;
const NUMBER = /^[0-9]{8,}$/;
const TIME = /^(?:1[4-9][0-9]{8}(?:[0-9]{3}){0,3}|(?:19|20)[0-9]{2}[01][0-9][0-3][0-9])$/;
const LEAST_ENTROPY_OF_NUMBER = 2;

/** Shorter ones beside a mere `token` are names and types. */
const LEAST_TOKEN = 16;

/** Beside a name that could mean something else as well: ids in hexadecimal digits are shorter, or UUIDs; what has a dot, a colon or a slash may be a place. Of several in a row all are. */
const isOpaqueKey = (value: string): boolean =>
  value.length >= (/^[0-9a-f]+$/i.test(value) ? 32 : 20) &&
  LIKE_KEY.test(value) &&
  !HAS_UUID.test(value) &&
  isOpaque(value);
const LIKE_KEY = /^(?=[^0-9]*[0-9])(?:[\w-]+|(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])[A-Za-z0-9+/]{40,}={0,2})$/;
const HAS_UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-/i;

/** Whether a name and the blank after it belong to a command that sets it. */
function isSet(text: string, nameStart: number, end: number): boolean {
  if (!isBlank(text.charAt(end)) || !isBlank(text.charAt(nameStart - 1))) return false;
  const before = text.slice(Math.max(0, nameStart - LONGEST_SETTER), nameStart);
  // Most names have none of these before them, and to compile the pattern costs a hook more than all else here.
  return SETTERS.some((word) => before.includes(word)) && SETTER.test(before);
}
const SETTERS = ['ENV', 'set', 'def'];

const LONGEST_NAME = 48;

/** Characters of a name from a place on, and up to one. Patterns, for V8 would set about compiling a loop over them. */
const NAME_ON = lazyPattern(`[A-Za-z0-9_.-]{0,${LONGEST_NAME}}`, 'y');
const NAME_BEFORE = new RegExp(`(?<=([A-Za-z0-9_.-]{0,${LONGEST_NAME}}))`, 'y');

/** Where the name ends that goes on at a place. */
const endOfName = (text: string, from: number): number => after(NAME_ON, text, from);

/** Where the name begins that stands before a place. */
function beginOfName(text: string, to: number): number {
  NAME_BEFORE.lastIndex = to;
  return to - (NAME_BEFORE.exec(text)?.[1]?.length ?? 0);
}

/** What stands beside a name, whatever it looks like. */
interface Named extends Value {
  readonly kind: NameKind;
  /** It stands in quotes, or right behind its sign. */
  readonly close: boolean;
  /** Where the name begins and ends that it stands beside, and how it follows that. */
  readonly nameStart: number;
  readonly nameEnd: number;
  readonly link: Link;
}

function namedAt(text: string, at: number, shortest: number): Named | null {
  // Most names are followed by nothing that could be a value: that is seen first, for it costs least.
  const last = endOfName(text, at);
  if (!MAY_FOLLOW.has(text.charAt(last))) return null;
  const core = coreAt(text, at);
  if (!core || !beginsCore(text, at, core.text)) return null;
  const coreEnd = at + core.text.length;
  // The name goes on behind what counts only where that was too far to see.
  const end = coreEnd <= last && last - at < LONGEST_NAME ? last : Math.max(last, endOfName(text, coreEnd));
  const before = text.slice(behindEscape(text, beginOfName(text, at), at), at);
  // In a URL a user stands there, and a host behind the value: other rules know how to read it.
  const nameStart = at - before.length;
  if (text.endsWith('//', nameStart) || followsMarker(text, nameStart) || isInArn(text, nameStart)) return null;
  if (text.endsWith('::', nameStart) && ENDS_KEY.has(text.charAt(end))) return null;
  // A dot there joins a text to it, in scripts of Vim, Perl and PHP.
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
  // `PASS: TestName` is what test runners print.
  if (isApart && before === '' && BARE_PASS.test(text.slice(at, value.start)) && !isLineOfSettings(text, at, value))
    return null;
  const rest = text.slice(coreEnd, end);
  const kind = kindOfName(before, core, rest);
  if (kind === 'token' && isOfPages(text, nameStart)) return null;
  if (kind === null || !isLinked({ text, nameStart, before, core: core.text, after: rest, kind }, link, value))
    return null;
  // Said one by one: V8 copies objects slowly, and a text made to be slow has a name at every place.
  const from = isBare ? { begin: start, how: link.how } : link;
  return { start, end: value.end, kind, close: !isApart, nameStart, nameEnd: end, link: from };
}
/** What follows a key: one of these has colons in it where it is a type of CloudFormation, `AWS::SecretsManager::Secret`. */
const ENDS_KEY = new Set('"\'`\\:');
/** What a shell says where a variable is not set, `${PASSWORD:?missing}`. */
const REFUSES = /^:?\?/;
/** Whether it is the kind of a thing in a name of Amazon's, as in `…:123456789012:secret:prod`. */
const isInArn = (text: string, at: number): boolean =>
  text.charAt(at - 1) === ':' && IN_ARN.test(text.slice(Math.max(0, at - LONGEST_ARN), at));
const IN_ARN = /\barn:[\w-]{3,12}:[\w-]{2,20}:[^:\s]{0,40}:[^:\s]{0,40}:$/;
const LONGEST_ARN = 128;

/** Whether a name has the word before it, in a sentence, that makes it one of pages. */
const isOfPages = (text: string, at: number): boolean =>
  text.charAt(at - 1) === ' ' && OF_PAGES.test(text.slice(Math.max(0, at - LONGEST_OF_PAGES), at));
const OF_PAGES = /(?:page|cursor|continuation|pagination) $/i;
const LONGEST_OF_PAGES = 14;

const BARE_PASS = /^pass(?![a-z])[^=>]*:/i;

/** Whether a `pass:` is a line of settings: in small letters, and its value, to the end of the line, no name of anything. */
function isLineOfSettings(text: string, at: number, { start, end }: Value): boolean {
  const value = text.slice(start, end);
  return (
    text.startsWith('pass', at) && ENDS_LINE.test(text.slice(end, end + 2)) && (SIGN.test(value) || isOpaque(value))
  );
}
/** Or its text in JSON, or its colour. */
const ENDS_LINE = /^(?:$|[\r\n,}"'\\]|\p{Cc})/u;
const SIGN = /[!@#$%^&*+=?~|]/;

/** A name in a text: where it begins, and what stands in it around the part that counts. */
interface NameAt {
  readonly text: string;
  readonly nameStart: number;
  readonly before: string;
  readonly core: string;
  readonly after: string;
  readonly kind: NameKind;
}

/** To pass something is a word of every day, and `pwd` the folder at hand. */
const EVERYDAY = new Set(['pass', 'pwd', 'psk']);

/** What is given to such calls is a password: others look one up, or have it typed. */
const SETS = wordSet('set with use put store save update change define encrypt add');
/** Whether a function by its name takes what it is called after: `setPassword`, `db.password`. */
function isSetBy(before: string): boolean {
  const own = before.slice(before.lastIndexOf('.') + 1);
  return own === '' || SETS.has(/^[A-Z]?[a-z]+/.exec(own)?.[0].toLowerCase() ?? '');
}
const ADDRESS = /^[\w.+-]{1,64}@[\w-]{1,64}\.\w/;

/** Whether a value belongs to the name in front of it, by how it follows that. */
function isLinked({ text, nameStart, before, after, kind, core }: NameAt, link: Link, value: Value): boolean {
  const isEveryday = EVERYDAY.has(core.toLowerCase());
  const written = text.slice(value.start, value.end);
  switch (link.how) {
    // In a table a name in capitals is a setting, and a single word beside it what it is set to.
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
    // Behind a colon it is a keyword of Clojure, or a symbol.
    case 'beside':
      if (after !== '' || text.charAt(value.start - 1) === '`') return false;
      if (HEADER_BEFORE.test(text.slice(Math.max(0, nameStart - LONGEST_ROW), nameStart))) return true;
      return text.charAt(nameStart - 1) === ':' || (kind === 'password' && !isEveryday && !SNAKE.test(written));
    // Markdown has a backtick where no shell would: `--pass `strict=False``.
    case 'flag':
      return text.charAt(value.start - 1) !== '`';
    case 'tuple':
      return after === '' && !isEveryday && !SNAKE.test(written) && closesPair(text, value);
    // In a list a password stands beside its name, not merely beside another text: `["password", "created_at2"]` is of columns.
    case 'listed':
      if (kind !== 'password' || before.startsWith('-')) return true;
      return after === '' && isPair(text, nameStart, value) && !SNAKE.test(written);
    default:
      return true;
  }
}
/** Where a row of a table without lines begins. */
const ROW_BEGINS = /(?:^|[\r\n]|\\[nr])[ \t]{0,16}$/;
/** Where nginx sets a header. */
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

/** Whether what stands beside a name is an expression: asked last, for it is the dearest to tell. */
const isCodeBeside = (text: string, { nameStart, nameEnd, link, start, end }: Named): boolean =>
  (link.how === 'sign' || link.how === 'beside') &&
  isCode({ text, nameStart, nameEnd, begin: link.begin, value: { start, end } });

const crowd = new NameDensity();

/** The secret beside the name that a keyword stands in. */
export function findAssignment(text: string, at: number): Found | null {
  const last = endOfName(text, at);
  if (!MAY_FOLLOW.has(text.charAt(last))) return null;
  if (crowd.has(text, at, isEndless(text, last, LONG_VALUE))) return simpleValueAfter(text, at, last);
  const named = namedAt(text, at, SHORTEST_VALUE);
  if (!named) return null;
  const value = text.slice(named.start, named.end);
  const position = positionOf(text, named);
  if (!isSecretValue(named.kind, value, position) || (position === 'apart' && isTypeName(value))) return null;
  // What a template fills in is none of it.
  const isFilled = value.includes('${') && text.charAt(named.start - 1) === '`';
  if (isFilled && !isSecretValue(named.kind, value.replace(FILLED_IN, ''), position)) return null;
  const { nameStart, nameEnd, link } = named;
  if (isFingerprint(text.slice(nameStart, nameEnd), value)) return null;
  if (isHashOf(withPath(text, nameStart, nameEnd), value, text.slice(nameEnd, link.begin))) return null;
  return isCodeBeside(text, named) ? null : foundAs(text, named);
}

const FILLED_IN = /\$\{[^{}]{0,200}\}/g;

/** What stands beside such a name at the end of a text that goes on, where it may become a secret. */
export function findPartialAssignment(text: string, at: number): Found | null {
  const named = namedAt(text, at, LEAST_PARTIAL);
  if (!named || named.end < text.length || behindSource(text, named) === text.length) return null;
  const value = text.slice(named.start);
  if (value.includes('[redacted:') || isHarmless(value)) return null;
  const isOne = named.kind === 'password' ? mayBecomePassword(value, named.close) : mayBecomeKey(value, 0);
  return isOne && !isCodeBeside(text, named) ? foundAs(text, named) : null;
}
const LEAST_PARTIAL = 4;
