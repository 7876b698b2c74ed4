// A rewind of files, its opposite, and the undo of one, killed at each call: the conversation and the files are as before, or as asked once the next command has run.

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { folder, git, NOON, type Repo, run, session, write } from '../support/cli.ts';

const FAULT = fileURLToPath(new URL('fault.cjs', import.meta.url));

/** Lists every file of a work tree with its permissions and content, every link with its target, and every empty folder. */
function filesOf(top: string, below = ''): string[] {
  const names = readdirSync(join(top, below)).filter((name) => name !== '.git' && name !== '.ctx');
  if (names.length === 0) return [`${below}/`];
  return names.flatMap((name) => {
    const path = join(below, name);
    const stats = lstatSync(join(top, path));
    if (stats.isDirectory()) return filesOf(top, path);
    if (stats.isSymbolicLink()) return [`${path} -> ${readlinkSync(join(top, path))}`];
    return [`${path} ${(stats.mode & 0o777).toString(8)} ${readFileSync(join(top, path), 'utf8')}`];
  });
}

const stateOf = (repo: Repo): string =>
  [...filesOf(repo.dir), ...repo.json<{ id: string }[]>(['messages']).map(({ id }) => id)].join('\n');

/** Runs Git with an author, and with submodules of this machine allowed. */
const gitIn = (dir: string, ...words: string[]): string =>
  git(dir, '-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always', ...words);

/** A repository with one file. */
function library(): string {
  const dir = folder('library-');
  write(join(dir, 'lib.txt'), 'lib\n');
  gitIn(dir, 'init', '-q');
  gitIn(dir, 'add', '-A');
  gitIn(dir, 'commit', '-qm', 'first');
  return dir;
}

/** Changes a work tree, as a shell command does, in all ways that a snapshot knows. */
function workIn(dir: string): void {
  const at = (path: string): string => join(dir, path);
  write(at('edited'), 'other\n');
  rmSync(at('deleted'));
  write(at('added/deep/file'), 'new\n');
  mkdirSync(at('elsewhere'));
  renameSync(at('renamed'), at('elsewhere/renamed'));
  chmodSync(at('program'), 0o644);
  rmSync(at('link'));
  symlinkSync('edited', at('link'));
  rmSync(at('folder'), { recursive: true });
  write(at('folder'), 'a file\n');
  rmSync(at('file'));
  write(at('file/inner'), 'in a folder\n');
  rmSync(at('linked'), { recursive: true });
  symlinkSync('elsewhere', at('linked'));
  write(at('lib/lib.txt'), 'edited\n');
  write(at('lib/more.txt'), 'more\n');
}

function talked(): Repo {
  const repo = session('The task', { now: NOON });
  repo.write('.ctx/settings.json', '{"fsync":false,"snapshots":true}');
  gitIn(repo.dir, 'init', '-q');
  gitIn(repo.dir, 'submodule', '--quiet', 'add', library(), 'lib');
  for (const path of ['edited', 'deleted', 'renamed', 'program', 'folder/inner', 'file', 'linked/inner'])
    repo.write(path, `${path}\n`);
  chmodSync(join(repo.dir, 'program'), 0o755);
  symlinkSync('program', join(repo.dir, 'link'));
  const say = (role: string, id: string): void => {
    const message = JSON.stringify({ id, parts: [{ type: 'text', text: id }] });
    expect(repo.run(['messages', 'append', '--role', role, message])).toMatchObject({ code: 0 });
  };
  say('user', 'question');
  workIn(repo.dir);
  say('assistant', 'answer');
  return repo;
}

const REWIND = ['rewind', '--both', 'question'];

test.each([
  { words: REWIND, before: [] },
  { words: ['unrewind'], before: [REWIND] },
  { words: ['undo'], before: [REWIND] },
])(
  '$words of the files, killed, leaves them as before or is finished by the next command',
  { timeout: 900_000 },
  ({ words, before }) => {
    const base = talked();
    for (const one of before) expect(base.run(one, { now: NOON })).toMatchObject({ code: 0 });
    const asked = base.copy();
    expect(asked.run(words, { now: NOON })).toMatchObject({ code: 0 });
    const states = [stateOf(base), stateOf(asked)];
    expect(states[0]).not.toBe(states[1]);
    const seen = new Set<string>();
    for (let at = 1; at < 500; at += 1) {
      const repo = base.copy();
      const env = {
        TORTURE_STORE: repo.dir,
        TORTURE_AT: String(at),
        TORTURE_MODE: 'kill',
        NODE_OPTIONS: `-r ${FAULT}`,
      };
      const { code } = run(words, { cwd: repo.dir, now: NOON, env });
      const isBetween = existsSync(join(repo.store, 'snapshots/restore.json'));
      const named = run(['stage', 'status'], { cwd: repo.dir, now: NOON }).stderr;
      expect(named.includes('A rewind of files was interrupted'), `kill ${at}`).toBe(isBetween);
      const next = run(['observe', 'note', 'Next'], { cwd: repo.dir, now: NOON });
      expect(next, `kill ${at}`).toMatchObject({ code: 0, stderr: expect.not.stringContaining('left as they are') });
      expect(run(['fsck'], { cwd: repo.dir, now: NOON }), `kill ${at}`).toMatchObject({ code: 0 });
      const now = stateOf(repo);
      expect(states, `kill ${at}`).toContain(now);
      seen.add(now);
      rmSync(dirname(repo.store), { recursive: true });
      if (code !== null) break;
    }
    expect([...seen]).toEqual(states);
  },
);
