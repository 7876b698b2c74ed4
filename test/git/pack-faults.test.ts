// A pack or an index that is wrong as a whole file: the one at fault is named, and mended without losing anything.
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { checkOrMend, checkStore } from '../../src/app/fsck.ts';
import { collectGarbage } from '../../src/app/gc.ts';
import { loosePath } from '../../src/git/objects/loose.ts';
import * as ctx from '../../src/index.ts';
import { errorOf, fsck, git, makeProject, type Project } from '../support/store.ts';

interface Packed extends Project {
  /** The one pack, which holds all of the store, without its ending. */
  pack: string;
  /** The name of that in the store. */
  name: string;
  /** Contents of it, by id. */
  contents: Map<string, Buffer>;
}

function packed(): Packed {
  const project = makeProject();
  for (const task of ['one', 'two']) {
    ctx.startSession(project.repository, task);
    ctx.observeNote(project.repository, `a note on ${task}`);
    ctx.compactSession(project.repository);
  }
  project.git('-c', 'repack.writeBitmaps=false', 'repack', '-adq');
  project.git('prune-packed');
  const folder = join(project.store, 'objects/pack');
  for (const file of readdirSync(folder)) chmodSync(join(folder, file), 0o600);
  const [file] = readdirSync(folder).filter((entry) => entry.endsWith('.pack'));
  const base = (file as string).replace(/\.pack$/, '');
  const oids = project.git('cat-file', '--batch-all-objects', '--batch-check=%(objectname)').trim().split('\n');
  const { objects } = project.open();
  const contents = new Map(oids.map((oid) => [oid, objects.read(oid).content]));
  return { ...project, pack: join(folder, base), name: `objects/pack/${base}`, contents };
}

/** Turns a bit of a file over, at a place from its beginning or from its end; gives what it was. */
function flip(path: string, at: number): Buffer {
  const was = readFileSync(path);
  const bytes = Buffer.from(was);
  const place = at < 0 ? bytes.length + at : at;
  bytes[place] = (bytes[place] as number) ^ 1;
  writeFileSync(path, bytes);
  return was;
}

const kept = (of: Project, part: string): Buffer[] =>
  readdirSync(join(of.store, 'lost'))
    .filter((name) => name.includes(part))
    .map((name) => readFileSync(join(of.store, 'lost', name)));

function isWhole(of: Packed): void {
  const { objects } = of.open();
  for (const [oid, content] of of.contents) expect(objects.read(oid).content.equals(content)).toBe(true);
  expect(checkStore(of.open(), { full: true })).toEqual({ findings: [], repaired: [], healthy: true });
  expect(fsck(of.store)).toBe('');
}

const WITHOUT_GIT: [string, () => void] = ['ctx alone', () => vi.stubEnv('PATH', '')];
const TOOLS: [string, () => void][] = [['Git', () => undefined], WITHOUT_GIT];
afterEach(() => vi.unstubAllEnvs());

describe('an index with a wrong byte', () => {
  const REMAKE =
    'ctx fsck --repair makes it again from its pack, and keeps the wrong one in lost/. If the pack is torn too, it sets both aside, and rewrites all that can be read of it.';

  test('is the one thing that is named, wherever that is, and nothing is missing', () => {
    const of = packed();
    const index = `${of.pack}.idx`;
    const { size } = statSync(index);
    for (let at = 0; at < size; at += at < 8 || at > size - 45 ? 3 : 41) {
      const was = flip(index, at);
      const { objects } = of.open();
      for (const [oid, content] of of.contents) {
        let read: Buffer | string;
        try {
          read = objects.read(oid).content;
        } catch (error) {
          read = (error as Error).message;
        }
        if (typeof read === 'string') expect(read).toContain(`pack index ${index} is damaged`);
        else expect(read.equals(content)).toBe(true);
      }
      objects.close();
      expect([at, checkStore(of.open()).findings]).toMatchObject([at, [{ where: `${of.name}.idx`, hint: REMAKE }]]);
      writeFileSync(index, was);
    }
  });

  test('makes no name unknown that it does not find', () => {
    const of = packed();
    const head = of.git('rev-parse', 'main').trim();
    const sorted = [...of.contents.keys()].sort();
    flip(`${of.pack}.idx`, 8 + 1024 + sorted.indexOf(head) * 20);
    expect(errorOf(() => ctx.showRevision(of.open(), head.slice(0, 10)))).toMatchObject({
      code: 'damaged',
      hint: REMAKE,
    });
  });

  test.each(TOOLS)('is made again by %s, and the wrong one is kept', async (_who, choose) => {
    const of = packed();
    const index = `${of.pack}.idx`;
    for (const at of [20, 8 + 1024 + 7, -50, -30, -3]) {
      const was = flip(index, at);
      const wrong = readFileSync(index);
      choose();
      const { repaired } = await checkOrMend(of.open(), { repair: true });
      vi.unstubAllEnvs();
      const told = `Made a new index of ${of.name.slice('objects/pack/'.length)}.pack; the wrong one is in lost/.`;
      expect(repaired).toEqual([told]);
      expect(readFileSync(index).equals(was)).toBe(true);
      expect(statSync(index).mode & 0o077).toBe(0);
      chmodSync(index, 0o600);
      expect(kept(of, '.idx.').some((bytes) => bytes.equals(wrong))).toBe(true);
      expect(readdirSync(join(of.store, 'objects/pack'))).toHaveLength(2);
    }
    isWhole(of);
  });

  test('that is whole itself and of another pack is made again too', async () => {
    const [of, other] = [packed(), packed()];
    writeFileSync(`${of.pack}.idx`, readFileSync(`${other.pack}.idx`));
    const message = `pack index ${of.pack}.idx is damaged: it is that of another pack`;
    expect(checkStore(of.open()).findings).toContainEqual(expect.objectContaining({ message }));
    await checkOrMend(of.open(), { repair: true });
    isWhole(of);
  });

  test('is not packed by: Git would throw away what it does not name', async () => {
    const of = packed();
    flip(`${of.pack}.idx`, -3);
    await expect(collectGarbage(of.open())).rejects.toMatchObject({ code: 'damaged', hint: REMAKE });
    expect(existsSync(`${of.pack}.pack`)).toBe(true);
  });

  test.each(TOOLS)(
    'beside a pack that is damaged too is set aside with it, by %s: nothing is lost',
    async (_who, choose) => {
      for (const isGone of [false, true]) {
        const of = packed();
        flip(`${of.pack}.pack`, -3);
        const wrong = readFileSync(`${of.pack}.pack`);
        if (isGone) rmSync(`${of.pack}.idx`);
        else flip(`${of.pack}.idx`, -3);
        choose();
        const { repaired } = await checkOrMend(of.open(), { repair: true });
        vi.unstubAllEnvs();
        const what = `What could be read of it, ${of.contents.size} objects, is rewritten.`;
        expect(repaired).toEqual([
          expect.stringMatching(`^Set pack-\\w+\\.pack aside in lost/: it was damaged. ${what}$`),
        ]);
        expect([readdirSync(join(of.store, 'objects/pack')), kept(of, '.pack.')]).toEqual([[], [wrong]]);
        isWhole(of);
      }
    },
  );

  test.each<[string, (pack: string) => void, lost: RegExp]>([
    ['a wrong byte in an entry', (pack) => flip(pack, -200), /\d+ objects? can be read nowhere/],
    ['a wrong head of an entry', (pack) => flip(pack, 12), /\d+ objects? can be read nowhere/],
    ['a wrong beginning', (pack) => flip(pack, 0), /what else it held nobody knows/],
    [
      'half of it gone',
      (pack) => truncateSync(pack, Math.floor(statSync(pack).size / 2)),
      /\d+ objects can be read nowhere/,
    ],
    ['nothing in it', (pack) => truncateSync(pack, 0), /Nothing of it could be read; what else it held nobody knows/],
  ])('beside a pack with %s: what can be read of that is kept', async (_what, spoil, lost) => {
    const of = packed();
    spoil(`${of.pack}.pack`);
    truncateSync(`${of.pack}.idx`, 0);
    const { repaired } = await checkOrMend(of.open(), { repair: true });
    // The first commit and its empty tree may be in the half that is gone.
    expect(repaired.filter((told) => !told.startsWith('Remade the lost '))).toEqual([expect.stringMatching(lost)]);
    const { objects } = of.open();
    const isThere = (oid: string): boolean => existsSync(loosePath(join(of.store, 'objects'), oid));
    const there = [...of.contents].filter(([oid]) => isThere(oid));
    for (const [oid, content] of there) expect(objects.read(oid).content.equals(content)).toBe(true);
    expect(repaired[0]).toContain(there.length === 0 ? 'Nothing' : `${there.length} object`);
    expect(kept(of, '.pack.')).toHaveLength(1);
  });

  test('beside a pack of which nothing is needed lets the store work again', async () => {
    for (const text of ['', 'junk']) {
      const of = makeProject();
      for (const ending of ['pack', 'idx'])
        writeFileSync(join(of.store, `objects/pack/pack-${'1'.repeat(40)}.${ending}`), text, { mode: 0o600 });
      const read = (): unknown => of.open().objects.read('2'.repeat(40));
      expect(errorOf(read)).toMatchObject({ message: expect.stringContaining('pack index'), hint: REMAKE });
      expect(await checkOrMend(of.open(), { repair: true })).toMatchObject({ healthy: true, findings: [] });
      expect(errorOf(read).message).toMatch(/ is missing from the store$/);
      expect(kept(of, '1111.')).toEqual([Buffer.from(text), Buffer.from(text)]);
      expect(fsck(of.store)).toBe('');
    }
  });
});

describe('a pack', () => {
  test.each(TOOLS)('whose own checksum is wrong is taken apart, with %s: nothing is lost', async (_who, choose) => {
    const of = packed();
    flip(`${of.pack}.pack`, -5);
    const wrong = readFileSync(`${of.pack}.pack`);
    const { findings } = checkStore(of.open());
    expect(findings).toMatchObject([{ where: `${of.name}.pack`, message: expect.stringContaining('checksum') }]);
    expect(findings[0]?.hint).toMatch(/^First: ctx fsck --full --repair, which rewrites all that can be read of it/);
    choose();
    await expect(collectGarbage(of.open())).rejects.toMatchObject({ code: 'damaged', hint: findings[0]?.hint });
    const { repaired } = await checkOrMend(of.open(), { repair: true, full: true });
    expect(repaired).toEqual([expect.stringMatching(/^Rewrote all that pack-\w+\.pack holds, and set it aside/)]);
    expect(readdirSync(join(of.store, 'objects/pack'))).toEqual([]);
    expect(kept(of, '.pack.')).toEqual([wrong]);
    await collectGarbage(of.open());
    vi.unstubAllEnvs();
    isWhole(of);
  });

  test('that has lost an object is set aside as it is: what is missing is missing then, and all else is there', async () => {
    const of = packed();
    flip(`${of.pack}.pack`, 30);
    const wrong = readFileSync(`${of.pack}.pack`);
    const canBeRead = (oid: string): boolean => {
      try {
        return of.open().objects.read(oid) !== null;
      } catch {
        return false;
      }
    };
    const [lost, whole] = [true, false].map((isLost) =>
      [...of.contents.keys()].filter((oid) => canBeRead(oid) !== isLost),
    );
    const { repaired, findings } = await checkOrMend(of.open(), { repair: true, full: true });
    const count = `${lost?.length} object${lost?.length === 1 ? '' : 's'} can be read nowhere`;
    expect(repaired).toEqual([expect.stringMatching(`^Set pack-\\w+\\.pack aside in lost/.*; ${count}\\. Before`)]);
    // An object that only a missing one leads to is reported when that is there again.
    expect(lost?.some((oid) => findings.some(({ message }) => message.includes(`${oid} is missing from`)))).toBe(true);
    expect(kept(of, '.pack.')).toEqual([wrong]);
    const { objects } = of.open();
    for (const oid of whole ?? []) expect(objects.read(oid).content.equals(of.contents.get(oid) as Buffer)).toBe(true);
  });

  test.each(['loose', 'in another pack'])('of which one is whole %s is taken apart', async (where) => {
    const of = packed();
    if (where === 'loose') {
      for (const oid of of.contents.keys()) of.repository.objects.loosen(oid);
      of.repository.objects.close();
    } else {
      const base = join(of.store, 'objects/pack/pack');
      git(of.store, ['pack-objects', '-q', '--window=0', base], [...of.contents.keys()].join('\n'));
    }
    flip(`${of.pack}.pack`, 30);
    const { repaired } = await checkOrMend(of.open(), { repair: true, full: true });
    expect(repaired).toEqual([expect.stringMatching(/^Rewrote all that pack-\w+\.pack holds/)]);
    isWhole(of);
  });

  test('gives the objects back that are torn where they lie loose, and those are kept', async () => {
    const of = packed();
    const [oid] = of.contents.keys();
    of.repository.objects.loosen(oid as string);
    const path = loosePath(join(of.store, 'objects'), oid as string);
    rmSync(path);
    writeFileSync(path, 'torn');
    flip(`${of.pack}.pack`, -5);
    await checkOrMend(of.open(), { repair: true });
    expect(kept(of, (oid as string).slice(2))).toEqual([Buffer.from('torn')]);
    isWhole(of);
  });

  test('that was set aside goes where anything of it is forgotten: it is deflated there', async () => {
    const of = packed();
    flip(`${of.pack}.pack`, -5);
    await checkOrMend(of.open(), { repair: true });
    expect(kept(of, '.pack.')).toHaveLength(1);
    ctx.forget(of.open(), { text: 'a note on one', yes: true } as never);
    expect(kept(of, '.pack.')).toHaveLength(0);
  });
});

describe('what Git makes of objects', () => {
  const WORDS: [name: RegExp, words: string[]][] = [
    [/^objects\/info\/commit-graph$/, ['commit-graph', 'write', '--reachable']],
    [/graph-\w+\.graph$/, ['commit-graph', 'write', '--reachable', '--split']],
    [/commit-graph-chain$/, ['commit-graph', 'write', '--reachable', '--split']],
    [/\/multi-pack-index$/, ['multi-pack-index', 'write']],
    [/\.rev$/, ['-c', 'pack.writeReverseIndex=true', 'repack', '-adfq']],
    [/\.bitmap$/, ['repack', '-adbfq']],
  ];

  const filesIn = (of: Project): string[] =>
    ['objects/info', 'objects/info/commit-graphs', 'objects/pack'].flatMap((folder) =>
      existsSync(join(of.store, folder)) ? readdirSync(join(of.store, folder)).map((name) => `${folder}/${name}`) : [],
    );

  test.each(WORDS)('%s is named where it is wrong, and set aside', async (pattern, words) => {
    const of = packed();
    of.git(...words);
    expect(checkStore(of.open(), { full: true }).findings).toEqual([]);
    const name = filesIn(of).find((file) => pattern.test(file)) as string;
    for (const at of [0, -1]) {
      of.git(...words);
      const path = join(of.store, name);
      chmodSync(path, 0o600);
      // A chain is a text, and its last byte the end of a line.
      flip(path, name.endsWith('chain') && at < 0 ? -2 : at);
      const found = checkStore(of.open()).findings;
      expect(found).toContainEqual(expect.objectContaining({ where: name, severity: 'damage' }));
      const { repaired } = await checkOrMend(of.open(), { repair: true });
      expect(repaired).toHaveLength(found.length);
      expect(existsSync(path)).toBe(false);
      isWhole({ ...of, contents: new Map() });
      rmSync(join(of.store, 'objects/info/commit-graphs'), { recursive: true, force: true });
    }
  });
});
