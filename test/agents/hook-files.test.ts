// The files of ours in pi and opencode: what they tell and in which order, what reaches the model, and that they never break the agent.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { folder, fsck, git, json, PROGRAM, run } from '../support/cli.ts';
import { recordsOf, storyOf } from './support/day.ts';
import { answerOf, opencodeWith, piSession, piWith, probe } from './support/own-files.ts';
import { askAlways } from './support/projects.ts';

const HERE = '/home/dev/acme-http';
const ID = '01a2000b-c9c9-73c8-b6ce-25365f9848fb';
const SESSION = piSession(HERE, ID, '/home/dev/s.jsonl');
const ours = { session_id: ID, transcript_path: '/home/dev/s.jsonl', cwd: HERE };

const answer = (text: string, stopReason = 'stop') => ({
  messages: [
    { role: 'user', content: 'x' },
    { role: 'assistant', content: [{ type: 'text', text }], stopReason },
  ],
});

describe('pi', () => {
  test('a turn, one event after the other, and all of it before pi ends', async () => {
    const { command, told } = probe();
    const fire = await piWith(command);
    fire('session_start', { reason: 'startup' }, SESSION);
    fire('input', { text: 'Add retry', source: 'interactive' }, SESSION);
    expect(await fire('before_agent_start', { prompt: 'Add retry' }, SESSION)).toBeUndefined();
    const content = [{ type: 'text', text: 'ok\n' }, { type: 'image' }];
    fire(
      'tool_result',
      { toolName: 'bash', toolCallId: 'c1', input: { command: 'ls' }, content, isError: false },
      SESSION,
    );
    fire('agent_end', answer('Retry is in.'), SESSION);
    fire('agent_end', answer('Half', 'aborted'), SESSION);
    fire('agent_end', { messages: [] }, SESSION);
    fire('session_before_compact', {}, SESSION);
    await fire('session_shutdown', { reason: 'quit' }, SESSION);
    const tool = { tool_name: 'bash', tool_call_id: 'c1', tool_input: { command: 'ls' }, tool_output: 'ok\n' };
    expect(told()).toEqual([
      { hook_event_name: 'session_start', ...ours, source: 'startup' },
      { hook_event_name: 'prompt', ...ours, prompt: 'Add retry' },
      { hook_event_name: 'tool_result', ...ours, ...tool, truncated: false, failed: false },
      { hook_event_name: 'turn_end', ...ours, text: 'Retry is in.' },
      { hook_event_name: 'interrupt', ...ours },
      { hook_event_name: 'turn_end', ...ours, text: '' },
      { hook_event_name: 'pause', ...ours },
      { hook_event_name: 'end', ...ours },
    ]);
  });

  test('what ctx says at the start and at the prompt reaches the model with the prompt, once', async () => {
    const fire = await piWith(probe(answerOf('quoted')).command);
    fire('session_start', { reason: 'startup' }, SESSION);
    const first = await fire('before_agent_start', { prompt: 'Add retry' }, SESSION);
    expect(first).toEqual({ message: { customType: 'ctx', content: 'quoted\n\nquoted', display: false } });
    expect(await fire('before_agent_start', { prompt: 'Go on' }, SESSION)).toMatchObject({
      message: { content: 'quoted' },
    });
  });

  test('what is said while the agent works is a prompt; what another extension says is none', async () => {
    const { command, told } = probe();
    const fire = await piWith(command);
    fire('input', { text: 'Stop that', source: 'interactive', streamingBehavior: 'steer' }, SESSION);
    fire('input', { text: 'Automatic', source: 'extension', streamingBehavior: 'steer' }, SESSION);
    await fire('before_agent_start', { prompt: 'Automatic' }, SESSION);
    await fire('session_shutdown', {}, SESSION);
    expect(told()).toEqual([
      { hook_event_name: 'prompt', ...ours, prompt: 'Stop that', while_at_work: true },
      { hook_event_name: 'end', ...ours },
    ]);
  });

  test.each([
    ['a command that is not there', '/no/such/ctx'],
    ['one that fails', 'exit 3'],
    ['one that says what is no answer', 'echo oops'],
    ['one that does not read', 'exec <&-; true'],
  ])('%s breaks nothing', async (_what, command) => {
    const fire = await piWith(command);
    fire('session_start', {}, SESSION);
    expect(await fire('before_agent_start', { prompt: 'x'.repeat(1_000_000) }, SESSION)).toBeUndefined();
    expect(await fire('agent_end', {}, SESSION)).toBeUndefined();
    expect(await fire('tool_result', {}, {})).toBeUndefined();
    expect(await fire('session_shutdown', {}, SESSION)).toBeUndefined();
  });
});

const event = (type: string, properties: object) => ({ event: { type, properties } });
const text = (sessionID: string, words: string) =>
  event('message.part.updated', { part: { type: 'text', sessionID, text: words, time: { start: 1, end: 2 } } });

describe('opencode', () => {
  const about = { session_id: 'ses_a', sub_agent: null, transcript_path: null, cwd: HERE };
  const message = { id: 'msg_1' };

  test('a turn, with a sub-agent in it', async () => {
    const { command, told } = probe();
    const hooks = await opencodeWith(command, HERE);
    await hooks.event(event('session.created', { info: { id: 'ses_a' } }));
    const parts = [
      { type: 'text', text: 'Add retry', id: 'prt_1' },
      { type: 'text', text: 'read this', synthetic: true, id: 'prt_2' },
    ];
    await hooks['chat.message']({ sessionID: 'ses_a' }, { message, parts });
    expect(parts).toHaveLength(2);
    await hooks.event(event('session.created', { info: { id: 'ses_b', parentID: 'ses_a' } }));
    await hooks['chat.message']({ sessionID: 'ses_b' }, { message, parts: [] });
    const ran = { tool: 'bash', sessionID: 'ses_b', callID: 'c1', args: { command: 'ls' } };
    hooks['tool.execute.after'](ran, { output: 'a', metadata: { exit: 0 } });
    await hooks.event(text('ses_a', 'First.'));
    await hooks.event(text('ses_a', 'Retry is in.'));
    await hooks.event(event('session.idle', { sessionID: 'ses_a' }));
    await hooks['experimental.session.compacting']({ sessionID: 'ses_a' });
    await hooks.dispose();
    const tool = { tool_name: 'bash', tool_call_id: 'c1', tool_input: { command: 'ls' }, tool_output: 'a' };
    expect(told()).toEqual([
      { hook_event_name: 'session_start', ...about, source: 'startup' },
      { hook_event_name: 'prompt', ...about, prompt: 'Add retry' },
      { hook_event_name: 'tool_result', ...about, sub_agent: 'ses_b', ...tool, tool_told: { exit: 0 } },
      { hook_event_name: 'turn_end', ...about, text: 'Retry is in.' },
      { hook_event_name: 'pause', ...about },
    ]);
  });

  test('a turn that is broken off is interrupted once, and its end is none', async () => {
    const { command, told } = probe();
    const hooks = await opencodeWith(command, HERE);
    const error = { name: 'MessageAbortedError', data: {} };
    await hooks['chat.message'](
      { sessionID: 'ses_a' },
      { message, parts: [{ type: 'text', text: 'Go', id: 'prt_1' }] },
    );
    await hooks.event(event('session.error', { sessionID: 'ses_a', error }));
    await hooks.event(event('session.error', { sessionID: 'ses_a', error }));
    await hooks.event(event('session.error', { error }));
    await hooks.event(event('session.idle', { sessionID: 'ses_a' }));
    await hooks.event(event('session.idle', { sessionID: 'ses_a' }));
    expect(told().map((one) => one['source'] ?? one['hook_event_name'])).toEqual(['resume', 'prompt', 'interrupt']);
  });

  test('what ctx says reaches the model as a part of the prompt that is not the user’s', async () => {
    const hooks = await opencodeWith(probe(answerOf('quoted')).command, HERE);
    const parts: object[] = [{ type: 'text', text: 'Go', id: 'prt_1' }];
    await hooks['chat.message']({ sessionID: 'ses_a' }, { message, parts });
    const given = { id: 'prt_1x', sessionID: 'ses_a', messageID: 'msg_1', type: 'text', synthetic: true };
    expect(parts.slice(1)).toEqual([{ ...given, text: 'quoted\n\nquoted' }]);
    const next: object[] = [];
    await hooks['chat.message']({ sessionID: 'ses_a' }, { message, parts: next });
    expect(next).toEqual([{ ...given, id: 'prt_ctx', text: 'quoted' }]);
  });

  test('the plugin asks for the parent of a sub-agent session that continues', async () => {
    const { command, told } = probe();
    const hooks = await opencodeWith(command, HERE, { ses_b: 'ses_a' });
    await hooks['chat.message']({ sessionID: 'ses_b' }, { message, parts: [] });
    hooks['tool.execute.after']({ tool: 'bash', sessionID: 'ses_b', callID: 'c', args: {} }, { output: '' });
    await hooks.dispose();
    expect(told()).toMatchObject([{ session_id: 'ses_a', sub_agent: 'ses_b' }]);
  });

  test('questions and permissions', async () => {
    const { command, told } = probe();
    const hooks = await opencodeWith(command, HERE);
    await hooks.event(event('permission.asked', { sessionID: 'ses_a', permission: 'bash', patterns: ['ls'] }));
    await hooks.event(event('question.asked', { sessionID: 'ses_a', questions: [{ question: 'Which?' }] }));
    expect(told()).toMatchObject([
      { hook_event_name: 'question', permission: 'bash', patterns: ['ls'] },
      { hook_event_name: 'question', questions: [{ question: 'Which?' }] },
    ]);
  });

  test('nothing breaks it', async () => {
    const hooks = await opencodeWith('/no/such/ctx', HERE);
    for (const one of [{}, event('session.idle', {}), event('session.created', {}), event('unheard.of', {})])
      expect(await hooks.event(one)).toBeFalsy();
    expect(await hooks['chat.message']({}, {})).toBeUndefined();
    expect(await hooks['tool.execute.after']({}, undefined)).toBeUndefined();
    expect(await hooks.dispose()).toBe('');
  });
});

/** Longest for as many processes as were recorded, one after the other, in milliseconds. */
const RECORDED = 300_000;

describe('what was recorded, through the file and the hook command', () => {
  const shared = fileURLToPath(new URL('../../../shared/payloads', import.meta.url));
  interface Seen {
    event: string;
    payload: Record<string, never> & { sessionId?: string; type?: string; body?: object; in?: object; out?: object };
  }
  const seen = (name: string): Seen[] =>
    readFileSync(join(shared, `${name}.jsonl`), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Seen);
  const workTree = (): string => {
    const dir = folder('recorded-');
    git(dir, 'init', '-q');
    askAlways(dir);
    return dir;
  };
  const hook = (name: string): string => `'${process.execPath}' '${PROGRAM}' hook ${name}`;

  function sound(dir: string, commands: string[]): void {
    expect(existsSync(join(dir, '.ctx', 'hook-errors.jsonl'))).toBe(false);
    expect(json(['log'], { cwd: dir })).toEqual([]);
    const sessions = git(dir, '--git-dir=.ctx', 'for-each-ref', '--format=%(refname)', 'refs/sessions')
      .trim()
      .split('\n');
    const story = sessions.flatMap((ref) => storyOf(recordsOf(dir, ref)));
    for (const command of commands) expect(story).toContain(command);
    fsck(dir);
    expect(run(['fsck', '--full'], { cwd: dir })).toMatchObject({ code: 0 });
  }

  test.skipIf(!existsSync(shared))('of pi', { timeout: RECORDED }, async () => {
    const dir = workTree();
    const fire = await piWith(hook('pi'));
    let session = {};
    for (const { event: name, payload } of seen('pi')) {
      session = piSession(dir, payload.sessionId ?? '', join(dir, 'none.jsonl'));
      await fire(name, payload.body ?? {}, session);
    }
    await fire('session_shutdown', {}, session);
    sound(dir, [
      'run echo hi → 0',
      'run echo oops >&2; exit 3 → 3',
      'write /home/dev/project/new.txt',
      'interrupt → Interrupted',
    ]);
  });

  test.skipIf(!existsSync(shared))('of opencode', { timeout: RECORDED }, async () => {
    const dir = workTree();
    const hooks = await opencodeWith(hook('opencode'), dir, {
      ses_dfff1d55dffey0yM0mj4FlOajg: 'ses_dfff2cdb2ffeXKtP4A3oJ1NHVu',
    });
    for (const { event: name, payload } of seen('opencode')) {
      if (name === 'event') await hooks.event({ event: payload.body });
      else await hooks[name as keyof typeof hooks]?.(payload.in ?? {}, payload.out ?? {});
    }
    await hooks.dispose();
    sound(dir, ['run echo hi → 0', 'run echo oops >&2; exit 3 → 3', 'ask → AwaitingUser']);
  });
});
