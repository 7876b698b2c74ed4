// Tests prompts that the user types while Claude Code is at work, and that reach it within its turn: noted once, with a hook's event or without.
import { beforeEach, expect, test } from 'vitest';
import { readSteps } from '../../src/history/chain/chain.ts';
import { SESSIONS } from '../../src/history/names/layout.ts';
import { makeProject, type Project } from '../support/store.ts';
import { ClaudeConversation } from './support/claude-conversation.ts';

const WORDS = 'Use full jitter, at most ten seconds';
const ATTACHED = { type: 'attachment', attachment: { type: 'queued_command', prompt: WORDS, commandMode: 'prompt' } };

let project: Project;
let talk: ClaudeConversation;

beforeEach(() => {
  project = makeProject();
  talk = new ClaudeConversation(project);
});

const notes = (): unknown[] => {
  const { objects, refs } = project.open();
  return [...refs.list(SESSIONS).values()].flatMap((head) =>
    [...readSteps(objects, head, false)]
      .flatMap((step) => step.records)
      .flatMap((record) => (record.kind === 'note' && 'content' in record ? [record.content] : [])),
  );
};

/** A turn in which the words leave the queue. */
async function work(prompt: string): Promise<void> {
  await talk.prompt(prompt);
  talk.assistant({ type: 'tool_use', id: prompt, name: 'Bash', input: { command: 'npm test' } });
  talk.queue('enqueue', WORDS);
  talk.user([{ type: 'tool_result', tool_use_id: prompt, content: 'ok' }]);
  talk.queue('remove');
}

test.each([true, false])(
  'notes a queued prompt that no hook reports once; with an attachment that has it: %j',
  async (isAttached) => {
    await work('Add retry');
    if (isAttached) talk.line(ATTACHED);
    await talk.stop('Retry is in.');
    expect(notes()).toEqual([`User intervention: ${WORDS}`]);
    await talk.hook('SessionEnd', { reason: 'other' });
    expect(notes()).toEqual([`User intervention: ${WORDS}`]);
  },
);

test('notes a queued prompt once that a hook reports as well', async () => {
  await work('Add retry');
  await talk.hook('UserPromptSubmit', { prompt: WORDS });
  talk.line(ATTACHED);
  await talk.stop('Retry is in.');
  expect(notes()).toEqual([`User intervention: ${WORDS}`]);
});

test('notes the same queued words in another turn again', async () => {
  await work('Add retry');
  await talk.stop('Retry is in.');
  await work('Also log it');
  await talk.stop('It is logged.');
  expect(notes()).toEqual([
    `User intervention: ${WORDS}`,
    'User requested continuation: Also log it',
    `User intervention: ${WORDS}`,
  ]);
});
