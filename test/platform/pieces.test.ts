// Reading in pieces: what comes by a pipe, and what never comes.
import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readAvailable } from '../../src/platform/pieces.ts';
import { folder, PROGRAM, session } from '../support/cli.ts';

/** Time to wait for what never comes, in milliseconds. */
const LIMIT = 20;

describe.skipIf(process.platform !== 'linux')('a pipe whose writer keeps it open', () => {
  let pipe: number;
  beforeEach(() => {
    const path = join(folder(), 'pipe');
    expect(spawnSync('mkfifo', [path]).status).toBe(0);
    // For writing too: it has no end then.
    pipe = openSync(path, constants.O_RDWR);
  });
  afterEach(() => closeSync(pipe));

  const read = (size: number): string[] => Array.from(readAvailable(pipe, size, LIMIT), (piece) => piece.toString());

  test('ends after the time that there is', () => {
    expect(read(8)).toEqual([]);
  });

  test('gives what has come by then, each piece as it comes', () => {
    writeSync(pipe, '{"half');
    expect(read(8)).toEqual(['{"half']);
    writeSync(pipe, '0123456789');
    expect(read(8)).toEqual(['01234567', '89']);
  });

  test('a hook ends, and says in the store that nothing came', () => {
    const { dir, store } = session('Wait for nobody');
    const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, 'hook', 'claude-code'], {
      cwd: dir,
      env: { PATH: process.env['PATH'] ?? '', HOME: dir },
      stdio: [pipe, 'pipe', 'pipe'],
      encoding: 'utf8',
    });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(readFileSync(join(store, 'hook-errors.jsonl'), 'utf8')).toContain('The payload is no JSON object.');
  });
});
