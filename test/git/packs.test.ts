// Packed objects: however Git packs them, and while it does, what we read is what Git reads.
import { readdirSync, readFileSync, readlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { FileObjectStore } from '../../src/git/objects/objects.ts';
import { openPackIndex } from '../../src/git/objects/pack-index.ts';
import { layoutOf } from '../../src/history/names/layout.ts';
import { compactSession, flushStep, observeNote, startSession } from '../../src/index.ts';
import { uuidSource } from '../../src/platform/ids.ts';
import { errorOf, fsck, git, gitBytes, makeProject, type Project } from '../support/store.ts';

const fresh = (store: string): FileObjectStore => new FileObjectStore(layoutOf(store), uuidSource(), { fsync: false });

/** A store with a history whose texts are much alike, so that packs have long chains of deltas, and one large blob. */
function history(): Project {
  const project = makeProject();
  const { repository, store } = project;
  startSession(repository, 'A task with many steps');
  const lines = Array.from(
    { length: 400 },
    (_, index) => `line ${index} of a long text that changes a little each time`,
  );
  for (let step = 0; step < 60; step += 1) {
    // Each one is longer than the last, and most like that one: Git makes a long chain of them.
    lines[(step * 37) % lines.length] =
      `this line was changed in step ${step} and is a good deal longer than it was before`;
    repository.objects.write('blob', Buffer.from(lines.join('\n')));
    observeNote(repository, `Note ${step}: ${'detail '.repeat(step)}`);
    flushStep(repository);
  }
  compactSession(repository);
  repository.objects.write('blob', Buffer.alloc(2_000_000, 'large and repetitive '));
  // Reachable, so that every way of packing takes it in.
  const loose = readdirSync(join(store, 'objects'))
    .filter((folder) => /^[0-9a-f]{2}$/.test(folder))
    .flatMap((folder) => readdirSync(join(store, 'objects', folder)).map((name) => folder + name));
  const blobs = loose.filter((oid) => repository.objects.read(oid).type === 'blob');
  const tree = git(
    store,
    ['mktree'],
    blobs.map((oid) => `100644 blob ${oid}\t${oid}-of-one-long-text\n`).join(''),
  ).trim();
  git(store, ['tag', 'everything', git(store, ['commit-tree', '-m', 'everything', tree]).trim()]);
  return project;
}

/** Every object that Git sees: id, type and content. */
function everything(store: string): { oid: string; type: string; content: Buffer }[] {
  const list = git(store, ['cat-file', '--batch-all-objects', '--batch-check=%(objectname)']);
  const bytes = gitBytes(store, ['cat-file', '--batch'], list);
  const found: { oid: string; type: string; content: Buffer }[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(0x0a, at);
    const [oid, type, size] = bytes.toString('utf8', at, end).split(' ') as [string, string, string];
    found.push({ oid, type, content: bytes.subarray(end + 1, end + 1 + Number(size)) });
    at = end + 2 + Number(size);
  }
  return found;
}

const looseCount = (store: string): number => Number(/count: (\d+)/.exec(git(store, ['count-objects', '-v']))?.[1]);
const packs = (store: string): string[] =>
  readdirSync(join(store, 'objects', 'pack')).filter((name) => name.endsWith('.pack'));

/** Packs everything in a way of its own and puts the pack in the place of what was there. */
function repackBy(store: string, packWords: readonly string[], indexWords: readonly string[]): void {
  const list = git(store, ['cat-file', '--batch-all-objects', '--batch-check=%(objectname)']);
  const pack = gitBytes(store, ['pack-objects', '-q', ...packWords, '--stdout'], list);
  const folder = join(store, 'objects', 'pack');
  for (const file of readdirSync(folder)) unlinkSync(join(folder, file));
  git(store, ['index-pack', '--stdin', ...indexWords], pack);
  git(store, ['prune-packed', '-q']);
}

/** Of the index of the first pack: what version 2 begins with. */
const firstBytes = (store: string): string =>
  readFileSync(join(store, 'objects', 'pack', (packs(store)[0] as string).replace('.pack', '.idx'))).toString(
    'hex',
    0,
    4,
  );

/** Of the first pack: how long its longest chain of deltas is. */
function longestChain(store: string): number {
  const told = git(store, ['verify-pack', '-v', join(store, 'objects', 'pack', packs(store)[0] as string)]);
  return Math.max(...[...told.matchAll(/^chain length = (\d+)/gm)].map(([, length]) => Number(length)));
}

const WAYS: [words: string, pack: (store: string) => void, check: (store: string) => void][] = [
  ['git gc', (store) => git(store, ['gc', '-q']), (store) => expect(packs(store)).toHaveLength(1)],
  [
    'git repack with a wide window',
    (store) => git(store, ['repack', '-adfq', '--threads=1', '--depth=50', '--window=50']),
    (store) => expect(longestChain(store)).toBeGreaterThan(5),
  ],
  [
    'git repack with long chains of deltas',
    (store) => git(store, ['repack', '-adfq', '--threads=1', '--depth=50', '--window=2']),
    (store) => expect(longestChain(store)).toBeGreaterThan(30),
  ],
  [
    'several packs and a multi-pack-index',
    (store) => {
      const oid = git(store, ['hash-object', '-w', '--stdin'], 'one more');
      git(store, ['tag', 'one-more', oid.trim()]);
      git(store, ['pack-objects', '-q', join(store, 'objects', 'pack', 'pack')], oid);
      git(store, ['multi-pack-index', 'write']);
    },
    (store) => {
      expect(packs(store)).toHaveLength(2);
      expect(readdirSync(join(store, 'objects', 'pack'))).toContain('multi-pack-index');
    },
  ],
  [
    'deltas that name their base by its id',
    (store) => repackBy(store, ['--no-reuse-delta', '--depth=50', '--window=50'], []),
    (store) => expect(packs(store)).toHaveLength(1),
  ],
  [
    'an index with offsets of 64 bits',
    (store) => repackBy(store, ['--delta-base-offset'], ['--index-version=2,0x100']),
    (store) => expect(packs(store)).toHaveLength(1),
  ],
  [
    'an index of version 1',
    (store) => git(store, ['-c', 'pack.indexVersion=1', 'repack', '-adfq']),
    (store) => expect(firstBytes(store)).not.toBe('ff744f63'),
  ],
];

describe('a store that Git has packed', () => {
  const project = history();
  const before = everything(project.store);

  test('holds what it is made to hold', () => {
    expect(before.length).toBeGreaterThan(300);
    expect(packs(project.store)).toEqual([]);
  });

  test.each(WAYS)('by %s: every object is what it was', (_words, pack, check) => {
    pack(project.store);
    check(project.store);
    const objects = fresh(project.store);
    const wrong = before.filter(({ oid, type, content }) => {
      const object = objects.read(oid);
      return object.type !== type || !object.content.equals(content);
    });
    expect(wrong).toEqual([]);
    expect(objects.holds('1'.repeat(40))).toBe(false);
    expect(fsck(project.store)).toBe('');
  });

  test('nothing is loose in the end, and what is written again is loose once more: no prune may take it', () => {
    git(project.store, ['gc', '-q']);
    expect(looseCount(project.store)).toBe(0);
    const objects = fresh(project.store);
    const largest = before.reduce((most, next) => (next.content.length > most.content.length ? next : most));
    expect(objects.write('blob', largest.content)).toBe(largest.oid);
    expect(objects.write('blob', largest.content)).toBe(largest.oid);
    expect(looseCount(project.store)).toBe(1);
  });

  test('reading one object costs no more than its own chain', () => {
    const objects = fresh(project.store);
    const smallest = before.find(({ type }) => type === 'commit');
    objects.read(smallest?.oid as string);
    const rss = process.memoryUsage().arrayBuffers;
    fresh(project.store).read(smallest?.oid as string);
    expect(process.memoryUsage().arrayBuffers - rss).toBeLessThan(1_000_000);
  });
});

describe('while Git packs', () => {
  test('a process that has looked before finds what was packed since', () => {
    const { repository, store } = makeProject();
    const oid = repository.objects.write('blob', Buffer.from('packed behind our back'));
    git(store, ['tag', 'x', oid]);
    expect(repository.objects.holds('1'.repeat(40))).toBe(false);
    git(store, ['repack', '-adq']);
    expect(looseCount(store)).toBe(0);
    expect(repository.objects.read(oid).content.toString()).toBe('packed behind our back');
    expect(repository.objects.holds(oid)).toBe(true);
    // And once more: the pack that it has opened is replaced by another one.
    git(store, ['tag', 'y', repository.objects.write('blob', Buffer.from('more'))]);
    git(store, ['repack', '-adq']);
    expect(fresh(store).read(oid).type).toBe('blob');
    expect(repository.objects.holds(oid)).toBe(true);
  });

  test('a session continues over git gc, and git pack-refs, between any two commands', () => {
    const { repository, store, open } = makeProject();
    startSession(repository, 'packed');
    for (let step = 0; step < 4; step += 1) {
      observeNote(open(), `note ${step}`);
      git(store, step % 2 === 0 ? ['gc', '-q'] : ['pack-refs', '--all']);
      flushStep(step % 2 === 0 ? open() : repository);
      git(store, ['gc', '-q']);
    }
    expect(compactSession(open())).toMatchObject({ step_count: 5 });
    expect(fsck(store)).toBe('');
  });
});

describe('ids by their beginning', () => {
  const { store, repository } = makeProject();
  const oids = Array.from({ length: 600 }, (_, index) =>
    repository.objects.write('blob', Buffer.from(`${index}`)),
  ).sort();
  git(store, ['tag', 'first', oids[0] as string]);
  git(store, ['pack-objects', '-q', join(store, 'objects', 'pack', 'pack')], oids.slice(0, 400).join('\n'));
  git(store, ['prune-packed', '-q']);

  test('loose and packed ones together', () => {
    const objects = fresh(store);
    for (const length of [2, 3, 4, 8, 39, 40]) {
      for (const oid of [oids[0], oids[399], oids[400], oids[599]] as string[]) {
        const prefix = oid.slice(0, length);
        const expected = git(store, ['cat-file', '--batch-all-objects', '--batch-check=%(objectname)'])
          .split('\n')
          .filter((name) => name.startsWith(prefix));
        expect(objects.withPrefix(prefix, 1_000).sort()).toEqual(expected);
      }
    }
    expect(objects.withPrefix('0'.repeat(39), 10)).toEqual([]);
  });

  test('no more than were asked for', () => {
    const two = (oids[0] as string).slice(0, 2);
    const all = fresh(store).withPrefix(two, 1_000).length;
    expect(all).toBeGreaterThan(1);
    expect(fresh(store).withPrefix(two, 1)).toHaveLength(1);
  });
  test('also those that were packed after the store was opened', () => {
    const project = makeProject();
    const { objects } = project.repository;
    const oid = objects.write('blob', Buffer.from('x'));
    objects.holds('1'.repeat(40));
    git(project.store, ['tag', 'x', oid]);
    git(project.store, ['repack', '-adq']);
    expect(objects.withPrefix(oid.slice(0, 10), 5)).toEqual([oid]);
  });
});

test('an index of version 1 holds all that one of version 2 does', () => {
  const { repository, store } = makeProject();
  const oids = Array.from({ length: 3000 }, (_, index) => repository.objects.write('blob', Buffer.from(`${index}`)));
  const folder = join(store, 'objects', 'pack');
  const name = git(store, ['pack-objects', '-q', join(folder, 'pack')], oids.join('\n')).trim();
  const pack = join(folder, `pack-${name}.pack`);
  const first = join(store, 'first.idx');
  git(store, ['index-pack', '--index-version=1', '-o', first, pack]);
  const [one, two] = [openPackIndex(first), openPackIndex(pack.replace('.pack', '.idx'))];
  one.check();
  expect(one.pack).toBe(two.pack);
  expect([...one.entries()]).toEqual([...two.entries()]);
  expect([...one.inOrder()]).toEqual([...two.inOrder()]);
  for (const oid of [...oids, '0'.repeat(40), 'f'.repeat(40)]) expect(one.find(oid)).toBe(two.find(oid));
  for (const prefix of ['00', '7f', 'ff', oids[7]?.slice(0, 9) as string])
    expect(one.withPrefix(prefix, 9)).toEqual(two.withPrefix(prefix, 9));
  one.close();
  two.close();
  writeFileSync(first, readFileSync(first).subarray(0, -1));
  expect(errorOf(() => openPackIndex(first).check()).message).toContain('its bytes are not those of its checksum');
});

test.runIf(process.platform === 'linux')('a store that nobody holds any more keeps no file open', async () => {
  const { repository, store } = makeProject();
  startSession(repository, 'A task');
  git(store, ['gc', '-q']);
  const head = git(store, ['rev-parse', 'main']).trim();
  const openPacks = (): number =>
    readdirSync('/proc/self/fd').filter((handle) => {
      try {
        return readlinkSync(join('/proc/self/fd', handle)).startsWith(store);
      } catch {
        return false;
      }
    }).length;
  for (let opened = 0; opened < 20; opened += 1) fresh(store).read(head);
  expect(openPacks()).toBe(40);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let tries = 0; tries < 50 && openPacks() > 2; tries += 1) {
    collect();
    await wait(10);
  }
  expect(openPacks()).toBeLessThanOrEqual(2);
});
