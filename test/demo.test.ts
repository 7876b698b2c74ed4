// npm run demo: a short story with the benefit in it, on a build that is silent, and nothing of either is left behind.
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, PROGRAM } from './support/cli.ts';
import { ROOT } from './support/store.ts';

/** Runs a script of the project, with a home and a folder for temporary files of its own. */
function run(script: string, ...words: string[]) {
  const [HOME, TMPDIR] = [folder('home-'), folder('tmp-')];
  const env = { PATH: process.env['PATH'], HOME, TMPDIR };
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...words], { env, encoding: 'utf8' });
  return { status, stdout, stderr, left: [...readdirSync(HOME), ...readdirSync(TMPDIR)] };
}

/** The parts of the story, in their order, and what each has to show. */
const STORY = [
  /^\$ ctx init\nMade a ctx store in /m,
  /hook is killed while it writes \(kill -9\)/,
  /^\$ ctx capture catch-up\nAdded to \S+: 1 turn, 1 step /m,
  /^\$ ctx stage recover\nWelcome back! I was asking:\n\nWhich jitter strategy do you want\?\n/m,
  /"Yes, perfect" confirms it/,
  /^\$ ctx log\ncommit \w{40} \(Normal\)\n(?:.*\n){2}Session: .*\nState: {3}Complete\n\n {4}Requests to the billing API fail/m,
];

test('the demo shows in under 40 lines that a kill loses nothing, and leaves nothing behind', () => {
  const { status, stdout, stderr, left } = run(join(ROOT, 'fixtures', 'demo.mjs'));
  expect({ status, stderr, left }).toEqual({ status: 0, stderr: '', left: [] });
  const places = STORY.map((part) => stdout.search(part));
  expect(places, stdout).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(stdout.match(/^commit /gm)).toHaveLength(1);
  // npm itself prints eight lines around the demo and what precedes it.
  expect(stdout.trimEnd().split('\n').length + 8).toBeLessThan(40);
});

test('the build that the demo begins with prints nothing unless it fails', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  for (const command of scripts['predemo']?.split(' && ') ?? ['none'])
    expect(command).toMatch(/^node \.ci\/quiet\.mjs /);
  const quiet = join(ROOT, '.ci', 'quiet.mjs');
  const script = (code: number): string => `console.log('out'); console.error('err'); process.exit(${code})`;
  expect(run(quiet, process.execPath, '-e', script(0))).toMatchObject({ status: 0, stdout: '', stderr: '' });
  expect(run(quiet, process.execPath, '-e', script(3))).toMatchObject({ status: 3, stdout: 'out\n', stderr: 'err\n' });
  expect(run(quiet, 'no-such-program')).toMatchObject({ status: 1, stderr: expect.stringContaining('ENOENT') });
});

test('the build leaves nothing of the store that it warms its cache with', () => {
  const place = folder();
  for (const name of ['.ci', 'dist']) mkdirSync(join(place, name));
  for (const name of ['warm-cache.mjs', 'hot-commands.mjs'])
    copyFileSync(join(ROOT, '.ci', name), join(place, '.ci', name));
  for (const name of ['ctx.cjs', 'main.cjs', 'hook.cjs', 'chunks', 'hook'])
    cpSync(join(PROGRAM, '..', name), join(place, 'dist', name), { recursive: true });
  expect(run(join(place, '.ci', 'warm-cache.mjs'))).toEqual({ status: 0, stdout: '', stderr: '', left: [] });
  expect(readdirSync(join(place, 'dist', 'cache')).length).toBeGreaterThan(5);
});
