// Runs a command, and shows what it prints only if it fails: node .ci/quiet.mjs npm run build
import { spawnSync } from 'node:child_process';

const [, , command, ...words] = process.argv;
const { status, stdout, stderr, error } = spawnSync(command, words, {
  stdio: ['ignore', 'pipe', 'pipe'],
  maxBuffer: Number.POSITIVE_INFINITY,
  // npm is no program of its own there.
  shell: process.platform === 'win32',
});
if (status !== 0) {
  process.stdout.write(stdout ?? '');
  process.stderr.write(stderr ?? '');
  if (error) process.stderr.write(`${error.message}\n`);
}
process.exitCode = status ?? 1;
