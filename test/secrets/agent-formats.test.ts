/** Tests that tools' results about files that are known to hold secrets lose their texts in forms of the agent's own, and nothing else does. */
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/core/json.ts';
import { withoutSecretFiles } from '../../src/secrets/withheld.ts';
import { withheldText } from '../../src/secrets/withheld-marker.ts';

const VALUE = 'colour is walrus';
const gone = withheldText(VALUE.length);
const TOLD = `@@ -0,0 +1 @@\n+${VALUE}\n`;
const GONE = withheldText(TOLD.length);
const OTHER = { path: 'src/a.ts', content: VALUE };
const inCall = (args: JsonValue): JsonValue => ({ type: 'dynamic-tool', toolName: 'T', toolCallId: 'c', input: args });

describe('a line that is kept as it is', () => {
  /** Lets the agent's form show the text of the file. */
  test.each<[string, (told: string) => JsonValue]>([
    [
      'Codex: changes by path',
      (content) => ({
        changes: { '/p/src/.env': { type: 'add', content }, '/p/a.ts': { type: 'add', content: VALUE } },
      }),
    ],
    ['Codex: a list of changes', (diff) => ({ changes: [{ path: '.env', kind: 'add', diff }, OTHER] })],
    [
      'Codex: a file that becomes one',
      (unified_diff) => ({ changes: { '/p/a': { type: 'update', unified_diff, move_path: '/p/.env' } } }),
    ],
    [
      'Codex: what a turn has changed',
      (told) => ({
        type: 'turn_diff',
        unified_diff:
          `diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-${VALUE}\n` +
          `diff --git a/.env b/.env\nnew file\n--- /dev/null\n+++ b/.env\n${told === VALUE ? TOLD : GONE}`,
      }),
    ],
    ['a selection at the key of a difference', (told) => ({ diff: `<file path=".env">${told}</file>` })],
    [
      'opencode: what a patch has changed',
      (told) => ({
        diff:
          `Index: /p/a.ts\n===\n--- /p/a.ts\n+++ /p/a.ts\n@@ -1 +1 @@\n-${VALUE}\n` +
          `Index: /p/.env\n===\n--- /p/.env\n+++ /p/.env\n${told === VALUE ? TOLD : GONE}`,
      }),
    ],
    [
      'Codex: calls and what they gave',
      (output) => ({
        replacement_history: [
          { type: 'function_call', name: 'read_file', arguments: '{"file_path":"/p/.env"}', call_id: 'call_1' },
          { type: 'function_call', name: 'read_file', arguments: '{"file_path":"/p/a.ts"}', call_id: 'call_2' },
          { type: 'function_call_output', call_id: 'call_1', output },
          { type: 'function_call_output', call_id: 'call_2', output: VALUE },
        ],
      }),
    ],
    [
      'Codex: a call over MCP',
      (text) => ({
        ...{ type: 'mcp_tool_call_end', call_id: 'call_1' },
        invocation: { server: 'fs', tool: 'read_file', arguments: { path: '.env' } },
        result: { Ok: { content: [{ type: 'text', text }] } },
      }),
    ],
    [
      'MCP: several files',
      (text) => ({ id: 'x', arguments: { paths: ['a.ts', '.env'] }, result: [{ type: 'text', text }] }),
    ],
    ['Copilot: a call', (file_text) => ({ toolName: 'create', arguments: { path: '/p/.env', file_text } })],
    [
      'Copilot: a call as a text, beside another',
      (file_text) => ({
        input: {
          ...{ sessionId: 's', cwd: '/p' },
          toolCalls: [
            { id: '1', name: 'create', args: JSON.stringify({ path: '/p/.env', file_text }) },
            { id: '2', name: 'create', args: '{"path": "/p/a.ts", "file_text": "x"}' },
          ],
        },
      }),
    ],
    [
      'Copilot: a call and its result',
      (text) => ({
        hookType: 'postToolUse',
        input: { toolName: 'create', toolArgs: { path: '.env', text }, toolResult: { resultType: 'ok', log: text } },
      }),
    ],
    [
      'ACP: a permission, in a text',
      (content) => ({
        dir: 'agent->client',
        raw: JSON.stringify({
          jsonrpc: '2.0',
          params: {
            toolCall: { locations: [{ path: '/p/.env' }], rawInput: { content } },
            options: [{ name: 'Allow it' }],
          },
        }),
      }),
    ],
    ['ACP: a request to write', (content) => ({ params: { sessionId: 's', path: '/p/.env', content } })],
    [
      'ACP: an answer with the path beside it',
      (content) => ({ jsonrpc: '2.0', id: 3, result: { content }, path: '.env' }),
    ],
    ['ACP: a resource', (text) => ({ type: 'resource', resource: { uri: 'file:///p/.env', text } })],
    ['ACP: an address with a line', (text) => ({ resource: { uri: 'file:///p/.env#L10', text } })],
    [
      'Claude Code: an attachment and what was made of it',
      (content) => ({
        ...{ parentUuid: 'u', type: 'attachment', attachment: { type: 'file', filename: '/p/.env', content } },
        ...{ rendered: [{ content }], renderedRole: 'user', cwd: '/p', version: '2.1.330', gitBranch: 'main' },
      }),
    ],
    [
      'opencode: what a turn has changed',
      (text) => ({ info: { summary: { diffs: [{ file: '.env', before: text, after: text, additions: 1 }] } } }),
    ],
    ['a patch', (told) => ({ toolName: 'patch', input: `*** Update File: a\n*** Move to: .env\n+x`, output: told })],
    [
      'a search, and what it found',
      (told) => ({ arguments: '{"pattern": "A", "glob": "*.env"}', output: `a.ts:1:x\n.env:1:${told}` }),
    ],
    ['JSON that is a content', (content) => ({ path: 'credentials.json', content })],
  ])('%s', (name, line) => {
    const raw = (told: string): JsonValue => ({ kind: 'raw', agent: 'x', data: line(told) });
    const kept = withoutSecretFiles(raw(VALUE));
    // The patch itself is redacted as well.
    if (name === 'a patch') expect(kept).toMatchObject({ data: { output: gone } });
    else expect(kept).toEqual(raw(gone));
    expect(withoutSecretFiles(kept)).toBe(kept);
  });

  test.each<[string, (told: string) => string]>([
    [
      'numbers and blanks',
      (told) => `{ "path" : ".env",\n "size": 12345678901234567890, "ratio": 1.10, "text": "${told}" }`,
    ],
    ['escapes', (told) => `{"path":"\\/p\\/.env","note_id":"\\u0041","text":"${told}","a":[1e3,"${told}"]}`],
  ])('JSON in a text keeps its %s', (_name, written) => {
    expect(withoutSecretFiles({ data: { raw: written(VALUE) } })).toEqual({ data: { raw: written(gone) } });
  });

  test.each<[string, JsonValue]>([
    [`{"2":"b","1":"abcd","path":".env","text":"${VALUE}"}`, { 1: withheldText(4), 2: withheldText(1), text: gone }],
    [`{"path":".env","text":"a","text":"${VALUE}"}`, { text: gone }],
  ])('%s loses its texts as well', (raw, kept) => {
    const { data } = withoutSecretFiles({ data: { raw } }) as { data: { raw: string } };
    expect(JSON.parse(data.raw)).toEqual({ path: '.env', ...(kept as object) });
  });

  test('what is the content of such a file keeps no key, though it is JSON', () => {
    const line = { params: { path: 'credentials.json', content: `{"name": "${VALUE}"}` } };
    expect(JSON.stringify(withoutSecretFiles({ data: line }))).not.toContain(VALUE);
  });

  test.each<[string, JsonValue]>([
    ['another file', { changes: { '/p/a.ts': { content: VALUE } }, call: OTHER, locations: [{ path: '/p/a.ts' }] }],
    ['a text that speaks of one', { text: `see .env: ${VALUE}`, prompt: `{"note": ".env", "text": "${VALUE}"}` }],
    ['keys that are words', { credentials: VALUE, id_token: VALUE, shadow: VALUE }],
    ['a request', { method: 'GET', path: '/api/credentials', body: VALUE }],
    ['a file that speaks of one', { input: { path: 'a.json', content: `{"path": ".env", "text": "${VALUE}"}` } }],
    ['a search without one', { input: { pattern: 'a', glob: '!.env' }, output: `a.ts:1:${VALUE}` }],
    ['a command', { command: 'cat .env', aggregated_output: VALUE }],
    ['a file without its content', { path: '.env', type: 'read', bytes: 3, id: 'x' }],
    ['JSON with blanks', { raw: `{ "path" : "a.ts", "content" : "${VALUE}" }` }],
    ['JSON cut off', { raw: `{"path": ".env", "conte` }],
  ])('%s stays the same', (_name, data) => {
    const record = { kind: 'raw', data };
    expect(withoutSecretFiles(record)).toBe(record);
  });
});

describe('a call without the path among what it took', () => {
  test.each<[string, JsonValue, JsonValue]>([
    [
      'told by its places',
      { locations: [{ path: '/p/.env' }], output: [{ text: VALUE }] },
      { locations: [{ path: '/p/.env' }], output: [{ text: gone }] },
    ],
    [
      'told by a difference',
      { output: [{ type: 'diff', path: '.env', oldText: VALUE, newText: VALUE }, OTHER] },
      { output: [{ type: 'diff', path: '.env', oldText: gone, newText: gone }, OTHER] },
    ],
  ])('%s', (_name, told, kept) => {
    expect(withoutSecretFiles({ ...(inCall(null) as object), ...(told as object) })).toEqual({
      ...(inCall(null) as object),
      ...(kept as object),
    });
  });
});
