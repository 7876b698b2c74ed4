/** `ctx git`: Git itself on the store, once its config is known to be harmless. */
import { spawnSync } from 'node:child_process';
import { forbiddenEntries, parseConfig } from '../core/config-file.ts';
import { CtxError } from '../core/errors.ts';
import { errorCode, exists, readIfThere } from '../platform/files.ts';
import type { Repository } from '../store/repository.ts';

/** @throws {CtxError} unsupported_store, naming the line that could run a program or change what Git promises */
export function checkConfig(repository: Repository): void {
  const { config } = repository.layout;
  const refuse = (why: string): CtxError =>
    new CtxError('unsupported_store', `Git is not run on this store: in its config, ${why}.`, {
      hint: `Remove it from ${config}, if you did not put it there.`,
    });
  try {
    const [first] = forbiddenEntries(parseConfig(readIfThere(config)?.toString('utf8') ?? ''));
    if (first) throw refuse(`line ${first.line} sets ${first.key}`);
  } catch (error) {
    throw error instanceof SyntaxError ? refuse(error.message) : error;
  }
  if (exists(`${config}.worktree`)) throw refuse('config.worktree stands beside it');
}

/** The environment without what would make Git look elsewhere or run something. */
function cleanEnvironment(): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  // The user's own configuration stays out as well: hooks of his are for his repositories, not for this store.
  return { ...Object.fromEntries(kept), GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' };
}

/** Runs Git on the store with the terminal it has; gives its exit code. @throws {CtxError} unsupported_store, not_found */
export function runGit(repository: Repository, words: readonly string[]): number {
  checkConfig(repository);
  const options = ['--git-dir', repository.layout.root, '-c', 'core.hooksPath=/dev/null'];
  const result = spawnSync('git', [...options, ...words], { stdio: 'inherit', env: cleanEnvironment() });
  if (errorCode(result.error) === 'ENOENT') {
    throw new CtxError('not_found', 'Git is not installed here.', {
      hint: 'ctx itself does without it: ctx log, ctx show, ctx fsck',
    });
  }
  if (result.error) throw result.error;
  // As a shell tells a process that a signal ended.
  return result.status ?? 128;
}
