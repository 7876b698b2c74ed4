// Tests the notes of hooks for the next tool: the head at which its session is at work. It is a cache: torn, old or gone, it changes nothing.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { git, NOON, run } from '../support/cli.ts';
import { Conversation, recordsOf } from './support/day.ts';
import { A, refsOf, sound, statusOf, workTree } from './support/projects.ts';

let dir: string;
let talk: Conversation;

beforeEach(() => {
  dir = workTree();
  talk = new Conversation(dir, A);
});

const bash = (id: string): void => void talk.tool('Bash', { command: 'npm test' }, { stdout: 'ok', stderr: '' }, id);
const folder = (): string => join(dir, '.ctx', 'cache', 'conversations');
const files = (): string[] =>
  readdirSync(folder())
    .filter((name) => !name.endsWith('.prompt'))
    .sort();
const remembered = (): string[] => files().map((name) => readFileSync(join(folder(), name), 'utf8').trim());
const session = (): string => (refsOf(dir, 'sessions')[0] as string).slice('refs/sessions/'.length);
const oid = (rev: string): string => git(dir, '--git-dir=.ctx', 'rev-parse', rev).trim();
const head = (): string => oid(`refs/sessions/${session()}`);
const state = (): unknown => statusOf(dir).session_state;
const commandsIn = (rev: string): number => recordsOf(dir, rev).filter(({ kind }) => kind === 'command').length;

/** Does something while the object of the session's head is away. */
function withoutHead(work: () => void): void {
  const object = join(dir, '.ctx', 'objects', head().slice(0, 2), head().slice(2));
  const bytes = readFileSync(object);
  rmSync(object);
  work();
  writeFileSync(object, bytes);
}

test('the head is remembered by a prompt, and no tool of the turn reads it', () => {
  talk.prompt('Add retry');
  expect(remembered()).toEqual([session(), head()]);
  withoutHead(() => bash('a'));
  expect(statusOf(dir)).toMatchObject({ hook_errors: null, pending_observations: 1 });
  // Without what is remembered it is looked for.
  rmSync(folder(), { recursive: true });
  withoutHead(() => bash('b'));
  expect(statusOf(dir)).toMatchObject({ hook_errors: { count: 1 }, pending_observations: 1 });
});

test('it is remembered by a tool that puts the session back to work, and by one that finds nothing remembered', () => {
  talk.prompt('Add retry');
  talk.stop('It is in.');
  bash('a');
  expect(remembered()).toEqual([session(), head()]);
  rmSync(folder(), { recursive: true });
  bash('b');
  expect(remembered()).toEqual([session(), head()]);
});

describe('a session that moved since', () => {
  test.each([
    ['asked by hand', ['ask', 'Which one?']],
    ['done by hand', ['done', 'It is in']],
    ['interrupted by hand', ['interrupt', 'Stop there']],
  ])('%s goes back to work with the next tool', (_, words) => {
    talk.prompt('Add retry');
    bash('a');
    expect(run(['stage', ...words], { cwd: dir, now: NOON }).code).toBe(0);
    bash('b');
    expect(state()).toEqual({ kind: 'Running' });
    bash('c');
    talk.stop('Done.');
    expect(commandsIn('STAGE')).toBe(3);
    sound(dir);
  });
});

test.each([
  ['a head that is cut off', () => [session(), head().slice(0, 20)]],
  ['the head before', () => [session(), oid(`${head()}^`)]],
  ['another session', () => ['01a00000-0000-7000-8000-000000000000', oid(`${head()}^`)]],
  ['nothing', () => ['', '']],
  ['something else', () => ['none of it', 'none of it']],
])('where %s is remembered, the session is found all the same', (_, words) => {
  talk.prompt('Add retry');
  bash('a');
  expect(run(['stage', 'done', 'It is in'], { cwd: dir, now: NOON }).code).toBe(0);
  for (const [index, word] of words().entries()) writeFileSync(join(folder(), files()[index] as string), `${word}\n`);
  bash('b');
  expect(state()).toEqual({ kind: 'Running' });
  expect(statusOf(dir)).toMatchObject({ hook_errors: null });
  talk.stop('Done.');
  expect(commandsIn('STAGE')).toBe(2);
  expect(refsOf(dir, 'sessions')).toHaveLength(1);
  sound(dir);
});

// A tool may look at its session while a prompt ends it.
test('what a tool remembers leaves alone what a prompt remembers', () => {
  talk.prompt('Add retry');
  bash('a');
  const [known, work] = files().map((name) => join(folder(), name)) as [string, string];
  const before = readFileSync(work);
  talk.prompt('Never mind, abandon this task');
  talk.stop('Gone.');
  talk.prompt('thanks');
  expect(refsOf(dir, 'sessions')).toEqual([]);
  expect(readFileSync(known, 'utf8')).toBe('none\n');
  // As a hook would that began before.
  writeFileSync(work, before);
  bash('b');
  expect(refsOf(dir, 'sessions')).toHaveLength(1);
  talk.stop('Done.');
  expect(commandsIn('STAGE')).toBe(1);
  sound(dir);
});
