// A store that came along with somebody's project: no program in its config, its hooks, its attributes or the environment ever runs.
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { tellCases } from '../support/cases.ts';
import { folder, write } from '../support/cli.ts';
import { CONFIG_LINES, HOOKS } from './config-lines.ts';
import { expectHarmless, FULL, type Lived, LOOKS, livedIn, several, WRITES, watchMany } from './support.ts';

let lived: Lived;
beforeAll(() => {
  lived = livedIn();
});

interface Trap {
  dir: string;
  store: string;
  /** A program that says in a file that it ran. */
  canary: string;
  hasSung: () => boolean;
  remove: () => void;
}

function trap(): Trap {
  const outer = join(folder('trap-'), 'o');
  cpSync(lived.outer, outer, { recursive: true });
  const canary = write(
    join(outer, 'canary.sh'),
    `#!/bin/sh\necho "$0 $*" >>'${outer}/RAN'\ncat >/dev/null 2>&1 </dev/null\nexit 0\n`,
  );
  chmodSync(canary, 0o755);
  const dir = join(outer, 'project');
  return {
    dir,
    store: join(dir, '.ctx'),
    canary,
    hasSung: () => existsSync(join(outer, 'RAN')),
    remove: () => rmSync(outer, { recursive: true, force: true }),
  };
}

const LINES = [...LOOKS, ...WRITES];
/** Cheaper, for what there are many of: those that start Git, and one of each other kind. */
const FEW = [
  ['stage', 'status'],
  ['log', '--stat'],
  ['diff', 'HEAD'],
  ['fsck'],
  ['observe', 'write', 'src/a.ts'],
  ['stage', 'flush'],
  ['git', 'log', '--ext-diff', '--textconv', '-p', '-n', '3', 'main'],
  ['gc'],
];

describe('a config that came along', () => {
  test('with any line that could run something: Git is not run, and nothing of it runs', async () => {
    const canaries = trap();
    const lines = CONFIG_LINES(canaries.canary);
    canaries.remove();
    expect(lines.length).toBeGreaterThan(100);
    await several(
      lines.map((_, index) => index).filter((index) => FULL || index % 3 === 0),
      2,
      async (index) => {
        const { dir, store, canary, hasSung, remove } = trap();
        const line = CONFIG_LINES(canary)[index] as string;
        const own = readFileSync(join(store, 'config'), 'utf8');
        writeFileSync(join(store, 'config'), `${own}${line}\n`);
        write(
          join(dir, 'evil.config'),
          `[core]\n\tfsmonitor = ${canary}\n\tpager = ${canary}\n[alias]\n\tlog = !${canary}\n`,
        );
        mkdirSync(join(dir, '..', 'hooks'));
        for (const hook of HOOKS) cpSync(canary, join(dir, '..', 'hooks', hook));
        write(join(store, 'info', 'attributes'), '* diff=evil filter=evil merge=evil\n');
        const words = FULL ? LINES : [['stage', 'status'], ['git', 'log', '-p', 'main'], ['gc'], ['fsck']];
        const watched = await watchMany(words, { cwd: dir, env: { PAGER: 'cat' } });
        tellCases(1);
        expectHarmless({ ...watched, words: [line] }, words);
        expect(hasSung(), line).toBe(false);
        const codes = Object.fromEntries(watched.ran.map((ran) => [ran.words.slice(0, 1).join(' '), ran.code]));
        expect(codes, `${line}\n${watched.stderr}`).toMatchObject({
          git: 1,
          gc: expect.toBeOneOf([1, 5]) as number,
        });
        remove();
      },
    );
  }, 600_000);

  test('with what ctx itself writes, and a remote: Git is run', async () => {
    const { dir, store, remove } = trap();
    const own = readFileSync(join(store, 'config'), 'utf8');
    writeFileSync(
      join(store, 'config'),
      `${own}[remote "origin"]\n\turl = https://example.com/x.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n`,
    );
    expect((await watchMany(FEW, { cwd: dir })).ran.map(({ code }) => code)).toEqual(FEW.map(() => 0));
    remove();
  });
});

describe('what else came along', () => {
  test('hooks of every name', async () => {
    const { dir, store, canary, hasSung, remove } = trap();
    mkdirSync(join(store, 'hooks'), { recursive: true });
    for (const hook of HOOKS) cpSync(canary, join(store, 'hooks', hook));
    const watched = await watchMany(LINES, { cwd: dir });
    expectHarmless(watched, LINES);
    expect(
      watched.ran.map(({ code }) => code),
      watched.stderr,
    ).toEqual(LINES.map(() => 0));
    expect(hasSung()).toBe(false);
    remove();
  });

  test.each<[name: string, text: (far: string) => string]>([
    ['remotes/origin', (far) => `URL: ${far}\nPull: +refs/heads/main:refs/heads/main\n`],
    ['branches/origin', (far) => `${far}#main\n`],
  ])('a remote of old, %s: Git is not run', async (name, text) => {
    const { dir, store, canary, hasSung, remove } = trap();
    // Whatever a remote names so is fetched by a program on the way.
    cpSync(canary, join(dir, 'git-remote-zz'));
    write(join(store, name), text('zz::x'));
    const env = { PATH: `${dir}:${process.env['PATH']}` };
    const words = [['git', 'fetch'], ['git', 'log', '-n', '1', 'main'], ['fsck'], ['log', '-n', '1']];
    const watched = await watchMany(words, { cwd: dir, env });
    expectHarmless(watched, words);
    expect(watched.ran.map(({ code }) => code)).toEqual([1, 1, 5, 0]);
    expect(watched.stderr).toContain(`Git is not run on this store: by ${name} `);
    expect(hasSung()).toBe(false);
    rmSync(join(store, name));
    expect((await watchMany([['fsck']], { cwd: dir })).ran).toMatchObject([{ code: 0 }]);
    remove();
  });

  test.each<[string, (store: string, outer: string) => void]>([
    ['alternates', (store, outer) => write(join(store, 'objects/info/alternates'), `${outer}\n`)],
    ['http alternates', (store, outer) => write(join(store, 'objects/info/http-alternates'), `${outer}\n`)],
    ['a commondir', (store, outer) => write(join(store, 'commondir'), `${outer}\n`)],
    ['a gitdir', (store, outer) => write(join(store, 'gitdir'), `${outer}\n`)],
    ['a second config', (store) => write(join(store, 'config.worktree'), '[core]\n')],
    ['grafts', (store) => write(join(store, 'info/grafts'), '\n')],
    ['a shallow file', (store) => write(join(store, 'shallow'), '\n')],
  ])('%s: the store is refused', async (_name, plant) => {
    const { dir, store, hasSung, remove } = trap();
    plant(store, dir);
    const watched = await watchMany(FEW, { cwd: dir });
    expectHarmless(watched, FEW);
    expect(watched.ran.map(({ code }) => code)).toEqual(FEW.map(() => 1));
    expect(hasSung()).toBe(false);
    remove();
  });

  test('a store that is a file, as in a submodule, is none', async () => {
    const { dir, store, remove } = trap();
    rmSync(store, { recursive: true });
    writeFileSync(store, `gitdir: ${lived.store}\n`);
    const watched = await watchMany(FEW, { cwd: dir });
    expect(watched.ran.map(({ code }) => code)).toEqual(FEW.map(() => 1));
    remove();
  });
});

describe('an environment of somebody', () => {
  const names = (canary: string, away: string): Record<string, string> => ({
    ...Object.fromEntries(
      [
        'GIT_SSH',
        'GIT_SSH_COMMAND',
        'GIT_EXTERNAL_DIFF',
        'GIT_PAGER',
        'GIT_EDITOR',
        'GIT_SEQUENCE_EDITOR',
        'GIT_ASKPASS',
        'GIT_PROXY_COMMAND',
      ].map((name) => [name, canary]),
    ),
    ...Object.fromEntries(
      [
        'GIT_DIR',
        'GIT_WORK_TREE',
        'GIT_OBJECT_DIRECTORY',
        'GIT_ALTERNATE_OBJECT_DIRECTORIES',
        'GIT_COMMON_DIR',
        'GIT_EXEC_PATH',
        'GIT_TEMPLATE_DIR',
        'GIT_CEILING_DIRECTORIES',
      ].map((name) => [name, away]),
    ),
    ...{
      GIT_INDEX_FILE: `${away}/index`,
      GIT_CONFIG: `${away}/evil.config`,
      GIT_CONFIG_GLOBAL: `${away}/evil.config`,
      GIT_CONFIG_SYSTEM: `${away}/evil.config`,
    },
    ...{
      GIT_CONFIG_COUNT: '2',
      GIT_CONFIG_KEY_0: 'core.fsmonitor',
      GIT_CONFIG_VALUE_0: canary,
      GIT_CONFIG_KEY_1: 'core.pager',
      GIT_CONFIG_VALUE_1: canary,
    },
    ...{
      GIT_CONFIG_PARAMETERS: `'alias.log=!${canary}' 'gc.pruneExpire=now'`,
      GIT_NAMESPACE: 'evil',
      GIT_REPLACE_REF_BASE: 'refs/evil/',
      GIT_DEFAULT_HASH: 'sha256',
    },
    ...{
      GIT_TRACE: `${away}/RAN`,
      GIT_TRACE2: `${away}/RAN`,
      GIT_TRACE2_EVENT: `${away}/RAN`,
      GIT_TRACE2_PERF: `${away}/RAN`,
      GIT_TRACE_SETUP: `${away}/RAN`,
      GIT_ALLOW_PROTOCOL: 'ext',
      GIT_PROTOCOL_FROM_USER: '1',
    },
  });

  test('reaches no Git that ctx runs', async () => {
    const { dir, canary, hasSung, remove } = trap();
    const away = join(dir, '..');
    write(
      join(away, 'evil.config'),
      `[core]\n\tfsmonitor = ${canary}\n\tpager = ${canary}\n[alias]\n\tlog = !${canary}\n`,
    );
    const env = names(canary, away);
    const watched = await watchMany(LINES, { cwd: dir, env });
    expect(
      watched.ran.map(({ code }) => code),
      watched.stderr,
    ).toEqual(LINES.map(() => 0));
    expect(hasSung()).toBe(false);
    // One by one: one of them might hide another.
    for (const [name, value] of Object.entries(
      FULL ? env : { GIT_DIR: away, GIT_OBJECT_DIRECTORY: away, GIT_TRACE2: env['GIT_TRACE2'] as string },
    )) {
      const one = await watchMany([['git', 'log', '-p', 'main'], ['gc']], { cwd: dir, env: { [name]: value } });
      expect(
        one.ran.map(({ code }) => code),
        `${name}: ${one.stderr}`,
      ).toEqual([0, 0]);
      expect(hasSung(), name).toBe(false);
    }
    remove();
  });
});
