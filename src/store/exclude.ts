/** Telling the Git repository around a store to leave it alone, in its own `info/exclude`. */
import { appendFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { exists, makeFolder, readLinkedIfThere } from '../platform/files.ts';

/** The Git folder of the work tree that a folder lies in, common to its work trees; null where it lies in none. */
function gitFolder(start: string): string | null {
  for (let at = start; ; at = dirname(at)) {
    const git = join(at, '.git');
    if (exists(git)) return followGitFile(git);
    if (dirname(at) === at) return null;
  }
}

/** `.git` is a folder, or in a linked work tree or submodule a file that names one. */
function followGitFile(git: string): string | null {
  if (exists(join(git, 'HEAD'))) return git;
  let text: string | undefined;
  try {
    text = readLinkedIfThere(git)?.toString('utf8');
  } catch {
    return null;
  }
  const named = /^gitdir: (.+)$/m.exec(text ?? '')?.[1];
  if (named === undefined) return null;
  const folder = resolve(dirname(git), named.trim());
  const common = readLinkedIfThere(join(folder, 'commondir'))?.toString('utf8').trim();
  return common === undefined ? folder : resolve(folder, common);
}

/** Adds the store to `info/exclude` of the Git repository around it; gives that file, or null where there is none. */
export function excludeFromGit(store: string): string | null {
  const git = gitFolder(dirname(store));
  if (git === null) return null;
  const file = join(git, 'info', 'exclude');
  const line = `${basename(store)}/`;
  const text = readLinkedIfThere(file)?.toString('utf8') ?? '';
  if (text.split('\n').some((existing) => existing.trim() === line)) return file;
  const separator = text === '' || text.endsWith('\n') ? '' : '\n';
  // Appended, not written anew: the file is the user's, and so are its permissions.
  makeFolder(dirname(file), { fsync: false });
  appendFileSync(file, `${separator}${line}\n`);
  return file;
}
