// Tests that words of a program or another agent in the user's name neither start, reopen, interrupt nor name a session.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { CaptureStatus } from '../../src/app/capture/capture.ts';
import type { ListedSession } from '../../src/index.ts';
import { folder, fsck, git, json, NOON, run } from '../support/cli.ts';
import { Conversation, recordsOf, shell, storyOf } from './support/day.ts';

const FOREIGN = [
  '<teammate-message teammate_id="planner">\nAlso add an index on the price column.\n</teammate-message>',
  '<cross-session-message from="uds:/run/a.sock">\nAlso add an index on the price column.\n</cross-session-message>',
  '[SYSTEM NOTIFICATION - NOT USER INPUT]\nThis is an automated background-task event.\n\nThe build has failed.',
  'Another Claude session sent a message:\n<cross-session-message from="a">\nLooks good, thanks.\n</cross-session-message>\n\nThis came from another Claude session.',
];

let dir: string;
let talk: Conversation;

beforeEach(() => {
  dir = join(folder('foreign-'), 'project');
  mkdirSync(dir);
  git(dir, 'init', '-q');
  run(['init', '-q'], { cwd: dir });
  talk = new Conversation(dir, 'cccccccc-3333-4333-8333-333333333333');
});

const sessions = (): ListedSession[] => json<ListedSession[]>(['stage', 'list'], { cwd: dir, now: NOON });

describe.each(FOREIGN)('%j', (text) => {
  test('begins no session, and what the user says next does', () => {
    expect(talk.prompt(text)).toBeNull();
    talk.stop('Noted.');
    expect(sessions()).toEqual([]);
    talk.prompt('Rename the column');
    expect(sessions()).toMatchObject([{ task_description: 'Rename the column' }]);
  });

  test('at work it interrupts nothing, and once the turn is over it reopens and confirms nothing', () => {
    talk.prompt('Rename the column');
    talk.prompt(text);
    talk.tool('Bash', { command: 'make' }, shell('ok'), 'toolu_1');
    talk.stop('It is renamed.');
    const story = (): string[] => storyOf(recordsOf(dir, 'STAGE')).filter((line) => !line.startsWith('note Agent'));
    const before = ['task Rename the column', 'run make → 0', 'done → PendingComplete'];
    expect(story()).toEqual(before);
    expect(talk.prompt(text)).toBeNull();
    expect(story()).toEqual(before);
    talk.stop('Noted.');
    // The agent's reaction is its own: it continues by itself, and nobody has asked it to.
    expect(story().filter((line) => line.startsWith('note') || line.startsWith('task'))).toEqual(before.slice(0, 1));
    expect(sessions()).toMatchObject([{ session_state: { kind: 'PendingComplete', summary: 'Noted.' } }]);
    fsck(dir);
  });

  test('in a transcript it is kept, and no turn', () => {
    talk.lineOfUser('Rename the column');
    talk.lineOfAgent('It is renamed.');
    talk.lineOfUser(text);
    talk.lineOfAgent('Noted.');
    json(['ingest', talk.transcript], { cwd: dir });
    const records = recordsOf(dir, 'STAGE');
    expect(storyOf(records).filter((line) => line.startsWith('task') || line.startsWith('note'))).toEqual([
      'task Rename the column',
    ]);
    expect(JSON.stringify(records)).toContain(JSON.stringify(text).slice(1, -1));
    const status: CaptureStatus = json(['capture', 'status'], { cwd: dir });
    expect(status).toMatchObject({ turns: 1, turns_stored: 1 });
  });
});

test('text of an editor before a prompt names no task, from the hook and from the transcript', () => {
  const said = '<ide_opened_file>The user opened the file /w/a.sql in the IDE.</ide_opened_file>\nRename the column';
  talk.turn(said, 'make', 'It is renamed.');
  talk.prompt('Rename the table, too');
  expect(sessions()).toMatchObject([{ task_description: 'Rename the column' }]);
  const words = storyOf(recordsOf(dir, 'STAGE')).filter((line) => line.includes('Rename the column'));
  expect(words).toEqual(['task Rename the column']);
  fsck(dir);
});
