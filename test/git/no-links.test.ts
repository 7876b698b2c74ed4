// A file system without hard links: the same, by exclusive creation and by copies.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { MAIN } from '../../src/git/layout.ts';
import { FileRefs } from '../../src/git/refs/refs.ts';
import { layoutOf, sessionRef } from '../../src/history/names/layout.ts';
import { secretKey } from '../../src/history/store/secret-key.ts';
import * as ctx from '../../src/index.ts';
import { uuidSource } from '../../src/platform/ids.ts';
import { secondLockOf, takeLock } from '../../src/platform/lock.ts';
import { errorOf, fsck, makeProject, temporaryFolder } from '../support/store.ts';

const links = vi.hoisted(() => ({
  code: 'EPERM',
  refused: 0,
  /** Runs once, when a file of this name has been created and nothing is written yet. */
  created: '',
  whenCreated: (): void => undefined,
  /** Name of a folder that cannot be removed. */
  stuck: '',
  /** Name of a file whose next write finds the disk full. */
  full: '',
}));
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const paths = new Map<number, string>();
  return {
    ...fs,
    linkSync: () => {
      links.refused += 1;
      throw Object.assign(new Error('no links here'), { code: links.code });
    },
    openSync: (path: string, flags: string, mode: number) => {
      const handle = fs.openSync(path, flags, mode);
      paths.set(handle, path);
      if (flags === 'wx' && links.created !== '' && path.endsWith(links.created)) {
        links.created = '';
        links.whenCreated();
      }
      return handle;
    },
    rmdirSync: (path: string) => {
      if (links.stuck === '' || !path.endsWith(links.stuck)) return fs.rmdirSync(path);
      throw Object.assign(new Error('broken'), { code: 'EIO' });
    },
    writeSync: (handle: number, content: Buffer, at: number) => {
      if (links.full === '' || !paths.get(handle)?.endsWith(links.full)) return fs.writeSync(handle, content, at);
      fs.writeSync(handle, content.subarray(0, 10));
      throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    },
  };
});
afterEach(() => {
  links.code = 'EPERM';
  links.created = '';
  links.stuck = '';
  links.full = '';
});

const ONE = '0199a000-0000-7000-8000-000000000001';
const take = (path: string, wait: number): (() => void) =>
  takeLock({ path, wait, ids: uuidSource(), durability: { fsync: false } });
const lockPath = (): string => join(temporaryFolder(), 'LOCK');
/** Makes a file old enough to be nobody's any more. */
const age = (path: string): void => utimesSync(path, 1_769_040_000, 1_769_040_000);
const namesBeside = (path: string): string[] => readdirSync(join(path, '..'));

test.each(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])('%s: a session from its beginning to its end', (code) => {
  links.code = code;
  links.refused = 0;
  const { repository, store, git } = makeProject();
  const { session_id } = ctx.startSession(repository, 't');
  ctx.observeNote(repository, 'x'.repeat(9_000));
  ctx.flushStep(repository);
  git('pack-refs', '--all');
  ctx.setState(repository, 'ask', { text: 'x' });
  const { oid } = ctx.compactSession(repository);
  expect(links.refused).toBeGreaterThan(5);
  expect(repository.refs.read(MAIN)).toBe(oid);
  expect([...ctx.showRevision(repository, session_id).steps][1]?.observations[0]?.['content']).toBe('x'.repeat(9_000));
  expect(readdirSync(store).filter((name) => /LOCK|\.lock/.test(name))).toEqual([]);
  expect(fsck(store)).toBe('');
});

test('a lock is exclusive all the same', () => {
  const path = lockPath();
  const release = take(path, 1_000);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid: process.pid });
  expect(errorOf(() => take(path, 50)).code).toBe('busy');
  release();
  expect(namesBeside(path)).toEqual([]);
});

describe('a LOCK whose writer was cut off', () => {
  const whole = (): string => {
    const path = lockPath();
    const release = take(path, 1_000);
    const text = readFileSync(path, 'utf8');
    release();
    return text;
  };

  test('is respected while it is young, and stale when it is old, wherever it was cut', () => {
    const text = whole();
    for (let length = 0; length < text.trim().length; length += 1) {
      for (const piece of [text.slice(0, length), text.slice(0, length).padEnd(text.length, '\0')]) {
        const path = lockPath();
        writeFileSync(path, piece);
        if (length % 40 === 0) expect(errorOf(() => take(path, 50)).code).toBe('busy');
        age(path);
        take(path, 5_000)();
        expect([length, namesBeside(path)]).toEqual([length, []]);
      }
    }
  });

  test('is none if it says everything, or something else, however old it is', () => {
    const text = whole();
    for (const other of [text, text.trim(), 'mine!', '{"pid":"1"}', '{"pid":1}', '[', 'null']) {
      const path = lockPath();
      writeFileSync(path, other);
      age(path);
      expect(errorOf(() => take(path, 50)).code).toBe('busy');
      expect(readFileSync(path, 'utf8')).toBe(other);
    }
  });
});

describe('a LOCK whose creator pauses before it writes', () => {
  test('for longer than the grace is broken by another, and the creator does not believe that it has it', () => {
    const path = lockPath();
    let other: (() => void) | undefined;
    links.created = 'LOCK';
    links.whenCreated = () => {
      age(path);
      other = take(path, 5_000);
    };
    expect(errorOf(() => take(path, 50)).code).toBe('busy');
    const held = readFileSync(path, 'utf8');
    expect(held).not.toBe('');
    expect(errorOf(() => take(path, 50)).code).toBe('busy');
    expect(readFileSync(path, 'utf8')).toBe(held);
    other?.();
    expect(namesBeside(path)).toEqual([]);
  });

  test('is waited for when the other has let it go', () => {
    const path = lockPath();
    links.created = 'LOCK';
    links.whenCreated = () => {
      age(path);
      take(path, 5_000)();
    };
    const release = take(path, 5_000);
    expect(existsSync(path)).toBe(true);
    release();
    expect(namesBeside(path)).toEqual([]);
  });

  test('is not believed in while another has the right to take it away', () => {
    const path = lockPath();
    const second = secondLockOf(path, path, '');
    links.created = 'LOCK';
    // He has looked for the last time when it was empty still; what he does next is to remove it.
    links.whenCreated = () => take(second, 0);
    const pauses = vi.spyOn(Atomics, 'wait').mockImplementationOnce(() => {
      expect(readFileSync(path, 'utf8')).toContain(`"pid":${process.pid}`);
      unlinkSync(path);
      unlinkSync(second);
      return 'timed-out';
    });
    const release = take(path, 5_000);
    expect(pauses).toHaveBeenCalledTimes(1);
    pauses.mockRestore();
    expect(existsSync(path)).toBe(true);
    release();
    expect(namesBeside(path)).toEqual([]);
  });

  test('is believed in where whoever had that right has died', () => {
    const path = lockPath();
    const second = secondLockOf(path, path, '');
    links.created = 'LOCK';
    links.whenCreated = () => {
      take(second, 0);
      writeFileSync(second, readFileSync(second, 'utf8').replace(/"pid":[0-9]+/, `"pid":${2 ** 22 + 1}`));
    };
    take(path, 50)();
    expect(existsSync(path)).toBe(false);
  });

  test('is left alone where it is another’s by the time that the disk is full', () => {
    const path = lockPath();
    links.created = 'LOCK';
    links.whenCreated = () => {
      age(path);
      take(path, 5_000);
      links.full = 'LOCK';
    };
    expect(errorOf(() => take(path, 0))).toMatchObject({ code: 'io', message: expect.stringContaining('ENOSPC') });
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid: process.pid });
  });
});

test.each(['.tmp', 'LOCK'])('a disk that is full when %s is written leaves nothing', (name) => {
  const path = lockPath();
  links.full = name;
  expect(errorOf(() => take(path, 1_000))).toMatchObject({ code: 'io', message: expect.stringContaining('ENOSPC') });
  expect(namesBeside(path)).toEqual([]);
});

/** Pointers of a store, and the commit that main names. */
function pointers() {
  const { store, git } = makeProject();
  const refs = new FileRefs(layoutOf(store), { fsync: false }, 50);
  const main = refs.read(MAIN) as string;
  const left = (): string[] =>
    readdirSync(store, { recursive: true, encoding: 'utf8' }).filter((name) => /LOCK|\.lock/.test(name));
  return { store, git, refs, main, left };
}

describe('the lock of a ref', () => {
  const ref = sessionRef(ONE);

  test('keeps Git away while it is held, and leaves nothing', () => {
    const { store, git, refs, main, left } = pointers();
    links.created = 'LOCK.ref.new';
    links.whenCreated = () => {
      expect(() => git('update-ref', ref, main)).toThrow('File exists');
      expect(git('for-each-ref', '--format=%(refname)')).toBe(`${MAIN}\n`);
    };
    refs.move({ pointer: ref, old: null, new: main }, { at: 1, message: 'x' });
    expect(links.created).toBe('');
    expect(refs.read(ref)).toBe(main);
    links.created = 'LOCK.packed';
    links.whenCreated = () => {
      expect(() => git('update-ref', '-d', ref)).toThrow('File exists');
      expect(git('rev-parse', ref)).toBe(`${main}\n`);
    };
    refs.move({ pointer: ref, old: main, new: null }, { at: 1, message: 'x' });
    expect(links.created).toBe('');
    expect(refs.read(ref)).toBeNull();
    expect(left()).toEqual([]);
    expect(fsck(store)).toBe('');
  });

  test.each([ref, 'STAGE', MAIN, 'packed-refs'])('that a killed process left of %s goes', (pointer) => {
    const { store, refs, left } = pointers();
    mkdirSync(join(store, `${pointer}.lock`), { recursive: true });
    writeFileSync(join(store, 'LOCK.ref'), '');
    refs.clearLeftovers();
    expect(left()).toEqual([]);
  });

  test.each([ref, 'STAGE', 'packed-refs'])('that a power cut has left alone of %s is in nobody’s way', (pointer) => {
    const { store, refs, main, left } = pointers();
    refs.move({ pointer: ref, old: null, new: main }, { at: 1, message: 'x' });
    refs.move({ pointer: 'STAGE', old: null, new: ref }, { at: 1, message: 'x' });
    const moves = [
      { pointer: 'STAGE', old: ref, new: null },
      { pointer: ref, old: main, new: null },
    ];
    mkdirSync(join(store, `${pointer}.lock`));
    refs.expect(moves);
    mkdirSync(join(store, `${pointer}.lock`), { recursive: true });
    for (const move of moves) refs.move(move, { at: 1, message: 'x' });
    expect(left()).toEqual([]);
  });

  test('of a living Git stays, whatever it says, also beside what a killed process has left', () => {
    const { store, refs, main, left } = pointers();
    mkdirSync(join(store, 'refs/sessions'), { recursive: true });
    const held = [`${ref}.lock`, 'packed-refs.lock', 'refs/heads/main.lock', 'STAGE.lock'];
    held.forEach((name, index) => {
      writeFileSync(join(store, name), index % 2 === 0 ? `${main}\n` : '');
    });
    writeFileSync(join(store, 'LOCK.ref'), `${main}\n`);
    writeFileSync(join(store, 'LOCK.ref.new'), `${main}\n`);
    refs.clearLeftovers();
    expect(left().sort()).toEqual(held.sort());
    for (const pointer of [ref, 'STAGE'])
      expect(errorOf(() => refs.move({ pointer, old: null, new: main }, { at: 1, message: 'x' })).code).toBe('busy');
    expect(left().sort()).toEqual(held.sort());
  });

  test('whose process was killed before the reflog recorded the move: it is reported afterwards', () => {
    const { store, git, refs, main, left } = pointers();
    mkdirSync(join(store, `${ref}.lock`), { recursive: true });
    writeFileSync(join(store, 'LOCK.ref'), `${main}\n`);
    writeFileSync(join(store, ref), `${main}\n`);
    const other = sessionRef(ONE.replace(/1$/, '2'));
    writeFileSync(join(store, other), `${'a'.repeat(40)}\n`);
    refs.clearLeftovers();
    expect(existsSync(join(store, 'logs', other))).toBe(false);
    expect(git('log', '-g', '--format=%H %gs', ref)).toBe(`${main} told after a kill\n`);
    expect(left()).toEqual([]);
  });

  test.each(['LOCK.ref', 'LOCK.ref.new'])('leaves nothing where the disk is full when %s is written', (name) => {
    const { refs, main, left } = pointers();
    links.full = name;
    const error = errorOf(() => refs.move({ pointer: ref, old: null, new: main }, { at: 1, message: 'x' }));
    expect(error).toMatchObject({ code: 'io', message: expect.stringContaining('ENOSPC') });
    expect(refs.read(ref)).toBeNull();
    expect(left()).toEqual([]);
  });

  test('that cannot be removed is said, and goes with the next holder of LOCK', () => {
    const { refs, main, left } = pointers();
    links.stuck = '.lock';
    const error = errorOf(() => refs.move({ pointer: ref, old: null, new: main }, { at: 1, message: 'x' }));
    expect(error).toMatchObject({ code: 'io', message: expect.stringContaining(`${ref}.lock: EIO`) });
    expect(refs.read(ref)).toBe(main);
    expect(left().sort()).toEqual(['LOCK.ref', `${ref}.lock`]);
    links.stuck = '';
    refs.clearLeftovers();
    expect(left()).toEqual([]);
  });

  test('leaves nothing if it cannot be made', () => {
    const { refs, main, left } = pointers();
    links.code = 'EIO';
    const error = errorOf(() => refs.move({ pointer: ref, old: null, new: main }, { at: 1, message: 'x' }));
    expect(error).toMatchObject({ code: 'io', message: expect.stringContaining('EIO') });
    expect(left()).toEqual([]);
  });
});

test('whoever comes first makes the key of the store, and nobody puts another in its place', () => {
  const { repository, store } = makeProject();
  let first: Buffer | undefined;
  links.created = 'key.lock';
  // Another process, while this one is about to.
  links.whenCreated = () => {
    rmSync(join(store, 'key.lock'));
    first = secretKey({ ...repository, layout: { ...repository.layout } });
  };
  expect(secretKey(repository)).toEqual(first);
  expect(readdirSync(store).filter((name) => name.startsWith('key'))).toEqual(['key']);
  expect(statSync(join(store, 'key')).mode & 0o077).toBe(0);
});

test('the lock of a stranger on a ref is respected all the same', () => {
  links.code = 'EPERM';
  const { store, repository } = makeProject();
  const ref = sessionRef(ONE);
  const lock = join(store, `${ref}.lock`);
  writeFileSync(lock, 'git');
  const refs = new FileRefs(layoutOf(store), { fsync: false }, 50);
  const move = { pointer: ref, old: null, new: repository.refs.read(MAIN) };
  expect(errorOf(() => refs.move(move, { at: 1, message: 'x' })).code).toBe('busy');
  expect(readFileSync(lock, 'utf8')).toBe('git');
});

test('an error that has nothing to do with it is not taken for that', () => {
  links.code = 'EIO';
  const { repository } = makeProject();
  const error = errorOf(() => ctx.startSession(repository, 't'));
  expect(error.code).toBe('io');
  expect(error.message).toContain('EIO');
});
