// Installs the locked packages, but only where they are missing or not the ones of package-lock.json. Needs no package itself.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The packages that a lock file names, without the project itself; none if there is no such file. */
function packages(path) {
  try {
    const { '': _project, ...others } = JSON.parse(readFileSync(root + path, 'utf8')).packages;
    return others;
  } catch {
    return undefined;
  }
}

/** Optional packages (other platforms' binaries) may be absent; everything else must be there, at the locked version. */
function isInstalled(locked, installed) {
  if (!locked || !installed) return false;
  const same = (a, b) => a.version === b.version && (!a.integrity || !b.integrity || a.integrity === b.integrity);
  return (
    Object.keys(installed).every((path) => path in locked) &&
    Object.entries(locked).every(([path, entry]) => {
      const found = installed[path];
      return found ? same(entry, found) : entry.optional === true;
    })
  );
}

if (!isInstalled(packages('package-lock.json'), packages('node_modules/.package-lock.json'))) {
  // Run from within another npm (`npm install -g .`), its settings must not reach this one.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^npm_config_(global|location|prefix|local_prefix|omit|production|dry_run)$/i.test(name),
    ),
  );
  const args = ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
  const npm = process.env.npm_execpath;
  const [command, before, shell] = npm ? [process.execPath, [npm], false] : ['npm', [], process.platform === 'win32'];
  const { status, error } = spawnSync(command, [...before, ...args], {
    cwd: root,
    env,
    shell,
    stdio: ['ignore', 2, 2],
  });
  if (error) process.stderr.write(`${error.message}\n`);
  process.exitCode = status ?? 1;
}
