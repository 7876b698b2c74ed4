// Deeds of the Agent Client Protocol: a call and the request that carried it out are one, and what tells of another is another.
import { expect, test } from 'vitest';
import { acp } from '../../src/agents/acp/index.ts';
import { did } from './support/conformance.ts';
import { replay } from './support/replay.ts';

const rpc = (message: object): string => JSON.stringify({ jsonrpc: '2.0', ...message });
const update = (told: object): string => rpc({ method: 'session/update', params: { sessionId: 's', update: told } });
const call = (toolCallId: string, { kind, ...told }: { kind: string; [key: string]: unknown }): string[] => [
  update({ sessionUpdate: 'tool_call', toolCallId, kind, status: 'pending' }),
  update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed', ...told }),
];
const edited = (id: string, ...changes: [string | null, string][]): string[] => {
  const content = changes.map(([oldText, newText]) => ({ type: 'diff', path: '/p/c.ts', oldText, newText }));
  return call(id, { kind: 'edit', content });
};
const touched = (id: string): string[] => call(id, { kind: 'edit', locations: [{ path: '/p/c.ts' }] });
const ran = (id: string, rawOutput: object): string[] => [
  update({ sessionUpdate: 'tool_call', toolCallId: id, kind: 'execute', rawInput: { command: 'make' } }),
  update({ sessionUpdate: 'tool_call_update', toolCallId: id, status: 'completed', rawOutput }),
];

let requests = 10;
const asks = (method: string, params: object, result: object | null): string[] => {
  requests += 1;
  const id = requests;
  return [rpc({ id, method, params: { sessionId: 's', ...params } }), rpc({ id, result })];
};
const writes = (content: string): string[] => asks('fs/write_text_file', { path: '/p/c.ts', content }, null);
const makes = (exitCode: number): string[] => [
  ...asks('terminal/create', { command: 'make' }, { terminalId: `t${requests}` }),
  ...asks('terminal/wait_for_exit', { terminalId: `t${requests - 1}` }, { exitCode }),
  ...asks('terminal/release', { terminalId: `t${requests - 2}` }, null),
];

const LONG = 'const cache = new Map();\n'.repeat(200);
const written = (characters: number): string => `write /p/c.ts, ${characters} characters`;

const turn = (lines: string[]): string[] => [
  ...asks('session/new', { cwd: '/p' }, { sessionId: 's' }),
  rpc({ id: 1, method: 'session/prompt', params: { sessionId: 's', prompt: [{ type: 'text', text: 'Do it.' }] } }),
  ...lines,
  rpc({ id: 1, result: { stopReason: 'end_turn' } }),
];

test.each<[string, string[], string[]]>([
  ['of what a request has written', [...writes('v1'), ...edited('a', [null, 'v1'])], [written(2)]],
  ['of a part of it', [...writes('let v1;'), ...edited('a', ['v0', 'v1'])], [written(7)]],
  ['of a part of much', [...writes(LONG), ...edited('a', ['x', 'const'])], ['write /p/c.ts']],
  ['of no content', [...writes('v1'), ...touched('a')], [written(2)]],
  ['of a later content', [...writes('v1'), ...edited('a', ['v1', 'v2.0'])], [written(2), `a: ${written(4)}`]],
  ['of a shorter one', [...writes('v1'), ...edited('a', ['v1', 'v'])], [written(2), `a: ${written(1)}`]],
  ['of a shorter one than much', [...writes(LONG), ...edited('a', [LONG, 'v'])], ['write /p/c.ts', `a: ${written(1)}`]],
  ['of all that is in it now', [...writes('v1'), ...edited('a', [null, 'v'])], [written(2), `a: ${written(1)}`]],
  [
    'of two contents after it',
    [...writes('v1.0'), ...edited('a', ['v1.0', 'v1.0.1']), ...edited('b', ['v1.0.1', 'v2'])],
    [written(4), `a: ${written(6)}`, `b: ${written(2)}`],
  ],
  [
    'of a content after one that is accounted for',
    [...writes('v1'), ...edited('a', ['v0', 'v1']), ...edited('b', ['v1', 'v'])],
    [written(2), `b: ${written(1)}`],
  ],
  [
    'of a part that was changed later',
    [...writes('let v1 = 1;'), ...edited('a', ['v1', 'v2.0.0-alpha']), ...edited('b', ['1', '2'])],
    [written(11), 'a: write /p/c.ts', 'b: write /p/c.ts'],
  ],
  [
    'of the same a second time',
    [...writes('v1'), ...edited('a', [null, 'v1']), ...edited('b', [null, 'v1'])],
    [written(2), `b: ${written(2)}`],
  ],
  [
    'of each of two requests, the later one first',
    [...writes('v1'), ...writes('v20'), ...edited('b', ['v1', 'v20']), ...edited('a', [null, 'v1'])],
    [written(2), written(3)],
  ],
  ['of a command that ran in a terminal', [...makes(1), ...ran('a', { exit_code: 1 })], ['run make → 1']],
  ['of one without its exit code', [...makes(1), ...ran('a', {})], ['run make → 1']],
  ['of another exit code', [...makes(1), ...ran('a', { exit_code: 0 })], ['run make → 1', 'a: run make → 0']],
  [
    'of a command that ran once more',
    [...makes(1), ...ran('a', { exit_code: 1 }), ...ran('b', { exit_code: 1 })],
    ['run make → 1', 'b: run make → 1'],
  ],
])('records what was done once for a call that reports the result %s', (_what, lines, expected) => {
  const all = turn(lines);
  expect(did(replay(all, [], false, acp))).toEqual(expected);
  const each = all.map((_, index) => index).slice(1);
  expect(did(replay(all, each, false, acp))).toEqual(expected);
});

test('reads a call completely if its beginning and its end report the same content', () => {
  const content = (oldText: string | null, newText: string) => [{ type: 'diff', path: '/p/c.ts', oldText, newText }];
  const begun = (toolCallId: string, told: object): string =>
    update({ sessionUpdate: 'tool_call', toolCallId, kind: 'edit', status: 'pending', ...told });
  const lines = [
    begun('a', { status: 'completed', content: content(null, 'v1') }),
    begun('b', { content: content(null, 'v20') }),
    update({ sessionUpdate: 'tool_call_update', toolCallId: 'b', status: 'completed', content: content(null, 'v20') }),
    ...writes('v3'),
    begun('c', { status: 'completed', content: content('v3', 'v4.0') }),
    begun('d', { content: content(null, 'v5') }),
    update({ sessionUpdate: 'tool_call_update', toolCallId: 'd', status: 'completed', content: content(null, 'v') }),
  ];
  expect(did(replay(turn(lines), [], false, acp))).toEqual([
    `a: ${written(2)}`,
    `b: ${written(3)}`,
    written(2),
    `c: ${written(4)}`,
    'd: write /p/c.ts',
  ]);
});
