/** Whether bytes, a name or a file of the store tell anything that goes. */

import { lstatSync } from 'node:fs';
import { ZlibStreamError } from '../../core/zlib-stream.ts';
import type { Layout } from '../../git/layout.ts';
import { LOOSE_LIMIT } from '../../git/layout.ts';
import { below } from '../../platform/below.ts';
import { type Inflated, inflatePart } from '../../platform/compression.ts';
import { readIfThere } from '../../platform/files.ts';
import { readPlainPieces } from '../../platform/pieces.ts';
import type { History } from './history.ts';
import { type Quotes, tellsSubject } from './subjects.ts';
import { strangePart } from './whose.ts';

/** Whether bytes hold it, or name what goes. */
export function tells({ rewriting, changed }: History, content: Buffer): boolean {
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

/** Whether the name of a file or a folder holds it, beside what ctx or Git calls it, or is that of what goes. */
export function nameTells(history: History, name: string): boolean {
  const { records, sessions, contents } = history.rewriting.forgetting;
  if ([...records, ...sessions, ...contents].some((id) => name.includes(id))) return true;
  return tells(history, Buffer.from(strangePart(name)));
}

/** Whether a file holds anything that goes, or may, as it is or inflated. */
export function fileTells(history: History, layout: Layout, name: string, quotes: Quotes): boolean {
  const path = below(layout.root, name);
  const isAway = (content: Buffer): boolean => tells(history, content) || tellsSubject(name, content, quotes);
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

/** How much of a large file is looked at at once, in bytes. */
export const STRETCH = 16 * 1024 * 1024;

/** A large file in stretches, each behind the end of the one before: what goes may lie across. */
export function* stretchesOf(path: string, overlap: number): Generator<Buffer> {
  let end: Buffer = Buffer.alloc(0);
  for (const piece of readPlainPieces(path, STRETCH)) {
    const stretch = Buffer.concat([end, piece]);
    yield stretch;
    end = stretch.subarray(Math.max(0, stretch.length - overlap));
  }
}

/** Longest that anything is that is looked for, in bytes: a subject, an id, or a text in whatever way it is written. */
function longestOf({ rewriting: { forgetting, cleaner } }: History): number {
  let longest = Math.max(64 * 1024, cleaner.finder.longest);
  // A code unit takes six bytes where it is escaped.
  for (const whole of forgetting.wholes.keys()) longest = Math.max(longest, whole.length * 6);
  return longest;
}

/** What a file that begins like this is inflated to, as far as it goes; null where it is not deflated. */
export function inflatedOf(content: Buffer): Inflated | null {
  if (content.length < 2 || content.readUInt16BE(0) % 31 !== 0 || ((content[0] as number) & 15) !== 8) return null;
  const inflated = asFarAsItGoes(content);
  // Some words begin as a stream does, and so does the `gc.pid` of one process in a hundred.
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

/** Bytes that tell text from a stream, of which hardly any has as many without one that is no sign of ASCII. */
const TELLING = 4096;

const isText = (content: Buffer): boolean => /^[\t\n\r -~]*$/.test(content.toString('latin1', 0, TELLING));

/** Whether a file that begins like this is deflated and holds anything that goes, or may: one that is torn cannot be looked into to its end. */
function mayBeHidden(history: History, content: Buffer): boolean {
  const inflated = inflatedOf(content);
  return inflated !== null && (!inflated.whole || tells(history, inflated.content));
}
