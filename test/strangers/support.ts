// Shares the means of the tests about strangers: a lived-in store, runs that are watched, and a look at everything around a store.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { ActiveStatus } from '../../src/index.ts';
import { folder, json, NOON, PROGRAM, type Result, run, write } from '../support/cli.ts';
import { templateOf } from '../support/ground.ts';

/** True if everything is tried: slower, and for a person who asks. */
export const FULL = process.env['CTX_STRANGERS_FULL'] === '1';

/** Longest time that any command may take over whatever a stranger has made, in milliseconds. */
export const HUNG = 20_000;
/** Most memory that a command may need, in KiB. */
export const MEMORY = 300 * 1024;

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** A run that was watched: how it ended, what it said, and the most memory that it needed, in KiB. */
export interface Watched extends Result {
  words: readonly string[];
  hung: boolean;
  peak: number;
}

export interface WatchOptions {
  cwd: string;
  env?: Record<string, string> | undefined;
  uid?: number | undefined;
  input?: string | undefined;
  preload?: string | undefined;
  /** Longest time, in milliseconds. */
  limit?: number | undefined;
  umask?: string | undefined;
}

function environment(options: WatchOptions, report: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: '/dev/null/home',
    TZ: 'UTC',
    CTX_NOW: String(NOON),
    STRANGER_REPORT: report,
    ...options.env,
  };
}

function gather(child: ChildProcess, limit: number): Promise<Omit<Watched, 'words' | 'peak'>> {
  const texts = { stdout: '', stderr: '' };
  let hung = false;
  const timer = setTimeout(() => {
    hung = true;
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, limit);
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (piece: string) => {
      if (texts[name].length < 4_000_000) texts[name] += piece;
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code, hung, ...texts });
    });
  });
}

/** A file beside this one, where whoever runs it can read it. */
const toolOf = (name: string, { uid }: WatchOptions): string =>
  uid === undefined ? here(name) : join(forAnybody(), 'test', 'strangers', name);

async function watchNode(args: string[], words: readonly string[], options: WatchOptions): Promise<Watched> {
  const report = join(folder('report-'), 'report');
  const preload = options.preload === undefined ? [] : ['-r', options.preload];
  const node = [process.execPath, '-r', toolOf('measure.cjs', options), ...preload, ...args];
  const line = options.umask === undefined ? node : ['sh', '-c', `umask ${options.umask}; exec "$@"`, 'sh', ...node];
  const child = spawn(line[0] as string, line.slice(1), {
    cwd: options.cwd,
    env: environment(options, report),
    stdio: ['pipe', 'pipe', 'pipe'],
    // A group of its own: what it has started goes with it.
    detached: true,
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  const ended = await gather(child, options.limit ?? HUNG);
  return { words, ...ended, peak: peakOf(report) };
}

function peakOf(report: string): number {
  try {
    return Number(readFileSync(report, 'utf8'));
  } catch {
    return 0;
  }
}

/** Somebody else than root. */
export const NOBODY = 65_534;

/** The program, and what watches it, in a folder that anybody may read: the project may lie where nobody else gets to. */
const forAnybody = (): string => {
  const place = templateOf('a program for anybody', (folder) => {
    cpSync(dirname(PROGRAM), join(folder, 'dist'), { recursive: true });
    cpSync(here('.'), join(folder, 'test', 'strangers'), { recursive: true });
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) chmodSync(join(folder, name), 0o755);
    chmodSync(folder, 0o755);
  });
  chmodSync(dirname(place), 0o711);
  return place;
};

/** Why no command can be run as somebody else here; null if one can. Worked out once. */
export function whyNotAsNobody(): string | null {
  whyNot ??= [tryAsNobody()];
  return whyNot[0] ?? null;
}
let whyNot: [string | null] | undefined;

function tryAsNobody(): string | null {
  if (process.getuid?.() !== 0) return 'only root can run a command as somebody else';
  const program = join(forAnybody(), 'dist', 'ctx.cjs');
  const options = { uid: NOBODY, gid: NOBODY, cwd: '/', encoding: 'utf8' } as const;
  const { status, error, stderr } = spawnSync(process.execPath, [program, '--version'], options);
  return status === 0 ? null : `nobody else can run Node or reach the folder for temporary files: ${error ?? stderr}`;
}

/** Runs `ctx` and watches it. */
export const watch = (words: readonly string[], options: WatchOptions): Promise<Watched> =>
  watchNode([options.uid === undefined ? PROGRAM : join(forAnybody(), 'dist', 'ctx.cjs'), ...words], words, options);

/** One command line of several that ran in one process. */
export interface Ran {
  words: string[];
  code: number;
  ms: number;
}

/** Runs many command lines in one process, which is cheaper; none may hang, and all must come to their end. */
export async function watchMany(
  lines: readonly (readonly string[])[],
  options: WatchOptions,
): Promise<Watched & { ran: Ran[] }> {
  const watched = await watchNode([toolOf('many.cjs', options), JSON.stringify(lines)], [], options);
  const ran = [...watched.stdout.matchAll(/^\0(\{.*\})$/gm)].map(([, text]) => JSON.parse(text as string) as Ran);
  return { ...watched, ran };
}

/** Exit codes of the design that say "done" or "no"; 70 is a bug, null a kill. */
const HONEST = [0, 1, 2, 3, 4, 5];

/** Asserts that all command lines came to an end of the design's table, in time and within bounded memory. */
export function expectHarmless(
  watched: Watched & { ran?: Ran[] },
  lines?: readonly (readonly string[])[],
  isGit = false,
): void {
  const what = `${watched.words.join(' ')}\n${watched.stdout.slice(-2000)}\n${watched.stderr.slice(-4000)}`;
  expect(watched.hung, `hung: ${what}`).toBe(false);
  for (const { words, code } of watched.ran ?? []) {
    // Git's own word of what it cannot read goes through.
    const allowed = words[0] === 'git' ? [...HONEST, 128] : HONEST;
    expect(allowed, `${words.join(' ')}: ${what}`).toContain(code);
  }
  if (lines) expect(watched.ran?.length, what).toBe(lines.length);
  expect(isGit ? [...HONEST, 128] : HONEST, what).toContain(watched.code);
  expect(watched.peak, what).toBeGreaterThan(0);
  expect(watched.peak, `memory: ${what}`).toBeLessThan(MEMORY);
}

/** Commands that only look. */
export const LOOKS: readonly (readonly string[])[] = [
  ['stage', 'status'],
  ['stage', 'recover'],
  ['stage', 'list'],
  ['stage', 'cleanup', '--dry-run'],
  ['log'],
  ['log', '--oneline', '--stat'],
  ['log', '--path', 'src/a.ts'],
  ['show', 'HEAD'],
  ['show', 'STAGE', '--steps'],
  ['diff', 'HEAD~1', 'HEAD'],
  ['diff', 'HEAD'],
  ['op', 'log'],
  ['fsck', '--full'],
];

/** Commands that write, in an order in which each has something to do. */
export const WRITES: readonly (readonly string[])[] = [
  ['observe', 'note', 'One more note'],
  ['observe', 'write', 'src/a.ts'],
  ['stage', 'flush'],
  ['git', 'log', '--oneline', '-n', '3', 'main'],
  ['gc'],
  ['stage', 'ask', 'Which?'],
  ['fsck', '--repair'],
  ['stage', 'compact'],
  ['undo'],
];

export interface Lived {
  /** The folder that everything lies in: the project, and what must not change. */
  outer: string;
  dir: string;
  store: string;
  /** The open session, and one that was compacted. */
  session: string;
  archived: string;
}

/** A store that was lived in: two sessions saved, one open with packed and loose steps, and records that wait. */
export function livedIn(settings: Record<string, unknown> = { fsync: false }): Lived {
  const template = templateOf(`lived in with ${JSON.stringify(settings)}`, (place) => {
    const ids = live(join(place, 'outer'), settings);
    write(join(place, 'ids.json'), JSON.stringify(ids));
  });
  const outer = folder('outer-');
  cpSync(join(template, 'outer'), outer, { recursive: true });
  const dir = join(outer, 'project');
  const ids = JSON.parse(readFileSync(join(template, 'ids.json'), 'utf8')) as Pick<Lived, 'session' | 'archived'>;
  return { outer, dir, store: join(dir, '.ctx'), ...ids };
}

/** Lives in a store. */
function live(outer: string, settings: Record<string, unknown>): Pick<Lived, 'session' | 'archived'> {
  const dir = join(outer, 'project');
  write(join(outer, 'canary.txt'), 'Nobody writes here.\n');
  write(join(dir, 'src', 'a.ts'), 'export const a = 1;\n');
  const ctx = (...words: string[]): void => {
    const result = run(words, { cwd: dir, now: NOON });
    expect(result.code, `${words.join(' ')}: ${result.stderr}`).toBe(0);
  };
  ctx('init');
  chmodSync(write(join(dir, '.ctx', 'settings.json'), JSON.stringify(settings)), 0o600);
  ctx('stage', 'start', 'The first task');
  ctx('observe', 'write', 'src/a.ts', '--flush');
  ctx('stage', 'compact');
  const archived = json<{ session_id: string }[]>(['log'], { cwd: dir })[0]?.session_id as string;
  ctx('stage', 'start', 'The second task');
  write(join(dir, 'src', 'a.ts'), 'export const a = 2;\n');
  ctx('observe', 'write', 'src/a.ts');
  ctx('stage', 'compact');
  ctx('stage', 'start', 'The third task');
  ctx('observe', 'note', `A long note ${'x'.repeat(5000)}`, '--flush');
  ctx('gc');
  ctx('observe', 'plan', 'One, two, three', '--flush');
  ctx('observe', 'note', 'It waits');
  ctx('observe', 'write', 'src/a.ts');
  const { session_id } = json<ActiveStatus>(['stage', 'status'], { cwd: dir, now: NOON });
  return { session: session_id, archived };
}

/** Everything below a folder but what `skip` names: kind, mode, and what is in it. Two pictures are equal where nothing changed. */
export function picture(path: string, skip: (path: string) => boolean = () => false): Record<string, string> {
  const found: Record<string, string> = {};
  const look = (at: string, name: string): void => {
    if (name !== '' && skip(name)) return;
    const stat = lstatSync(at);
    const mode = (stat.mode & 0o7777).toString(8);
    if (stat.isSymbolicLink()) found[name] = `link to ${readlinkSync(at)}`;
    else if (stat.isDirectory()) {
      found[name] = `folder ${mode}`;
      for (const child of readdirSync(at)) look(join(at, child), name === '' ? child : `${name}/${child}`);
    } else if (stat.isFile()) found[name] = `file ${mode} ${createHash('sha1').update(readFileSync(at)).digest('hex')}`;
    else found[name] = `special ${mode}`;
  };
  look(path, '');
  return found;
}

/** Runs tasks, at most so many at a time: some of them only wait. */
export async function several<T>(items: readonly T[], atOnce: number, task: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await task(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
