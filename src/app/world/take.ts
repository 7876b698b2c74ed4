/** Takes a snapshot: a Git tree of the work tree, by a private index. The repository of the user is read, and never written. */
import { linkSync, lstatSync, readdirSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CtxError } from '../../core/errors.ts';
import { errorCode, exists, removeFile } from '../../platform/files.ts';
import { sha1 } from '../../platform/hash.ts';
import { borrowObjects } from './borrowed-objects.ts';
import { nameOf } from './names.ts';
import {
  askUsersGit,
  type Given,
  ignoredEverywhere,
  isFolder,
  onSnapshots,
  type Snapshots,
  writeExcludes,
} from './private-git.ts';

/**
 * Takes a snapshot of the files that are not ignored.
 * @returns the id of its tree
 * @throws {CtxError} not_found, if Git is not installed; io
 */
export function takeSnapshot(snapshots: Snapshots): string {
  writeExcludes(snapshots);
  const settings = ignoredEverywhere(snapshots);
  const whole = treeOf(snapshots, { top: snapshots.top, within: snapshots.prefix, index: 'index' }, settings);
  const tree = withRepositories(snapshots, '', whole, settings);
  removeLeftovers(snapshots);
  return tree;
}

/** A folder whose files become a tree. */
interface Area {
  top: string;
  /** The only folder in it whose files count, with slashes; empty if all do. */
  within: string;
  /** The name of its index. */
  index: string;
}

function treeOf(snapshots: Snapshots, area: Area, settings: readonly string[]): string {
  try {
    return attempt(snapshots, area, settings);
  } catch (error) {
    // A private index that cannot be read, or names an object that is gone, is made from nothing.
    const shared = join(snapshots.folder, area.index);
    if (!(error instanceof CtxError) || error.code !== 'io' || !exists(shared)) throw error;
    removeFile(shared);
    return attempt(snapshots, area, settings);
  }
}

/**
 * Each snapshot works on an index of its own, which begins as a second name of the last one and takes its place at the end: Git replaces
 * an index, and never writes into one. So two snapshots may be taken at once, and one that is killed leaves the last index as it was.
 */
function attempt(snapshots: Snapshots, { top, within, index: name }: Area, settings: readonly string[]): string {
  const { folder, nonce } = snapshots;
  const [shared, index] = [join(folder, name), join(folder, `${name}.${nonce}`)];
  const add = ['add', '--all', '--ignore-errors', '--', within === '' ? '.' : within];
  // A file that may not be read is left out, and does not stop the others.
  const given = { index, top, settings, accepted: [1] };
  try {
    const isLater = linkIfThere(shared, index);
    const tree = isLater ? added(snapshots, add, given) : addedFirst(snapshots, add, given);
    if (exists(index)) renameSync(index, shared);
    return tree;
  } finally {
    for (const left of [index, `${index}.lock`]) removeFile(left);
  }
}

/** Gives a file a second name; false if there is no such file. */
function linkIfThere(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    if (['EXDEV', 'EPERM', 'ENOTSUP', 'EMLINK', 'EACCES'].includes(errorCode(error))) return false;
    throw error;
  }
}

/** Brings an index up to date with the work tree; returns the tree of it. */
function added(snapshots: Snapshots, add: readonly string[], given: Given): string {
  onSnapshots(snapshots, add, given);
  return onSnapshots(snapshots, ['write-tree'], given).trim();
}

/**
 * The same for the first snapshot: objects that are in the repository of the user need not be written again. Its index is not asked, since
 * it may know a file by what a filter or a conversion of line endings, now removed, has made of it.
 */
function addedFirst(snapshots: Snapshots, add: readonly string[], given: Given & { top: string }): string {
  const objects = usersObjects(given.top);
  if (objects === null) return added(snapshots, add, given);
  const tree = added(snapshots, add, { ...given, borrowed: objects });
  borrowObjects(snapshots, tree, objects);
  return tree;
}

/** Returns the folder of objects of the repository of the user whose work tree this is; null if there is none, or nothing was committed in it. */
function usersObjects(top: string): string | null {
  if (!exists(join(top, '.git'))) return null;
  const words = ['rev-parse', '--show-object-format', '--git-path', 'objects', '--verify', '--quiet', 'HEAD'];
  const [format, objects] = askUsersGit(top, words)?.split('\n') ?? [];
  return format === 'sha1' && objects ? resolve(top, objects) : null;
}

/**
 * Returns a tree in which the files of the repositories below are files like others, submodules or not: what an agent does in one is the
 * work of the session, too.
 * @param above the folder that the tree is of, below the top of the work tree; empty if it is the top
 */
function withRepositories(snapshots: Snapshots, above: string, tree: string, settings: readonly string[]): string {
  const { folder, top, nonce } = snapshots;
  const paths = repositoriesIn(snapshots, tree, join(top, above));
  if (paths.length === 0) return tree;
  const index = join(folder, `index.${nonce}.whole-${sha1(Buffer.from(above))}`);
  try {
    onSnapshots(snapshots, ['read-tree', tree], { index });
    for (const path of paths) {
      const below = above === '' ? path : `${above}/${path}`;
      const area = { top: join(top, below), within: '', index: `index-${sha1(Buffer.from(below))}` };
      const own = withRepositories(snapshots, below, treeOf(snapshots, area, settings), settings);
      onSnapshots(snapshots, ['update-index', '--force-remove', '--', path], { index });
      onSnapshots(snapshots, ['read-tree', `--prefix=${path}/`, own], { index });
    }
    return onSnapshots(snapshots, ['write-tree'], { index }).trim();
  } finally {
    for (const left of [index, `${index}.lock`]) removeFile(left);
  }
}

/** The paths of the repositories in a tree that are checked out below a folder. */
function repositoriesIn(snapshots: Snapshots, tree: string, folder: string): string[] {
  return onSnapshots(snapshots, ['ls-tree', '-r', '-d', '-z', tree])
    .split('\0')
    .flatMap((entry) => nameOf(/^160000 commit \S+\t(.*)$/s.exec(entry)?.[1] ?? ''))
    .filter(
      (path) =>
        path !== '' && path.isWellFormed() && isFolder(join(folder, path)) && exists(join(folder, path, '.git')),
    );
}

/** Milliseconds after which what a killed command has left is removed. */
const LEFT_FOR = 3_600_000;

/** Removes indexes and temporary files that were left. */
function removeLeftovers({ folder }: Snapshots): void {
  const left = readdirSync(folder).filter((name) => /^(?:index[^.]*\.|tmp_)/.test(name));
  for (const name of left) {
    const age = Date.now() - (lstatSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > LEFT_FOR) removeFile(join(folder, name));
  }
}
