/** Decides about every file and folder that no other part of a plan covers: those with forgotten content are removed or reported. */

import { accessSync, constants, lstatSync } from 'node:fs';
import { basename, dirname, extname } from 'node:path';
import { type Entry, everyEntry } from '../../git/entries.ts';
import { isGcPidOurs } from '../../git/gc-pid.ts';
import { LOOSE_LIMIT } from '../../git/layout.ts';
import { packOf } from '../../git/objects/pack-names.ts';
import { checkPackedRefs } from '../../git/refs/packed-refs.ts';
import { below } from '../../platform/below.ts';
import { exists, readIfThere } from '../../platform/files.ts';
import type { Repository } from '../store/repository.ts';
import { fileMatches, nameMatches } from './content-match.ts';
import { type FileOwner, isBegunPack, isLeftAlone, isReflog, isValue, ownerOf, strangePart } from './file-owner.ts';
import type { History } from './history.ts';
import { isOld, isTakenApart } from './objects.ts';
import { type Quotes, quotesOf } from './subjects.ts';

/** The results of the other parts of a plan. */
export interface Done {
  /** True if any object is removed. */
  changes: boolean;
  /** The new contents of files, by name. */
  staged: ReadonlyMap<string, Buffer>;
  /** Removed files. */
  removed: ReadonlySet<string>;
  /** Names of the existing refs: those with forgotten content are reported separately. */
  refs: ReadonlySet<string>;
  /** Refs that get another value, which replaces all of their files' content. */
  moved: ReadonlySet<string>;
  /** Names of the packs that are removed. */
  packs: ReadonlySet<string>;
}

export interface Others {
  /** Files to remove. */
  remove: string[];
  /** Folders with forgotten names, to be removed after they are empty. */
  folders: string[];
  /** Those that have no files. */
  empty: string[];
  /** Files that have or may have forgotten content and are not ctx's to remove. */
  left: string[];
  /** Files of ctx's own in which it is a word of ctx or Git. */
  standing: string[];
  /** Files of the catalog: whatever is in them is rebuilt from what stays. */
  catalog: string[];
}

/** Examines every other file and folder. @throws {CtxError} damaged, if packed-refs has forgotten content in the wrong place */
export function otherFiles(repository: Repository, history: History, done: Done): Others {
  const { layout } = repository;
  const others: Others = { remove: [], folders: [], empty: [], left: [], standing: [], catalog: [] };
  const sight: Sight = { repository, history, done, quotes: quotesOf(history.rewriting.objects, history.changed) };
  for (const entry of everyEntry(layout)) {
    if (entry.isFolder) lookAtFolder(sight, entry, others);
    else if (!done.removed.has(entry.name)) {
      const fate = fateOf(sight, entry.name);
      if (fate !== 'stays') others[fate].push(entry.name);
    }
  }
  // The deepest first, since each must be empty when it is removed.
  others.folders.reverse();
  return others;
}

interface Sight {
  repository: Repository;
  history: History;
  done: Done;
  quotes: Quotes;
}

type Fate = 'stays' | 'remove' | 'left' | 'standing' | 'catalog';

function lookAtFolder({ repository: { layout }, history }: Sight, { name, isEmpty }: Entry, others: Others): void {
  const { finder } = history.rewriting.cleaner;
  const says = (text: string): boolean => finder.find(Buffer.from(text)).length > 0;
  if (!nameMatches(history, name)) {
    if (says(name) && !says(dirname(name))) others.standing.push(name);
  } else if (!isEmpty) others.folders.push(name);
  else if (ownerOf(`${name}/`) === 'user' || !mayRemove(below(layout.root, name))) others.left.push(name);
  else {
    others.folders.push(name);
    others.empty.push(name);
  }
}

function fateOf(sight: Sight, name: string): Fate {
  const { repository, history, done } = sight;
  const path = below(repository.layout.root, name);
  const kind = ownerOf(name);
  if (name.startsWith('cache/catalog/')) return 'catalog';
  // Staged files have no forgotten content, the lock of this forgetting is removed soon, and second names are covered
  // elsewhere.
  if (
    name.startsWith('forgetting/') ||
    isSecondName(repository, name) ||
    (name === 'gc.pid' && isGcPidOurs(repository.layout))
  )
    return 'stays';
  if (kind === 'objects') return fateOfPackFile(sight, name);
  if (isBegunPack(name)) return fateOfBegunPack(sight, name, path);
  if (kind === 'ctx') return fateOfOwn(sight, name, path);
  if (kind === 'rebuilt' && done.changes) return 'remove';
  // A file whose name is no UTF-8 cannot be opened.
  if (name.includes('\ufffd') && !exists(path)) return 'left';
  if (done.moved.has(name) || (done.refs.has(name) && nameMatches(history, name))) return 'stays';
  const isTold = nameMatches(history, name) || fileMatches(history, repository.layout, name, sight.quotes);
  if (!isTold) return 'stays';
  return isForUser(kind, path) || !mayRemove(path) ? 'left' : 'remove';
}

/** Returns whether a file is the second name of an object, which is examined itself and removed with its second name. */
const isSecondName = ({ secondNames }: Repository, name: string): boolean =>
  name.startsWith('cache/objects/') && /^[0-9a-f]{40}$/.test(basename(name)) && secondNames.isThere(basename(name));

function isForUser(kind: FileOwner, path: string): boolean {
  if (kind === 'ref') return isValue(readIfThere(path));
  return kind === 'user' || kind === 'lock';
}

/** Returns whether a file or a folder can be removed from its folder, so that a begun forgetting can be completed. */
function mayRemove(path: string): boolean {
  try {
    accessSync(dirname(path), constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Decides about a pack that is being written, or that a killed process has left: it cannot be read until it is complete. */
function fateOfBegunPack({ history, done, repository: { layout }, quotes }: Sight, name: string, path: string): Fate {
  // If objects are removed, old ones are removed with them.
  if (done.changes) return isOld(path) ? 'stays' : 'left';
  return fileMatches(history, layout, name, quotes) ? 'left' : 'stays';
}

/**
 * Decides about files beside the objects: a pack without an index, which Git may be about to name, and notes of the user or
 * Git about a pack.
 */
function fateOfPackFile({ repository: { layout }, history, done, quotes }: Sight, name: string): Fate {
  const file = basename(name);
  const pack = packOf(file);
  const ending = extname(file);
  if (pack === undefined || ending === '.idx' || done.packs.has(pack)) return 'stays';
  const isWhole = exists(below(layout.pack, `${pack}.idx`));
  if (ending === '.pack' && isWhole) return 'stays';
  // If objects are removed, leftovers of packs are removed with them.
  if (!isWhole && done.changes && isTakenApart(below(layout.root, name))) return 'stays';
  // Git may be about to name its index: until then it cannot be read.
  if (ending === '.pack' && done.changes) return 'left';
  return fileMatches(history, layout, name, quotes) ? 'left' : 'stays';
}

/** Decides about a file of ctx's own with its new content: its matches are words of ctx or Git, ids and times. */
function fateOfOwn({ history, done, repository: { layout } }: Sight, name: string, path: string): Fate {
  const { finder } = history.rewriting.cleaner;
  const says = (content: Buffer): boolean => finder.find(content).length > 0;
  // Git removes the reflog of a ref with it: that of a deleted ref belongs to nobody.
  const ref = isReflog(name) ? name.slice('logs/'.length) : null;
  if ((ref === null || !done.refs.has(ref)) && says(Buffer.from(strangePart(name))))
    return ref !== null && !isLeftAlone(name) && mayRemove(path) ? 'remove' : 'left';
  if (name === 'packed-refs' && saysBeside(path, says)) {
    checkPackedRefs(layout.packedRefs);
    return 'left';
  }
  const isSmall = (lstatSync(path, { throwIfNoEntry: false })?.size ?? 0) <= LOOSE_LIMIT;
  const content = done.staged.get(name) ?? (isSmall ? readIfThere(path, LOOSE_LIMIT) : undefined);
  return says(Buffer.from(name)) || (content !== undefined && says(content)) ? 'standing' : 'stays';
}

/** Returns whether packed-refs has forgotten content in a line that is no ref. */
function saysBeside(path: string, says: (content: Buffer) => boolean): boolean {
  const lines = readIfThere(path)?.toString('latin1').split('\n') ?? [];
  return says(Buffer.from(lines.filter((line) => line.startsWith('#')).join('\n'), 'latin1'));
}
