/** A work tree of a user, with snapshots of its files. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ctx from '../../src/index.ts';
import { makeProject, type Project } from './store.ts';

/** Runs Git with an author, and with submodules of this machine allowed. */
export const gitIn = (folder: string, ...words: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always', ...words], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
  });

/** A project whose files are in Git, with snapshots on and a session. */
export function worked(settings: Record<string, unknown> = { snapshots: true }): Project {
  const project = makeProject(settings);
  gitIn(project.folder, 'init', '-q');
  put(project, {
    'src/a.txt': 'one\n',
    'b.txt': 'two\n',
    'run.sh': 'true\n',
    '.gitignore': '*.log\n',
    'x.log': 'log\n',
  });
  chmodSync(join(project.folder, 'run.sh'), 0o755);
  symlinkSync('b.txt', join(project.folder, 'link'));
  gitIn(project.folder, 'add', '-A', '--', ':!.ctx');
  gitIn(project.folder, 'commit', '-qm', 'first');
  ctx.startSession(project.repository, 'the task');
  return project;
}

/** Writes files into the work tree. */
export function put({ folder }: Project, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Reads a file of the work tree; null if there is none. */
export const textOf = ({ folder }: Project, path: string): string | null =>
  existsSync(join(folder, path)) ? readFileSync(join(folder, path), 'utf8') : null;

let said = 0;
/** Appends a message; returns its id. */
export function say({ repository }: Project, role: 'user' | 'assistant', id = `${role}-${++said}`): string {
  ctx.appendMessage(repository, { id, parts: [{ type: 'text', text: `words of ${id}` }] }, { role });
  return id;
}

/** Lists the changes of files that were restored. */
export const pathsOf = (world: ctx.RewindResult['world']): string[] =>
  (world?.restored ?? []).map(({ path, change }) => `${change} ${path}`);
