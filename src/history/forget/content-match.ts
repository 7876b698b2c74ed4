/** Decides whether bytes, a name or a file of the store contain forgotten content. */

import { lstatSync } from 'node:fs';
import { ZlibStreamError } from '../../core/zlib-stream.ts';
import { type Layout, LOOSE_LIMIT } from '../../git/layout.ts';
import { below } from '../../platform/below.ts';
import { type Inflated, inflatePart } from '../../platform/compression.ts';
import { readIfThere } from '../../platform/files.ts';
import { readPlainPieces } from '../../platform/pieces.ts';
import { strangePart } from './file-owner.ts';
import type { History } from './history.ts';
import { matchesSubject, type Quotes } from './subjects.ts';

/** Returns whether bytes contain it, or name a forgotten thing. */
export function matches({ rewriting, changed }: History, content: Buffer): boolean {
  const { forgetting, cleaner } = rewriting;
  if (cleaner.finder.find(content).length > 0) return true;
  const ids = [...forgetting.records, ...forgetting.sessions, ...forgetting.contents];
  if (ids.some((id) => content.includes(id))) return true;
  const wholes = [...forgetting.wholes.keys()];
  if (wholes.some((whole) => content.includes(whole) || content.includes(JSON.stringify(whole).slice(1, -1))))
    return true;
  const oids = content.toString('latin1').match(/\b[0-9a-f]{40}\b/g) ?? [];
  return oids.some((oid) => changed.has(oid));
}

/** Returns whether the name of a file or folder contains it, apart from the names of ctx and Git. */
export function nameMatches(history: History, name: string): boolean {
  const { records, sessions, contents } = history.rewriting.forgetting;
  if ([...records, ...sessions, ...contents].some((id) => name.includes(id))) return true;
  return matches(history, Buffer.from(strangePart(name)));
}

/** Returns whether a file contains it, or may, plain or inflated. */
export function fileMatches(history: History, layout: Layout, name: string, quotes: Quotes): boolean {
  const path = below(layout.root, name);
  const isAway = (content: Buffer): boolean => matches(history, content) || matchesSubject(name, content, quotes);
  if ((lstatSync(path, { throwIfNoEntry: false })?.size ?? 0) <= LOOSE_LIMIT) {
    const content = readIfThere(path, LOOSE_LIMIT) ?? Buffer.alloc(0);
    return isAway(content) || mayBeHidden(history, content);
  }
  let isFirst = true;
  for (const stretch of stretchesOf(path, longestOf(history))) {
    if (isAway(stretch) || (isFirst && mayBeHidden(history, stretch))) return true;
    isFirst = false;
  }
  return false;
}

/** Bytes of a large file that are searched at once. */
export const STRETCH = 16 * 1024 * 1024;

/** Yields a large file in overlapping chunks, since a match may span two. */
export function* stretchesOf(path: string, overlap: number): Generator<Buffer> {
  let end: Buffer = Buffer.alloc(0);
  for (const piece of readPlainPieces(path, STRETCH)) {
    const stretch = Buffer.concat([end, piece]);
    yield stretch;
    end = stretch.subarray(Math.max(0, stretch.length - overlap));
  }
}

/** Returns the length of the longest possible match, in bytes: a subject, an id, or a text in any encoding. */
function longestOf({ rewriting: { forgetting, cleaner } }: History): number {
  let longest = Math.max(64 * 1024, cleaner.finder.longest);
  // An escaped code unit takes six bytes.
  for (const whole of forgetting.wholes.keys()) longest = Math.max(longest, whole.length * 6);
  return longest;
}

/** Inflates the beginning of a file as far as possible; returns null if it is not deflated. */
export function inflatedOf(content: Buffer): Inflated | null {
  if (content.length < 2 || content.readUInt16BE(0) % 31 !== 0 || ((content[0] as number) & 15) !== 8) return null;
  const inflated = asFarAsItGoes(content);
  // Some texts begin like a stream, as does the `gc.pid` of one process in a hundred.
  return inflated.whole || !isText(content) ? inflated : null;
}

function asFarAsItGoes(content: Buffer): Inflated {
  try {
    return inflatePart(content, LOOSE_LIMIT);
  } catch (error) {
    if (!(error instanceof ZlibStreamError)) throw error;
    return { content: Buffer.alloc(0), whole: false, used: 0 };
  }
}

/** Bytes that distinguish text from a stream: hardly any stream has so many that are all ASCII. */
const TELLING = 4096;

const isText = (content: Buffer): boolean => /^[\t\n\r -~]*$/.test(content.toString('latin1', 0, TELLING));

/** Returns whether a file is deflated and contains forgotten content, or may: a torn stream cannot be read to its end. */
function mayBeHidden(history: History, content: Buffer): boolean {
  const inflated = inflatedOf(content);
  return inflated !== null && (!inflated.whole || matches(history, inflated.content));
}
