/** Starting processes: ctx, Node and Git, with nothing of the surrounding environment but what they need. */
import { spawnSync } from 'node:child_process';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const PROGRAM = join(ROOT, 'dist', 'ctx.cjs');

/** Variables that a process gets from the environment: no NODE_EXTRA_CA_CERTS, NODE_OPTIONS, CTX_* or GIT_* comes through. */
const KEPT = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot'];

export const ENVIRONMENT: Readonly<Record<string, string>> = Object.fromEntries(
  KEPT.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);

/** Git of its own: no configuration of the user's or the machine's, no signing, a fixed author. */
const GIT_ENVIRONMENT = {
  ...ENVIRONMENT,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: devNull,
  GIT_AUTHOR_NAME: 'bench',
  GIT_AUTHOR_EMAIL: 'bench@localhost',
  GIT_COMMITTER_NAME: 'bench',
  GIT_COMMITTER_EMAIL: 'bench@localhost',
};

/** A process that ended well. */
export interface Finished {
  stdout: string;
  /** Wall time from before the start to after the end, in milliseconds. */
  milliseconds: number;
}

/** Runs a process in a folder. @throws where it does not end with 0 */
function run(
  file: string,
  words: readonly string[],
  folder: string,
  env: Readonly<Record<string, string>>,
  input?: string,
): Finished {
  const before = performance.now();
  const { status, signal, error, stdout, stderr } = spawnSync(file, words, {
    cwd: folder,
    env,
    input,
    stdio: 'pipe',
    maxBuffer: Number.POSITIVE_INFINITY,
  });
  const milliseconds = performance.now() - before;
  if (error) throw error;
  if (status !== 0) {
    throw new Error(`${[file, ...words].join(' ')} ended with ${signal ?? status}: ${stderr.toString('utf8')}`);
  }
  return { stdout: stdout.toString('utf8'), milliseconds };
}

export const runCtx = (folder: string, ...words: string[]): Finished =>
  run(process.execPath, [PROGRAM, ...words], folder, ENVIRONMENT);

/** The same with something on standard input. */
export const runCtxWith = (folder: string, input: string, ...words: string[]): Finished =>
  run(process.execPath, [PROGRAM, ...words], folder, ENVIRONMENT, input);

export const runNode = (folder: string, ...words: string[]): Finished =>
  run(process.execPath, words, folder, ENVIRONMENT);

export const runGit = (folder: string, ...words: string[]): Finished => run('git', words, folder, GIT_ENVIRONMENT);

/** The version of Git, or null where there is none. */
export function gitVersion(): string | null {
  const { status, stdout } = spawnSync('git', ['--version'], { env: ENVIRONMENT, encoding: 'utf8' });
  return status === 0 ? stdout.trim().replace('git version ', '') : null;
}

/** Waits until the disk has what was built, so that writing it does not disturb what is measured; where there is no `sync`, it may. */
export function settleDisk(): void {
  spawnSync('sync', { env: ENVIRONMENT });
}
