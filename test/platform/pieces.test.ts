// Reading in pieces: what comes by a pipe, and what never comes.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
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
    expect(readFileSync(join(store, 'hook-errors.jsonl'), 'utf8')).toContain('No payload came.');
  });
});

describe.skipIf(process.platform === 'win32')('a socket whose writer keeps it open, as agents on Node give one', () => {
  /** Runs a hook with a payload that never ends. */
  const told = async (payload: string, options: string[] = []): Promise<object> => {
    const { dir, store } = session('Wait for nobody');
    const child = spawn(process.execPath, [...options, PROGRAM, 'hook', 'claude-code'], {
      cwd: dir,
      env: { PATH: process.env['PATH'] ?? '', HOME: dir },
    });
    child.stdin.write(payload);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (output += piece));
    const [status] = (await once(child, 'close')) as [number];
    const errors = join(store, 'hook-errors.jsonl');
    return { status, output, errors: existsSync(errors) ? readFileSync(errors, 'utf8') : '' };
  };
  const halved = expect.stringContaining('The payload is no JSON object: it ends in the middle, after');

  test.each([
    ['nothing', '', expect.stringContaining('No payload came.')],
    ['half of it', '{"hook_event_name":"UserPr', halved],
    ['something else', 'hello', expect.stringContaining('The payload is no JSON object.')],
  ])('a hook ends after it has written %s, and records that in the store', async (_what, payload, errors) => {
    expect(await told(payload)).toEqual({ status: 0, output: '', errors });
  });

  test('a hook ends at once after it has written everything', async () => {
    expect(await told('{"hook_event_name":"Unheard","session_id":"1"}')).toEqual({ status: 0, output: '', errors: '' });
  });

  test('a hook ends where Node lets nobody at what it reads sockets by', async () => {
    const closed = `data:text/javascript,process.binding = () => { throw new Error("none") }`;
    expect(await told('{"half', ['--import', closed])).toEqual({ status: 0, output: '', errors: halved });
  });
});
