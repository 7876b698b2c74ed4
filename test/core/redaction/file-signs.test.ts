// Whether a file that is known to hold secrets may be named in a text.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../src/core/json.ts';
import { mayNameSecretFile } from '../../../src/core/redaction/file-signs.ts';
import { isSecretFile, SECRET_FILES } from '../../../src/core/redaction/files.ts';
import { withoutSecretFiles } from '../../../src/core/redaction/withheld.ts';

const { names, folders, patterns } = SECRET_FILES;
const PATHS = [
  ...names.split(' ').filter((name) => isSecretFile(name)),
  ...Object.entries(folders).flatMap(([name, of]) =>
    of.flatMap((folder) => [`${folder}/${name}`, `C:\\u\\${folder}\\${name}`]),
  ),
  ...['.ssh/anything', '/proc/1/environ', '/run/secrets/db', '/var/run/secrets/kubernetes.io/token'],
];

/** The same without what it looks ahead for, which nothing can be made from. */
const plain = (pattern: RegExp): RegExp => new RegExp(pattern.source.replace(/\(\?!\(\?:[^()]*\)[^()]*\)/g, ''));

describe('a file that is known to hold secrets is seen', () => {
  test.each(PATHS)('%j', (path) => {
    expect(isSecretFile(path)).toBe(true);
    for (const written of [path, path.toUpperCase(), `"@${path}:12"`, `${path}.bak`])
      expect(mayNameSecretFile(JSON.stringify({ text: `see\n${written}\tthere` }))).toBe(true);
    expect(mayNameSecretFile(JSON.stringify(JSON.stringify(JSON.stringify({ path }))))).toBe(true);
  });

  test.each(patterns.map((pattern) => [pattern.source, pattern] as const))('whatever %s takes', (_, pattern) => {
    let some = 0;
    fc.assert(
      fc.property(fc.stringMatching(plain(pattern), { size: 'xsmall' }), (name) => {
        if (!isSecretFile(name)) return;
        some += 1;
        expect(mayNameSecretFile(JSON.stringify({ name }))).toBe(true);
      }),
      { seed: 3, numRuns: 300 },
    );
    expect(some).toBeGreaterThan(20);
  });

  test('where its letters are written as addresses or as JSON have them', () => {
    expect(mayNameSecretFile('/app/%2eenv')).toBe(true);
    expect(mayNameSecretFile(String.raw`{"args":"{\"path\":\"\u002e\u0065nv\"}"}`)).toBe(true);
  });
});

test.each(['src/core/redaction/files.ts', 'package.json', '{"command":"ls -la","pattern":"TODO"}', '100 % done', ''])(
  'nothing of the kind is seen in %j',
  (text) => {
    expect(mayNameSecretFile(text)).toBe(false);
  },
);

test('a value is gone through where its JSON may name one, and no other is', () => {
  const told: JsonValue = { type: 'dynamic-tool', input: { file_path: '.env' }, output: 'A=Kq7mZ2pL' };
  const shown = withoutSecretFiles(told);
  expect(JSON.stringify(shown)).toContain('withheld');
  expect(withoutSecretFiles(told, JSON.stringify(told))).toEqual(shown);
  expect(withoutSecretFiles(told, '{"of":"another"}')).toBe(told);
});
