/** `ctx git`: Git itself on the store, once its config is known to be harmless. */
import { spawnSync } from 'node:child_process';
import { CtxError } from '../core/errors.ts';
import { openNameless, textOfHandle } from '../platform/caught-output.ts';
import { errorCode } from '../platform/files.ts';
import { checkForGit, checkGitConfig, gitCommand } from '../store/git.ts';
import type { Repository } from '../store/repository.ts';

/** Most bytes of Git's output that are caught. */
const CAUGHT_LIMIT = 64 * 1024 * 1024;

export interface GitRun {
  /** Git's exit code; 128 where a signal ended it. */
  exit: number;
  /** What it said, where that was caught; in pieces where it is to be shown. */
  stdout?: string | Iterable<string> | undefined;
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

/** Commands for which Git may open an editor, which wants the terminal itself, and options and words by which others do. */
const EDITING = ['commit', 'merge', 'rebase', 'revert', 'cherry-pick', 'am', 'add', 'bisect', 'help'];
const EDITS = ['-e', '--edit', '--edit-description', '-i', '--interactive', 'edit'];
/** Commands that do so unless they are given the text. */
const ASKING = ['tag', 'notes'];
const GIVEN = /^-(?:[mFCcld]|-message|-file|-list|-delete)|^(?:list|show|remove|prune|copy|merge|get-ref)$/;

/** Whether Git may want the terminal to itself. */
function opensEditor(words: readonly string[]): boolean {
  const command = words.find((word, at) => !word.startsWith('-') && !WITH_VALUE.includes(words[at - 1] ?? '')) ?? '';
  const rest = words.slice(words.indexOf(command) + 1);
  if (EDITING.includes(command) || rest.some((word) => EDITS.includes(word))) return true;
  return ASKING.includes(command) && rest.length > 0 && !rest.some((word) => GIVEN.test(word));
}

/** Where what Git says goes: to whoever called, into a result, or to a terminal, which must not obey what is stored. */
export type GitOutput = 'through' | 'caught' | 'shown';

/**
 * Runs Git on the store.
 * @throws {CtxError} usage, unsupported_store, not_found
 */
export function runGit(repository: Repository, words: readonly string[], output: GitOutput): GitRun {
  refuseElsewhere(words);
  checkForGit(repository);
  const { file, options, env } = gitCommand(repository);
  const caught = output === 'caught';
  const shown = output === 'shown' && !opensEditor(words) ? openNameless(repository.ids()) : null;
  const result = spawnSync(file, [...options, ...words], {
    stdio: caught ? ['ignore', 'pipe', 'pipe'] : ['inherit', shown ?? 'inherit', 'inherit'],
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
  if (shown !== null) return { exit, stdout: { [Symbol.iterator]: () => textOfHandle(shown) } };
  return caught ? { exit, stdout: result.stdout, stderr: result.stderr } : { exit };
}
