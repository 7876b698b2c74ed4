/** Cuts a value at the end of what encloses its name as well: a sed substitution, a bracket, Markdown emphasis. */
import { lazily } from '../core/lazily.ts';
import type { Value } from './values.ts';

/** The greatest distance of an enclosure before a name and after a value. */
const FURTHEST = 200;

/** Returns the text on the line before a place. */
function lineUpTo(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - FURTHEST), at);
  return before.slice(before.lastIndexOf('\n') + 1);
}

/** Delimiters of a substitution: `s|…|…|`, `s/…/…/`. */
const PARTING = '|/#,@!~%:';
/** The character before its `s`: a quote, a blank, a line number; no letter, and no slash of a path. */
const BEGINS = lazily(() => /^[^A-Za-z_/\\-]?$/);
const FLAGS_AND_END = lazily(() => /^[gimpewIM0-9]{0,4}(?:$|[\s'"`;}\\])/);

/** Counts the finished parts of the substitution that is open at the end of a line; -1 if none is open. */
function partsBefore(line: string, sign: string): number {
  let ended = 0;
  for (let at = line.lastIndexOf(sign); at >= 0; at = at === 0 ? -1 : line.lastIndexOf(sign, at - 1)) {
    const before = line.charAt(at - 1);
    if (before === '\\') continue;
    if (before === 's' && BEGINS().test(line.charAt(at - 2))) return ended;
    if (++ended > 1) return -1;
  }
  return -1;
}

/** Returns the index of a character that no backslash precedes, or -1. */
function plainIndexOf(text: string, sign: string, from: number): number {
  let at = text.indexOf(sign, from);
  while (at > 0 && text.charAt(at - 1) === '\\') at = text.indexOf(sign, at + 1);
  return at;
}

/** Few lines have one of these before a name, and everything below costs more than this check. */
const MAY_BEGIN = lazily(() => /s[|/#,@!~%:]/);

/** Returns the end of the part of a substitution that holds a value; the end of the value if there is none. */
function partEnd(text: string, line: string, { start, end }: Value): number {
  if (!MAY_BEGIN().test(line)) return end;
  const near = text.slice(start, end + FURTHEST).split('\n', 1)[0] ?? '';
  for (const sign of PARTING) {
    if (!line.includes(`s${sign}`)) continue;
    const at = plainIndexOf(near, sign, 0);
    if (at < 0 || start + at >= end) continue;
    const ended = partsBefore(line, sign);
    if (ended < 0) continue;
    const last = ended === 1 ? at : plainIndexOf(near, sign, at + 1);
    if (last >= 0 && FLAGS_AND_END().test(near.slice(last + 1))) return start + at;
  }
  return end;
}

const BRACKETS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };
const COUNTED = Object.entries(BRACKETS).flat();
const CLOSING = lazily(() => /[)\]}]/);
/** Characters that may follow a closing bracket; a password may contain a bracket. */
const GOES_ON = ')]},;.:|&';

/** Checks whether a bracket is open at the end of a line. */
const isOpen = (line: string, opening: string, closing: string): boolean =>
  line.split(opening).length > line.split(closing).length;

/** Returns the index in a value that closes a bracket from before its name, or -1. */
function closedAt(text: string, line: string, { start, end }: Value): number {
  if (!CLOSING().test(text.slice(start, end))) return -1;
  const open: string[] = [];
  for (let at = start; at < end; at++) {
    const sign = text.charAt(at);
    if (!COUNTED.includes(sign)) continue;
    const opening = BRACKETS[sign];
    if (opening === undefined) open.push(sign);
    else if (open.at(-1) === opening) open.pop();
    else if ((at + 1 === end || GOES_ON.includes(text.charAt(at + 1))) && isOpen(line, opening, sign)) return at;
  }
  return -1;
}

/** Returns the same index, or the end of the element that holds the value. */
function bracketEnd(text: string, line: string, value: Value): number {
  const closed = closedAt(text, line, value);
  if (closed >= 0) return closed;
  const { end } = value;
  // An empty element.
  const isTag = text.charAt(end - 1) === '/' && text.charAt(end) === '>' && isOpen(line, '<', '>');
  return isTag ? end - 1 : end;
}

/** A value that is all bold, italic or both. */
const EMPHASIS = lazily(() => /^(\*{1,3})[^*\s](?:[^*]*[^*\s])?\1$/);

/** Returns an unquoted value without what encloses both the value and its name. */
export function withoutEnclosure(text: string, nameStart: number, value: Value): Value {
  const { start } = value;
  if (text.charAt(start) === '*') {
    const signs = EMPHASIS().exec(text.slice(start, value.end))?.[1]?.length ?? 0;
    return { start: start + signs, end: value.end - signs };
  }
  const line = lineUpTo(text, nameStart);
  const end = partEnd(text, line, value);
  return { start, end: bracketEnd(text, line, { start, end }) };
}
