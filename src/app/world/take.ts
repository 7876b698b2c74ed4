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
  isFolder,
  onSnapshots,
  runOnSnapshots,
  type Snapshots,
  writeExcludes,
} from './private-git.ts';

/**
 * Takes a snapshot of the files that are not ignored.
 * @returns the id of its tree
 * @throws {CtxError} not_found, if Git is not installed; io
 */
export function takeSnapshot(snapshots: Snapshots): string {
  const { top, prefix } = snapshots;
  const tree = withRepositories(snapshots, '', take(snapshots, { top, within: prefix, suffix: '' }));
  removeLeftovers(snapshots);
  return tree;
}

/** A folder whose files become a tree. */
interface Area {
  top: string;
  /** The only folder in it whose files count, with slashes; empty if all do. */
  within: string;
  /** End of the names of its index, and of its file of patterns. */
  suffix: string;
}

/** Files of an area, and what Git does not take of it. */
interface Taken {
  tree: string;
  /** Paths of repositories in which nothing is committed, or with ids of another kind: Git adds neither them nor their files. */
  uncommitted: string[];
}

function take(snapshots: Snapshots, area: Area): Taken {
  const settings = writeExcludes(snapshots, area.top, join(snapshots.folder, `excludes${area.suffix}`));
  try {
    return attempt(snapshots, area, settings);
  } catch (error) {
    // A private index that cannot be read, or names an object that is gone, is made from nothing.
    const shared = join(snapshots.folder, `index${area.suffix}`);
    if (!(error instanceof CtxError) || error.code !== 'io' || !exists(shared)) throw error;
    removeFile(shared);
    return attempt(snapshots, area, settings);
  }
}

/**
 * Each snapshot works on an index of its own, which begins as a second name of the last one and takes its place at the end: Git replaces
 * an index, and never writes into one. So two snapshots may be taken at once, and one that is killed leaves the last index as it was.
 */
function attempt(snapshots: Snapshots, { top, within, suffix }: Area, settings: readonly string[]): Taken {
  const { folder, nonce } = snapshots;
  const shared = join(folder, `index${suffix}`);
  const index = `${shared}.${nonce}`;
  const path = within === '' ? '.' : within;
  const given = { index, top, settings };
  try {
    const isLater = linkIfThere(shared, index);
    const taken = isLater ? added(snapshots, path, given) : addedFirst(snapshots, path, given);
    if (exists(index)) renameSync(index, shared);
    return taken;
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

/** Options of the runs of Git on an area. */
type AreaGiven = Given & { top: string };

/** Brings an index up to date with the work tree. */
function added(snapshots: Snapshots, path: string, given: AreaGiven): Taken {
  // A file that may not be read is left out, and does not stop the others.
  const add = ['add', '--all', '--ignore-errors', '--', path];
  const { status } = runOnSnapshots(snapshots, add, { ...given, accepted: [1] });
  const uncommitted = status === 0 ? [] : uncommittedIn(snapshots, path, given);
  return { tree: onSnapshots(snapshots, ['write-tree'], given).trim(), uncommitted };
}

/** Finds the repositories that Git has refused to add. */
function uncommittedIn(snapshots: Snapshots, path: string, given: AreaGiven): string[] {
  const words = ['ls-files', '--others', '--exclude-standard', '-z', '--', path];
  const folders = onSnapshots(snapshots, words, given)
    .split('\0')
    .filter((name) => name.endsWith('/'))
    .map((name) => nameOf(name.slice(0, -1)));
  return folders.filter((name) => isRepository(given.top, name));
}

/**
 * The same for the first snapshot: objects that are in the repository of the user need not be written again. Its index is not asked for files,
 * since it may know one by what a filter or a conversion of line endings, now removed, has made of it.
 */
function addedFirst(snapshots: Snapshots, path: string, given: AreaGiven): Taken {
  const objects = usersObjects(given.top);
  if (objects === null) return added(snapshots, path, given);
  addSubmodules(snapshots, path, given);
  const taken = added(snapshots, path, { ...given, borrowed: objects });
  borrowObjects(snapshots, taken.tree, objects);
  return taken;
}

/** Adds the submodules that the user's index knows: one that is not checked out is an empty folder, which Git does not add by itself. */
function addSubmodules(snapshots: Snapshots, path: string, given: AreaGiven): void {
  const listed = askUsersGit(given.top, ['ls-files', '--stage', '-z', '--', path], 'latin1') ?? '';
  const links = listed.split('\0').filter((entry) => /^160000 [0-9a-f]{40} 0\t/.test(entry));
  if (links.length === 0) return;
  const input = links.map((entry) => `${entry}\0`).join('');
  onSnapshots(snapshots, ['update-index', '-z', '--index-info'], { ...given, input });
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
 * @param above the folder that was taken, below the top of the work tree; empty if it is the top
 */
function withRepositories(snapshots: Snapshots, above: string, { tree, uncommitted }: Taken): string {
  const { folder, top, nonce } = snapshots;
  const paths = [...repositoriesIn(snapshots, tree, join(top, above)), ...uncommitted];
  if (paths.length === 0) return tree;
  const index = join(folder, `index.${nonce}.whole-${sha1(Buffer.from(above))}`);
  try {
    onSnapshots(snapshots, ['read-tree', tree], { index });
    for (const path of paths) {
      const below = above === '' ? path : `${above}/${path}`;
      const area = { top: join(top, below), within: '', suffix: `-${sha1(Buffer.from(below))}` };
      const own = withRepositories(snapshots, below, take(snapshots, area));
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
    .filter((path) => isRepository(folder, path));
}

/** Returns whether a path below a folder is that of a repository that is checked out there. */
const isRepository = (folder: string, path: string): boolean =>
  path !== '' && path.isWellFormed() && isFolder(join(folder, path)) && exists(join(folder, path, '.git'));

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
