// Whose files they are: no bit for anybody else whatever the mask, and a store that cannot be written to can be read.
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { folder, fsck, NOON, run, write } from '../support/cli.ts';
import { type Lived, LOOKS, livedIn, picture, WRITES, watch, watchMany } from './support.ts';

let lived: Lived;
beforeAll(() => {
  lived = livedIn();
});

const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

function copy(): { outer: string; dir: string; store: string } {
  const outer = join(folder('mode-'), 'o');
  cpSync(lived.outer, outer, { recursive: true });
  return { outer, dir: join(outer, 'project'), store: join(outer, 'project', '.ctx') };
}

function* everything(path: string): Generator<string> {
  yield path;
  if (!lstatSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) yield* everything(join(path, name));
}

/** What anybody but the user may do something with. */
const open = (store: string): string[] =>
  [...everything(store)].filter((path) => lstatSync(path).mode & 0o077).map((path) => path.slice(store.length + 1));

const git = (dir: string, umask: string, ...words: string[]): void => {
  const ran = spawnSync('sh', ['-c', `umask ${umask}; exec git --git-dir=.ctx "$@"`, 'sh', ...words], {
    cwd: dir,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' },
  });
  expect(ran.status, `git ${words.join(' ')}: ${ran.stderr}`).toBe(0);
};

describe('under umask 000', () => {
  test('no command of ctx leaves a bit for group or others', async () => {
    const dir = folder('mask-');
    const store = join(dir, '.ctx');
    write(join(dir, 'a.txt'), 'a\n');
    write(
      join(dir, 'transcript.jsonl'),
      `${JSON.stringify({ type: 'user', uuid: 'u', parentUuid: null, sessionId: 's', timestamp: '2026-01-14T09:12:13Z', message: { role: 'user', content: 'Go' } })}\n`,
    );
    const batch = '{"kind":"note","content":"x"}\n';
    const lines: [words: string[], input?: string][] = [
      [['init']],
      [['stage', 'start', 'x']],
      [['observe', 'note', 'x']],
      [['observe', 'plan', `x${'y'.repeat(9000)}`]],
      [['observe', 'write', 'a.txt']],
      [['observe', 'read', 'a.txt']],
      [['observe', 'command', '--exit-code', '0', '--', 'x']],
      [['observe', 'batch'], batch],
      [['observe', 'relate', 'file:a', 'Imports', 'file:b']],
      [['stage', 'flush']],
      [['stage', 'ask', 'x']],
      [['stage', 'respond', 'x']],
      [['stage', 'interrupt', 'x']],
      [['stage', 'continue']],
      [['stage', 'done', 'x']],
      [['stage', 'reopen', 'x']],
      [['stage', 'done', 'x']],
      [['stage', 'confirm']],
      [['undo']],
      [['stage', 'compact']],
      [['ingest', 'transcript.jsonl']],
      [['stage', 'start', '--beside', 'y']],
      [['stage', 'abort']],
      [['gc']],
      [['git', 'repack', '-a', '-d']],
      [['git', 'pack-refs', '--all']],
      [['stage', 'cleanup']],
      [['fsck', '--repair']],
      [['stage', 'recover']],
    ];
    for (const [words, input] of lines) {
      const watched = await watch(words, { cwd: dir, umask: '000', input });
      expect(watched.code, `${words.join(' ')}: ${watched.stderr}`).toBe(0);
      expect(open(store), words.join(' ')).toEqual([]);
    }
    fsck(dir);
  });

  test.each([
    [['gc', '--quiet']],
    [['repack', '-a', '-d', '-q']],
    [['pack-refs', '--all']],
    [['update-ref', 'refs/heads/own', 'main']],
    [['gc', '--aggressive', '--quiet']],
    [['commit-graph', 'write', '--reachable']],
  ])('neither does the user’s own git %j', async (words) => {
    const { dir, store } = copy();
    expect(open(store)).toEqual([]);
    git(dir, '000', ...words);
    expect(open(store)).toEqual([]);
    expect(
      (await watchMany([['stage', 'flush'], ['stage', 'compact'], ['log']], { cwd: dir, umask: '000' })).ran.map(
        ({ code }) => code,
      ),
    ).toEqual([0, 0, 0]);
    expect(open(store)).toEqual([]);
    fsck(dir);
  });
});

test('without what the config of a store says, Git would', () => {
  const { dir, store } = copy();
  const config = join(store, 'config');
  write(config, readFileSync(config, 'utf8').replace(/.*sharedRepository.*\n/, ''));
  git(dir, '000', 'repack', '-a', '-d', '-q');
  expect(open(store)).not.toEqual([]);
});

/** What only looks, and what says in what way it would have to write. */
const READS = LOOKS.filter(([first]) => first !== 'fsck').concat([
  ['fsck'],
  ['git', 'log', '--oneline', 'main'],
  ['show', '<archived>', '--steps'],
  ['--json', 'stage', 'status'],
]);
const reads = (): string[][] =>
  READS.map((words) => words.map((word) => (word === '<archived>' ? lived.archived : word)));
const writes = WRITES.filter(([first]) => first !== 'git');

describe('a store that cannot be written to', () => {
  test.each([
    [
      'as the user whom it belongs to, all write bits gone',
      (store: string) => {
        for (const path of everything(store)) chmodSync(path, lstatSync(path).mode & 0o555);
      },
      true,
    ],
    [
      'as somebody else, who may only read',
      (store: string) => {
        for (const path of everything(store)) chmodSync(path, lstatSync(path).isDirectory() ? 0o755 : 0o644);
      },
      false,
    ],
  ])('%s, can be read, and says why it is not written to', async (_name, prepare, own) => {
    const { outer, dir, store } = copy();
    if (isRoot && own) for (const path of everything(outer)) chownSync(path, NOBODY, NOBODY);
    prepare(store);
    // The folders above are ours alone, and must let somebody else through.
    for (let at = outer; at.includes('ctx-test'); at = join(at, '..')) chmodSync(at, lstatSync(at).mode | 0o055);
    for (const at of [dir, join(dir, 'src')]) chmodSync(at, 0o755);
    chmodSync(join(dir, 'src', 'a.ts'), 0o644);
    const uid = isRoot ? NOBODY : undefined;
    if (uid === undefined && !own) return;
    const before = picture(store);
    const looked = await watchMany(reads(), { cwd: dir, uid });
    expect(
      looked.ran.map(({ words, code }) => [words.join(' '), code]),
      looked.stderr,
    ).toEqual(reads().map((words) => [words.join(' '), 0]));
    for (const words of writes) {
      const watched = await watch(words, { cwd: dir, uid });
      const what = `${words.join(' ')}: ${watched.code} ${watched.stderr}`;
      expect(watched.hung, what).toBe(false);
      expect(watched.code, what).toBe(1);
      expect(watched.stderr, what).toMatch(/^error: .*(EACCES|EPERM|EROFS|[Pp]ermission denied)/);
      expect(watched.stderr, what).toMatch(/^hint: /m);
    }
    expect(picture(store)).toEqual(before);
    for (const path of everything(outer)) chmodSync(path, lstatSync(path).mode | 0o700);
    rmSync(outer, { recursive: true, force: true });
  });
});

const FAULT = fileURLToPath(new URL('../torture/fault.cjs', import.meta.url));

describe('a full disk', () => {
  /** What was saved before the disk was full leaves no session to go on with. */
  const goesOn = expect.toBeOneOf([0, 1]) as number;

  test('is told with what, where and what to do, at any call, and afterwards everything goes on', async () => {
    const { dir, store } = copy();
    for (const [words, calls] of [
      [
        ['observe', 'note', 'x'],
        [1, 2],
      ],
      [
        ['stage', 'flush'],
        [1, 4, 9, 15],
      ],
      [
        ['stage', 'compact'],
        [3, 20],
      ],
    ] as const) {
      for (const at of calls) {
        const env = {
          TORTURE_STORE: store,
          TORTURE_MODE: 'ENOSPC',
          TORTURE_AT: String(at),
          TORTURE_MARK: join(dir, 'mark'),
        };
        rmSync(join(dir, 'mark'), { force: true });
        const watched = await watch(words, { cwd: dir, preload: FAULT, env });
        const what = `${words.join(' ')} at ${at}: ${watched.stderr}`;
        expect(existsSync(join(dir, 'mark')), what).toBe(true);
        expect([0, 1], what).toContain(watched.code);
        if (watched.code === 0) continue;
        expect(watched.stderr, what).toMatch(/^error: Cannot .*\/\.ctx\/.*ENOSPC/m);
        expect(watched.stderr, what).toMatch(/^hint: The disk is full: make room/m);
      }
    }
    expect(
      (
        await watchMany([['observe', 'note', 'y'], ['stage', 'flush'], ['stage', 'compact'], ['fsck']], { cwd: dir })
      ).ran.map(({ code }) => code),
    ).toEqual([goesOn, goesOn, goesOn, 0]);
    fsck(dir);
  });

  const tmpfs = (): string | null => {
    const at = folder('disk-');
    return isRoot && spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=768k', 'tmpfs', at]).status === 0 ? at : null;
  };

  test('a real one (where a small one can be mounted)', async (context) => {
    const at = tmpfs();
    if (at === null) return context.skip('no file system can be mounted here');
    try {
      cpSync(lived.dir, at, { recursive: true });
      let told = '';
      for (let left = 400; left > 0 && told === ''; left -= 1) {
        const result = run(['observe', 'note', '-'], {
          cwd: at,
          now: NOON,
          input: `${left}${Math.random()}`.repeat(3000),
        });
        if (result.code !== 0) told = `${result.code} ${result.stderr}`;
      }
      expect(told).toMatch(/^1 error: Cannot .*ENOSPC.*\nhint: The disk is full: make room/);
      for (const words of [['stage', 'status'], ['log'], ['show', 'HEAD'], ['stage', 'recover']])
        expect(run(words, { cwd: at, now: NOON }).code).toBe(0);
      expect(run(['stage', 'ask', 'x'], { cwd: at, now: NOON })).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('The disk is full') as string,
      });
      expect(spawnSync('mount', ['-o', 'remount,size=64m', at]).status).toBe(0);
      expect(run(['stage', 'flush'], { cwd: at, now: NOON })).toMatchObject({ code: 0 });
      expect(run(['stage', 'compact'], { cwd: at, now: NOON })).toMatchObject({ code: 0 });
      expect(run(['fsck'], { cwd: at }).code).toBe(0);
      fsck(at);
    } finally {
      spawnSync('umount', [at]);
    }
  });
});
