// A short file that can be done without is written over in place; never through a link, and never where it is another file.
import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { overwrite } from '../../src/platform/plain-files.ts';
import { temporaryFolder } from '../support/store.ts';

const [old, content] = ['a'.repeat(8), 'b'.repeat(8)];

test.each<[string, (path: string, folder: string) => void, boolean]>([
  ['where nothing stands', () => undefined, true],
  ['one of its kind', (path) => writeFileSync(path, old), true],
  ['an empty one', (path) => writeFileSync(path, ''), true],
  ['one of another length', (path) => writeFileSync(path, `${old}${old}`), false],
  [
    'one with a second name',
    (path, folder) => {
      writeFileSync(join(folder, 'users'), old);
      linkSync(join(folder, 'users'), path);
    },
    false,
  ],
  [
    'a link',
    (path, folder) => {
      writeFileSync(join(folder, 'users'), old);
      symlinkSync(join(folder, 'users'), path);
    },
    false,
  ],
  ['a folder', (path) => mkdirSync(path), false],
  ['a pipe that nobody reads', (path) => execFileSync('mkfifo', [path]), false],
])('%s', (_, prepare, isWritten) => {
  const folder = temporaryFolder();
  const path = join(folder, 'file');
  prepare(path, folder);
  expect(overwrite(path, Buffer.from(content))).toBe(isWritten);
  if (isWritten) expect(readFileSync(path, 'utf8')).toBe(content);
  if (existsSync(join(folder, 'users'))) expect(readFileSync(join(folder, 'users'), 'utf8')).toBe(old);
});

test('it is its user’s alone, and its folder is not made', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'file');
  expect(overwrite(path, Buffer.from(content))).toBe(true);
  expect(statSync(path).mode & 0o077).toBe(0);
  expect(overwrite(join(folder, 'none', 'file'), Buffer.from(content))).toBe(false);
});
