// Tests that the text of a file known to hold secrets, in the tags of an agent, stays out of the store by whatever door the text comes.
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { handleHook } from '../../src/app/intake/hook/hook.ts';
import * as ctx from '../../src/index.ts';
import { makeProject, type Project } from '../support/store.ts';

const VALUE = 'WEATHER=sunny at noon';
const TEXT = `Mend this: <file name="/p/.env">${VALUE}</file>, as in <code_selection path="a.ts" lines="1">b</code_selection>`;
const KEPT = 'Mend this: <file name="/p/.env">[withheld: 21 bytes, the file is known to hold secrets]</file>, as in <';

const pieces = (text: string): Iterable<Buffer> => [Buffer.from(text.slice(0, 40)), Buffer.from(text.slice(40))];
const prompt = (project: Project, agent: string, more: object) =>
  handleHook(agent, JSON.stringify({ cwd: project.folder, prompt: TEXT, ...more }), {
    directory: project.folder,
    environment: { CTX_DIR: project.store },
  });

/** All that a store holds, as it is. */
function heldBy({ store }: Project): string {
  const objects = ['--git-dir', store, 'cat-file', '--batch-all-objects', '--batch', '--unordered'];
  const files = ['-r', '--exclude-dir=objects', '', store];
  return [execFileSync('git', objects), execFileSync('grep', ['-a', ...files])].join('\n');
}

test.each<[string, (project: Project) => unknown]>([
  ['a task', ({ repository }) => ctx.startSession(repository, TEXT)],
  ['a note', ({ repository }) => ctx.observeNote(repository, TEXT)],
  ['a note in pieces', ({ repository }) => ctx.observeNote(repository, pieces(TEXT))],
  ['a plan', ({ repository }) => ctx.observePlan(repository, pieces(TEXT))],
  ['what the user says', ({ repository }) => ctx.handleUserMessage(repository, TEXT)],
  ['a question', ({ repository }) => ctx.setState(repository, 'ask', { text: TEXT })],
  ['the message of a commit', ({ repository }) => ctx.setState(repository, 'done', { compact: true, message: TEXT })],
  [
    'a prompt of Claude Code',
    (project) => prompt(project, 'claude-code', { hook_event_name: 'UserPromptSubmit', session_id: 's' }),
  ],
  [
    'a prompt of Cursor',
    (project) => prompt(project, 'cursor', { hook_event_name: 'beforeSubmitPrompt', conversation_id: 's' }),
  ],
  ['a prompt of pi', (project) => prompt(project, 'pi', { hook_event_name: 'prompt', session_id: 's' })],
])('%s', async (name, take) => {
  const project = makeProject();
  if (name !== 'a task' && !name.startsWith('a prompt')) ctx.startSession(project.repository, 'the task');
  await take(project);
  const held = heldBy(project).replaceAll('\\"', '"');
  expect(held).toContain(KEPT);
  expect(held).not.toContain(VALUE);
});

test('all stays where all contents are kept', () => {
  const project = makeProject({ redact: { content: 'all' } });
  expect(ctx.startSession(project.repository, TEXT).task_description).toBe(TEXT);
  ctx.observeNote(project.repository, pieces(TEXT));
  expect(heldBy(project).replaceAll('\\"', '"')).not.toContain('withheld');
});
