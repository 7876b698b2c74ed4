/** Every file and folder of the store that no other part of a plan sees to: those that hold what goes are removed, or named. */

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
import type { History } from './history.ts';
import { isOld, isTakenApart } from './objects.ts';
import { type Quotes, quotesOf } from './subjects.ts';
import { fileTells, nameTells } from './tells.ts';
import { isBegunPack, isLeftAlone, isReflog, isValue, strangePart, type Whose, whose } from './whose.ts';

/** What the other parts of a plan do. */
export interface Done {
  /** Whether any object goes. */
  changes: boolean;
  /** What files will hold, by name. */
  staged: ReadonlyMap<string, Buffer>;
  /** Files that go. */
  removed: ReadonlySet<string>;
  /** Names of the refs that there are: those that hold it are named by themselves. */
  refs: ReadonlySet<string>;
  /** Those of them that get another value, in place of all that their files say. */
  moved: ReadonlySet<string>;
  /** Names of the packs that are taken apart. */
  packs: ReadonlySet<string>;
}

export interface Others {
  /** Files that go. */
  remove: string[];
  /** Folders whose names tell it: they go once nothing is in them. */
  folders: string[];
  /** Those of them that hold no file. */
  empty: string[];
  /** What holds it, or may, and is not ctx's to remove. */
  left: string[];
  /** Files of ctx's own that say it as a word of ctx's or Git's. */
  standing: string[];
}

/** Looks at everything that there is. @throws {CtxError} damaged, where packed-refs holds it out of place */
export function otherFiles(repository: Repository, history: History, done: Done): Others {
  const { layout } = repository;
  const others: Others = { remove: [], folders: [], empty: [], left: [], standing: [] };
  const sight: Sight = { repository, history, done, quotes: quotesOf(history.rewriting.objects, history.changed) };
  for (const entry of everyEntry(layout)) {
    if (entry.isFolder) lookAtFolder(sight, entry, others);
    else if (!done.removed.has(entry.name)) {
      const fate = fateOf(sight, entry.name);
      if (fate !== 'stays') others[fate].push(entry.name);
    }
  }
  // The deepest first: each has to be empty when it goes.
  others.folders.reverse();
  return others;
}

interface Sight {
  repository: Repository;
  history: History;
  done: Done;
  quotes: Quotes;
}

type Fate = 'stays' | 'remove' | 'left' | 'standing';

function lookAtFolder({ repository: { layout }, history }: Sight, { name, isEmpty }: Entry, others: Others): void {
  const { finder } = history.rewriting.cleaner;
  const says = (text: string): boolean => finder.find(Buffer.from(text)).length > 0;
  if (!nameTells(history, name)) {
    if (says(name) && !says(dirname(name))) others.standing.push(name);
  } else if (!isEmpty) others.folders.push(name);
  else if (whose(`${name}/`) === 'user' || !mayRemove(below(layout.root, name))) others.left.push(name);
  else {
    others.folders.push(name);
    others.empty.push(name);
  }
}

function fateOf(sight: Sight, name: string): Fate {
  const { repository, history, done } = sight;
  const path = below(repository.layout.root, name);
  const kind = whose(name);
  // What is staged just now holds nothing that goes, the lock of this very forgetting is soon gone, and so are second names.
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
  // It cannot be asked for by such a name, and so not be looked into.
  if (name.includes('\ufffd') && !exists(path)) return 'left';
  if (done.moved.has(name) || (done.refs.has(name) && nameTells(history, name))) return 'stays';
  const isTold = nameTells(history, name) || fileTells(history, repository.layout, name, sight.quotes);
  if (!isTold) return 'stays';
  return isForUser(kind, path) || !mayRemove(path) ? 'left' : 'remove';
}

/** Whether a file is the second name of an object that is looked at by itself, and loses it with the object. */
const isSecondName = ({ secondNames }: Repository, name: string): boolean =>
  name.startsWith('cache/objects/') && /^[0-9a-f]{40}$/.test(basename(name)) && secondNames.isThere(basename(name));

function isForUser(kind: Whose, path: string): boolean {
  if (kind === 'ref') return isValue(readIfThere(path));
  return kind === 'user' || kind === 'lock';
}

/** Whether a file, or a folder, can be taken out of the folder it lies in: what has begun must not fail at it for ever. */
function mayRemove(path: string): boolean {
  try {
    accessSync(dirname(path), constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A pack that is being written, or that a killed process has left: nobody can look into it until it is whole. */
function fateOfBegunPack({ history, done, repository: { layout }, quotes }: Sight, name: string, path: string): Fate {
  // Where objects go, so do the old ones.
  if (done.changes) return isOld(path) ? 'stays' : 'left';
  return fileTells(history, layout, name, quotes) ? 'left' : 'stays';
}

/** Beside the objects themselves: a pack without an index, which Git may be about to name, and what the user or Git notes of one. */
function fateOfPackFile({ repository: { layout }, history, done, quotes }: Sight, name: string): Fate {
  const file = basename(name);
  const pack = packOf(file);
  const ending = extname(file);
  if (pack === undefined || ending === '.idx' || done.packs.has(pack)) return 'stays';
  const isWhole = exists(below(layout.pack, `${pack}.idx`));
  if (ending === '.pack' && isWhole) return 'stays';
  // Where objects go, so does what a forgetting has left of a pack.
  if (!isWhole && done.changes && isTakenApart(below(layout.root, name))) return 'stays';
  // Git may be about to name its index: until then nobody can look into it.
  if (ending === '.pack' && done.changes) return 'left';
  return fileTells(history, layout, name, quotes) ? 'left' : 'stays';
}

/** What ctx reads as its own, as it will be: what that still says are words of ctx's or Git's, ids and times. */
function fateOfOwn({ history, done, repository: { layout } }: Sight, name: string, path: string): Fate {
  const { finder } = history.rewriting.cleaner;
  const says = (content: Buffer): boolean => finder.find(content).length > 0;
  // Git removes the reflog of a ref with it: one of a ref that is gone is nobody's.
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

/** Whether packed-refs says it in a line that is no ref. */
function saysBeside(path: string, says: (content: Buffer) => boolean): boolean {
  const lines = readIfThere(path)?.toString('latin1').split('\n') ?? [];
  return says(Buffer.from(lines.filter((line) => line.startsWith('#')).join('\n'), 'latin1'));
}
