// Refs that name other refs: each is asked for by its own name, in whatever encoding, and all of them at the price of one.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { fsck, gitBytes, makeProject, type Project } from '../support/store.ts';

const reads = vi.hoisted(() => ({ packed: 0 }));
vi.mock('../../src/platform/pieces.ts', async (original) => {
  const actual = await original<typeof import('../../src/platform/pieces.ts')>();
  return {
    ...actual,
    readPiecesIfThere: (path: string, size: number) => {
      if (path.endsWith('packed-refs')) reads.packed += 1;
      return actual.readPiecesIfThere(path, size);
    },
  };
});

const missing = (project: Project): string[] =>
  checkStore(project.open()).findings.map(({ where, message }) => `${where}: ${message}`);

/** A store with some packed branches, named by their bytes. */
function withBranches(...names: string[]): Project {
  const project = makeProject();
  const main = project.git('rev-parse', 'main').trim();
  const lines = names.map((name) => `create refs/heads/${name} ${main}\n`).join('');
  gitBytes(project.store, ['update-ref', '--stdin'], Buffer.from(lines, 'latin1'));
  project.git('pack-refs', '--all');
  return project;
}

function pointAt({ store }: Project, ref: string, name: string): void {
  mkdirSync(join(store, 'refs/heads/to'), { recursive: true });
  writeFileSync(join(store, 'refs/heads', ref), `ref: refs/heads/${name}\n`, 'latin1');
}

test('many are looked for in packed-refs at once', () => {
  const project = withBranches('one', 'two');
  const readsOf = (): number => {
    reads.packed = 0;
    expect(missing(project)).toEqual(['refs/heads/to/none: it names refs/heads/none, which does not exist']);
    return reads.packed;
  };
  pointAt(project, 'to/none', 'none');
  const few = readsOf();
  for (let at = 0; at < 50; at += 1) pointAt(project, `to/${at}`, at % 2 === 0 ? 'one' : 'two');
  expect(readsOf()).toBe(few);
});

test.each([
  ['UTF-8', 'th\xc3\xa9'],
  ['no UTF-8', 'th\xe9'],
])('one that names a packed ref whose name is %s is whole', (_what, name) => {
  const project = withBranches(name);
  pointAt(project, 'to/it', name);
  expect(fsck(project.store)).toBe('');
  expect(missing(project)).toEqual([]);
});

test.skipIf(process.platform !== 'linux')('so is one that names a ref with a file of its own', () => {
  const project = withBranches();
  const main = project.git('rev-parse', 'main');
  writeFileSync(Buffer.from(`${project.store}/refs/heads/th\xe9`, 'latin1'), main);
  writeFileSync(Buffer.from(`${project.store}/refs/heads/th\xc3\xa9`, 'latin1'), main);
  pointAt(project, 'to/one', 'th\xe9');
  pointAt(project, 'to/other', 'th\xc3\xa9');
  expect(missing(project)).toEqual([]);
});
