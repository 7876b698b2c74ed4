/** Files that are none of the store's own parts: caches, leftovers, torn files, what Git left; those that hold it go. */
import { lstatSync } from 'node:fs';
import { ZlibStreamError } from '../../core/zlib-stream.ts';
import { below } from '../../platform/below.ts';
import { inflatePart } from '../../platform/compression.ts';
import { readIfThere } from '../../platform/files.ts';
import { readPieces } from '../../platform/pieces.ts';
import type { Layout } from '../layout.ts';
import { LOOSE_LIMIT } from '../loose.ts';
import type { Repository } from '../repository.ts';
import type { History } from './history.ts';
import { type Quotes, quotesOf, tellsSubject } from './subjects.ts';
import { filesBelow } from './survey.ts';

/** What other parts of a plan see to, and what is no file of texts. */
const SEEN_TO =
  /^(HEAD|STAGE|key|forgotten\.json|packed-refs|LOCK.*|refs\/.*|logs\/.*|oplog\/[^/]*\.json|forgetting\/.*|objects\/[0-9a-f]{2}\/[0-9a-f]{38}|objects\/pack\/pack-[0-9a-f]{40}\.\w+|pending\/[^/]+\/[^/]+\.json|pending\/[^/]+\/objects\/[0-9a-f]{40})$/;
/** Files of the user's: they are named, and left alone. */
const OWN = /^(config|settings\.json|description|info\/exclude|hooks\/.*)$/;
/** What Git makes anew where it needs it; and packs that were set aside once all that they hold was written anew: it is deflated there. */
const REBUILT =
  /^(objects\/info\/(packs|commit-graph|commit-graphs\/.*)|objects\/pack\/multi-pack-index.*|info\/refs|lost\/objects-(pack-pack|info-commit)-.*)$/;

/** Whether a file of this name is never removed as one of those. */
export const isLeftAlone = (name: string): boolean => SEEN_TO.test(name) || OWN.test(name);

/** @param changes whether any object goes */
export function otherFiles(
  { layout }: Repository,
  history: History,
  changes: boolean,
): { remove: string[]; left: string[] } {
  const remove: string[] = [];
  const left: string[] = [];
  const quotes = quotesOf(history.rewriting.objects, history.changed);
  for (const name of filesBelow(layout)) {
    if (SEEN_TO.test(name)) continue;
    if (REBUILT.test(name)) {
      if (changes) remove.push(name);
      continue;
    }
    if (goes(history, layout, name, quotes)) (OWN.test(name) ? left : remove).push(name);
  }
  return { remove, left };
}

/** Whether a file holds anything that goes, or may, or is named after it. */
function goes(history: History, layout: Layout, name: string, quotes: Quotes): boolean {
  if (tells(history, Buffer.from(name))) return true;
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
const STRETCH = 16 * 1024 * 1024;

/** A large file in stretches, each behind the end of the one before: what goes may lie across. */
function* stretchesOf(path: string, overlap: number): Generator<Buffer> {
  let end: Buffer = Buffer.alloc(0);
  for (const piece of readPieces(path, STRETCH)) {
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

/** Whether a file that begins like this is deflated and holds anything that goes, or may: one that is torn cannot be looked into to its end. */
function mayBeHidden(history: History, content: Buffer): boolean {
  if (content.length < 2 || content.readUInt16BE(0) % 31 !== 0 || ((content[0] as number) & 15) !== 8) return false;
  try {
    const { content: inflated, whole } = inflatePart(content, LOOSE_LIMIT);
    return !whole || tells(history, inflated);
  } catch (error) {
    if (!(error instanceof ZlibStreamError)) throw error;
    return true;
  }
}

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
