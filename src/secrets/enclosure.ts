/** Reads what is around a name and its value and ends the value: a substitution of sed's, a bracket, emphasis of Markdown. */
import { lazily } from '../core/lazily.ts';
import type { Value } from './values.ts';

/** How far before a name such a thing may begin in its line, and how far behind a value it may end. */
const FURTHEST = 200;

/** What stands on the line before a place. */
function lineUpTo(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - FURTHEST), at);
  return before.slice(before.lastIndexOf('\n') + 1);
}

/** What parts the two halves of a substitution: `s|…|…|`, `s/…/…/`. */
const PARTING = '|/#,@!~%:';
/** What stands before its `s`: a quote, a blank, the number of a line; no letter, and no slash of a path. */
const BEGINS = lazily(() => /^[^A-Za-z_/\\-]?$/);
const FLAGS_AND_END = lazily(() => /^[gimpewIM0-9]{0,4}(?:$|[\s'"`;}\\])/);

/** How many parts of a substitution have ended that is open at the end of a line; -1 where none is open. */
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

/** Where a sign stands without a backslash, from a place on; -1 where it does not. */
function plainIndexOf(text: string, sign: string, from: number): number {
  let at = text.indexOf(sign, from);
  while (at > 0 && text.charAt(at - 1) === '\\') at = text.indexOf(sign, at + 1);
  return at;
}

/** Most lines have none of these before a name, and all that follows costs more than to see that. */
const MAY_BEGIN = lazily(() => /s[|/#,@!~%:]/);

/** Where the part of a substitution ends that a value stands in; the end of the value where it stands in none. */
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
/** What goes on behind a bracket that closes; a password may have one among its letters. */
const GOES_ON = ')]},;.:|&';

/** Whether a bracket is open at the end of a line. */
const isOpen = (line: string, opening: string, closing: string): boolean =>
  line.split(opening).length > line.split(closing).length;

/** Where a value closes a bracket that was opened before its name; -1 where it does not. */
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

/** The same, or where the element ends that it is in. */
function bracketEnd(text: string, line: string, value: Value): number {
  const closed = closedAt(text, line, value);
  if (closed >= 0) return closed;
  const { end } = value;
  // An element without content.
  const isTag = text.charAt(end - 1) === '/' && text.charAt(end) === '>' && isOpen(line, '<', '>');
  return isTag ? end - 1 : end;
}

/** All of it, once, twice or three times in what makes it bold or italic. */
const EMPHASIS = lazily(() => /^(\*{1,3})[^*\s](?:[^*]*[^*\s])?\1$/);

/** A value without quotes, without what stands around it and its name. */
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
