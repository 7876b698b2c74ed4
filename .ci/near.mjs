// Runs the tests next to what changed against main, without checks, and without a build if none of them runs the program.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Matches the tests that `npm run test:deep` runs. */
const DEEP = /^test\/(?:torture|fuzz|strangers)\b/;
const isTest = (path) => path.endsWith('.test.ts');

/** Returns the files that a file imports, as paths of the project. */
const importsOf = (path, text) =>
  [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, name]) => posix.join(posix.dirname(path), name));

/** Returns the names that the tests of a source have: `src/app/move.ts` has `test/app/move.test.ts` and `move-….test.ts`. */
function mirrors(source) {
  const [, folder, name] = /^src\/(?:(.*)\/)?([^/]+)\.ts$/.exec(source) ?? [];
  if (name === undefined) return () => false;
  const start = posix.join('test', folder ?? '', name);
  return (test) => test === `${start}.test.ts` || test.startsWith(`${start}-`);
}

/**
 * Returns the tests next to what changed: those that changed themselves, those that have the name of a changed source, and
 * those that import a changed file or name one of `.ci` and `fixtures`. What most tests use is left to `npm test`.
 * @param changed paths of the project
 * @param files the text of every file below `test/`, by its path
 */
export function nearTests(changed, files) {
  const isChanged = new Set(changed);
  const isMirror = changed.map(mirrors);
  const names = changed.filter(
    (path) => /^(?:(?:\.ci|fixtures)\/.*|CHANGELOG)\.\w+$/.test(path) && !path.endsWith('README.md'),
  );
  const quoted = names.map((path) => `${basename(path)}'`);
  const isNear = ([path, text]) =>
    isChanged.has(path) ||
    isMirror.some((matches) => matches(path)) ||
    importsOf(path, text).some((name) => isChanged.has(name) && !name.startsWith('test/support/')) ||
    quoted.some((name) => text.includes(`'${name}`) || text.includes(`/${name}`));
  return [...files]
    .filter(([path, text]) => isTest(path) && !DEEP.test(path) && isNear([path, text]))
    .map(([path]) => path)
    .sort();
}

/** Checks if a test, or anything below `test/` that it imports, runs what the build makes. */
export function needsBuild(test, files) {
  const seen = new Set([test]);
  for (const path of seen) {
    const text = files.get(path) ?? '';
    // The name alone stands in what nearly every test imports.
    if (path !== 'test/support/store.ts' && /\b(?:PROGRAM|LIBRARY)\b|'dist['/]|\/dist\//.test(text)) return true;
    for (const name of importsOf(path, text)) if (files.has(name)) seen.add(name);
  }
  return false;
}

function git(...words) {
  const { status, stdout } = spawnSync('git', words, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}

/** Returns the paths of what is not as it is in main, uncommitted changes and new files included. */
function changedFiles() {
  const base = git('merge-base', 'main', 'HEAD') ?? git('merge-base', 'origin/main', 'HEAD') ?? 'HEAD';
  const texts = [git('diff', '--name-only', base), git('ls-files', '--others', '--exclude-standard')];
  return texts.flatMap((text) => (text ?? '').split('\n')).filter((path) => path !== '');
}

function testFiles() {
  const names = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' });
  const paths = names.map((name) => `test/${name.replaceAll('\\', '/')}`).filter((path) => path.endsWith('.ts'));
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

function main() {
  const files = testFiles();
  const tests = nearTests(changedFiles(), files);
  if (tests.length === 0) {
    console.log('No test is next to what changed against main. Run all of them with: npm test');
    return 0;
  }
  const env = { ...process.env, SKIP_BUILD: tests.some((test) => needsBuild(test, files)) ? '' : '1' };
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const words = ['run', '--project=together', '--project=alone', ...tests];
  return spawnSync(process.execPath, [vitest, ...words], { cwd: root, env, stdio: 'inherit' }).status ?? 1;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) process.exitCode = main();
