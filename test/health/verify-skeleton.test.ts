// A store whose skeleton is damaged: the check goes on, each fault is told once, and what it tells to type mends it.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkStore, type FsckResult } from '../../src/app/fsck.ts';
import { CONFIG } from '../../src/git/config.ts';
import { MAIN } from '../../src/git/layout.ts';
import { sessionRef } from '../../src/history/names/layout.ts';
import * as ctx from '../../src/index.ts';
import { errorOf, fsck, makeProject, type Project, temporaryFolder } from '../support/store.ts';

interface Scene extends Project {
  id: string;
  /** Checks the store as `ctx fsck` does. */
  check: (repair?: boolean) => FsckResult;
}

/** A saved session, and an open one in which a note waits. */
function scene(): Scene {
  const project = makeProject();
  ctx.startSession(project.repository, 'saved');
  ctx.observeNote(project.repository, 'x');
  ctx.compactSession(project.repository);
  const { session_id } = ctx.startSession(project.repository, 'open');
  ctx.observeNote(project.repository, 'waits');
  const check = (repair = false): FsckResult => checkStore(project.open({ toCheck: true }), { repair });
  return { ...project, id: session_id, check };
}

const damage = ({ findings }: FsckResult): [where: string, hint: string][] =>
  findings.filter(({ severity }) => severity === 'damage').map(({ where, hint }) => [where, hint]);
const REPAIR = 'ctx fsck --repair';
const kept = ({ store }: Project): string[] =>
  existsSync(join(store, 'lost')) ? readdirSync(join(store, 'lost')).map((name) => name.replace(/\.[^.]*$/, '')) : [];

describe('a file in the place of a folder', () => {
  test.each([
    'pending',
    'oplog',
    'logs',
    'logs/refs',
    'choices',
    'lost',
    'cache',
    'forgetting',
    'refs/tags',
    'info',
    'objects/info',
  ])('%s is the one finding, all else is checked, and a repair sets it aside', (name) => {
    const of = scene();
    rmSync(join(of.store, name), { recursive: true, force: true });
    mkdirSync(join(of.store, name, '..'), { recursive: true });
    writeFileSync(join(of.store, name), 'no folder\n');
    writeFileSync(join(of.store, 'refs/archive/00000000-x'), 'torn');
    expect(damage(of.check()).slice(0, 2)).toEqual([
      [name, REPAIR],
      ['refs/archive/00000000-x', expect.any(String)],
    ]);
    rmSync(join(of.store, 'refs/archive/00000000-x'));
    expect(damage(of.check())).toEqual([[name, REPAIR]]);
    const { repaired, findings } = of.check(true);
    expect(repaired[0]).toBe(`Set ${name} aside in lost/: it was no folder.`);
    expect(findings.filter(({ severity }) => severity === 'damage')).toEqual([]);
    expect(lstatSync(join(of.store, name), { throwIfNoEntry: false })?.isDirectory()).not.toBe(false);
    expect(kept(of)).toEqual([name.replaceAll('/', '-')]);
    expect(fsck(of.store)).toBe('');
    ctx.observeNote(of.open(), 'on');
    ctx.compactSession(of.open());
  });

  test('a folder in the place of the list of failures of hooks is a finding, and is set aside', () => {
    const of = scene();
    mkdirSync(join(of.store, 'hook-errors.jsonl'));
    expect(damage(of.check())).toEqual([['hook-errors.jsonl', REPAIR]]);
    const { repaired, findings } = of.check(true);
    expect([repaired, findings]).toEqual([['Set hook-errors.jsonl aside in lost/: it was no file.'], []]);
    expect(kept(of)).toEqual(['hook-errors.jsonl']);
  });

  test.each([MAIN, 'refs/sessions/', 'refs/archive/'])(
    'a folder in the place of a reflog of %s is a finding, and is set aside',
    (prefix) => {
      const of = scene();
      const ref = of.git('for-each-ref', '--format=%(refname)', prefix).trim().split('\n')[0] as string;
      const log = join(of.store, 'logs', ref);
      rmSync(log);
      mkdirSync(join(log, 'inside'), { recursive: true });
      if (prefix === 'refs/archive/') of.git('pack-refs', '--all');
      expect(damage(of.check())).toEqual([[`logs/${ref}`, REPAIR]]);
      const { repaired, findings } = of.check(true);
      expect([repaired, findings]).toEqual([[`Set logs/${ref} aside in lost/: it was no file.`], []]);
      ctx.observeNote(of.open(), 'on');
      ctx.compactSession(of.open());
      expect(fsck(of.store)).toBe('');
    },
  );

  test.each(['refs', 'refs/heads', 'refs/sessions'])('%s: the refs come back from their reflogs', (name) => {
    const of = scene();
    const before = of.git('for-each-ref');
    rmSync(join(of.store, name), { recursive: true });
    writeFileSync(join(of.store, name), '');
    expect(damage(of.check())[0]).toEqual([name, REPAIR]);
    expect(of.check(true).findings).toEqual([]);
    expect(of.git('for-each-ref')).toBe(before);
  });

  test('of objects, or of records that wait, hides nothing that is beside it', () => {
    const of = scene();
    // Ids are new each time: one of the folders that hold no object.
    const free = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0')).find(
      (name) => !existsSync(join(of.store, 'objects', name)),
    );
    const places = [`objects/${free}`, 'pending/00000000-x', `pending/${of.id}/objects`];
    for (const place of places) {
      rmSync(join(of.store, place), { recursive: true, force: true });
      writeFileSync(join(of.store, place), '');
    }
    expect(damage(of.check())).toEqual(places.map((place) => [place, REPAIR]));
    expect(of.check(true).findings).toEqual([]);
    expect(ctx.flushStep(of.open())).toMatchObject({ flushed: 1 });
  });

  test('is in the way of nobody who breaks a lock', () => {
    const of = scene();
    rmSync(join(of.store, 'pending'), { recursive: true });
    writeFileSync(join(of.store, 'pending'), '');
    writeFileSync(join(of.store, 'LOCK'), '');
    expect(damage(checkStore(of.open({ toCheck: true }), { breakLock: true }))).toEqual([['pending', REPAIR]]);
  });
});

describe('HEAD and config', () => {
  test.each<[name: string, text: string | null, code: string]>([
    ['HEAD', '', 'damaged'],
    ['HEAD', 'ref: refs/hea', 'damaged'],
    ['HEAD', 'ref: refs/heads/mai', 'damaged'],
    ['HEAD', 'ref: refs/heads/', 'damaged'],
    ['HEAD', 'ref: refs/headr/main\n', 'damaged'],
    ['HEAD', 'ref: refs/heads/maim\n', 'damaged'],
    ['HEAD', 'ref: nothing\n', 'damaged'],
    ['HEAD', 'torn', 'damaged'],
    ['HEAD', `${'a1'.repeat(20)}\n`, 'unsupported_store'],
    ['HEAD', 'ref: refs/heads/other\n', 'unsupported_store'],
    ['HEAD', null, 'unsupported_store'],
    ['config', '', 'damaged'],
    ['config', '[core]\n\trepositoryformatversion\n', 'damaged'],
    ['config', '[core]\n\trepositoryf', 'damaged'],
    ['config', null, 'unsupported_store'],
  ])('%s that says %j is a finding, and is written again', (name, text, code) => {
    const of = scene();
    if (text === null) rmSync(join(of.store, name));
    else writeFileSync(join(of.store, name), text);
    expect(errorOf(() => of.open())).toMatchObject({ code, hint: expect.stringMatching(/ctx (fsck --repair|init)/) });
    expect(errorOf(() => of.open()).message).toContain(name);
    expect(damage(of.check())).toEqual([[name, REPAIR]]);
    const { repaired, findings } = of.check(true);
    expect([repaired, findings]).toEqual([
      [text === null ? `Wrote ${name}: it was missing.` : `Rewrote ${name}; what was there is in lost/.`],
      [],
    ]);
    expect(readFileSync(join(of.store, name), 'utf8')).toBe(name === 'HEAD' ? 'ref: refs/heads/main\n' : CONFIG);
    expect(kept(of)).toEqual(text === null ? [] : [name]);
    expect(ctx.flushStep(of.open())).toMatchObject({ flushed: 1 });
  });

  test('of another format are refused, to be checked too', () => {
    const of = scene();
    writeFileSync(join(of.store, 'config'), CONFIG.replace('= 0', '= 1'));
    expect(errorOf(() => of.check(true)).code).toBe('unsupported_store');
  });

  test('are there to a store that is named without its HEAD', () => {
    const of = scene();
    rmSync(join(of.store, 'HEAD'));
    expect(damage(checkStore(of.open({ store: of.store, toCheck: true })))).toEqual([['HEAD', REPAIR]]);
  });
});

describe('config', () => {
  const REMOTE = '[remote "origin"]\n\turl = https://example.com/x.git\n';
  const without = (...keys: string[]): string =>
    CONFIG.split('\n')
      .filter((line) => !keys.includes(line.trim().split(' ')[0] as string))
      .join('\n');

  test.each<[what: string, text: string, missing: string[]]>([
    ['its permissions', without('sharedRepository'), ['core.sharedrepository']],
    ['a key of gc', without('auto'), ['gc.auto']],
    [
      'all that keeps Git from doing things by itself',
      without(
        'bare',
        'logAllRefUpdates',
        'sharedRepository',
        '[gc]',
        'auto',
        'pruneExpire',
        'reflogExpire',
        'reflogExpireUnreachable',
      ),
      [
        ...['core.bare', 'core.logallrefupdates', 'core.sharedrepository', 'gc.auto', 'gc.pruneexpire'],
        ...['gc.reflogexpire', 'gc.reflogexpireunreachable'],
      ],
    ],
  ])('that has lost %s is a finding, and gets it back behind all that is there', (_what, text, missing) => {
    const of = scene();
    const path = join(of.store, 'config');
    writeFileSync(path, `; mine\n${text}${REMOTE.trimEnd()}`, { mode: 0o600 });
    const { findings } = of.check();
    expect(findings.map(({ kind, hint, message }) => [kind, hint, message.split(' is missing')[0]])).toEqual(
      missing.map((key) => ['config', REPAIR, key]),
    );
    expect(of.check(true)).toMatchObject({
      repaired: [`Wrote ${missing.join(', ')} into config again: it was missing there.`],
      findings: [],
    });
    expect(readFileSync(path, 'utf8').startsWith(`; mine\n${text}${REMOTE}`)).toBe(true);
    for (const line of CONFIG.split('\n').filter((one) => one.includes('=')))
      expect(
        of
          .git('config', '--get', `${/^\t(auto|prune|reflog)/.test(line) ? 'gc' : 'core'}.${line.trim().split(' ')[0]}`)
          .trim(),
      ).toBe(line.split('= ')[1]);
    expect([existsSync(`${path}.lock`), existsSync(join(of.store, 'LOCK.ref'))]).toEqual([false, false]);
    expect(lstatSync(path).mode & 0o077).toBe(0);
  });

  test('that has a wrong value is reported with the right one and a command that sets it', () => {
    const of = scene();
    const path = join(of.store, 'config');
    writeFileSync(path, CONFIG.replace('0600', '0601'));
    const set = `git config --file ${path} --replace-all core.sharedrepository 0600`;
    expect(damage(of.check(true))).toEqual([['config', `It must be 0600: ${set}`]]);
    spawnSync('sh', ['-c', set]);
    expect(of.check().findings).toEqual([]);
  });

  test('that has a broken line is whole again once that is removed and the rest is repaired', () => {
    const of = scene();
    const path = join(of.store, 'config');
    writeFileSync(path, CONFIG.replace('pruneExpire = never', 'pruneE"xpire'));
    const hint = `Correct the line in ${path}. What ctx init writes may be removed: ${REPAIR} writes it again.`;
    expect(damage(of.check(true))).toEqual([['config', hint]]);
    writeFileSync(path, without('pruneExpire'));
    expect(of.check().findings).toMatchObject([{ severity: 'note', kind: 'config', hint: REPAIR }]);
    expect(of.check(true).findings).toEqual([]);
  });

  test('that others have added to stays as it is', () => {
    const of = scene();
    const text = `${CONFIG}[core]\n\tfilemode = true\n${REMOTE}`;
    writeFileSync(join(of.store, 'config'), text);
    expect(of.check(true)).toMatchObject({ repaired: [], findings: [] });
    expect(readFileSync(join(of.store, 'config'), 'utf8')).toBe(text);
  });
});

test('settings that cannot be read are a finding; they stay, and all else is checked and repaired', () => {
  const of = scene();
  const path = join(of.store, 'settings.json');
  writeFileSync(path, '{"fsync": false,\n');
  writeFileSync(join(of.store, MAIN), 'torn');
  const told = `Correct ${path}, or continue with the defaults: mv ${path} ${path}.broken`;
  expect(damage(of.check())).toEqual([
    ['settings.json', told],
    [MAIN, REPAIR],
  ]);
  expect(damage(of.check(true))).toEqual([['settings.json', told]]);
  expect(readFileSync(path, 'utf8')).toBe('{"fsync": false,\n');
  spawnSync('sh', ['-c', told.split(': ')[1] as string]);
  expect(of.check().findings).toEqual([]);
  expect(ctx.flushStep(of.open())).toMatchObject({ flushed: 1 });
});

describe('a link', () => {
  test.each<[what: string, nameOf: (of: Scene) => string]>([
    ['the main line', () => MAIN],
    ['an open session', (of) => sessionRef(of.id)],
    ['its reflog', (of) => `logs/${sessionRef(of.id)}`],
    ['a record that waits', (of) => `pending/${of.id}/${readdirSync(join(of.store, 'pending', of.id))[0]}`],
    ['an operation', (of) => `oplog/${readdirSync(join(of.store, 'oplog'))[0]}`],
  ])('in the place of %s is one finding, and a repair takes it away and touches nothing else', (_what, nameOf) => {
    const of = scene();
    const name = nameOf(of);
    const outside = join(temporaryFolder(), 'outside');
    renameSync(join(of.store, name), outside);
    const text = readFileSync(outside, 'utf8');
    symlinkSync(outside, join(of.store, name));
    expect(damage(of.check())).toEqual([[name, REPAIR]]);
    const { repaired, findings } = of.check(true);
    expect(repaired[0]).toBe(`Removed the link ${name}: what it led to is as it was, and its path is in lost/.`);
    expect(findings.filter(({ severity }) => severity === 'damage')).toEqual([]);
    expect(readFileSync(outside, 'utf8')).toBe(text);
    const [note] = readdirSync(join(of.store, 'lost'));
    expect(readFileSync(join(of.store, 'lost', note as string), 'utf8')).toBe(`${outside}\n`);
    expect(fsck(of.store)).toBe('');
  });

  test.each<[what: string, name: string]>([
    ['to a folder', 'objects/'],
    ['to a folder where a ref stands', MAIN],
    ['among what was set aside', 'lost/x'],
  ])('%s is left, and so is everything else until a person has removed it', (_what, given) => {
    const of = scene();
    const outside = temporaryFolder();
    // A folder that no object lies in.
    const free = Array.from({ length: 256 }, (_, at) => at.toString(16).padStart(2, '0')).find(
      (folder) => !existsSync(join(of.store, 'objects', folder)),
    );
    const name = given === 'objects/' ? `objects/${free}` : given;
    rmSync(join(of.store, name), { recursive: true, force: true });
    mkdirSync(join(of.store, name, '..'), { recursive: true });
    symlinkSync(outside, join(of.store, name));
    writeFileSync(join(of.store, 'STAGE'), 'torn');
    const rm = `rm ${join(of.store, name)}`;
    expect(damage(of.check())).toContainEqual([name, `If you did not put it there: ${rm}`]);
    const { repaired } = of.check(true);
    expect(repaired).toEqual([`Repaired nothing: ${name} is a link.`]);
    expect([readlinkSync(join(of.store, name)), readFileSync(join(of.store, 'STAGE'), 'utf8')]).toEqual([
      outside,
      'torn',
    ]);
    spawnSync('sh', ['-c', rm]);
    expect(of.check(true).findings).toEqual([]);
    expect(readdirSync(outside)).toEqual([]);
  });

  test.each(['hooks/post-update', '.gitignore', 'objects/info/packs'])(
    '%s, which is none of ours, is named and keeps nothing from being repaired',
    (name) => {
      const of = scene();
      mkdirSync(join(of.store, name, '..'), { recursive: true });
      rmSync(join(of.store, name), { force: true });
      symlinkSync('/nonexistent/file', join(of.store, name));
      writeFileSync(join(of.store, MAIN), 'torn');
      const { repaired, findings } = of.check(true);
      expect(repaired).toEqual([expect.stringContaining(`Restored ${MAIN}`)]);
      expect(findings.map(({ where }) => where)).toEqual([name]);
      expect(readlinkSync(join(of.store, name))).toBe('/nonexistent/file');
    },
  );
});

describe("a lock of Git's", () => {
  const HOUR = 3600;
  /** Leaves a lock of an age in seconds. */
  function leave({ store }: Project, name: string, age: number): string {
    const path = join(store, `${name}.lock`);
    const then = Date.now() / 1000 - age;
    writeFileSync(path, '');
    utimesSync(path, then, then);
    return path;
  }

  test.each([MAIN, 'packed-refs', 'refs/tags/theirs', 'HEAD', 'STAGE'])(
    'on %s that is over an hour old is reported with its age, and removed when asked',
    (name) => {
      const of = scene();
      const path = leave(of, name, 3 * 24 * HOUR + 60);
      expect(of.check().findings).toEqual([
        {
          severity: 'damage',
          kind: 'lock',
          where: `${name}.lock`,
          message: `it is a lock of Git's, 3 days old: nothing can move ${name} while it is there`,
          hint: 'ctx fsck --break-lock, if no Git is running on the store',
        },
      ]);
      expect(checkStore(of.open(), { breakLock: true })).toEqual({
        repaired: [`Removed ${name}.lock, which was 3 days old.`],
        findings: [],
        healthy: true,
      });
      expect(existsSync(path)).toBe(false);
      ctx.compactSession(of.open());
    },
  );

  test.each([
    ['config', ['config', 'a.b', 'c']],
    ['index', ['read-tree', 'main']],
    ['ORIG_HEAD', ['update-ref', 'ORIG_HEAD', 'main']],
    ['gc.pid', ['gc', '--quiet']],
    ['objects/info/commit-graph', ['gc', '--quiet']],
    ['objects/info/commit-graphs/commit-graph-chain', ['commit-graph', 'write', '--reachable', '--split']],
    ['objects/pack/multi-pack-index', ['multi-pack-index', 'write']],
    ['logs/refs/heads/main', ['reflog', 'expire', '--all', '--expire=now']],
  ])('on %s keeps Git from its work alone: it is a leftover until it is removed', (name, words) => {
    const of = scene();
    of.git('repack', '-q');
    mkdirSync(join(of.store, name, '..'), { recursive: true });
    leave(of, name, 3 * 24 * HOUR + 60);
    expect(() => of.git(...words)).toThrow('File exists');
    const refused = name.startsWith('objects/info/commit-graphs/') ? 'git commit-graph' : `git ${words[0]}`;
    expect(of.check()).toMatchObject({
      healthy: true,
      findings: [
        {
          severity: 'leftover',
          where: `${name}.lock`,
          message: expect.stringMatching(`3 days old: ${refused}( expire| ORIG_HEAD)? is refused while it is there`),
        },
      ],
    });
    const repaired = [`Removed ${name}.lock, which was 3 days old.`];
    expect(checkStore(of.open(), { breakLock: true })).toEqual({ repaired, findings: [], healthy: true });
    of.git(...words);
  });

  test('that is younger, or is a folder, is left', () => {
    const of = scene();
    const young = leave(of, MAIN, HOUR - 60);
    const folder = join(of.store, 'refs/tags/folder.lock');
    mkdirSync(folder);
    utimesSync(folder, 1, 1);
    expect(checkStore(of.open(), { breakLock: true })).toEqual({ repaired: [], findings: [], healthy: true });
    expect([young, folder].filter(existsSync)).toEqual([young, folder]);
  });

  test('is distinguished from one that a killed ctx has left, which the next one removes', () => {
    const of = scene();
    const path = leave(of, MAIN, 2 * HOUR);
    spawnSync('ln', [path, join(of.store, 'LOCK.ref')]);
    expect(damage(of.check())).toEqual([]);
    ctx.compactSession(of.open());
    expect(existsSync(path)).toBe(false);
  });

  test('is named to a process that waits for it in vain', () => {
    const of = scene();
    leave(of, MAIN, 2 * HOUR);
    expect(errorOf(() => ctx.compactSession(of.open({ lockWait: 20 })))).toMatchObject({
      code: 'busy',
      hint: expect.stringMatching(/refs\/heads\/main\.lock.*ctx fsck --break-lock$/),
    });
  });
});
