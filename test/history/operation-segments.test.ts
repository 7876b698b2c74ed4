// The operation log as it grows: bounded files, each operation there once, and a damage that hides nothing but itself.
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { forget } from '../../src/app/forget/forget.ts';
import { checkStore } from '../../src/app/fsck.ts';
import { collectGarbage } from '../../src/app/gc.ts';
import { type DamagedOperation, type ListedOperation, listOperations } from '../../src/app/undo/operations.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import { idShownIn } from '../../src/history/operations/operation.ts';
import { movesOf, operationFiles } from '../../src/history/operations/operation-files.ts';
import { foldOperations } from '../../src/history/operations/operation-fold.ts';
import type { Repository } from '../../src/history/store/repository.ts';
import * as ctx from '../../src/index.ts';
import '../support/property.ts';
import { dropSecondNames, fsck, git, makeProject, temporaryFolder } from '../support/store.ts';

const listed = vi.hoisted((): string[] => []);
vi.mock('../../src/platform/files.ts', async (original) => {
  const real = await original<typeof import('../../src/platform/files.ts')>();
  const listFolder = (path: string): string[] => {
    listed.push(path);
    return real.listFolder(path);
  };
  return { ...real, listFolder };
});

/** More than are folded at once: two segments, and as many as keep a file each. */
const MANY = 2 * 64 + 16 + 30;

/** A store in which so many operations have finished, each a session that takes the place of the one before. */
const grown = makeProject();
const ids: string[] = [];
for (let count = 1; count <= MANY; count += 1) {
  ctx.startSession(grown.repository, `task ${count}, said aloud`, { replace: true });
  ids.push(idShownIn(readFileSync(join(grown.store, 'oplog', 'newest.json'), 'utf8')) as string);
}
// Few files are copied sooner than many; the log itself stays as it is.
dropSecondNames(grown.store);
for (const words of [['repack', '-adq'], ['prune-packed'], ['pack-refs', '--all']]) grown.git(...words);

interface Store {
  oplog: string;
  store: string;
  open: () => Repository;
}

let own: Store;
beforeEach(() => {
  const folder = temporaryFolder();
  cpSync(grown.folder, folder, { recursive: true });
  const store = join(folder, '.ctx');
  const open = (): Repository => ctx.openRepository({ directory: folder, clock: grown.clock });
  own = { store, oplog: join(store, 'oplog'), open };
});

const segments = (): string[] => readdirSync(join(own.oplog, 'segments')).sort();
const singles = (): string[] => readdirSync(own.oplog).filter((name) => /^[0-9a-f-]{36}\.json$/.test(name));
const pathOf = (segment: string): string => join(own.oplog, 'segments', segment);
const linesOf = (segment: string): string[] => readFileSync(pathOf(segment), 'utf8').split('\n').slice(0, -1);

/** Ids of the operations that can be read, oldest first, and the names of those that cannot. */
function told(): { ids: string[]; torn: string[] } {
  const all = [...listOperations(own.open())];
  const isTorn = (one: ListedOperation | DamagedOperation): one is DamagedOperation => 'damaged' in one;
  return {
    ids: all.flatMap((one) => (isTorn(one) ? [] : one.id)).reverse(),
    torn: all.flatMap((one) => (isTorn(one) ? one.file : [])),
  };
}

/** Makes the log what it was when every operation had a file. */
function unfold(): void {
  const write = (line: string): void =>
    writeFileSync(join(own.oplog, `${idShownIn(line)}.json`), `${line}\n`, { mode: 0o600 });
  for (const segment of segments()) for (const line of linesOf(segment)) write(line);
  rmSync(join(own.oplog, 'segments'), { recursive: true });
  const newest = join(own.oplog, 'newest.json');
  renameSync(newest, join(own.oplog, `${idShownIn(readFileSync(newest, 'utf8'))}.json`));
}

const next = (): void => void ctx.startSession(own.open(), 'the next task', { replace: true });

test('the folder of the log stays small, and every operation is listed once, in order', () => {
  expect(segments().map((name) => linesOf(name).length)).toEqual([64, 64]);
  expect(singles().length).toBeLessThan(80);
  expect(told()).toEqual({ ids, torn: [] });
  expect(checkStore(own.open()).findings).toEqual([]);
  expect(fsck(own.store)).toBe('');
});

test('undo takes operations back that are in segments', () => {
  const all = MANY - 10;
  const repository = own.open();
  expect(undoOperations(repository, all).undone).toHaveLength(all);
  expect(ctx.sessionStatus(repository)).toMatchObject({ task_description: 'task 10, said aloud' });
  expect(checkStore(own.open()).findings).toEqual([]);
});

describe('a store in which every operation has a file', () => {
  beforeEach(unfold);

  test('is read as it is', () => {
    expect(existsSync(join(own.oplog, 'newest.json'))).toBe(false);
    expect(told()).toEqual({ ids, torn: [] });
    expect(checkStore(own.open()).findings).toEqual([]);
    expect(undoOperations(own.open(), 3).undone).toHaveLength(3);
  });

  test('is folded by the next command that writes', () => {
    next();
    expect(segments()).toHaveLength(2);
    expect(singles().length).toBeLessThan(80);
    expect(told().ids.slice(0, -1)).toEqual(ids);
    expect(checkStore(own.open()).findings).toEqual([]);
  });

  test('is folded by gc, too', async () => {
    await collectGarbage(own.open());
    expect(segments()).toHaveLength(2);
    expect(told()).toEqual({ ids, torn: [] });
  });

  test('keeps a torn file as it is, and folds the others', () => {
    const torn = `${ids[20]}.json`;
    truncateSync(join(own.oplog, torn), 99);
    next();
    expect(told().torn).toEqual([`oplog/${torn}`]);
    expect(told().ids.slice(0, -1)).toEqual(ids.filter((id) => id !== ids[20]));
  });
});

describe('beside a writer that folds what a reader has listed', () => {
  const folds: [string, () => void][] = [
    ['all at once', () => foldOperations(own.open(), Number.POSITIVE_INFINITY)],
    ['and files more', () => Array.from({ length: 100 }, next)],
  ];
  beforeEach(unfold);

  /** Reads on after something was done in between. */
  function across<T>(all: Iterable<T>, count: number, act: () => void): T[] {
    const read: T[] = [];
    for (const one of all) if (read.push(one) === count) act();
    return read;
  }
  const newestFirst = [...ids].reverse();

  test.each(folds.flatMap(([name, fold]) => [1, 16, 40, MANY - 1].map((count) => ({ name, count, fold }))))(
    '$name, each is met once, in order, after $count',
    ({ count, fold }) => {
      const met = across(operationFiles(own.open()), count, fold);
      expect(met.map(({ text }) => idShownIn(text ?? ''))).toEqual(newestFirst);
      expect(segments().length).toBeGreaterThan(1);
    },
  );

  test.each(folds)('%s, no move of a pointer is missed', (_name, fold) => {
    const { layout } = own.open();
    const before = [...movesOf(layout, 'STAGE')];
    expect(before).toHaveLength(MANY);
    expect(across(movesOf(layout, 'STAGE'), 3, fold)).toEqual(before);
  });

  test.each(folds)('%s, ctx op log shows each operation', (_name, fold) => {
    const listedOnes = across(listOperations(own.open()), 3, fold);
    expect(listedOnes.map((one) => 'id' in one && one.id)).toEqual(newestFirst);
  });

  test('in parts, one after the other, each is met once, in order', () => {
    let count = 0;
    const met: (string | undefined)[] = [];
    for (const { text } of operationFiles(own.open())) {
      met.push(idShownIn(text ?? ''));
      count += 1;
      if (count % 20 === 0) foldOperations(own.open(), 64);
    }
    expect(met).toEqual(newestFirst);
  });

  test('a torn one is reported once, in its place', () => {
    truncateSync(join(own.oplog, `${ids[20]}.json`), 99);
    for (const [index, count] of [1, 60, 120].entries()) {
      const met = across(operationFiles(own.open()), count, () => index === 0 && folds[0]?.[1]());
      expect(met.map(({ name }) => name).filter((name) => name === `oplog/${ids[20]}.json`)).toHaveLength(1);
      expect(met).toHaveLength(MANY);
    }
  });
});

describe('a fold that was cut off', () => {
  const leave = (gone: number): string[] => {
    const lines = linesOf(segments()[1] as string).slice(gone);
    for (const line of lines) writeFileSync(join(own.oplog, `${idShownIn(line)}.json`), `${line}\n`);
    return lines.map((line) => `${idShownIn(line)}.json`);
  };

  test.each([0, 1, 40, 63])('with %i files removed shows each operation once', (gone) => {
    leave(gone);
    expect(told()).toEqual({ ids, torn: [] });
    expect(checkStore(own.open()).findings).toEqual([]);
    next();
    expect(told().ids.slice(0, -1)).toEqual(ids);
  });

  test('is finished with the next one', () => {
    const left = leave(10);
    next();
    expect(singles().filter((name) => left.includes(name))).toEqual([]);
    expect(segments().flatMap(linesOf).length + singles().length).toBe(MANY);
  });

  test('leaves what is not the same in both places', () => {
    const [first = '', second = ''] = leave(0);
    truncateSync(join(own.oplog, second), 80);
    next();
    expect([first, second].map((name) => existsSync(join(own.oplog, name)))).toEqual([false, true]);
    expect(told().ids.slice(0, -1)).toEqual(ids);
    expect(checkStore(own.open()).findings).toMatchObject([{ severity: 'damage', where: `oplog/${second}` }]);
  });
});

test('a segment cut off anywhere is named, hides nothing before the cut, and a repair keeps what is left', () => {
  const segment = segments()[0] as string;
  const whole = readFileSync(pathOf(segment));
  fc.assert(
    fc.property(fc.oneof(fc.nat(whole.length - 2), fc.constant(0), fc.constant(whole.indexOf(0x0a) + 1)), (length) => {
      writeFileSync(pathOf(segment), whole.subarray(0, length));
      const left = whole.subarray(0, length).toString('latin1').split('\n').length - 1;
      const seen = told();
      expect(seen.torn.length).toBeGreaterThan(0);
      expect(seen.torn.every((name) => name.startsWith(`oplog/segments/${segment}`))).toBe(true);
      expect(seen.ids).toEqual([...ids.slice(0, left), ...ids.slice(64)]);
    }),
    { numRuns: 25 },
  );
  writeFileSync(pathOf(segment), whole.subarray(0, whole.indexOf(0x0a, 20_000) + 30));
  const kept = told().ids;
  expect(checkStore(own.open()).healthy).toBe(false);
  expect(checkStore(own.open(), { repair: true })).toMatchObject({ healthy: true, findings: [] });
  expect(told()).toEqual({ ids: kept, torn: [] });
  expect(readdirSync(join(own.store, 'lost')).filter((name) => name.startsWith('oplog-segments-'))).toHaveLength(1);
});

test('a changed byte in a segment hides one operation alone, which is named with its line', () => {
  const segment = segments()[1] as string;
  const whole = readFileSync(pathOf(segment));
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.integer({ min: 0x20, max: 0x7e }), (at, byte) => {
      fc.pre(whole[at] !== byte && whole[at] !== 0x0a);
      const harmed = Buffer.from(whole);
      harmed[at] = byte;
      writeFileSync(pathOf(segment), harmed);
      const line = whole.subarray(0, at).toString('latin1').split('\n').length;
      const hidden = ids[64 + line - 1];
      expect(told()).toEqual({
        ids: ids.filter((id) => id !== hidden),
        torn: [`oplog/segments/${segment} line ${line}`],
      });
    }),
    { numRuns: 25 },
  );
  expect(checkStore(own.open(), { repair: true })).toMatchObject({ healthy: true });
  expect(told().torn).toEqual([]);
  expect(told().ids).toHaveLength(MANY - 1);
});

test('a repair names a segment by what is left where its last operation is torn', () => {
  const segment = segments()[0] as string;
  const lines = linesOf(segment);
  writeFileSync(pathOf(segment), `${[...lines.slice(0, -1), 'torn'].join('\n')}\n`);
  const { repaired } = checkStore(own.open(), { repair: true });
  expect(repaired).toEqual([
    `Set the torn operation oplog/segments/${segment} line 64 aside in lost/.`,
    `Named oplog/segments/${segment} by the last operation that is left in it, ${ids[62]}: its end is lost.`,
  ]);
  expect(segments()[0]).toBe(`${ids[62]}.jsonl`);
  expect(told()).toEqual({ ids: ids.filter((id) => id !== ids[63]), torn: [] });
});

test('forget names in a segment what has taken the place of what is gone, and leaves the operations', () => {
  const segment = segments()[0] as string;
  const before = linesOf(segment);
  forget(own.open(), { text: 'task 7, said aloud' });
  const after = linesOf(segment);
  const changed = before.flatMap((line, index) => (line === after[index] ? [] : index));
  // The session begins with one operation and ends with the next.
  expect(changed).toEqual([6, 7]);
  expect(told().ids.slice(0, -1)).toEqual(ids);
  expect(told().torn).toEqual([]);
  const oids = after.flatMap((line) => line.match(/(?<="(old|new)":")[0-9a-f]{40}(?=")/g) ?? []);
  expect(git(own.store, ['cat-file', '--batch-check'], oids.join('\n'))).not.toContain('missing');
  expect(checkStore(own.open()).findings).toEqual([]);
});

test('a torn newest operation gets the name that it shows, and the next one is filed behind it', () => {
  const newest = join(own.oplog, 'newest.json');
  truncateSync(newest, readFileSync(newest).length - 5);
  expect(told().torn).toEqual(['oplog/newest.json']);
  next();
  expect(told().torn).toEqual([`oplog/${ids.at(-1)}.json`]);
  expect(told().ids.slice(0, -1)).toEqual(ids.slice(0, -1));
});

test('a torn newest operation that shows no id is kept too', () => {
  writeFileSync(join(own.oplog, 'newest.json'), '');
  next();
  expect(told().torn).toEqual([expect.stringMatching(/^oplog\/[0-9a-f-]{36}\.json$/)]);
  expect(told().ids).toHaveLength(MANY);
});

test('a folder of segments that is a link is neither read nor written through', () => {
  unfold();
  const elsewhere = temporaryFolder();
  symlinkSync(elsewhere, join(own.oplog, 'segments'));
  expect(() => told()).toThrow('its oplog/segments is a link');
  next();
  expect(readdirSync(elsewhere)).toEqual([]);
  rmSync(join(own.oplog, 'segments'));
  expect(told().ids.slice(0, -1)).toEqual(ids);
});

test('a copy of the newest operation under its own name is reported by the check', () => {
  cpSync(join(own.oplog, 'newest.json'), join(own.oplog, `${ids.at(-1)}.json`));
  expect(checkStore(own.open()).findings).toMatchObject([{ severity: 'damage', where: 'oplog/newest.json' }]);
  expect(told()).toEqual({ ids, torn: [] });
});

test('whether STAGE is lost is known without a look into the log, also if the last operation left STAGE alone', () => {
  ctx.setState(own.open(), 'abort', { text: 'no use', compact: true });
  for (let count = 0; count < 3; count += 1) ctx.startSession(own.open(), `aside ${count}`, { beside: true });
  rmSync(join(own.store, 'STAGE'));
  // The last operation says that STAGE was told to name something.
  expect(() => ctx.sessionStatus(own.open())).toThrow('STAGE is damaged: it is gone');
  checkStore(own.open(), { repair: true });
  ctx.setState(own.open(), 'abort', { text: 'no use', compact: true });
  listed.length = 0;
  expect(ctx.sessionStatus(own.open())).toMatchObject({ active: false });
  expect(listed.filter((path) => path.startsWith(own.oplog))).toEqual([]);
});
