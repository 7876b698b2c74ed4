/** `ctx git`: Git itself on the store, once its config is known to be harmless. */
import { spawnSync } from 'node:child_process';
import { CtxError } from '../core/errors.ts';
import { errorCode } from '../platform/files.ts';
import { checkForGit, gitCommand } from '../store/git.ts';
import type { Repository } from '../store/repository.ts';

/** Most bytes of Git's output that are caught. */
const CAUGHT_LIMIT = 64 * 1024 * 1024;

export interface GitRun {
  /** Git's exit code; 128 where a signal ended it. */
  exit: number;
  /** What it said, where that was caught. */
  stdout?: string | undefined;
  stderr?: string | undefined;
}

/**
 * Runs Git on the store, with the terminal it has or, to be told in JSON, with what it says caught.
 * @throws {CtxError} unsupported_store, not_found
 */
export function runGit(repository: Repository, words: readonly string[], caught: boolean): GitRun {
  checkForGit(repository);
  const { file, options, env } = gitCommand(repository);
  const result = spawnSync(file, [...options, ...words], {
    stdio: caught ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    env,
    encoding: 'utf8',
    maxBuffer: CAUGHT_LIMIT,
  });
  if (errorCode(result.error) === 'ENOENT') {
    throw new CtxError('not_found', 'Git is not installed here.', {
      hint: 'ctx itself does without it: ctx log, ctx show, ctx fsck',
    });
  }
  if (result.error) throw result.error;
  // As a shell tells a process that a signal ended.
  const exit = result.status ?? 128;
  return caught ? { exit, stdout: result.stdout, stderr: result.stderr } : { exit };
}
