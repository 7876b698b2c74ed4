/** Installs and runs the programs: a cache of their packages, and a network that has nothing but `lo`. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Longest that an installation may take, in milliseconds. */
const INSTALLING = 600_000;

/** Returns the folder of a package once it is installed. */
export const prefixOf = (name: string): string =>
  join(ROOT, 'node_modules', '.cache', 'agents', name.replace(/[^a-z0-9.-]+/gi, '-'));

/** The folder of a package itself. */
export const folderOf = (name: string): string =>
  join(prefixOf(name), 'node_modules', ...name.slice(0, name.lastIndexOf('@')).split('/'));

/** Installs a package, if it is not there yet. @returns why it could not be; null where it is there */
export function install(name: string): string | null {
  const prefix = prefixOf(name);
  if (existsSync(join(folderOf(name), 'package.json'))) return null;
  mkdirSync(prefix, { recursive: true });
  const words = ['install', '--prefix', prefix, '--save-exact', '--no-audit', '--no-fund', name];
  const ran = spawnSync('npm', words, { encoding: 'utf8', timeout: INSTALLING });
  if (ran.status === 0) return null;
  return (ran.error?.message ?? ran.stderr).split('\n').find((line) => line.trim() !== '') ?? 'npm failed';
}

const UNSHARE = ['-rn', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];

/** Why there can be no network of its own here; null where there can. */
export function noNamespace(): string | null {
  const ran = spawnSync('unshare', [...UNSHARE, 'true'], { encoding: 'utf8' });
  return ran.status === 0 ? null : (ran.error?.message ?? ran.stderr.trim()) || 'unshare failed';
}

/** Runs Node with these arguments in a network that has nothing but `lo`. @returns its exit code */
export function runInside(words: readonly string[]): number {
  return spawnSync('unshare', [...UNSHARE, process.execPath, ...words], { stdio: 'inherit' }).status ?? 1;
}
