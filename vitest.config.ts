// How the tests run: in UTC, without this machine's own settings, in memory, against an up-to-date dist/.
import { existsSync, statfsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
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

export default defineConfig({
  test: {
    environment: 'node',
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
