/** Secrets beside their name: `PASSWORD=…`, `"token": "…"`, `--api-key …`, `<password>…</password>`, in any depth of escaping. */
import { followsMarker } from './marker.ts';
import { beginsCore, CORE, kindOfName, type NameKind } from './names.ts';
import type { Found } from './rule.ts';
import { isOpaque, isPassword, isUuid } from './shape.ts';

const LONGEST_NAME = 48;
const LONGEST_VALUE = 512;
const SHORTEST_VALUE = 6;
const MAY_FOLLOW = new Set('?:=!>"\'`\\] \t\r\n');
/** A flag, also behind the letter that ends an escape. */
const FLAG_NAME = /^-[A-Za-z-]*$|(?:^|[a-z0-9])--[A-Za-z-]*$/;
const SETTING_NAME = /^[A-Z0-9_]+$/;
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
const OPENING = /[bru]?(\\{0,7})(["'`])/y;
/** What an unquoted value may hold; fewer in code than in a file of settings. */
const BARE = /[^\s\p{Cc}"'`,;<>(){}[\]\\&|]{1,512}/uy;
const SETTING = /[^\s\p{Cc}"'`;<>\\&|]{1,512}/uy;

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
  OPENING.lastIndex = begin;
  const opening = OPENING.exec(text);
  if (opening) {
    const start = OPENING.lastIndex;
    const end = closing(text, start, opening[2] ?? '"', opening[1]?.length ?? 0);
    return end > start ? { start, end } : null;
  }
  const end = after(setting ? SETTING : BARE, text, begin);
  if (end < 0 || text.charAt(end) === '(' || text.startsWith('[redacted:', end)) return null;
  return { start: begin, end };
}

/** Whether a value looks like what its name says. */
export function isSecretValue(kind: NameKind, value: string): boolean {
  if (value.includes('[redacted:')) return false;
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

/** The secret beside the name that a keyword stands in. */
export function findAssignment(text: string, at: number): Found | null {
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
  const begin = valueAfter(text, end, FLAG_NAME.test(before));
  if (begin < 0) return null;
  const value = valueAt(
    text,
    begin,
    text.charAt(end) === '=' && SETTING_NAME.test(text.slice(at - before.length, end)),
  );
  if (!value || value.end - value.start < SHORTEST_VALUE) return null;
  // `PASS: TestName` is what test runners print.
  if (core[0].length === 4 && text.charAt(begin - 1) === ' ' && value.start === begin) return null;
  const kind = kindOfName(before, core, text.slice(coreEnd, end));
  if (kind === null || !isSecretValue(kind, text.slice(value.start, value.end))) return null;
  return { rule: kind === 'password' ? 'password' : 'secret', certainty: 'guess', ...value };
}
