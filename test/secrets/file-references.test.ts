// Tests which files a tool took, by its input.
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/core/json.ts';
import { isSecretPath, secretFileIn } from '../../src/secrets/file-references.ts';

const patch = (file: string, margin = ''): string =>
  ['*** Begin Patch', `*** Update File: ${file}`, '@@', '+a', '*** End Patch'].map((line) => margin + line).join('\n');

describe('a file that is known to hold secrets', () => {
  test.each<[string, JsonValue]>([
    ['a path', { file_path: '/p/.env' }],
    ['a list of paths', { paths: ['a.ts', '.env'] }],
    ['an object in a list', { edits: [{ path: '.env' }] }],
    ['JSON in a text', '{"path":".env"}'],
    ['JSON at the key of what was taken', { arguments: '{"path":".env"}' }],
    ['a patch', patch('.env')],
    ['a patch at its key', { patchText: patch('.env') }],
    ['a patch further in', { input: patch('.env', '  ') }],
    ['a patch in a command', { command: ['bash', '-lc', `cd /p && apply_patch <<'EOF'\n${patch('.env')}\nEOF`] }],
    ['a patch as a command', { command: ['apply_patch', patch('.env')] }],
    ['an address', { uri: 'file:///p/.env#L1' }],
    ['an address with escapes', { uri: 'file:///p/%2Eenv' }],
    ...[
      'filepath',
      'AbsolutePath',
      'TargetFile',
      'src',
      'source',
      'destination',
      'full_path',
      'fileUri',
      'location',
      'from',
    ].map((key): [string, JsonValue] => [`a path at ${key}`, { [key]: '/p/.env' }]),
    ['a list of files', { files: ['a.ts', '/p/.env'] }],
    ['options further in', { args: { opts: { location: '/p/.env' } } }],
    ...[
      '/p/.env ',
      '/p/.env\n',
      '/p/.env:12',
      '/p/.env:12:3',
      '/p/.env#L1',
      '/p/.env#L1-L9',
      '/p/.env:L10',
      '/p/.env#L3C1-L5C2',
      '/p/.env?line=3',
      '"/p/.env"',
      'vscode://file/p/.env:3:1',
      '@/p/.env',
      '/p/%2Eenv',
    ].map((path): [string, JsonValue] => [`a path as it may be written: ${JSON.stringify(path)}`, { file_path: path }]),
  ])('%s', (_name, taken) => expect(secretFileIn(taken)).toMatch(/(?:\.|%2E)env/));

  test.each<[string, JsonValue]>([
    ['a pattern of files', { pattern: 'a', glob: '**/.env', include: ['*.env'] }],
    ['JSON that is written', { path: 'a.json', content: '{"path":".env"}' }],
    ['a patch that is written', { path: 'a.md', content: patch('.env') }],
    ['a patch that is asked for', { prompt: patch('.env') }],
    ['a command that writes one', { command: `cat > a.md <<'EOF'\n\n${patch('.env')}\nEOF` }],
    ['a line of a patch', { input: `${patch('a.md')}\n *** Update File: .env` }],
    ['a request', { method: 'POST', path: '/x/.env' }],
    ['a text at such a key that is no path', { source: 'read .env and print it', to: 'the team', document: 'x\n.env' }],
    ['a word at a key that means many things', { target: 'credentials', source: 'id_token', resource: 'order.key' }],
    ['a name alone at the key of no tool', { file_path: '/p/a.ts:12' }],
  ])('%s names none', (_name, taken) => expect(secretFileIn(taken)).toBeUndefined());
});

test.each([
  ['credentials', true],
  ['config/credentials', true],
  ['/home/me/.aws/credentials', true],
  ['/p/api/credentials', true],
  ['/api/v1/credentials', false],
  ['/v1/credentials', false],
  ['/api/.env', true],
  ['https://example.net/credentials?a=.b', false],
  ['https://example.net/.env', true],
])('%s: %s', (path, is) => expect(isSecretPath(path)).toBe(is));

test.each(['id_rsa', 'credentials.json', 'server.key', '.netrc', 'terraform.tfvars', 'prod.env'])(
  '%s alone is a file under a key for files only, and under another key if it looks like a file',
  (file) => {
    for (const key of ['filepath', 'keyfile', 'inputfile', 'env_file'])
      expect(secretFileIn({ [key]: file })).toBe(file);
    const isAmbiguous = /[.](?:key|env)$/.test(file);
    expect(secretFileIn({ source: file })).toBe(isAmbiguous ? undefined : file);
  },
);
