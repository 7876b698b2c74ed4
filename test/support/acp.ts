/** The Agent Client Protocol in tests: the schema of its SDK for every message, and a client that is made with the SDK. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { type ClientContext, client, methods, ndJsonStream } from '@agentclientprotocol/sdk';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { PROGRAM } from './cli.ts';
import { ROOT } from './store.ts';

export const AGENT = join(ROOT, 'test', 'support', 'acp-agent.mjs');
const SCHEMA = join(ROOT, 'node_modules', '@agentclientprotocol', 'sdk', 'schema', 'v1', 'schema.json');

type Message = { id?: unknown; method?: string; params?: unknown; result?: unknown; error?: unknown };

/** The definition of the params, and of the result, of each method. */
const DEFINITIONS: Readonly<Record<string, readonly [params: string, result: string | null]>> = {
  initialize: ['InitializeRequest', 'InitializeResponse'],
  'session/new': ['NewSessionRequest', 'NewSessionResponse'],
  'session/load': ['LoadSessionRequest', 'LoadSessionResponse'],
  'session/resume': ['ResumeSessionRequest', 'ResumeSessionResponse'],
  'session/list': ['ListSessionsRequest', 'ListSessionsResponse'],
  'session/close': ['CloseSessionRequest', 'CloseSessionResponse'],
  'session/prompt': ['PromptRequest', 'PromptResponse'],
  'session/update': ['SessionNotification', null],
  'session/request_permission': ['RequestPermissionRequest', 'RequestPermissionResponse'],
};

let validators: Map<string, ValidateFunction> | undefined;

/** Compiles the definitions that are used, once. */
function validatorOf(name: string): ValidateFunction {
  validators ??= new Map();
  const known = validators.get(name);
  if (known) return known;
  const schema = JSON.parse(readFileSync(SCHEMA, 'utf8')) as { $defs: object };
  const ajv = new Ajv2020({ strict: false, logger: false });
  const made = ajv.compile({ $ref: `#/$defs/${name}`, $defs: schema.$defs });
  validators.set(name, made);
  return made;
}

/** Checks messages of both sides, in their order, against the schema of the protocol; returns how many were checked. */
export function expectValid(messages: readonly { from: 'client' | 'agent'; message: Message }[]): number {
  const asked = new Map<string, string>();
  let checked = 0;
  for (const { from, message } of messages) {
    const other = from === 'client' ? 'agent' : 'client';
    const method = message.method ?? asked.get(`${other} ${JSON.stringify(message.id)}`);
    if (message.method !== undefined && message.id !== undefined)
      asked.set(`${from} ${JSON.stringify(message.id)}`, message.method);
    const names = method === undefined ? undefined : DEFINITIONS[method];
    const name = message.method === undefined ? names?.[1] : names?.[0];
    if (!name || message.error !== undefined) continue;
    const validate = validatorOf(name);
    validate(message.method === undefined ? (message.result ?? {}) : message.params);
    expect(validate.errors ?? [], JSON.stringify(message)).toEqual([]);
    checked += 1;
  }
  return checked;
}

export interface Talk {
  child: ChildProcess;
  /** The words of the updates that came. */
  updates: string[];
}

export interface TalkOptions {
  dir: string;
  /** Words of `ctx acp` before the agent. */
  words?: readonly string[];
  env?: Record<string, string>;
}

/** Holds a talk with the example's agent through `ctx acp`; returns the exit code, what was on standard error, and the updates. */
export async function talk(
  { dir, words = [], env = {} }: TalkOptions,
  say: (agent: ClientContext, talk: Talk) => Promise<void>,
): Promise<{ code: number | null; stderr: string; updates: string[] }> {
  const line = [PROGRAM, 'acp', ...words, '--', process.execPath, AGENT];
  const environment = { PATH: process.env['PATH'] ?? '', HOME: dir, GIT_CONFIG_NOSYSTEM: '1', ...env };
  const child = spawn(process.execPath, line, { cwd: dir, env: environment, stdio: ['pipe', 'pipe', 'pipe'] });
  const updates: string[] = [];
  let stderr = '';
  child.stderr.on('data', (piece: Buffer) => {
    stderr += piece.toString('utf8');
  });
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const app = client({ name: 'tests' })
    .onRequest(methods.client.session.requestPermission, () => ({ outcome: { outcome: 'selected', optionId: 'yes' } }))
    .onNotification(methods.client.session.update, ({ params: { update } }) => {
      const content = 'content' in update ? (update.content as { text?: string } | undefined) : undefined;
      updates.push(`${update.sessionUpdate}${content?.text === undefined ? '' : ` ${content.text}`}`);
    });
  const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>);
  await app.connectWith(stream, (agent) => say(agent, { child, updates }));
  child.stdin.end();
  return { code: await exited, stderr, updates };
}

export const initialize = (agent: ClientContext) =>
  agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });

export const prompt = (agent: ClientContext, sessionId: string, words: string) =>
  agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text: words }] });
