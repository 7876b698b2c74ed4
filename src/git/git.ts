/** Running Git itself on the store: only once its config is known to be harmless, and never with anybody's environment. */
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

/** @throws {CtxError} unsupported_store, naming what Git would follow, or the line that could run a program or change what Git promises */
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

/** Folders whose files tell Git of remotes in forms of old, beside its config: what they say is checked by nobody. See gitrepository-layout. */
const OLD_REMOTES = ['remotes', 'branches'];

/** What to do about one of them. */
export const OLD_REMOTE = 'Remove it. A remote of yours goes into the config: ctx git remote add <name> <url>';

/** Such files. A template of Git's may have made the folders. */
export const oldRemotes = ({ root }: Pick<Layout, 'root'>): string[] =>
  OLD_REMOTES.flatMap((folder) => listFolder(below(root, folder)).map((name) => `${folder}/${name}`));

/** @throws {CtxError} unsupported_store, naming the line of the config that could run a program or change what Git promises */
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

/** A file that there can be none of: Git writes its own settings by renaming, and as root it would put them in the place of a device. */
export const NOWHERE = join(devNull, 'none');

/** The environment without what would make Git look elsewhere or run something. */
function cleanEnvironment(repository: StoreFiles): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  return {
    ...Object.fromEntries(kept),
    GIT_COMMON_DIR: repository.layout.root,
    // With that alone Git takes the folder it runs in for a work tree, whatever core.bare says: `clean` would empty it.
    GIT_IMPLICIT_WORK_TREE: '0',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: NOWHERE,
    // A stranger's refs/replace would show another history than the one that is there.
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_TERMINAL_PROMPT: '0',
  };
}

/** Who makes a commit, where the environment does not say it: no settings but the store's are read. */
const IDENTITY = ['-c', 'user.name=ctx', '-c', 'user.email=ctx@localhost'];

/** How Git is called on a store: no hook of anybody's runs. */
export function gitCommand(repository: StoreFiles): { file: string; options: string[]; env: NodeJS.ProcessEnv } {
  const options = ['--git-dir', repository.layout.root, '-c', `core.hooksPath=${devNull}`, ...IDENTITY];
  // By itself Git waits for the disk with some of what it writes only.
  if (repository.durability.fsync) options.push('-c', 'core.fsync=all');
  return { file: 'git', options, env: cleanEnvironment(repository) as NodeJS.ProcessEnv };
}

/**
 * What Git has made of objects for itself: a stranger's may lie, with the right checksum, of what is reachable and where it lies.
 * What ctx has Git do goes by the objects, their packs and the indexes of those, which ctx checks.
 */
const BY_OBJECTS_ALONE = ['core.commitGraph', 'core.multiPackIndex', 'pack.useBitmaps'];

/** How Git is called where ctx itself works with it. */
export function workingGit(repository: StoreFiles): ReturnType<typeof gitCommand> {
  const { options, ...command } = gitCommand(repository);
  return { ...command, options: [...options, ...BY_OBJECTS_ALONE.flatMap((key) => ['-c', `${key}=false`])] };
}

/** Whether Git is installed here, however well it works; asked as it is run, since even its version is told in an environment. */
export function hasGit(repository: StoreFiles): boolean {
  const { file, env } = gitCommand(repository);
  return errorCode(spawnSync(file, ['--version'], { stdio: 'ignore', env }).error) !== 'ENOENT';
}

/** What Git is given, how many bytes it may write, a folder that it is to take for that of the objects, and settings for this once. */
export interface Talk {
  settings?: readonly string[];
  input?: string;
  most?: number;
  objects?: string;
}

/**
 * Runs Git quietly on the store; gives what it wrote, or null where that is more than was asked for.
 * @throws {CtxError} io, with what Git said
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
  // It may have come to its end all the same.
  if (most !== undefined && errorCode(result.error) === 'ENOBUFS') return null;
  if (result.status === 0) return result.stdout;
  throw failed(words, result);
}

/** What Git ends with that has found something is less than that: a sum of what. */
const FOUND = 64;
/** What it ends with that cannot go on. */
const GAVE_UP = 128;
/** What it says then that is no fault of the store. */
const NO_ROOM =
  /out of memory|(?:cannot|could not) allocate|unable to create thread|too many open files|mmap failed|cannot be mapped|no space left|cannot fork|resource temporarily/i;

/**
 * Asks Git for its judgement of the store.
 * @param most how many bytes of each kind of output are listened to
 * @returns the lines in which it says what is wrong; none where nothing is
 * @throws {CtxError} io, where it cannot tell; unsupported_store
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

/** How Git is called where what it says is read here: in one language. @throws {CtxError} unsupported_store */
function quietCommand(repository: StoreFiles): ReturnType<typeof gitCommand> {
  checkForGit(repository);
  const { env, ...command } = workingGit(repository);
  return { ...command, env: { ...env, LC_ALL: 'C' } };
}

/** How a process of Git's ended. */
interface Ended {
  status: number | null;
  signal: NodeJS.Signals | null;
  stderr: string | null;
  error?: Error | undefined;
}

function failed([command]: readonly string[], { status, signal, stderr, error }: Ended): CtxError {
  const said = stderr?.trim().split('\n') ?? [];
  // The first is the cause: what follows tells that it could not go on. Where it could not be begun there is none.
  const cause = said.find((line) => /^(fatal|error): /.test(line)) || said.at(-1);
  const ended = error ? errorCode(error) : signal ? `ended by ${signal}` : `exit ${status}`;
  return new CtxError('io', `git ${command} failed: ${cause || ended}`, {
    hint: 'Nothing was removed. Look for what is wrong with: ctx fsck',
  });
}

/**
 * Runs Git on a text, without an answer.
 * @param begun told of its process before that is given anything
 * @throws {CtxError} io, with what Git said; unsupported_store
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
  // It has ended then, and tells why.
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
