// A turn of Codex's through its hooks: what they tell, and what only its rollout tells, kept once.
import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { folder, fsck, git, NOON, run } from '../support/cli.ts';
import { messagesOf, recordsOf, storyOf } from './support/day.ts';

const ID = '01a20004-e71e-7f11-965c-42df1fc769da';

let dir: string;
let rollout: string;
let now: number;

beforeEach(() => {
  dir = folder();
  git(dir, 'init', '-q');
  run(['init'], { cwd: dir });
  rollout = join(dir, '..', 'sessions', `rollout-2026-11-21T12-00-00-${ID}.jsonl`);
  rmSync(rollout, { force: true });
  now = NOON;
  write('session_meta', { id: ID, cwd: dir, cli_version: '0.169.0' });
});

function write(type: string, payload: object): void {
  mkdirSync(dirname(rollout), { recursive: true });
  now += 1;
  appendFileSync(rollout, `${JSON.stringify({ timestamp: new Date(now * 1000).toISOString(), type, payload })}\n`);
}

const said = (role: string, text: string): void =>
  write('response_item', {
    type: 'message',
    role,
    content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
  });

function called(call_id: string, cmd: string, output: string, exit_code: number): void {
  write('response_item', { type: 'function_call', name: 'exec_command', arguments: JSON.stringify({ cmd }), call_id });
  const text = `Chunk ID: e467d0\nWall time: 0.0100 seconds\nProcess exited with code ${exit_code}\nOutput:\n${output}`;
  write('response_item', { type: 'function_call_output', call_id, output: text });
}

function hook(hook_event_name: string, fields: object): void {
  const payload = { session_id: ID, transcript_path: rollout, cwd: dir, hook_event_name, ...fields };
  const ran = run(['hook', 'codex'], { cwd: dir, now, input: `${JSON.stringify(payload)}\n` });
  expect([ran.code, ran.stdout, ran.stderr]).toEqual([0, '', '']);
}

const ran = (tool_use_id: string, command: string, tool_response: string): void =>
  hook('PostToolUse', { tool_name: 'Bash', tool_input: { command }, tool_response, tool_use_id });

test('takes the exit code of a command from the rollout at the end of the turn', () => {
  hook('UserPromptSubmit', { prompt: 'Make the build pass' });
  said('user', 'Make the build pass');
  ran('call_1', 'npm run build', 'oops\n');
  ran('call_2', 'npm run build', 'built\n');
  ran('call_3', 'npm start', '');
  called('call_1', 'npm run build', 'oops\n', 3);
  called('call_2', 'npm run build', 'built\n', 0);
  said('assistant', 'It passes.');
  hook('Stop', { stop_hook_active: false, last_assistant_message: 'It passes.' });
  const story = storyOf(recordsOf(dir, 'STAGE'));
  expect(story.filter((line) => line.startsWith('run'))).toEqual([
    'run npm run build → 3',
    'run npm run build → 0',
    'run npm start → null',
  ]);
  expect(run(['fsck'], { cwd: dir, now }).code).toBe(0);
  fsck(dir);
});

test('keeps a command once, with its exit code, if the rollout reports it before its hook', () => {
  hook('UserPromptSubmit', { prompt: 'Make the build pass' });
  said('user', 'Make the build pass');
  called('call_1', 'npm run build', 'oops\n', 3);
  expect(run(['ingest', rollout], { cwd: dir, now })).toMatchObject({ code: 0 });
  ran('call_1', 'npm run build', 'oops\n');
  said('assistant', 'It fails.');
  hook('Stop', { stop_hook_active: false, last_assistant_message: 'It fails.' });
  const story = storyOf(recordsOf(dir, 'STAGE'));
  expect(story.filter((line) => line.startsWith('run'))).toEqual(['run npm run build → 3']);
  fsck(dir);
});

test('keeps a command once if its hook reports it twice and the exit code becomes known in between', () => {
  hook('UserPromptSubmit', { prompt: 'Make the build pass' });
  said('user', 'Make the build pass');
  ran('call_1', 'npm run build', 'oops\n');
  run(['stage', 'flush'], { cwd: dir, now });
  ran('call_1', 'npm run build', 'oops\n');
  called('call_1', 'npm run build', 'oops\n', 3);
  hook('Stop', { stop_hook_active: false, last_assistant_message: 'It fails.' });
  const story = storyOf(recordsOf(dir, 'STAGE'));
  expect(story.filter((line) => line.startsWith('run'))).toHaveLength(1);
  fsck(dir);
});

test('keeps a command once if a permission was asked between its hook and the rollout', () => {
  hook('UserPromptSubmit', { prompt: 'Make the build pass' });
  said('user', 'Make the build pass');
  ran('call_1', 'npm run build', 'oops\n');
  called('call_1', 'npm run build', 'oops\n', 3);
  hook('PermissionRequest', { tool_name: 'Bash', tool_input: { command: 'rm -r dist' }, tool_use_id: 'call_2' });
  ran('call_2', 'rm -r dist', '');
  called('call_2', 'rm -r dist', '', 0);
  said('assistant', 'It passes.');
  hook('Stop', { stop_hook_active: false, last_assistant_message: 'It passes.' });
  const story = storyOf(recordsOf(dir, 'STAGE'));
  expect(story.filter((line) => line.startsWith('run'))).toEqual(['run npm run build → 3', 'run rm -r dist → 0']);
  expect(messagesOf(recordsOf(dir, 'STAGE')).filter((text) => /pass/.test(text))).toEqual([
    'Make the build pass',
    'It passes.',
  ]);
  fsck(dir);
});

test('a rollout that is written only at the end of the program goes to the sessions of its turns and repeats nothing', () => {
  rmSync(rollout);
  const turns = [
    ['Add retry to the http client', 'call_1', 'npm test', 'Retry is in.'],
    ['Looks good', 'call_2', 'git commit', 'Committed.'],
    ['Write the changelog for the release', 'call_3', 'ls', 'Written.'],
  ] as const;
  for (const [prompt, call, command, last_assistant_message] of turns) {
    hook('UserPromptSubmit', { prompt });
    ran(call, command, 'ok\n');
    hook('Stop', { stop_hook_active: false, last_assistant_message });
  }
  write('session_meta', { id: ID, cwd: dir, cli_version: '0.169.0' });
  for (const [prompt, call, command, answer] of turns) {
    said('user', prompt);
    called(call, command, 'ok\n', 0);
    said('assistant', answer);
  }
  hook('SessionEnd', { reason: 'other' });
  const archived = git(dir, '--git-dir=.ctx', 'for-each-ref', '--format=%(refname)', 'refs/archive').trim();
  const [saved, all] = [recordsOf(dir, archived), recordsOf(dir, 'STAGE')];
  expect(messagesOf(saved)).toEqual(['Add retry to the http client', 'Retry is in.', 'Looks good', 'Committed.']);
  expect(messagesOf(all)).toEqual(['Write the changelog for the release', 'Written.']);
  const calls = [...saved, ...all].filter(({ kind }) => kind === 'command').map((record) => record['tool_call_id']);
  expect(calls).toEqual(['call_1', 'call_2', 'call_3']);
  fsck(dir);
});
