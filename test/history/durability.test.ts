// Tests the order of durable writes: every call of the file system is written down, and its order is checked.
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { bulkStore } from '../../src/git/objects/bulk.ts';
import { packStore } from '../../src/git/objects/bulk-pack.ts';
import { SKELETON } from '../../src/history/store/create.ts';
import * as ctx from '../../src/index.ts';
import { errorOf, makeProject, type Project, temporaryFolder } from '../support/store.ts';

type Call = { name: 'write' | 'sync' | 'rename' | 'link' | 'unlink' | 'mkdir' | 'rmdir'; path: string; to?: string };
const calls = vi.hoisted(() => [] as Call[]);
/** Functions that run meanwhile: before a folder is made, before anything is synced, and after it was renamed. */
const others = vi.hoisted(() => ({
  beforeMaking: (_folder: string): void => undefined,
  beforeSyncing: (_path: string): void => undefined,
  afterRenaming: (_to: string): void => undefined,
}));

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const paths = new Map<number, string>();
  return {
    ...fs,
    openSync: (path: string, ...rest: [string, number?]) => {
      const handle = fs.openSync(path, ...rest);
      paths.set(handle, path);
      return handle;
    },
    writeSync: (handle: number, content: Buffer, ...where: number[]) => {
      calls.push({ name: 'write', path: paths.get(handle) ?? '' });
      return fs.writeSync(handle, content, ...where);
    },
    fsyncSync: (handle: number) => {
      others.beforeSyncing(paths.get(handle) ?? '');
      calls.push({ name: 'sync', path: paths.get(handle) ?? '' });
      fs.fsyncSync(handle);
    },
    renameSync: (path: string, to: string) => {
      calls.push({ name: 'rename', path, to });
      fs.renameSync(path, to);
      others.afterRenaming(to);
    },
    linkSync: (path: string, to: string) => {
      calls.push({ name: 'link', path, to });
      fs.linkSync(path, to);
    },
    unlinkSync: (path: string) => {
      calls.push({ name: 'unlink', path });
      fs.unlinkSync(path);
    },
    rmdirSync: (path: string) => {
      fs.rmdirSync(path);
      calls.push({ name: 'rmdir', path });
    },
    mkdirSync: (path: string, options: object) => {
      others.beforeMaking(path);
      fs.mkdirSync(path, options);
      calls.push({ name: 'mkdir', path });
    },
  };
});

beforeEach(() => {
  calls.length = 0;
  others.beforeMaking = () => undefined;
  others.beforeSyncing = () => undefined;
  others.afterRenaming = () => undefined;
});

/** Names that may be lost with the power: locks, and their second names, are worth nothing after a crash. */
const isPassing = (path: string): boolean => /LOCK|\.lock$|\.tmp$|tmp_/.test(path);

/** Returns the faults in the order of the calls; empty if there are none. */
function faults({ store }: Pick<Project, 'store'>): string[] {
  const found: string[] = [];
  /** Files whose last bytes, and folders whose last names, the disk may not have. */
  const unsynced = new Set<string>();
  const say = (path: string): string => relative(store, path);
  const isPointer = (path: string): boolean => /^(refs\/|STAGE$|oplog\/begun\.json$)/.test(say(path));
  // The operation before gets its own name with the same wait: only newest.json, whose name it had, must come behind that.
  const mayWait = (path: string, to: string): boolean => say(path) === 'oplog' && say(to) === 'oplog/begun.json';
  for (const { name, path, to } of calls) {
    if (name === 'write') unsynced.add(path);
    else if (name === 'sync') unsynced.delete(path);
    else if (name === 'mkdir') unsynced.add(dirname(path));
    else if (name === 'unlink') {
      unsynced.delete(path);
      // A ref, or a record that waited, must not come back.
      if (/^refs\/|^pending\/.*\.json$/.test(say(path)) && !isPassing(path)) unsynced.add(dirname(path));
    } else if (name === 'rmdir') {
      // The folder goes by itself; what went out of it must have gone for good before.
      if (unsynced.delete(path)) found.push(`${say(path)} went before the disk had what became of it`);
    } else if (to !== undefined && !isPassing(to)) {
      if (unsynced.has(path)) found.push(`${say(to)} got its name before the disk had its bytes`);
      const open = [...unsynced].filter(
        (other) => !isPassing(other) && other !== path && !say(other).startsWith('logs') && !mayWait(other, to),
      );
      // A pointer may name only what is there: everything before it must be on the disk, with its name.
      if (isPointer(to) && open.length > 0)
        found.push(`${say(to)} moved before the disk had ${open.map(say).join(', ')}`);
      if (say(to) === 'oplog/newest.json' && unsynced.has(dirname(to)))
        found.push('the newest operation took its name before the disk had the one before it under another');
      unsynced.delete(path);
      unsynced.add(dirname(to));
    } else if (name === 'link') unsynced.delete(path);
  }
  const left = [...unsynced].filter((path) => !isPassing(path));
  if (left.length > 0) found.push(`the disk may not have ${left.map(say).join(', ')} at the end`);
  return found;
}

const NOTE = 'long '.repeat(8_000);

test.each<[string, (repository: ctx.Repository) => void, (repository: ctx.Repository) => void]>([
  ['starting', () => undefined, (repository) => ctx.startSession(repository, 'x'.repeat(9_000))],
  ['observing', (repository) => ctx.startSession(repository, 't'), (repository) => ctx.observeNote(repository, NOTE)],
  [
    'flushing',
    (repository) => {
      ctx.startSession(repository, 't');
      ctx.observeNote(repository, NOTE);
    },
    (repository) => ctx.flushStep(repository),
  ],
  [
    'moving',
    (repository) => ctx.startSession(repository, 't'),
    (repository) => ctx.setState(repository, 'ask', { text: 'x'.repeat(9_000) }),
  ],
  [
    'compacting',
    (repository) => {
      ctx.startSession(repository, 't');
      ctx.observeNote(repository, NOTE);
    },
    (repository) => ctx.compactSession(repository),
  ],
])('%s: objects before pointers, bytes before names, and all of it when it returns', (_words, before, act) => {
  const project = makeProject({ fsync: true });
  before(project.repository);
  calls.length = 0;
  act(project.open());
  expect(calls.filter((call) => call.name === 'sync').length).toBeGreaterThan(3);
  expect(faults(project)).toEqual([]);
});

test('a ref that is packed goes in order: the mark of a lock is on the disk before the lock, and goes after it', () => {
  const project = makeProject({ fsync: true });
  ctx.startSession(project.repository, 't');
  project.git('pack-refs', '--all');
  calls.length = 0;
  ctx.compactSession(project.open());
  expect(faults(project)).toEqual([]);
  const names = calls.map(({ name, path, to }) => `${name} ${relative(project.store, to ?? path)}`);
  const packed = names.indexOf('rename packed-refs');
  expect(names.slice(packed - 2, packed + 2)).toEqual([
    'write LOCK.packed.new',
    'sync LOCK.packed.new',
    'rename packed-refs',
    'sync ',
  ]);
  const taken = calls.flatMap(({ name, to }, at) => (name === 'link' && to?.endsWith('.lock') ? [at] : []));
  // The archive, main, STAGE, the session, and packed-refs.
  expect(taken).toHaveLength(5);
  for (const at of taken) {
    const { path: mark, to: lock = '' } = calls[at] as Call;
    const before = calls.slice(0, at);
    const written = before.findLastIndex(({ name, path }) => name === 'write' && path === mark);
    const synced = before.slice(Math.max(written, 0)).filter(({ name }) => name === 'sync');
    expect(synced.map(({ path }) => path).slice(-2)).toEqual([mark, project.store]);
    const after = calls.slice(at + 1);
    const gone = after.findIndex(({ path }) => path === lock);
    const unmarked = after.findIndex(({ name, path }) => name === 'unlink' && path === mark);
    expect(after.slice(gone, unmarked)).toContainEqual({ name: 'sync', path: dirname(lock) });
  }
});

test('many objects at once are settled together, before a pointer may name them', () => {
  const project = makeProject({ fsync: true });
  const bulk = bulkStore(project.open());
  for (let index = 0; index < 20; index += 1) bulk.write('blob', Buffer.from(`content ${index}`));
  expect(calls.some((call) => call.name === 'rename')).toBe(false);
  bulk.publish();
  expect(calls.filter((call) => call.name === 'rename')).toHaveLength(20);
  expect(faults(project)).toEqual([]);
});

test('a pack has its bytes on the disk before its name, and its name before that of its index', () => {
  const project = makeProject({ fsync: true });
  const store = packStore(project.open());
  for (let index = 0; index < 1000; index += 1) store.write('blob', Buffer.from(`content ${index}`));
  expect(calls.filter(({ name }) => name === 'rename' || name === 'sync')).toEqual([]);
  store.publish();
  const names = calls.flatMap(({ to }) => (to === undefined ? [] : to.replace(/^.*\./, '')));
  expect(names).toEqual(['pack', 'idx']);
  expect(faults(project)).toEqual([]);
  const first = calls.findIndex(({ to }) => to?.endsWith('.pack'));
  const pack = calls[first] as Call;
  expect(calls.slice(0, first)).toContainEqual({ name: 'sync', path: pack.path });
  expect(calls.at(-1)).toEqual({ name: 'sync', path: dirname(pack.to as string) });
});

test('what was there already has its name on the disk too, before a pointer may name it', () => {
  const project = makeProject({ fsync: true });
  const content = Buffer.from('of a process that was killed before the disk had its name');
  const oid = project.repository.objects.write('blob', content);
  const bulk = bulkStore(project.open());
  calls.length = 0;
  bulk.write('blob', content);
  bulk.publish();
  expect(calls).toContainEqual({ name: 'sync', path: join(project.store, 'objects', oid.slice(0, 2)) });
});

test('a torn STAGE stays in its place until it is right, and its copy is on the disk before', () => {
  const project = makeProject({ fsync: true });
  ctx.startSession(project.repository, 't');
  ctx.startSession(project.repository, 'another', { replace: true });
  writeFileSync(join(project.store, 'STAGE'), 'torn');
  calls.length = 0;
  expect(checkStore(project.open(), { repair: true }).healthy).toBe(true);
  const [stage, lost] = [join(project.store, 'STAGE'), join(project.store, 'lost')];
  const published = calls.findIndex(({ to }) => to === stage);
  const kept = calls.findIndex(({ name, path }) => name === 'sync' && path === lost);
  expect(calls.filter(({ path }) => path === stage)).toEqual([]);
  expect([kept >= 0, published > kept]).toEqual([true, true]);
  expect(faults(project)).toEqual([]);
});

test('what the holder of a lock may have left is on the disk before the lock is taken away on demand', () => {
  const project = makeProject({ fsync: true });
  const { session_id } = ctx.startSession(project.repository, 't');
  ctx.observeNote(project.repository, NOTE);
  const folders = ['refs', 'logs', 'logs/refs', 'objects/pack', 'choices', 'lost'];
  for (const folder of folders) mkdirSync(join(project.store, folder), { recursive: true });
  writeFileSync(join(project.store, 'LOCK'), 'of another machine');
  calls.length = 0;
  expect(checkStore(project.open(), { breakLock: true }).repaired).toEqual(['Removed LOCK.']);
  const names = calls.map(({ name, path }) => `${name} ${relative(project.store, path)}`);
  const settled = names.slice(0, names.indexOf('unlink LOCK'));
  for (const folder of [...folders, '', 'objects', 'refs/sessions', 'oplog', 'pending', `pending/${session_id}`])
    expect(settled).toContain(`sync ${folder}`);
});

describe('a folder that somebody else has made, and whose name the disk may not have', () => {
  const DAY = 86_400_000;
  const syncs = ({ store }: Project): string[] =>
    calls.filter(({ name }) => name === 'sync').map(({ path }) => relative(store, path));
  const everyByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
  /** Makes all folders of objects that there may be, as Git and an ingest make them. */
  function makeFolders({ store }: Project): void {
    for (const name of everyByte) mkdirSync(join(store, 'objects', name), { recursive: true });
  }

  /** A project with a record that waits. */
  function withRecord(): Project {
    const project = makeProject({ fsync: true });
    ctx.startSession(project.repository, 't');
    ctx.observeNote(project.repository, NOTE);
    calls.length = 0;
    return project;
  }

  test('of objects is waited for while it is young', () => {
    const project = withRecord();
    makeFolders(project);
    ctx.flushStep(project.open());
    expect(faults(project)).toEqual([]);
  });

  test('of objects costs nothing when it is old', () => {
    const project = withRecord();
    makeFolders(project);
    const later = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + DAY);
    ctx.flushStep(project.open());
    later.mockRestore();
    expect(syncs(project)).not.toContain('objects');
  });

  /** Leaves an object as somebody leaves it who is killed before he waits for the disk; gives its content. */
  function leaveObject({ store, repository }: Project): Buffer {
    const content = Buffer.from('left by another');
    const elsewhere = makeProject().repository;
    const oid = elsewhere.objects.write('blob', content);
    const [folder, name] = [oid.slice(0, 2), oid.slice(2)];
    calls.length = 0;
    mkdirSync(join(repository.layout.objects, folder));
    renameSync(join(elsewhere.layout.objects, folder, name), join(store, 'objects', folder, name));
    return content;
  }

  test.each<[string, (repository: ctx.Repository, content: Buffer) => void]>([
    [
      'one',
      ({ objects, secondNames }, content) => {
        objects.write('blob', content);
        // As before a pointer moves.
        secondNames.sync();
      },
    ],
    [
      'many',
      (repository, content) => {
        const bulk = bulkStore(repository);
        bulk.write('blob', content);
        bulk.publish();
      },
    ],
  ])('with an object that is found in it: written as %s', (_words, write) => {
    const project = makeProject({ fsync: true });
    const content = leaveObject(project);
    const theirs = calls.length;
    write(project.open(), content);
    expect(calls.slice(theirs).map(({ name }) => name)).not.toContain('rename');
    const here = calls.filter(({ path, to }) => (to ?? path).startsWith(project.store));
    calls.splice(0, calls.length, ...here);
    expect(faults(project)).toEqual([]);
  });

  test('of records that wait, at the same moment', () => {
    const project = makeProject({ fsync: true });
    const { session_id } = ctx.startSession(project.repository, 't');
    calls.length = 0;
    others.beforeMaking = (folder) => {
      others.beforeMaking = () => undefined;
      expect(relative(project.store, folder)).toBe(`pending/${session_id}`);
      mkdirSync(folder);
    };
    ctx.observeNote(project.open(), 'short');
    expect(calls.filter(({ name }) => name === 'mkdir')).toHaveLength(1);
    expect(faults(project)).toEqual([]);
  });

  test('of records that wait, which the disk refuses: nothing is left of the record', () => {
    const project = withRecord();
    const before = readdirSync(project.store, { recursive: true });
    others.beforeSyncing = (path) => {
      if (path === project.repository.layout.pending) throw Object.assign(new Error('broken'), { code: 'EIO' });
    };
    expect(errorOf(() => ctx.observeNote(project.open(), 'short')).code).toBe('io');
    expect(readdirSync(project.store, { recursive: true })).toEqual(before);
  });

  test('of records of a session that begins with an answer: they leave their old place only then', () => {
    const project = makeProject({ fsync: true });
    ctx.startSession(project.repository, 'Add retry');
    ctx.observeNote(project.repository, 'one');
    ctx.flushStep(project.repository);
    ctx.handleUserMessage(project.repository, 'Write the docs', { as: 'NewTask' });
    ctx.observeNote(project.repository, 'meanwhile');
    let folder = '';
    calls.length = 0;
    others.afterRenaming = (to) => {
      if (relative(project.store, to) !== 'STAGE') return;
      others.afterRenaming = () => undefined;
      folder = join(project.store, 'pending', (ctx.sessionStatus(project.open()) as ctx.ActiveStatus).session_id);
      mkdirSync(folder);
    };
    ctx.handleChoice(project.open(), 'fresh');
    const made = calls.findIndex(({ name, path }) => name === 'mkdir' && path === folder);
    const moved = calls.findIndex(({ to }) => to?.startsWith(folder));
    expect([made > 0, moved > made]).toEqual([true, true]);
    expect(calls.slice(made, moved)).toContainEqual({ name: 'sync', path: project.repository.layout.pending });
    expect(faults(project)).toEqual([]);
  });

  test('of a new store', () => {
    const folder = temporaryFolder();
    const store = join(folder, '.ctx');
    mkdirSync(store);
    for (const name of SKELETON.flatMap((path) => [dirname(path), path]).filter((path) => path !== '.'))
      if (!existsSync(join(store, name))) mkdirSync(join(store, name));
    ctx.initRepository({ directory: folder, tracked: true });
    expect(faults({ store })).toEqual([]);
  });
});

test('"fsync": false waits for nothing', () => {
  const project = makeProject({ fsync: false });
  ctx.startSession(project.open(), 't');
  ctx.observeNote(project.open(), NOTE);
  ctx.compactSession(project.open());
  expect(calls.filter((call) => call.name === 'sync').map((call) => relative(project.store, call.path))).toEqual([]);
});

test('a plan of a forgetting has its name only when all that it stages is on the disk, names too', () => {
  const project = makeProject({ fsync: true });
  ctx.startSession(project.repository, 'A task with a Zwiebelkuchen');
  calls.length = 0;
  ctx.forget(project.open(), { text: 'Zwiebelkuchen' });
  const folder = `${project.store}/forgetting`;
  const begun = calls.findIndex(({ name, to }) => name === 'rename' && to === `${folder}/plan.json`);
  const staged = calls.findLastIndex(({ name, path }, at) => at < begun && name === 'write' && /\/\d+$/.test(path));
  expect(staged).toBeGreaterThan(0);
  expect(calls.slice(staged, begun)).toContainEqual({ name: 'sync', path: folder });
});
