// `ctx acp` as an editor starts it: the real program between a client and an agent of the SDK.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClientContext, methods } from '@agentclientprotocol/sdk';
import { beforeEach, describe, expect, test } from 'vitest';
import { initialize, prompt, talk } from '../support/acp.ts';
import { folder, fsck, NOON, PROGRAM, type Repo, repository } from '../support/cli.ts';

let repo: Repo;
beforeEach(() => {
  repo = repository({ now: NOON });
});

const begin = { cwd: '/home/dev/acme', mcpServers: [] };
const newSession = async (agent: ClientContext): Promise<string> =>
  ((await agent.request(methods.agent.session.new, begin)) as { sessionId: string }).sessionId;
const titles = (): unknown => repo.json<{ title: string }[]>(['list']).map(({ title }) => title);

describe('a talk of a client and an agent of the SDK', () => {
  test('is passed on and recorded; another connection loads it from the store, under the same id', async () => {
    const first = await talk({ dir: repo.dir, words: ['--record'] }, async (agent) => {
      await initialize(agent);
      const sessionId = await newSession(agent);
      expect(sessionId).toBe('session-1');
      expect(await prompt(agent, sessionId, 'Write notes')).toEqual({ stopReason: 'end_turn' });
      await agent.request(methods.agent.session.close, { sessionId });
    });
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.updates).toContain('agent_message_chunk Write notes');
    expect(titles()).toEqual(['Write notes']);

    const env = { ACP_PREFIX: 'other' };
    const second = await talk({ dir: repo.dir, words: ['--offer-load'], env }, async (agent, { updates }) => {
      expect((await initialize(agent)).agentCapabilities?.loadSession).toBe(true);
      await agent.request(methods.agent.session.load, { sessionId: 'session-1', ...begin });
      expect(updates).toEqual([
        'user_message_chunk Write notes',
        'agent_thought_chunk I will look first.',
        'tool_call',
        'agent_message_chunk You said: Write notes',
      ]);
      await prompt(agent, 'session-1', 'Once more');
    });
    expect(second.code).toBe(0);
    expect(second.updates).toContain('agent_message_chunk Once more');
    expect(titles()).toEqual(['Write notes']);
    const messages = repo.json<{ role: string }[]>(['messages']);
    expect(messages.filter(({ role }) => role === 'user')).toHaveLength(2);
    expect(JSON.stringify(messages)).not.toContain('From ctx');
    fsck(repo.dir);
  });

  test('is the same session in list, load and resume of an agent that can do these', async () => {
    const env = { ACP_AGENT: 'load,list,resume' };
    await talk({ dir: repo.dir, env }, async (agent) => {
      await initialize(agent);
      const sessionId = await newSession(agent);
      await prompt(agent, sessionId, 'Write notes');
      expect((await agent.request(methods.agent.session.list, {})).sessions).toMatchObject([{ sessionId }]);
    });
    const { updates } = await talk({ dir: repo.dir, env }, async (agent, so) => {
      await initialize(agent);
      await agent.request(methods.agent.session.resume, { sessionId: 'session-1', cwd: begin.cwd });
      expect(so.updates).toEqual([]);
      await prompt(agent, 'session-1', 'Once more');
      await agent.request(methods.agent.session.load, { sessionId: 'session-1', ...begin });
    });
    // The agent's own words, not those of the store.
    expect(updates).toContain('user_message_chunk The agent knows it');
    expect(repo.json<{ agent_session_id: string }[]>(['list'])).toMatchObject([{ agent_session_id: 'session-1' }]);
    expect(repo.json<unknown[]>(['messages', '--role', 'user'])).toHaveLength(2);
  });

  test('continues when the recorder is killed; what was recorded stays', async () => {
    const { code, stderr, updates } = await talk({ dir: repo.dir }, async (agent, { child }) => {
      await initialize(agent);
      const sessionId = await newSession(agent);
      const [recorder] = childrenOf(child.pid as number).filter((pid) => lineOf(pid).includes('\0acp\0record'));
      process.kill(recorder as number, 'SIGKILL');
      await prompt(agent, sessionId, 'Write notes');
      await prompt(agent, sessionId, 'Once more');
    });
    expect(code).toBe(0);
    expect(updates.filter((one) => one.startsWith('agent_message_chunk You said'))).toHaveLength(2);
    expect(stderr).toContain('nothing more of this connection is recorded');
    expect(repo.json(['fsck'])).toMatchObject({ healthy: true });
  });
});

/** The processes that a process has started. Linux alone shows them. */
const childrenOf = (pid: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && statOf(name)?.[1] === String(pid))
    .map(Number);
const read = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};
const statOf = (pid: string): string[] | undefined => read(`/proc/${pid}/stat`).split(') ')[1]?.split(' ');
const lineOf = (pid: number): string => read(`/proc/${pid}/cmdline`);

/** Runs `ctx acp` in front of a program that is no agent. */
async function pass(dir: string, words: readonly string[], input: string | Buffer) {
  const child = spawn(process.execPath, [PROGRAM, 'acp', ...words], {
    cwd: dir,
    env: { PATH: process.env['PATH'] ?? '', HOME: dir },
  });
  const out: Buffer[] = [];
  let stderr = '';
  child.stdout.on('data', (piece: Buffer) => out.push(piece));
  child.stderr.on('data', (piece: Buffer) => {
    stderr += piece.toString('utf8');
  });
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: Buffer.concat(out), stderr };
}

test('a program that is no agent gets and gives every byte, and its exit code is that of ctx', async () => {
  const bytes = Buffer.concat([
    Buffer.from([0, 255, 10, 13, 10]),
    Buffer.from('no JSON\n{"jsonrpc"'),
    Buffer.alloc(300_000, 'x'),
  ]);
  const { code, stdout } = await pass(repo.dir, ['--no-record', '--', 'sh', '-c', 'cat; exit 7'], bytes);
  expect(stdout.equals(bytes)).toBe(true);
  expect(code).toBe(7);
});

test('without a store all is passed on, and --record is refused', async () => {
  const dir = folder();
  const passed = await pass(dir, ['--', 'cat'], 'hello\n');
  expect(passed).toMatchObject({ code: 0, stdout: Buffer.from('hello\n') });
  expect(passed.stderr).toContain('nothing is recorded');
  expect(await pass(dir, ['--record', '--', 'cat'], '')).toMatchObject({ code: 1, stdout: Buffer.alloc(0) });
});

test('the last one of --record and --no-record counts', async () => {
  const dir = folder();
  expect(await pass(dir, ['--no-record', '--record', '--', 'cat'], '')).toMatchObject({ code: 1 });
  expect(await pass(dir, ['--record', '--no-record', '--', 'cat'], 'a')).toMatchObject({ code: 0, stderr: '' });
});

test('an agent that is not installed, or not named, is an error', async () => {
  expect(await pass(repo.dir, ['--', 'no-such-agent'], '')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no-such-agent is not installed here'),
  });
  expect(repo.run(['acp']).code).toBe(2);
  expect(repo.run(['acp', '--json', '--', 'cat']).code).toBe(2);
});

test('a recording from standard input becomes the sessions in it', () => {
  const recording = readFileSync(join(import.meta.dirname, '../../fixtures/acp/logging.jsonl'));
  const { code, stdout } = repo.run(['acp', 'record'], { input: recording });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^Recorded \d+ lines into /)]);
  expect(repo.json<unknown[]>(['list'])).toHaveLength(1);
});

test('a program that says nothing ends the connection with its end', () => {
  expect(repo.run(['acp', '--offer-load', '--no-record', '--', 'true'], { own: true }).code).toBe(0);
  expect(repo.run(['acp', '--record', '--', 'true'], { own: true }).code).toBe(0);
});
