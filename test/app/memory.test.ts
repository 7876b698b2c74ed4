// A payload of 200 MB passes through in pieces: no command holds it.
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as ctx from '../../src/index.ts';
import { ended, makeProject, PROGRAM, temporaryFolder } from '../support/store.ts';

const SIZE = 200_000_000;
/** What the design allows, in MB. */
const BUDGET = 200;
const PIECE = Buffer.alloc(1_000_000, 'all work and no play makes jack a dull boy, é\n');

/** Tells how much memory a process had at its peak, in a file beside the test. */
const WATCH = `
  const { readFileSync, writeFileSync } = require('node:fs');
  process.on('exit', () => {
    let kilobytes = process.resourceUsage().maxRSS;
    try {
      // Of this program alone; the other number counts the parent's memory before the program was loaded.
      kilobytes = Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
    } catch {}
    writeFileSync(process.env.PEAK_FILE, String(kilobytes / 1000));
  });
`;

/** Runs ctx; gives its answer and the most memory it had, in MB. */
async function run(
  folder: string,
  words: readonly string[],
  input?: 'large',
): Promise<{ result: unknown; peak: number }> {
  const watch = join(temporaryFolder(), 'watch.cjs');
  const peak = join(temporaryFolder(), 'peak');
  writeFileSync(watch, WATCH);
  const child = spawn(process.execPath, ['--require', watch, PROGRAM, '-C', folder, '--json', ...words], {
    env: { ...process.env, PEAK_FILE: peak },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const end = ended(child);
  for (let sent = 0; input && sent < SIZE; sent += PIECE.length) {
    if (!child.stdin?.write(PIECE)) await new Promise((resolve) => child.stdin?.once('drain', resolve));
  }
  child.stdin?.end();
  const { out, err, code } = await end;
  expect([code, err]).toEqual([0, '']);
  return { result: JSON.parse(out), peak: Number(readFileSync(peak, 'utf8')) };
}

test('200 MB of a note, of a command’s output and of a file', { timeout: 60_000 }, async () => {
  const { folder, repository, git } = makeProject({ snapshot_limit: '1GiB' });
  ctx.startSession(repository, 'the task');
  const file = openSync(join(folder, 'large.txt'), 'w');
  for (let written = 0; written < SIZE; written += PIECE.length) writeSync(file, PIECE);
  closeSync(file);
  const idle = await run(folder, ['stage', 'status']);
  const runs = await Promise.all([
    run(folder, ['observe', 'note', '-'], 'large'),
    run(folder, ['observe', 'command', '--exit-code', '0', '--output', '-', '--', 'make'], 'large'),
    run(folder, ['observe', 'write', 'large.txt']),
  ]);
  // What comes after has the same payloads to look at.
  runs.push(await run(folder, ['stage', 'flush']));
  runs.push(await run(folder, ['show', 'STAGE']));
  for (const { peak } of runs) {
    // It measures: a process of Node's has more than this, and these have more than one that does nothing.
    expect(idle.peak).toBeGreaterThan(20);
    expect(peak).toBeGreaterThan(idle.peak);
    expect(peak).toBeLessThan(BUDGET);
  }
  // Nothing was left out.
  const records = git('show', 'STAGE:step.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(records.map((record) => record.bytes ?? (record.content ?? record.output).bytes)).toEqual([SIZE, SIZE, SIZE]);
});
