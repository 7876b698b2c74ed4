/** Secrets beside their name: `PASSWORD=…`, `"token": "…"`, `--api-key …`, `<password>…</password>`, in any depth of escaping. */
import { CONTROL } from '../characters.ts';
import { followsMarker } from './marker.ts';
import { beginsCore, CORE, kindOfName, type NameKind } from './names.ts';
import { isPassword, mayBecomePassword } from './passwords.ts';
import type { Found } from './rule.ts';
import { isHarmless, isOpaque, isScrambled, isUuid, mayBecomeKey } from './shape.ts';

const LONGEST_NAME = 48;
const LONGEST_VALUE = 512;
const SHORTEST_VALUE = 6;
const MAY_FOLLOW = new Set('?:=!>"\'`\\] \t\r\n');
/** A flag, also behind the letter that ends an escape. */
const FLAG_NAME = /^-[A-Za-z-]*$|(?:^|[a-z0-9])--[A-Za-z-]*$/;
/** Also behind the letter that ends an escape. */
const SETTING_NAME = /^[nrt]?[A-Z0-9_]+$/;
const QUOTE = '\\\\{0,7}["\'`]';
/** What stands between a name and its value, each with what may begin there. */
const TYPED = /\??:[ \t]{0,4}[A-Za-z][A-Za-z0-9_.<>|[\]]{0,40}[ \t]{1,4}=[ \t]{1,4}/y;
const PLAIN = new RegExp(`\\??(?:${QUOTE})?\\]?[ \\t]{0,8}(?:={1,3}>?|!={1,2}|:=|:[-=]?|>)[ \\t]{0,8}`, 'y');
const LISTED = new RegExp(
  `${QUOTE}(?:[ \\t]{1,4}value=|,[ \\t\\r\\n]{0,12}(?:${QUOTE}value${QUOTE}:[ \\t]{0,4})?)(?=${QUOTE})`,
  'iy',
);
const BELOW = /\r?\n[ \t-]{0,24}value:[ \t]{0,4}/y;
const FLAG = /[ \t]{1,4}/y;
/** A quote within single quotes of a shell, `'\''` or `'"'"'`; what it opens ends with the same. */
const SHELL_QUOTE = /'(?:\\{1,8}'|(\\{0,7})"'\1")'/y;
/** Characters in a row that are neither white space nor any of these. */
const run = (stops: string, then = ''): RegExp => new RegExp(`[^\\s${CONTROL}${stops}]{1,512}${then}`, 'uy');
const OPENING = /[bru]?(\\{0,7})(["'`])/y;
/** What such a quote may hold, and what stands in a line up to white space or a quote. */
const SHELL_QUOTED = run(`'"\`\\\\`, "(?='|$)");
const REST = run(`'"\`\\\\`);
/** What sets a variable without a sign between its name and its value: in a Dockerfile, csh, fish. */
const SETTER =
  /(?:^|[^A-Za-z0-9_]|\\[nrt]|\[[0-9;]{1,12}m)(?:ENV|setenv|set(?:[ \t]{1,4}-{1,2}[A-Za-z-]{1,12}){1,2})[ \t]{1,4}$/;
const LONGEST_SETTER = 40;
/** What an unquoted value may hold; fewer in code than in a file of settings. */
const BARE = run(`"'\`,;<>(){}[\\]\\\\&|`);
const SETTING = run(`"'\`;<>\\\\&|`);

function after(pattern: RegExp, text: string, index: number): number {
  pattern.lastIndex = index;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** Where the value begins that belongs to a name which ends at an index; -1 where none does. */
function valueAfter(text: string, index: number, flag: boolean): number {
  for (const pattern of [TYPED, PLAIN, LISTED, BELOW]) {
    const begin = after(pattern, text, index);
    if (begin >= 0) return begin;
  }
  return flag ? after(FLAG, text, index) : -1;
}

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

interface Value {
  readonly start: number;
  readonly end: number;
}

function valueAt(text: string, begin: number, setting: boolean): Value | null {
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
  if (rest >= 0 && isScrambled(text.slice(begin, rest))) return { start: begin, end: rest };
  const end = after(setting ? SETTING : BARE, text, begin);
  if (end < 0 || text.charAt(end) === '(' || text.startsWith('[redacted:', end)) return null;
  return { start: begin, end };
}

/** Whether a value looks like what its name says. */
export function isSecretValue(kind: NameKind, value: string): boolean {
  if (value.includes('[redacted:') || isHarmless(value)) return false;
  if (kind === 'password') return isPassword(value);
  return isOpaque(value) && (kind === 'secret' || (!isUuid(value) && value.length >= 16));
}

const isNameCharacter = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 45 && code <= 57 && code !== 47) || code === 95;

/** Where the name ends that holds a place, in a direction. */
function nameEdge(text: string, from: number, step: 1 | -1): number {
  let index = from;
  for (let left = LONGEST_NAME; left > 0 && isNameCharacter(text.charCodeAt(index)); left--) index += step;
  return index;
}

/** Whether a name and the blank after it belong to a command that sets it. */
function isSet(text: string, nameStart: number, end: number): boolean {
  if (!BLANK.test(text.charAt(end)) || !BLANK.test(text.charAt(nameStart - 1))) return false;
  return SETTER.test(text.slice(Math.max(0, nameStart - LONGEST_SETTER), nameStart));
}
const BLANK = /[ \t]/;

/** What stands beside a name, whatever it looks like. */
interface Named extends Value {
  readonly kind: NameKind;
  /** It stands in quotes, or right behind its sign. */
  readonly close: boolean;
}

function namedAt(text: string, at: number, shortest: number): Named | null {
  // Most names are followed by nothing that could be a value: that is seen first, for it costs least.
  const nameEnd = nameEdge(text, at, 1);
  if (!MAY_FOLLOW.has(text.charAt(nameEnd))) return null;
  CORE.lastIndex = at;
  const core = CORE.exec(text);
  if (!core || !beginsCore(text, at, core[0])) return null;
  const coreEnd = at + core[0].length;
  const end = Math.max(nameEnd, nameEdge(text, coreEnd, 1));
  const before = text.slice(nameEdge(text, at - 1, -1) + 1, at);
  // In a URL a user stands there, and a host behind the value: other rules know how to read it.
  const nameStart = at - before.length;
  if (text.endsWith('//', nameStart) || followsMarker(text, nameStart)) return null;
  const begin = valueAfter(text, end, FLAG_NAME.test(before) || isSet(text, nameStart, end));
  if (begin < 0) return null;
  const value = valueAt(text, begin, text.charAt(end) === '=' && SETTING_NAME.test(text.slice(nameStart, end)));
  if (!value || value.end - value.start < shortest) return null;
  // `PASS: TestName` is what test runners print.
  const isSpaced = BLANK.test(text.charAt(begin - 1)) && value.start === begin;
  if (core[0].length === 4 && isSpaced) return null;
  const kind = kindOfName(before, core, text.slice(coreEnd, end));
  return kind && { ...value, kind, close: !isSpaced };
}

const foundAs = ({ kind, start, end }: Named): Found => ({
  rule: kind === 'password' ? 'password' : 'secret',
  certainty: 'guess',
  start,
  end,
});

/** The secret beside the name that a keyword stands in. */
export function findAssignment(text: string, at: number): Found | null {
  const named = namedAt(text, at, SHORTEST_VALUE);
  return named && isSecretValue(named.kind, text.slice(named.start, named.end)) ? foundAs(named) : null;
}

/** What stands beside such a name at the end of a text that goes on, where it may become a secret. */
export function findBegunAssignment(text: string, at: number): Found | null {
  const named = namedAt(text, at, LEAST_BEGUN);
  if (!named || named.end < text.length) return null;
  const value = text.slice(named.start);
  if (value.includes('[redacted:') || isHarmless(value)) return null;
  const isOne = named.kind === 'password' ? mayBecomePassword(value, named.close) : mayBecomeKey(value, 0);
  return isOne ? foundAs(named) : null;
}
const LEAST_BEGUN = 4;
