/** Restores files: what is asked for is staged and written down first, so that a killed restore is finished by the next command. */
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Change, Entry } from '../../core/world/changes.ts';
import {
  DOCUMENT_LIMIT,
  errorCode,
  exists,
  ioError,
  readIfThere,
  removeFile,
  syncFolder,
  writeDurably,
} from '../../platform/files.ts';
import { RunningHash } from '../../platform/hash.ts';
import { readPieces } from '../../platform/pieces.ts';
import { isResourceError, rootCause } from '../../platform/resource-errors.ts';
import { bytesOf, nameOf, type Place, placeOf } from './names.ts';
import { isFolder, onSnapshots, type Snapshots } from './private-git.ts';
import { compareTrees } from './trees.ts';

/** A restore that has been decided. It is carried out once the act of the conversation is recorded. */
export interface Journal {
  version: 1;
  /** The act in the chain of the session. */
  act: string;
  session_id: string;
  /** The trees of all files before and after. */
  from: string;
  to: string;
}

const journalOf = ({ repository }: Pick<Snapshots, 'repository'>): string => repository.layout.restore;
const stageOf = ({ folder }: Snapshots, { act }: Journal): string => join(folder, `restore-${act}`);

/** Reads the restore that is not finished; null if there is none. */
export function unfinished(snapshots: Pick<Snapshots, 'repository'>): Journal | null {
  const text = readIfThere(journalOf(snapshots), DOCUMENT_LIMIT)?.toString('utf8');
  return text === undefined ? null : (JSON.parse(text) as Journal);
}

/** Removes the files that killed rewinds have staged. LOCK is held, and no restore waits: nobody needs them. */
export function removeStaged({ folder }: Snapshots): void {
  for (const name of readdirSync(folder))
    if (name.startsWith('restore-')) rmSync(join(folder, name), { recursive: true, force: true });
}

/** Puts the wanted files beside the work tree, on its disk if the store is there: then each is moved into its place at once. */
export function stage(snapshots: Snapshots, journal: Journal, changes: readonly Change[]): void {
  const folder = stageOf(snapshots, journal);
  const wanted = changes.filter(({ to }) => to !== null && to.mode !== SUBMODULE);
  if (wanted.length === 0) return;
  const index = `${folder}.index`;
  try {
    onSnapshots(snapshots, ['read-tree', journal.to], { index });
    const input = wanted.map(({ path }) => `${bytesOf(path)}\0`).join('');
    onSnapshots(snapshots, ['checkout-index', '-f', '-z', '--stdin', `--prefix=${folder}/`], { index, input });
  } finally {
    for (const left of [index, `${index}.lock`]) removeFile(left);
  }
}

/** Writes the restore down. From here on the next command finishes it, if its act is recorded. */
export function writeJournal(snapshots: Snapshots, journal: Journal): void {
  const { repository, folder, nonce } = snapshots;
  const text = `${JSON.stringify(journal)}\n`;
  writeDurably(journalOf(snapshots), join(folder, `tmp_${nonce}`), text, repository.durability);
}

/** Forgets a restore that is done, or was never begun. */
export function dropJournal(snapshots: Snapshots, journal: Journal): void {
  if (exists(journalOf(snapshots))) {
    removeFile(journalOf(snapshots));
    syncFolder(snapshots.folder, snapshots.repository.durability);
  }
  rmSync(stageOf(snapshots, journal), { recursive: true, force: true });
}

/** Files that were restored, and files that were left as they are. */
export interface Restored {
  restored: Change[];
  left: FileLeft[];
}

/** A file that stays as it is. */
export interface FileLeft {
  path: string;
  /**
   * Author of its change: `user`, the id of another session, or `unknown` if several sessions were at work. Else what prevents the restore:
   * `folder`, a folder in its place that has ignored files in it; `blocked`, anything else in its place, or in the place of one of its
   * folders; `denied`, the permissions; `failed`, another error of the file system.
   */
  by: string;
  /** The code of that error, such as `ENAMETOOLONG`. */
  code?: string;
}

const SUBMODULE = '160000';
const LINK = '120000';

/** Restores each file that still is what it was; one that is restored already counts as that. */
export function restore(snapshots: Snapshots, journal: Journal): Restored {
  const [changes = []] = compareTrees(snapshots, [journal]);
  const missing = changes.filter(({ path, to }) => to && statsOf(placeOf(stageOf(snapshots, journal), path)) === null);
  if (missing.length > 0) stage(snapshots, journal, missing);
  const result: Restored = { restored: [], left: [] };
  // Removals come first, to make room: a file may take the place of a folder.
  const order = [...changes.filter(({ to }) => to === null).reverse(), ...changes.filter(({ to }) => to !== null)];
  for (const change of order) {
    const left = putIfFree(snapshots, journal, change);
    if (left === null) result.restored.push(change);
    else result.left.push({ path: change.path, ...left });
  }
  return result;
}

type Obstacle = Pick<FileLeft, 'by' | 'code'>;

/**
 * Puts one file into its place; returns what prevents that, or null. The next command would meet an error about this file again, so the
 * others are restored all the same; an error of the whole machine stops the restore, and a later command finishes it.
 * @throws {CtxError} io
 */
function putIfFree(snapshots: Snapshots, journal: Journal, change: Change): Obstacle | null {
  try {
    const by = put(snapshots, journal, change);
    return by === null ? null : { by };
  } catch (error) {
    const code = errorCode(rootCause(error));
    if (!/^E[A-Z0-9]+$/.test(code) || code === 'EIO' || isResourceError(error))
      throw ioError('restore', change.path, error);
    return DENIALS.has(code) ? { by: 'denied' } : { by: 'failed', code };
  }
}

const DENIALS = new Set(['EACCES', 'EPERM', 'EROFS', 'EBUSY']);

/** Puts one file into its place; returns what prevents that if it is neither what it was nor what was asked for, or null. */
function put(snapshots: Snapshots, journal: Journal, { path, from, to }: Change): FileLeft['by'] | null {
  const { top } = snapshots;
  if (isBlocked(top, path)) return to === null ? null : 'blocked';
  const target = placeOf(top, path);
  const now = entryAt(target);
  if (to === null) return remove(top, path, from, now) ? null : obstacleOf(now, from);
  if (isSame(now, to)) return null;
  if (!isSame(now, from) || (now === 'folder' && !removeEmpty(target))) return obstacleOf(now, from);
  if (to.mode === SUBMODULE) {
    makeFolders(top, path);
    return null;
  }
  const staged = placeOf(stageOf(snapshots, journal), path);
  const before = statsOf(target);
  const folder = makeFolders(top, dirname(path));
  if (to.mode !== LINK) chmodSync(staged, modeOf(before === null || before.isSymbolicLink() ? folder : before, to));
  move(staged, target, placeOf(top, join(dirname(path), `.ctx-${journal.act}.tmp`)));
  return null;
}

/** Returns what is in the way of a file: something that is in no snapshot, or else what the user has made of it since. */
function obstacleOf(now: Found, from: Entry): FileLeft['by'] {
  if (now === 'folder') return 'folder';
  return now === 'other' || from === null ? 'blocked' : 'user';
}

/** Removes one file, and the folders that it leaves empty, as Git does; false if it is not what it was. */
function remove(top: string, path: string, from: Entry, now: Found): boolean {
  if (!isSame(now, from) && !isSame(now, null)) return false;
  if (now !== null && now !== 'folder') rmSync(placeOf(top, path), { force: true });
  for (let at = now === 'folder' ? path : dirname(path); at !== '.'; at = dirname(at)) {
    try {
      rmdirSync(placeOf(top, at));
    } catch (error) {
      // A killed restore may have removed it.
      if (errorCode(error) !== 'ENOENT') break;
    }
  }
  return true;
}

/** Removes a folder in which there is nothing but such folders; false if there is a file. */
function removeEmpty(folder: Place): boolean {
  for (const name of readdirSync(folder, { encoding: 'latin1' }))
    if (!isFolder(placeOf(folder, nameOf(name))) || !removeEmpty(placeOf(folder, nameOf(name)))) return false;
  rmdirSync(folder);
  return true;
}

/**
 * Returns whether one of the folders above a path is something else: no file of the work tree is below that. A link may even lead out of
 * the work tree.
 */
function isBlocked(top: string, path: string): boolean {
  for (let at = dirname(path); at !== '.'; at = dirname(at))
    if (statsOf(placeOf(top, at))?.isDirectory() === false) return true;
  return false;
}

/**
 * Makes a folder with the permissions of the folder around it: ctx itself makes files that nobody else may read, and does not know what
 * the user lets others do elsewhere.
 */
function makeFolders(top: string, path: string): Stats {
  const place = placeOf(top, path);
  const there = statsOf(place);
  if (there) return there;
  const { mode } = makeFolders(top, dirname(path));
  mkdirSync(place);
  chmodSync(place, mode & 0o777);
  return lstatSync(place);
}

/** The permissions of a file: those it has, or its folder has, and whether it may be run as the snapshot says. */
function modeOf({ mode }: Stats, { mode: wanted }: NonNullable<Entry>): number {
  const plain = mode & 0o666;
  return wanted === '100755' ? plain | ((plain & 0o444) >> 2) : plain;
}

/** Moves a file into its place at once. @param beside its name on the disk of its place, if the store is on another */
function move(from: Place, to: Place, beside: Place): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error;
    // A killed restore may have left one.
    rmSync(beside, { force: true });
    try {
      if (lstatSync(from).isSymbolicLink()) symlinkSync(readlinkSync(from, { encoding: 'buffer' }), beside);
      else copyFileSync(from, beside);
      renameSync(beside, to);
    } finally {
      rmSync(beside, { force: true });
    }
  }
}

/** An entry, or what is none for Git. */
type Found = Entry | 'folder' | 'other';

/** Returns the entry at a path now, as Git sees it. */
function entryAt(path: Place): Found {
  const stats = statsOf(path);
  if (stats === null) return null;
  if (stats.isSymbolicLink()) {
    const named = readlinkSync(path, { encoding: 'buffer' });
    return { mode: LINK, oid: blobId(named.length, [named]) };
  }
  if (stats.isDirectory()) return 'folder';
  if (!stats.isFile()) return 'other';
  return { mode: stats.mode & 0o100 ? '100755' : '100644', oid: blobId(stats.size, readPieces(path, PIECE)) };
}

/** Bytes that are read of a file at a time. */
const PIECE = 1024 * 1024;

/** The id that Git gives a content. */
function blobId(size: number, pieces: Iterable<Buffer>): string {
  const hash = new RunningHash('sha1').update(Buffer.from(`blob ${size}\0`));
  for (const piece of pieces) hash.update(piece);
  return hash.digest();
}

function statsOf(path: Place): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    // A file is in the place of one of its folders.
    if (errorCode(error) === 'ENOTDIR') return null;
    throw error;
  }
}

/** Returns whether a path is what an entry says. A folder is nothing for Git, or a repository that is not checked out. */
function isSame(now: Found, wanted: Entry): boolean {
  if (now === 'folder') return wanted === null || wanted.mode === SUBMODULE;
  if (now === 'other') return false;
  if (now === null || wanted === null) return now === wanted;
  return now.oid === wanted.oid && now.mode === wanted.mode;
}
