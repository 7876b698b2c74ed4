import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConversation } from '../../src/app/conversation/load.ts';
import { keepFiles } from '../../src/app/conversation/snapshots.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import { unfinished } from '../../src/app/world/apply.ts';
import { openSnapshots } from '../../src/app/world/private-git.ts';
import { actsOf } from '../../src/core/conversation/acts.ts';
import * as ctx from '../../src/index.ts';
import { errorOf, fsck, makeProject, type Project } from '../support/store.ts';
import { gitIn, pathsOf, put, say, textOf, worked } from '../support/work-tree.ts';

test('a rewind of the files restores edits, deletes, renames, modes and links, and unrewind brings them back', () => {
  const project = worked();
  const { repository, folder, store } = project;
  const message = say(project, 'user');
  put(project, { 'src/a.txt': 'other\n', 'new/deep/n.txt': 'n\n', 'x.log': 'other log\n' });
  rmSync(join(folder, 'b.txt'));
  renameSync(join(folder, 'src/a.txt'), join(folder, 'src/c.txt'));
  chmodSync(join(folder, 'run.sh'), 0o644);
  rmSync(join(folder, 'link'));
  symlinkSync('src/c.txt', join(folder, 'link'));
  say(project, 'assistant');
  const expected = [
    'created b.txt',
    'written link',
    'removed new/deep/n.txt',
    'written run.sh',
    'created src/a.txt',
    'removed src/c.txt',
  ];
  const tried = ctx.rewind(repository, message, { scope: 'world', dryRun: true });
  expect(pathsOf(tried.world)).toEqual(expected);
  expect(textOf(project, 'b.txt')).toBeNull();
  const { world, hidden } = ctx.rewind(repository, message, { scope: 'world' });
  expect([pathsOf(world), world?.left, hidden]).toEqual([expected, [], 0]);
  expect([textOf(project, 'src/a.txt'), textOf(project, 'b.txt'), textOf(project, 'x.log')]).toEqual([
    'one\n',
    'two\n',
    'other log\n',
  ]);
  expect(existsSync(join(folder, 'new'))).toBe(false);
  expect(lstatSync(join(folder, 'run.sh')).mode & 0o777).toBe(0o755);
  expect(lstatSync(join(folder, 'b.txt')).mode & 0o077).toBe(lstatSync(folder).mode & 0o066);
  expect(readlinkSync(join(folder, 'link'))).toBe('b.txt');
  expect(gitIn(folder, 'status', '--porcelain')).toBe('?? .ctx/\n');
  const back = ctx.unrewind(repository);
  expect(back.world?.restored).toHaveLength(6);
  expect([textOf(project, 'src/c.txt'), textOf(project, 'b.txt'), textOf(project, 'new/deep/n.txt')]).toEqual([
    'other\n',
    null,
    'n\n',
  ]);
  expect(readlinkSync(join(folder, 'link'))).toBe('src/c.txt');
  expect(fsck(store)).toBe('');
});

test('an undo of a rewind of files restores them, and a second one rewinds them again', () => {
  const project = worked();
  const message = say(project, 'user');
  put(project, { 'b.txt': 'other\n', 'new.txt': 'new\n' });
  say(project, 'assistant');
  const state = (): unknown => [
    textOf(project, 'b.txt'),
    textOf(project, 'new.txt'),
    [...ctx.readConversation(project.open())].length,
  ];
  const undone = (): string[] => pathsOf(undoOperations(project.open()).world);
  ctx.rewind(project.repository, message, { scope: 'both' });
  expect(state()).toEqual(['two\n', null, 1]);
  expect(undone()).toEqual(['written b.txt', 'created new.txt']);
  expect(state()).toEqual(['other\n', 'new\n', 2]);
  expect(undone()).toEqual(['written b.txt', 'removed new.txt']);
  expect(state()).toEqual(['two\n', null, 1]);
  expect(pathsOf(ctx.unrewind(project.open()).world)).toEqual(['written b.txt', 'created new.txt']);
  expect(undone()).toEqual(['written b.txt', 'removed new.txt']);
  expect(state()).toEqual(['two\n', null, 1]);
  expect(fsck(project.store)).toBe('');
});

test('an undo of several rewinds of files takes the last one back first, and leaves what was changed since', () => {
  const project = worked();
  const first = say(project, 'user');
  put(project, { 'b.txt': 'second\n', 'src/a.txt': 'second\n' });
  const second = say(project, 'user');
  put(project, { 'b.txt': 'third\n', 'src/a.txt': 'third\n' });
  ctx.rewind(project.open(), second, { scope: 'world' });
  ctx.rewind(project.open(), first, { scope: 'world' });
  expect([textOf(project, 'b.txt'), textOf(project, 'src/a.txt')]).toEqual(['two\n', 'one\n']);
  put(project, { 'src/a.txt': 'of the user\n' });
  const { world } = undoOperations(project.open(), 2);
  expect([pathsOf(world), world?.left]).toEqual([['written b.txt'], [{ path: 'src/a.txt', by: 'user' }]]);
  expect([textOf(project, 'b.txt'), textOf(project, 'src/a.txt')]).toEqual(['third\n', 'of the user\n']);
});

test('an undo of a rewind of files that was killed is finished by the next command', () => {
  const project = worked();
  const message = say(project, 'user');
  put(project, { 'b.txt': 'other\n' });
  say(project, 'assistant');
  ctx.rewind(project.open(), message, { scope: 'both' });
  undoOperations(project.open());
  // As a kill leaves it: the undo is recorded, and the files are not restored yet.
  const { conversation, session } = loadConversation(project.open(), 'STAGE');
  const act = actsOf(conversation).at(-1);
  const journal = { version: 1, act: act?.id, session_id: session.session_id, ...act?.world };
  writeFileSync(project.repository.layout.restore, JSON.stringify(journal));
  put(project, { 'b.txt': 'two\n' });
  const next = project.open();
  ctx.rewind(next, message, { scope: 'world', dryRun: true });
  expect(next.notices).toContainEqual(expect.stringContaining('Finished a rewind of files'));
  expect(textOf(project, 'b.txt')).toBe('other\n');
});

test('a file takes the place of a folder, and a folder that of a file', () => {
  const project = worked();
  put(project, { 'was/folder': 'f\n' });
  const message = say(project, 'user');
  rmSync(join(project.folder, 'was'), { recursive: true });
  rmSync(join(project.folder, 'b.txt'));
  put(project, { was: 'a file\n', 'b.txt/inner': 'x\n' });
  ctx.rewind(project.repository, message, { scope: 'both' });
  expect([textOf(project, 'was/folder'), textOf(project, 'b.txt')]).toEqual(['f\n', 'two\n']);
  ctx.unrewind(project.repository);
  expect([textOf(project, 'was'), textOf(project, 'b.txt/inner')]).toEqual(['a file\n', 'x\n']);
});

test('the repository of the user is left as it is, and its gc takes nothing from the snapshots', () => {
  const project = worked();
  const { folder, repository } = project;
  put(project, { 'src/a.txt': 'staged\n' });
  gitIn(folder, 'add', 'src/a.txt');
  const index = readFileSync(join(folder, '.git/index'));
  const refs = gitIn(folder, 'for-each-ref');
  const message = say(project, 'user');
  expect(readFileSync(join(folder, '.git/index')).equals(index)).toBe(true);
  expect(gitIn(folder, 'for-each-ref')).toBe(refs);
  expect(gitIn(folder, 'status', '--porcelain')).toBe('M  src/a.txt\n?? .ctx/\n');
  put(project, { 'src/a.txt': 'later\n' });
  gitIn(folder, 'add', 'src/a.txt');
  gitIn(folder, 'reset', '-q', '--', 'src/a.txt');
  gitIn(folder, 'reflog', 'expire', '--expire=now', '--all');
  gitIn(folder, 'gc', '-q', '--prune=now');
  ctx.rewind(repository, message, { scope: 'world' });
  expect(textOf(project, 'src/a.txt')).toBe('staged\n');
});

test('what the user and another session have changed since is named and left, and --force takes it', () => {
  const project = worked();
  const { repository } = project;
  const own = ctx.activeSession(repository)?.session_id ?? '';
  const message = say(project, 'user');
  put(project, { 'src/a.txt': 'by the session\n', 'b.txt': 'by the session\n' });
  say(project, 'assistant');
  put(project, { 'b.txt': 'by the user\n' });
  const other = ctx.startSession(repository, 'another task', { beside: true } as never).session_id;
  const beside = { ...repository, session: other };
  ctx.appendMessage(beside, { id: 'theirs', parts: [{ type: 'text', text: 'theirs' }] }, { role: 'user' });
  put(project, { 'run.sh': 'by the other session\n' });
  ctx.appendMessage(beside, { id: 'done', parts: [{ type: 'text', text: 'done' }] }, { role: 'assistant' });
  const mine = { ...repository, session: own };
  const { world } = ctx.rewind(mine, message, { scope: 'world' });
  expect(pathsOf(world)).toEqual(['written src/a.txt']);
  expect(world?.left).toEqual([
    { path: 'b.txt', by: 'user' },
    { path: 'run.sh', by: other },
  ]);
  expect([textOf(project, 'b.txt'), textOf(project, 'run.sh')]).toEqual(['by the user\n', 'by the other session\n']);
  expect(pathsOf(ctx.rewind(mine, message, { scope: 'world', force: true }).world)).toEqual([
    'written b.txt',
    'written run.sh',
  ]);
  expect(textOf(project, 'run.sh')).toBe('true\n');
});

test('an unrewind leaves what was changed since the rewind', () => {
  const project = worked();
  const message = say(project, 'user');
  put(project, { 'src/a.txt': 'changed\n', 'b.txt': 'changed\n' });
  ctx.rewind(project.repository, message, { scope: 'world' });
  put(project, { 'b.txt': 'since\n' });
  expect(ctx.unrewind(project.repository).world?.left).toEqual([{ path: 'b.txt', by: 'user' }]);
  expect([textOf(project, 'src/a.txt'), textOf(project, 'b.txt')]).toEqual(['changed\n', 'since\n']);
});

/** Makes a repository with one file. */
function library({ repository, folder }: Project): string {
  const origin = join(folder, '..', `library-${repository.ids()}`);
  mkdirSync(origin);
  gitIn(origin, 'init', '-q');
  writeFileSync(join(origin, 'lib.txt'), 'lib\n');
  gitIn(origin, 'add', '-A');
  gitIn(origin, 'commit', '-qm', 'lib');
  return origin;
}

test('the files of a submodule go back, too, and its own repository stays as it is', () => {
  const project = worked();
  const { folder, repository } = project;
  gitIn(folder, 'submodule', '--quiet', 'add', library(project), 'lib');
  const message = say(project, 'user');
  put(project, { 'lib/lib.txt': 'edited\n', 'lib/more.txt': 'more\n' });
  const { world } = ctx.rewind(repository, message, { scope: 'world' });
  expect(pathsOf(world)).toEqual(['written lib/lib.txt', 'removed lib/more.txt']);
  expect(textOf(project, 'lib/lib.txt')).toBe('lib\n');
  expect(gitIn(join(folder, 'lib'), 'status', '--porcelain')).toBe('');
});

test('the files of a repository in a submodule, and of one that is no submodule, go back, too', () => {
  const project = worked();
  const { folder, repository } = project;
  gitIn(folder, 'submodule', '--quiet', 'add', library(project), 'lib');
  gitIn(join(folder, 'lib'), 'submodule', '--quiet', 'add', library(project), 'inner');
  gitIn(folder, 'clone', '--quiet', library(project), 'cloned');
  const message = say(project, 'user');
  put(project, { 'lib/inner/lib.txt': 'edited\n', 'cloned/lib.txt': 'edited\n', 'cloned/more.txt': 'more\n' });
  gitIn(join(folder, 'cloned'), 'commit', '-qam', 'edited');
  const { world } = ctx.rewind(repository, message, { scope: 'world' });
  expect(pathsOf(world)).toEqual(['written cloned/lib.txt', 'removed cloned/more.txt', 'written lib/inner/lib.txt']);
  expect([textOf(project, 'lib/inner/lib.txt'), textOf(project, 'cloned/lib.txt')]).toEqual(['lib\n', 'lib\n']);
});

test.each([[[]], [['--object-format=sha256']]])(
  'the files of a repository below that Git does not add go back, too: git init %j',
  (options) => {
    const project = worked();
    const { folder, repository } = project;
    for (const path of ['begun', 'begun/inner', 'src/begun']) gitIn(folder, 'init', '-q', ...options, path);
    put(project, { 'begun/f.txt': 'one\n', 'begun/inner/f.txt': 'one\n' });
    const message = say(project, 'user');
    put(project, { 'begun/f.txt': 'two\n', 'begun/inner/f.txt': 'two\n', 'src/begun/new.txt': 'new\n' });
    if (options.length > 0) gitIn(join(folder, 'begun'), 'add', 'f.txt');
    const { world } = ctx.rewind(repository, message, { scope: 'world' });
    expect(pathsOf(world)).toEqual(['written begun/f.txt', 'written begun/inner/f.txt', 'removed src/begun/new.txt']);
    expect([textOf(project, 'begun/f.txt'), textOf(project, 'begun/inner/f.txt')]).toEqual(['one\n', 'one\n']);
    expect(readdirSync(join(folder, 'src/begun'))).toEqual(['.git']);
  },
);

test('a repository below ignores what its own info/exclude names, and no more', () => {
  const project = worked();
  const { folder, repository } = project;
  gitIn(folder, 'clone', '--quiet', library(project), 'cloned');
  writeFileSync(join(folder, '.git/info/exclude'), '*.top\n');
  writeFileSync(join(folder, 'cloned/.git/info/exclude'), '/own\n');
  put(project, { 'a.top': 'one\n', 'cloned/own': 'one\n', 'cloned/a.top': 'one\n', own: 'one\n' });
  const message = say(project, 'user');
  put(project, { 'a.top': 'two\n', 'cloned/own': 'two\n', 'cloned/a.top': 'two\n', own: 'two\n' });
  const { world } = ctx.rewind(repository, message, { scope: 'world' });
  expect(pathsOf(world)).toEqual(['written cloned/a.top', 'written own']);
});

test('a submodule that is not checked out is an empty folder, which comes back', () => {
  const project = worked();
  const { folder, repository } = project;
  gitIn(folder, 'submodule', '--quiet', 'add', library(project), 'lib');
  gitIn(folder, 'submodule', '--quiet', 'deinit', '--force', 'lib');
  const message = say(project, 'user');
  rmSync(join(folder, 'lib'), { recursive: true });
  put(project, { 'b.txt': 'edited\n' });
  const { world } = ctx.rewind(repository, message, { scope: 'world' });
  expect([pathsOf(world), world?.left]).toEqual([['written b.txt', 'created lib'], []]);
  expect(readdirSync(join(folder, 'lib'))).toEqual([]);
  expect(pathsOf(ctx.unrewind(repository).world)).toEqual(['written b.txt']);
});

test.skipIf(process.platform !== 'linux')('a file whose name is not UTF-8 goes back under that name', () => {
  const project = worked();
  const { folder, repository } = project;
  const place = (name: string): Buffer => Buffer.from(join(folder, name), 'latin1');
  const names = (): string[] =>
    readdirSync(folder, { encoding: 'latin1' }).filter((name) => name.includes('\xe9') || name.includes('\xef'));
  writeFileSync(place('caf\xe9.txt'), 'one\n');
  writeFileSync(place('gone\xe9.txt'), 'gone\n');
  const message = say(project, 'user');
  writeFileSync(place('caf\xe9.txt'), 'other\n');
  renameSync(place('gone\xe9.txt'), place('new\xe9.txt'));
  ctx.rewind(repository, message, { scope: 'world' });
  expect(names()).toEqual(['caf\xe9.txt', 'gone\xe9.txt']);
  expect(readFileSync(place('caf\xe9.txt'), 'utf8')).toBe('one\n');
  ctx.unrewind(repository);
  expect(names()).toEqual(['caf\xe9.txt', 'new\xe9.txt']);
});

test('a file stays away while a folder with ignored files is in its place, which is said', () => {
  const project = worked();
  const message = say(project, 'user');
  rmSync(join(project.folder, 'b.txt'));
  put(project, { 'b.txt/inner': 'x\n', 'b.txt/some.log': 'ignored\n', 'src/a.txt': 'other\n' });
  const { world } = ctx.rewind(project.repository, message, { scope: 'world' });
  expect([pathsOf(world), world?.left]).toEqual([
    ['removed b.txt/inner', 'written src/a.txt'],
    [{ path: 'b.txt', by: 'folder' }],
  ]);
  expect(textOf(project, 'b.txt/some.log')).toBe('ignored\n');
});

test('a rewind of files that stopped on its way is finished by the next one, and one that was not recorded is dropped', () => {
  const project = worked();
  const { repository, folder } = project;
  const message = say(project, 'user');
  put(project, { 'src/a.txt': 'changed\n', 'b.txt': 'changed\n' });
  // A folder in the place of a file stops the restore after the file before it.
  const act = ctx.rewind(repository, message, { scope: 'world' });
  expect(act.world?.restored).toHaveLength(2);
  const snapshots = openSnapshots(repository);
  expect(unfinished(snapshots)).toBeNull();
  const overlays = [...ctx.readConversation(repository, 'STAGE', { view: 'all' })];
  expect(overlays).toHaveLength(1);
  const journal = {
    version: 1,
    act: 'never-recorded',
    session_id: act.session_id,
    from: act.world?.kept,
    to: act.world?.snapshot_id,
  };
  writeFileSync(repository.layout.restore, JSON.stringify(journal));
  put(project, { 'src/a.txt': 'changed\n', 'b.txt': 'changed\n' });
  say(project, 'user');
  expect(repository.notices.join()).toContain('the files are as they were');
  expect(textOf(project, 'b.txt')).toBe('changed\n');
  expect(existsSync(join(folder, '.ctx/snapshots/restore.json'))).toBe(false);
});

test('a rewind of files does not begin if another one was interrupted since it was planned', () => {
  const project = worked();
  const { repository } = project;
  const message = say(project, 'user');
  put(project, { 'b.txt': 'changed\n' });
  const journal = { version: 1, act: 'of-another', session_id: 's', from: 'f', to: 't' };
  const ids = (): string => {
    writeFileSync(repository.layout.restore, JSON.stringify(journal));
    return repository.ids();
  };
  const refused = errorOf(() => ctx.rewind({ ...repository, ids }, message, { scope: 'world' }));
  expect(refused).toMatchObject({ code: 'busy', message: 'Another rewind of files was interrupted just now.' });
  expect(textOf(project, 'b.txt')).toBe('changed\n');
});

test('a message without a snapshot cannot take the files back, and the setting is off by default', () => {
  const project = worked({});
  const message = say(project, 'user');
  expect(existsSync(join(project.store, 'snapshots'))).toBe(false);
  expect(errorOf(() => ctx.rewind(project.repository, message, { scope: 'both' }))).toMatchObject({
    code: 'not_found',
    hint: expect.stringContaining('"snapshots": true'),
  });
});

test('a project without Git has snapshots, too, and a damaged private index is made again', () => {
  const project = makeProject({ snapshots: true });
  put(project, { 'a.txt': 'one\n' });
  ctx.startSession(project.repository, 'the task');
  const message = say(project, 'user');
  put(project, { 'a.txt': 'two\n' });
  writeFileSync(join(project.store, 'snapshots/index'), 'torn');
  ctx.rewind(project.repository, message, { scope: 'world' });
  expect(textOf(project, 'a.txt')).toBe('one\n');
});

test('bytes come back as they are, whatever attributes and line endings are set', () => {
  const project = worked();
  put(project, {
    '.gitattributes': '* text=auto eol=crlf\n*.bin filter=none\n',
    'crlf.txt': 'a\r\nb\n',
    'c.bin': 'x\r\n',
  });
  gitIn(project.folder, 'add', '-A', '--', ':!.ctx');
  gitIn(project.folder, 'commit', '-qm', 'second');
  const message = say(project, 'user');
  rmSync(join(project.folder, 'crlf.txt'));
  rmSync(join(project.folder, 'c.bin'));
  ctx.rewind(project.repository, message, { scope: 'world' });
  expect([textOf(project, 'crlf.txt'), textOf(project, 'c.bin')]).toEqual(['a\r\nb\n', 'x\r\n']);
});

test.each(['* text=auto\n', '*.txt eol=lf\n', '[attr]words text\n*.txt words\n', '*.bin binary\n*.txt -text\n'])(
  'bytes come back as they are if the index of the user knows the file under the attributes %j',
  (attributes) => {
    const project = makeProject({ snapshots: true });
    gitIn(project.folder, 'init', '-q');
    put(project, { '.gitattributes': attributes, 'crlf.txt': 'a\r\nb\n' });
    // Git reads a file again that is as new as its index.
    utimesSync(join(project.folder, 'crlf.txt'), 1_600_000_000, 1_600_000_000);
    gitIn(project.folder, 'add', '-A', '--', ':!.ctx');
    gitIn(project.folder, 'commit', '-qm', 'first');
    ctx.startSession(project.repository, 'the task');
    const message = say(project, 'user');
    rmSync(join(project.folder, 'crlf.txt'));
    ctx.rewind(project.repository, message, { scope: 'world' });
    expect(textOf(project, 'crlf.txt')).toBe('a\r\nb\n');
  },
);

test.each(['* text=auto\n', '*.txt filter=upper\n'])(
  'bytes come back as they are if the index of the user knows the file under the attributes %j, which are gone',
  (attributes) => {
    const project = makeProject({ snapshots: true });
    const commit = (message: string): void => {
      gitIn(project.folder, 'add', '-A', '--', ':!.ctx');
      gitIn(project.folder, 'commit', '-qm', message);
    };
    gitIn(project.folder, 'init', '-q');
    gitIn(project.folder, 'config', 'filter.upper.clean', 'tr a-z A-Z');
    put(project, { '.gitattributes': attributes, 'crlf.txt': 'a\r\nb\n' });
    utimesSync(join(project.folder, 'crlf.txt'), 1_600_000_000, 1_600_000_000);
    commit('first');
    put(project, { '.gitattributes': '*.md diff=markdown\n' });
    commit('second');
    ctx.startSession(project.repository, 'the task');
    const message = say(project, 'user');
    put(project, { 'crlf.txt': 'other\n' });
    ctx.rewind(project.repository, message, { scope: 'world' });
    expect(textOf(project, 'crlf.txt')).toBe('a\r\nb\n');
  },
);

test('the snapshot of a prompt finds the message that the agent writes later, by its words', () => {
  const project = makeProject({ snapshots: true });
  ctx.startSession(project.repository, 'the task');
  const session = ctx.activeSession(project.repository)?.session_id ?? '';
  put(project, { 'a.txt': 'one\n' });
  const ids = ['first', 'second'].map((id) => {
    const words = `Please  do the ${id}\nthing`;
    project.clock.now += 100;
    const { snapshot_id } = keepFiles(project.repository, { session, point: 'message', words });
    put(project, { 'a.txt': `${id}\n` });
    return snapshot_id;
  });
  const lines = ['second', 'first'].map((id) =>
    JSON.stringify({
      kind: 'message',
      message: { id, role: 'user', parts: [{ type: 'text', text: `Please do the ${id} thing` }] },
    }),
  );
  ctx.observeBatch(project.repository, [Buffer.from(`${lines.join('\n')}\n`)]);
  const found = [...ctx.readConversation(project.repository)].map(({ id, metadata }) => [id, metadata?.snapshot_id]);
  expect(found).toEqual([
    ['second', ids[1]],
    ['first', ids[0]],
  ]);
});

test('a branch goes back to the snapshots of the messages that it has copied, and leaves what its parent did', () => {
  const project = worked();
  const { repository } = project;
  const message = say(project, 'user');
  const { snapshot_id } = [...ctx.readConversation(repository)][0]?.metadata ?? {};
  put(project, { 'b.txt': 'of the parent\n' });
  const last = say(project, 'assistant');
  ctx.branchSession(repository, last);
  const branch = project.open();
  const [copy] = [...ctx.readConversation(branch)];
  expect(copy?.metadata).toMatchObject({ copied_from: message, snapshot_id });
  say({ ...project, repository: branch }, 'user');
  put(project, { 'src/a.txt': 'of the branch\n' });
  const { world } = ctx.rewind(branch, copy?.id ?? '', { scope: 'world' });
  expect([pathsOf(world), world?.left.map(({ path }) => path)]).toEqual([['written src/a.txt'], ['b.txt']]);
  expect([textOf(project, 'src/a.txt'), textOf(project, 'b.txt')]).toEqual(['one\n', 'of the parent\n']);
  expect(fsck(project.store)).toBe('');
});
