/** Runs the Git of the project around a store: what the user's own commits are made with, its hooks included. */
import { spawnSync } from 'node:child_process';
import { CtxError } from '../../core/errors.ts';
import { oneLine } from '../../core/text.ts';
import { errorCode } from '../../platform/files.ts';

interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Runs Git in a folder. @throws {CtxError} not_found, if Git is not installed */
function runGit(directory: string, words: readonly string[]): Ran {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  const options = { cwd: directory, encoding: 'utf8', env: { ...env, LC_ALL: 'C' } as NodeJS.ProcessEnv } as const;
  const { status, stdout, stderr, error } = spawnSync('git', [...words], {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (errorCode(error) === 'ENOENT')
    throw new CtxError('not_found', 'Git is not installed here.', { hint: 'Mirror without --commit.' });
  return { status, stdout, stderr };
}

/** Returns whether Git would take a path into a commit: there is a repository around it, and nothing ignores the path. */
export function wouldPublish(directory: string, path: string): boolean {
  if (runGit(directory, ['rev-parse', '--is-inside-work-tree']).stdout.trim() !== 'true') return false;
  return runGit(directory, ['check-ignore', '--quiet', '--', path]).status === 1;
}

/** The outcome of a commit; `why` is null if there was nothing to commit. */
export type Committed = { done: true; oid: string } | { done: false; why: string | null };

/**
 * Commits some files and nothing else: what is staged stays as it is. The hooks of the repository run; if one refuses, the files stay
 * in their places, uncommitted.
 */
export function commitFiles(directory: string, files: readonly string[], message: string): Committed {
  const untracked = runGit(directory, ['ls-files', '--others', '-z', '--', ...files])
    .stdout.split('\0')
    .filter(Boolean);
  // Hooks run for a commit only if there is one to make. Without any commit yet, there is nothing to compare with.
  const isSame = untracked.length === 0 && runGit(directory, ['diff', '--quiet', 'HEAD', '--', ...files]).status === 0;
  if (isSame) return { done: false, why: null };
  const failed = ({ stderr, stdout }: Ran): Committed => {
    // A file that was not known to Git before is not known to it afterwards.
    if (untracked.length > 0) runGit(directory, ['rm', '--cached', '--quiet', '--force', '--', ...untracked]);
    return { done: false, why: oneLine(stderr || stdout, 500) };
  };
  const added = untracked.length === 0 ? null : runGit(directory, ['add', '--intent-to-add', '--', ...untracked]);
  if (added && added.status !== 0) return failed(added);
  const made = runGit(directory, ['commit', '--quiet', '--only', '--message', message, '--', ...files]);
  if (made.status !== 0) return failed(made);
  return { done: true, oid: runGit(directory, ['rev-parse', 'HEAD']).stdout.trim() };
}
