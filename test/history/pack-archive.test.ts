// The refs of ended sessions, packed by the commands that end them: at no moment does anybody read another value.
import { existsSync, linkSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { collectGarbage } from '../../src/app/gc.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import { ARCHIVE } from '../../src/history/names/layout.ts';
import { packArchive } from '../../src/history/store/pack-archive.ts';
import * as ctx from '../../src/index.ts';
import { errorOf, fsck, makeProject, type Project } from '../support/store.ts';

/** As many as are packed at once, at least. */
const DUE = 64;

/** Lets so many sessions begin, each in the place of the one before. */
function begin({ repository }: Project, count: number): void {
  for (let at = 1; at <= count; at += 1) ctx.startSession(repository, `task ${at}`, { replace: true });
}

const loose = ({ store }: Project): string[] => readdirSync(join(store, ARCHIVE)).sort();
const packed = ({ store }: Project): string[] =>
  existsSync(join(store, 'packed-refs'))
    ? readFileSync(join(store, 'packed-refs'), 'utf8').split('\n').slice(1, -1)
    : [];
const refs = ({ git }: Project): string => git('for-each-ref');

let own: Project;
beforeEach(() => {
  own = makeProject();
});

test('64 together are packed, and Git and ctx read them as before', () => {
  begin(own, DUE);
  expect([loose(own).length, packed(own).length]).toEqual([DUE - 1, 0]);
  const before = refs(own)
    .split('\n')
    .filter((line) => line.includes(ARCHIVE));
  begin(own, 1);
  expect([loose(own).length, packed(own).length]).toEqual([0, DUE]);
  const after = refs(own)
    .split('\n')
    .filter((line) => line.includes(ARCHIVE));
  expect(after.filter((line) => before.includes(line))).toEqual(before);
  expect(own.open().refs.list(ARCHIVE).size).toBe(DUE);
  expect(readFileSync(join(own.store, 'packed-refs'), 'utf8')).toMatch(
    /^# pack-refs with: peeled fully-peeled sorted \n/,
  );
  expect(checkStore(own.open()).findings).toEqual([]);
  expect(fsck(own.store)).toBe('');
});

test('Git packs the rest beside them, and what is packed can be undone, moved and found by its id', () => {
  begin(own, DUE + 1);
  own.git('tag', '-a', '-m', 'kept', 'kept', 'main');
  own.git('pack-refs', '--all');
  begin(own, DUE);
  const before = refs(own);
  expect(packed(own).filter((line) => line.startsWith('^'))).toHaveLength(1);
  undoOperations(own.open());
  expect(refs(own)).not.toBe(before);
  undoOperations(own.open());
  expect(refs(own)).toBe(before);
  expect(checkStore(own.open()).findings).toEqual([]);
  expect(fsck(own.store)).toBe('');
});

test('gc packs all that there is', async () => {
  begin(own, 5);
  const before = refs(own);
  await collectGarbage(own.open());
  expect([loose(own), packed(own).length]).toEqual([[], 4]);
  expect(refs(own)).toBe(before);
});

test('nobody waits while Git holds packed-refs: another command packs', () => {
  begin(own, DUE);
  const before = loose(own);
  writeFileSync(join(own.store, 'packed-refs.lock'), '');
  expect(errorOf(() => packArchive(own.open(), 1)).code).toBe('busy');
  expect([loose(own), packed(own)]).toEqual([before, []]);
  rmSync(join(own.store, 'packed-refs.lock'));
  begin(own, 1);
  expect([loose(own).length, packed(own).length]).toEqual([0, DUE]);
});

test('a ref that Git holds keeps its file, and is packed all the same', () => {
  begin(own, DUE);
  const [held = ''] = loose(own);
  writeFileSync(join(own.store, ARCHIVE, `${held}.lock`), '');
  begin(own, 1);
  expect(loose(own)).toEqual([held, `${held}.lock`]);
  expect(packed(own)).toHaveLength(DUE);
  rmSync(join(own.store, ARCHIVE, `${held}.lock`));
  expect(checkStore(own.open()).findings).toEqual([]);
});

test('a torn ref stays where it is, and is named', () => {
  begin(own, DUE + 5);
  begin(own, DUE - 10);
  const [torn = ''] = loose(own);
  writeFileSync(join(own.store, ARCHIVE, torn), 'torn\n');
  packArchive(own.open(), 1);
  expect(loose(own)).toEqual([torn]);
  expect(checkStore(own.open()).findings).toContainEqual(expect.objectContaining({ where: `${ARCHIVE}${torn}` }));
});

test('a packed-refs that is damaged stays as it is, with the refs beside it', () => {
  begin(own, DUE);
  const before = loose(own);
  writeFileSync(join(own.store, 'packed-refs'), 'no ref\n');
  expect(errorOf(() => packArchive(own.open(), 1)).code).toBe('damaged');
  expect(readFileSync(join(own.store, 'packed-refs'), 'utf8')).toBe('no ref\n');
  expect(loose(own)).toEqual(before);
});

describe('a kill in the midst of it', () => {
  test.each([
    ['before any file is gone', 0],
    ['with some gone', 20],
    ['with all gone', DUE - 1],
  ])('%s: the next command clears the locks, and all read the same', (_words, gone) => {
    begin(own, DUE);
    const before = refs(own);
    const names = loose(own);
    own.git('pack-refs', '--all', '--no-prune');
    for (const name of names.slice(0, gone)) rmSync(join(own.store, ARCHIVE, name));
    for (const [mark, lock] of [
      ['LOCK.packed', 'packed-refs.lock'],
      ['LOCK.ref', `${ARCHIVE}${names[gone] ?? names[0]}.lock`],
    ] as const) {
      writeFileSync(join(own.store, mark), '', { mode: 0o600 });
      linkSync(join(own.store, mark), join(own.store, lock));
    }
    expect(refs(own)).toBe(before);
    ctx.observeNote(own.repository, 'after the kill');
    ctx.flushStep(own.open());
    expect(
      readdirSync(own.store, { recursive: true, encoding: 'utf8' }).filter((name) => /\.lock$|^LOCK/.test(name)),
    ).toEqual([]);
    expect(checkStore(own.open()).findings).toEqual([]);
    expect(fsck(own.store)).toBe('');
  });
});
