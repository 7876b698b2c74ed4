// Tests a store that ctx can read right and Git refuses: `fsck --full` reports it in Git's words, and a repair restores the parts that can be made again.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { checkOrMend, checkStore } from '../../src/app/fsck.ts';
import { CONTENT_LIMIT } from '../../src/git/layout.ts';
import { loosePath } from '../../src/git/objects/loose.ts';
import * as ctx from '../../src/index.ts';
import { changeChecksum, changeDates, changeTrees, makeOrphans, rewrite, swapOffsets } from '../support/caches.ts';
import { fakeGit, worked } from '../support/gc.ts';
import { fsck, type Project, runGit } from '../support/store.ts';

const NOBODY = '1'.repeat(40);
const FSCK = ['fsck', '--strict', '--full', '--no-dangling', '--no-progress'];

/** A store in two packs. */
function packed(): Project {
  const of = worked();
  of.git('repack', '-dq');
  ctx.observeNote(of.repository, 'four');
  ctx.flushStep(of.repository);
  of.git('repack', '-dq');
  return of;
}

function put({ store }: Project, name: string, text: string): void {
  mkdirSync(dirname(join(store, name)), { recursive: true });
  writeFileSync(join(store, name), text, { mode: 0o600 });
}

const kept = ({ store }: Project): string[] => readdirSync(join(store, 'lost'));
const packsOf = ({ store }: Project): string[] => readdirSync(join(store, 'objects/pack'));
const WHOLE = { findings: [], repaired: [], healthy: true };

/** Makes a fault; gives the file that is wrong. */
type Spoil = (of: Project) => string;

const graph =
  (change: (bytes: Buffer) => void): Spoil =>
  (of) => {
    of.git('commit-graph', 'write', '--reachable');
    rewrite(join(of.store, 'objects/info/commit-graph'), change);
    return 'objects/info/commit-graph';
  };

const DERIVED: [what: string, spoil: Spoil][] = [
  ['a commit graph with other parents', graph(makeOrphans)],
  ['a commit graph with other trees', graph(changeTrees)],
  ['a commit graph with other dates', graph(changeDates)],
  [
    'a chain of commit graphs with other parents',
    (of) => {
      of.git('commit-graph', 'write', '--reachable', '--split');
      const folder = 'objects/info/commit-graphs';
      const name = readdirSync(join(of.store, folder)).find((file) => file.endsWith('.graph')) as string;
      rewrite(join(of.store, folder, name), makeOrphans);
      return `${folder}/commit-graph-chain`;
    },
  ],
  [
    'a commit graph that names a commit which is gone',
    (of) => {
      const { objects } = of.repository;
      const gone = objects.write(
        'commit',
        Buffer.from(`${objects.read(of.git('rev-parse', 'STAGE').trim()).content}\n`),
      );
      of.git('update-ref', 'refs/heads/more', gone);
      of.git('commit-graph', 'write', '--reachable');
      of.git('update-ref', '-d', 'refs/heads/more');
      rmSync(loosePath(join(of.store, 'objects'), gone));
      rmSync(join(of.store, 'logs/refs/heads/more'), { force: true });
      return 'objects/info/commit-graph';
    },
  ],
  [
    'a multi-pack-index with two offsets swapped',
    (of) => {
      of.git('multi-pack-index', 'write');
      rewrite(join(of.store, 'objects/pack/multi-pack-index'), swapOffsets);
      return 'objects/pack/multi-pack-index';
    },
  ],
  [
    'an index with a wrong checksum of an entry',
    (of) => {
      const name = packsOf(of).find((file) => file.endsWith('.idx')) as string;
      rewrite(join(of.store, 'objects/pack', name), changeChecksum);
      return `objects/pack/${name.replace(/idx$/, 'pack')}`;
    },
  ],
];

const OTHERS: [what: string, spoil: Spoil][] = [
  [
    'a ref that names itself',
    (of) => {
      put(of, 'refs/tags/sym', 'ref: refs/tags/sym\n');
      return 'refs/tags/sym';
    },
  ],
  [
    'a ref with a name that none may have',
    (of) => {
      put(of, 'refs/tags/a..b', of.git('rev-parse', 'main'));
      return 'refs/tags/a..b';
    },
  ],
  [
    'a worktree at an object that is not there',
    (of) => {
      put(of, 'worktrees/x/HEAD', `${NOBODY}\n`);
      put(of, 'worktrees/x/gitdir', '/nonexistent/.git\n');
      put(of, 'worktrees/x/commondir', '../..\n');
      return 'worktrees/x/HEAD';
    },
  ],
  [
    'an index of files with one that is not there',
    (of) => {
      of.git('read-tree', 'main');
      of.git('update-index', '--add', '--cacheinfo', `100644,${NOBODY},name`);
      return 'Git';
    },
  ],
];

describe('what Git refuses', () => {
  test.each([...DERIVED, ...OTHERS])('is damage: %s', (_what, spoil) => {
    const of = packed();
    const where = spoil(of);
    expect(runGit(of.store, FSCK)).not.toBe(0);
    expect(checkStore(of.open(), { full: false })).toEqual(WHOLE);
    const { findings, healthy } = checkStore(of.open(), { full: true });
    expect(healthy).toBe(false);
    for (const finding of findings)
      expect(finding).toMatchObject({
        severity: 'damage',
        kind: 'git',
        where,
        message: expect.stringMatching(/^Git says: ./),
      });
    expect(findings.length).toBeGreaterThan(0);
  });

  test.each(DERIVED)('is repaired if it can be made again: %s', async (_what, spoil) => {
    const of = packed();
    const where = spoil(of);
    const { findings, repaired, healthy } = await checkOrMend(of.open(), { full: true, repair: true });
    expect({ findings, healthy }).toEqual({ findings: [], healthy: true });
    expect(repaired.length).toBeGreaterThan(0);
    const base = where.replace(/^.*\//, '').replace(/\.pack$/, '');
    expect(repaired.join('\n')).toContain(base);
    expect(kept(of).join('\n')).toContain(base);
    expect(fsck(of.store)).toBe('');
    expect(runGit(of.store, FSCK)).toBe(0);
    expect(await checkOrMend(of.open(), { full: true, repair: true })).toEqual(WHOLE);
  });

  test.each(OTHERS)('is left where it is the user’s, with what to type: %s', async (_what, spoil) => {
    const of = packed();
    const where = spoil(of);
    const { findings, repaired } = await checkOrMend(of.open(), { full: true, repair: true });
    expect(repaired).toEqual([]);
    expect(findings).toMatchObject([{ where, hint: expect.stringContaining('ctx git fsck') }]);
  });
});

test('what lies beside packs stays where a name that somebody has chosen sounds like it', async () => {
  const of = packed();
  of.git('repack', '-adbq');
  const pack = packsOf(of).find((name) => name.endsWith('.pack')) as string;
  of.git('index-pack', '--rev-index', join(of.store, 'objects/pack', pack));
  const before = packsOf(of);
  expect(before.filter((name) => /\.(rev|bitmap)$/.test(name))).toHaveLength(2);
  put(of, 'refs/tags/bitmap~x.rev', of.git('rev-parse', 'main'));
  const { findings, repaired } = await checkOrMend(of.open(), { full: true, repair: true });
  expect(repaired).toEqual([]);
  expect(findings).toMatchObject([{ where: 'refs/tags/bitmap~x.rev' }]);
  expect(packsOf(of)).toEqual(before);
});

describe('a Git that', () => {
  afterEach(() => vi.unstubAllEnvs());

  /** Answers calls of Git by a script, and records them. */
  function answering(of: Project, script: string): string {
    const log = join(of.folder, 'asked');
    writeFileSync(log, '');
    fakeGit(`case "$*" in *--version*) exit 0;; esac; echo "$*" >> ${log}; n=$(wc -l < ${log}); ${script}`);
    return log;
  }
  const full = (of: Project) => checkStore(of.open(), { full: true });

  test('is content is asked once, without hooks and with all that it has made itself', () => {
    const of = worked();
    const log = answering(of, 'env | grep -q GIT_DIR && exit 1; exit 0');
    vi.stubEnv('GIT_DIR', '/nonexistent');
    expect(full(of)).toEqual(WHOLE);
    const asked = readFileSync(log, 'utf8').trimEnd().split('\n');
    expect(asked).toEqual([
      expect.stringMatching(
        /core\.hooksPath=\S+ .*core\.commitGraph=true -c core\.multiPackIndex=true fsck --strict --full/,
      ),
    ]);
  });

  test('stumbles for a moment over what another one packs is asked once more', () => {
    const of = worked();
    answering(of, '[ $n -le 2 ] && { echo "error: cannot open pack" >&2; exit 1; }; exit 0');
    expect(full(of)).toEqual(WHOLE);
  });

  test('is content with each thing by itself and not with all of it is believed', () => {
    const of = worked();
    answering(of, 'case "$*" in *=true\\ *fsck*) echo "warning: odd" >&2; exit 8;; esac');
    expect(full(of).findings).toMatchObject([{ severity: 'damage', message: 'Git says: warning: odd' }]);
  });

  test('says another thing each time, and one again, is believed in that', () => {
    const of = worked();
    answering(of, 'printf "error: number $n\\nerror: always\\n" >&2; exit 1');
    expect(full(of).findings).toMatchObject([{ severity: 'damage', message: 'Git says: error: always' }]);
  });

  test('talks and talks is listened to for so long', () => {
    const of = worked();
    answering(of, 'yes "error: $(printf "\\033[2J")$(printf %0900d 0)" | head -c 3000000 >&2; exit 1');
    const { findings } = full(of);
    expect(findings).toHaveLength(101);
    for (const { message } of findings) expect(message.length).toBeLessThan(600);
    expect(findings[0]?.message).not.toContain('\u001b');
  });

  test.each([
    ['says nothing', 'exit 3', 'exit 3'],
    ['is ended by a signal', 'kill -9 $$', 'ended by SIGKILL'],
    ['cannot be run', 'echo "lib: not found" >&2; exit 129', 'lib: not found'],
    ['cannot be begun', 'echo "lib: cannot open shared object file" >&2; exit 127', 'cannot open shared object file'],
    [
      'has no memory',
      'echo "fatal: Out of memory, malloc failed (tried to allocate 9 bytes)" >&2; exit 128',
      'Out of memory',
    ],
    ['misses what others write meanwhile', 'echo "missing commit $n" >&2; exit 2', 'something else each time'],
  ])('%s makes nothing damaged', (_what, script, said) => {
    const of = worked();
    answering(of, script);
    const { findings, healthy } = full(of);
    expect(healthy).toBe(true);
    expect(findings).toMatchObject([{ severity: 'note', kind: 'git', message: expect.stringContaining(said) }]);
  });

  test('is not there is not missed', () => {
    const of = worked();
    vi.stubEnv('PATH', '');
    expect(full(of)).toEqual(WHOLE);
  });

  test.each<[string, (of: Project) => void]>([
    ['where ctx has found damage', (of) => put(of, 'refs/tags/torn', 'nonsense\n')],
    [
      'where its config could run a program',
      (of) => put(of, 'config', `${readFileSync(join(of.store, 'config'))}[core]\n\tfsmonitor = x\n`),
    ],
    [
      'where something is larger than ctx can hold',
      (of) => {
        const head = Buffer.from(`blob ${CONTENT_LIMIT + 1}\0`);
        put(of, `objects/22/${'2'.repeat(38)}`, '');
        writeFileSync(
          join(of.store, `objects/22/${'2'.repeat(38)}`),
          deflateSync(Buffer.concat([head, Buffer.alloc(CONTENT_LIMIT + 1)])),
        );
      },
    ],
  ])('%s is not asked', (_where, spoil) => {
    const of = worked();
    spoil(of);
    const log = answering(of, 'echo "error: asked" >&2; exit 1');
    expect(full(of).findings).not.toEqual([]);
    expect(readFileSync(log, 'utf8')).toBe('');
  });

  test('refuses what lies beside an index has it set aside', async () => {
    const of = packed();
    of.git('-c', 'pack.writeReverseIndex=true', 'repack', '-adfq');
    const isThere = (): boolean => packsOf(of).some((name) => name.endsWith('.rev'));
    expect(isThere()).toBe(true);
    const pack = packsOf(of).find((name) => name.endsWith('.pack'));
    answering(
      of,
      `ls ${of.store}/objects/pack | grep -q rev || exit 0; echo "error: invalid rev-index position at 0 in pack '${pack}'" >&2; exit 1`,
    );
    const { findings, repaired } = await checkOrMend(of.open(), { full: true, repair: true });
    expect(findings).toEqual([]);
    expect(repaired).toEqual([
      expect.stringMatching(/^Set objects\/pack\/pack-\w+\.rev aside in lost\/: Git refuses it\./),
    ]);
    expect(isThere()).toBe(false);
  });
});
