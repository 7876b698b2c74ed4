// Stores to test with: made in a folder of their own, looked at with Git itself, gone when the tests of the file are over.
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { expect, inject } from 'vitest';
import { initRepository } from '../../src/app/init.ts';
import { type CtxError, CtxError as CtxErrorClass } from '../../src/core/errors.ts';
import { type OpenOptions, openRepository, type Repository } from '../../src/history/store/repository.ts';
import { groundOfFile, templateOf } from './ground.ts';
import { runToEnd } from './spawn.ts';

/** Folder of the project, and its two built programs: child processes run those, since they start fast. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const LIBRARY = join(ROOT, 'dist', 'index.cjs');
export const PROGRAM = join(ROOT, 'dist', 'ctx.cjs');

/** A new empty folder. */
export const temporaryFolder = (): string => mkdtempSync(join(groundOfFile(), 't-'));

/** A clock that stands still until it is told otherwise. */
export interface FakeClock {
  (): number;
  now: number;
}

export function fakeClock(now = 1_769_040_000): FakeClock {
  const clock = (() => clock.now) as FakeClock;
  clock.now = now;
  return clock;
}

export interface Project {
  /** The folder that holds `.ctx`. */
  folder: string;
  /** `.ctx` itself. */
  store: string;
  repository: Repository;
  clock: FakeClock;
  /** Opens the store once more, as another process would. */
  open: (options?: OpenOptions) => Repository;
  git: (...words: string[]) => string;
}

/** A store as `init` makes it, made once and copied: making one waits for the disk a dozen times. */
const initialised = (): string =>
  templateOf('a store', (directory) => void initRepository({ directory, tracked: true }));

/** A new store; its writes do not wait for the disk, unless the settings say so. */
export function makeProject(settings: Record<string, unknown> = {}, options: OpenOptions = {}): Project {
  const folder = temporaryFolder();
  cpSync(initialised(), folder, { recursive: true });
  writeFileSync(join(folder, '.ctx', 'settings.json'), JSON.stringify({ fsync: false, ...settings }), { mode: 0o600 });
  return projectIn(folder, fakeClock(), options);
}

function projectIn(folder: string, clock: FakeClock, options: OpenOptions): Project {
  const store = join(folder, '.ctx');
  const open = (more: OpenOptions = {}): Repository =>
    openRepository({ directory: folder, clock, ...options, ...more });
  return { folder, store, repository: open(), clock, open, git: (...words) => git(store, words) };
}

/** Copies a project, store and all, which costs a fraction of what was done in it: for tests that begin with the same. */
export function copyOf(project: Pick<Project, 'folder' | 'clock'>, options: OpenOptions = {}): Project {
  const folder = temporaryFolder();
  cpSync(project.folder, folder, { recursive: true, preserveTimestamps: true });
  return projectIn(folder, fakeClock(project.clock.now), options);
}

/** Takes away the second names of objects, as time does within two hours. */
export const dropSecondNames = (store: string): void =>
  rmSync(join(store, 'cache', 'objects'), { recursive: true, force: true });

/** Makes every object, loose or packed, as old as what may be pruned. */
export function ageObjects({ store }: Pick<Project, 'store'>): void {
  const objects = join(store, 'objects');
  const old = Date.now() / 1000 - 30 * 86_400;
  for (const name of readdirSync(objects, { recursive: true, encoding: 'utf8' }))
    if (/[0-9a-f]{38}(\.\w+)?$/.test(name)) utimesSync(join(objects, name), old, old);
}

const GIT_ENVIRONMENT = {
  PATH: process.env['PATH'],
  HOME: '/dev/null/home',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b',
};

/** Runs Git on a store; gives its output. Fails where Git fails. */
export function git(store: string, words: readonly string[], input: string | Buffer = ''): string {
  return gitBytes(store, words, input).toString('utf8');
}

export function gitBytes(store: string, words: readonly string[], input: string | Buffer = ''): Buffer {
  const run = runToEnd('git', ['--git-dir', store, ...words], { input, env: GIT_ENVIRONMENT });
  if (run.status !== 0) throw new Error(`git ${words.join(' ')} ended with ${run.status}: ${run.stderr}${run.stdout}`);
  return run.stdout;
}

/** Returns the result of Git. */
export const runGit = (store: string, words: readonly string[]): number | null =>
  runToEnd('git', ['--git-dir', store, ...words], { env: GIT_ENVIRONMENT }).status;

/** Everything that `git fsck --strict` has to say of a store; empty where it is sound. */
export function fsck(store: string): string {
  const words = ['--git-dir', store, 'fsck', '--strict', '--no-dangling', '--no-progress'];
  const run = runToEnd('git', words, { env: GIT_ENVIRONMENT });
  return `${run.stdout}${run.stderr}${run.status === 0 ? '' : `(exit ${run.status})`}`;
}

/** The error of ctx that a call throws. Anything else, or nothing, is a failure. */
export function errorOf(call: () => unknown): CtxError {
  try {
    call();
  } catch (error) {
    if (error instanceof CtxErrorClass) return error;
    throw error;
  }
  return expect.fail('nothing was thrown');
}

let program: Promise<string> | undefined;

/** One CommonJS file of what processes of the tests can use; made once a process, since Node 20 reads no TypeScript. */
function childProgram(): Promise<string> {
  program ??= (async () => {
    const file = join(inject('templates'), `child-${process.pid}.cjs`);
    const input = join(ROOT, 'test', 'support', 'child.ts');
    // As the build of the program has it: what the parser offers to require() cannot be bundled.
    const resolve = { alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' } };
    const output = { file, format: 'cjs', codeSplitting: false } as const;
    await build({ input, platform: 'node', logLevel: 'silent', resolve, output });
    return file;
  })();
  return program;
}

/** Starts a process that runs a piece of CommonJS with `ctx` (what child.ts exports) and `words` (its arguments). */
export async function startChild(script: string, words: readonly string[] = []): Promise<ChildProcess> {
  const file = await childProgram();
  const text = `const ctx = require(${JSON.stringify(file)}); const words = process.argv.slice(1); ${script}`;
  return spawn(process.execPath, ['-e', text, '--', ...words], { stdio: ['pipe', 'pipe', 'pipe'] });
}

/** Waits for a piece of output. */
export function said(child: ChildProcess, words: string): Promise<void> {
  let text = '';
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (piece: Buffer) => {
      text += piece.toString('utf8');
      if (text.includes(words)) resolve();
    });
    child.on('close', () => reject(new Error(`the process ended without saying ${words}: ${text}`)));
  });
}

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  out: string;
  err: string;
}

/** Waits for the end of a process; gives what it wrote. */
export function ended(child: ChildProcess): Promise<Ended> {
  let out = '';
  let err = '';
  child.stdout?.on('data', (piece: Buffer) => {
    out += piece.toString('utf8');
  });
  child.stderr?.on('data', (piece: Buffer) => {
    err += piece.toString('utf8');
  });
  return new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal, out, err })));
}
