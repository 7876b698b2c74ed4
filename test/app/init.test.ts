// Making a store: a bare repository of Git's with nothing in it but its root, the user's alone, left out of the project's Git.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { CONFIG } from '../../src/git/config.ts';
import * as ctx from '../../src/index.ts';
import { ended, errorOf, fsck, git, makeProject, startChild, temporaryFolder } from '../support/store.ts';

const run = (folder: string, ...words: string[]): string =>
  spawnSync('git', ['-C', folder, ...words], { encoding: 'utf8' }).stdout;

describe('a new store', () => {
  const folder = temporaryFolder();
  const { repository, result } = ctx.initRepository({ directory: folder });

  test('is a repository that Git accepts, with one commit and an empty tree', () => {
    expect(result).toEqual({ path: join(folder, '.ctx'), created: true, excluded_in: null, linked_worktree: null });
    expect(fsck(result.path)).toBe('');
    expect(readFileSync(join(result.path, 'config'), 'utf8')).toBe(CONFIG);
    expect(git(result.path, ['rev-parse', '--is-bare-repository'])).toBe('true\n');
    expect(git(result.path, ['log', '--format=%s|%an|%at|%(trailers:only,unfold,separator=)', 'main'])).toBe(
      'Root of a ctx store|ctx|0|Ctx-Type: Root\n',
    );
    expect(git(result.path, ['ls-tree', 'main'])).toBe('');
    expect([...ctx.readLog(repository)]).toEqual([]);
  });

  test('has the same root as every other, so that any two have a common ancestor', () => {
    const other = ctx.initRepository({ directory: temporaryFolder(), clock: () => 999 });
    expect(git(other.result.path, ['rev-parse', 'main'])).toBe(git(result.path, ['rev-parse', 'main']));
  });

  test('made again stays as it is', () => {
    const session = ctx.startSession(repository, 'keep me');
    writeFileSync(join(result.path, 'config'), `${CONFIG}[remote "origin"]\n\turl = x\n`);
    const again = ctx.initRepository({ directory: folder });
    expect(again.result).toMatchObject({ created: false });
    expect(ctx.sessionStatus(again.repository)).toMatchObject({ session_id: session.session_id });
    expect(readFileSync(join(result.path, 'config'), 'utf8')).toContain('[remote');
  });
});

test('every file and folder is the user’s alone, whatever was done, and whatever the umask', async () => {
  const folder = temporaryFolder();
  const script = `
    process.umask(0);
    const { repository } = ctx.initRepository({ directory: words[0], tracked: true });
    for (const task of ['one', 'two']) {
      ctx.startSession(repository, task);
      ctx.observeNote(repository, 'x'.repeat(9000));
      ctx.observeFileWrite(repository, words[1], words[0]);
      ctx.flushStep(repository);
      ctx.observeNote(repository, 'waiting');
      ctx.setState(repository, 'abort', { text: 'x', compact: task === 'one' });
    }
  `;
  writeFileSync(join(folder, 'file'), 'x');
  const { err, code } = await ended(await startChild(script, [folder, 'file']));
  expect([code, err]).toEqual([0, '']);
  const open = readdirSync(join(folder, '.ctx'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => (statSync(join(folder, '.ctx', name)).mode & 0o077) !== 0,
  );
  expect(open).toEqual([]);
  expect(statSync(join(folder, '.ctx')).mode & 0o077).toBe(0);
});

describe('the Git repository around it', () => {
  const project = (): string => {
    const folder = temporaryFolder();
    run(folder, 'init', '-q');
    return folder;
  };

  test('ignores the store after one init, once', () => {
    const folder = project();
    const exclude = join(folder, '.git', 'info', 'exclude');
    writeFileSync(exclude, '# mine\n*.log');
    const deep = join(folder, 'packages', 'a');
    mkdirSync(deep, { recursive: true });
    expect(ctx.initRepository({ directory: deep }).result.excluded_in).toBe(exclude);
    ctx.initRepository({ directory: deep });
    const text = readFileSync(exclude, 'utf8');
    expect(text.startsWith('# mine\n*.log\n')).toBe(true);
    expect(text.match(/\.ctx/g)).toHaveLength(1);
    expect(run(folder, 'status', '--porcelain')).toBe('');
  });

  test('ignores the store in a linked work tree, whose .git is a file', () => {
    const folder = project();
    run(folder, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x');
    const linked = join(temporaryFolder(), 'linked');
    run(folder, 'worktree', 'add', '-q', linked);
    const { result } = ctx.initRepository({ directory: linked });
    expect(result.excluded_in).toBe(join(folder, '.git', 'info', 'exclude'));
    expect(run(linked, 'status', '--porcelain')).toBe('');
  });

  test('warns that removing the work tree removes the store, only in such a work tree and unless Git is to track it', () => {
    const folder = project();
    run(folder, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x');
    const [linked, bare, ofBare] = [
      join(temporaryFolder(), 'linked'),
      temporaryFolder(),
      join(temporaryFolder(), 'one'),
    ];
    run(folder, 'worktree', 'add', '-q', linked);
    run(folder, 'clone', '-q', '--bare', '.', bare);
    run(bare, 'worktree', 'add', '-q', ofBare);
    const deep = join(linked, 'packages', 'a');
    mkdirSync(deep, { recursive: true });
    const told = (directory: string, tracked = false): unknown =>
      ctx.initRepository({ directory, tracked }).result.linked_worktree;
    expect([linked, deep, ofBare, folder].map((directory) => told(directory))).toEqual([
      { path: linked, main: folder },
      { path: linked, main: folder },
      { path: ofBare, main: null },
      null,
    ]);
    expect(told(linked, true)).toBeNull();
    // So Git does: it asks for force where anything is there that it does not ignore.
    expect(spawnSync('git', ['-C', folder, 'worktree', 'remove', linked]).status).toBe(0);
    expect(existsSync(linked)).toBe(false);
  });

  test.each<[string, (folder: string) => { project: string; git: string }]>([
    [
      'a submodule',
      (folder) => {
        run(folder, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x');
        const outer = project();
        run(outer, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', folder, 'part');
        return { project: join(outer, 'part'), git: join(outer, '.git', 'modules', 'part') };
      },
    ],
    [
      'one whose Git folder lies elsewhere',
      () => {
        const [outer, git] = [temporaryFolder(), join(temporaryFolder(), 'elsewhere')];
        run(outer, 'init', '-q', '--separate-git-dir', git);
        return { project: outer, git };
      },
    ],
    [
      'one without a folder info',
      (folder) => {
        rmSync(join(folder, '.git', 'info'), { recursive: true });
        return { project: folder, git: join(folder, '.git') };
      },
    ],
  ])('ignores the store if it is %s', (_words, make) => {
    const { project: directory, git: gitFolder } = make(project());
    expect(ctx.initRepository({ directory }).result.excluded_in).toBe(join(gitFolder, 'info', 'exclude'));
    expect(run(directory, 'status', '--porcelain')).toBe('');
  });

  /** Makes what a stranger's files can hold, with a folder of the user's in reach. */
  const TRAPS: [string, (folder: string, victim: string) => void][] = [
    [
      'a link as info/exclude',
      (folder, victim) => {
        rmSync(join(folder, '.git', 'info', 'exclude'));
        symlinkSync(join(victim, 'file'), join(folder, '.git', 'info', 'exclude'));
      },
    ],
    [
      'a link to nothing as info/exclude',
      (folder, victim) => {
        rmSync(join(folder, '.git', 'info', 'exclude'));
        symlinkSync(join(victim, 'new'), join(folder, '.git', 'info', 'exclude'));
      },
    ],
    [
      'a link as info',
      (folder, victim) => {
        rmSync(join(folder, '.git', 'info'), { recursive: true });
        symlinkSync(victim, join(folder, '.git', 'info'));
      },
    ],
    [
      'a pipe as info/exclude',
      (folder) => {
        rmSync(join(folder, '.git', 'info', 'exclude'));
        spawnSync('mkfifo', [join(folder, '.git', 'info', 'exclude')]);
      },
    ],
    ['a Git folder without objects', (folder) => rmSync(join(folder, '.git', 'objects'), { recursive: true })],
    [
      'a file that names a folder that is no repository',
      (folder, victim) => {
        rmSync(join(folder, '.git'), { recursive: true });
        writeFileSync(join(folder, '.git'), `gitdir: ${victim}\n`);
      },
    ],
    [
      'a file that names a folder that is not there',
      (folder, victim) => {
        rmSync(join(folder, '.git'), { recursive: true });
        writeFileSync(join(folder, '.git'), `gitdir: ${join(victim, 'deep', 'er')}\n`);
      },
    ],
    [
      'a work tree of a repository that is none',
      (folder, victim) => {
        renameSync(join(folder, '.git'), join(folder, 'kept'));
        writeFileSync(join(folder, 'kept', 'commondir'), victim);
        writeFileSync(join(folder, '.git'), 'gitdir: kept\n');
      },
    ],
    [
      'a work tree that names a folder for a file',
      (folder) => {
        renameSync(join(folder, '.git'), join(folder, 'kept'));
        mkdirSync(join(folder, 'kept', 'commondir'));
        writeFileSync(join(folder, '.git'), 'gitdir: kept\n');
      },
    ],
  ];

  test.each(TRAPS)('is passed over where it is a trap: %s', (_words, set) => {
    const [folder, victim] = [project(), temporaryFolder()];
    writeFileSync(join(victim, 'file'), 'mine\n');
    set(folder, victim);
    expect(ctx.initRepository({ directory: folder }).result).toMatchObject({ created: true, excluded_in: null });
    expect(readdirSync(victim)).toEqual(['file']);
    expect(readFileSync(join(victim, 'file'), 'utf8')).toBe('mine\n');
  });

  test('may track it where that is wanted', () => {
    const folder = project();
    expect(ctx.initRepository({ directory: folder, tracked: true }).result.excluded_in).toBeNull();
    expect(run(folder, 'status', '--porcelain')).toBe('?? .ctx/\n');
  });
});

describe('what is there already', () => {
  test.each(['objects/pack', 'refs/sessions', 'refs/tags', 'oplog', 'pending', 'config'])(
    '%s that is missing is made again',
    (name) => {
      const { folder, store, open } = makeProject();
      rmSync(join(store, name), { recursive: true, force: true });
      if (name === 'config') {
        expect(errorOf(() => open()).hint).toContain('ctx init');
        expect(readFileSync(join(store, 'HEAD'), 'utf8')).toBe('ref: refs/heads/main\n');
      }
      ctx.initRepository({ directory: folder, tracked: true });
      expect(statSync(join(store, name))).toBeTruthy();
      expect(fsck(store)).toBe('');
    },
  );

  test('a store that is not ours is not touched', () => {
    const { folder, store } = makeProject();
    writeFileSync(join(store, 'HEAD'), 'ref: refs/heads/trunk\n');
    expect(errorOf(() => ctx.initRepository({ directory: folder, tracked: true })).code).toBe('unsupported_store');
    expect(readFileSync(join(store, 'HEAD'), 'utf8')).toBe('ref: refs/heads/trunk\n');
  });

  test('several at once: one store, and nobody fails', async () => {
    const folder = temporaryFolder();
    const script = `ctx.initRepository({ directory: words[0], tracked: true }); console.log('made');`;
    const children = await Promise.all([1, 2, 3, 4].map(() => startChild(script, [folder])));
    const results = await Promise.all(children.map(ended));
    expect(results.map(({ out, err }) => out + err)).toEqual(['made\n', 'made\n', 'made\n', 'made\n']);
    expect(fsck(join(folder, '.ctx'))).toBe('');
    const left = readdirSync(join(folder, '.ctx')).filter((name) => /tmp|LOCK/.test(name));
    expect(left).toEqual([]);
  });
});

test('restores the HEAD that a store has lost, and says that the store was there', () => {
  const { folder, repository, store } = makeProject();
  const { session_id } = ctx.startSession(repository, 'kept');
  rmSync(join(store, 'HEAD'));
  const { result } = ctx.initRepository({ directory: folder });
  expect(result).toMatchObject({ created: false, head_restored: true });
  expect(ctx.sessionStatus(ctx.openRepository({ directory: folder }))).toMatchObject({ session_id });
  const again = ctx.initRepository({ directory: folder }).result;
  expect([again.created, again.head_restored]).toEqual([false, undefined]);
  // One that was killed while it was made has nothing in it: it is made now.
  const begun = makeProject();
  rmSync(join(begun.store, 'HEAD'));
  expect(ctx.initRepository({ directory: begun.folder }).result).toMatchObject({ created: true });
});

test('a store that has lost its HEAD and all its refs gets no empty main line: it can be repaired', () => {
  const { folder, repository, store } = makeProject();
  ctx.startSession(repository, 'kept');
  ctx.compactSession(repository);
  const main = repository.refs.read('refs/heads/main');
  for (const name of ['HEAD', 'refs', 'logs', 'packed-refs'])
    rmSync(join(store, name), { recursive: true, force: true });
  const open = (): unknown => ctx.openRepository({ directory: folder });
  expect(errorOf(open)).toMatchObject({ code: 'damaged', hint: 'Repair it with: ctx fsck --repair' });
  expect(errorOf(() => ctx.initRepository({ directory: folder }))).toMatchObject({
    code: 'damaged',
    hint: 'Nothing was changed. Restore it with: ctx fsck --repair',
  });
  expect(errorOf(open).code).toBe('damaged');
  const opened = ctx.openRepository({ directory: folder, toCheck: true });
  checkStore(opened, { repair: true });
  expect(opened.refs.read('refs/heads/main')).toBe(main);
});
