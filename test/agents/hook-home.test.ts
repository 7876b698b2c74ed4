// Tests the home of a conversation: its agent goes to other folders meanwhile, and it may be older than the hooks.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ListedSession } from '../../src/index.ts';
import { folder, fsck, git, json, NOON, run } from '../support/cli.ts';
import { Conversation, messagesOf, recordsOf, shell, storyOf, toolFields } from './support/day.ts';

let dir: string;
let talk: Conversation;

const project = (name: string): string => {
  const made = join(folder('home-'), name);
  mkdirSync(made);
  git(made, 'init', '-q');
  return made;
};
const sessions = (of: string): ListedSession[] => json<ListedSession[]>(['stage', 'list'], { cwd: of, now: NOON });

beforeEach(() => {
  dir = project('project');
  run(['init'], { cwd: dir });
  talk = new Conversation(dir, 'aaaaaaaa-1111-4111-8111-111111111111');
});

describe('an agent that goes to another project', () => {
  test.each([
    ['has a store of its own', true],
    ['has none', false],
  ])('which %s: the conversation stays with the store that has heard of it', (_, hasStore) => {
    const other = project('other');
    if (hasStore) run(['init'], { cwd: other });
    talk.prompt('Sync the two projects');
    talk.lineOfUser('Sync the two projects');
    talk.lineOfCall('Bash', { command: 'git pull' }, 'toolu_1');
    const there = { cwd: other };
    talk.hook('PostToolUse', { ...toolFields('Bash', { command: 'git pull' }, shell('ok'), 'toolu_1'), ...there });
    const written = { file_path: join(other, 'y.txt'), content: '2\n' };
    talk.hook('PostToolUse', { ...toolFields('Write', written, {}, 'toolu_2'), ...there });
    talk.lineOfResult('toolu_1', 'ok', shell('ok'));
    talk.hook('Stop', { stop_hook_active: false, last_assistant_message: 'Synced.', ...there });
    talk.lineOfAgent('Synced.');
    talk.hook('UserPromptSubmit', { prompt: 'Also sync the tags', ...there });
    expect(sessions(dir)).toMatchObject([
      { task_description: 'Sync the two projects', session_state: { kind: 'Running' } },
    ]);
    expect(messagesOf(recordsOf(dir, 'STAGE'))).toEqual(['Sync the two projects', 'Synced.']);
    expect(storyOf(recordsOf(dir, 'STAGE'))).toContain('run git pull → 0');
    expect(recordsOf(dir, 'STAGE')).toContainEqual(
      expect.objectContaining({ kind: 'write', path: join(other, 'y.txt') }),
    );
    expect(existsSync(join(other, '.ctx'))).toBe(hasStore);
    if (hasStore) expect(sessions(other)).toEqual([]);
    fsck(dir);
  });

  test.each([
    ['that its agent tells', (): string => project('other'), true],
    ['around the other one', (): string => join(dir, 'packages/other'), false],
  ])('before there is a transcript: it stays with the project %s', (_, place, isToldWhere) => {
    const other = place();
    mkdirSync(other, { recursive: true });
    run(['init'], { cwd: other });
    const options = isToldWhere ? { env: { CLAUDE_PROJECT_DIR: dir } } : {};
    const there = { cwd: other };
    talk.prompt('Sync the two projects', options);
    const ran = toolFields('Bash', { command: 'git pull' }, shell('ok'), 'toolu_1');
    talk.hook('PostToolUse', { ...ran, ...there }, options);
    talk.hook('Stop', { stop_hook_active: false, last_assistant_message: 'Synced.', ...there }, options);
    talk.hook('UserPromptSubmit', { prompt: 'Also sync the tags', ...there }, options);
    expect(sessions(other)).toEqual([]);
    expect(sessions(dir)).toMatchObject([
      { task_description: 'Sync the two projects', session_state: { kind: 'Running' } },
    ]);
    expect(storyOf(recordsOf(dir, 'STAGE'))).toContain('run git pull → 0');
    fsck(dir);
  });

  test('returns to its project, with the tools that follow, once its transcript names it', () => {
    const other = project('other');
    run(['init'], { cwd: other });
    const there = { cwd: other };
    const tool = (id: string): void => {
      talk.hook('PostToolUse', { ...toolFields('Bash', { command: `run ${id}` }, shell('ok'), id), ...there });
    };
    talk.prompt('Sync the two projects');
    tool('toolu_1');
    expect(sessions(other)).toMatchObject([{ task_description: 'Untitled session' }]);
    talk.hook('Stop', { stop_hook_active: false, last_assistant_message: 'Pulled.', ...there });
    talk.lineOfUser('Sync the two projects');
    talk.lineOfCall('Bash', { command: 'run toolu_1' }, 'toolu_1');
    talk.lineOfResult('toolu_1', 'ok', shell('ok'));
    talk.lineOfAgent('Pulled.');
    talk.hook('UserPromptSubmit', { prompt: 'Also sync the tags', ...there });
    talk.lineOfUser('Also sync the tags');
    tool('toolu_2');
    talk.hook('Stop', { stop_hook_active: false, last_assistant_message: 'Synced.', ...there });
    expect(sessions(dir)).toMatchObject([
      { task_description: 'Sync the two projects', session_state: { kind: 'PendingComplete', summary: 'Synced.' } },
    ]);
    expect(storyOf(recordsOf(dir, 'STAGE')).filter((line) => line.startsWith('run'))).toEqual([
      'run run toolu_1 → 0',
      'run run toolu_2 → 0',
    ]);
    expect(messagesOf(recordsOf(dir, 'STAGE'))).toEqual([...talk.said]);
    fsck(dir);
    fsck(other);
  });

  test('a project that its agent names but that does not know the conversation is not its home', () => {
    const other = project('other');
    run(['init'], { cwd: other });
    talk.prompt('Something else');
    const second = new Conversation(other, 'bbbbbbbb-2222-4222-8222-222222222222');
    second.prompt('Add a changelog', { env: { CLAUDE_PROJECT_DIR: dir } });
    expect(sessions(other)).toMatchObject([{ task_description: 'Add a changelog' }]);
    expect(sessions(dir)).toMatchObject([{ task_description: 'Something else' }]);
  });

  test('another conversation of the agent that began in the other project belongs to the other store', () => {
    const other = project('other');
    run(['init'], { cwd: other });
    talk.prompt('Sync the two projects');
    const second = new Conversation(other, 'bbbbbbbb-2222-4222-8222-222222222222');
    second.prompt('Add a changelog');
    second.lineOfUser('Add a changelog');
    second.stop('Added.');
    expect(sessions(other)).toMatchObject([{ task_description: 'Add a changelog' }]);
    expect(sessions(dir)).toMatchObject([{ task_description: 'Sync the two projects' }]);
  });
});

test('a conversation that is older than the hooks, of which they hear an approval first, has its session at the end of the turn', () => {
  talk.lineOfUser('Fix the parser');
  talk.lineOfAgent('The parser is fixed.');
  talk.hook('SessionStart', { source: 'resume' });
  talk.prompt('Looks good');
  expect(sessions(dir)).toEqual([]);
  talk.lineOfUser('Looks good');
  talk.stop('Great.');
  talk.lineOfAgent('Great.');
  talk.hook('SessionEnd', { reason: 'other' });
  expect(sessions(dir)).toMatchObject([
    { task_description: 'Fix the parser', session_state: { kind: 'PendingComplete' } },
  ]);
  expect(messagesOf(recordsOf(dir, 'STAGE'))).toEqual(talk.said);
  fsck(dir);
});

test('one that has nothing but thanks in it begins nothing', () => {
  for (const words of ['thanks', 'thanks again']) {
    talk.prompt(words);
    talk.lineOfUser(words);
    talk.stop('You are welcome.');
    talk.lineOfAgent('You are welcome.');
  }
  expect(sessions(dir)).toEqual([]);
});
