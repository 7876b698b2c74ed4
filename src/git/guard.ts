/** Guards against a store made by a stranger: nothing in its layout may lead out of it, or make Git use another place. */
import { type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import { CtxError, damaged } from '../core/errors.ts';
import { below } from '../platform/below.ts';
import { errorCode, ioError } from '../platform/files.ts';
import type { Layout } from './layout.ts';

/** Names that must be real files or folders: a link would redirect reads and writes out of the store. */
const PLAIN = [
  'HEAD',
  'STAGE',
  'config',
  'settings.json',
  'permissions.json',
  'key',
  'packed-refs',
  'LOCK',
  'objects',
  'objects/pack',
  'objects/info',
  'refs',
  'refs/heads',
  'logs',
  'logs/refs',
  'logs/refs/heads',
  'logs/refs/heads/main',
  'oplog',
  'pending',
  'choices',
  'runs',
  'lost',
  'cache',
  'cache/catalog',
  'cache/conversations',
  'cache/objects',
  'cache/sources',
  'hook-errors.jsonl',
  'forgetting',
  'forgotten.json',
  'key.forgotten',
];

/** Names that no store has: each would make Git read another config, other objects or another history. */
const ABSENT: Record<string, string> = {
  commondir: 'it shares the files of another one (commondir)',
  gitdir: 'it names another one (gitdir)',
  'config.worktree': 'it has a second config (config.worktree)',
  shallow: 'its history is cut off (shallow)',
  'info/grafts': 'its history is grafted (info/grafts)',
  'objects/info/alternates': 'it borrows objects from another store (objects/info/alternates)',
  'objects/info/http-alternates': 'it borrows objects from another store (objects/info/http-alternates)',
};

/**
 * Checks the layout of a store.
 * @param toCheck whether a file in the place of a folder is ignored: a check reports it
 * @throws {CtxError} unsupported_store; damaged
 */
export function checkLayout(layout: Layout, toCheck = false): void {
  const folders = layout.pointers.folders.map((folder) => folder.slice(0, -1));
  for (const name of [...PLAIN, ...folders, ...folders.map((folder) => `logs/${folder}`)]) {
    if (look(layout.root, name, toCheck)?.isSymbolicLink()) throw refuse(`its ${name} is a link`);
  }
  for (const [name, why] of Object.entries(ABSENT)) {
    if (look(layout.root, name, toCheck)) throw refuse(why);
  }
}

/** Returns the stat of a name in the store. @throws {CtxError} damaged, if a parent of it is a file */
function look(root: string, name: string, lenient = false): Stats | undefined {
  try {
    return lstatSync(below(root, name), { throwIfNoEntry: false });
  } catch (error) {
    if (errorCode(error) === 'ENOTDIR' && lenient) return undefined;
    // An unreadable cache leads nowhere, and can be rebuilt.
    if (errorCode(error) === 'EACCES' && name.startsWith('cache/')) return undefined;
    if (errorCode(error) === 'ENOTDIR') throw damaged(name.replace(/\/[^/]*$/, ''), 'it must be a folder');
    throw ioError('look at', below(root, name), error);
  }
}

/**
 * Refuses a folder that is a link, is below a link, or is outside the store: files written to it would be elsewhere.
 * @returns its stat; undefined if it does not exist
 * @throws {CtxError} unsupported_store
 */
export function checkFolder(layout: Layout, path: string): Stats | undefined {
  const inside = path.startsWith(`${layout.root}${sep}`)
    ? path.slice(layout.root.length + 1)
    : relative(layout.root, path);
  const parts = inside === '' ? [] : inside.split(sep);
  if (parts.includes('..') || isAbsolute(inside)) throw refuse(`${path} lies outside of it`);
  let stats: Stats | undefined;
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const name = parts.slice(0, depth).join('/');
    stats = look(layout.root, name);
    if (stats === undefined) return undefined;
    if (stats.isSymbolicLink()) throw refuse(`its ${name} is a link`);
  }
  return stats;
}

/** Returns the entries of a folder; empty if it has been removed. */
export function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw ioError('list', folder, error);
  }
}

/**
 * Yields every entry of a store that is neither a file nor a folder, with its kind. Does not follow links.
 * @param onFailure receives the error of a folder that cannot be listed, and the walk continues; without it the error is
 * thrown
 */
export function* strangeEntries(
  layout: Layout,
  onFailure?: (folder: string, error: unknown) => void,
  folder = '',
): Generator<[name: string, what: string]> {
  for (const entry of listed(layout, folder, onFailure)) {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* strangeEntries(layout, onFailure, name);
    else if (!entry.isFile() && !isOfRun(name, entry) && !isStaged(name, entry)) yield [name, kindOf(entry)];
  }
}

/** Returns whether an entry is the socket of a run, which belongs to ctx and which Git never opens. */
const isOfRun = (name: string, entry: Dirent): boolean => entry.isSocket() && /^runs\/[^/]+\/socket$/.test(name);

/** Returns whether an entry is a link of the work tree that a rewind of files is about to move there; nobody follows it. */
const isStaged = (name: string, entry: Dirent): boolean =>
  entry.isSymbolicLink() && /^snapshots\/restore-[^/]+\//.test(name);

function listed(layout: Layout, folder: string, onFailure?: (folder: string, error: unknown) => void): Dirent[] {
  try {
    return entriesOf(below(layout.root, folder));
  } catch (error) {
    if (!onFailure) throw error;
    onFailure(folder, error);
    return [];
  }
}

function kindOf(entry: Dirent): string {
  if (entry.isSymbolicLink()) return 'a link';
  return entry.isFIFO() || entry.isSocket() ? 'a pipe or a socket' : 'a device';
}

/**
 * Refuses a store that has any entry other than regular files and folders: Git would wait for a pipe, or write and remove
 * through a link. Reads every entry: for operations on the whole store.
 * @throws {CtxError} unsupported_store
 */
export function checkEverything(layout: Layout): void {
  for (const [name, what] of strangeEntries(layout)) throw refuse(`its ${name} is ${what}`);
}

function refuse(why: string): CtxError {
  return new CtxError('unsupported_store', `This store cannot be used: ${why}.`, {
    hint: 'ctx init makes no such thing. If you did, put the file itself in its place, or remove it.',
  });
}
