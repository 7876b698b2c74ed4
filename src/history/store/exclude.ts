/** Excludes a store from the Git repository around it, in the repository's `info/exclude`. */
import { closeSync, constants, lstatSync, openSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { exists, ioError, makeFolder, readIfThere, writeAll } from '../../platform/files.ts';
import { readLinkedIfThere } from '../../platform/foreign-file.ts';

/** Follows no link, and does not wait at a pipe. */
const APPEND =
  constants.O_WRONLY |
  constants.O_CREAT |
  constants.O_APPEND |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

/** Returns the common Git folder of the work tree around a folder; null if there is none. */
export function gitFolder(start: string): string | null {
  for (let at = start; ; at = dirname(at)) {
    const git = join(at, '.git');
    if (exists(git)) return followGitFile(git);
    if (dirname(at) === at) return null;
  }
}

/** `.git` is a folder, or in a linked work tree or submodule a file that names one. */
function followGitFile(git: string): string | null {
  if (exists(join(git, 'HEAD'))) return git;
  try {
    const named = /^gitdir: (.+)$/m.exec(readLinkedIfThere(git)?.toString('utf8') ?? '')?.[1];
    if (named === undefined) return null;
    const folder = resolve(dirname(git), named.trim());
    const common = readLinkedIfThere(join(folder, 'commondir'))?.toString('utf8').trim();
    return common === undefined ? folder : resolve(folder, common);
  } catch {
    return null;
  }
}

/**
 * Returns the exclude file of a Git folder; null if it is not the repository's own. A `.git` in downloaded files may name
 * any folder, and any file by a link: only a repository that Git accepts is written to, and through no link.
 */
function excludeFile(git: string): string | null {
  const [info, file] = [join(git, 'info'), join(git, 'info', 'exclude')];
  try {
    const isRepository =
      statSync(join(git, 'HEAD')).isFile() &&
      ['objects', 'refs'].every((name) => statSync(join(git, name)).isDirectory());
    const isOwn =
      (lstatSync(info, { throwIfNoEntry: false })?.isDirectory() ?? true) &&
      (lstatSync(file, { throwIfNoEntry: false })?.isFile() ?? true);
    return isRepository && isOwn ? file : null;
  } catch {
    return null;
  }
}

/** Adds the store to `info/exclude` of the Git repository around it; returns that file, or null if there is none. */
export function excludeFromGit(store: string): string | null {
  const git = gitFolder(dirname(store));
  const file = git === null ? null : excludeFile(git);
  if (file === null) return null;
  const line = `${basename(store)}/`;
  const text = readIfThere(file)?.toString('utf8') ?? '';
  if (text.split('\n').some((existing) => existing.trim() === line)) return file;
  const separator = text === '' || text.endsWith('\n') ? '' : '\n';
  makeFolder(dirname(file), { fsync: false });
  append(file, `${separator}${line}\n`);
  return file;
}

/** Appends, since the file and its permissions are the user's. */
function append(file: string, text: string): void {
  try {
    const handle = openSync(file, APPEND);
    try {
      writeAll(handle, Buffer.from(text));
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    throw ioError('write', file, error);
  }
}
