// `gc` and `forget` beside a `git gc` of the user's: only one of them is at work at a time, and each says so.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, uptime } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { collectGarbage } from '../../src/app/gc.ts';
import { loosePath } from '../../src/git/objects/loose.ts';
import { takePacking } from '../../src/git/packing.ts';
import * as ctx from '../../src/index.ts';
import { fakeGit, worked } from '../support/gc.ts';
import { ended, errorOf, fsck, git, type Project, said, startChild, temporaryFolder } from '../support/store.ts';

const DAY = 86_400;

const filesIn = ({ store }: Project): string[] => readdirSync(join(store, 'objects'), { recursive: true }) as string[];

describe('a git gc beside', () => {
  afterEach(() => vi.unstubAllEnvs());

  /** Leaves the mark of a `git gc`, of a process that runs or of none. */
  const sayAtWork = ({ store }: Project, pid: number): void =>
    writeFileSync(join(store, 'gc.pid'), `${pid} ${hostname()}`);

  test.each<[string, (repository: ctx.Repository) => unknown]>([
    ['gc', (repository) => collectGarbage(repository)],
    ['gc without Git', (repository) => collectGarbage(repository, { withoutGit: true })],
    ['gc --expire-steps', (repository) => collectGarbage(repository, { expireSteps: 14 * DAY })],
    ['forget', async (repository) => ctx.forget(repository, { text: 'the task' })],
  ])('holds up %s, which names it and changes nothing', async (_command, act) => {
    const project = worked();
    ctx.compactSession(project.repository);
    project.clock.now += 100 * DAY;
    sayAtWork(project, process.ppid);
    const before = [filesIn(project), project.git('for-each-ref')];
    await expect(act(project.open({ lockWait: 0 }))).rejects.toMatchObject({
      code: 'busy',
      message: `git gc is at work on the store: process ${process.ppid} on ${hostname()}.`,
      hint: expect.stringContaining('remove gc.pid from'),
      data: { pointer: 'gc.pid' },
    });
    expect([filesIn(project), project.git('for-each-ref')]).toEqual(before);
    expect(readdirSync(project.store).filter((name) => name.startsWith('LOCK'))).toEqual([]);
  });

  test.each([
    ['gc.pid', `${process.ppid} ${hostname()}`],
    ['gc.pid.lock', ''],
  ])('is waited for by its %s', async (name, content) => {
    const project = worked();
    writeFileSync(join(project.store, name), content);
    const waiter = await startChild(
      'const fs = require("node:fs"); console.log("here"); while (!fs.existsSync(words[1])); fs.unlinkSync(words[0])',
      [join(project.store, name), join(project.store, 'LOCK.packing')],
    );
    const end = ended(waiter);
    await said(waiter, 'here');
    await expect(collectGarbage(project.open({ lockWait: 20_000 }))).resolves.toMatchObject({ git_failed: null });
    await end;
  });

  test('that was killed with its lock in hand is named, and our own gc.pid does not stay', async () => {
    const project = worked();
    writeFileSync(join(project.store, 'gc.pid.lock'), '');
    await expect(collectGarbage(project.open({ lockWait: 0 }))).rejects.toMatchObject({
      code: 'busy',
      message: 'gc.pid.lock is held by another process, probably Git.',
      hint: expect.stringContaining('ctx fsck --break-lock'),
    });
    expect(existsSync(join(project.store, 'gc.pid'))).toBe(false);
  });

  test.each<[string, string, number]>([
    ['was killed', `${spawnSync('true').pid} ${hostname()}`, 0],
    ['began half a day ago', `1 ${hostname()}`, 13],
    ['says nothing', '', 0],
  ])('that %s holds nobody up', async (_words, content, hours) => {
    const project = worked();
    writeFileSync(join(project.store, 'gc.pid'), content);
    const then = Date.now() / 1000 - hours * 3600;
    utimesSync(join(project.store, 'gc.pid'), then, then);
    await expect(collectGarbage(project.open({ lockWait: 0 }))).resolves.toMatchObject({
      with: 'git',
      git_failed: null,
    });
    expect(existsSync(join(project.store, 'gc.pid'))).toBe(false);
  });

  test.each<[string, string, number]>([
    ['was killed', `${spawnSync('true').pid} ${hostname()}`, 0],
    ['was killed, and whose number another process has now', `${process.ppid} ${hostname()}`, 10 * 365 * 24],
    ['worked on another machine, from where the store was copied', `${process.ppid} elsewhere`, 0],
    ['says nothing', '', 0],
  ])('that %s goes when locks are broken', async (_words, content, hours) => {
    const project = worked();
    writeFileSync(join(project.store, 'gc.pid'), content);
    const then = Date.now() / 1000 - hours * 3600;
    utimesSync(join(project.store, 'gc.pid'), then, then);
    const result = checkStore(project.open(), { breakLock: true });
    expect(result).toEqual({ repaired: ['Removed gc.pid.'], findings: [], healthy: true });
    expect(readdirSync(project.store).filter((name) => /^(gc\.pid|LOCK)/.test(name))).toEqual([]);
  });

  test('that is alive keeps its gc.pid when locks are broken, and every lock of Git’s', () => {
    const project = worked();
    sayAtWork(project, process.ppid);
    const lock = join(project.store, 'refs/heads/main.lock');
    writeFileSync(lock, '');
    utimesSync(lock, 1, 1);
    const who = `process ${process.ppid} on ${hostname()}`;
    expect(errorOf(() => checkStore(project.open(), { breakLock: true }))).toMatchObject({
      code: 'busy',
      message: `gc.pid was not removed: a git gc, ${who}, is alive and holds it.`,
    });
    expect([existsSync(join(project.store, 'gc.pid')), existsSync(lock)]).toEqual([true, true]);
    expect(checkStore(project.open()).findings).toContainEqual({
      severity: 'note',
      kind: 'lock',
      where: 'gc.pid',
      message: `a git gc is at work, or was killed: ${who}; what packs or forgets waits for it`,
      hint: 'ctx fsck --break-lock, if no Git is running on the store',
    });
  });

  test('keeps its lock if it may be alive and nothing shows when a process began', () => {
    const project = worked();
    sayAtWork(project, process.ppid);
    // A mark from before the start of the machine is of no process that runs.
    const then = Date.now() / 1000 - Math.min(3600, uptime() / 2);
    utimesSync(join(project.store, 'gc.pid'), then, then);
    vi.stubEnv('PATH', temporaryFolder());
    expect(errorOf(() => checkStore(project.open(), { breakLock: true }))).toMatchObject({ code: 'busy' });
    expect(existsSync(join(project.store, 'gc.pid'))).toBe(true);
  });

  test('does not begin while ctx packs or forgets', () => {
    const project = worked();
    const release = takePacking(project.repository);
    const gc = spawnSync('git', ['--git-dir', project.store, 'gc'], { encoding: 'utf8' });
    expect(`${gc.status}: ${gc.stderr.trim()}`).toBe(
      `128: fatal: gc is already running on machine '${hostname()}' pid ${process.pid} (use --force if not)`,
    );
    release();
    expect(readdirSync(project.store).filter((name) => /^(gc\.pid|LOCK)/.test(name))).toEqual([]);
    project.git('gc', '--quiet');
  });

  test('is blocked by the Git that packs for ctx, even if ctx is killed meanwhile', async () => {
    const project = worked();
    const seen = join(temporaryFolder(), 'seen');
    const wait = `until grep -q "^$$ " ${project.store}/gc.pid; do :; done; cat ${project.store}/gc.pid > ${seen}`;
    fakeGit(`case "$*" in *pack-objects*) ${wait}; echo " $$" >> ${seen};; esac; exec /usr/bin/git "$@"`);
    expect(await collectGarbage(project.open())).toMatchObject({ git_failed: null });
    const [, pid, host, itself] = /^(\d+) (\S+) (\d+)\n$/.exec(readFileSync(seen, 'utf8')) ?? [];
    expect([itself, host]).toEqual([pid, hostname()]);
    expect(pid).not.toBe(String(process.pid));
    expect(readdirSync(project.store).filter((name) => /^(gc\.pid|LOCK)/.test(name))).toEqual([]);
  });

  test('is all that Git does: pointers and reflogs are left as they are', async () => {
    const project = worked();
    for (const key of ['gc.reflogExpire', 'gc.reflogExpireUnreachable']) project.git('config', '--unset', key);
    const [head, log] = ['refs/heads/main', 'logs/HEAD'].map((name) => join(project.store, name)) as [string, string];
    writeFileSync(log, `${'0'.repeat(40)} ${project.git('rev-parse', 'main').trim()} a <a@b> 1 +0000\tlong ago\n`);
    const before = readFileSync(log, 'utf8');
    await collectGarbage(project.open());
    expect([existsSync(head), readFileSync(log, 'utf8')]).toEqual([true, before]);
  });

  test('does not lose what lies loose and packed to a prune of ours: only what is old goes', async () => {
    const project = worked();
    ctx.compactSession(project.repository);
    project.clock.now += 100 * DAY;
    const [packed, old] = ['young, and packed too', 'old'].map((text) => {
      const oid = project.repository.objects.write('blob', Buffer.from(text));
      return { oid, path: loosePath(join(project.store, 'objects'), oid) };
    }) as [{ oid: string; path: string }, { oid: string; path: string }];
    const copy = join(temporaryFolder(), 'copy');
    copyFileSync(packed.path, copy);
    utimesSync(old.path, 1, 1);
    const pack = git(
      project.store,
      ['pack-objects', '-q', join(project.store, 'objects/pack/pack')],
      `${packed.oid}\n`,
    ).trim();
    writeFileSync(join(project.store, 'objects/pack', `pack-${pack}.keep`), '');
    fakeGit(
      `case "$*" in *" prune "*) mkdir -p ${dirname(packed.path)}; cp ${copy} ${packed.path};; esac; exec /usr/bin/git "$@"`,
    );
    const options = { expireSteps: 14 * DAY, machineTime: project.repository.clock };
    expect((await collectGarbage(project.open(), options)).expired).toHaveLength(1);
    expect([packed, old].map(({ path }) => existsSync(path))).toEqual([true, false]);
  });

  test('that has made an object young since it was listed keeps it', async () => {
    const { store, open } = worked();
    const oid = open().objects.write('blob', Buffer.from('listed'));
    fakeGit(`case "$*" in *" prune "*) echo "${oid} blob";; *) exec /usr/bin/git "$@";; esac`);
    await collectGarbage(open(), { expireSteps: 14 * DAY });
    expect(existsSync(loosePath(join(store, 'objects'), oid))).toBe(true);
  });
});

describe('what the squashed steps held', () => {
  test('goes two weeks after it was packed, whenever that is asked for then', async () => {
    const project = worked();
    ctx.compactSession(project.repository);
    await collectGarbage(project.open());
    project.clock.now += 100 * DAY;
    const options = { expireSteps: 14 * DAY, machineTime: project.repository.clock };
    const unreachable = (): string[] =>
      project.git('fsck', '--unreachable', '--no-reflogs', '--no-progress').match(/^unreachable/gm) ?? [];
    expect((await collectGarbage(project.open(), options)).expired).toHaveLength(1);
    expect(unreachable().length).toBeGreaterThan(0);
    for (const name of filesIn(project)) utimesSync(join(project.store, 'objects', name), 1, 1);
    expect((await collectGarbage(project.open(), options)).expired).toHaveLength(0);
    expect(unreachable()).toEqual([]);
    expect(fsck(project.store)).toBe('');
  });
});
