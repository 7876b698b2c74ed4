// An event that an agent tells twice, as it does where ctx stands in two of its settings files, is kept once.
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { ActiveStatus } from '../../src/index.ts';
import { json, NOON, run } from '../support/cli.ts';
import { Conversation, messagesOf, recordsOf, shell, storyOf } from './support/day.ts';
import { A, askingTree, sound, statusOf } from './support/projects.ts';

let dir: string;
let talk: Conversation;

beforeEach(() => {
  dir = askingTree();
  talk = new Conversation(dir, A);
  talk.prompt('Add retry');
});

const ran = (command: string, id: string, output = 'ok', more = {}): unknown =>
  talk.tool('Bash', { command }, shell(output), id, more);
const runs = (): string[] => storyOf(recordsOf(dir, 'STAGE')).filter((line) => line.startsWith('run'));

test('keeps a command once, before and after a flush, with an output of any length', () => {
  for (const output of ['ok', 'x'.repeat(20_000), 'x'.repeat(2_000_000)])
    for (const at of [0, 2]) {
      talk.now = NOON + at;
      ran('npm test', `toolu_${output.length}`, output);
    }
  expect((statusOf(dir, NOON + 2) as ActiveStatus).pending_observations).toBe(3);
  expect(run(['stage', 'flush'], { cwd: dir, now: NOON + 2 })).toMatchObject({ code: 0 });
  expect(runs()).toEqual(Array(3).fill('run npm test → 0'));
  expect(statusOf(dir, NOON + 2)).toMatchObject({ pending_observations: 0 });
  expect(json(['stage', 'flush'], { cwd: dir, now: NOON + 2 })).toMatchObject({ flushed: 0 });
  sound(dir);
});

test('keeps a file with its content once, and keeps a second report of the call in other words', () => {
  const file = join(dir, 'a.ts');
  writeFileSync(file, 'export const a = 1;\n');
  for (const _ of [1, 2]) talk.tool('Write', { file_path: file, content: 'export const a = 1;\n' }, {}, 'toolu_write');
  ran('npm test', 'toolu_test', 'one');
  ran('npm test', 'toolu_test', 'two');
  ran('npm test', 'toolu_other');
  talk.stop('Retry is in.');
  const story = storyOf(recordsOf(dir, 'STAGE')).filter((line) => /^(run|write)/.test(line));
  expect(story).toEqual(['write a.ts', ...Array(3).fill('run npm test → 0')]);
  sound(dir);
});

test('keeps a call once that was flushed in between, with an output of any length', () => {
  for (const output of ['ok', 'x'.repeat(20_000), 'x'.repeat(100_000)])
    for (const _ of [1, 2]) {
      ran('npm test', `toolu_${output.length}`, output);
      run(['stage', 'flush'], { cwd: dir, now: NOON });
    }
  ran('npm test', 'toolu_2', 'other words');
  run(['stage', 'flush'], { cwd: dir, now: NOON });
  expect(runs()).toEqual(Array(4).fill('run npm test → 0'));
  sound(dir);
});

test('keeps a call once if the flush was killed before it removed the records', () => {
  for (const _ of [1, 2]) ran('npm test', 'toolu_1');
  const pending = join(dir, '.ctx', 'pending');
  cpSync(pending, join(dir, 'kept'), { recursive: true });
  run(['stage', 'flush'], { cwd: dir, now: NOON });
  rmSync(pending, { recursive: true });
  cpSync(join(dir, 'kept'), pending, { recursive: true });
  expect(json(['stage', 'flush'], { cwd: dir, now: NOON })).toMatchObject({ flushed: 0 });
  expect(statusOf(dir, NOON)).toMatchObject({ pending_observations: 0 });
  expect(runs()).toEqual(['run npm test → 0']);
  sound(dir);
});

test('keeps a call once whose result was read in the transcript before its hook came', () => {
  const file = join(dir, 'a.ts');
  const wrote = { file_path: file, content: 'export const a = 1;\n' };
  talk.lineOfUser('Add retry');
  talk.lineOfCall('Bash', { command: 'npm test' }, 'toolu_test');
  talk.lineOfResult('toolu_test', 'ok', shell('ok'));
  const take = () => run(['ingest', talk.transcript], { cwd: dir, now: NOON });
  expect(take()).toMatchObject({ code: 0 });
  ran('npm test', 'toolu_test');
  writeFileSync(file, wrote.content);
  talk.lineOfCall('Write', wrote, 'toolu_write');
  talk.lineOfResult('toolu_write', 'ok', { type: 'create', filePath: file, content: wrote.content });
  expect(take()).toMatchObject({ code: 0 });
  talk.tool('Write', wrote, {}, 'toolu_write');
  ran('npm test', 'toolu_again');
  talk.stop('Retry is in.');
  const story = storyOf(recordsOf(dir, 'STAGE')).filter((line) => /^(run|write)/.test(line));
  expect(story).toEqual(['run npm test → 0', 'write a.ts', 'run npm test → 0']);
  expect(messagesOf(recordsOf(dir, 'STAGE'))).toEqual(talk.said);
  sound(dir);
});

test('keeps a call of a later turn whose agent numbers its calls from one in each turn', () => {
  ran('npm test', 'call_1');
  talk.stop('Retry is in.');
  talk.prompt('Also log each try');
  ran('npm test', 'call_1');
  talk.stop('It does.');
  expect(runs()).toEqual(Array(2).fill('run npm test → 0'));
  sound(dir);
});

test('keeps a call of a later turn if the prompt between only asked something', () => {
  // Of a turn that the user cuts off no hook tells.
  for (const ends of ['Retry is in.', 'Retry is in. Should I log each try?', null]) {
    ran('npm test', 'call_1');
    if (ends !== null) talk.stop(ends);
    talk.prompt('Did the tests pass?');
  }
  ran('npm test', 'call_1');
  talk.stop('They did.');
  expect(runs()).toEqual(Array(4).fill('run npm test → 0'));
  sound(dir);
});

const turn = (prompt: string): void => {
  talk.prompt(prompt);
  talk.stop('Made.');
};
test.each([
  ['a prompt within the turn', () => talk.prompt('Use tabs please')],
  ['the end of the turn', () => talk.stop('Made.')],
  ['a prompt and the end of its turn', () => turn('Use tabs please')],
  [
    'several turns',
    () => ['Also log it', 'Also time it', 'Also name it', 'Also test it', 'Also doc it', 'Also'].forEach(turn),
  ],
])('keeps a call once whose result was read before its hook came, also after %s', (_, between) => {
  talk.lineOfUser('Add retry');
  talk.lineOfCall('Bash', { command: 'npm test' }, 'toolu_01TestAbCdEfGhIjKlMnOp');
  talk.lineOfResult('toolu_01TestAbCdEfGhIjKlMnOp', 'ok', shell('ok'));
  between();
  ran('npm test', 'toolu_01TestAbCdEfGhIjKlMnOp');
  ran('npm run lint', 'toolu_01LintAbCdEfGhIjKlMnOp');
  talk.stop('Retry is in.');
  expect(runs()).toEqual(['run npm test → 0', 'run npm run lint → 0']);
  sound(dir);
});

test('keeps a call of a later turn with a repeated number if only the transcript had the first one', () => {
  const told = () => {
    talk.lineOfCall('Bash', { command: 'npm test' }, 'call_1');
    talk.lineOfResult('call_1', 'ok', shell('ok'));
  };
  talk.lineOfUser('Add retry');
  told();
  talk.stop('Retry is in.');
  talk.lineOfAgent('Retry is in.');
  talk.prompt('Also log each try');
  talk.lineOfUser('Also log each try');
  told();
  ran('npm test', 'call_1');
  talk.stop('It does.');
  expect(runs()).toEqual(Array(2).fill('run npm test → 0'));
  sound(dir);
});

test('keeps a call of a later turn that wrote another content, or whose transcript is never read again', () => {
  const file = join(dir, 'a.ts');
  talk.lineOfUser('Add retry');
  talk.lineOfCall('Write', { file_path: file, content: 'first\n' }, 'call_1');
  talk.lineOfResult('call_1', 'ok', { type: 'create', filePath: file, content: 'first\n' });
  talk.stop('Retry is in.');
  talk.prompt('Also log each try');
  writeFileSync(file, 'second\n');
  talk.tool('Write', { file_path: file, content: 'second\n' }, {}, 'call_1');
  expect(json(['stage', 'flush'], { cwd: dir, now: NOON })).toMatchObject({ flushed: 1 });
  expect(storyOf(recordsOf(dir, 'STAGE')).filter((line) => line.startsWith('write'))).toEqual(
    Array(2).fill('write a.ts'),
  );
  expect(run(['git', 'show', 'STAGE:files/a.ts'], { cwd: dir }).stdout).toBe('second\n');
  sound(dir);
});

test('keeps the end of a turn once that is reported twice while a question of ctx waits, and keeps another one', () => {
  talk.stop('Retry is in.');
  talk.prompt('Different topic: the docs');
  for (const text of ['Which page, the guide or the reference?', 'Both are there.'])
    for (const more of [{}, { stop_hook_active: true }]) talk.hook('Stop', { last_assistant_message: text, ...more });
  expect(run(['choose', 'A'], { cwd: dir, now: NOON })).toMatchObject({ code: 0 });
  talk.stop('The guide is in.');
  const notes = storyOf(recordsOf(dir, 'STAGE')).filter((line) => line.startsWith('note Agent:'));
  expect(notes).toEqual(['note Agent: Which page, the guide or the reference?', 'note Agent: Both are there.']);
  sound(dir);
});
