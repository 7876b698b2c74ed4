/** `ctx git`: Git itself on the store, once its config is known to be harmless. */
import { spawnSync } from 'node:child_process';
import { CtxError } from '../core/errors.ts';
import { errorCode } from '../platform/files.ts';
import { checkConfig, gitCommand } from '../store/git.ts';
import type { Repository } from '../store/repository.ts';

/** Runs Git on the store with the terminal it has; gives its exit code. @throws {CtxError} unsupported_store, not_found */
export function runGit(repository: Repository, words: readonly string[]): number {
  checkConfig(repository);
  const { file, options, env } = gitCommand(repository);
  const result = spawnSync(file, [...options, ...words], { stdio: 'inherit', env });
  if (errorCode(result.error) === 'ENOENT') {
    throw new CtxError('not_found', 'Git is not installed here.', {
      hint: 'ctx itself does without it: ctx log, ctx show, ctx fsck',
    });
  }
  if (result.error) throw result.error;
  // As a shell tells a process that a signal ended.
  return result.status ?? 128;
}
