// An error that nobody expected names its place in the sources of ctx, in few words, and the process ends as it did before.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { folder, PROGRAM, run } from '../support/cli.ts';
import { LIBRARY, ROOT } from '../support/store.ts';

let place: string;

beforeEach(() => {
  place = folder();
  run(['init'], { cwd: place });
});

/** Runs Node in the folder; returns how it ended. @param fault code that is run before anything else */
function node(words: readonly string[], fault: string, env: Record<string, string> = {}) {
  const file = join(place, 'fault.cjs');
  writeFileSync(file, fault);
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--require', file, ...words], {
    cwd: place,
    input: '{}',
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: place, ...env },
  });
  return { status, stdout, stderr };
}

/** Makes the clock fail inside of a command. @param thrown what is done with the error there */
const faultThat = (thrown: string): string => `
Error.stackTraceLimit = 50;
const real = Date.now;
Date.now = () => {
  const error = new TypeError('injected');
  if (error.stack.includes('runAndPrint')) ${thrown};
  return real();
};`;
const FAULT = faultThat('throw error');
/** The same, outside of everything that the command waits for. */
const LATER = faultThat('queueMicrotask(() => { throw error; })');

/** Checks that a place is in the sources, and that its line has what failed. */
function expectSource(stderr: string, pattern: RegExp, code: RegExp): void {
  const [, path = '', line = ''] = pattern.exec(stderr) ?? [];
  expect({ stderr, path }).toEqual({ stderr, path: expect.stringMatching(/^src\/.*\.ts$/) });
  expect(readFileSync(join(ROOT, path), 'utf8').split('\n')[Number(line) - 1]).toMatch(code);
}

const BUG = /^error: ctx failed in a way it should not: TypeError: injected \((\S+):(\d+)\)\nhint: .*\n/;

test('a bug in a command is reported with its place', () => {
  const { status, stdout, stderr } = node([PROGRAM, 'stage', 'start', 'A task'], FAULT);
  expect([status, stdout]).toEqual([70, '']);
  expectSource(stderr, BUG, /Date\.now/);
  expect(stderr.trimEnd().split('\n')).toHaveLength(2);
});

test('CTX_DEBUG=1 shows the stack of a bug with places in the sources', () => {
  const { stderr } = node([PROGRAM, 'stage', 'start', 'A task'], FAULT, { CTX_DEBUG: '1' });
  expect(stderr).toMatch(/^ {4}at runAndPrint \(src\/cli\/run\.ts:\d+:\d+\)$/m);
  expect(stderr).not.toMatch(/dist\/(?:main|chunks)/);
});

test('an error outside of what a command waits for is reported like any other bug', () => {
  const { status, stdout, stderr } = node([PROGRAM, '--json', 'stage', 'start', 'A task'], LATER);
  expect([status, stderr]).toEqual([70, '']);
  expectSource(JSON.parse(stdout).error.message, /injected \((\S+):(\d+)\)$/, /Date\.now/);
});

test('an error outside of what a hook waits for does not fail the hook', () => {
  const { status, stderr } = node(
    [PROGRAM, 'hook', 'claude-code'],
    "process.nextTick(() => { throw new Error('x'); });",
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringMatching(/^error: .*: Error: x\nhint: .*\n$/) });
});

/** A program that uses the library, with a clock that fails. */
const AGENT = `
const ctx = require(${JSON.stringify(LIBRARY)});
const { repository } = ctx.initRepository({ clock: () => { throw new Error('no clock', { cause: new Error('below') }); } });
ctx.startSession(repository, 'A task');`;

test('an uncaught error in the library shows the sources, and no more than the line that failed', () => {
  const { status, stdout, stderr } = node(['-e', AGENT], '');
  expect([status, stdout]).toEqual([1, '']);
  expectSource(stderr, /at makeMoves \((\S+):(\d+):\d+\)$/m, /clock\(\)/);
  expect(stderr).toMatch(/^\/.*index\.cjs:\d+\n.*\n\t+\^\n\nError: no clock\n/);
  expect(stderr.length).toBeLessThan(2_000);
});

test('the causes of an uncaught error in the library show the sources too', () => {
  const { stderr } = node(['-e', AGENT], '');
  const [, cause = ''] = stderr.split('[cause]: Error: below\n');
  expectSource(cause, /at makeMoves \((\S+):(\d+):\d+\)$/m, /clock\(\)/);
});

test('a program of the user’s that handles uncaught errors still handles those of the library', () => {
  const { status, stdout, stderr } = node(
    ['-e', `process.on('uncaughtException', (error) => console.log('handled', error.message));${AGENT}`],
    '',
  );
  expect([status, stdout, stderr]).toEqual([0, 'handled no clock\n', '']);
});

test('a library without its source maps still ends with the error', () => {
  const copy = join(place, 'dist', 'index.cjs');
  const agent = AGENT.replace(JSON.stringify(LIBRARY), JSON.stringify(copy));
  const fault = `
    require('node:fs').mkdirSync(${JSON.stringify(join(place, 'dist'))});
    require('node:fs').copyFileSync(${JSON.stringify(LIBRARY)}, ${JSON.stringify(copy)});`;
  const { status, stderr } = node(['-e', agent], fault);
  expect(status).toBe(1);
  expect(stderr).toMatch(/Error: no clock\n(?: {4}at .*\n)* {4}at makeMoves \(\/.*dist\/index\.cjs:\d+:\d+\)/);
});

test.each(['ctx.cjs', 'main.cjs', 'hook/steps.cjs', 'chunks/fsck.cjs', 'index.cjs'])(
  'the map of %s names each function',
  (name) => {
    const built = join(PROGRAM, '..', name);
    const map = JSON.parse(readFileSync(`${built}.map`, 'utf8'));
    const maps = new SourceMap(map);
    const sources = new Map<string, string[]>();
    const wrong: unknown[] = [];
    let right = 0;
    for (const [line, text] of readFileSync(built, 'utf8').split('\n').entries())
      for (const { 1: found = '', index } of text.matchAll(/(?<!["'`(] *)\bfunction (\w{5,})\(/g)) {
        const entry = maps.findEntry(line, index + 'function '.length);
        if (!('originalSource' in entry)) {
          wrong.push(found);
          continue;
        }
        const path = join(built, '..', entry.originalSource);
        if (!sources.has(path)) sources.set(path, readFileSync(path, 'utf8').split('\n'));
        const original = sources.get(path)?.[entry.originalLine]?.slice(entry.originalColumn);
        // Code in a text, as for a plugin of an agent, is no function of ctx.
        if (/^(?:String\.raw)?`/.test(original ?? '')) continue;
        if (original?.startsWith(found)) right += 1;
        else wrong.push([found, original]);
      }
    expect([wrong, right > 10]).toEqual([[], true]);
  },
);
