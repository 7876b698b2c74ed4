// Links, FIFOs, sockets and devices in every place of a store's layout: nothing hangs, and nothing outside is touched.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { tellCases } from '../support/cases.ts';
import { folder, write } from '../support/cli.ts';
import { expectHarmless, FULL, type Lived, LOOKS, livedIn, picture, several, WRITES, watchMany } from './support.ts';

let lived: Lived;
beforeAll(() => {
  lived = livedIn();
});

const ID = '<session>';
const OLD = '<archived>';

/** Places of files; a star is the first name in the folder. */
const FILES = [
  ...['HEAD', 'STAGE', 'STAGE.lock', 'config', 'config.lock', 'settings.json', 'packed-refs', 'packed-refs.lock'],
  ...['LOCK', 'LOCK.ref', 'LOCK.packed', 'LOCK.packed.new', 'hook-errors.jsonl', 'description', 'index'],
  ...['refs/heads/main', 'refs/heads/main.lock', `refs/sessions/${ID}`, `refs/sessions/${ID}.lock`],
  ...[`refs/archive/${OLD}`, `refs/archive/${ID}`, `refs/archive/${ID}.lock`, 'refs/sessions/somebody-else'],
  ...['logs/HEAD', 'logs/refs/heads/main', `logs/refs/sessions/${ID}`, `logs/refs/archive/${OLD}`],
  ...[`logs/refs/archive/${ID}`, `pending/${ID}/*`, `pending/${ID}/objects/*`, 'oplog/*', 'oplog/begun.json'],
  ...['objects/??/*', 'objects/pack/*.pack', 'objects/pack/*.idx', 'objects/info/packs', 'objects/info/commit-graph'],
  ...['objects/pack/multi-pack-index', `objects/pack/pack-${'0'.repeat(40)}.idx`, 'info/attributes', 'info/exclude'],
];

const FOLDERS = [
  ...['objects', 'objects/??', 'objects/pack', 'objects/info', 'refs', 'refs/heads', 'refs/sessions', 'refs/archive'],
  ...['refs/tags', 'logs', 'logs/refs', 'logs/refs/heads', 'logs/refs/sessions', 'logs/refs/archive', 'pending'],
  ...[`pending/${ID}`, `pending/${ID}/objects`, 'pending/somebody-else', 'oplog', 'lost', 'cache', 'info', 'hooks'],
  ...['choices'],
];

/** Kinds of files that a stranger puts there. A link to the outside leads to the former content, so that it would work if it were followed. */
const KINDS = ['link out', 'dangling link', 'FIFO', 'socket', 'link to /dev/zero', 'device', 'other'] as const;
type Kind = (typeof KINDS)[number];

/** A device that never ends, as mknod names it. */
const ZERO = ['c', '1', '5'];

/** Checks if this user may make devices, where this file system takes them. */
const mayMakeDevices = (): boolean => spawnSync('mknod', [join(folder('device-'), 'zero'), ...ZERO]).status === 0;

interface Case {
  place: string;
  kind: Kind;
  isFile: boolean;
}

const ALL: Case[] = KINDS.flatMap((kind) => [
  ...FILES.map((place) => ({ place, kind, isFile: true })),
  ...FOLDERS.map((place) => ({ place, kind, isFile: false })),
]);
/** Not in every run: of links every second place, of the rarer kinds every seventh, and few of the locks that somebody seems to hold for ever. */
const CASES = ALL.filter(({ kind, place }, index) => {
  if (FULL || (kind === 'link out' && index % 2 === 0)) return true;
  return index % 7 === 0 || (kind === 'FIFO' && !place.endsWith('.lock') && index % 3 === 0);
});
const EVERY_LINE = [...LOOKS, ['secrets', 'scan'], ...WRITES];
const LINES = FULL
  ? EVERY_LINE
  : EVERY_LINE.filter(([, second], index) => index === 0 || ['note', 'scan', 'compact'].includes(second ?? ''));

/** The paths that a place stands for in a store. */
function pathsOf(store: string, place: string): string[] {
  const named = place.replace(ID, lived.session).replace(OLD, lived.archived);
  if (named === 'objects/??')
    return Array.from({ length: 256 }, (_, byte) => join(store, 'objects', byte.toString(16).padStart(2, '0')));
  const parent = dirname(named);
  const folders = parent.endsWith('??')
    ? readdirSync(join(store, 'objects'))
        .filter((name) => /^[0-9a-f]{2}$/.test(name))
        .map((name) => `objects/${name}`)
    : [parent];
  if (!basename(named).startsWith('*')) return [join(store, named)];
  return folders.flatMap((at) =>
    readdirSync(join(store, at))
      .filter((name) => name.endsWith(basename(named).slice(1)) && lstatSync(join(store, at, name)).isFile())
      .map((name) => join(store, at, name)),
  );
}

async function makeSocket(path: string): Promise<void> {
  // The name of a socket may not be long where it is made; it may be moved.
  const short = join(folder('s-').replace(/^.*?(?=\/ctx-test)/, tmpdir()), 's');
  const server = createServer();
  await new Promise<void>((done) => server.listen(short, done));
  renameSync(short, path);
  server.close();
}

async function put(path: string, { kind, isFile }: Case, outside: string): Promise<void> {
  const stolen = join(outside, 'stolen', path.replace(/^.*\/\.ctx\//, ''));
  mkdirSync(dirname(stolen), { recursive: true });
  mkdirSync(dirname(path), { recursive: true });
  if (existsSync(path)) renameSync(path, stolen);
  else if (isFile) write(stolen, '');
  else mkdirSync(stolen);
  if (kind === 'link out') symlinkSync(stolen, path);
  else if (kind === 'dangling link') symlinkSync(join(outside, 'nowhere'), path);
  else if (kind === 'FIFO') expect(spawnSync('mkfifo', [path]).status).toBe(0);
  else if (kind === 'socket') await makeSocket(path);
  else if (kind === 'link to /dev/zero') symlinkSync('/dev/zero', path);
  else if (kind === 'device') expect(spawnSync('mknod', [path, ...ZERO]).status).toBe(0);
  else if (isFile) mkdirSync(path);
  else write(path, 'x');
}

async function tryCase(one: Case): Promise<void> {
  const outer = join(folder('case-'), 'o');
  cpSync(lived.outer, outer, { recursive: true });
  const dir = join(outer, 'project');
  const what = `${one.kind} at ${one.place}`;
  const paths = pathsOf(join(dir, '.ctx'), one.place);
  expect(paths, what).not.toEqual([]);
  for (const path of paths) await put(path, one, outer);
  const outside = (): Record<string, string> => picture(outer, (path) => path === 'project/.ctx');
  const before = outside();
  const watched = await watchMany(LINES, { cwd: dir, limit: one.place.endsWith('.lock') ? 60_000 : 20_000 });
  expectHarmless({ ...watched, words: [what] }, LINES);
  tellCases(LINES.length);
  expect(outside(), `${what}: ${watched.stderr}`).toEqual(before);
  rmSync(outer, { recursive: true, force: true });
}

describe('a place of the layout', () => {
  test.for(KINDS)('%s', { timeout: 600_000 }, async (kind, context) => {
    if (kind === 'device' && !mayMakeDevices()) return context.skip('mknod is not allowed here');
    await several(
      CASES.filter((one) => one.kind === kind),
      2,
      tryCase,
    );
  });
});
