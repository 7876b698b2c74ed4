// Opening a store: found upwards, checked before it is trusted, refused where it is not what ctx makes.
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { initRepository } from '../../src/app/init.ts';
import { CONFIG, checkFormat } from '../../src/git/config.ts';
import { findStore, openRepository } from '../../src/history/store/repository.ts';
import { DEFAULT_SETTINGS } from '../../src/history/store/settings.ts';
import { errorOf, git, makeProject, temporaryFolder } from '../support/store.ts';

describe('finding', () => {
  test('the nearest store at or above a folder', () => {
    const { folder, store } = makeProject();
    const deep = join(folder, 'a', 'b');
    mkdirSync(deep, { recursive: true });
    expect(findStore(deep)).toBe(store);
    expect(openRepository({ directory: deep })).toMatchObject({ layout: { root: store }, project: folder });
    // A folder of that name that is no store does not count.
    mkdirSync(join(folder, 'a', '.ctx'));
    expect(findStore(deep)).toBe(store);
    expect(findStore(join(folder, 'not', 'there'))).toBe(store);
  });

  test('one that has lost its HEAD is named: the next one further up does not answer in its place', () => {
    const { folder } = makeProject();
    const inner = join(folder, 'inner');
    cpSync(makeProject().folder, inner, { recursive: true });
    for (const packed of [false, true]) {
      if (packed) git(join(inner, '.ctx'), ['pack-refs', '--all']);
      rmSync(join(inner, '.ctx', 'HEAD'));
      expect(errorOf(() => openRepository({ directory: inner }))).toMatchObject({
        code: 'unsupported_store',
        message: `This store cannot be used: it has no HEAD (${join(inner, '.ctx', 'HEAD')}).`,
        hint: 'Write it again with: ctx init',
      });
      initRepository({ directory: inner });
      expect(openRepository({ directory: inner }).layout.root).toBe(join(inner, '.ctx'));
    }
  });

  test('none: says where it looked and how to make one', () => {
    const folder = temporaryFolder();
    const error = errorOf(() => openRepository({ directory: folder }));
    expect(error.code).toBe('not_a_repository');
    expect(error.message).toContain(folder);
    expect(error.hint).toContain('ctx init');
    expect(errorOf(() => openRepository({ directory: folder, store: 'elsewhere' })).message).toContain(
      join(folder, 'elsewhere'),
    );
  });

  test('one that is named is not looked for; under another name its project is where one stands', () => {
    const { store } = makeProject();
    const folder = temporaryFolder();
    expect(openRepository({ directory: folder, store }).project).toBe(join(store, '..'));
    symlinkSync(store, join(folder, 'memory'));
    expect(openRepository({ directory: folder, store: 'memory' })).toMatchObject({
      layout: { root: join(folder, 'memory') },
      project: folder,
    });
  });
});

test.each([
  ['HEAD', '', 'HEAD is damaged: it does not say "ref: refs/heads/main"'],
  ['config', '', 'config is damaged: it names no format version'],
  ['config', 'hi\n', 'config is damaged: it names no format version'],
  ['config', '[core]\n\trepositoryformatversion\n', 'config is damaged: it names no format version'],
])('a store whose %s says %j is damaged', (name, text, message) => {
  const { store, open } = makeProject();
  writeFileSync(join(store, name), text);
  expect(errorOf(() => open())).toMatchObject({ code: 'damaged', message, hint: 'Repair it with: ctx fsck --repair' });
});

describe('a store that ctx does not make is refused', () => {
  /** Why a store with one file changed is refused. */
  const why = (name: string, text: string | null): string => {
    const { store, open } = makeProject();
    mkdirSync(join(store, name, '..'), { recursive: true });
    if (text === null) rmSync(join(store, name));
    else writeFileSync(join(store, name), text);
    const error = errorOf(() => open());
    expect(error.code).toBe('unsupported_store');
    expect(error.hint).toBeTruthy();
    return error.message;
  };

  test.each<[string, string, string | null, string]>([
    ['HEAD elsewhere', 'HEAD', 'ref: refs/heads/other\n', 'HEAD does not say'],
    ['HEAD detached', 'HEAD', `${'a'.repeat(40)}\n`, 'HEAD does not say'],
    ['no config', 'config', null, 'it has no config'],
    ['a newer format', 'config', CONFIG.replace('= 0', '= 1'), 'its format version is 1'],
    ['objects of another store', 'objects/info/alternates', '/elsewhere/objects\n', 'alternates'],
    ['SHA-256', 'config', `${CONFIG}[extensions]\n\tobjectFormat = sha256\n`, '[extensions]'],
    ['reftable', 'config', `${CONFIG}[Extensions] refStorage = reftable\n`, '[extensions]'],
    ['an extension without a value', 'config', `${CONFIG}[extensions]\n\tnoop\n`, '[extensions]'],
    ['an extension behind another section', 'config', '[a] [extensions]\n\tobjectFormat = sha256\n', '[extensions]'],
    [
      'a value over two lines',
      'config',
      '[core]\nx = \\\n[a]\nrepositoryformatversion = 1\n',
      'its format version is 1',
    ],
    ['a partial clone', 'config', `${CONFIG}[extensions "x"]\n\tpartialClone = origin\n`, '[extensions]'],
  ])('%s', (_words, name, text, reason) => {
    expect(why(name, text)).toContain(reason);
  });

  test.each([
    ['what ctx writes', CONFIG],
    ['what ctx writes, with a remote', `${CONFIG}[remote "origin"]\n\turl = https://example.org/x.git\n`],
    ['a comment that talks of extensions', `${CONFIG}# [extensions]\n; objectFormat = sha256\n`],
    ['upper case and no blanks', '[CORE]\nREPOSITORYFORMATVERSION=0\nbare=true\n'],
    ['a version on the line of its section', '[core] repositoryformatversion = 0\n'],
  ])('but not %s', (_words, config) => {
    expect(() => checkFormat(config)).not.toThrow();
  });
});

describe('settings', () => {
  test('are those of the file, or the defaults', () => {
    const { open, store } = makeProject({ ask_threshold: '1h', mine: 1 });
    expect(open().settings).toEqual({ ...DEFAULT_SETTINGS, fsync: false, ask_threshold: 3_600 });
    expect(open().unknownSettings).toEqual(['mine']);
    expect(open().durability).toEqual({ fsync: false });
    rmSync(join(store, 'settings.json'));
    expect(open()).toMatchObject({ settings: DEFAULT_SETTINGS, unknownSettings: [], durability: { fsync: true } });
  });

  test('that are wrong are named with their file', () => {
    const { open, store } = makeProject();
    writeFileSync(join(store, 'settings.json'), '{"fsync":"no"}');
    const error = errorOf(() => open());
    expect(error.code).toBe('invalid_settings');
    expect(error.message).toContain(`${join(store, 'settings.json')}, line 1`);
  });
});

test('clock, ids, session and patience come in through the door', () => {
  const { open } = makeProject();
  const opened = open({ clock: () => 7, ids: () => 'id', session: 'some', lockWait: 3 });
  expect([opened.clock(), opened.ids(), opened.session, opened.lockWait]).toEqual([7, 'id', 'some', 3]);
  expect(open()).toMatchObject({ session: null, lockWait: 10_000 });
});
