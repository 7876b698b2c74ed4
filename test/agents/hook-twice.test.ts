// An event that an agent tells twice, as it does where ctx stands in two of its settings files, is kept once.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { ActiveStatus } from '../../src/index.ts';
import { json, NOON, run } from '../support/cli.ts';
import { Conversation, recordsOf, shell, storyOf } from './support/day.ts';
import { A, sound, statusOf, workTree } from './support/projects.ts';

let dir: string;
let talk: Conversation;

beforeEach(() => {
  dir = workTree();
  talk = new Conversation(dir, A);
  talk.prompt('Add retry');
});

const ran = (command: string, id: string, output = 'ok', more = {}): unknown =>
  talk.tool('Bash', { command }, shell(output), id, more);
const runs = (): string[] => storyOf(recordsOf(dir, 'STAGE')).filter((line) => line.startsWith('run'));

test('a command stands once, before it is flushed and after, with an output of any length', () => {
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

test('also a file with its content; what a call tells of a second time in other words is kept', () => {
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
