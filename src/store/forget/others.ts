/** Files that are none of the store's own parts: caches, leftovers, torn files, what Git left; those that hold it go. */

import { ZlibStreamError } from '../../core/zlib-stream.ts';
import { below } from '../../platform/below.ts';
import { inflatePart } from '../../platform/compression.ts';
import { readIfThere } from '../../platform/files.ts';
import { LOOSE_LIMIT } from '../loose.ts';
import type { Repository } from '../repository.ts';
import type { History } from './history.ts';
import { quotesOf, tellsSubject } from './subjects.ts';
import { filesBelow } from './survey.ts';

/** What other parts of a plan see to, and what is no file of texts. */
const SEEN_TO =
  /^(HEAD|STAGE|key|forgotten\.json|packed-refs|LOCK.*|refs\/.*|logs\/.*|oplog\/[^/]*\.json|forgetting\/.*|objects\/[0-9a-f]{2}\/[0-9a-f]{38}|objects\/pack\/pack-[0-9a-f]{40}\.\w+|pending\/[^/]+\/[^/]+\.json|pending\/[^/]+\/objects\/[0-9a-f]{40})$/;
/** Files of the user's: they are named, and left alone. */
const OWN = /^(config|settings\.json|description|info\/exclude|hooks\/.*)$/;
/** What Git makes anew where it needs it. */
const REBUILT =
  /^(objects\/info\/(packs|commit-graph|commit-graphs\/.*)|objects\/pack\/multi-pack-index.*|info\/refs)$/;

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
    const content = readIfThere(below(layout.root, name), Number.POSITIVE_INFINITY) ?? Buffer.alloc(0);
    if (!mayHold(history, name, content) && !tellsSubject(name, content, quotes)) continue;
    (OWN.test(name) ? left : remove).push(name);
  }
  return { remove, left };
}

/** Whether a file holds anything that goes, or may: one that is torn cannot be looked into to its end. */
function mayHold(history: History, name: string, content: Buffer): boolean {
  if (tells(history, content) || tells(history, Buffer.from(name))) return true;
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
