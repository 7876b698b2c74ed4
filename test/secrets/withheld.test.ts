/** Tool calls about files that are known to hold secrets lose what they tell of their contents, and nothing else does. */
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/core/json.ts';
import { withoutSecretFiles } from '../../src/secrets/withheld.ts';
import { withheldText } from '../../src/secrets/withheld-marker.ts';

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

  describe('and others', () => {
    const patch = (value: string): string =>
      `*** Begin Patch\n*** Add File: .env\n${value}\n*** Update File: src/a.ts\n@@\n-old\n+new\n*** End Patch`;
    const heredoc = (value: string): string => `apply_patch <<'EOF'\n${patch(value)}\nEOF\n`;
    const added = `+${VALUE}`;
    const withheld = withheldText(added.length);
    test.each<[string, (value: string) => JsonValue]>([
      ['a patch', (value) => patch(value)],
      ['a patch at a key', (value) => ({ input: patch(value), workdir: '/p' })],
      ['a command', (value) => ({ cmd: heredoc(value) })],
      ['words of a command', (value) => ({ command: ['bash', '-lc', heredoc(value)] })],
    ])('%s keeps what it says of those, and what it gave', (_name, input) => {
      const given = { output: 'Success. Updated the following files:\nA .env\nM src/a.ts' };
      expect(withoutSecretFiles(call(input(added), given))).toEqual(call(input(withheld), given));
    });

    test('a moved file, and the last one of a patch', () => {
      const moved = (value: string): string =>
        `*** Begin Patch\n*** Update File: a\n*** Move to: .env\n@@\n${value}\n*** End Patch`;
      expect(withoutSecretFiles(call(moved(added)))).toEqual(
        call(moved('').replace('@@\n\n', `${withheldText(`@@\n${added}`.length)}\n`)),
      );
    });

    test('a list of files keeps the others, and the words beside it; what it gave is withheld', () => {
      const input = (value: string): JsonValue => ({
        message: 'Add the client',
        files: [
          { path: '.env.production', content: value },
          { path: 'src/a.ts', content: 'const a = 1;' },
        ],
      });
      expect(withoutSecretFiles(call(input(VALUE), { output: VALUE }))).toEqual(call(input(gone), { output: gone }));
    });

    test('a difference that a patch gave', () => {
      const diff = `--- a/.env\n+++ b/.env\n@@ -0,0 +1 @@\n+${VALUE}\n--- a/b.ts\n+++ b/b.ts\n@@ -1 +1 @@\n-x\n+y\n`;
      const told = JSON.stringify(withoutSecretFiles(call(patch(added), { output: diff })));
      expect(told).not.toContain(VALUE);
      expect(told).toContain('+y');
    });
  });

  test('what looks like a path and has lines is a content', () => {
    expect(JSON.stringify(withoutSecretFiles(call({ path: '.env', file: `${VALUE}\n` })))).not.toContain(VALUE);
  });
});

test('what a call is and belongs to stays', () => {
  const own = {
    toolName: 'Read',
    displayName: 'ReadFile',
    callProviderMetadata: { openai: { itemId: 'fc_1' }, google: { thoughtSignature: `${VALUE}\n` } },
    output: { mode: 'content', mimeType: 'text/plain', numLines: 1 },
  };
  const read = call({ file_path: '.env' }, own);
  expect(withoutSecretFiles(read)).toBe(read);
  expect(
    withoutSecretFiles({ name: 'read', args: { path: '.env' }, tool_call_id: 'c', tool_use_id: 'd', text: VALUE }),
  ).toEqual({ name: 'read', args: { path: '.env' }, tool_call_id: 'c', tool_use_id: 'd', text: gone });
});

test('anything else stays the same object', () => {
  for (const value of [
    call({ file_path: '/p/src/a.ts', content: VALUE }),
    call({ command: 'cat .env' }, { output: VALUE }),
    call({ file_path: '/p/.env.example', content: VALUE }),
    call({ file_path: 'tsconfig.json', content: '{"include":["src","**/.env"],"file":".env"}' }),
    call({ file_path: 'patches.md', content: `Like so:\n  *** Update File: .env\n+${VALUE}` }),
    call({ prompt: `Answer with\n*** Update File: .env\n+${VALUE}`, description: 'a task' }),
    call({ input: `*** Begin Patch\n*** Update File: a.md\n@@\n *** Add File: .env\n+${VALUE}\n*** End Patch` }),
    call({ query: 'how to keep keys' }, { output: `config/.env:1:${VALUE}` }),
    call({ pattern: 'ok', glob: '!**/.env' }, { output: 'src/a.ts:1:ok' }),
    call({ pattern: 'ok', glob: '.env*' }, { output: 'No matches' }),
    { type: 'text', text: 'see .env', path: '.env' },
    { path: '/api/v1/credentials', method: 'GET', response: VALUE },
    { path: '/credentials', method: 'GET', response: VALUE },
    { path: '/.env', status: 404, response: VALUE },
    { uri: 'https://example.net/v2/credentials', response: VALUE },
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

describe('a text that says what a tool took, and the next one, what it gave', () => {
  const took = (file: string): string => `Called the Read tool with the following input: {"filePath":"${file}"}`;
  const about = (text: string): string => `<system-reminder>\n${text}\n</system-reminder>`;
  test.each<[string, string, string]>([
    ['opencode', took('/p/.env'), `<file>\n00001| ${VALUE}\n</file>`],
    ['opencode, later', took('/p/.env'), `<path>/p/x</path>\n<type>file</type>\n<content>\n1: ${VALUE}\n</content>`],
    ['Claude Code', about(took('.env')), about(`Result of calling the Read tool: "${VALUE}"`)],
  ])('%s', (_name, call, given) => {
    for (const holding of [
      (text: string): JsonValue => ({ type: 'text', synthetic: true, text }),
      (content: string): JsonValue => ({ role: 'user', content }),
      (text: string): JsonValue => text,
    ]) {
      const parts = (text: string): JsonValue => ({ parts: ['@.env', call, text, VALUE].map(holding) });
      const kept = parts(withheldText(Buffer.byteLength(given)));
      expect(withoutSecretFiles(parts(given))).toEqual(kept);
      expect(withoutSecretFiles(kept)).toBe(kept);
    }
  });

  test.each([
    ['of another file', took('a.ts'), `<file>\n00001| ${VALUE}\n</file>`],
    ['that a user has written', took('.env'), VALUE],
    ['that is told once more', `${took('.env')}\n${took('a.ts')}`, `<file>\n00001| ${VALUE}\n</file>`],
  ])('%s stays', (_name, call, given) => {
    const parts = [call, given].map((text) => ({ type: 'text', text }));
    expect(withoutSecretFiles(parts)).toBe(parts);
  });
});

describe('a search that names no file', () => {
  test.each<[string, string[], string[]]>([
    ['with numbers', ['src/a.ts:1:A=1', `.env:1:${VALUE}`, '--'], ['src/a.ts:1:A=1', `.env:1:${gone}`, '--']],
    ['lines around', [`/p/my-2-app/.env-3-${VALUE}`, 'a.ts-3-b'], [`/p/my-2-app/.env-3-${gone}`, 'a.ts-3-b']],
    ['without numbers', [`.env:${VALUE}`, 'credentials: three'], [`.env:${gone}`, 'credentials: three']],
    ['of Windows', [`C:\\p\\.env:12:${VALUE}`, 'C:\\p\\a.ts:1:x'], [`C:\\p\\.env:12:${gone}`, 'C:\\p\\a.ts:1:x']],
    [
      'below its path',
      ['Found 2 matches', '/p/.env:', `  Line 3: ${VALUE}`, '', '/p/a.ts:', `  Line 1: ${VALUE}`],
      ['Found 2 matches', '/p/.env:', `  Line 3: ${gone}`, '', '/p/a.ts:', `  Line 1: ${VALUE}`],
    ],
    [
      'below its path, in another way',
      ['---', 'File: .env', `L3: ${VALUE}`, `L4- ${VALUE}`, '---', 'File: a.ts', `L1: ${VALUE}`, '---'],
      ['---', 'File: .env', `L3: ${gone}`, `L4- ${gone}`, '---', 'File: a.ts', `L1: ${VALUE}`, '---'],
    ],
    [
      'in a folder with a blank in its name',
      ['/my own/.env:', `  Line 3: ${VALUE}`, '', `/my own/.env:3:${VALUE}`],
      ['/my own/.env:', `  Line 3: ${gone}`, '', `/my own/.env:3:${gone}`],
    ],
    [
      'whole files',
      ['--- /p/.env ---', '', VALUE, '', VALUE, '--- /p/a.ts ---', '', VALUE, '--- End of content ---'],
      ['--- /p/.env ---', '', gone, '', gone, '--- /p/a.ts ---', '', VALUE, '--- End of content ---'],
    ],
    [
      'a sentence',
      ['Add it to your .env:', VALUE, 'as in .env: three'],
      ['Add it to your .env:', VALUE, 'as in .env: three'],
    ],
    [
      'what looks like paths above lines without numbers',
      ['deploy:', ' image: x', 'credentials:', ' user: bob', '.env:', 'three', 'Line 3: four'],
      ['deploy:', ' image: x', 'credentials:', ' user: bob', '.env:', 'three', 'Line 3: four'],
    ],
    [
      'a line with nothing in it',
      ['File: .env', 'L3:', `L4: ${VALUE}`, `12- ${VALUE}`],
      ['File: .env', 'L3:', `L4: ${gone}`, `12- ${gone}`],
    ],
    [
      'a path that begins a sentence',
      ['config/.env: put it in the root', `conf/.yarnrc.yml:  ${VALUE}`],
      ['config/.env: put it in the root', `conf/.yarnrc.yml:${withheldText(VALUE.length + 2)}`],
    ],
    ['names alone', ['/p/.env', '/p/a.ts'], ['/p/.env', '/p/a.ts']],
  ])('%s', (_name, found, kept) => {
    const told = (lines: string[]): JsonValue => {
      const text = lines.join('\n');
      return call({ pattern: 'A' }, { output: [{ type: 'text', text }], result: { content: text } });
    };
    expect(withoutSecretFiles(told(found))).toEqual(told(kept));
    expect(withoutSecretFiles(told(kept))).toEqual(told(kept));
  });

  test.each([
    { pattern: 'A', glob: '{.env,*.ts}' },
    { query: 'A', isRegexp: true },
    { query: 'A', path: '/p' },
    { regex: 'A' },
  ])('%j', (input) => {
    const found = (line: string): JsonValue => call(input, { output: `.env:1:${line}\na.ts:1:A` });
    expect(withoutSecretFiles(found(VALUE))).toEqual(found(gone));
  });

  test('withholds its output as an object, and a result that is separate from its call', () => {
    const hit = { path: '.env', line: 1, text: VALUE };
    expect(withoutSecretFiles(call({ query: 'A' }, { output: [hit] }))).toEqual(
      call({ query: 'A' }, { output: [{ ...hit, text: gone }] }),
    );
    const many = (text: string): JsonValue => call({ include: ['**/*'] }, { output: text });
    expect(withoutSecretFiles(many(`--- .env ---\n\n${VALUE}`))).toEqual(many(`--- .env ---\n\n${gone}`));
    const apart = (line: string): JsonValue => ({
      functionResponse: { name: 'grep_search', response: { output: line } },
    });
    expect(withoutSecretFiles(apart(`.env:1:${VALUE}`))).toEqual(apart(`.env:1:${gone}`));
  });

  test('what a shell prints is a text like any other', () => {
    const value = call({ command: 'grep -r A' }, { output: `.env:1:${VALUE}` });
    expect(withoutSecretFiles(value)).toBe(value);
  });
});

test('a patch of such a file is withheld in the record of its command, and no other command is', () => {
  const patch = `apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: .env\n+A=${VALUE}\n*** End Patch\nEOF`;
  const record = { kind: 'command', exit_code: 0, command: patch };
  expect(JSON.stringify(withoutSecretFiles(record))).not.toContain(VALUE);
  expect(withoutSecretFiles(record)).toMatchObject({ kind: 'command', exit_code: 0 });
  for (const command of ['cat .env', patch.replace('.env', 'src/a.ts')]) {
    const other = { kind: 'command', exit_code: 0, command };
    expect(withoutSecretFiles(other)).toBe(other);
  }
});

describe('a patch of such a file and another', () => {
  const input = '*** Begin Patch\n*** Update File: .env\n@@\n+x\n*** Update File: a.ts\n@@\n+y\n*** End Patch';
  const call = { type: 'dynamic-tool', toolName: 'apply_patch', toolCallId: 'c', input };

  test('that fails keeps that it failed, and not what it quotes', () => {
    const told = { ...call, state: 'output-error', errorText: 'apply_patch: failed to find in .env:\nA=walrus' };
    const kept = withoutSecretFiles(told);
    expect(kept).toMatchObject({
      state: 'output-error',
      errorText: expect.stringMatching(/^apply_patch: \[withheld: /),
    });
    expect(JSON.stringify(kept)).not.toContain('walrus');
  });

  test.each([
    'Success. Updated the following files:\nM .env\nM src/error.ts\nM src/other.ts',
    'Done\n--- a.ts\nan error',
  ])('that succeeds keeps what it says: %j', (output) =>
    expect(withoutSecretFiles({ ...call, state: 'output-available', output })).toMatchObject({ output }),
  );
});
