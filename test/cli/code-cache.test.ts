// The parts of the program and V8's code cache of them: made once for each Node and its flags, mended where it is of no use.
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { folder, PROGRAM } from '../support/cli.ts';

let program: string;
let cache: string;

/** The program as it is shipped, without any cache. */
beforeEach(() => {
  const place = folder();
  const shipped = join(PROGRAM, '..');
  for (const part of ['ctx.cjs', 'main.cjs', 'chunks'])
    cpSync(join(shipped, part), join(place, part), { recursive: true });
  program = join(place, 'ctx.cjs');
  cache = join(place, 'cache');
});

function run(options = ''): string {
  const env = { PATH: process.env.PATH, ...(options === '' ? {} : { NODE_OPTIONS: options }) };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'init'], { cwd: folder(), env });
  expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: '' });
  return stdout.toString();
}

/** What each file of the cache is, and when it was written. */
const files = (): Map<string, string> =>
  new Map(
    readdirSync(cache).map((name) => {
      const { ino, mtimeMs } = statSync(join(cache, name));
      return [name, `${ino} ${mtimeMs}`];
    }),
  );

test('is made by the first command, part by part, and used by the next', () => {
  run();
  const made = files();
  expect([...made.keys()].filter((name) => name.startsWith('main.cjs-'))).toHaveLength(1);
  expect([...made.keys()].filter((name) => name.startsWith('chunks-init.cjs-'))).toHaveLength(1);
  run();
  expect(files()).toEqual(made);
});

test('whoever runs Node with flags has one of their own, and takes nobody else’s away', () => {
  run();
  const made = files();
  run('--max-old-space-size=300');
  const more = files();
  expect(more.size).toBe(2 * made.size);
  run();
  run('--max-old-space-size=300');
  expect(files()).toEqual(more);
});

test('options that change nothing for V8 share the one that is there, and no more than eight are kept', () => {
  run();
  const made = files();
  run('--title=ctx');
  expect(files()).toEqual(made);
  for (let size = 200; size < 212; size += 1) run(`--max-old-space-size=${size}`);
  expect([...files().keys()].filter((name) => name.startsWith('main.cjs-'))).toHaveLength(8);
});

test('one that is garbage or torn is made again, and the answer is the same', () => {
  const answer = run().replace(/\S*\.ctx\S*/, '');
  const [first = ''] = [...files().keys()].filter((name) => name.startsWith('main.cjs-'));
  const whole = readFileSync(join(cache, first));
  for (const content of ['', 'garbage', whole.subarray(0, whole.length >> 1)]) {
    writeFileSync(join(cache, first), content);
    for (const _time of ['thrown away', 'made again']) expect(run().replace(/\S*\.ctx\S*/, '')).toBe(answer);
    expect(statSync(join(cache, first)).size).toBeGreaterThan(whole.length / 2);
  }
});

test('where none can be kept, nothing else changes', () => {
  writeFileSync(cache, 'no folder');
  run();
  run();
  expect(readFileSync(cache, 'utf8')).toBe('no folder');
});
