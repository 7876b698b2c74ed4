// A turn of each agent through the hook command: what it tells, how it is answered, and what becomes of its session.
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ActiveStatus } from '../../src/index.ts';
import { folder, fsck, git, json, NOON, run } from '../support/cli.ts';
import { messagesOf, recordsOf, storyOf } from './support/day.ts';

const ID = 'aaaabbbb-782b-43cc-9266-91267f42be8c';
const STORY = ['task Add retry', 'write src/retry.ts', 'run npm test → 3', 'done → PendingComplete'];

let dir: string;

beforeEach(() => {
  dir = join(folder('turn-'), 'project');
  mkdirSync(dir);
  git(dir, 'init', '-q');
});

/** Runs one hook; gives what the agent reads, null where nothing. */
function hook(agent: string, payload: object): unknown {
  const ran = run(['hook', agent], { cwd: dir, now: NOON, input: JSON.stringify(payload) });
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  return ran.stdout === '' ? null : JSON.parse(ran.stdout);
}

const state = (): unknown => json<ActiveStatus>(['stage', 'status'], { cwd: dir, now: NOON }).session_state;

function sound(): void {
  expect(existsSync(join(dir, '.ctx', 'hook-errors.jsonl'))).toBe(false);
  fsck(dir);
  expect(run(['fsck', '--full'], { cwd: dir })).toMatchObject({ code: 0 });
}

const told = (hookEventName: string) => ({
  hookSpecificOutput: { hookEventName, additionalContext: expect.stringContaining('> Welcome back! I had finished:') },
});

describe.each(['pi', 'opencode'])('%s', (agent) => {
  const tell = (hook_event_name: string, fields: object = {}) =>
    hook(agent, { hook_event_name, session_id: ID, transcript_path: null, cwd: dir, ...fields });
  const tool = (tool_name: string, tool_input: object, more: object) =>
    tell('tool_result', { tool_name, tool_call_id: tool_name, tool_input, ...more });

  test('records a turn and an interrupt, and gives a summary at the next start', () => {
    expect(tell('session_start', { source: 'startup' })).toBeNull();
    expect(tell('prompt', { prompt: 'Add retry' })).toBeNull();
    const path = 'src/retry.ts';
    tool('write', { path, filePath: path, content: 'export {};\n' }, { tool_output: 'Wrote it' });
    const output = 'oops\n';
    const ended =
      agent === 'pi'
        ? { tool_output: `${output}\n\nCommand exited with code 3`, failed: true }
        : { tool_output: output, tool_told: { exit: 3, output } };
    tool('bash', { command: 'npm test' }, ended);
    tell('turn_end', { text: 'Retry is in.' });
    expect(state()).toEqual({ kind: 'PendingComplete', summary: 'Retry is in.' });
    expect(tell('session_start', { source: 'resume' })).toEqual(told('session_start'));
    tell('pause');
    expect(storyOf(recordsOf(dir, 'STAGE'))).toEqual(STORY);
    tell('prompt', { prompt: 'Also log every attempt' });
    tell('interrupt');
    expect(state()).toMatchObject({ kind: 'Interrupted' });
    sound();
  });
});

test('does not record prompts again from the export of opencode that its hooks reported', () => {
  const tell = (hook_event_name: string, fields: object = {}) =>
    hook('opencode', { hook_event_name, session_id: ID, transcript_path: null, cwd: dir, ...fields });
  tell('prompt', { prompt: 'Build the door' });
  tell('turn_end', { text: 'The door is built.' });
  tell('prompt', { prompt: 'Also paint it' });
  tell('turn_end', { text: 'Painted.' });
  const before = recordsOf(dir, 'STAGE').filter(({ kind }) => kind === 'note' || kind === 'transition');
  const message = (second: number, role: string, text: string): object => ({
    info: { id: `msg_${second}`, sessionID: ID, role, time: { created: (NOON + second) * 1000 } },
    parts: [{ id: `prt_${second}`, type: 'text', text }],
  });
  const told = [
    message(-9, 'user', 'Build the door'),
    message(-8, 'assistant', 'The door is built.'),
    message(-7, 'user', 'Also paint it'),
    message(-6, 'assistant', 'Painted.'),
  ];
  const ingest = (messages: object[]): unknown[] => {
    const file = join(dir, '..', 'export.json');
    writeFileSync(file, JSON.stringify({ info: { id: ID, directory: dir, projectID: 'p', version: '1' }, messages }));
    json(['ingest', file, '--agent', 'opencode'], { cwd: dir, now: NOON });
    return recordsOf(dir, 'STAGE').filter(({ kind }) => kind === 'note' || kind === 'transition');
  };
  expect(ingest(told)).toEqual(before);
  expect(messagesOf(recordsOf(dir, 'STAGE'))).toHaveLength(4);
  // The same words, said anew, are a prompt of their own.
  const more = [message(86_400, 'user', 'Also paint it'), message(86_401, 'assistant', 'Once more.')];
  expect(ingest([...told, ...more]).slice(before.length)).toMatchObject([
    { kind: 'note', content: 'User requested continuation: Also paint it' },
    { kind: 'transition', by: 'reopen' },
  ]);
  sound();
});

describe('Gemini CLI', () => {
  const transcript = (): string => join(dir, '..', 'chats', 'session-2026-11-21T12-00-aaaabbbb.jsonl');
  const tell = (hook_event_name: string, fields: object = {}) =>
    hook('gemini', { session_id: ID, transcript_path: transcript(), cwd: dir, hook_event_name, ...fields });

  function line(record: object): void {
    mkdirSync(dirname(transcript()), { recursive: true });
    appendFileSync(transcript(), `${JSON.stringify(record)}\n`);
  }
  const timestamp = new Date(NOON * 1000).toISOString();
  const write = { file_path: 'src/retry.ts', content: 'export {};\n' };
  const shown = { fileName: 'retry.ts', filePath: '', newContent: 'export {};\n' };
  const output = '<untrusted_context>\nOutput: oops\nExit Code: 3\nProcess Group PGID: 1\n</untrusted_context>';
  const called = (id: string, name: string, args: object, text: string) => ({
    id,
    name,
    args,
    status: 'success',
    result: [{ functionResponse: { id, name, response: { output: text } } }],
  });

  test('records a turn once if hooks report its tools without ids and the transcript with them', () => {
    expect(tell('SessionStart', { source: 'startup' })).toBeNull();
    line({ sessionId: ID, projectHash: '0'.repeat(64), startTime: timestamp, lastUpdated: timestamp, kind: 'main' });
    expect(tell('BeforeAgent', { prompt: '<hook_context>quoted</hook_context>\n\nAdd retry' })).toBeNull();
    line({ id: 'u1', timestamp, type: 'user', content: [{ text: 'Add retry' }] });
    tell('PreCompress', { trigger: 'auto' });
    const told_ = { llmContent: 'Created', returnDisplay: { ...shown, filePath: join(dir, 'src/retry.ts') } };
    tell('AfterTool', { tool_name: 'write_file', tool_input: write, tool_response: told_ });
    const command = { command: 'npm test' };
    tell('AfterTool', { tool_name: 'run_shell_command', tool_input: command, tool_response: { llmContent: output } });
    line({
      id: 'g1',
      timestamp,
      type: 'gemini',
      content: 'Retry is in.',
      model: 'gemini-3.8-flash',
      toolCalls: [
        called('write_file-1', 'write_file', write, 'Created'),
        called('run_shell_command-1', 'run_shell_command', command, output),
      ],
    });
    tell('AfterAgent', { prompt: 'Add retry', prompt_response: 'Retry is in.' });
    expect(tell('SessionStart', { source: 'resume', transcript_path: '/no/stub' })).toEqual(told('SessionStart'));
    tell('SessionEnd', { reason: 'exit' });
    tell('SessionEnd', { reason: 'exit' });
    const records = recordsOf(dir, 'STAGE');
    expect(messagesOf(records)).toEqual(['Add retry', 'Retry is in.']);
    expect(storyOf(records)).toEqual(STORY);
    sound();
  });

  test('ends an interrupted turn like any other, as the transcript shows it', () => {
    tell('BeforeAgent', { prompt: 'Add retry' });
    line({ sessionId: ID, projectHash: '0'.repeat(64), startTime: timestamp, lastUpdated: timestamp, kind: 'main' });
    line({ id: 'u1', timestamp, type: 'user', content: [{ text: 'Add retry' }] });
    line({ id: 'i1', timestamp, type: 'info', content: 'Request cancelled.' });
    tell('AfterAgent', { prompt_response: 'First I look at' });
    expect(state()).toEqual({ kind: 'Interrupted', user_message: 'Add retry' });
  });

  test('takes from the transcript what no hook reported', () => {
    tell('BeforeAgent', { prompt: 'Add retry' });
    line({ sessionId: ID, projectHash: '0'.repeat(64), startTime: timestamp, lastUpdated: timestamp, kind: 'main' });
    line({ id: 'u1', timestamp, type: 'user', content: [{ text: 'Add retry' }] });
    const command = { command: 'npm test' };
    tell('AfterTool', { tool_name: 'run_shell_command', tool_input: command, tool_response: { llmContent: output } });
    const calls = ['a', 'b'].map((id) => called(id, 'run_shell_command', command, output));
    line({ id: 'g1', timestamp, type: 'gemini', content: 'Done.', model: 'x', toolCalls: calls });
    tell('AfterAgent', { prompt_response: 'Done.' });
    expect(storyOf(recordsOf(dir, 'STAGE')).filter((one) => one.startsWith('run'))).toEqual([
      'run npm test → 3',
      'run npm test → 3',
    ]);
  });

  const printed = (code: number, text: string): string => `Output: ${text}\nExit Code: ${code}`;
  /** Returns the kept runs of one command in a turn. @param heard numbers of the runs with a hook's event */
  const runs = (outputs: string[], heard: number[]) => {
    tell('BeforeAgent', { prompt: 'Add retry' });
    line({ sessionId: ID, projectHash: '0'.repeat(64), startTime: timestamp, lastUpdated: timestamp, kind: 'main' });
    line({ id: 'u1', timestamp, type: 'user', content: [{ text: 'Add retry' }] });
    const command = { command: 'npm test' };
    for (const index of heard) {
      const tool_response = { llmContent: outputs[index] };
      tell('AfterTool', { tool_name: 'run_shell_command', tool_input: command, tool_response });
    }
    const calls = outputs.map((text, index) => called(`c${index}`, 'run_shell_command', command, text));
    line({ id: 'g1', timestamp, type: 'gemini', content: 'Done.', model: 'x', toolCalls: calls });
    tell('AfterAgent', { prompt_response: 'Done.' });
    return recordsOf(dir, 'STAGE').filter(({ kind }) => kind === 'command');
  };

  test.each<[string, string[], number[]]>([
    ['a failed run, then one that passed', [printed(1, 'failed'), printed(0, 'passed')], [1]],
    ['two that failed of different things', [printed(1, '2 failed'), printed(1, '1 failed')], [1]],
    ['the middle one of three', ['a', 'b', 'c'].map((text) => printed(3, text)), [1]],
    ['two of three', [printed(1, 'a'), printed(0, 'a'), printed(1, 'b')], [1, 2]],
    ['one that printed nothing', [printed(0, 'x'), printed(0, '(empty)')], [1]],
    ['those that were alike', [printed(2, 'a'), printed(2, 'a'), printed(0, 'a')], [0]],
  ])('keeps each run of a command once if hooks were lost: %s', (_what, outputs, heard) => {
    const told = (text: string): string =>
      text.replace(/Output: (.*)\nExit Code: (.*)/, '$2 $1').replace('(empty)', '');
    const ran = runs(outputs, heard).map((record) => `${record['exit_code']} ${record['output']}`);
    expect(ran.sort()).toEqual(outputs.map(told).sort());
    sound();
  });

  test('keeps a run once that printed a long text or a secret', () => {
    const outputs = [
      printed(1, 'long '.repeat(20_000)),
      printed(0, 'API_KEY=Zx8Qm2Lp9Vt4Rk7Wn3Bs6Yd1'),
      printed(2, 'a'),
    ];
    expect(runs(outputs, [0, 1, 2])).toHaveLength(3);
  });
});

describe('Cursor', () => {
  const tell = (hook_event_name: string, fields: object = {}) =>
    hook('cursor', { conversation_id: ID, workspace_roots: [dir], transcript_path: null, hook_event_name, ...fields });

  test('a turn, and an answer in its own shape', () => {
    expect(tell('sessionStart', { session_id: ID })).toBeNull();
    tell('beforeSubmitPrompt', { prompt: 'Add retry' });
    const write = { file_path: join(dir, 'src/retry.ts'), content: 'export {};\n' };
    tell('postToolUse', { tool_name: 'Write', tool_input: write, tool_output: '{}', tool_use_id: 'c1' });
    const ran = { tool_output: '{"exitCode":3,"output":"oops"}', tool_use_id: 'c2' };
    tell('postToolUse', { tool_name: 'Shell', tool_input: { command: 'npm test' }, ...ran });
    tell('stop', { status: 'completed' });
    tell('sessionEnd', { reason: 'completed' });
    expect(storyOf(recordsOf(dir, 'STAGE'))).toEqual(STORY);
    expect(tell('sessionStart')).toEqual({
      additional_context: expect.stringContaining('> Welcome back! I had finished:'),
    });
    tell('beforeSubmitPrompt', { prompt: 'Also log every attempt' });
    tell('stop', { status: 'aborted' });
    expect(state()).toMatchObject({ kind: 'Interrupted' });
    sound();
  });

  const RAN = {
    tool_name: 'Shell',
    tool_input: { command: 'npm test' },
    tool_output: '{"exitCode":3,"output":"oops"}',
  };

  test('without prompts, as with -p, its tools begin a session, once', () => {
    tell('sessionStart', { session_id: ID });
    tell('postToolUse', { tool_name: 'Grep', tool_input: { pattern: 'x' }, tool_output: '{}', tool_use_id: 'c0' });
    expect(git(dir, '--git-dir=.ctx', 'for-each-ref', 'refs/sessions')).toBe('');
    tell('postToolUse', { ...RAN, tool_use_id: 'c1' });
    tell('postToolUse', { ...RAN, tool_use_id: 'c2' });
    tell('sessionEnd', { reason: 'completed' });
    expect(storyOf(recordsOf(dir, 'STAGE'))).toEqual(['task Untitled session', 'run npm test → 3', 'run npm test → 3']);
    expect(git(dir, '--git-dir=.ctx', 'for-each-ref', 'refs/sessions').trim().split('\n')).toHaveLength(1);
    sound();
  });

  test('what it sends to the hooks of another agent is taken as its own, unless it has hooks of ctx itself', () => {
    const send = (hook_event_name: string, fields: object) =>
      hook('claude-code', { conversation_id: ID, workspace_roots: [dir], hook_event_name, ...fields });
    send('beforeSubmitPrompt', { prompt: 'Add retry' });
    send('postToolUse', { ...RAN, tool_use_id: 'c1' });
    send('stop', { status: 'completed' });
    expect(json<ActiveStatus>(['stage', 'status'], { cwd: dir, now: NOON })).toMatchObject({ agent: 'cursor' });
    expect(storyOf(recordsOf(dir, 'STAGE'))).toEqual(['task Add retry', 'run npm test → 3', 'done → PendingComplete']);
    run(['hooks', 'install', 'cursor', '--project'], { cwd: dir, now: NOON });
    send('beforeSubmitPrompt', { prompt: 'Also log every attempt' });
    expect(state()).toMatchObject({ kind: 'PendingComplete' });
    tell('beforeSubmitPrompt', { prompt: 'Also log every attempt' });
    expect(state()).toMatchObject({ kind: 'Running' });
    sound();
  });
});

describe('a conversation of Claude Code whose beginning ctx missed', () => {
  const tell = (hook_event_name: string, fields: object) =>
    hook('claude-code', {
      session_id: ID,
      cwd: dir,
      transcript_path: join(dir, 'gone.jsonl'),
      hook_event_name,
      ...fields,
    });

  test('has a session with its tool calls and its last words if it has no transcript', () => {
    run(['init'], { cwd: dir });
    tell('Stop', { last_assistant_message: ' ' });
    expect(json(['stage', 'list'], { cwd: dir })).toEqual([]);
    const response = { stdout: '', stderr: '', interrupted: false };
    tell('PostToolUse', {
      ...{ tool_name: 'Bash', tool_input: { command: 'ls' }, tool_response: response, tool_use_id: 't1' },
      agent_id: 'a sub-agent',
    });
    expect(json(['stage', 'list'], { cwd: dir })).toEqual([]);
    tell('Stop', { last_assistant_message: 'Retry is in.' });
    expect(state()).toEqual({ kind: 'PendingComplete', summary: 'Retry is in.' });
    expect(json(['stage', 'list'], { cwd: dir })).toHaveLength(1);
    sound();
  });
});
