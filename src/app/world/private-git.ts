/** Runs Git on the snapshots of a work tree: a Git folder of its own in the store, beside the repository of the user. */
import { spawnSync } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { devNull, homedir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { CtxError } from '../../core/errors.ts';
import { oneLine } from '../../core/text.ts';
import { NOWHERE } from '../../git/git.ts';
import { gitFolder } from '../../history/store/exclude.ts';
import type { Repository } from '../../history/store/repository.ts';
import { errorCode, exists, makeFolder, readIfThere, writeDurably } from '../../platform/files.ts';
import { readLinkedIfThere } from '../../platform/foreign-file.ts';

/** The snapshots of one work tree. */
export interface Snapshots {
  repository: Repository;
  /** The Git folder of the snapshots. */
  folder: string;
  /** The top of the work tree, whose `.gitignore` counts. */
  top: string;
  /** The folder of the project below the top, with slashes: nothing outside of it is in a snapshot. Empty if it is the top. */
  prefix: string;
  /** Names temporary files of this command. */
  nonce: string;
}

/** Most bytes of an answer of Git: the names of all files of a large work tree. */
const ANSWER_LIMIT = 512 * 1024 * 1024;

/** Opens the snapshots of a store; its Git folder is made if it is absent. */
export function openSnapshots(repository: Repository): Snapshots {
  const folder = repository.layout.snapshots;
  const top = topOf(repository.project);
  const prefix = relative(top, repository.project).split(sep).join('/');
  if (!exists(join(folder, 'HEAD'))) make(repository, folder);
  return { repository, folder, top, prefix, nonce: repository.ids() };
}

/** Returns the top of the Git work tree around a folder; the folder itself if there is none. */
function topOf(project: string): string {
  for (let at = project; ; at = dirname(at)) {
    if (exists(join(at, '.git'))) return at;
    if (dirname(at) === at) return project;
  }
}

/** No attribute of the project converts what is kept: a file comes back byte for byte. */
const ATTRIBUTES = '* -text -ident -filter !eol !working-tree-encoding\n';
const CONFIG = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tsharedRepository = 0600\n';

/** Makes the Git folder by hand: a template of the user would add hooks to it. HEAD is written last. */
function make({ durability, ids }: Repository, folder: string): void {
  for (const inner of ['.', 'objects/info', 'objects/pack', 'refs', 'info'])
    makeFolder(resolve(folder, inner), durability);
  const write = (name: string, text: string): void =>
    writeDurably(join(folder, name), join(folder, `tmp_${ids()}`), text, durability);
  write('config', CONFIG);
  write('info/attributes', ATTRIBUTES);
  write('info/exclude', '.ctx/\n');
  write('HEAD', 'ref: refs/heads/snapshots\n');
}

/** Options of one run of Git. */
export interface Given {
  /** The index, by its path; that of the snapshots if absent. */
  index?: string | undefined;
  /** Another folder of objects to read from. */
  borrowed?: string | undefined;
  /** Bytes of its input, one in each character. */
  input?: string | undefined;
  /** Settings for this run. */
  settings?: readonly string[];
  /** Exit codes beside 0 that are no failure. */
  accepted?: readonly number[];
  /** Folder of the work tree, if it is not that of the project. */
  top?: string;
}

const SETTINGS = [
  `core.hooksPath=${devNull}`,
  'core.fsmonitor=false',
  'core.autocrlf=false',
  'core.safecrlf=false',
  'core.quotePath=false',
  'core.compression=1',
  'gc.auto=0',
  'advice.addEmbeddedRepo=false',
];

/** The environment without what leads Git elsewhere. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  return { ...Object.fromEntries(kept), GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' };
}

/** Runs Git on the snapshots. @returns the bytes of its output, one in each character @throws {CtxError} as `runOnSnapshots` */
export const onSnapshots = (snapshots: Snapshots, words: readonly string[], given: Given = {}): string =>
  runOnSnapshots(snapshots, words, given).output;

/**
 * Runs Git on the snapshots.
 * @returns its exit code, which is 0 or accepted, and the bytes of its output, one in each character
 * @throws {CtxError} not_found, if Git is not installed; io, with Git's words
 */
export function runOnSnapshots(
  { repository, folder, top }: Snapshots,
  words: readonly string[],
  given: Given = {},
): { status: number; output: string } {
  const { index, borrowed, input, settings = [], accepted = [] } = given;
  // As Git itself has it: packs are on disk before they count, single objects soon after.
  const options = [...SETTINGS, ...(repository.durability.fsync ? [] : ['core.fsync=none']), ...settings];
  const env = {
    ...environment(),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: NOWHERE,
    ...(index === undefined ? {} : { GIT_INDEX_FILE: index }),
    ...(borrowed === undefined ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: borrowed }),
  };
  const line = [`--git-dir=${folder}`, `--work-tree=${given.top ?? top}`, ...options.flatMap((one) => ['-c', one])];
  const cwd = given.top ?? top;
  const ran = spawnSync('git', [...line, ...words], {
    cwd,
    env,
    input: input === undefined ? undefined : Buffer.from(input, 'latin1'),
    encoding: 'latin1',
    maxBuffer: ANSWER_LIMIT,
  });
  if (errorCode(ran.error) === 'ENOENT' && exists(cwd))
    throw new CtxError('not_found', 'Git is not installed here: it takes the snapshots of the work tree.', {
      hint: 'Install Git, or set "snapshots" to false in settings.json.',
    });
  const { status, stdout: output } = ran;
  if (status !== null && [0, ...accepted].includes(status)) return { status, output };
  const why = ran.error ? errorCode(ran.error) : oneLine(Buffer.from(ran.stderr, 'latin1').toString(), 300);
  throw new CtxError('io', `git ${words[0]} failed on the snapshots of the work tree: ${why}`);
}

/** Asks Git about the repository of the user, which is only read; null if Git gives no answer. */
export function askUsersGit(top: string, words: readonly string[], encoding: BufferEncoding = 'utf8'): string | null {
  const env = environment();
  const ran = spawnSync('git', words, { cwd: top, env, encoding, maxBuffer: ANSWER_LIMIT });
  return ran.status === 0 ? ran.stdout : null;
}

/**
 * Writes the patterns of what Git ignores in a work tree beside its `.gitignore` files: the user's own for all repositories, then those of
 * the repository's `info/exclude`, which count more.
 * @param file where to write them
 * @returns the setting by which a run of Git reads them
 */
export function writeExcludes({ repository, folder }: Snapshots, top: string, file: string): string[] {
  const git = exists(join(top, '.git')) ? gitFolder(top) : null;
  const everywhere = askUsersGit(top, ['config', '--type=path', '--get', 'core.excludesFile'])?.trim();
  const files = [
    everywhere ?? join(process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'git/ignore'),
    ...(git === null ? [] : [join(git, 'info/exclude')]),
  ];
  const text = Buffer.concat(files.filter((one) => one !== '').flatMap((one) => [patternsIn(one), Buffer.from('\n')]));
  if (!readIfThere(file)?.equals(text))
    writeDurably(file, join(folder, `tmp_${repository.ids()}`), text, { fsync: false });
  return [`core.excludesFile=${file}`];
}

/** Reads a file of patterns; Git, too, passes over one that it cannot read. */
function patternsIn(file: string): Buffer {
  try {
    return readLinkedIfThere(file) ?? Buffer.alloc(0);
  } catch {
    return Buffer.alloc(0);
  }
}

/** Returns whether a path is a folder, and no link to one. */
export const isFolder = (path: string | Buffer): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
