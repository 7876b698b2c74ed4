/** Runs the built program as a user would, in a clean environment, and looks at what it leaves behind. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { ErrorCode } from '../../src/core/errors.ts';
import { groundOfFile, templateOf } from './ground.ts';
import { runResident, runToEnd, type SpawnOptions } from './spawn.ts';

export const PROGRAM = fileURLToPath(new URL('../../dist/ctx.cjs', import.meta.url));

/** Thursday 2026-01-22 00:00:00Z: the time that stories are told at. */
export const NOON = 1_769_040_000;

/** The home of whoever runs ctx in a test file. */
function home(): string {
  const path = join(groundOfFile(), 'home');
  mkdirSync(path, { recursive: true });
  return path;
}

export interface Result {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  input?: string | Buffer | undefined;
  env?: Record<string, string> | undefined;
  cwd?: string | undefined;
  /** Value of CTX_NOW: Unix seconds. */
  now?: number | undefined;
  /** True if it runs in a process of its own, as for a user, and not in one that runs many lines. */
  own?: boolean | undefined;
}

/** A new empty folder. */
export function folder(name = 'folder-'): string {
  return mkdtempSync(join(groundOfFile(), name));
}

/** Writes a file, its folders too; gives its path. */
export function write(path: string, content: string | Buffer): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** Returns the environment of a process of a test: nothing of this machine but the places of programs. */
function environment(options: RunOptions): Record<string, string> {
  const plain = { PATH: process.env['PATH'] ?? '', HOME: home(), TZ: 'UTC', GIT_CONFIG_NOSYSTEM: '1' };
  return { ...plain, ...(options.now === undefined ? {} : { CTX_NOW: String(options.now) }), ...options.env };
}

function processOptions(options: RunOptions): SpawnOptions {
  return { cwd: options.cwd ?? groundOfFile(), env: environment(options), input: options.input };
}

/** Variables that Node or the loader of programs reads when a process starts. */
const STARTING = /^(?:NODE_|LD_)/;

/** Runs `ctx` to its end. */
export function run(args: readonly string[], options: RunOptions = {}): Result {
  const given = processOptions(options);
  const isOwn = options.own ?? Object.keys(given.env).some((name) => STARTING.test(name));
  const { status, stdout, stderr } = isOwn
    ? runToEnd(process.execPath, [PROGRAM, ...args], given)
    : runResident(PROGRAM, args, given);
  return { code: status, stdout: stdout.toString('utf8'), stderr: stderr.toString('utf8') };
}

/** Starts `ctx`; for several at once. */
export function start(args: readonly string[], options: RunOptions = {}): Promise<Result> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: options.cwd ?? groundOfFile(),
    env: environment(options),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (piece: string) => {
      texts[name] += piece;
    });
  }
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...texts }));
  });
}

/** The one object that `--json` prints. */
type Envelope = { ok: true; result: unknown } | { ok: false; error: Failure };

export interface Failure {
  code: ErrorCode;
  message: string;
  hint: string | null;
  data: { [key: string]: unknown } | null;
}

/** Reads the answer of a run with `--json`: exactly one object on one line, and nothing else. */
export function envelope(result: Result): Envelope {
  expect(result.stdout, result.stderr).toMatch(/^\{[^\n]*\}\n$/);
  expect(result.stderr).toBe('');
  return JSON.parse(result.stdout) as Envelope;
}

/** Runs `ctx --json` and gives the result of a command that did what it was asked for. */
export function json<T>(args: readonly string[], options: RunOptions & { exit?: number } = {}): T {
  const ran = run(['--json', ...args], options);
  const answer = envelope(ran);
  expect(answer, ran.stdout).toHaveProperty('ok', true);
  expect(Object.keys(answer)).toEqual(['ok', 'result']);
  expect(ran.code).toBe(options.exit ?? 0);
  return (answer as { result: T }).result;
}

/** Runs `ctx --json` and gives the error of a command that did not. */
export function refused(args: readonly string[], options: RunOptions = {}): Failure & { exit: number | null } {
  const ran = run(['--json', ...args], options);
  const answer = envelope(ran);
  expect(answer, ran.stdout).toHaveProperty('ok', false);
  expect(Object.keys(answer)).toEqual(['ok', 'error']);
  const { error } = answer as { error: Failure };
  expect(Object.keys(error)).toEqual(['code', 'message', 'hint', 'data']);
  return { ...error, exit: ran.code };
}

/** A temporary project with a store in it, and `ctx` run there. */
export interface Repo {
  dir: string;
  /** The store's folder. */
  store: string;
  run: (args: readonly string[], options?: RunOptions) => Result;
  start: (args: readonly string[], options?: RunOptions) => Promise<Result>;
  json: <T>(args: readonly string[], options?: RunOptions & { exit?: number }) => T;
  refused: (args: readonly string[], options?: RunOptions) => Failure & { exit: number | null };
  /** Runs Git on the store; gives its standard output. */
  git: (...args: string[]) => string;
  /** Writes a file of the project; gives its path. */
  write: (path: string, content: string | Buffer) => string;
  /** Another project just like this one, store and all. */
  copy: () => Repo;
}

function repoIn(dir: string, defaults: RunOptions): Repo {
  const store = join(dir, '.ctx');
  const within = <T extends RunOptions>(options?: T): T => ({ cwd: dir, ...defaults, ...options }) as T;
  return {
    dir,
    store,
    run: (args, options) => run(args, within(options)),
    start: (args, options) => start(args, within(options)),
    json: (args, options) => json(args, within(options)),
    refused: (args, options) => refused(args, within(options)),
    git: (...args) => git(dir, '--git-dir=.ctx', ...args),
    write: (path, content) => write(join(dir, path), content),
    copy: () => {
      const twin = folder('copy-');
      cpSync(dir, twin, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
      return repoIn(twin, defaults);
    },
  };
}

/** A project of its own, just like the one that `make` leaves in a folder: to make one takes processes, to copy it takes none. */
function made(how: unknown[], defaults: RunOptions, make: (dir: string) => void): Repo {
  return repoIn(templateOf(JSON.stringify([...how, defaults]), make), defaults).copy();
}

/** Makes a temporary project with a store. `defaults` go with every run in it. */
export function repository(defaults: RunOptions = {}): Repo {
  return made(['repository'], defaults, (dir) => {
    const begun = repoIn(dir, defaults).run(['init']);
    expect(begun, begun.stderr).toMatchObject({ code: 0, stderr: '' });
  });
}

/** Makes a temporary project with a session that has begun. */
export function session(task = 'Add retry with backoff', defaults: RunOptions = { now: NOON }): Repo {
  return made(['session', task], defaults, (dir) => {
    const begun = repoIn(dir, defaults);
    for (const words of [['init'], ['stage', 'start', task]]) {
      const result = begun.run(words);
      expect(result, result.stderr).toMatchObject({ code: 0, stderr: '' });
    }
  });
}

/** Runs Git in a folder and gives its standard output; it must succeed. */
export function git(cwd: string, ...args: string[]): string {
  const { status, stdout, stderr } = runToEnd('git', args, processOptions({ cwd }));
  expect(status, `git ${args.join(' ')}: ${stderr}`).toBe(0);
  return stdout.toString('utf8');
}

/** Asserts that Git finds nothing wrong with the store of a project: it prints nothing at all. */
export function fsck(dir: string): void {
  const args = ['--git-dir=.ctx', 'fsck', '--strict', '--no-dangling'];
  const { status, stdout, stderr } = runToEnd('git', args, processOptions({ cwd: dir }));
  expect({ code: status, stdout: stdout.toString(), stderr: stderr.toString() }).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  });
}

/** Every file below a folder with a digest of its bytes: two of them are equal where nothing has changed. */
export function fingerprint(path: string): Record<string, string> {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = entries.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(
    files.map((file) => [file.slice(path.length + 1), createHash('sha1').update(readFileSync(file)).digest('hex')]),
  );
}

/** The fingerprint of a store but for the catalog, which any search brings up to date. */
export const withoutCatalog = (store: string): Record<string, string> =>
  Object.fromEntries(Object.entries(fingerprint(store)).filter(([path]) => !path.startsWith('cache/catalog/')));

/** Describes a run as a person sees it: exit code and both streams, without the parts that differ from run to run. */
export function seen({ code, stdout, stderr }: Result): string {
  const lines = (mark: string, text: string): string[] =>
    text === ''
      ? []
      : text
          .replace(/\n$/, '')
          .split('\n')
          .map((line) => `${mark}| ${line}`.trimEnd());
  return normalise([`exit ${code}`, ...lines('out', stdout), ...lines('err', stderr)].join('\n'));
}

/** A text with ids, object ids and folders replaced by names; the same one gets the same name. */
export function normalise(text: string): string {
  const names = new Map<string, string>();
  const name = (kind: string, found: string): string => {
    const known =
      names.get(found) ?? `<${kind}${[...names.values()].filter((other) => other.startsWith(`<${kind}`)).length + 1}>`;
    names.set(found, known);
    return known;
  };
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => name('id', id))
    .replaceAll(new RegExp(`${groundOfFile()}/[\\w-]+`, 'g'), '<dir>')
    .replace(/\b[0-9a-f]{40}\b/g, (oid) => name('oid', oid.slice(0, 10)))
    .replace(/\b[0-9a-f]{10}\b/g, (oid) => name('oid', oid))
    .replace(/(?<=[* ] )[0-9a-f]{6}(?= +(?:just now|\d+ \w+ ago) )/g, '<short>')
    .replace(/(?<=\b(?:Ingested|Added to|Saved|child of|ctx switch|in it:) )[0-9a-f]{6}\b/g, (id) => name('short', id));
}
