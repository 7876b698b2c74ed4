/** Tool calls about files that are known to hold secrets lose what they tell of their contents, and nothing else does. */
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../src/core/json.ts';
import { withheldText, withoutSecretFiles } from '../../../src/core/redaction/withheld.ts';

const call = (input: JsonValue, more: object = {}): JsonValue => ({
  type: 'dynamic-tool',
  toolName: 'Tool',
  toolCallId: 'toolu_1',
  state: 'output-available',
  input,
  ...more,
});
const VALUE = 'A=plain1';
const gone = withheldText(VALUE.length);

describe('a call about such a file', () => {
  test.each<[string, JsonValue, JsonValue]>([
    ['Read', { file_path: '/p/.env', limit: 20 }, { file_path: '/p/.env', limit: 20 }],
    ['Write', { file_path: '/p/.env', content: VALUE }, { file_path: '/p/.env', content: gone }],
    [
      'MultiEdit',
      { file_path: '.netrc', edits: [{ old_string: VALUE, new_string: VALUE }] },
      { file_path: '.netrc', edits: [{ old_string: gone, new_string: gone }] },
    ],
    ['Grep', { pattern: VALUE, path: 'id_rsa' }, { pattern: gone, path: 'id_rsa' }],
    ['opencode', { filePath: '/p/server.pem', newString: VALUE }, { filePath: '/p/server.pem', newString: gone }],
    ['pi', { path: '@.env', text: VALUE }, { path: '@.env', text: gone }],
    ['several', { paths: [{ path: 'a.ts' }, { path: '.npmrc' }] }, { paths: [{ path: 'a.ts' }, { path: '.npmrc' }] }],
  ])('%s', (_name, input, kept) => {
    const output = { file: { filePath: '/p/.env', content: VALUE, lines: 1 }, lines: [VALUE] };
    expect(withoutSecretFiles({ message: { parts: [call(input, { output, result: VALUE })] } })).toEqual({
      message: {
        parts: [
          call(kept, {
            output: { file: { filePath: '/p/.env', content: gone, lines: 1 }, lines: [gone] },
            result: gone,
          }),
        ],
      },
    });
  });

  test('a patch of several files is withheld whole', () => {
    const patch = `*** Begin Patch\n*** Update File: src/a.ts\n+x\n*** Add File: .env\n+${VALUE}\n*** End Patch`;
    expect(JSON.stringify(withoutSecretFiles(call({ input: patch })))).not.toContain(VALUE);
  });

  test('what looks like a path and has lines is a content', () => {
    expect(JSON.stringify(withoutSecretFiles(call({ path: '.env', file: `${VALUE}\n` })))).not.toContain(VALUE);
  });
});

test('anything else stays the same object', () => {
  for (const value of [
    call({ file_path: '/p/src/a.ts', content: VALUE }),
    call({ command: 'cat .env' }, { output: VALUE }),
    call({ file_path: '/p/.env.example', content: VALUE }),
    { type: 'text', text: 'see .env', path: '.env' },
    { kind: 'read', path: '.env' },
    [1, 'x', null, { deep: [{ type: 'reasoning', text: '.env' }] }],
  ] as JsonValue[])
    expect(withoutSecretFiles(value)).toBe(value);
});

describe('an attachment of such a file', () => {
  test.each<[string, JsonValue, JsonValue]>([
    ['its content', { filename: '/p/.env', content: VALUE }, { filename: '/p/.env', content: gone }],
    [
      'its content with a name of its own',
      { type: 'file', filename: '.env', content: { type: 'text', file: { filePath: '.env', content: VALUE } } },
      { type: 'file', filename: '.env', content: { type: 'text', file: { filePath: '.env', content: gone } } },
    ],
    ['what was edited', { filename: '.npmrc', snippet: VALUE }, { filename: '.npmrc', snippet: gone }],
    ['its data', { filename: '.env', url: 'data:,ab' }, { filename: '.env', url: gone }],
  ])('%s goes', (_name, attachment, kept) => {
    expect(withoutSecretFiles({ raw: [{ attachment }] })).toEqual({ raw: [{ attachment: kept }] });
    expect(withoutSecretFiles({ raw: [{ attachment: kept }] })).toEqual({ raw: [{ attachment: kept }] });
  });

  test.each<JsonValue>([
    { filename: 'a.ts', content: VALUE },
    { path: '.env', bytes: 3, sha256: 'a' },
    { filename: '.env', url: 'file:///p/.env' },
  ])('%j stays as it is', (value) => {
    expect(withoutSecretFiles(value)).toBe(value);
  });
});
