/** Redacts texts of secret files between tags that agents put around what the user attached. */

import { secretFileIn } from './file-references.ts';
import { withoutMentioned } from './mentions.ts';
import { isSecretFile } from './secret-files.ts';
import { withholdFrom } from './withheld-marker.ts';

const NAMES = 'code_selection|file_contents|attached_file|file';
/** Texts that begin to show a file, with its path: tags that name one, and how Claude Code and opencode say what follows. */
const OPENINGS = [
  `<(?<tag>${NAMES})\\s[^<>]{0,512}?\\b(?:path|name)="(?<path>[^"<>]{1,1024})"[^<>]{0,512}>`,
  '<ide_selection>The user selected the lines? \\d+ to \\d+ from (?<selected>[^\\n<]{1,1024}):\\n',
  '<system-reminder>\\s{0,4}Note: (?<changed>[^\\n<]{1,1024}?) was modified,[^\\n<]{0,1024}\\n',
  'Called the \\w{1,64} tool with the following input: (?<taken>\\{[^\\n]{1,1024}\\})\\s{0,4}' +
    '(?:</system-reminder>\\s{0,4}<system-reminder>\\s{0,4})?Result of calling the \\w{1,64} tool:',
  '<path>(?<read>[^\\n<>]{1,1024})</path>\\s{0,4}<type>file</type>\\s{0,4}<content>',
];
const CLOSINGS = `</(?<close>${NAMES}|ide_selection|system-reminder|content)>`;
const TAGS = new RegExp([...OPENINGS, CLOSINGS].join('|'), 'g');
/** An opening tag is no longer than this. */
const LONGEST_TAG = 2200;
/** Longest text between two tags that counts as a file that somebody attached. */
const LONGEST_SHOWN = 1024 * 1024;

/** A stretch of a text that shows such a file. */
interface Shown {
  /** The index at which its opening tag begins. */
  readonly from: number;
  readonly start: number;
  readonly end: number;
  /** The index at which its closing tag ends. */
  readonly to: number;
}
/** The opening tag of such a file. */
type Opened = Pick<Shown, 'from' | 'start'> & { readonly path: string };
interface Looked {
  readonly shown: readonly Shown[];
  /** The index of the first tag that is not closed yet, or the length of the text if there is none. */
  readonly open: number;
}

/** A text without what it shows of such files; the same text if it shows nothing. */
export function withoutSelections(text: string): string {
  const known = withoutMentioned(text);
  return known.includes('</') ? without(known, lookThrough(known).shown) : known;
}

/** A tag that nothing closes only speaks of a file, and so does one before another of its name. */
function lookThrough(text: string): Looked {
  const shown: Shown[] = [];
  const opened = new Map<string, Opened>();
  for (const { 0: all, index, groups = {} } of text.matchAll(TAGS)) {
    const to = index + all.length;
    const { close } = groups;
    if (close === undefined) {
      const { name, path } = namedBy(groups);
      if (all.endsWith('/>')) continue;
      opened.delete(name);
      if (isSecretFile(path)) opened.set(name, { from: index, start: to, path });
      continue;
    }
    const opening = opened.get(close);
    opened.delete(close);
    if (opening && showsContent(text, opening, index)) add(shown, { ...opening, end: index, to });
  }
  const open = [...opened.values()].map(({ from }) => from).filter((from) => text.length - from <= LONGEST_SHOWN);
  return { shown, open: Math.min(text.length, ...open) };
}

/** Returns the name of the tag that closes an opening, and the path of the file that the opening names. */
function namedBy(groups: Readonly<Record<string, string | undefined>>): { name: string; path: string } {
  const { tag, path = '', selected, changed, taken, read } = groups;
  if (tag !== undefined) return { name: tag, path };
  if (selected !== undefined) return { name: 'ide_selection', path: selected };
  if (read !== undefined) return { name: 'content', path: read };
  return { name: 'system-reminder', path: changed ?? secretFileIn(taken) ?? '' };
}

const ANY_TAG = /<[^<>]*>/g;

/**
 * Returns whether what is between the tags is of the file: nothing but more tags is a report about it, unless it is made of
 * them.
 */
function showsContent(text: string, { start, path }: Opened, end: number): boolean {
  if (end - start > LONGEST_SHOWN) return false;
  return path.toLowerCase().endsWith('.xml') || text.slice(start, end).replace(ANY_TAG, '').trim() !== '';
}

/** Adds what reaches furthest so far: what is inside it goes with it. */
function add(shown: Shown[], last: Shown): void {
  let { from, start } = last;
  for (let before = shown.at(-1); before && before.to > from; before = shown.at(-1)) {
    if (before.from < from) ({ from, start } = before);
    shown.pop();
  }
  shown.push({ ...last, from, start });
}

/** @param encoding what the characters of the text are: its own, or one for each byte */
function without(text: string, shown: readonly Shown[], encoding: 'utf8' | 'latin1' = 'utf8'): string {
  let kept = '';
  let last = 0;
  for (const { start, end } of shown) {
    kept += text.slice(last, start) + withholdFrom(text.slice(start, end), 0, encoding);
    last = end;
  }
  return kept + text.slice(last);
}

/** The same for a text that comes in pieces of bytes, of which little is held: tags are ASCII, so each byte may count as a character. */
export function* piecesWithoutSelections(pieces: Iterable<Buffer>): Generator<Buffer> {
  let held = '';
  let due = LONGEST_TAG;
  for (const piece of pieces) {
    held += piece.toString('latin1');
    // A text that has not said it yet is looked through again once there is twice as much of it: all of that together is linear.
    if (held.length < due) continue;
    const looked = lookThrough(held);
    const end = decidedEnd(held.length, looked);
    const shown = looked.shown.filter(({ to }) => to <= end);
    if (end > 0) yield Buffer.from(without(held.slice(0, end), shown, 'latin1'), 'latin1');
    held = held.slice(end);
    due = Math.max(LONGEST_TAG, 2 * held.length);
  }
  if (held !== '') yield Buffer.from(without(held, lookThrough(held).shown, 'latin1'), 'latin1');
}

/** Up to if nothing that follows can change what a text shows. */
function decidedEnd(length: number, { shown, open }: Looked): number {
  const end = Math.max(0, Math.min(open, length - LONGEST_TAG));
  const over = shown.find(({ from, to }) => from < end && end < to);
  return over ? over.from : end;
}
