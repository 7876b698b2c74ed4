// Configs of strangers: whatever Git reads in one, we read as well or refuse; no key gets past us.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { forbiddenEntries, parseConfig } from '../../src/core/config-file.ts';
import { CONFIG, checkFormat } from '../../src/git/config.ts';
import { fc } from '../support/property.ts';
import { temporaryFolder } from '../support/store.ts';
import { harms, runs, spoilt, valueOr } from './fuzz.ts';

const file = join(temporaryFolder(), 'config');

/** Reads a config with Git: `key\nvalue` each; null if Git refuses it. */
function readByGit(text: Buffer): string[] | null {
  writeFileSync(file, text);
  const words = ['config', '--list', '-z', '--no-includes', '-f', file];
  const run = spawnSync('git', words, { env: { PATH: process.env['PATH'], HOME: '/dev/null/home' } });
  return run.status === 0 ? run.stdout.toString('utf8').split('\0').slice(0, -1) : null;
}

const section = fc.constantFrom(
  ...[
    '[core]',
    '[CORE]',
    '[gc]',
    '[remote "origin"]',
    '[extensions]',
    '[Extensions]',
    '[extensions "x"]',
    '[remote.a]',
  ],
  ...[
    '[include]',
    '[includeIf "gitdir:/"]',
    '[alias]',
    '[core "x"]',
    '[core ]',
    '[ core]',
    '[remote "a\\"b"]',
    '[x] [core]',
  ],
  ...[
    '[remote "a\0b"]',
    '[remote "a\tb"]',
    '[a "]"]',
    '[core] [extensions]',
    '[core];',
    '[filter "x]"]',
    '[remote "a"] #',
    '\ufeff[core]',
    '[core',
    'core]',
  ],
);
const key = fc.constantFrom(
  ...[
    'repositoryformatversion',
    'RepositoryFormatVersion',
    'bare',
    'logAllRefUpdates',
    'sharedRepository',
    'hooksPath',
  ],
  ...[
    'fsmonitor',
    'sshCommand',
    'pager',
    'editor',
    'url',
    'fetch',
    'uploadpack',
    'path',
    'objectFormat',
    'auto',
    'x-y',
  ],
  ...['pruneExpire', 'worktree', 'attributesFile', '1x', 'a_b', 'é'],
);
const value = fc.constantFrom(
  ...[
    '0',
    '1',
    'true',
    'false',
    'always',
    '0600',
    'never',
    'sha256',
    '',
    '"0"',
    '0 ; x',
    '0 # [extensions]',
    '0\\',
    '\\',
  ],
  ...[
    'https://example.org/x.git',
    'ext::sh -c id',
    '-u',
    '+refs/heads/*:refs/heads/*',
    '/tmp/x y',
    'a\\\nb',
    '"a\\',
    '\\n',
  ],
  ...[
    '0\0',
    'true\r',
    'always\u00a0',
    '0\v',
    'never\u2028',
    'a\rb',
    '"a',
    'x\\"y',
    '!sh -c id',
    '/p\t',
    '\ufeff0',
    'a = b',
  ],
);
const line = fc.oneof(
  { weight: 3, arbitrary: section },
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        fc.constantFrom('\t', '', ' ', '\u00a0', '\r'),
        key,
        fc.constantFrom(' = ', '=', ' =', '= ', ' ', ''),
        value,
      )
      .map((parts) => parts.join('')),
  },
  { weight: 1, arbitrary: fc.tuple(section, key, value).map(([head, name, what]) => `${head} ${name} = ${what}`) },
  { weight: 1, arbitrary: fc.constantFrom('# [extensions]', '; a = b', '#\\', '', '   ', '\\', '"') },
);
const sound = fc.constantFrom(
  CONFIG,
  `${CONFIG}[remote "origin"]\n\turl = https://example.org/x.git\n\tfetch = +refs/heads/*:refs/heads/*\n`,
  '[core]\r\n\tbare = true\r\n',
);
const config = fc.oneof(
  { weight: 4, arbitrary: fc.array(line, { maxLength: 8 }).map((lines) => Buffer.from(lines.join('\n'))) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(sound, fc.array(line, { maxLength: 3 }))
      .map(([text, lines]) => Buffer.from(text + lines.join('\n'))),
  },
  { weight: 2, arbitrary: fc.tuple(sound, harms).map(([text, harm]) => spoilt(Buffer.from(text), harm)) },
);

test('what we let through is all that Git reads, and nothing that could run a program', () => {
  const seen = { through: 0, forbidden: 0, unreadable: 0 };
  fc.assert(
    fc.property(config, (bytes) => {
      const text = bytes.toString('utf8');
      let entries: ReturnType<typeof parseConfig>;
      try {
        entries = parseConfig(text);
      } catch (error) {
        expect(error).toBeInstanceOf(SyntaxError);
        seen.unreadable += 1;
        return;
      }
      const told = readByGit(bytes);
      // A config that Git itself refuses harms nobody: it runs nothing then.
      if (told === null) return;
      // A key without a value is true; Git makes blanks of tabs.
      const ours = entries.map((entry) => `${entry.key}\n${entry.value.replaceAll('\t', ' ')}`);
      expect(ours).toEqual(told.map((entry) => (entry.includes('\n') ? entry : `${entry}\ntrue`)));
      const harmful = told.filter((entry) =>
        /hookspath|fsmonitor|command|pager|editor|alias|include|ext::|worktree|\n-/.test(entry),
      );
      if (harmful.length > 0) expect(forbiddenEntries(entries)).not.toEqual([]);
      seen[forbiddenEntries(entries).length > 0 ? 'forbidden' : 'through'] += 1;
    }),
    runs(900),
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(40);
});

test('a format that we do not read is seen in whatever shape', () => {
  const seen = { refused: 0, taken: 0 };
  fc.assert(
    fc.property(config, (bytes) => {
      const result = valueOr(['unsupported_store', 'damaged'], () => checkFormat(bytes.toString('utf8')));
      seen['error' in result ? 'refused' : 'taken'] += 1;
      if ('error' in result) return;
      const strange = readByGit(bytes)?.filter((entry) =>
        /^extensions\.|^core\.repositoryformatversion(?!\n0$)/.test(entry),
      );
      expect(strange ?? []).toEqual([]);
    }),
    runs(500),
  );
  expect(Math.min(seen.refused, seen.taken)).toBeGreaterThan(50);
});
