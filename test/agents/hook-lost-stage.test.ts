// Hooks beside a STAGE that is gone, or torn, while a session was active: none of them takes that for none, and no message is lost.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ListedSession, StartResult, Status } from '../../src/index.ts';
import { folder, fsck, git, json, NOON, run } from '../support/cli.ts';
import { Conversation, messagesOf, recordsOf, shell, storyOf } from './support/day.ts';

let dir: string;
let own: string;
let talk: Conversation;

beforeEach(() => {
  dir = join(folder('lost-stage-'), 'project');
  mkdirSync(dir);
  git(dir, 'init', '-q');
  run(['init'], { cwd: dir });
  own = json<StartResult>(['stage', 'start', 'The task of the user'], { cwd: dir, now: NOON }).session_id;
  talk = new Conversation(dir, 'aaaaaaaa-1111-4111-8111-111111111111');
});

const stage = (): string => join(dir, '.ctx', 'STAGE');
const errors = (): string[] => {
  const file = join(dir, '.ctx', 'hook-errors.jsonl');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  return lines.map((line) => {
    const { event, code, message } = JSON.parse(line) as { event: string; code: string; message: string };
    return `${event} ${code}: ${message.replace(/:.*/, '')}`;
  });
};
const sessionOf = (task: string): string => {
  const ref = git(dir, '--git-dir=.ctx', 'for-each-ref', '--format=%(refname)', 'refs/sessions').split('\n');
  return ref.find((one) => one !== '' && recordsOf(dir, one)[0]?.['content'] === task) ?? expect.fail(`none: ${task}`);
};

/** Checks the state after it: the user's session is the current one again, and the other one beside it. */
function expectBeside(): void {
  expect(run(['fsck', '--repair'], { cwd: dir })).toMatchObject({ code: 0 });
  expect(json<Status>(['stage', 'status'], { cwd: dir, now: NOON })).toMatchObject({ session_id: own });
  fsck(dir);
}

describe.each<[string, () => void]>([
  ['gone', () => rmSync(stage())],
  ['torn', () => writeFileSync(stage(), '')],
])('%s', (_words, harm) => {
  test('a start says nothing of it, and notes it', () => {
    harm();
    expect(talk.hook('SessionStart', { source: 'startup' })).toBeNull();
    expect(errors()).toEqual(['SessionStart damaged: STAGE is damaged']);
  });

  test('a whole turn is kept in a session beside it, and noted', () => {
    harm();
    talk.turn('Add retry', 'make', 'Retry is in.');
    talk.hook('SessionEnd', { reason: 'other' });
    expect(messagesOf(recordsOf(dir, sessionOf('Add retry')))).toEqual(talk.said);
    expect(new Set(errors())).toContain('UserPromptSubmit damaged: STAGE is damaged');
    expect(existsSync(stage()) ? readFileSync(stage(), 'utf8') : '').toBe('');
    expectBeside();
  });

  test('a turn without a transcript, too', () => {
    talk.prompt('thanks');
    harm();
    talk.tool('Bash', { command: 'make' }, shell('ok'), 'toolu_1');
    talk.stop('Made.');
    const session = sessionOf('Untitled session');
    expect(storyOf(recordsOf(dir, session))).toEqual([
      'task Untitled session',
      'run make → 0',
      'done → PendingComplete',
    ]);
    expectBeside();
  });

  test('a conversation that hooks meet in its middle, too', () => {
    harm();
    talk.lineOfUser('Add retry');
    talk.lineOfAgent('Retry is in.');
    talk.stop('Retry is in.');
    expect(messagesOf(recordsOf(dir, sessionOf('Add retry')))).toEqual(talk.said);
    expectBeside();
  });

  test('a conversation with a session of its own continues in it', () => {
    talk.prompt('Add retry');
    const before = json<ListedSession[]>(['stage', 'list'], { cwd: dir, now: NOON });
    harm();
    talk.prompt('Log it too');
    talk.stop('Logged.');
    expect(storyOf(recordsOf(dir, sessionOf('Add retry'))).at(-1)).toBe('done → PendingComplete');
    expectBeside();
    expect(json<ListedSession[]>(['stage', 'list'], { cwd: dir, now: NOON })).toHaveLength(before.length);
  });
});

test('the next session becomes the current one if STAGE is gone and the active session has ended', () => {
  rmSync(stage());
  run(['stage', 'compact', '--session', own], { cwd: dir, now: NOON });
  talk.prompt('Add retry');
  expect(errors()).toEqual([]);
  expect(json<Status>(['stage', 'status'], { cwd: dir, now: NOON })).toMatchObject({ task_description: 'Add retry' });
});
