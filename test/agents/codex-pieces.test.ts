// The pieces that a rollout of Codex is read with, each by itself: commands and their results, patches, sums, who said what.
import { expect, test } from 'vitest';
import { commandLine, readCommandResult } from '../../src/agents/codex/commands.ts';
import { Counter } from '../../src/agents/codex/counter.ts';
import { deriveEnd } from '../../src/agents/codex/derive.ts';
import { readHook } from '../../src/agents/codex/hook.ts';
import { codex, continuedAt } from '../../src/agents/codex/index.ts';
import { folderIn, typeWithoutEnvelope } from '../../src/agents/codex/old-rollout.ts';
import { codexTranscripts } from '../../src/agents/codex/transcripts.ts';
import { answerText, promptOf } from '../../src/agents/codex/user-words.ts';
import { patchedFiles, patchIn } from '../../src/agents/shared/patch.ts';
import { questionText } from '../../src/agents/shared/questions.ts';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import { lineInDocument, unfoldText } from './support/unfold.ts';

test.each<[string, JsonValue, string | undefined]>([
  ['a text', 'npm test', 'npm test'],
  ['a script for a shell', ['/bin/zsh', '-lc', 'ls | wc'], 'ls | wc'],
  ['a script for PowerShell', ['powershell.exe', '-NoProfile', '-Command', 'dir'], 'dir'],
  ['words', ['git', 'commit', '-m', "it's done"], "git commit -m 'it'\\''s done'"],
  ['a shell with a file', ['bash', 'run.sh'], 'bash run.sh'],
  ['nothing', [], undefined],
  ['no command', { a: 1 }, undefined],
])('a command line: %s', (_name, command, line) => {
  expect(commandLine(command)).toBe(line);
});

const nothing = { exit_code: null, duration_ms: undefined, session: undefined };

test.each([
  ['an object', '{"output":"a\\n","metadata":{"exit_code":2,"duration_seconds":1.25}}', 'a\n', 2, 1250, undefined],
  ['a head', 'Exit code: 0\nWall time: 0.1 seconds\nOutput:\nb\n', 'b\n', 0, 100, undefined],
  [
    'a head with a count',
    'Exit code: 1\nWall time: 3 seconds\nTotal output lines: 9\nOutput:\nc',
    'c',
    1,
    3000,
    undefined,
  ],
  ['a piece', 'Chunk ID: f\nWall time: 0.0 seconds\nProcess exited with code -1\nOutput:\n', '', -1, 0, undefined],
  ['what goes on', 'Wall time: 1.0 seconds\nProcess running with session ID 12\nOutput:\nd', 'd', null, 1000, '12'],
  [
    'a head in the output',
    'Wall time: 1 second\nOutput:\nExit code: 7\nOutput:\n',
    'Exit code: 7\nOutput:\n',
    null,
    1000,
    undefined,
  ],
])('reads the command from a result: %s', (_name, text, output, exit_code, duration_ms, session) => {
  expect(readCommandResult(text)).toEqual({ output, exit_code, duration_ms, session });
});

test.each(['plain words', '{"output":7}', '{"no": "object', 'Exit code: 0 but no output', ''])(
  'keeps a result without details of its command as plain output: %s',
  (text) => {
    expect(readCommandResult(text)).toEqual({ ...nothing, output: text });
  },
);

test('a patch: files that are added, changed, moved and deleted, by their whole paths', () => {
  const patch = [
    '*** Begin Patch',
    '*** Add File: a.txt',
    '+one',
    '++two',
    '+',
    '*** Update File: b.txt',
    '*** Move to: sub/b.txt',
    '@@',
    '-x',
    '+y',
    '*** Delete File: /etc/c.txt',
    '*** Add File: empty.txt',
    '*** End Patch',
  ].join('\n');
  const told = (cwd?: string) =>
    patchedFiles(patch, cwd).map(({ body, content }) => [body.kind, body['path'], content?.toString()]);
  expect(told('/home/dev')).toEqual([
    ['write', '/home/dev/a.txt', 'one\n+two\n\n'],
    ['delete', '/home/dev/b.txt', undefined],
    ['write', '/home/dev/sub/b.txt', undefined],
    ['delete', '/etc/c.txt', undefined],
    ['write', '/home/dev/empty.txt', ''],
  ]);
  expect(told()[0]).toEqual(['write', 'a.txt', 'one\n+two\n\n']);
  expect(patchIn(`cd /tmp && apply_patch <<'EOF'\n${patch}\nEOF`)).toBe(patch);
  expect(patchIn(`grep apply_patch README.md`)).toBeNull();
  const payload = { hook_event_name: 'PostToolUse', session_id: 's', tool_name: 'apply_patch' };
  expect(readHook({ ...payload, tool_input: { command: patch } })?.happened).toMatchObject({
    records: [{ body: { kind: 'write', path: 'a.txt' }, content: Buffer.from('one\n+two\n\n') }, {}, {}, {}, {}],
  });
});

test.each<[string, JsonObject, unknown]>([
  ['a field', { 'a.js': { type: 'add', content: 'x' } }, [['write', '/w/a.js', 'x']]],
  ['a kind', { 'a.js': { kind: { type: 'update' } } }, [['write', '/w/a.js', undefined]]],
  ['the key around it', { 'a.js': { add: { content: 'x' } } }, [['write', '/w/a.js', 'x']]],
  [
    'the key around a move',
    { 'a.js': { update: { unified_diff: '@@', move_path: 'b.js' } } },
    [
      ['delete', '/w/a.js', undefined],
      ['write', '/w/b.js', undefined],
    ],
  ],
  ['nothing that is known, so the patch has to say it', { 'a.js': { renamed: {} } }, null],
  ['no change', {}, []],
])('a change whose type is %s', (_name, changes, expected) => {
  const records = deriveEnd({ changes, success: true }, '/w');
  const told = records?.map(({ body, content }) => [body.kind, body['path'], content?.toString()]) ?? null;
  expect(told).toEqual(expected);
  expect(deriveEnd({ changes, success: false }, '/w')).toEqual([]);
});

test('a sum that grows counts its increase, and a sum that starts over counts from zero', () => {
  const counter = new Counter({});
  const sum = (input_tokens: number, cached_input_tokens: number, output_tokens: number) => ({
    total: { input_tokens, cached_input_tokens, output_tokens },
    last: undefined,
  });
  expect(counter.take(sum(0, 0, 0))).toBeNull();
  expect(counter.take(sum(100, 40, 5))).toEqual({ input: 60, cache_read: 40, output: 5 });
  expect(counter.take(sum(100, 40, 5))).toBeNull();
  expect(counter.take({ total: { total_tokens: 7 }, last: undefined })).toBeNull();
  expect(counter.take(undefined)).toBeNull();
  expect(counter.take(sum(30, 10, 1))).toEqual({ input: 20, cache_read: 10, output: 1 });
});

const item = (...texts: string[]) => ({ role: 'user', content: texts.map((text) => ({ type: 'input_text', text })) });

const inContext = (text: string, role = 'user') => ({
  ...item(`<environment_context>\n${text}\n</environment_context>`),
  role,
});

test.each<[string, JsonObject, string | undefined]>([
  ['in words', inContext('Current working directory: /home/dev/a b\nApproval policy: never'), '/home/dev/a b'],
  ['in a tag', inContext('  <cwd>/home/dev/acme</cwd>\n  <shell>zsh</shell>'), '/home/dev/acme'],
  ['not at all', inContext('<shell>zsh</shell>'), undefined],
  ['by the agent', inContext('<cwd>/home/dev/acme</cwd>', 'assistant'), undefined],
  ['by the user', item('Say <cwd>/home/dev/acme</cwd>'), undefined],
])('reads the folder of an item that gives it %s', (_name, message, folder) => {
  expect(folderIn(message)).toBe(folder);
  const told = folder === undefined ? null : { cwd: folder, is_sub_agent: false };
  expect(codexTranscripts.belonging(JSON.stringify({ type: 'message', ...message }), [])).toEqual(told);
});

test.each<[string, JsonObject, ReturnType<typeof typeWithoutEnvelope>]>([
  ['a header', { id: 'a', timestamp: '2025-07-01T00:00:00Z', instructions: null }, 'session_meta'],
  ['a header without instructions', { id: 'a', timestamp: '2025-07-01T00:00:00Z', git: {} }, 'session_meta'],
  ['a header of another agent', { id: 'a', timestamp: '2025-07-01T00:00:00Z', cwd: '/w' }, null],
  ['a state', { record_type: 'state' }, 'state'],
  ['a message', { type: 'message', ...item('Fix it.') }, 'response_item'],
  ['a message of another agent', { type: 'message', role: 'user', content: [{ type: 'text', text: 'Fix it.' }] }, null],
  ['thinking', { type: 'reasoning', summary: [] }, 'response_item'],
  ['a call', { type: 'local_shell_call', call_id: 'c', action: {} }, 'response_item'],
  ['a call without an id', { type: 'function_call', name: 'shell' }, null],
  ['a record in an envelope', { type: 'message', ...item('Fix it.'), payload: {} }, null],
])('a record without an envelope: %s', (_name, record, type) => {
  expect(typeWithoutEnvelope(record)).toBe(type);
  expect(codex.recognises(JSON.stringify(record))).toBe(type !== null);
});

test.each<[string, string, string[] | null]>([
  [
    'a document',
    '{\n  "session": {"id": "a"},\n  "items": [\n    {"type":\n "message"}\n  ],\n  "more": 1\n}',
    ['{"id":"a"}', '{"more":1}', '{"type":"message"}'],
  ],
  [
    'a document that breaks off',
    '{"session":{"id":"a"},"items":[{"type":"message"},{"ty',
    ['{"id":"a"}', '{"type":"message"}', '{"ty'],
  ],
  ['lines', '{"id":"a"}\n{"items":[]}\n', null],
])('as lines: %s', (_name, text, lines) => {
  expect(unfoldText(codex, text)).toEqual(lines);
});

test('returns the line of a document that an item is on', () => {
  const text = '{\n  "session": {},\n  "items": [\n    {"type": "message"},\n    {"type"';
  expect([1, 2, 3].map((line) => lineInDocument(codex, text, line))).toEqual([1, 4, 5]);
  expect(lineInDocument(codex, 'none', 7)).toBeUndefined();
});

const first = (payload: object, type = 'session_meta') =>
  JSON.stringify({ timestamp: '2026-11-20T13:00:00.000Z', type, payload });

test.each<[string, string, string | null]>([
  ['goes on with another', first({ history_base: { thread_id: 'a' } }), '2026-11-20T13:00:00.000Z'],
  ['begins by itself', first({ id: 'a' }), null],
  ['begins with something else', first({ history_base: { thread_id: 'a' } }, 'turn_context'), null],
  ['cannot be read', 'no JSON', null],
])('a file that %s', (_name, line, at) => {
  expect(continuedAt(line)).toBe(at);
});

test.each([
  ['words', item('Fix it.'), 'Fix it.'],
  ['words behind what Codex puts there', item('<environment_context>\n</environment_context>', 'Fix it.'), 'Fix it.'],
  ['nothing of the user', item('# AGENTS.md instructions for /x', '<user_instructions>\n</user_instructions>'), null],
  ['a tag of the user’s own', item('<div> is not closed'), '<div> is not closed'],
  [
    'what Codex says of it counts',
    {
      ...item('told by a hook', 'Fix it.'),
      internal_chat_message_metadata_passthrough: { content_item_kinds: ['hooks.additional_context', 'user.text'] },
    },
    'Fix it.',
  ],
  ['no content', { role: 'user' }, null],
])('whose words: %s', (_name, message, words) => {
  expect(promptOf(message)).toBe(words);
});

test('questions and answers as text', () => {
  const options = [{ label: 'Yes', description: 'at once' }, { label: 'No' }];
  expect(questionText({ questions: [{ question: 'Go on?', options }] })).toBe('Go on?\n- Yes: at once\n- No');
  expect(questionText({ questions: 7 })).toBe('The agent asks a question.');
  expect(answerText({ answers: { a: { answers: ['Yes', 'user_note: soon'] } } })).toBe('Yes, user_note: soon');
  expect(answerText({ answers: {} })).toBeNull();
});
