/** `ctx git`: Git itself on the store, once its config is known to be harmless. */
import { spawnSync } from 'node:child_process';
import { CtxError } from '../core/errors.ts';
import { errorCode } from '../platform/files.ts';
import { checkForGit, checkGitConfig, gitCommand } from '../store/git.ts';
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

/** Git's own options that lead it away from the store, and those before its command that take the next word as their value. */
const LEADING_AWAY = ['-C', '--git-dir', '--work-tree'];
/** A setting that does the same. */
const SET_ELSEWHERE = /^core\.worktree(=|$)/i;
/** Commands that make a repository; on a store they would write other settings into it. */
const MAKING = ['init', 'clone'];
const WITH_VALUE = ['-c', '--config-env', '--namespace', '--super-prefix', '--attr-source'];

/** Refuses what would have Git work on something else than the store, whose config alone was looked at. @throws {CtxError} usage */
function refuseElsewhere(words: readonly string[]): void {
  const refuse = (what: string): CtxError =>
    new CtxError('usage', `ctx git works on the store of ctx alone: ${what} is not for it.`, {
      hint: 'For another store: ctx -C <dir> git …. For another repository run Git itself: git …',
    });
  let at = 0;
  for (; words[at]?.startsWith('-'); at += 1) {
    const option = words[at]?.split('=')[0] ?? '';
    if (LEADING_AWAY.includes(option)) throw refuse(option);
    if (!WITH_VALUE.includes(words[at] ?? '')) continue;
    at += 1;
    if (SET_ELSEWHERE.test(words[at] ?? '')) throw refuse(words[at]?.split('=')[0] ?? '');
  }
  if (MAKING.includes(words[at] ?? '')) throw refuse(words[at] ?? '');
}

/**
 * Runs Git on the store, with the terminal it has or, to be told in JSON, with what it says caught.
 * @throws {CtxError} usage, unsupported_store, not_found
 */
export function runGit(repository: Repository, words: readonly string[], caught: boolean): GitRun {
  refuseElsewhere(words);
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
  // What Git has just written there, nobody would see before the next command.
  checkGitConfig(repository.layout);
  // As a shell tells a process that a signal ended.
  const exit = result.status ?? 128;
  return caught ? { exit, stdout: result.stdout, stderr: result.stderr } : { exit };
}
