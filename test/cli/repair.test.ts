// A store whose foundations are damaged, on the command line: exit codes, what is told, and that what is told to type works.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { FsckResult } from '../../src/app/fsck.ts';
import { OR_FETCH } from '../../src/core/errors.ts';
import { type ActiveStatus, openRepository } from '../../src/index.ts';
import { fsck, NOON, type Repo, seen, session, write } from '../support/cli.ts';
import { forge } from '../support/forge.ts';
import { dropSecondNames } from '../support/store.ts';

let sound: Repo;
let id: string;
beforeAll(() => {
  sound = session('The first task');
  sound.run(['observe', 'note', 'saved', '--flush']);
  sound.run(['stage', 'compact']);
  sound.run(['stage', 'start', 'The second task']);
  sound.run(['observe', 'note', 'kept', '--flush']);
  id = sound.json<ActiveStatus>(['stage', 'status']).session_id;
});

describe('damage to what all the rest stands on', () => {
  test.each<[what: string, spoil: (repo: Repo) => void, exit: number]>([
    ['a file for pending', (repo) => replace(repo, 'pending', 'x'), 5],
    ['a file for oplog', (repo) => replace(repo, 'oplog', 'x'), 5],
    ['an emptied config', (repo) => replace(repo, 'config', ''), 5],
    ['no config', (repo) => rmSync(join(repo.store, 'config')), 1],
    ['an emptied HEAD', (repo) => replace(repo, 'HEAD', ''), 5],
    ['no HEAD', (repo) => rmSync(join(repo.store, 'HEAD')), 1],
    ['a HEAD that names another branch', (repo) => replace(repo, 'HEAD', 'ref: refs/heads/x\n'), 1],
    ['a link for main', linkMain, 5],
  ])('%s is found by fsck, and repaired by the command that is printed', (_what, spoil, exit) => {
    const repo = sound.copy();
    spoil(repo);
    expect(repo.run(['stage', 'compact']).code).toBe(exit);
    const { code, stdout } = repo.run(['fsck']);
    expect([code, stdout]).toEqual([
      5,
      expect.stringMatching(/^damage .*\n {4}ctx fsck --repair\n1 thing damaged\.\n$/),
    ]);
    expect(repo.run(['fsck', '--repair'])).toMatchObject({ code: 0, stderr: '' });
    expect(repo.json<ActiveStatus>(['stage', 'status'])).toMatchObject({ session_id: id, step: 2 });
    fsck(repo.dir);
  });

  test('settings that cannot be read do not keep fsck from the rest', () => {
    const repo = sound.copy();
    replace(repo, 'settings.json', '{');
    replace(repo, 'refs/heads/main', 'torn');
    expect(repo.run(['stage', 'status']).code).toBe(5);
    const { code, stdout } = repo.run(['fsck', '--repair']);
    expect([code, stdout]).toEqual([
      5,
      expect.stringMatching(/^Restored refs\/heads\/main .*\ndamage settings\.json: /),
    ]);
  });
});

function replace({ store }: Repo, name: string, text: string): void {
  rmSync(join(store, name), { recursive: true, force: true });
  write(join(store, name), text);
}

function linkMain({ dir, store }: Repo): void {
  renameSync(join(store, 'refs/heads/main'), join(dir, 'main'));
  symlinkSync(join(dir, 'main'), join(store, 'refs/heads/main'));
}

function linkObjects({ dir, store }: Repo): void {
  renameSync(join(store, 'objects'), join(dir, 'objects'));
  symlinkSync(join(dir, 'objects'), join(store, 'objects'));
}

test('a pointer that names a blob is reported and restored', () => {
  const repo = sound.copy();
  replace(repo, 'refs/heads/main', repo.git('rev-parse', 'main:summary.md'));
  expect(seen(repo.run(['fsck']))).toMatchInlineSnapshot(`
    "exit 5
    out| damage refs/heads/main: refs/heads/main is damaged: it names <oid1>, which is a blob and no commit
    out|     ctx fsck --repair
    out| 1 thing damaged."
  `);
  expect(seen(repo.run(['fsck', '--repair']))).toMatchInlineSnapshot(`
    "exit 0
    out| Restored refs/heads/main to <oid1>, the last whole commit that it named.
    out| The store is whole."
  `);
  expect(repo.run(['log'])).toEqual(sound.run(['log']));
});

test('a lock that Git has left is reported, and removed by the command that is printed', () => {
  const repo = sound.copy();
  const path = write(join(repo.store, 'refs/heads/main.lock'), '');
  const then = Date.now() / 1000 - 3 * 86_400 - 600;
  utimesSync(path, then, then);
  expect(seen(repo.run(['fsck']))).toMatchInlineSnapshot(`
    "exit 5
    out| damage refs/heads/main.lock: it is a lock of Git's, 3 days old: nothing can move refs/heads/main while it is there
    out|     ctx fsck --break-lock, if no Git is running on the store
    out| 1 thing damaged."
  `);
  expect(seen(repo.run(['fsck', '--break-lock']))).toMatchInlineSnapshot(`
    "exit 0
    out| Removed refs/heads/main.lock, which was 3 days old.
    out| The store is whole."
  `);
  expect(existsSync(path)).toBe(false);
  expect(repo.run(['stage', 'compact'])).toMatchObject({ code: 0 });
});

test.each<[what: string, spoil: (repo: Repo) => void]>([
  ['cut-off history', (repo) => replace(repo, 'shallow', '')],
  ['a graft', (repo) => replace(repo, 'info/grafts', '')],
  ['objects of another store', (repo) => replace(repo, 'objects/info/alternates', '/elsewhere')],
  ['a newer format', (repo) => repo.git('config', 'core.repositoryformatversion', '2')],
  ['a link for its objects', linkObjects],
])('a store with %s is not looked into: fsck exits with 1, as its help says', (_what, spoil) => {
  const repo = sound.copy();
  spoil(repo);
  expect(repo.run(['fsck']).code).toBe(1);
  expect(repo.run(['fsck', '--help']).stdout).toMatch(/^ {2}1 {2}the store is of another format/m);
});

test('of very many findings and repairs the first thousand are listed, and the others counted', () => {
  const repo = sound.copy();
  const name = (index: number): string => `refs/archive/00000000-0000-7000-8000-${String(index).padStart(12, '0')}`;
  const lines = Array.from({ length: 1500 }, (_, index) => `${'ab'.repeat(20)} ${name(index)}\n`);
  write(join(repo.store, 'packed-refs'), lines.join(''));
  const { code, stdout } = repo.run(['fsck']);
  expect([code, stdout.split('\n').slice(-4)]).toEqual([
    5,
    [
      `    If you can, ${OR_FETCH}. If you cannot: ctx fsck --repair, which rewrites ababababab if all that it held is whole`,
      'damage and 500 more, which are not listed',
      '1500 things damaged.',
      '',
    ],
  ]);
  expect(repo.json<FsckResult>(['fsck'], { exit: 5 })).toMatchObject({
    findings: { length: 1000 },
    unlisted: { damage: 500, leftover: 0, note: 0 },
    healthy: false,
  });
  expect(repo.json<{ findings: object[] }>(['doctor'], { exit: 1 }).findings.length).toBeLessThan(120);
  for (let index = 0; index < 1500; index += 1) write(join(repo.store, name(index)), 'torn');
  rmSync(join(repo.store, 'packed-refs'));
  const { repaired } = repo.json<FsckResult>(['fsck', '--repair'], { exit: 5 });
  expect([repaired.length, repaired.at(-1)]).toEqual([1001, 'And 500 more things of the kind.']);
});

describe('a file that is far too large', () => {
  test.each<[name: string, mended: RegExp]>([
    ['HEAD', /^Rewrote HEAD; what was there is in lost\/\.$/],
    ['config', /^Rewrote config; what was there is in lost\/\.$/],
    ['refs/heads/main', /^Restored refs\/heads\/main to \w{40}, the last whole commit that it named\.$/],
    ['STAGE', /^Restored STAGE to refs\/sessions\/[\w-]+\.$/],
    ['packed-refs', /^Set packed-refs aside in lost\/: it was no file, or far too large\.$/],
  ])('%s: what it must say is put in its place, and it is kept', (name, mended) => {
    const repo = sound.copy();
    replace(repo, name, '');
    truncateSync(join(repo.store, name), 8 * 1024 ** 3);
    expect(repo.run(['fsck']).code).toBe(5);
    const { code, stdout } = repo.run(['fsck', '--repair']);
    expect([code, stdout.split('\n')]).toEqual([0, [expect.stringMatching(mended), 'The store is whole.', '']]);
    const [kept, ...others] = readdirSync(join(repo.store, 'lost'));
    expect(others).toEqual([]);
    expect(statSync(join(repo.store, 'lost', kept as string)).size).toBe(8 * 1024 ** 3);
    expect(repo.json<ActiveStatus>(['stage', 'status'])).toMatchObject({ session_id: id, step: 2 });
    fsck(repo.dir);
  });

  test('the key is no key', () => {
    const repo = sound.copy();
    const key = join(repo.store, 'key');
    truncateSync(write(key, ''), 8 * 1024 ** 3);
    expect(repo.run(['fsck'])).toMatchObject({ code: 5, stdout: expect.stringContaining('Remove the file') });
    rmSync(key);
    expect(repo.run(['fsck'])).toMatchObject({ code: 0 });
  });
});

describe('what is no lock of ctx, in the place of one', () => {
  const folder = (path: string): string => write(join(path, 'inside'), 'x');
  const large = (path: string): void => truncateSync(write(path, ''), 8 * 1024 ** 3);
  const names = ['LOCK', 'LOCK.packing', 'LOCK.ref', 'LOCK.packed', 'gc.pid'];

  test.each([
    ...names.map((name) => ({ name, what: 'a folder', put: folder })),
    ...names.map((name) => ({ name, what: 'a file far too large', put: large })),
  ])('$name, $what: it is reported, and set aside by the command that is printed', ({ name, what, put }) => {
    const repo = sound.copy();
    put(join(repo.store, name));
    const told = `damage ${name}: it is ${what}, and no lock of ctx's: every command that needs it is refused\n    ctx fsck --break-lock sets it aside in lost/.\n1 thing damaged.\n`;
    expect(repo.run(['fsck'])).toMatchObject({ code: 5, stdout: told });
    expect(repo.run(['fsck', '--repair'])).toMatchObject({
      code: 5,
      stdout: `Repaired nothing: ${name} is ${what}; ctx fsck --break-lock sets it aside in lost/.\n${told}`,
    });
    expect(repo.run(['doctor'])).toMatchObject({ code: 1, stdout: expect.stringContaining(`${name} is ${what}`) });
    expect(repo.run(['fsck', '--break-lock'])).toMatchObject({
      code: 0,
      stdout: `Set ${name} aside in lost/: it was no lock of ctx's.\nThe store is whole.\n`,
    });
    expect(readdirSync(join(repo.store, 'lost'))).toEqual([expect.stringMatching(`^${name}\\.`)]);
    expect(readdirSync(repo.store).filter((entry) => /^(LOCK|gc)/.test(entry))).toEqual([]);
    expect(repo.run(['stage', 'compact'])).toMatchObject({ code: 0 });
  });
});

test('undo of what was expired on request is no, and not damage', () => {
  const repo = session('Old', { now: NOON - 100 * 86_400 });
  repo.run(['observe', 'note', 'x', '--flush']);
  repo.run(['stage', 'compact']);
  const [archived] = readdirSync(join(repo.store, 'refs/archive'));
  expect(repo.run(['gc', '--expire-steps', '90d'])).toMatchObject({ code: 0 });
  dropSecondNames(repo.store);
  repo.git('gc', '--quiet', '--prune=now');
  expect(repo.refused(['undo'])).toMatchObject({
    exit: 1,
    code: 'not_found',
    hint: expect.stringContaining('ctx show'),
  });
  expect(repo.run(['show', archived as string])).toMatchObject({ code: 0 });
  expect(repo.run(['fsck'])).toMatchObject({ code: 0, stdout: 'The store is whole.\n' });
});

test.each([1, 3])(
  'a torn pack, over an open session, is made whole from a backup by the command that is printed (%i)',
  (part) => {
    const repo = sound.copy();
    const [main, head] = ['main', `refs/sessions/${id}`].map((ref) => repo.git('rev-parse', ref).trim());
    repo.git('repack', '-adq');
    repo.git('prune-packed');
    repo.git('clone', '-q', '--mirror', '--no-hardlinks', repo.store, join(repo.dir, 'backup.git'));
    const folder = join(repo.store, 'objects/pack');
    const pack = join(folder, readdirSync(folder).find((name) => name.endsWith('.pack')) as string);
    const bytes = readFileSync(pack);
    chmodSync(pack, 0o600);
    // The head of the session stands first.
    write(pack, bytes.fill(0x55, part * 20, part * 20 + 10));
    const { findings } = repo.json<FsckResult>(['fsck', '--full'], { exit: 5 });
    const first = new Set(findings.map(({ hint }) => hint));
    expect([...first]).toEqual([
      expect.stringMatching(/^First: ctx fsck --full --repair, .* Then, if an object is missing: fetch it/),
    ]);
    const { repaired, findings: left } = repo.json<FsckResult>(['fsck', '--full', '--repair'], { exit: 5 });
    const [told, ...made] = repaired;
    expect(told).toContain(OR_FETCH);
    // The torn part's commits of the main line are made again if the rest is there.
    for (const sentence of made)
      expect(sentence).toMatch(/^Remade the lost commit [0-9a-f]{40} of refs\/heads\/main from/);
    for (const { hint } of left) expect(hint).toContain(OR_FETCH.slice(1));
    const typed = /ctx (git fetch .*)$/.exec(OR_FETCH)?.[1]?.replace('<its path>', join(repo.dir, 'backup.git')) ?? '';
    expect(repo.run(typed.replaceAll('"', '').split(' '))).toMatchObject({ code: 0 });
    expect(repo.run(['fsck', '--full'])).toMatchObject({ code: 0, stdout: 'The store is whole.\n' });
    expect(['main', `refs/sessions/${id}`].map((ref) => repo.git('rev-parse', ref).trim())).toEqual([main, head]);
    expect(repo.git('fsck', '--strict', '--full', '--no-dangling')).toBe('');
    expect(repo.run(['observe', 'note', 'goes on', '--flush'])).toMatchObject({ code: 0 });
  },
);

describe('a pack whose index is gone', () => {
  /** All of the store is in it. */
  function unindexed(): { repo: Repo; pack: string } {
    const repo = sound.copy();
    repo.git('repack', '-adq');
    repo.git('prune-packed');
    const folder = join(repo.store, 'objects/pack');
    for (const name of readdirSync(folder).filter((entry) => !entry.endsWith('.pack'))) rmSync(join(folder, name));
    return { repo, pack: join(folder, readdirSync(folder)[0] as string) };
  }
  const HINT = /^A pack has no index, and may hold it: ctx fsck --repair makes one\. /;

  test('is named, also by whatever misses what is in it', () => {
    const { repo } = unindexed();
    expect(repo.refused(['stage', 'status'])).toMatchObject({ exit: 5, hint: expect.stringMatching(HINT) });
    expect(repo.refused(['log'])).toMatchObject({ exit: 5, hint: expect.stringMatching(HINT) });
    const { findings } = repo.json<FsckResult>(['fsck'], { exit: 5 });
    expect(findings.filter(({ severity }) => severity === 'leftover')).toMatchObject([
      { where: expect.stringMatching(/\.pack$/), hint: 'ctx fsck --repair' },
    ]);
    const hints = findings.filter(({ severity }) => severity === 'damage').map(({ hint }) => hint);
    expect(hints.length).toBeGreaterThan(2);
    for (const hint of hints) expect(hint).toMatch(HINT);
  });

  test.each([
    ['Git', {}],
    ['ctx alone, where Git is not installed,', { PATH: '' }],
  ])('gets one from %s, and nothing is lost', (_what, env) => {
    const { repo, pack } = unindexed();
    expect(seen(repo.run(['fsck', '--repair'], { env }))).toMatchInlineSnapshot(`
      "exit 0
      out| Made a new index of pack-<oid1>.pack.
      out| The store is whole."
    `);
    expect(readdirSync(join(pack, '..')).filter((name) => /^tmp|\.tmp/.test(name))).toEqual([]);
    expect(repo.json<ActiveStatus>(['stage', 'status'])).toMatchObject({ session_id: id, step: 2 });
    expect(repo.run(['log'])).toEqual(sound.run(['log']));
    fsck(repo.dir);
  });

  test.each([
    ['Git', {}],
    ['ctx alone', { PATH: '' }],
  ])('and which is torn itself is set aside by %s, once what can be read of it is written again', (_what, env) => {
    const { repo, pack } = unindexed();
    const bytes = readFileSync(pack);
    chmodSync(pack, 0o600);
    write(pack, bytes.fill(0x55, 40, 50));
    const { code, stdout } = repo.run(['fsck', '--repair'], { env });
    expect([code, stdout]).toEqual([
      5,
      expect.stringMatching(
        /^Set pack-\w+\.pack aside in lost\/: it was damaged\. What could be read of it, \d+ objects, is /,
      ),
    ]);
    expect(readdirSync(join(pack, '..'))).toHaveLength(0);
    expect(readdirSync(join(repo.store, 'lost'))).toHaveLength(1);
  });

  test('and which has a wrong end, and the checksum of it, gets none', () => {
    const { repo, pack } = unindexed();
    const bytes = readFileSync(pack);
    bytes.writeUInt32BE(bytes.readUInt32BE(8) + 1, 8);
    createHash('sha1')
      .update(bytes.subarray(0, -20))
      .digest()
      .copy(bytes, bytes.length - 20);
    chmodSync(pack, 0o600);
    write(pack, bytes);
    for (const env of [{}, { PATH: '' }]) {
      const { code, stdout } = repo.run(['fsck', '--repair'], { env });
      expect([code, stdout]).toEqual([5, expect.stringMatching(/^Could not make an index of pack-\w+\.pack: /)]);
    }
  });
});

test('a step that a newer version of ctx wrote is refused by all commands in the same way, and no damage', () => {
  const repo = sound.copy();
  const repository = openRepository({ directory: repo.dir });
  const of = forge({ repository, store: repo.store });
  of.replace(`refs/sessions/${id}`, (oid) => {
    const lines = of.text(oid, 'step.jsonl').replace('"version":1', '"version":2');
    return of.like(oid, { tree: of.treeWith(oid, 'step.jsonl', { oid: of.blob(lines) }) });
  });
  const hint = 'Upgrade ctx, and run the command again; nothing was changed.';
  expect(repo.refused(['stage', 'recover'])).toMatchObject({ exit: 1, code: 'newer_version', hint });
  expect(seen(repo.run(['fsck']))).toMatchInlineSnapshot(`
    "exit 1
    out| note refs/sessions/<id1>, step <oid1>: step <oid1>, step.jsonl line 1 was written by a newer version of ctx.
    out|     Upgrade ctx, and run the command again; nothing was changed.
    out| What this version of ctx can read is whole; the rest needs the newer one."
  `);
});
