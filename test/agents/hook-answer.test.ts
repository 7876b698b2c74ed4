// An answer to ctx's own question that ends the session: the rest of its turn stays with that session, and begins no other.
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { captureStatus } from '../../src/app/capture.ts';
import { handleHook } from '../../src/app/hook.ts';
import { listSessions } from '../../src/app/list.ts';
import { makeProject, type Project, temporaryFolder } from '../support/store.ts';

const ID = 'aaaaaaaa-1111-4111-8111-111111111111';

let project: Project;
let transcript: string;
let count: number;

beforeEach(() => {
  project = makeProject();
  const folder = join(temporaryFolder(), 'transcripts');
  mkdirSync(folder);
  transcript = join(folder, `${ID}.jsonl`);
  count = 0;
});

function line(type: 'user' | 'assistant', content: unknown): void {
  count += 1;
  const uuid = (of: number): string => `aaaaaaaa-0000-4000-8000-${String(of).padStart(12, '0')}`;
  const own = { type, uuid: uuid(count), parentUuid: count === 1 ? null : uuid(count - 1), isSidechain: false };
  const place = { sessionId: ID, cwd: project.folder, timestamp: new Date(project.clock.now * 1000).toISOString() };
  const message = { role: type, content, ...(type === 'assistant' ? { id: `m${count}`, model: 'm' } : {}) };
  appendFileSync(transcript, `${JSON.stringify({ ...own, ...place, message })}\n`);
}

function hook(hook_event_name: string, fields: object = {}): Promise<unknown> {
  project.clock.now += 2;
  const payload = { session_id: ID, transcript_path: transcript, cwd: project.folder, hook_event_name, ...fields };
  return handleHook('claude-code', JSON.stringify(payload), { directory: project.folder, clock: project.clock });
}

async function prompt(text: string): Promise<void> {
  await hook('UserPromptSubmit', { prompt: text });
  line('user', text);
}

async function stop(text: string): Promise<void> {
  await hook('Stop', { last_assistant_message: text });
  line('assistant', [{ type: 'text', text }]);
}

async function tool(id: string): Promise<void> {
  const input = { command: 'git status' };
  line('assistant', [{ type: 'tool_use', id, name: 'Bash', input }]);
  const tool_response = { stdout: 'ok' };
  await hook('PostToolUse', { tool_name: 'Bash', tool_use_id: id, tool_input: input, tool_response });
  line('user', [{ type: 'tool_result', tool_use_id: id, content: 'ok' }]);
}

test.each([
  ['Looks good', 'B', true],
  ['Looks good', 'B', false],
  ['Never mind', 'A', true],
  ['Never mind', 'start fresh', true],
])('%j after 30 hours, and then %j; with a tool: %j', async (raised, answer, hasTool) => {
  await prompt('Add retry');
  await stop('Retry is in.');
  project.clock.now += 30 * 3600;
  await prompt(raised);
  await stop('Before that: A) continue, or B) save it and start fresh?');
  await prompt(answer);
  if (hasTool) await tool('t1');
  await stop('All right.');
  await hook('SessionEnd', { reason: 'other' });
  expect(listSessions(project.open())).toEqual([]);
  const status = captureStatus(project.open(), { environment: { HOME: temporaryFolder() } });
  expect(status).toMatchObject({ turns: 3, turns_stored: 3, complete: true });
});
