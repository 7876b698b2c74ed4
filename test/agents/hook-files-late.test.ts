// The files of ours in pi and opencode where ctx is slow or hangs: how long the agent waits, what is told all the same, what is killed.
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { folder, write } from '../support/cli.ts';
import { children } from './support/children.ts';
import { answerOf, opencodeWith, ownFile, piSession, piWith } from './support/own-files.ts';

const HERE = '/home/dev/acme-http';
const SESSION = piSession(HERE, '01a2000b-c9c9-73c8-b6ce-25365f9848fb', undefined);
const SECOND = 1000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Returns the value that the agent waits for; null as long as it waits. */
function waitedFor(promise: unknown): { given: unknown } {
  const waited: { given: unknown } = { given: null };
  void Promise.resolve(promise).then((given) => {
    waited.given = given;
  });
  return waited;
}

const pass = (milliseconds: number): Promise<unknown> => vi.advanceTimersByTimeAsync(milliseconds);

/** One that takes as long for everything. */
const slow = (milliseconds: number, said = '') =>
  children((child) => void setTimeout(() => child.answers(said), milliseconds));

const useTool = (fire: Awaited<ReturnType<typeof piWith>>, call: string): unknown =>
  fire('tool_result', { toolName: 'bash', toolCallId: call, input: {}, content: 'ok' }, SESSION);

test('pi waits 10 s for one event, however many are queued before it and hang; each is killed after its own 10 s', async () => {
  const ctx = children();
  const fire = await piWith(ctx.spawn);
  fire('session_start', { reason: 'startup' }, SESSION);
  useTool(fire, 'c1');
  useTool(fire, 'c2');
  await pass(SECOND);
  const prompt = waitedFor(fire('before_agent_start', { prompt: 'Go' }, SESSION));
  await pass(10 * SECOND - 1);
  expect(prompt.given).toBeNull();
  await pass(1);
  expect(prompt.given).toBeUndefined();
  expect([ctx.all.length, ctx.killed]).toEqual([2, [-1000]]);
  const end = waitedFor(fire('session_shutdown', {}, SESSION));
  await pass(10 * SECOND);
  expect(end.given).toBeUndefined();
  await pass(60 * SECOND);
  expect(ctx.killed).toEqual([-1000, -1001, -1002, -1003, -1004]);
});

test('opencode waits 10 s in all for the start and the prompt', async () => {
  const ctx = children();
  const hooks = await opencodeWith(ctx.spawn, HERE);
  const parts = [{ type: 'text', text: 'Go', id: 'prt_1' }];
  const prompt = waitedFor(hooks['chat.message']({ sessionID: 'ses_a' }, { message: { id: 'msg_1' }, parts }));
  await pass(10 * SECOND);
  expect(prompt.given).toBeUndefined();
  const end = waitedFor(hooks.dispose());
  await pass(10 * SECOND);
  expect(end.given).not.toBeNull();
});

test('opencode continues, and ctx gets the event, if opencode never names the parent of the session', async () => {
  const ctx = slow(0);
  const hooks = await opencodeWith(ctx.spawn, HERE, null);
  const parts = [{ type: 'text', text: 'Go', id: 'prt_1' }];
  const prompt = waitedFor(hooks['chat.message']({ sessionID: 'ses_a' }, { message: { id: 'msg_1' }, parts }));
  await pass(10 * SECOND - 1);
  expect(prompt.given).toBeUndefined();
  expect(ctx.told().map((one) => [one['session_id'], one['hook_event_name']])).toEqual([
    ['ses_a', 'session_start'],
    ['ses_a', 'prompt'],
  ]);
});

test('a slow ctx gets every event in order after the agent has continued', async () => {
  const ctx = slow(3 * SECOND);
  const fire = await piWith(ctx.spawn);
  const calls = Array.from({ length: 150 }, (_, index) => `c${index}`);
  for (const call of calls) useTool(fire, call);
  const prompt = waitedFor(fire('before_agent_start', { prompt: 'Go' }, SESSION));
  await pass(10 * SECOND);
  expect(prompt.given).toBeUndefined();
  expect(ctx.all).toHaveLength(4);
  await pass(3 * SECOND * calls.length);
  expect(ctx.told().map((one) => one['tool_call_id'] ?? one['prompt'])).toEqual([...calls, 'Go']);
  expect(ctx.killed).toEqual([]);
});

test('text of ctx from the start reaches the model even if it is late at the prompt', async () => {
  const ctx = children();
  const fire = await piWith(ctx.spawn);
  fire('session_start', { reason: 'startup' }, SESSION);
  const prompt = waitedFor(fire('before_agent_start', { prompt: 'Go' }, SESSION));
  await pass(SECOND);
  ctx.all[0]?.answers(answerOf('quoted'));
  await pass(9 * SECOND);
  expect(prompt.given).toMatchObject({ message: { content: 'quoted' } });
});

test('at most a hundred events wait for a ctx that hangs, and it gets every event again once it answers', async () => {
  const ctx = children();
  const fire = await piWith(ctx.spawn);
  useTool(fire, 'hangs');
  await pass(10 * SECOND);
  for (let call = 0; call < 150; call += 1) useTool(fire, `c${call}`);
  expect(await fire('before_agent_start', { prompt: 'Too many' }, SESSION)).toBeUndefined();
  for (let index = 1; index <= 100; index += 1) {
    await pass(0);
    ctx.all[index]?.answers();
  }
  await pass(0);
  useTool(fire, 'again');
  await pass(0);
  const calls = ctx.told().map((one) => one['tool_call_id']);
  expect([calls.length, calls[0], calls[1], calls[100], calls[101]]).toEqual([102, 'hangs', 'c0', 'c99', 'again']);
});

test('an event that cannot be passed on starts no process, and an event that is passed on is unchanged', async () => {
  const ctx = slow(SECOND);
  const fire = await piWith(ctx.spawn);
  const input: Record<string, unknown> = { command: 'ls' };
  const event = { toolName: 'bash', toolCallId: 'c1', input, content: 'ok' };
  fire('tool_result', event, SESSION);
  fire('tool_result', event, SESSION);
  input['itself'] = input;
  fire('tool_result', event, SESSION);
  await pass(3 * SECOND);
  expect(ctx.told().map((one) => one['tool_input'])).toEqual([{ command: 'ls' }, { command: 'ls' }]);
});

test('the process of the agent ends by itself, whatever ctx does', () => {
  vi.useRealTimers();
  const place = folder('agent-');
  const pid = join(place, 'pid');
  execFileSync('mkfifo', [pid]);
  const extension = ownFile('pi', `echo $$ >'${pid}'; exec sleep 600`);
  const script = `
    import { readFileSync } from "node:fs";
    import extension from ${JSON.stringify(pathToFileURL(extension).href)};
    const handlers = {};
    extension({ on: (event, handler) => { handlers[event] = handler; } });
    const session = { cwd: "/", sessionManager: { getSessionId: () => "a", getSessionFile: () => null } };
    await handlers.tool_result({ toolName: "bash", content: "" }, session);
    // Comes back once the child has begun.
    console.log(readFileSync(${JSON.stringify(pid)}, "utf8"));
  `;
  // Long enough for any machine; one that waits for its child waits ten minutes.
  const ran = spawnSync(process.execPath, [write(join(place, 'agent.mjs'), script)], { timeout: 45_000 });
  process.kill(Number(ran.stdout), 'SIGKILL');
  expect([ran.status, ran.signal, String(ran.stderr)]).toEqual([0, null, '']);
});
