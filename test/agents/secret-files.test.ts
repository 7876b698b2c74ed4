// Tests transcripts with a file that is known to hold secrets, at any place in them: none of it gets into the store.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { acp } from '../../src/agents/acp/index.ts';
import { claudeCode } from '../../src/agents/claude-code/index.ts';
import { codex } from '../../src/agents/codex/index.ts';
import type { Agent } from '../../src/agents/contract/agent.ts';
import { copilot } from '../../src/agents/copilot/index.ts';
import { gemini } from '../../src/agents/gemini/index.ts';
import { readerWithPaths } from '../../src/agents/shared/secret-calls.ts';
import { ingestTranscript } from '../../src/app/intake/ingest.ts';
import { type ActiveSession, activeSession } from '../../src/app/session/active.ts';
import type { JsonValue } from '../../src/core/json.ts';
import { grows } from '../../src/secrets/growing-texts.ts';
import { redactValue } from '../../src/secrets/redact.ts';
import { withoutSecretFiles } from '../../src/secrets/withheld.ts';
import { makeProject } from '../support/store.ts';
import { replay } from './support/replay.ts';

const VALUE = 'WEATHER=sunny at noon';
const OTHER = 'what anybody may see';

const linesOf = (...records: object[]): string[] =>
  [{ sessionId: 'g-1', projectHash: 'ab', startTime: '2026-11-20T10:00:00.000Z' }, ...records].map((record, index) =>
    JSON.stringify({ timestamp: `2026-11-20T10:00:0${index}.000Z`, ...record }),
  );
const response = (id: string, output: string) => ({
  functionResponse: { id, name: 'read_file', response: { output } },
});
const took = (id: string, file_path: string) => ({ id, name: 'read_file', args: { file_path } });
const gave = (id: string, path: string, output: string) => ({
  ...took(id, path),
  result: [response(id, output)],
  resultDisplay: output,
  description: `${path}: ${output}`,
  status: 'success',
});
const said = (id: string, more: object) => ({ id, type: 'gemini', content: '', ...more });
const heard = (id: string, ...content: object[]) => ({ id, type: 'user', content });

const calls = said('m', { toolCalls: [gave('c', '/p/.env', VALUE), gave('d', '/p/a.ts', OTHER)] });
const asked = said('m', { content: [{ functionCall: took('c', '/p/.env') }, { functionCall: took('d', '/p/a.ts') }] });
const results = heard('r', response('c', VALUE), response('d', OTHER));
const masked = said('m', { toolCalls: [gave('c', '/p/.env', `${VALUE}…`)] });

const update = (toolCallId: string, sessionUpdate: string, more: object) =>
  JSON.stringify({
    ...{ dir: 'agent->client', ts: '2026-11-20T10:00:00.000Z' },
    raw: JSON.stringify({
      ...{ jsonrpc: '2.0', method: 'session/update' },
      params: { sessionId: 's', update: { sessionUpdate, toolCallId, ...more } },
    }),
  });
/** Calls over the Agent Client Protocol, of which only an update tells what they took. */
const acpLines = (['/p/.env', '/p/a.ts'] as const).flatMap((path) => [
  update(path.slice(-4), 'tool_call', { title: 'Read', kind: 'read', status: 'pending' }),
  update(path.slice(-4), 'tool_call_update', { status: 'in_progress', rawInput: { path } }),
  update(path.slice(-4), 'tool_call_update', {
    status: 'completed',
    content: [{ type: 'content', content: { type: 'text', text: path === '/p/.env' ? VALUE : OTHER } }],
  }),
]);

const codexLine = (type: string, payload: object) =>
  JSON.stringify({ timestamp: '2026-11-20T10:00:00.000Z', type, payload });
const patch = (call_id: string, ...files: string[]) =>
  codexLine('response_item', {
    ...{ type: 'custom_tool_call', status: 'completed', call_id, name: 'apply_patch' },
    input: `*** Begin Patch\n${files.map((file) => `*** Update File: ${file}\n@@\n+x\n`).join('')}*** End Patch`,
  });
/** Patches of Codex: of one such file, which fails, and of it and another together. */
const codexLines = [
  codexLine('session_meta', { id: '01a20004-e71e-7f11-965c-4200000000ac', cwd: '/p', cli_version: '0.169.0' }),
  patch('c', '/p/.env'),
  codexLine('response_item', {
    ...{ type: 'custom_tool_call_output', call_id: 'c' },
    output: `apply_patch verification failed: Failed to find expected lines in /p/.env:\n${VALUE}`,
  }),
  patch('e', '/p/.env'),
  codexLine('event_msg', {
    ...{ type: 'patch_apply_end', call_id: 'e', stdout: '', success: false, changes: {} },
    stderr: `Failed to find expected lines in /p/.env:\n${VALUE}`,
  }),
  patch('d', '/p/a.ts', '/p/.env'),
  codexLine('event_msg', {
    ...{ type: 'patch_apply_end', call_id: 'd', stdout: '', stderr: '', success: true },
    changes: {
      '/p/a.ts': { type: 'update', unified_diff: `@@ -1 +1 @@\n+${OTHER}\n`, move_path: null },
      '/p/.env': { type: 'update', unified_diff: `@@ -1 +1 @@\n+${VALUE}\n`, move_path: null },
    },
  }),
];

/** Files that a user of Gemini CLI has mentioned, in texts of their own and in one. */
const shown = [
  ...['say @.env', '\n--- Content from referenced files ---', '\nContent from @/p/.env:\n', VALUE],
  ...['\nContent from @/p/a.ts:\n', OTHER, '\n--- End of content ---'],
];
const mentioned = linesOf(heard('u', ...shown.map((text) => ({ text }))), heard('v', { text: shown.join('') }));

const withPaths = (agent: Agent): Agent => ({ ...agent, reader: (resume) => readerWithPaths(agent, resume) });

/** Returns the kept part of a transcript that was read from its beginning again at the given lines. */
function keptOf(agent: Agent, lines: readonly string[], starts: readonly number[]): string {
  const { bodies, cursor } = replay(lines, starts, false, withPaths(agent));
  return JSON.stringify(withoutSecretFiles([...bodies, cursor] as JsonValue));
}

/** The same, in every way to read it in one part or two, and line by line. */
function keptInAnyParts(agent: Agent, lines: readonly string[]): string[] {
  const all = lines.map((_line, index) => index).slice(1);
  return [[], ...all.map((start) => [start]), all].map((starts) => keptOf(agent, lines, starts));
}

const event = (type: string, id: string, parentId: string | null, data: object): string =>
  JSON.stringify({ type, data, id, parentId, timestamp: '2026-11-20T10:00:00.000Z' });
const request = (toolCallId: string, path: string) => ({
  toolCallId,
  name: 'view',
  arguments: { path },
  type: 'function',
});
const begins = (toolCallId: string, path: string) => ({ toolCallId, toolName: 'view', arguments: { path } });
const partial = (toolCallId: string, partialOutput: string) => ({ toolCallId, partialOutput });
const complete = (toolCallId: string, content: string) => ({ toolCallId, success: true, result: { content } });

const copilotLines = [
  event('session.start', 'e0', null, { sessionId: 's', context: { cwd: '/p' } }),
  event('user.message', 'e1', 'e0', { content: 'Look at it.' }),
  event('assistant.message', 'e2', 'e1', {
    content: '',
    toolRequests: [request('c', '/p/.env'), request('d', '/p/a.ts')],
  }),
  event('tool.execution_start', 'e3', 'e2', begins('c', '/p/.env')),
  event('tool.execution_partial_result', 'e4', 'e3', partial('c', VALUE)),
  event('tool.execution_complete', 'e5', 'e4', complete('c', VALUE)),
  event('tool.execution_start', 'e6', 'e5', begins('d', '/p/a.ts')),
  event('tool.execution_partial_result', 'e7', 'e6', partial('d', OTHER)),
  event('tool.execution_complete', 'e8', 'e7', complete('d', OTHER)),
  event('tool.execution_partial_result', 'e9', 'e8', partial('c', VALUE)),
];

/** A search, whose lines stand apart from its call. */
const grepLines = [
  event('session.start', 'e0', null, { sessionId: 's', context: { cwd: '/p' } }),
  event('user.message', 'e1', 'e0', { content: 'Look for it.' }),
  event('tool.execution_start', 'e2', 'e1', {
    toolCallId: 'g',
    toolName: 'grep',
    arguments: { pattern: 'o', path: '.' },
  }),
  event('tool.execution_partial_result', 'e3', 'e2', partial('g', `/p/.env:1:${VALUE}\n/p/a.ts:1:${OTHER}`)),
  event('tool.execution_complete', 'e4', 'e3', complete('g', `/p/.env:1:${VALUE}\n/p/a.ts:1:${OTHER}`)),
];

const progress = (uuid: string, type: string, ...content: object[]): string => {
  const timestamp = '2026-11-20T10:00:01.000Z';
  const message = { type, timestamp, uuid: `m-${uuid}`, message: { role: type, content } };
  const data = { type: 'agent_progress', agentId: 'a1', prompt: 'Look at it.', normalizedMessages: [], message };
  return JSON.stringify({ type: 'progress', uuid, parentUuid: null, sessionId: 's', cwd: '/p', timestamp, data });
};
const uses = (id: string, file_path: string) => ({ type: 'tool_use', id, name: 'Read', input: { file_path } });
const result = (tool_use_id: string, content: string) => ({ type: 'tool_result', tool_use_id, content });

const claudeLines = [
  progress('p1', 'assistant', uses('t', '/p/.env'), uses('v', '/p/a.ts')),
  progress('p2', 'user', result('t', VALUE)),
  progress('p3', 'user', result('t', VALUE)),
  progress('p4', 'user', result('v', OTHER)),
  progress('p5', 'user', result('v', OTHER)),
];

describe('results that are separate from their call', () => {
  test.each<[string, Agent, readonly string[]]>([
    ['Gemini CLI: a result that only says once more what its call has', gemini, linesOf(calls, results)],
    ['Gemini CLI: a result that alone has it', gemini, linesOf(asked, results)],
    ['Gemini CLI: results among those in view', gemini, linesOf(calls, { $set: { messages: [masked, results] } })],
    [
      'Gemini CLI: a call and its result among those in view',
      gemini,
      linesOf({ $set: { messages: [calls, results] } }),
    ],
    ['Copilot CLI: parts of a result, before the whole and behind it', copilot, copilotLines],
    ['Copilot CLI: parts of what a search found', copilot, grepLines],
    ['Agent Client Protocol: a call that tells later what it took', acp, acpLines],
    ['Codex: patches that fail, and of several files', codex, codexLines],
    ['Gemini CLI: files that the user mentions', gemini, mentioned],
    ['Claude Code: a second copy of what a sub-agent was given', claudeCode, claudeLines],
  ])('%s', (_name, agent, lines) => {
    for (const kept of keptInAnyParts(agent, lines)) {
      expect(kept).toContain('/p/.env');
      expect(kept).toContain(OTHER);
      expect(kept).not.toContain(VALUE);
    }
  });

  test('withholds written text that only the text of a message has', () => {
    const call = { ...took('c', '.env'), name: 'replace', args: { file_path: '.env', new_string: VALUE } };
    const { bodies } = replay(linesOf(said('m', { content: [{ functionCall: call }] })), [], false, gemini);
    expect(JSON.stringify(withoutSecretFiles(bodies as JsonValue))).not.toContain(VALUE);
  });
});

const selection = `<attached_files>\n<code_selection path="/p/.env" lines="1">\n${VALUE}\n</code_selection>\n</attached_files>`;
const claude = (uuid: string, parentUuid: string | null, type: string, content: object[], more = {}) => {
  const timestamp = '2026-11-20T10:00:00.000Z';
  return { uuid, parentUuid, sessionId: 's', cwd: '/p', type, timestamp, message: { role: type, content }, ...more };
};

/** A conversation over the Agent Client Protocol in which such a file is read, written, shown and sent along in every way. */
function protocol(): object[] {
  const ask = (from: string, id: number, method: string, params: object) => ({
    ...{ dir: from === 'agent' ? 'agent->client' : 'client->agent' },
    raw: JSON.stringify({ jsonrpc: '2.0', id, method, params: { sessionId: 's', ...params } }),
  });
  const answer = (from: string, id: number, result: object) => ({
    ...{ dir: from === 'agent' ? 'agent->client' : 'client->agent' },
    raw: JSON.stringify({ jsonrpc: '2.0', id, result }),
  });
  const tells = (update: object) => ({
    ...{ dir: 'agent->client' },
    raw: JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update } }),
  });
  const text = { type: 'content', content: { type: 'text', text: VALUE } };
  const over = { sessionUpdate: 'tool_call_update', status: 'completed' };
  const resource = { type: 'resource', resource: { uri: 'file:///p/.env', text: VALUE } };
  return [
    ask('client', 0, 'initialize', { protocolVersion: 1 }),
    answer('agent', 0, { protocolVersion: 1 }),
    ask('client', 1, 'session/new', { cwd: '/p' }),
    answer('agent', 1, { sessionId: 's' }),
    ask('client', 2, 'session/prompt', { prompt: [{ type: 'text', text: OTHER }, resource] }),
    ask('agent', 0, 'fs/read_text_file', { path: '/p/.env' }),
    answer('client', 0, { content: VALUE }),
    ask('agent', 1, 'fs/write_text_file', { path: '/p/.env', content: VALUE }),
    tells({ sessionUpdate: 'tool_call', toolCallId: 'a', kind: 'read', locations: [{ path: '/p/.env' }] }),
    tells({ ...over, toolCallId: 'a', content: [text] }),
    tells({ sessionUpdate: 'tool_call', toolCallId: 'b', kind: 'read' }),
    tells({ ...over, toolCallId: 'b', locations: [{ path: '/p/.env' }], content: [text], rawOutput: { text: VALUE } }),
    tells({ sessionUpdate: 'tool_call', toolCallId: 'c', kind: 'edit' }),
    tells({ ...over, toolCallId: 'c', content: [{ type: 'diff', path: '/p/.env', oldText: VALUE, newText: VALUE }] }),
  ];
}

test.each<[string, object[]]>([
  ['acp', protocol()],
  ['gemini', linesOf(calls, results).map((line) => JSON.parse(line) as object)],
  [
    'cursor',
    [
      {
        role: 'user',
        message: { content: [{ type: 'text', text: `${selection}\n<user_query>\n${OTHER}\n</user_query>` }] },
      },
      { role: 'assistant', message: { content: [{ type: 'text', text: 'Done.' }] } },
    ],
  ],
  [
    'claude-code',
    [
      claude('u1', null, 'user', [{ type: 'text', text: OTHER }]),
      claude('a1', 'u1', 'assistant', [{ type: 'tool_use', id: 't', name: 'Grep', input: { pattern: 'A' } }]),
      claude('u2', 'a1', 'user', [{ type: 'tool_result', tool_use_id: 't', content: `.env:1:${VALUE}` }], {
        toolUseResult: { mode: 'content', filenames: [], content: `.env:1:${VALUE}`, numLines: 1 },
      }),
    ],
  ],
  [
    'opencode',
    [
      {
        info: { id: 'ses_1', directory: '/p', version: '1', title: 'x', time: { created: 1 } },
        messages: [
          {
            info: { id: 'msg_1', sessionID: 'ses_1', role: 'user', time: { created: 1795168800000 } },
            parts: [
              `${OTHER} @.env`,
              'Called the Read tool with the following input: {"filePath":"/p/.env"}',
              `<file>\n00001| ${VALUE}\n</file>`,
            ]
              .map((text, index): object => ({ id: `prt_${index}`, type: 'text', text, synthetic: index > 0 }))
              .concat({ id: 'prt_3', type: 'file', mime: 'text/plain', filename: '.env', url: 'file:///p/.env' }),
          },
        ],
      },
    ],
  ],
  [
    'claude-code',
    [
      claude('u1', null, 'user', [
        {
          type: 'text',
          text: `<ide_selection>The user selected the lines 1 to 2 from /p/.env:\n${VALUE}</ide_selection>`,
        },
        { type: 'text', text: `<system-reminder>\nNote: /p/.env was modified, by you:\n 1→${VALUE}</system-reminder>` },
        { type: 'text', text: OTHER },
      ]),
    ],
  ],
  [
    'opencode',
    [
      {
        info: { id: 'ses_1', projectID: 'p', location: { directory: '/p' }, time: { created: 1 } },
        messages: [
          {
            ...{ id: 'msg_1', type: 'user', text: OTHER, time: { created: 1795168800000 } },
            files: [{ name: '.env', mime: 'text/plain', data: VALUE }],
          },
          {
            ...{ id: 'msg_2', type: 'assistant', time: { created: 1795168800000 } },
            content: [
              {
                ...{ type: 'tool', id: 'c', name: 'read' },
                state: { status: 'completed', input: { path: '.env' }, content: [{ type: 'text', text: VALUE }] },
              },
              {
                ...{ type: 'tool', id: 'd', name: 'write' },
                state: { status: 'streaming', input: `{"path":".env","content":"${VALUE}` },
              },
            ],
          },
        ],
      },
    ],
  ],
])('%s: nothing of it gets into the store', (agent, records) => {
  const project = makeProject();
  const file = join(project.folder, 'chat.jsonl');
  writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  expect(ingestTranscript(project.open(), file)).toMatchObject({ created: true, agent });
  const batch = ['cat-file', '--batch-all-objects', '--batch', '--unordered'];
  const kept = execFileSync('git', ['--git-dir', project.store, ...batch], { encoding: 'utf8' });
  expect(kept).toContain(OTHER);
  expect(kept).not.toContain(VALUE);
  expect(kept).toContain('the file is known to hold secrets');
});

describe('an id that comes again is that of another call', () => {
  const line = (payload: object): string =>
    JSON.stringify({ timestamp: '2026-11-20T10:00:00.000Z', type: 'response_item', payload });
  const call = (path: string): string =>
    line({ type: 'function_call', name: 'read', call_id: 'call_0', arguments: JSON.stringify({ path }) });
  const gave = (output: string): string => line({ type: 'function_call_output', call_id: 'call_0', output });

  test('what it gives is kept where it is about another file', () => {
    const lines = [
      JSON.stringify({ timestamp: '2026-11-20T10:00:00.000Z', type: 'session_meta', payload: { id: 's', cwd: '/p' } }),
      ...[call('.env'), gave(VALUE), call('README.md'), gave(OTHER)],
    ];
    for (const kept of keptInAnyParts(codex, lines)) {
      expect(kept).not.toContain(VALUE);
      expect(kept).toContain(OTHER);
      expect(kept).toContain('README.md');
    }
  });
});

describe('keeps streamed records without text that would reveal a key in pieces', () => {
  const KEY = ['ghp', 'Q9fK2mQ7xLp4Vt8Rz3Ws6Yb1Nc5Hd0JgTaE4'].join('_');
  const rpc = (message: object): string => JSON.stringify({ jsonrpc: '2.0', ...message });
  const update = (fields: object): string =>
    rpc({ method: 'session/update', params: { sessionId: 's', update: fields } });
  const shows = (status: string, text: string): string => {
    const content = [{ type: 'content', content: { type: 'text', text } }];
    return update({ sessionUpdate: 'tool_call_update', toolCallId: 'c', status, content, rawOutput: { text } });
  };
  const pieces = [KEY.slice(0, 14), KEY.slice(14, 27), KEY.slice(27)];

  test('over the Agent Client Protocol', () => {
    const lines = [
      rpc({ id: 0, method: 'initialize', params: { protocolVersion: 1 } }),
      rpc({ id: 1, method: 'session/new', params: { cwd: '/p' } }),
      rpc({ id: 1, result: { sessionId: 's' } }),
      rpc({ id: 2, method: 'session/prompt', params: { sessionId: 's', prompt: [{ type: 'text', text: 'Look.' }] } }),
      ...pieces.map((text) => update({ sessionUpdate: 'user_message_chunk', content: { type: 'text', text } })),
      update({
        sessionUpdate: 'tool_call',
        toolCallId: 'c',
        kind: 'execute',
        status: 'pending',
        rawInput: { command: 'x' },
      }),
      ...pieces.map((_piece, index) => shows('in_progress', `all is ${pieces.slice(0, index + 1).join('')}`)),
      shows('completed', `all is ${KEY}`),
    ];
    const kept = JSON.stringify(replay(lines, [], false, acp).bodies.map((body) => redacted(body)));
    for (const piece of pieces) expect(kept).not.toContain(piece);
    // The earlier records are kept, and what an update is of.
    expect(kept.match(/all is /g)?.length).toBeGreaterThanOrEqual(6);
    expect(kept).toContain('"type":"content"');
    expect(kept).not.toContain('…');
  });

  test('leaves out the pieces of Codex, which reports the whole text as well', () => {
    const record = (type: string, payload: object): string =>
      JSON.stringify({ timestamp: '2026-11-20T10:00:00.000Z', type, payload });
    const lines = [
      record('session_meta', { id: 's', cwd: '/p' }),
      record('event_msg', { type: 'user_message', message: 'Look.' }),
      ...pieces.map((delta) => record('event_msg', { type: 'agent_message_delta', delta })),
      record('event_msg', { type: 'agent_message', message: `It is ${KEY}.` }),
    ];
    const kept = JSON.stringify(replay(lines, [], false, codex).bodies.map((body) => redacted(body)));
    for (const piece of pieces) expect(kept).not.toContain(piece);
    expect(kept.match(/bytes, a piece of what is told whole/g)).toHaveLength(3);
  });

  const redacted = (body: object): JsonValue =>
    redactValue(body as unknown as JsonValue, { grows }, () => '00000000').value;
});

test('a call whose id looks like a key is known again in what comes later', () => {
  const id = 'toolu_01A9kQ3vXz7LmN4pR8sTwYbC';
  const { repository } = makeProject();
  const line = (uuid: string, parentUuid: string | null, more: object): string =>
    JSON.stringify({ uuid, parentUuid, sessionId: 's', cwd: '/p', timestamp: '2026-11-20T10:00:00.000Z', ...more });
  const content = [{ type: 'tool_use', id, name: 'Read', input: { file_path: '/p/.env' } }];
  const first = [
    line('u1', null, { type: 'user', message: { role: 'user', content: 'Look' } }),
    line('u2', 'u1', { type: 'assistant', message: { id: 'm1', role: 'assistant', content } }),
  ];
  const later = line('u3', 'u2', { type: 'progress', toolUseID: id, data: { tool_use_id: id, content: VALUE } });
  const file = join(repository.project, 's.jsonl');
  for (const lines of [first, [...first, later]]) {
    writeFileSync(file, lines.map((each) => `${each}\n`).join(''));
    ingestTranscript(repository, file, {});
  }
  const { session } = activeSession(repository) as ActiveSession;
  expect(JSON.stringify(session.sources)).toContain(id);
  const told = execFileSync('git', ['--git-dir', repository.layout.root, 'log', '-p', '--all'], { encoding: 'utf8' });
  expect(told).not.toContain(VALUE);
});
