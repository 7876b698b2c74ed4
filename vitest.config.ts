// How the tests run: in UTC, without this machine's own settings, in memory, against an up-to-date dist/.
import { existsSync, readdirSync, readFileSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { LongestFirst } from './test/support/sequencer.ts';

// Inherited by every process that a test starts. An extra certificate file triples the start of Node 20, and a CTX_ or
// GIT_ variable of the person who runs the tests would lead them to the wrong repository.
process.env['TZ'] = 'UTC';
for (const name of Object.keys(process.env)) {
  if (/^(CTX_(?!FUZZ_|STRANGERS_)|GIT_|NO_COLOR$|FORCE_COLOR$|CTX$|NODE_EXTRA_CA_CERTS$|NODE_OPTIONS$)/.test(name))
    delete process.env[name];
}

// In memory, where there is room: most tests make stores, and some wait for the disk at every file.
const MEMORY = '/dev/shm';
const ROOM = 4 * 1024 ** 3;
if (existsSync(MEMORY)) {
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize > ROOM) process.env['TMPDIR'] = MEMORY;
}

/** Returns the test files for which `matches` holds. */
const testFiles = (matches: (path: string) => boolean): string[] =>
  readdirSync(join(import.meta.dirname, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', name))
    .filter(matches);

/** Files that need a process of their own: they put something else in the place of a module, or change what all tests see. */
const alone = testFiles(
  (path) => /torture/.test(path) || /\bvi\.mock\(/.test(readFileSync(join(import.meta.dirname, path), 'utf8')),
);
/** Files of `npm run test:deep`: kills, power cuts, random input and hostile input. */
const deep = testFiles((path) => /^test[\\/](?:torture|fuzz|strangers)\b/.test(path));

/** Returns the projects of some files: to begin a process and to load the program takes as long as many a file's tests. */
const projectsOf = (name: string, aloneName: string, files: readonly string[]): TestProjectInlineConfiguration[] => {
  const shared = files.filter((path) => !alone.includes(path));
  const own = files.filter((path) => alone.includes(path));
  return [
    { extends: true, test: { name, include: shared, isolate: false } },
    { extends: true, test: { name: aloneName, include: own } },
  ];
};

export default defineConfig({
  test: {
    environment: 'node',
    // A module is transformed once, not once for each project and each run.
    experimental: { fsModuleCache: true },
    projects: [
      ...projectsOf(
        'together',
        'alone',
        testFiles((path) => !deep.includes(path)),
      ),
      ...projectsOf('deep', 'deep-alone', deep),
    ],
    setupFiles: ['test/support/setup.ts'],
    globalSetup: ['test/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    // Ten times as many random cases take longer.
    testTimeout: 'CTX_FUZZ_RUNS' in process.env ? 600_000 : 60_000,
    hookTimeout: 60_000,
  },
});
