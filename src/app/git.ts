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

/** Commands for which Git may open an editor, which wants the terminal itself; of others, the words that ask for one. */
const EDITING = ['commit', 'merge', 'rebase', 'revert', 'cherry-pick', 'am', 'add', 'bisect', 'help'];
const EDITS: Readonly<Record<string, readonly string[]>> = {
  config: ['-e', '--edit', 'edit'],
  branch: ['--edit-description'],
  notes: ['add', 'append', 'edit'],
  replace: ['-e', '--edit'],
  clean: ['-i', '--interactive'],
};
/** What gives the text that an editor would be opened for. */
const GIVEN = /^-(?:[mFCc]|-message|-file|-reuse-message)/;
/** What a tag is made with that is no more than a name. */
const TAGGING = /^-(?:[asue]|-annotate|-sign|-local-user|-edit)/;
/** Commands that answer line by line what they are asked on standard input. */
const ANSWERING = /^--batch/;

/** Commands that take standard input by themselves, and words that have others do so. */
const TAKING = ['commit-tree', 'mktree', 'mktag', 'fast-import', 'unpack-objects', 'interpret-trailers', 'patch-id'];
const TAKES = /^(?:--stdin|--batch|-$)/;

/** The words from Git's command on. */
function commandIn(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word, index) => !word.startsWith('-') && !WITH_VALUE.includes(words[index - 1] ?? ''));
  return at < 0 ? [] : words.slice(at);
}

/** Whether Git reads what stands on standard input: any other command is not to wait for what nobody writes there. */
function takesInput(words: readonly string[]): boolean {
  const [command = '', ...rest] = commandIn(words);
  return TAKING.includes(command) || rest.some((word) => TAKES.test(word));
}

/** Whether Git may want the terminal to itself. */
function wantsTerminal(words: readonly string[]): boolean {
  const [command = '', ...rest] = commandIn(words);
  if (EDITING.includes(command) || rest.some((word) => ANSWERING.test(word))) return true;
  if (rest.some((word) => GIVEN.test(word))) return false;
  const asks = command === 'notes' ? rest.slice(0, 1) : rest;
  if (asks.some((word) => EDITS[command]?.includes(word))) return true;
  return command === 'tag' && rest.some((word) => TAGGING.test(word));
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
  const shown = output === 'shown' && !wantsTerminal(words) ? openNameless(repository.ids()) : null;
  const result = spawnSync(file, [...options, ...words], {
    stdio: caught
      ? [takesInput(words) ? 'inherit' : 'ignore', 'pipe', 'pipe']
      : ['inherit', shown ?? 'inherit', 'inherit'],
    env,
    encoding: 'utf8',
    maxBuffer: CAUGHT_LIMIT,
  });
  if (errorCode(result.error) === 'ENOENT') {
    throw new CtxError('not_found', 'Git is not installed here.', {
      hint: 'ctx itself does without it: ctx log, ctx show, ctx fsck',
    });
  }
  if (errorCode(result.error) === 'ENOBUFS') {
    throw new CtxError('io', `Git wrote more than ${CAUGHT_LIMIT} bytes, more than one document of JSON is to hold.`, {
      hint: 'Run it without --json.',
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
