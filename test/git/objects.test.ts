// One contract for everything that reads and writes objects: the same objects, the same ids, whoever wrote them.
import { readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { encodeTree } from '../../src/core/tree.ts';
import { type BulkStore, bulkStore } from '../../src/git/objects/bulk.ts';
import { inPack, packStore } from '../../src/git/objects/bulk-pack.ts';
import { releasePacks } from '../../src/git/objects/keep-file.ts';
import { frame, loosePath, type ObjectType, sha1 } from '../../src/git/objects/loose.ts';
import type { ObjectStore } from '../../src/git/objects/objects.ts';
import type { Repository } from '../../src/history/store/repository.ts';
import { type Driver, drivers } from '../support/object-drivers.ts';
import { errorOf, fsck, git, makeProject, type Project, temporaryFolder } from '../support/store.ts';

const EMPTY = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';
const person = 'a <a@b> 1 +0000';
const tree = encodeTree([{ mode: '100644', name: 'a', oid: EMPTY }]);
const treeOid = sha1(frame('tree', tree));
const commit = Buffer.from(`tree ${treeOid}\nauthor ${person}\ncommitter ${person}\n\nm\n`);
const tag = Buffer.from(`object ${sha1(frame('commit', commit))}\ntype commit\ntag v1\ntagger ${person}\n\nm\n`);

/** Bytes that nothing makes smaller. */
const noise = Buffer.alloc(3_000_000);
for (let at = 0, state = 7; at < noise.length; at += 1) {
  state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
  noise[at] = state >> 16;
}

const OBJECTS: [words: string, type: ObjectType, content: Buffer][] = [
  ['an empty blob', 'blob', Buffer.alloc(0)],
  ['a blob of one byte', 'blob', Buffer.from([0])],
  ['a blob of every byte', 'blob', Buffer.from(Array.from({ length: 256 }, (_, index) => index))],
  ['a blob that looks like a header', 'blob', Buffer.from('commit 12\0hello')],
  ['the largest that is stored as it is', 'blob', Buffer.alloc(4_000 - 'blob 3990'.length - 1, 'y')],
  ['a blob of text', 'blob', Buffer.alloc(100_000, 'the quick brown fox ')],
  ['a blob of noise', 'blob', noise],
  ['an empty tree', 'tree', Buffer.alloc(0)],
  ['a tree', 'tree', tree],
  ['a commit', 'commit', commit],
  ['a tag', 'tag', tag],
];

const project = makeProject();
const all = drivers(project);
/** Objects of the scratch store stay in memory: nobody else can read it. */
const isShared = (driver: Driver): boolean => driver.name !== 'scratch store';

describe.each(all)('$name', (writer) => {
  test.each(OBJECTS)('writes %s under the id that Git gives it, and reads it back', async (_words, type, content) => {
    const oid = await writer.write(type, content);
    expect(oid).toBe(sha1(frame(type, content)));
    const read = await writer.read(oid);
    expect([read.type, read.content.equals(content)]).toEqual([type, true]);
    // Once more is the same.
    expect(await writer.write(type, content)).toBe(oid);
  });

  test('what it wrote, everybody reads', async () => {
    const fresh = makeProject();
    const [own, ...others] = [
      drivers(fresh).find((driver) => driver.name === writer.name) as Driver,
      ...drivers(fresh).filter((driver) => driver.name !== writer.name && isShared(writer)),
    ];
    for (const [words, type, content] of OBJECTS) {
      const oid = await own.write(type, content);
      for (const reader of others) {
        const read = await reader.read(oid);
        expect([read.type, read.content.equals(content)], `${words}, read by ${reader.name}`).toEqual([type, true]);
      }
    }
    expect(fsck(fresh.store)).toBe('');
  });

  test('what is not there is an error, and never empty', async () => {
    await expect(writer.read('1'.repeat(40))).rejects.toThrow();
  });
});

describe.each(all.filter((driver) => driver.store))('$name, as ours', ({ store, name }) => {
  const objects = store as NonNullable<typeof store>;
  const oid = objects.write('blob', Buffer.from(`of ${name}`));

  test('says whether it holds an object', () => {
    expect(objects.holds(oid)).toBe(true);
    expect(objects.holds(project.repository.objects.write('blob', Buffer.from('of another')))).toBe(true);
    expect(objects.holds('1'.repeat(40))).toBe(false);
  });

  test('names what is missing', () => {
    const error = errorOf(() => objects.read('1'.repeat(40)));
    expect(error).toMatchObject({ code: 'damaged', message: `object ${'1'.repeat(40)} is missing from the store` });
    expect(errorOf(() => objects.readAs('1'.repeat(40), 'tree')).code).toBe('damaged');
  });

  test('gives the content of the type that was asked for', () => {
    expect(objects.readAs(oid, 'blob').toString()).toBe(`of ${name}`);
  });

  test('takes over an object file that lies outside', () => {
    const file = join(temporaryFolder(), 'object');
    const content = Buffer.from(`adopted by ${name}`);
    const other = makeProject();
    const id = other.repository.objects.write('blob', content);
    objects.adopt(loosePath(join(other.store, 'objects'), id), id);
    expect(objects.read(id).content.equals(content)).toBe(true);
    objects.adopt(file, id);
    expect(errorOf(() => objects.adopt(file, '2'.repeat(40))).code).toBe('damaged');
    writeFileSync(file, 'no object');
    expect(errorOf(() => objects.adopt(file, '2'.repeat(40))).message).toContain('2'.repeat(40));
    expect(objects.holds('2'.repeat(40))).toBe(false);
  });
});

describe('another type than the one asked for is refused, and said which it is', () => {
  const refused = (store: Driver['store'], oid: string): void => {
    const message = `object ${oid} is damaged: it is a blob, and must be a tree`;
    expect(errorOf(() => store?.readAs(oid, 'tree'))).toMatchObject({ code: 'damaged', message });
  };
  const storeOf = (name: string): ObjectStore | null | undefined => all.find((driver) => driver.name === name)?.store;
  const [file, bulk, scratch] = ['file store', 'bulk store', 'scratch store'].map(storeOf);

  test('by the file store', () => refused(file ?? null, (file as ObjectStore).write('blob', Buffer.from('x'))));
  test('by a bulk store that is settled', () =>
    refused(bulk ?? null, (file as ObjectStore).write('blob', Buffer.from('x'))));
  test('by a bulk store that is not', () => {
    refused(bulk ?? null, (bulk as ObjectStore).write('blob', Buffer.from('not settled')));
  });
  test('by the scratch store', () => {
    refused(scratch ?? null, (scratch as ObjectStore).write('blob', Buffer.from('scratched')));
  });
});

describe('many at once', () => {
  test('have no name before they are settled, and are readable by their writer all the same', () => {
    const { repository, store, open } = makeProject();
    const bulk = bulkStore(repository);
    const contents = Array.from({ length: 50 }, (_, index) => Buffer.alloc(index * 1_000, `content ${index} `));
    const oids = contents.map((content) => bulk.write('blob', content));
    for (const [index, oid] of oids.entries()) {
      expect(bulk.read(oid).content.equals(contents[index] as Buffer)).toBe(true);
      expect(open().objects.holds(oid)).toBe(false);
    }
    bulk.publish();
    for (const oid of oids) expect(open().objects.holds(oid)).toBe(true);
    expect(fsck(store)).toBe('');
  });

  test('keep their content when the buffer is used again', () => {
    const bulk = bulkStore(makeProject().repository);
    const buffer = Buffer.from('first');
    const oid = bulk.write('blob', buffer);
    buffer.write('SECND');
    expect(bulk.read(oid).content.toString()).toBe('first');
    bulk.publish();
    expect(bulk.read(oid).content.toString()).toBe('first');
  });

  test('more than is held at hand are still there', () => {
    const bulk = bulkStore(makeProject().repository);
    const piece = (index: number): Buffer => Buffer.alloc(15_000, `${index}-`);
    const oids = Array.from({ length: 600 }, (_, index) => bulk.write('blob', piece(index)));
    for (const index of [0, 1, 350, 599])
      expect(bulk.read(oids[index] as string).content.equals(piece(index))).toBe(true);
  });

  test('a settled store writes again', () => {
    const { repository, open } = makeProject();
    const bulk = bulkStore(repository);
    bulk.publish();
    const oid = bulk.write('blob', Buffer.from('later'));
    bulk.publish();
    expect(open().objects.read(oid).content.toString()).toBe('later');
  });
});

test.each(['file store', 'bulk store', 'pack store'])(
  'the %s writes what is new without a look into packs, of which there may be hundreds',
  (name) => {
    const project = makeProject();
    // Whoever opens it is told that it is none.
    writeFileSync(join(project.store, 'objects', 'pack', `pack-${'a'.repeat(40)}.pack`), '');
    writeFileSync(join(project.store, 'objects', 'pack', `pack-${'a'.repeat(40)}.idx`), '');
    const store = drivers(project).find((driver) => driver.name === name)?.store as BulkStore;
    const oid = store.write('blob', Buffer.from('new'));
    store.publish?.();
    expect(project.open().objects.read(oid).content.toString()).toBe('new');
    expect(errorOf(() => project.open().objects.holds(EMPTY)).code).toBe('damaged');
  },
);

describe('so many at once that they go into a pack', () => {
  const piece = (index: number): Buffer => Buffer.alloc(20_000, `${index}-`);
  const filesIn = ({ store }: Project): string[] =>
    readdirSync(join(store, 'objects'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      /[0-9a-f]{36}/.test(name),
    );

  test('few are loose, much is one pack with its index, and each is read by its writer before it has a name', () => {
    const project = makeProject();
    const before = filesIn(project).length;
    const store = packStore(project.open());
    const oids = [0, 1].map((index) => store.write('blob', piece(index)));
    store.publish();
    expect(filesIn(project)).toHaveLength(before + 2);
    for (let index = 0; index < 200; index += 1) oids.push(store.write('blob', piece(index)));
    for (const [index, oid] of oids.slice(2).entries())
      expect(store.read(oid).content.equals(piece(index)), `piece ${index}`).toBe(true);
    expect(project.open().objects.holds(oids[100] as string)).toBe(false);
    store.publish();
    expect(filesIn(project).filter((name) => /\.(pack|idx)$/.test(name))).toHaveLength(2);
    expect(filesIn(project).filter((name) => name.endsWith('.keep'))).toHaveLength(1);
    releasePacks(store.kept());
    expect(filesIn(project)).toHaveLength(before + 4);
    for (const oid of oids) expect(project.open().objects.holds(oid)).toBe(true);
    expect(fsck(project.store)).toBe('');
    // An object of the pack is there for a writer that writes more with the same store.
    expect(store.write('blob', piece(7))).toBe(oids[9]);
    expect(store.read(oids[9] as string).content.equals(piece(7))).toBe(true);
  });

  test('an object that is written twice is in it once, and one that is loose already is in it as well', () => {
    const project = makeProject();
    const oid = project.repository.objects.write('blob', piece(3));
    const store = packStore(project.open());
    for (const index of Array.from({ length: 400 }, (_, at) => at % 200)) store.write('blob', piece(index));
    store.publish();
    expect(project.git('count-objects', '-v')).toMatch(/^in-pack: 200$/m);
    rmSync(loosePath(join(project.store, 'objects'), oid));
    expect(project.open().objects.holds(oid)).toBe(true);
  });

  test('what fails leaves nothing behind, and what is private stays it', () => {
    const project = makeProject();
    const write = (objects: ObjectStore): void => {
      for (let index = 0; index < 200; index += 1) objects.write('blob', piece(index));
    };
    const pack = join(project.store, 'objects', 'pack');
    const failing = (objects: ObjectStore): void => {
      write(objects);
      expect(readdirSync(pack)).toHaveLength(1);
      throw new Error('no room');
    };
    expect(() => inPack(project.open(), failing)).toThrow('no room');
    expect(readdirSync(pack)).toEqual([]);
    inPack(project.open(), (objects) => {
      write(objects);
      objects.publish();
    });
    expect(readdirSync(pack)).toHaveLength(3);
    for (const name of readdirSync(pack)) expect(statSync(join(pack, name)).mode & 0o077).toBe(0);
    expect(() =>
      inPack(project.open(), (objects) => {
        objects.write('blob', Buffer.from('another'));
        write(objects);
        objects.publish();
        throw new Error('no more room');
      }),
    ).toThrow('no more room');
    expect(readdirSync(pack).filter((name) => name.endsWith('.keep'))).toHaveLength(1);
  });

  test('Git that repacks beside it leaves what no pointer names yet, until it is let go of', () => {
    const project = makeProject();
    const store = packStore(project.open());
    const oids = Array.from({ length: 200 }, (_, index) => store.write('blob', piece(index)));
    store.publish();
    project.git('repack', '-a', '-d', '-q');
    project.git('gc', '--prune=now', '-q');
    for (const oid of oids) expect(project.open().objects.holds(oid)).toBe(true);
    releasePacks(store.kept());
    project.git('repack', '-a', '-d', '-q');
    expect(project.open().objects.holds(oids[0] as string)).toBe(false);
  });

  test('what Git has pruned before it had a name is distinguished from trouble with the store: it can be written again', () => {
    const project = makeProject();
    const store = packStore(project.open());
    for (let index = 0; index < 200; index += 1) store.write('blob', piece(index));
    project.git('prune');
    expect(errorOf(() => store.publish())).toMatchObject({ code: 'busy', data: { pointer: 'objects' } });
    expect(readdirSync(join(project.store, 'objects', 'pack'))).toEqual([]);
  });
});

describe('a prune beside us takes nothing that a writer counts on', () => {
  const content = Buffer.from('unreachable, and weeks old');
  const oid = sha1(frame('blob', content));
  const prune = (project: Project): string => project.git('prune', '--expire=2.weeks.ago');

  test.each<[string, (repository: Repository) => ObjectStore]>([
    ['the file store', ({ objects }) => objects],
    ['a bulk store', (repository) => bulkStore(repository)],
  ])('what %s finds there is made young', (_words, storeOf) => {
    const project = makeProject();
    const path = loosePath(join(project.store, 'objects'), project.repository.objects.write('blob', content));
    utimesSync(path, 0, 0);
    storeOf(project.open()).write('blob', content);
    prune(project);
    expect(project.open().objects.holds(oid)).toBe(true);
  });

  test('what a bulk store finds in a pack alone is written once more', () => {
    const project = makeProject();
    project.repository.objects.write('blob', content);
    git(project.store, ['pack-objects', '-q', join(project.store, 'objects', 'pack', 'pack')], `${oid}\n`);
    project.git('prune-packed');
    const bulk = bulkStore(project.open());
    bulk.write('blob', content);
    bulk.publish();
    rmSync(join(project.store, 'objects', 'pack'), { recursive: true });
    expect(project.open().objects.holds(oid)).toBe(true);
  });

  test('an object that waited for weeks is young under its own name', () => {
    const [project, other] = [makeProject(), makeProject()];
    const file = loosePath(join(other.store, 'objects'), other.repository.objects.write('blob', content));
    utimesSync(file, 0, 0);
    project.repository.objects.adopt(file, oid);
    prune(project);
    expect(project.open().objects.holds(oid)).toBe(true);
  });
});

test('objects are the user’s alone', () => {
  const { repository, store } = makeProject();
  const path = loosePath(join(store, 'objects'), repository.objects.write('blob', Buffer.from('private')));
  expect(statSync(path).mode & 0o077).toBe(0);
  expect(statSync(join(path, '..')).mode & 0o077).toBe(0);
});
