// Files that an agent has edited, where its hook tells what was replaced and not what the file holds now.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { git } from '../support/cli.ts';
import { Conversation, recordsOf } from './support/day.ts';
import { A, sound, workTree } from './support/projects.ts';

let dir: string;
let talk: Conversation;

beforeEach(() => {
  dir = workTree();
  talk = new Conversation(dir, A);
  talk.prompt('Write x');
});

/** An edit as newer versions tell it: without the file as it was. */
function edit(path: string, oldString: string, newString: string): void {
  const input = { file_path: path, old_string: oldString, new_string: newString };
  const response = { filePath: path, oldString, newString, originalFile: null, structuredPatch: [], replaceAll: false };
  talk.tool('Edit', input, response, 'toolu_edit');
}

const written = () => recordsOf(dir, 'STAGE').find(({ kind }) => kind === 'write');
const kept = (path: string): string => git(dir, '--git-dir=.ctx', 'show', `${stage()}:files/${path}`);
const stage = (): string =>
  readFileSync(join(dir, '.ctx', 'STAGE'), 'utf8')
    .slice('ref: '.length)
    .trim();

describe('an edit', () => {
  test('of a file that was read before: its content is that of the file', () => {
    const file = { filePath: join(dir, 'a.txt'), content: 'old\n', numLines: 1, startLine: 1, totalLines: 1 };
    talk.tool('Read', { file_path: file.filePath }, { type: 'text', file }, 'toolu_read');
    writeFileSync(file.filePath, 'new\n');
    edit(file.filePath, 'old', 'new');
    talk.stop('It is new.');
    expect(kept('a.txt')).toBe('new\n');
    expect(written()).toMatchObject({ path: 'a.txt', bytes: 4, blob: expect.any(String) });
    sound(dir);
  });

  test('of a file that holds secrets: its size and hash', () => {
    writeFileSync(join(dir, '.env'), 'A=new\n');
    edit(join(dir, '.env'), 'old', 'new');
    talk.stop('It is new.');
    expect(written()).toMatchObject({ path: '.env', bytes: 6, sha256: expect.any(String) });
    expect(written()).not.toHaveProperty('blob');
  });

  test('of a larger file: its size and hash', () => {
    writeFileSync(join(dir, 'long.txt'), 'new\n'.repeat(20_000));
    edit(join(dir, 'long.txt'), 'old', 'new');
    talk.stop('It is new.');
    expect(written()).toMatchObject({ path: 'long.txt', bytes: 80_000, sha256: expect.any(String) });
    expect(written()).not.toHaveProperty('blob');
  });

  test('of a file that lies elsewhere, behind a link: its name', () => {
    mkdirSync(join(dir, '..', 'other'), { recursive: true });
    writeFileSync(join(dir, '..', 'other', 'a.txt'), 'new\n');
    symlinkSync(join(dir, '..', 'other', 'a.txt'), join(dir, 'link.txt'));
    edit(join(dir, 'link.txt'), 'old', 'new');
    talk.stop('It is new.');
    expect(Object.keys(written() ?? {})).not.toContain('bytes');
  });

  test.each([
    ['outside of the project', '../other/a.txt'],
    ['that is gone again', 'gone.txt'],
    ['that is a folder', 'folder'],
  ])('of a file %s: its name', (_, name) => {
    mkdirSync(join(dir, 'folder'));
    mkdirSync(join(dir, '..', 'other'), { recursive: true });
    writeFileSync(join(dir, '..', 'other', 'a.txt'), 'new\n');
    edit(join(dir, name), 'old', 'new');
    talk.stop('It is new.');
    expect(Object.keys(written() ?? {})).not.toContain('bytes');
    sound(dir);
  });
});
