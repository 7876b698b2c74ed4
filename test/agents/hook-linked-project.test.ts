// A project whose folder a link names: what hooks and transcripts tell of its files by either name is of the project.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { json, NOON, run } from '../support/cli.ts';
import { Conversation, recordsOf, shell, storyOf } from './support/day.ts';
import { A, sound, workTree } from './support/projects.ts';

/** The two names of a project. */
function names(): { real: string; link: string } {
  const real = workTree();
  const link = join(real, '..', 'link');
  symlinkSync(real, link);
  mkdirSync(join(real, 'src'));
  return { real, link };
}

const files = (dir: string): string[] => storyOf(recordsOf(dir, 'STAGE')).filter((line) => /^(read|write)/.test(line));

test.each([
  ['the link', 'the file by its own'],
  ['its own name', 'the file by the link'],
])('keeps a file with its content if the agent works in the project by %s and names %s', (worksIn) => {
  const { real, link } = names();
  const [dir, other] = worksIn === 'the link' ? [link, real] : [real, link];
  const talk = new Conversation(dir, A);
  talk.prompt('Add retry');
  const told = { file_path: join(other, 'src/a.js'), content: 'a\n' };
  writeFileSync(told.file_path, told.content);
  talk.tool('Write', told, { type: 'create', filePath: told.file_path, content: told.content }, 'toolu_write');
  talk.tool('Bash', { command: 'ls' }, shell('ok'), 'toolu_ls');
  talk.stop('Retry is in.');
  expect(files(dir)).toEqual(['write src/a.js']);
  expect(run(['git', 'show', 'STAGE:files/src/a.js'], { cwd: dir })).toMatchObject({ stdout: 'a\n' });
  // Files without a hook.
  const beside = { file_path: join(other, 'src/b.js'), content: 'b\n' };
  talk.lineOfUser('Add retry');
  talk.lineOfCall('Write', beside, 'toolu_beside');
  talk.lineOfResult('toolu_beside', 'ok', { type: 'create', filePath: beside.file_path, content: beside.content });
  talk.stop('Retry is in, with b.');
  expect(files(dir)).toEqual(['write src/a.js', 'write src/b.js']);
  sound(dir);
});

test('keeps a call once that a hook without ids and the transcript report under different names', () => {
  const { real, link } = names();
  writeFileSync(join(real, 'src/a.js'), 'a\n');
  const transcript = join(real, '..', 'chat.jsonl');
  const at = new Date(NOON * 1000).toISOString();
  const hook = (hook_event_name: string, fields: object): void => {
    const payload = {
      session_id: A,
      transcript_path: transcript,
      cwd: link,
      hook_event_name,
      timestamp: at,
      ...fields,
    };
    expect(run(['hook', 'gemini'], { cwd: link, now: NOON, input: JSON.stringify(payload) }).code).toBe(0);
  };
  hook('BeforeAgent', { prompt: 'Read it' });
  const args = { file_path: join(real, 'src/a.js') };
  hook('AfterTool', { tool_name: 'read_file', tool_input: args, tool_response: { llmContent: 'a\n' } });
  const call = { id: 'read_1', name: 'read_file', args: { file_path: join(link, 'src/a.js') }, status: 'success' };
  const result = [{ functionResponse: { id: 'read_1', name: 'read_file', response: { output: 'a\n' } } }];
  const lines = [
    { sessionId: A, projectHash: 'x', startTime: at, lastUpdated: at, kind: 'main' },
    { id: 'm1', timestamp: at, type: 'user', content: [{ text: 'Read it' }] },
    { id: 'm2', timestamp: at, type: 'gemini', content: 'Read.', toolCalls: [{ ...call, result, timestamp: at }] },
  ];
  writeFileSync(transcript, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  hook('AfterAgent', { prompt_response: 'Read.' });
  expect(files(link)).toEqual(['read src/a.js']);
  expect(json<object[]>(['fsck'], { cwd: link })).toBeTruthy();
});

test('a file elsewhere keeps its name', () => {
  const { real } = names();
  const talk = new Conversation(real, A);
  talk.prompt('Add retry');
  const file_path = join(real, '..', 'elsewhere.txt');
  writeFileSync(file_path, 'x');
  talk.tool('Write', { file_path, content: 'x' }, {}, 'toolu_1');
  talk.tool('Read', { file_path: '/nowhere/at/all' }, {}, 'toolu_2');
  talk.stop('Done.');
  expect(files(real)).toEqual([`write ${file_path}`, 'read /nowhere/at/all']);
});
