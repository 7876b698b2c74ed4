/** Runs Git itself on the store: only after its config was checked, and without the user's Git environment. */
import { spawn, spawnSync } from 'node:child_process';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { forbiddenEntries, parseConfig } from '../core/config-file.ts';
import { CtxError } from '../core/errors.ts';
import { below } from '../platform/below.ts';
import { DOCUMENT_LIMIT, errorCode, listFolder, readIfThere } from '../platform/files.ts';
import { remedyFor } from './config-entries.ts';
import { checkEverything } from './guard.ts';
import type { Layout } from './layout.ts';
import type { StoreFiles } from './store-files.ts';

/**
 * Checks that Git may be run on a store.
 * @throws {CtxError} unsupported_store, naming what Git would follow, or the line that could run a program or change Git's
 * guarantees
 */
export function checkForGit({ layout }: StoreFiles): void {
  checkEverything(layout);
  checkGitConfig(layout);
  const [old] = oldRemotes(layout);
  if (old === undefined) return;
  throw new CtxError(
    'unsupported_store',
    `Git is not run on this store: by ${old} it would fetch from and push to where its config says nothing of.`,
    {
      hint: OLD_REMOTE,
    },
  );
}

/** Folders of legacy remotes, which Git reads in addition to the config and which nobody checks. See gitrepository-layout. */
const OLD_REMOTES = ['remotes', 'branches'];

/** The hint for one of them. */
export const OLD_REMOTE = 'Remove it. A remote of yours goes into the config: ctx git remote add <name> <url>';

/** Returns the legacy remotes of a store. A template of Git's may have made the folders. */
export const oldRemotes = ({ root }: Pick<Layout, 'root'>): string[] =>
  OLD_REMOTES.flatMap((folder) => listFolder(below(root, folder)).map((name) => `${folder}/${name}`));

/**
 * Checks the config of a store.
 * @throws {CtxError} unsupported_store, naming the line that could run a program or change Git's guarantees
 */
export function checkGitConfig({ config }: Layout): void {
  const remove = `Remove it from ${config}, if you did not put it there.`;
  const refuse = (why: string, hint = remove): CtxError =>
    new CtxError('unsupported_store', `Git is not run on this store: in its config, ${why}.`, { hint });
  try {
    const [first] = forbiddenEntries(parseConfig(readIfThere(config, DOCUMENT_LIMIT)?.toString('utf8') ?? ''));
    if (first) throw refuse(`line ${first.line} sets ${first.key}`, remedyFor(config, first) ?? remove);
  } catch (error) {
    throw error instanceof SyntaxError ? refuse(error.message) : error;
  }
}

/** A path that cannot exist: Git writes its own settings by renaming, and as root it would replace a device. */
export const NOWHERE = join(devNull, 'none');

/** Returns the environment without variables that make Git use another place or run a program. */
function cleanEnvironment(repository: StoreFiles): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  return {
    ...Object.fromEntries(kept),
    GIT_COMMON_DIR: repository.layout.root,
    // With GIT_COMMON_DIR alone Git takes its working folder for a work tree, whatever core.bare says: `clean` would empty
    // it.
    GIT_IMPLICIT_WORK_TREE: '0',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: NOWHERE,
    // A stranger's refs/replace would show another history than the real one.
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_TERMINAL_PROMPT: '0',
  };
}

/** Author and committer if the environment names none: only the store's own settings are read. */
const IDENTITY = ['-c', 'user.name=ctx', '-c', 'user.email=ctx@localhost'];

/** Returns the command line and environment of Git for a store; no hooks run. */
export function gitCommand(repository: StoreFiles): { file: string; options: string[]; env: NodeJS.ProcessEnv } {
  const options = ['--git-dir', repository.layout.root, '-c', `core.hooksPath=${devNull}`, ...IDENTITY];
  // By default Git waits for the disk only for some of its files.
  if (repository.durability.fsync) options.push('-c', 'core.fsync=all');
  return { file: 'git', options, env: cleanEnvironment(repository) as NodeJS.ProcessEnv };
}

/**
 * Git's own caches about objects: a stranger's may misrepresent reachability and positions with a correct checksum. Git that
 * ctx runs uses only objects, packs and their indexes, which ctx checks.
 */
const BY_OBJECTS_ALONE = ['core.commitGraph', 'core.multiPackIndex', 'pack.useBitmaps'];

/** Returns the command line of Git for the work of ctx itself. */
export function workingGit(repository: StoreFiles): ReturnType<typeof gitCommand> {
  const { options, ...command } = gitCommand(repository);
  return { ...command, options: [...options, ...BY_OBJECTS_ALONE.flatMap((key) => ['-c', `${key}=false`])] };
}

/** Returns whether Git is installed, even if it fails; run with its environment, since even its version depends on it. */
export function hasGit(repository: StoreFiles): boolean {
  const { file, env } = gitCommand(repository);
  return errorCode(spawnSync(file, ['--version'], { stdio: 'ignore', env }).error) !== 'ENOENT';
}

/** Options of a run of Git: settings for this run, input, most bytes of output, and another object folder. */
export interface Talk {
  settings?: readonly string[];
  input?: string;
  most?: number;
  objects?: string;
}

/**
 * Runs Git on the store without showing its output; returns the output, or null if it is longer than `most`.
 * @throws {CtxError} io, with Git's message
 */
export function runQuietly(
  repository: StoreFiles,
  words: readonly string[],
  { settings = [], input = '', most, objects }: Talk = {},
): string | null {
  const { file, options, env } = quietCommand(repository);
  if (objects !== undefined) env['GIT_OBJECT_DIRECTORY'] = objects;
  const given = settings.flatMap((setting) => ['-c', setting]);
  const result = spawnSync(file, [...options, ...given, ...words], { encoding: 'utf8', env, input, maxBuffer: most });
  // It may have ended regularly all the same.
  if (most !== undefined && errorCode(result.error) === 'ENOBUFS') return null;
  if (result.status === 0) return result.stdout;
  throw failed(words, result);
}

/** Runs Git with a text as input; its output goes to an open file. @throws {CtxError} io, with Git's message; unsupported_store */
export function runIntoFile(repository: StoreFiles, words: readonly string[], input: string, output: number): void {
  const { file, options, env } = quietCommand(repository);
  const result = spawnSync(file, [...options, ...words], {
    encoding: 'utf8',
    env,
    input,
    stdio: ['pipe', output, 'pipe'],
  });
  if (result.status !== 0) throw failed(words, result);
}

/** Exit codes below this are the sum of the kinds of faults that `git fsck` found. */
const FOUND = 64;
/** Exit code of a Git that gave up. */
const GAVE_UP = 128;
/** Messages of a Git that gave up for lack of resources, which is no fault of the store. */
const NO_ROOM =
  /out of memory|(?:cannot|could not) allocate|unable to create thread|too many open files|mmap failed|cannot be mapped|no space left|cannot fork|resource temporarily/i;

/**
 * Runs a check of Git on the store.
 * @param most bytes of each output stream that are read
 * @returns the lines that describe faults; empty if there are none
 * @throws {CtxError} io, if Git cannot check; unsupported_store
 */
export function askGit(
  repository: StoreFiles,
  words: readonly string[],
  { settings = [], most }: Pick<Talk, 'settings' | 'most'>,
): string[] {
  const { file, options, env } = quietCommand(repository);
  const given = settings.flatMap((setting) => ['-c', setting]);
  const result = spawnSync(file, [...options, ...given, ...words], {
    encoding: 'utf8',
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: most,
  });
  if (result.status === 0) return [];
  const said = `${result.stderr ?? ''}\n${result.stdout ?? ''}`.split('\n').filter((line) => line.trim() !== '');
  const isCut = errorCode(result.error) === 'ENOBUFS';
  const status = result.status ?? Number.POSITIVE_INFINITY;
  const isJudged = isCut || status < FOUND || (status === GAVE_UP && !said.some((line) => NO_ROOM.test(line)));
  if (isJudged && said.length > 0) return said;
  throw failed(words, result);
}

/** Returns the command line of Git with messages in English, for output that is parsed. @throws {CtxError} unsupported_store */
function quietCommand(repository: StoreFiles): ReturnType<typeof gitCommand> {
  checkForGit(repository);
  const { env, ...command } = workingGit(repository);
  return { ...command, env: { ...env, LC_ALL: 'C' } };
}

/** The end of a process of Git. */
interface Ended {
  status: number | null;
  signal: NodeJS.Signals | null;
  stderr: string | null;
  error?: Error | undefined;
}

function failed([command]: readonly string[], { status, signal, stderr, error }: Ended): CtxError {
  const said = stderr?.trim().split('\n') ?? [];
  // The first such line is the cause: later ones say that Git could not continue. There is none if it could not be started.
  const cause = said.find((line) => /^(fatal|error): /.test(line)) || said.at(-1);
  const ended = error ? errorCode(error) : signal ? `ended by ${signal}` : `exit ${status}`;
  return new CtxError('io', `git ${command} failed: ${cause || ended}`, {
    hint: 'Nothing was removed. Look for what is wrong with: ctx fsck',
  });
}

/**
 * Runs Git with a text as input, and ignores its output.
 * @param begun called with the process id before the input is written
 * @throws {CtxError} io, with Git's message; unsupported_store
 */
export async function runOnInput(
  repository: StoreFiles,
  words: readonly string[],
  input: string,
  begun: (pid: number) => void,
): Promise<void> {
  const { file, options, env } = quietCommand(repository);
  const child = spawn(file, [...options, ...words], { env, stdio: ['pipe', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (piece: Buffer) => {
    stderr += piece.toString('utf8');
  });
  // Git has ended then, and its exit says why.
  child.stdin.on('error', () => undefined);
  const end = new Promise<Ended>((resolve) => {
    child.on('error', (error) => resolve({ status: null, signal: null, stderr, error }));
    child.on('close', (status, signal) => resolve({ status, signal, stderr }));
  });
  try {
    if (child.pid !== undefined) begun(child.pid);
  } catch (error) {
    child.kill();
    throw error;
  }
  child.stdin.end(input);
  const ended = await end;
  if (ended.status !== 0) throw failed(words, ended);
}
