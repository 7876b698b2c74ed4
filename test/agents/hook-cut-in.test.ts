// What the user types while Claude Code is at work, which reaches it within its turn: noted once, whether a hook tells of it or not.
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { handleHook } from '../../src/app/hook.ts';
import { readSteps } from '../../src/store/chain.ts';
import { SESSIONS } from '../../src/store/layout.ts';
import { makeProject, type Project, temporaryFolder } from '../support/store.ts';

const ID = 'aaaaaaaa-1111-4111-8111-111111111111';
const WORDS = 'Use full jitter, at most ten seconds';

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

const now = (): string => new Date(project.clock.now * 1000).toISOString();

function line(fields: object): void {
  count += 1;
  const uuid = (of: number): string => `aaaaaaaa-0000-4000-8000-${String(of).padStart(12, '0')}`;
  const own = { uuid: uuid(count), parentUuid: count === 1 ? null : uuid(count - 1), timestamp: now() };
  const place = { sessionId: ID, cwd: project.folder, isSidechain: false, version: '2.1.0' };
  appendFileSync(transcript, `${JSON.stringify({ ...own, ...place, ...fields })}\n`);
}

const user = (content: unknown): void => line({ type: 'user', message: { role: 'user', content } });
const assistant = (...content: object[]): void =>
  line({ type: 'assistant', message: { id: `m${count}`, role: 'assistant', model: 'm', content } });
const queue = (operation: string, content?: string): void =>
  appendFileSync(
    transcript,
    `${JSON.stringify({ type: 'queue-operation', operation, timestamp: now(), sessionId: ID, content })}\n`,
  );

function hook(hook_event_name: string, fields: object = {}): Promise<unknown> {
  project.clock.now += 2;
  const payload = { session_id: ID, transcript_path: transcript, cwd: project.folder, hook_event_name, ...fields };
  return handleHook('claude-code', JSON.stringify(payload), { directory: project.folder, clock: project.clock });
}

const notes = (): unknown[] => {
  const { objects, refs } = project.open();
  return [...refs.list(SESSIONS).values()].flatMap((head) =>
    [...readSteps(objects, head, false)]
      .flatMap((step) => step.records)
      .flatMap((record) => (record.kind === 'note' && 'content' in record ? [record.content] : [])),
  );
};

async function begin(): Promise<void> {
  await hook('UserPromptSubmit', { prompt: 'Add retry' });
  user('Add retry');
  assistant({ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'npm test' } });
  queue('enqueue', WORDS);
  user([{ type: 'tool_result', tool_use_id: 't1', content: 'ok' }]);
  queue('remove');
}

async function end(): Promise<void> {
  assistant({ type: 'text', text: 'Retry is in.' });
  await hook('Stop', { last_assistant_message: 'Retry is in.' });
}

test.each([true, false])('no hook tells of it; with an attachment that does: %j', async (isAttached) => {
  await begin();
  if (isAttached)
    line({ type: 'attachment', attachment: { type: 'queued_command', prompt: WORDS, commandMode: 'prompt' } });
  await end();
  expect(notes()).toEqual([`User intervention: ${WORDS}`]);
  await hook('SessionEnd', { reason: 'other' });
  expect(notes()).toEqual([`User intervention: ${WORDS}`]);
});

test('a hook tells of it, too', async () => {
  await begin();
  await hook('UserPromptSubmit', { prompt: WORDS });
  line({ type: 'attachment', attachment: { type: 'queued_command', prompt: WORDS, commandMode: 'prompt' } });
  await end();
  expect(notes()).toEqual([`User intervention: ${WORDS}`]);
});

test('the same words in another turn are others', async () => {
  await begin();
  await end();
  await hook('UserPromptSubmit', { prompt: 'Also log it' });
  user('Also log it');
  assistant({ type: 'tool_use', id: 't2', name: 'Bash', input: { command: 'npm test' } });
  queue('enqueue', WORDS);
  user([{ type: 'tool_result', tool_use_id: 't2', content: 'ok' }]);
  queue('remove');
  await end();
  expect(notes()).toEqual([
    `User intervention: ${WORDS}`,
    'User requested continuation: Also log it',
    `User intervention: ${WORDS}`,
  ]);
});
