/** `ctx git`: runs Git on the store, once its config is known to be harmless. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { CtxError } from '../core/errors.ts';
import { configText } from '../git/config.ts';
import { checkForGit, gitCommand } from '../git/git.ts';
import { checkWrittenConfig } from '../git/written-config.ts';
import type { Repository } from '../history/store/repository.ts';
import { errorCode } from '../platform/files.ts';
import { openUnlinkedFile, readText } from '../platform/unlinked-file.ts';

/** Most bytes of Git's output that are caught. */
const CAUGHT_LIMIT = 64 * 1024 * 1024;

export interface GitRun {
  /** Git's exit code; 128 if a signal ended it. */
  exit: number;
  /** The output, if it was caught; in pieces if it is to be shown. */
  stdout?: string | Iterable<string> | undefined;
  stderr?: string | undefined;
}

/** Git's own options that lead it away from the store, and those before its command that take the next word as their value. */
const LEADING_AWAY = ['-C', '--git-dir', '--work-tree'];
/** A setting that does the same. */
const SET_ELSEWHERE = /^core\.worktree(=|$)/i;
/** Commands that make a repository; on a store they would write other settings into it. */
const MAKING = ['init', 'clone'];
/** Options that leave a part of the history or of its contents where it came from; a store has all that it names. */
const IN_PART = /^--(?:dep|dee|sha|fil|update-s)/;
const FETCHING = ['fetch', 'fetch-pack', 'pull'];
const WITH_VALUE = ['-c', '--config-env', '--namespace', '--super-prefix', '--attr-source'];

/**
 * Refuses arguments that direct Git elsewhere than to the store, whose config alone was checked, or fetch a part.
 * @throws {CtxError} usage
 */
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
  const inPart = FETCHING.includes(words[at] ?? '') ? words.slice(at).find((word) => IN_PART.test(word)) : undefined;
  if (inPart === undefined) return;
  throw new CtxError('usage', `A store of ctx has all that it names: ${inPart} is not for it.`, {
    hint: 'Fetch the whole of it: ctx git fetch <remote>',
  });
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
/** Options that give the text that an editor would be opened for. */
const GIVEN = /^-(?:[mFCc]|-message|-file|-reuse-message)/;
/** Options for a tag that is no more than a name. */
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

/** Returns whether Git reads standard input: any other command must not wait for it. */
function takesInput(words: readonly string[]): boolean {
  const [command = '', ...rest] = commandIn(words);
  return TAKING.includes(command) || rest.some((word) => TAKES.test(word));
}

/** Checks if Git may want the terminal to itself. */
function wantsTerminal(words: readonly string[]): boolean {
  const [command = '', ...rest] = commandIn(words);
  if (EDITING.includes(command)) return true;
  if (rest.some((word) => GIVEN.test(word))) return false;
  const asks = command === 'notes' ? rest.slice(0, 1) : rest;
  if (asks.some((word) => EDITS[command]?.includes(word))) return true;
  return command === 'tag' && rest.some((word) => TAGGING.test(word));
}

/** Checks if Git answers what is asked on standard input at once, so that its answers cannot wait for its end. */
const answersAtOnce = (words: readonly string[]): boolean => commandIn(words).some((word) => ANSWERING.test(word));

/**
 * Receives Git's output piece by piece for a terminal, which must not obey stored bytes; null: it is inherited from the
 * caller.
 */
export type GitSink = ((text: string) => void) | null;

/** The sinks of standard output and standard error. */
export interface GitSinks {
  answer: GitSink;
  story: GitSink;
}

/**
 * Runs Git on the store.
 * @param sinks where its output is written; by default into the result
 * @throws {CtxError} usage, unsupported_store, not_found
 */
export async function runGit(repository: Repository, words: readonly string[], sinks?: GitSinks): Promise<GitRun> {
  refuseElsewhere(words);
  checkForGit(repository);
  const before = configText(repository.layout);
  const run = await (sinks ? runOpenly(repository, words, sinks) : runCaught(repository, words));
  checkWrittenConfig(repository, before);
  return run;
}

/** Returns the exit code that a shell gives a process that a signal ended. */
const exitOf = (status: number | null): number => status ?? 128;

function runCaught(repository: Repository, words: readonly string[]): GitRun {
  const { file, options, env } = gitCommand(repository);
  const { error, status, stdout, stderr } = spawnSync(file, [...options, ...words], {
    stdio: [takesInput(words) ? 'inherit' : 'ignore', 'pipe', 'pipe'],
    // If all output is caught, nobody sees an editor, which would wait forever.
    env: { ...env, GIT_EDITOR: 'false' },
    encoding: 'utf8',
    maxBuffer: CAUGHT_LIMIT,
  });
  if (errorCode(error) === 'ENOBUFS') {
    throw new CtxError('io', `Git wrote more than ${CAUGHT_LIMIT} bytes, more than one document of JSON is to hold.`, {
      hint: 'Run it without --json.',
    });
  }
  if (error) throw notBegun(error);
  return { exit: exitOf(status), stdout, stderr };
}

/** So long its last words may take, in milliseconds: what it has left running, an ssh for the next push, may hold its standard error. */
const LAST_WORDS = 500;

async function runOpenly(
  repository: Repository,
  words: readonly string[],
  { answer, story }: GitSinks,
): Promise<GitRun> {
  const { file, options, env } = gitCommand(repository);
  const atOnce = answer !== null && answersAtOnce(words);
  const shown = answer !== null && !atOnce && !wantsTerminal(words) ? openUnlinkedFile(repository.ids()) : null;
  const child = spawn(file, [...options, ...words], {
    stdio: ['inherit', atOnce ? 'pipe' : (shown ?? 'inherit'), story ? 'pipe' : 'inherit'],
    env,
  });
  child.stdout?.setEncoding('utf8').on('data', (text: string) => answer?.(text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => story?.(text));
  const answered = child.stdout && once(child.stdout, 'close');
  const ended = once(child, 'exit') as Promise<[status: number | null]>;
  const closed = once(child, 'close').catch(() => undefined);
  const [status] = await ended.catch((error: unknown) => {
    throw notBegun(error);
  });
  await answered;
  await Promise.race([closed, setTimeout(LAST_WORDS)]);
  const exit = exitOf(status);
  return shown === null ? { exit } : { exit, stdout: { [Symbol.iterator]: () => readText(shown) } };
}

function notBegun(error: unknown): unknown {
  if (errorCode(error) !== 'ENOENT') return error;
  return new CtxError('not_found', 'Git is not installed here.', {
    hint: 'ctx itself does without it: ctx log, ctx show, ctx fsck',
  });
}
