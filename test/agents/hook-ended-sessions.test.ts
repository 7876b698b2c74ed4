// A session that its user has ended, and whose agent went on without hooks: what that did for another task is not its own.
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { folderNameOf } from '../../src/agents/claude-code/transcripts.ts';
import type { CaptureStatus } from '../../src/app/capture/capture.ts';
import { json, NOON, run } from '../support/cli.ts';
import { Conversation, messagesOf, recordsOf, storyOf } from './support/day.ts';
import { A, refsOf, sound, statusOf, workTree } from './support/projects.ts';

let dir: string;
let home: string;
let talk: Conversation;
/** Records that belong to the session that was ended. */
let own: string[];

beforeEach(() => {
  dir = workTree();
  home = join(dir, '..', 'home');
  talk = new Conversation(dir, A, join(home, '.claude', 'projects', folderNameOf(dir)));
  talk.turn('Add retry', 'npm test', 'Retry is in.');
  talk.prompt('Looks good, commit it');
  expect(statusOf(dir).session_state.kind).toBe('Complete');
  talk.lineOfUser('Looks good, commit it');
  talk.lineOfAgent('Committed.');
  own = [...talk.said];
  talk.lineOfUser('Now write the docs');
  talk.lineOfAgent('The docs are written.');
});

const inHome = () => ({ cwd: dir, now: NOON, env: { HOME: home } });
const captured = (exit: number): CaptureStatus => json(['capture', 'status'], { ...inHome(), exit });
const saved = (): string[] => messagesOf(recordsOf(dir, refsOf(dir, 'archive')[0] as string));
const others = (): string[] => messagesOf(recordsOf(dir, 'STAGE'));

test.each(['end', 'next start'])(
  'with the %s of the program it is saved without that, which a catch-up takes in',
  (at) => {
    // A start reads no transcript.
    if (at === 'next start') talk.hook('SessionStart', { source: 'resume' });
    talk.hook('SessionEnd', { reason: 'other' });
    expect(saved()).toEqual(own);
    expect(refsOf(dir, 'sessions')).toEqual([]);
    expect(captured(1)).toMatchObject({ turns: 3, turns_stored: 2 });
    expect(run(['capture', 'catch-up'], inHome())).toMatchObject({ code: 0 });
    expect(statusOf(dir)).toMatchObject({ task_description: 'Now write the docs' });
    expect(others()).toEqual(talk.said.slice(own.length));
    expect(captured(0).complete).toBe(true);
    sound(dir);
  },
);

test('with the end of that turn it is saved, and the other task has a session, which has ended its turn', () => {
  talk.stop('The docs are written.');
  expect(saved()).toEqual(own);
  expect(storyOf(recordsOf(dir, refsOf(dir, 'archive')[0] as string)).at(-1)).toBe('confirm → Complete');
  expect(statusOf(dir)).toMatchObject({
    task_description: 'Now write the docs',
    session_state: { kind: 'PendingComplete', summary: 'The docs are written.' },
  });
  expect(others()).toEqual(talk.said.slice(own.length));
  expect(captured(0).complete).toBe(true);
  sound(dir);
});

test('with the next prompt it is saved without that, and what begins has it', () => {
  talk.prompt('Add an example');
  talk.lineOfUser('Add an example');
  talk.stop('Added.');
  talk.lineOfAgent('Added.');
  talk.hook('SessionEnd', { reason: 'other' });
  expect(saved()).toEqual(own);
  expect(others()).toEqual(talk.said.slice(own.length));
  expect(captured(0).complete).toBe(true);
  sound(dir);
});
