// The pieces that a Claude Code transcript is read with, each by itself: lines, edits, results, who said what, the tree.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { applyEdit, derive } from '../../src/agents/claude-code/derive.ts';
import { claudeCode } from '../../src/agents/claude-code/index.ts';
import { partOf, resultOf } from '../../src/agents/claude-code/parts.ts';
import { readRecords } from '../../src/agents/claude-code/record.ts';
import { Tree } from '../../src/agents/claude-code/tree.ts';
import { questionText, textOfUser } from '../../src/agents/claude-code/user-words.ts';
import { agentNamed, recogniseAgent } from '../../src/agents/index.ts';
import { type Result, withResult } from '../../src/agents/shared/parts.ts';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';

describe('a line', () => {
  const one = '{"type":"user","uuid":"a"}';
  const two = '{"type":"mode","sessionId":"s"}';

  test.each([
    ['one object', one, 1, null, null],
    ['with a carriage return', `${one}\r`, 1, null, null],
    ['behind a byte order mark', `\ufeff${one}`, 1, null, null],
    ['with a line separator in a text', '{"a":"x\u2028y"}', 1, null, null],
    ['blank', '  \t\r', 0, null, null],
    ['two objects', one + two, 2, 'holds 2 JSON objects; all were read', null],
    ['two objects and a blank', `${one} ${two} `, 2, 'holds 2 JSON objects; all were read', null],
    ['a number', '7', 0, 'is JSON, but not an object; its text is kept', '7'],
    ['half an object', '{"type":"us', 0, 'is not JSON from character 1 on; its text is kept', '{"type":"us'],
    [
      'an object and half of one',
      `${one}{"type":"us`,
      1,
      'is not JSON from character 27 on; 1 whole object on it, and the rest as text, are kept',
      '{"type":"us',
    ],
    [
      'half an object and a whole one',
      `{"type":"user","message":{"content":"a${two}`,
      1,
      'is not JSON from character 1 on; 1 whole object on it, and the rest as text, are kept',
      '{"type":"user","message":{"content":"a',
    ],
    [
      'zeros',
      `\u0000\u0000${two}`,
      1,
      'is not JSON from character 1 on; 1 whole object on it, and the rest as text, are kept',
      '\u0000\u0000',
    ],
    [
      'colours',
      '\u001b[31mred\u001b[0m',
      0,
      'is not JSON from character 1 on; its text is kept',
      '\u001b[31mred\u001b[0m',
    ],
  ])('%s', (_, text, count, problem, rest) => {
    const read = readRecords(text);
    expect(read.records).toHaveLength(count);
    expect(read.problem).toBe(problem);
    expect(read.rest).toBe(rest);
  });

  test('a piece out of the middle of a record is not taken for one', () => {
    expect(readRecords('{"message":{"content":[{"type":"text","text":"a"}').records).toEqual([]);
  });
});

describe('an edit', () => {
  test.each([
    ['the first of two', 'a b a', { before: 'a', after: 'x', all: false }, 'x b a'],
    ['all of them', 'a b a', { before: 'a', after: 'x', all: true }, 'x b x'],
    ['words that mean something in a pattern', 'f($1)', { before: '$1', after: '$&$$', all: false }, 'f($&$$)'],
    ['away, with its line break', 'a\nb\nc\n', { before: 'b', after: '', all: false }, 'a\nc\n'],
    ['into an empty file', '', { before: '', after: 'new\n', all: false }, 'new\n'],
    ['what is not there', 'a', { before: 'b', after: 'c', all: false }, null],
    ['nothing, in a file that is not empty', 'a', { before: '', after: 'c', all: false }, null],
  ])('%s', (_, text, edit, expected) => {
    expect(applyEdit(text, edit)).toBe(expected);
  });
});

function result(content: JsonValue, told?: JsonValue, failed = false): Result {
  return resultOf({ type: 'tool_result', tool_use_id: 'x', content, is_error: failed }, told) as Result;
}

/** Returns the effects of a call, with contents as text. */
function follows(name: string, input: JsonObject, of: Result): JsonObject[] {
  return derive(name, input, of, '/home/dev/acme-http').map(({ body, content }) => ({
    ...(body as JsonObject),
    ...(content ? { content: content.toString() } : {}),
  }));
}

describe('what follows from a call', () => {
  const file = (numLines: number, startLine: number) => ({
    type: 'text',
    file: { filePath: '/w/a.ts', content: 'a\n', numLines, startLine, totalLines: 2 },
  });
  const no = "The user doesn't want to proceed with this tool use. The tool use was rejected";

  test.each<[string, string, JsonObject, Result, JsonObject[]]>([
    [
      'a whole file read',
      'Read',
      { file_path: '/w/a.ts' },
      result('1→a', file(2, 1)),
      [{ kind: 'read', path: '/w/a.ts', content: 'a\n' }],
    ],
    [
      'a part of a file read',
      'Read',
      { file_path: '/w/a.ts' },
      result('1→a', file(1, 2)),
      [{ kind: 'read', path: '/w/a.ts' }],
    ],
    [
      'a path from the folder the agent is in',
      'Read',
      { file_path: 'src/../b.ts' },
      result('1→b'),
      [{ kind: 'read', path: '/home/dev/acme-http/src/../b.ts' }],
    ],
    [
      'a file that is not there',
      'Read',
      { file_path: '/w/a.ts' },
      result('<tool_use_error>File does not exist.</tool_use_error>', null, true),
      [],
    ],
    [
      'a file written',
      'Write',
      { file_path: '/w/a', content: 'x' },
      result('ok', { filePath: '/w/a', content: 'x', type: 'create' }),
      [{ kind: 'write', path: '/w/a', content: 'x' }],
    ],
    [
      'a file that the user changed first',
      'Write',
      { file_path: '/w/a', content: 'x' },
      result('ok', { filePath: '/w/a', content: 'x', userModified: true }),
      [{ kind: 'write', path: '/w/a' }],
    ],
    [
      'a file written by a sub-agent, whose results have no account',
      'Write',
      { file_path: '/w/a', content: 'x' },
      result('ok'),
      [{ kind: 'write', path: '/w/a', content: 'x' }],
    ],
    [
      'an edit',
      'Edit',
      { file_path: '/w/a' },
      result('ok', { filePath: '/w/a', oldString: 'b', newString: 'c', originalFile: 'abb', replaceAll: true }),
      [{ kind: 'write', path: '/w/a', content: 'acc', written_lines: [[1, 1]] }],
    ],
    [
      'an edit of a file that was too long to be told',
      'Edit',
      { file_path: '/w/a' },
      result('ok', { filePath: '/w/a', oldString: 'b', newString: 'c', originalFile: null }),
      [{ kind: 'write', path: '/w/a' }],
    ],
    [
      'several edits',
      'MultiEdit',
      {
        file_path: '/w/a',
        edits: [
          { old_string: 'a', new_string: 'b' },
          { old_string: 'bb', new_string: 'c' },
        ],
      },
      result('ok', { filePath: '/w/a', originalFileContents: 'ab' }),
      [{ kind: 'write', path: '/w/a', content: 'c', written_lines: [[1, 1]] }],
    ],
    [
      'a notebook',
      'NotebookEdit',
      { notebook_path: '/w/n.ipynb' },
      result('ok'),
      [{ kind: 'write', path: '/w/n.ipynb' }],
    ],
    ['a refused edit', 'Edit', { file_path: '/w/a' }, result(no, 'User rejected tool use', true), []],
    [
      'a command',
      'Bash',
      { command: 'ls' },
      result('a\nb', { stdout: 'a', stderr: 'b', interrupted: false }),
      [{ kind: 'command', command: 'ls', exit_code: 0, output: 'a\nb' }],
    ],
    [
      'a command that failed',
      'Bash',
      { command: 'ls' },
      result('Exit code 2\nno such file', 'Error: Exit code 2\nno such file', true),
      [{ kind: 'command', command: 'ls', exit_code: 2, output: 'no such file' }],
    ],
    [
      'a command whose code was explained',
      'Bash',
      { command: 'grep x' },
      result('', { stdout: '', stderr: '', returnCodeInterpretation: 'No matches found' }),
      [{ kind: 'command', command: 'grep x', exit_code: null, output: '' }],
    ],
    [
      'a command in the background',
      'Bash',
      { command: 'x', run_in_background: true },
      result('ID: b1', { stdout: '', stderr: '', backgroundTaskId: 'b1' }),
      [{ kind: 'command', command: 'x', exit_code: null, output: '' }],
    ],
    [
      'a command that was stopped',
      'Bash',
      { command: 'x' },
      result('half', { stdout: 'half', stderr: '', interrupted: true }),
      [{ kind: 'command', command: 'x', exit_code: null, output: 'half' }],
    ],
    [
      'a command that never ran',
      'Bash',
      { command: 'x' },
      result('Claude requested permissions to use Bash, but you have not granted it yet.', null, true),
      [],
    ],
    [
      'a command that broke without a code',
      'Bash',
      { command: 'x' },
      result('spawn failed', null, true),
      [{ kind: 'command', command: 'x', exit_code: null, output: 'spawn failed' }],
    ],
    [
      'a command of a sub-agent',
      'Bash',
      { command: 'x' },
      result([{ type: 'text', text: 'out' }]),
      [{ kind: 'command', command: 'x', exit_code: 0, output: 'out' }],
    ],
    [
      'a list of things to do',
      'TodoWrite',
      { todos: [{ content: 'a', status: 'completed' }, { content: 'b', status: 'in_progress' }, { content: 'c' }] },
      result('ok'),
      [{ kind: 'plan', content: '- [x] a\n- [>] b\n- [ ] c' }],
    ],
    ['a plan', 'ExitPlanMode', {}, result('ok', { plan: '# Plan' }), [{ kind: 'plan', content: '# Plan' }]],
    ['a search', 'Grep', { pattern: 'x' }, result('a'), []],
  ])('%s', (_, name, input, of, expected) => {
    expect(follows(name, input, of)).toEqual(expected);
  });
});

describe('parts', () => {
  test.each<[string, JsonValue, JsonObject]>([
    ['text', { type: 'text', text: 'a' }, { type: 'text', text: 'a' }],
    ['thinking', { type: 'thinking', thinking: 'b', signature: 's' }, { type: 'reasoning', text: 'b', signature: 's' }],
    [
      'a picture',
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
      { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AA==' },
    ],
    [
      'a document at an address',
      { type: 'document', title: 'd', source: { type: 'url', url: 'https://x.example/d' } },
      { type: 'file', mediaType: 'application/octet-stream', url: 'https://x.example/d', filename: 'd' },
    ],
    [
      'a call',
      { type: 'tool_use', id: 'c', name: 'Bash', input: { command: 'ls' } },
      { type: 'dynamic-tool', toolName: 'Bash', toolCallId: 'c', state: 'input-available', input: { command: 'ls' } },
    ],
    [
      'what is unknown',
      { type: 'hologram', depth: 3 },
      { type: 'data-hologram', data: { type: 'hologram', depth: 3 } },
    ],
    ['what is no block at all', 7, { type: 'data-unknown', data: 7 }],
  ])('%s', (_, block, expected) => {
    expect(partOf(block)).toEqual(expected);
  });

  const call = { type: 'dynamic-tool', toolName: 'X', toolCallId: 'x', state: 'input-available', input: 1 } as const;

  test('the account of a result stays, unless it only says the same again', () => {
    expect(withResult(call, result('out', { files: 3 }), 5)).toEqual({
      ...call,
      state: 'output-available',
      output: 'out',
      result: { files: 3 },
      completed_at: 5,
    });
    const failed = { ...call, state: 'output-error', errorText: 'no', completed_at: 5 };
    expect(withResult(call, result('no', 'Error: no', true), 5)).toEqual(failed);
    expect(withResult(call, result('no', 'User rejected tool use', true), 5)).toEqual({
      ...failed,
      result: 'User rejected tool use',
    });
    const blocks = [{ type: 'text', text: 'a' }];
    expect(withResult(call, result(blocks, [{ type: 'text', text: 'a' }]), 5)).not.toHaveProperty('result');
  });
});

describe('who said what', () => {
  const text = (...texts: string[]): JsonValue[] => texts.map((each) => ({ type: 'text', text: each }));

  test.each<[string, JsonObject, JsonValue[], ReturnType<typeof textOfUser>]>([
    ['words', {}, text(' Add a test. '), { kind: 'prompt', text: 'Add a test.' }],
    [
      'words behind what the editor adds',
      {},
      text('<ide_opened_file>a.ts</ide_opened_file>', 'Fix it'),
      { kind: 'prompt', text: 'Fix it' },
    ],
    ['a picture', {}, [{ type: 'image' }, ...text('Like this')], { kind: 'prompt', text: '[image]\nLike this' }],
    [
      'a command of the user',
      {},
      text(
        '<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>all</command-args>',
      ),
      { kind: 'prompt', text: '/review all' },
    ],
    [
      'a command of the program',
      {},
      text('<command-name>/compact</command-name>\n<command-message>compact</command-message>'),
      { kind: 'other' },
    ],
    ['its output', {}, text('<local-command-stdout>done</local-command-stdout>'), { kind: 'other' }],
    ['a shell line', {}, text('<bash-input>ls</bash-input>'), { kind: 'other' }],
    ['a notification', { origin: { kind: 'task-notification' } }, text('<task-notification>x'), { kind: 'other' }],
    ['words of a human', { origin: { kind: 'human' } }, text('go'), { kind: 'prompt', text: 'go' }],
    ['words of nobody', { isMeta: true }, text('go'), { kind: 'other' }],
    ['a summary', { isCompactSummary: true }, text('go'), { kind: 'other' }],
    ['an interrupt', {}, text('[Request interrupted by user for tool use]'), { kind: 'interrupt', text: '' }],
    [
      'an interrupt with words',
      {},
      text('[Request interrupted by user]', 'Stop that'),
      { kind: 'interrupt', text: 'Stop that' },
    ],
    ['nothing', {}, text('  '), { kind: 'other' }],
    [
      'a tag of their own',
      {},
      text('<tickets-table> sorts wrong'),
      { kind: 'prompt', text: '<tickets-table> sorts wrong' },
    ],
    [
      'a tag of their own',
      {},
      text('<background-image> is large'),
      { kind: 'prompt', text: '<background-image> is large' },
    ],
    [
      'a tag of their own',
      {},
      text('<bash-inputs-view> is empty'),
      { kind: 'prompt', text: '<bash-inputs-view> is empty' },
    ],
    ['a tag of their own', {}, text('<mcp-list> hangs'), { kind: 'prompt', text: '<mcp-list> hangs' }],
    [
      'words that quote an interrupt',
      {},
      text('[Request interrupted by user] is in the log'),
      { kind: 'prompt', text: '[Request interrupted by user] is in the log' },
    ],
  ])('%s', (_, record, blocks, expected) => {
    expect(textOfUser(record, blocks)).toEqual(expected);
  });

  test('a question of a tool reads as text, with its options', () => {
    const questions = [
      { question: 'Which one?', options: [{ label: 'A', description: 'the\nfirst' }, 'B'] },
      { question: 'Now?', options: [] },
    ];
    expect(questionText('AskUserQuestion', { questions })).toBe('Which one?\n- A: the first\n- B\n\nNow?');
    expect(questionText('AskUserQuestion', null)).toBe('The agent asks a question.');
  });
});

describe('the tree', () => {
  /** A tree of lines `id<parent`, each a message of its own. */
  function treeOf(...lines: string[]): Tree {
    const tree = new Tree();
    for (const line of lines) {
      const [id = '', parent = ''] = line.split('<');
      tree.add(id, parent || null, id);
    }
    return tree;
  }

  test('a rewind hides what is left, a return shows it again', () => {
    const tree = treeOf('a', 'b<a', 'c<b', 'd<a');
    for (const id of ['a', 'b', 'c']) expect(tree.moveTo(id, false)).toEqual({ hide: [], show: [] });
    expect(tree.moveTo('d', false)).toEqual({ hide: ['c', 'b'], show: [] });
    tree.add('e', 'c', 'e');
    expect(tree.moveTo('e', false)).toEqual({ hide: ['d'], show: ['c', 'b'] });
  });

  test('several lines of a message are one: while one of them is live, it is', () => {
    const tree = new Tree();
    for (const [id, parent] of [
      ['m1', null],
      ['m2', 'm1'],
      ['r1', 'm1'],
      ['r2', 'm2'],
    ] as const)
      tree.add(id, parent, 'm');
    for (const id of ['m1', 'm2', 'r1', 'r2']) expect(tree.moveTo(id, false)).toEqual({ hide: [], show: [] });
  });

  test('rings and lines that are their own parents end', () => {
    const tree = treeOf('a<b', 'b<a', 'c<c');
    tree.moveTo('a', false);
    expect(tree.moveTo('c', false)).toEqual({ hide: ['a', 'b'], show: [] });
    expect(tree.moveTo('b', false)).toEqual({ hide: ['c'], show: ['b', 'a'] });
  });

  test('a lost line does not end the conversation, and counts once it is found', () => {
    const tree = treeOf('a', 'x', 'c<b');
    tree.moveTo('a', false);
    tree.adopt('c');
    expect(tree.moveTo('c', false)).toEqual({ hide: [], show: [] });
    expect(tree.add('b', 'x', null)).toEqual({ hide: ['a'], show: [] });
  });

  test('with lines that are not known, it asks for them', () => {
    const tree = new Tree();
    tree.resume([], 'leaf', 'm');
    tree.add('next', 'leaf', 'n');
    expect(tree.moveTo('next', true)).toEqual({ hide: [], show: [] });
    tree.add('other', 'long ago', 'o');
    expect(tree.moveTo('other', true)).toBeNull();
  });
});

describe('a transcript is recognised by its content', () => {
  const folder = new URL('../../fixtures/claude-code/', import.meta.url);

  test.each(readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl')))(
    '%s',
    (name) => {
      const text = readFileSync(new URL(name, folder), 'utf8');
      expect(recogniseAgent(text)?.name).toBe('claude-code');
      expect(recogniseAgent(text.slice(0, 700))?.name).toBe('claude-code');
    },
  );

  test.each([
    ['nothing', ''],
    ['prose', 'Hello.\n\nA message of mine.'],
    ['another agent', '{"type":"session","version":3,"id":"a","timestamp":"2026-01-14T09:12:04Z","cwd":"/home/dev"}'],
    ['a message without a place', '{"role":"user","message":{"content":[{"type":"text","text":"hi"}]}}'],
    ['a tree of another kind', '{"type":"message","id":"1","parentId":null,"message":{"role":"user","content":"hi"}}'],
  ])('not: %s', (_, text) => {
    expect(claudeCode.recognises(text)).toBe(false);
  });

  test('by name', () => {
    expect(agentNamed('claude-code')?.name).toBe('claude-code');
    expect(agentNamed('nobody')).toBeUndefined();
  });
});
