// Tests the lines of a transcript after the end of a session: they stay with that session, and begin no other one.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { folderNameOf } from '../../src/agents/claude-code/transcripts.ts';
import type { CaptureStatus } from '../../src/app/capture/capture.ts';
import type { CatchUpResult } from '../../src/app/capture/catch-up.ts';
import { git, json, NOON, refused, run } from '../support/cli.ts';
import { Conversation, messagesOf, recordsOf, shell, storyOf } from './support/day.ts';
import { A, askingTree, B, refsOf, sound, statusOf } from './support/projects.ts';

let dir: string;
let home: string;
let talk: Conversation;

beforeEach(() => {
  dir = askingTree();
  home = join(dir, '..', 'home');
  talk = new Conversation(dir, A, join(home, '.claude', 'projects', folderNameOf(dir)));
});

const inHome = () => ({ cwd: dir, now: NOON, env: { HOME: home } });
const captured = (exit: number): CaptureStatus => json(['capture', 'status'], { ...inHome(), exit });
const caughtUp = (exit = 0): CatchUpResult => json(['capture', 'catch-up'], { ...inHome(), exit });
const main = (): string => git(dir, '--git-dir=.ctx', 'rev-parse', 'main');
const keptIn = (ref: string): string[] => messagesOf(recordsOf(dir, ref));

/** A session that the user has confirmed; its last answer was written after its end. */
function confirmed(): string {
  talk.turn('Add retry', 'npm test', 'Retry is in.');
  talk.prompt('Looks good, thanks!');
  talk.lineOfUser('Looks good, thanks!');
  talk.stop('You are welcome.');
  talk.lineOfAgent('You are welcome.');
  expect(refsOf(dir, 'sessions')).toEqual([]);
  return refsOf(dir, 'archive')[0] as string;
}

describe('after a session that was confirmed', () => {
  test('its last answer comes with the end of the program: nothing is missing, and nothing was begun', () => {
    const ref = confirmed();
    const commit = main();
    expect(captured(1).behind).toBe(1);
    talk.hook('SessionEnd', { reason: 'other' });
    expect(captured(0)).toMatchObject({ turns: 2, turns_stored: 2, complete: true });
    expect(keptIn(ref)).toEqual(talk.said);
    expect(refsOf(dir, 'sessions')).toEqual([]);
    expect(statusOf(dir).active as boolean).toBe(false);
    expect(main()).toBe(commit);
    const before = git(dir, '--git-dir=.ctx', 'for-each-ref');
    talk.hook('SessionEnd', { reason: 'other' });
    expect(caughtUp()).toMatchObject({ conversations: [], problems: [] });
    expect(git(dir, '--git-dir=.ctx', 'for-each-ref')).toBe(before);
    sound(dir);
  });

  test('a catch-up takes in its last answer, and then finds nothing more', () => {
    const ref = confirmed();
    expect(caughtUp().conversations).toMatchObject([
      { session_id: ref.slice('refs/archive/'.length), created: false, steps_added: 1, turns_added: 1 },
    ]);
    expect(captured(0).complete).toBe(true);
    expect(caughtUp().conversations).toEqual([]);
    expect(keptIn(ref)).toEqual(talk.said);
    expect(refsOf(dir, 'sessions')).toEqual([]);
    expect(statusOf(dir).active as boolean).toBe(false);
    sound(dir);
  });

  test('the next prompt takes in its last answer, and begins a session of its own', () => {
    const ref = confirmed();
    talk.prompt('Now write the docs');
    expect(keptIn(ref)).toEqual(talk.said);
    const before = talk.said.length;
    talk.lineOfUser('Now write the docs');
    talk.stop('Written.');
    talk.lineOfAgent('Written.');
    talk.hook('SessionEnd', { reason: 'other' });
    expect(keptIn('STAGE')).toEqual(talk.said.slice(before));
    expect(captured(0)).toMatchObject({ turns: 3, turns_stored: 3 });
    expect(refsOf(dir, 'archive')).toEqual([ref]);
    const [own = ''] = refsOf(dir, 'sessions');
    expect(JSON.parse(git(dir, '--git-dir=.ctx', 'show', `${own}:session.json`))).toMatchObject({
      task_description: 'Now write the docs',
      continues: ref.slice('refs/archive/'.length),
    });
    sound(dir);
  });

  test('a prompt that is in the transcript already is not a late one, though it repeats the last prompt', () => {
    talk.turn('Add retry', 'npm test', 'Retry is in.');
    talk.hook('PreCompact', { trigger: 'auto' });
    talk.prompt('Make it five tries');
    run(['stage', 'compact'], { cwd: dir, now: NOON });
    const before = talk.said.length;
    talk.lineOfUser('Make it five tries');
    talk.prompt('Make it five tries');
    expect(keptIn(refsOf(dir, 'archive')[0] as string)).toEqual(talk.said.slice(0, before));
    talk.hook('SessionEnd', { reason: 'other' });
    expect(keptIn('STAGE')).toEqual(talk.said.slice(before));
  });

  test('thanks for it, and the answer to that, stay with it', () => {
    const ref = confirmed();
    talk.prompt('Thanks!');
    talk.lineOfUser('Thanks!');
    talk.stop('Gladly.');
    talk.lineOfAgent('Gladly.');
    talk.hook('SessionEnd', { reason: 'other' });
    expect(keptIn(ref)).toEqual(talk.said);
    expect(captured(0)).toMatchObject({ turns: 3, turns_stored: 3 });
    expect(refsOf(dir, 'sessions')).toEqual([]);
  });

  test('a catch-up begins a session for prompts that no hook reported, with the first prompt as its task', () => {
    const ref = confirmed();
    const before = talk.said.length;
    talk.lineOfUser('Now write the docs');
    talk.lineOfAgent('Written.');
    talk.hook('SessionEnd', { reason: 'other' });
    expect(keptIn(ref)).toEqual(talk.said.slice(0, before));
    const [added] = caughtUp().conversations;
    expect(added).toMatchObject({ created: true, turns_added: 1 });
    expect(statusOf(dir)).toMatchObject({ task_description: 'Now write the docs', session_id: added?.session_id });
    expect(keptIn('STAGE')).toEqual(talk.said.slice(before));
    expect(captured(0).complete).toBe(true);
    // The hooks find the session that no hook has begun.
    talk.turn('Add an example', 'ls', 'Added.');
    talk.hook('SessionEnd', { reason: 'other' });
    expect(refsOf(dir, 'sessions')).toHaveLength(1);
    expect(keptIn('STAGE')).toEqual(talk.said.slice(before));
    expect(captured(0)).toMatchObject({ turns: 4, turns_stored: 4 });
    sound(dir);
  });

  test.each(['push it', 'commit this, push, open draft PR'])('“%s” is the word that ended it, and no task', (words) => {
    talk.turn('Add retry', 'npm test', 'Retry is in.');
    talk.prompt(words);
    expect(statusOf(dir).session_state.kind).toBe('Complete');
    talk.lineOfUser(words);
    expect(caughtUp().conversations).toMatchObject([{ created: false, turns_added: 1 }]);
    expect(refsOf(dir, 'sessions')).toEqual([]);
    talk.lineOfCall('Bash', { command: 'git push' }, 'toolu_push');
    talk.tool('Bash', { command: 'git push' }, shell('ok'), 'toolu_push');
    talk.lineOfResult('toolu_push', 'ok', shell('ok'));
    talk.stop('Pushed.');
    talk.lineOfAgent('Pushed.');
    talk.hook('SessionEnd', { reason: 'other' });
    const [ref = ''] = refsOf(dir, 'archive');
    expect(keptIn(ref)).toEqual(talk.said);
    expect(refsOf(dir, 'archive')).toHaveLength(1);
    expect(refsOf(dir, 'sessions')).toEqual([]);
    expect(captured(0)).toMatchObject({ turns: 2, turns_stored: 2 });
    sound(dir);
  });

  test('an undo brings the session back with all of it', () => {
    confirmed();
    talk.hook('SessionEnd', { reason: 'other' });
    expect(run(['undo'], { cwd: dir, now: NOON })).toMatchObject({ code: 0 });
    expect(keptIn('STAGE')).toEqual(talk.said);
    expect(captured(0).complete).toBe(true);
    expect(run(['undo'], { cwd: dir, now: NOON })).toMatchObject({ code: 0 });
    expect(keptIn(refsOf(dir, 'archive')[0] as string)).toEqual(talk.said);
    sound(dir);
  });
});

test('a session that was abandoned has the words that ended it, and the answer', () => {
  talk.turn('Add retry', 'npm test', 'Retry is in.');
  const words = 'Never mind, forget it';
  talk.prompt(words);
  talk.lineOfUser(words);
  talk.stop('All right.');
  talk.lineOfAgent('All right.');
  talk.hook('SessionEnd', { reason: 'other' });
  const [ref = ''] = refsOf(dir, 'archive');
  expect(keptIn(ref)).toEqual(talk.said);
  expect(storyOf(recordsOf(dir, ref)).at(-1)).toBe('abort → Aborted');
  expect(captured(0)).toMatchObject({ turns: 2, turns_stored: 2 });
  expect(refsOf(dir, 'sessions')).toEqual([]);
  sound(dir);
});

describe('a question that the agent puts by a tool after the end of its session', () => {
  const question = 'Shall I throw the changes away?';
  const asked = { questions: [{ question, header: 'h', options: [{ label: 'Throw away' }, { label: 'Keep' }] }] };
  const answer = { answers: { [question]: 'Throw away' } };

  function ends(): void {
    talk.turn('Add retry', 'npm test', 'Retry is in.');
    talk.prompt('Never mind, forget it');
    talk.lineOfUser('Never mind, forget it');
    talk.lineOfCall('AskUserQuestion', asked, 'toolu_ask');
  }

  test.each(['by hooks', 'by a catch-up'])(
    'an answer reported %s begins nothing, and the rest of the turn stays',
    (how) => {
      ends();
      if (how === 'by hooks')
        talk.hook('PreToolUse', { tool_name: 'AskUserQuestion', tool_use_id: 'toolu_ask', tool_input: asked });
      if (how === 'by hooks') talk.tool('AskUserQuestion', asked, answer, 'toolu_ask');
      talk.lineOfResult('toolu_ask', 'ok', answer);
      talk.lineOfCall('Bash', { command: 'git checkout .' }, 'toolu_back');
      talk.lineOfResult('toolu_back', 'ok', { stdout: 'ok' });
      if (how === 'by hooks') talk.stop('The changes are gone.');
      talk.lineOfAgent('The changes are gone.');
      if (how === 'by hooks') talk.hook('SessionEnd', { reason: 'other' });
      else caughtUp();
      const [archive = ''] = refsOf(dir, 'archive');
      expect(refsOf(dir, 'sessions')).toEqual([]);
      expect(storyOf(recordsOf(dir, archive)).at(-1)).toBe('run git checkout . → 0');
      expect(keptIn(archive)).toEqual(talk.said);
      expect(captured(0).complete).toBe(true);
      sound(dir);
    },
  );

  test('that the user breaks off begins nothing either, and their next task is one', () => {
    ends();
    talk.hook('PreToolUse', { tool_name: 'AskUserQuestion', tool_use_id: 'toolu_ask', tool_input: asked });
    talk.lineOfResult(
      'toolu_ask',
      "The user doesn't want to proceed with this tool use.",
      'User rejected tool use',
      true,
    );
    talk.lineOfInterrupt();
    talk.prompt('Write the release notes');
    talk.lineOfUser('Write the release notes');
    talk.hook('SessionEnd', { reason: 'other' });
    expect(refsOf(dir, 'archive')).toHaveLength(1);
    expect(statusOf(dir).task_description).toBe('Write the release notes');
    expect(keptIn('STAGE')).toEqual(['Write the release notes']);
  });
});

test('a session that was saved by hand before anything of its transcript was there has all that it had taken up', () => {
  talk.prompt('Add retry');
  talk.stop('Retry is in.');
  talk.prompt('Make it five tries, not four');
  run(['stage', 'compact'], { cwd: dir, now: NOON });
  for (const [words, answer] of [
    ['Add retry', 'Retry is in.'],
    ['Make it five tries, not four', 'Five now.'],
  ] as const) {
    talk.lineOfUser(words);
    talk.lineOfAgent(answer);
  }
  const before = talk.said.length;
  talk.lineOfUser('Also log each try');
  talk.stop('Five now.');
  expect(keptIn(refsOf(dir, 'archive')[0] as string)).toEqual(talk.said.slice(0, before));
  expect(captured(1)).toMatchObject({ turns: 3, turns_stored: 2 });
  sound(dir);
});

describe('the cache', () => {
  test('is read for an unknown conversation instead of every session of the archive', () => {
    run(['init'], { cwd: dir });
    run(['stage', 'start', 'Long ago'], { cwd: dir, now: NOON });
    run(['observe', 'note', 'Done'], { cwd: dir, now: NOON });
    run(['stage', 'compact'], { cwd: dir, now: NOON });
    const [old = ''] = refsOf(dir, 'archive');
    talk.hook('SessionStart', { source: 'startup' });
    const head = git(dir, '--git-dir=.ctx', 'rev-parse', old).trim();
    rmSync(join(dir, '.ctx', 'objects', head.slice(0, 2), head.slice(2)));
    talk.prompt('Add retry');
    new Conversation(dir, B).prompt('Fix the build');
    expect(refsOf(dir, 'sessions')).toHaveLength(2);
    expect(statusOf(dir)).toMatchObject({ task_description: 'Add retry', hook_errors: null });
  });

  test('continues a session that was ingested after the cache noted that there is none', () => {
    talk.prompt('Thanks!');
    talk.lineOfUser('Add retry');
    talk.lineOfAgent('Retry is in.');
    run(['ingest', talk.transcript], { cwd: dir, now: NOON });
    const own = refsOf(dir, 'sessions');
    expect(own).toHaveLength(1);
    talk.prompt('Also log each try');
    expect(refsOf(dir, 'sessions')).toEqual(own);
  });

  test('that is gone, torn or names a session that has ended: the conversation finds its own', () => {
    const [ref] = [confirmed()];
    talk.hook('SessionEnd', { reason: 'other' });
    const cache = join(dir, '.ctx', 'cache');
    rmSync(cache, { recursive: true });
    talk.prompt('Now write the docs');
    const own = refsOf(dir, 'sessions');
    for (const broken of [['conversations'], ['sources'], ['conversations', 'sources']]) {
      for (const name of broken) rmSync(join(cache, name), { recursive: true, force: true });
      talk.prompt('And an example');
      expect(refsOf(dir, 'sessions')).toEqual(own);
    }
    expect(refsOf(dir, 'archive')).toEqual([ref]);
  });
});

describe('while a question of ctx’s own waits', () => {
  test('catch-up and ingest take nothing of that conversation in; the answer picks where it goes', () => {
    talk.turn('Add retry', 'npm test', 'Retry is in.');
    talk.prompt('New task: write the release notes for version 2');
    talk.lineOfUser('New task: write the release notes for version 2');
    talk.lineOfAgent('ctx asks: shall I save that first?');
    const before = git(dir, '--git-dir=.ctx', 'for-each-ref');
    const { session_id } = statusOf(dir);
    const told = caughtUp(1);
    expect(told).toMatchObject({ conversations: [], turns_added: 0 });
    const words = `A question waits in the session ${session_id}: its answer picks the session of what came since.`;
    expect(told.problems.map(({ message }) => message)).toEqual([
      `${words} Answer it with: ctx choose <A|B|continue|fresh>`,
    ]);
    expect(refused(['ingest', talk.transcript], { cwd: dir, now: NOON })).toMatchObject({
      exit: 1,
      code: 'choice_waits',
      message: words,
      data: { session_id, kind: 'new_task' },
    });
    expect(git(dir, '--git-dir=.ctx', 'for-each-ref')).toBe(before);
    // The text behind it waits for that, and nothing else helps.
    expect(run(['capture', 'status'], inHome()).stderr).toBe(
      'hint: A question waits, and what came after it: answer it with: ctx choose <A|B|continue|fresh>\n',
    );
    expect(run(['doctor'], inHome()).stdout).toMatch(/capture.*\n.*ctx choose <A\|B\|continue\|fresh>/);
    talk.prompt('A');
    talk.lineOfUser('A');
    talk.hook('SessionEnd', { reason: 'other' });
    const [old = ''] = refsOf(dir, 'archive');
    expect([keptIn(old), keptIn('STAGE')]).toEqual([talk.said.slice(0, 2), talk.said.slice(2)]);
    expect(captured(0).complete).toBe(true);
  });
});
