// Whose files they are: no bit for anybody else whatever the mask, and a store that cannot be written to can be read.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import type { LogEntry, Shown, ShownStep } from '../../src/index.ts';
import { tellCases } from '../support/cases.ts';
import { folder, fsck, json, NOON, PROGRAM, run, write } from '../support/cli.ts';
import { type Lived, LOOKS, livedIn, NOBODY, picture, WRITES, watch, watchMany, whyNotAsNobody } from './support.ts';

let lived: Lived;
beforeAll(() => {
  lived = livedIn();
});

const isRoot = process.getuid?.() === 0;
/** Why nobody else can run a command here. */
const WHY_NOT = whyNotAsNobody();

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

/** Lists the files that others than the user may use. */
const open = (store: string): string[] =>
  [...everything(store)].filter((path) => lstatSync(path).mode & 0o077).map((path) => path.slice(store.length + 1));

const git = (dir: string, umask: string, ...words: string[]): void => {
  const ran = spawnSync('sh', ['-c', `umask ${umask}; exec git --git-dir=.ctx "$@"`, 'sh', ...words], {
    cwd: dir,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: '/dev/null/home', GIT_CONFIG_NOSYSTEM: '1' },
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
      [['git', 'fetch', '-q', '.ctx', 'main']],
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
  ])('the user’s own git %j leaves no bit for group or others', async (words) => {
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

test('doctor reports the FETCH_HEAD of the user’s own git, and its hint closes the file', async () => {
  const { dir, store } = copy();
  git(dir, '000', 'fetch', '-q', '.ctx', 'main');
  expect(open(store)).toEqual(['FETCH_HEAD']);
  const { stdout } = await watch(['doctor'], { cwd: dir });
  expect(stdout).toContain(
    `Only the folder of the store keeps others from 1 file or folder, such as ${store}/FETCH_HEAD`,
  );
  const mend = /chmod -R go= \S+/.exec(stdout)?.[0] ?? '';
  expect(spawnSync('sh', ['-c', mend]).status).toBe(0);
  expect(open(store)).toEqual([]);
});

test('without what the config of a store says, Git would', () => {
  const { dir, store } = copy();
  const config = join(store, 'config');
  write(config, readFileSync(config, 'utf8').replace(/.*sharedRepository.*\n/, ''));
  git(dir, '000', 'repack', '-a', '-d', '-q');
  expect(open(store)).not.toEqual([]);
});

/** Commands that only look, without those that report how they would have to write. */
const READS = LOOKS.filter(([first]) => first !== 'fsck').concat([
  ['fsck'],
  ['git', 'log', '--oneline', 'main'],
  ['show', '<archived>', '--steps'],
  ['--json', 'stage', 'status'],
]);
const reads = (): string[][] =>
  READS.map((words) => words.map((word) => (word === '<archived>' ? lived.archived : word)));
const writes = WRITES.filter(([first]) => first !== 'git');

/** Checks that a look succeeds, a write says why it cannot, and nothing has changed. */
async function expectReadable(dir: string, store: string, why: RegExp, uid?: number): Promise<void> {
  const before = picture(store);
  const looked = await watchMany(reads(), { cwd: dir, uid });
  expect(
    looked.ran.map(({ words, code }) => [words.join(' '), code]),
    looked.stderr,
  ).toEqual(reads().map((words) => [words.join(' '), 0]));
  tellCases(reads().length + writes.length);
  for (const words of writes) {
    const watched = await watch(words, { cwd: dir, uid });
    const what = `${words.join(' ')}: ${watched.code} ${watched.stderr}`;
    expect(watched.hung, what).toBe(false);
    expect(watched.code, what).toBe(1);
    expect(watched.stderr, what).toMatch(why);
    expect(watched.stderr, what).toMatch(/^hint: /m);
  }
  expect(picture(store)).toEqual(before);
}

describe('a store that cannot be written to', () => {
  test('on a file system that is read-only can be read, and says why it is not written to', async (context) => {
    const { dir, store } = copy();
    const bound =
      isRoot &&
      spawnSync('mount', ['--bind', store, store]).status === 0 &&
      (spawnSync('mount', ['-o', 'remount,bind,ro', store]).status === 0 || spawnSync('umount', [store]).status !== 0);
    if (!bound) return context.skip('nothing can be mounted read-only here');
    try {
      await expectReadable(dir, store, /^error: .*(EROFS|[Rr]ead-only file system)/);
    } finally {
      expect(spawnSync('umount', [store]).status).toBe(0);
    }
    // And written to again, as soon as it may be.
    expect((await watchMany(writes, { cwd: dir })).ran.map(({ code }) => code)).toEqual(writes.map(() => 0));
    fsck(dir);
  });

  test.for<[string, (store: string) => void, boolean]>([
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
  ])('%s, can be read, and says why it is not written to', async ([, prepare, own], context) => {
    const { outer, dir, store } = copy();
    if (isRoot && own) for (const path of everything(outer)) chownSync(path, NOBODY, NOBODY);
    prepare(store);
    // The folders above are ours alone, and must let somebody else through.
    for (let at = outer; at.includes('ctx-test'); at = join(at, '..')) chmodSync(at, lstatSync(at).mode | 0o055);
    for (const at of [dir, join(dir, 'src')]) chmodSync(at, 0o755);
    chmodSync(join(dir, 'src', 'a.ts'), 0o644);
    const uid = isRoot ? NOBODY : undefined;
    if (WHY_NOT !== null && (isRoot || !own)) return context.skip(WHY_NOT);
    await expectReadable(dir, store, /^error: .*(EACCES|EPERM|[Pp]ermission denied)/, uid);
    for (const path of everything(outer)) chmodSync(path, lstatSync(path).mode | 0o700);
    rmSync(outer, { recursive: true, force: true });
  });
});

describe('what its own user may not read any more', () => {
  const asked = [['stage', 'status'], ['stage', 'flush'], ['fsck']];
  test.for<[name: string, lines: string[][]]>([
    ['refs/heads/main', [['log'], ['fsck']]],
    ...['STAGE', 'HEAD', 'config', 'settings.json', 'refs/sessions', 'pending', 'objects'].map(
      (name): [string, string[][]] => [name, asked],
    ),
  ])('%s is named, as damage', async ([name, lines], context) => {
    if (WHY_NOT !== null) return context.skip(WHY_NOT);
    const { outer, dir, store } = copy();
    const path = join(store, name);
    if (!existsSync(path)) write(path, '{}');
    for (const each of everything(outer)) chownSync(each, NOBODY, NOBODY);
    for (let at = outer; at.includes('ctx-test'); at = join(at, '..')) chmodSync(at, lstatSync(at).mode | 0o055);
    chmodSync(path, 0);
    for (const words of lines) {
      const watched = await watch(words, { cwd: dir, uid: NOBODY });
      const what = `${words.join(' ')}: ${watched.code} ${watched.stderr}${watched.stdout}`;
      expect(watched.code, what).toBe(5);
      expect(watched.stderr + watched.stdout, what).toContain(name);
      // No repair could read it either.
      const hint = 'Check who owns the file and its permissions.';
      if (['HEAD', 'config'].includes(name)) expect(watched.stderr + watched.stdout, what).toContain(hint);
    }
    chmodSync(path, 0o700);
    rmSync(outer, { recursive: true, force: true });
  });

  const FLUSH = ['observe', 'note', 'x', '--flush'];
  test.for<[what: string, name: RegExp, lines: string[][]]>([
    ['an index of a pack', /^objects\/pack\/.*\.idx$/, [['log'], ['--json', 'log'], ['fsck'], ['du']]],
    ['a pack', /^objects\/pack\/.*\.pack$/, [['log'], ['--json', 'log'], ['fsck'], ['du']]],
    ['packed-refs', /^packed-refs$/, [['log'], ['stage', 'status'], FLUSH, ['fsck']]],
    ['a record that waits', /^pending\/[^/]+\/[^/]+\.json$/, [['stage', 'status'], FLUSH, ['fsck']]],
    ['the folder of records that wait', /^pending$/, [FLUSH, ['du'], ['fsck']]],
    ['the folder of questions', /^choices$/, [FLUSH, ['fsck']]],
    ['the folder of operations', /^oplog$/, [['op', 'log'], FLUSH, ['fsck']]],
  ])('%s is named, as damage, whenever it is come upon', async ([, name, lines], context) => {
    if (WHY_NOT !== null) return context.skip(WHY_NOT);
    const { outer, dir, store } = copy();
    mkdirSync(join(store, 'choices'), { recursive: true });
    git(dir, '077', 'pack-refs', '--all');
    for (const each of everything(outer)) chownSync(each, NOBODY, NOBODY);
    for (let at = outer; at.includes('ctx-test'); at = join(at, '..')) chmodSync(at, lstatSync(at).mode | 0o055);
    const names = [...everything(store)].map((path) => path.slice(store.length + 1)).filter((path) => name.test(path));
    expect(names).not.toEqual([]);
    for (const one of names) chmodSync(join(store, one), 0);
    for (const words of lines) {
      const watched = await watch(words, { cwd: dir, uid: NOBODY });
      const what = `${words.join(' ')}: ${watched.code} ${watched.stderr}${watched.stdout}`;
      expect(watched.code, what).toBe(5);
      expect(
        names.some((one) => (watched.stderr + watched.stdout).includes(one)),
        what,
      ).toBe(true);
    }
    for (const one of names) chmodSync(join(store, one), 0o700);
    rmSync(outer, { recursive: true, force: true });
  });

  test('is rebuilt if possible, and fsck names it', async (context) => {
    if (WHY_NOT !== null) return context.skip(WHY_NOT);
    const { outer, dir, store } = copy();
    mkdirSync(join(store, 'cache', 'conversations'), { recursive: true });
    for (const each of everything(outer)) chownSync(each, NOBODY, NOBODY);
    for (let at = outer; at.includes('ctx-test'); at = join(at, '..')) chmodSync(at, lstatSync(at).mode | 0o055);
    chmodSync(join(store, 'cache'), 0);
    for (const words of [['stage', 'status'], FLUSH, ['log'], ['stage', 'recover']])
      expect(await watch(words, { cwd: dir, uid: NOBODY }), words.join(' ')).toMatchObject({ code: 0 });
    const checked = await watch(['fsck'], { cwd: dir, uid: NOBODY });
    expect(checked.code).toBe(5);
    expect(checked.stdout).toContain(`damage cache: Cannot list ${join(store, 'cache')}: EACCES`);
    chmodSync(join(store, 'cache'), 0o700);
    rmSync(outer, { recursive: true, force: true });
  });
});

test.for([
  ['a record that waits', (store: string): string => newest(join(store, 'pending'))],
  ['main', (store: string): string => join(store, 'refs/heads/main')],
])('a repair goes on beside %s that must not be read, and tells each step', async ([, fileIn], context) => {
  if (WHY_NOT !== null) return context.skip(WHY_NOT);
  const { outer, dir, store } = copy();
  for (const each of everything(outer)) chownSync(each, NOBODY, NOBODY);
  for (let at = outer; at.includes('ctx-test'); at = join(at, '..')) chmodSync(at, lstatSync(at).mode | 0o055);
  const stage = readFileSync(join(store, 'STAGE'), 'utf8');
  const file = (fileIn as (store: string) => string)(store);
  chmodSync(file, 0);
  writeFileSync(join(store, 'STAGE'), '');
  const { code, stdout, stderr } = await watch(['fsck', '--repair'], { cwd: dir, uid: NOBODY });
  expect(readFileSync(join(store, 'STAGE'), 'utf8'), stdout + stderr).toBe(stage);
  expect(code).toBe(5);
  expect(stdout).toContain('Restored STAGE');
  expect(stdout).toContain(`Left a part as it is: Cannot read ${file}: EACCES. Check who owns that file`);
  chmodSync(file, 0o600);
  expect(await watch(['fsck', '--repair'], { cwd: dir, uid: NOBODY })).toMatchObject({ code: 0 });
  rmSync(outer, { recursive: true, force: true });
});

/** The newest record below a folder. */
const newest = (folder: string): string =>
  [...everything(folder)]
    .filter((path) => path.endsWith('.json'))
    .sort()
    .at(-1) as string;

test('an error of the machine while Git packs is reported as such, and the store is packed without Git', async () => {
  const { dir } = copy();
  // Twenty are enough for ctx itself, but not for two programs of Git's with their pipes.
  for (const most of [20, 22, 24, 26]) {
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', `ulimit -n ${most}; exec "$0" "$@"`, process.execPath, PROGRAM, 'gc'],
      {
        cwd: dir,
        encoding: 'utf8',
      },
    );
    expect(stderr, String(most)).not.toContain('in a way it should not');
    expect([0, 1]).toContain(status);
    expect(stderr, String(most)).toMatch(/EMFILE/);
    if (status === 1) expect(stderr).toContain('hint: Too many files are open at once here');
  }
});

const FAULT = fileURLToPath(new URL('../torture/fault.cjs', import.meta.url));

describe('a full disk', () => {
  /** Commands, and the calls of theirs at which the disk is full. */
  const POINTS: [words: string[], at: number][] = [
    ...[1, 2, 3].map((at): [string[], number] => [['observe', 'note', 'x'], at]),
    ...[1, 9, 15, 30].map((at): [string[], number] => [['stage', 'flush'], at]),
    ...[3, 20, 40].map((at): [string[], number] => [['stage', 'compact'], at]),
  ];
  const AFTER = [['observe', 'note', 'y'], ['stage', 'flush'], ['stage', 'compact'], ['log'], ['fsck']];

  /**
   * Runs a command that finds the disk full at one of its calls, and says so; false where that was at the line of a reflog, which
   * the next command makes up for.
   */
  async function expectTold(dir: string, store: string, words: string[], at: number, env = {}): Promise<boolean> {
    tellCases(1);
    const mark = join(dir, 'mark');
    const fault = { TORTURE_STORE: store, TORTURE_MODE: 'ENOSPC', TORTURE_AT: String(at), TORTURE_MARK: mark };
    const watched = await watch(words, { cwd: dir, preload: FAULT, env: { ...fault, ...env } });
    const what = `${words.join(' ')} at ${at}: ${watched.stderr}${readFileSync(mark, 'utf8')}`;
    const hit = readFileSync(mark, 'utf8');
    expect(hit, what).toContain('"hit"');
    if (watched.code === 0 && hit.includes('"path":"logs/refs/')) return false;
    expect(watched.code, what).toBe(1);
    expect(watched.stderr, what).toMatch(/^error: Cannot .*\/\.ctx\/.*ENOSPC/m);
    expect(watched.stderr, what).toMatch(/^hint: The disk is full: make room/m);
    return true;
  }

  /** Checks that commands after room was made give these exit codes; nothing of before is lost, and a refused change leaves nothing half done. */
  async function expectGoesOn(dir: string, codes: number[]): Promise<void> {
    const after = await watchMany(AFTER, { cwd: dir });
    expect(
      after.ran.map(({ code }) => code),
      after.stderr,
    ).toEqual(codes);
    expect(json<LogEntry[]>(['log'], { cwd: dir })[0]).toMatchObject({ session_id: lived.session });
    const { steps } = json<Shown & { steps: ShownStep[] }>(['show', lived.session, '--steps'], { cwd: dir });
    const records = steps.flatMap((step) => step.observations) as unknown as { kind: string; content: unknown }[];
    const notes = records.filter(({ kind }) => kind === 'note').map(({ content }) => content);
    expect(notes.filter((content) => typeof content === 'string' && content.length < 20)).toEqual(['It waits', 'y']);
    fsck(dir);
  }

  /** Temporary files and locks. What says whether a `git prune` has ended is none. */
  const leftovers = (store: string): string[] =>
    [...everything(store)].filter((path) => /\.tmp$|\/tmp_(?!witness$)|\.lock$|LOCK|[0-9a-f]{40}-/.test(path));

  test.each(POINTS)(
    '%j at its call %i reports the error, its place and what to do, and then everything continues',
    async (words, at) => {
      const { dir, store } = copy();
      await expectTold(dir, store, words, at);
      expect(leftovers(store)).toEqual([]);
      await expectGoesOn(dir, [0, 0, 0, 0, 0]);
    },
  );

  const TRANSCRIPT = fileURLToPath(new URL('../../fixtures/claude-code/rewind.jsonl', import.meta.url));

  test.each<[words: string[], points: number[]]>([
    [
      ['ingest', TRANSCRIPT],
      [20, 30, 40, 50, 60, 70],
    ],
    // Without Git: what is on no PATH is not installed.
    [['gc'], [12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22]],
  ])('takes with it what %j had begun to write', async (words, points) => {
    for (const at of points) {
      const { dir, store } = copy();
      await expectTold(dir, store, words, at, { PATH: '' });
      expect(leftovers(store)).toEqual([]);
    }
  });

  test('between two pointers of a change: the next command that writes makes the rest', async () => {
    let at = 45;
    for (; at < 90; at += 3) {
      const { dir, store } = copy();
      if (!(await expectTold(dir, store, ['stage', 'compact'], at))) continue;
      const begun = existsSync(join(store, 'oplog', 'begun.json'));
      // The session is saved by then: it is not active any more, and what it gets now is a step of its archive.
      await expectGoesOn(dir, begun ? [0, 1, 1, 0, 0] : [0, 0, 0, 0, 0]);
      if (begun) break;
    }
    expect(at).toBeLessThan(90);
  });

  const tmpfs = (): string | null => {
    const at = folder('disk-');
    return isRoot && spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=768k', 'tmpfs', at]).status === 0 ? at : null;
  };

  /** Text that hardly becomes smaller: a few of them fill the disk. */
  const noise = (seed: number, length: number): string => {
    let [state, text] = [seed, ''];
    while (text.length < length) {
      state = (state * 48_271) % 2_147_483_647;
      text += state % 61 === 0 ? '\n' : String.fromCharCode(0x3400 + (state % 6000));
    }
    return text;
  };

  test('a real one (where a small one can be mounted)', async (context) => {
    const at = tmpfs();
    if (at === null) return context.skip('no file system can be mounted here');
    try {
      cpSync(lived.dir, at, { recursive: true });
      // Two of the lived-in store wait, and come before these.
      const before =
        json<Shown & { steps: ShownStep[] }>(['show', 'STAGE', '--steps'], { own: true, cwd: at }).steps.flatMap(
          (step) => step.observations,
        ).length + 2;
      let told = '';
      const kept: string[] = [];
      const write = (input: string): boolean => {
        const result = run(['--json', 'observe', 'note', '-'], { own: true, cwd: at, now: NOON, input });
        if (result.code === 0)
          kept.push(...(JSON.parse(result.stdout) as { result: { records: string[] } }).result.records);
        else told = `${result.code} ${result.stderr}${result.stdout}`;
        return result.code === 0;
      };
      // Large ones first, then small ones into what they have left.
      for (const length of [20_000, 1000]) for (let left = 200; left > 0 && write(noise(left, length)); ) left -= 1;
      expect(kept.length).toBeGreaterThan(1);
      expect(told).toMatch(/^1 .*"message":"Cannot .*ENOSPC.*"hint":"The disk is full: make room/);
      for (const words of [['stage', 'status'], ['log'], ['show', 'HEAD'], ['stage', 'recover']])
        expect(run(words, { own: true, cwd: at, now: NOON }).code).toBe(0);
      expect(run(['stage', 'ask', 'x'], { own: true, cwd: at, now: NOON })).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('The disk is full') as string,
      });
      expect(spawnSync('mount', ['-o', 'remount,size=64m', at]).status).toBe(0);
      expect(run(['stage', 'flush'], { own: true, cwd: at, now: NOON })).toMatchObject({ code: 0 });
      const steps = json<Shown & { steps: ShownStep[] }>(['show', 'STAGE', '--steps'], { own: true, cwd: at }).steps;
      // Every note that was acknowledged, and none that was refused.
      const ids = steps.flatMap((step) => step.observations).map(({ id }) => id);
      expect(ids.slice(-kept.length)).toEqual(kept);
      expect(ids.length).toBe(before + kept.length);
      expect(run(['stage', 'compact'], { own: true, cwd: at, now: NOON })).toMatchObject({ code: 0 });
      expect(run(['fsck'], { own: true, cwd: at }).code).toBe(0);
      fsck(at);
    } finally {
      // A process that runs many lines would still hold a folder in it.
      expect(spawnSync('umount', [at]).status).toBe(0);
    }
  });
});
