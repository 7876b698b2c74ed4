// Pointers: read as Git reads them, moved by compare-and-swap under Git's own lock files, never read as an older value.
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { encodeCommit } from '../../src/core/commit.ts';
import { quoted } from '../../src/core/text.ts';
import { EMPTY_TREE } from '../../src/core/tree.ts';
import { MAIN } from '../../src/git/layout.ts';
import type { PointerMove } from '../../src/git/refs/pointer.ts';
import { lastOfReflog } from '../../src/git/refs/reflog.ts';
import { FileRefs } from '../../src/git/refs/refs.ts';
import { archiveRef, layoutOf, SESSIONS, sessionRef } from '../../src/history/names/layout.ts';
import { ended, errorOf, fsck, git, makeProject, said, startChild } from '../support/store.ts';

const STORY = { at: 1_769_040_000, message: 'test' };
const ONE = '0199a000-0000-7000-8000-000000000001';
const TWO = '0199a000-0000-7000-8000-000000000002';

/** A store with three commits, A before B before C, on no ref but main, which is A. */
function place(wait = 200) {
  const { store, repository } = makeProject();
  const commit = (parent: string, message: string): string =>
    repository.objects.write(
      'commit',
      encodeCommit({ tree: EMPTY_TREE, parents: [parent], author: 'a', at: 1, message: `${message}\n` }),
    );
  const a = repository.refs.read(MAIN) as string;
  const b = commit(a, 'b');
  const c = commit(b, 'c');
  const refs = new FileRefs(layoutOf(store), { fsync: false }, wait);
  const move = (pointer: string, old: string | null, next: string | null): void =>
    refs.move({ pointer, old, new: next } satisfies PointerMove, STORY);
  const file = (name: string): string => join(store, name);
  const write = (name: string, text: string): void => writeFileSync(file(name), text);
  return { store, refs, a, b, c, move, file, write };
}

/** Lists the leftovers of a move beside the refs themselves. */
const leftovers = (store: string): string[] =>
  readdirSync(store, { recursive: true, encoding: 'utf8' }).filter((name) => /\.lock$|^LOCK/.test(name));

describe('reading', () => {
  test('a loose ref, a packed one, and none', () => {
    const { store, refs, a, b, move } = place();
    move(sessionRef(ONE), null, a);
    move(sessionRef(TWO), null, b);
    git(store, ['pack-refs', '--all']);
    expect(existsSync(join(store, sessionRef(ONE)))).toBe(false);
    expect(refs.read(sessionRef(ONE))).toBe(a);
    expect(refs.read(MAIN)).toBe(a);
    move(sessionRef(ONE), a, b);
    // The loose one counts, whatever is packed.
    expect(readFileSync(join(store, 'packed-refs'), 'utf8')).toContain(`${a} ${sessionRef(ONE)}`);
    expect(refs.read(sessionRef(ONE))).toBe(b);
    expect(git(store, ['rev-parse', sessionRef(ONE)]).trim()).toBe(b);
    expect(refs.read(archiveRef(ONE))).toBeNull();
    expect([...refs.list(SESSIONS)]).toEqual([
      [sessionRef(ONE), b],
      [sessionRef(TWO), b],
    ]);
  });

  test.each<[string, string]>([
    ['empty', ''],
    ['cut off', 'abc'],
    ['one digit short', 'a'.repeat(39)],
    ['zeros that are no digits', '\0'.repeat(41)],
    ['two lines', `${'a'.repeat(40)}\n${'b'.repeat(40)}\n`],
    ['a symbolic ref', 'ref: refs/heads/main\n'],
  ])('a torn ref that is %s is damaged, and never the older packed value', (_words, text) => {
    const { store, refs, a, move, write } = place();
    move(sessionRef(ONE), null, a);
    git(store, ['pack-refs', '--all']);
    mkdirSync(join(store, SESSIONS), { recursive: true });
    write(sessionRef(ONE), text);
    const error = errorOf(() => refs.read(sessionRef(ONE)));
    expect(error.code).toBe('damaged');
    expect(error.message).toContain(`${sessionRef(ONE)} is damaged`);
    expect(errorOf(() => move(sessionRef(ONE), a, null)).code).toBe('damaged');
    expect(errorOf(() => refs.list(SESSIONS)).code).toBe('damaged');
    expect(readFileSync(join(store, sessionRef(ONE)), 'utf8')).toBe(text);
    expect(leftovers(store)).toEqual([]);
  });

  test('a ref whose file is gone is damaged where packed-refs has an older value, and can be restored', () => {
    const { store, refs, a, b, c, move, file } = place();
    move(sessionRef(ONE), null, a);
    move(sessionRef(ONE), a, b);
    git(store, ['pack-refs', '--all']);
    expect(refs.read(sessionRef(ONE))).toBe(b);
    move(sessionRef(ONE), b, c);
    rmSync(file(sessionRef(ONE)));
    const error = errorOf(() => refs.read(sessionRef(ONE)));
    expect(error).toMatchObject({ code: 'damaged', hint: 'Restore it with: ctx fsck --repair' });
    expect(error.message).toBe(
      `${sessionRef(ONE)} is damaged: its file is gone, and what packed-refs has for it, ${b}, is older`,
    );
    expect(errorOf(() => move(sessionRef(ONE), b, a)).code).toBe('damaged');
    refs.restore(sessionRef(ONE), c, STORY);
    expect(refs.read(sessionRef(ONE))).toBe(c);
    // Back to a value of before is no older value.
    move(sessionRef(ONE), c, b);
    git(store, ['pack-refs', '--all']);
    expect(refs.read(sessionRef(ONE))).toBe(b);
    expect(leftovers(store)).toEqual([]);
  });

  test('a packed value that Git moved there, and which no reflog of ours names, is the value', () => {
    const { store, refs, a, b, move, file } = place();
    move(sessionRef(ONE), null, a);
    rmSync(file(`logs/${sessionRef(ONE)}`));
    git(store, ['update-ref', sessionRef(ONE), b]);
    git(store, ['pack-refs', '--all']);
    expect(refs.read(sessionRef(ONE))).toBe(b);
    const other = place();
    other.move(MAIN, other.a, other.b);
    git(other.store, ['update-ref', MAIN, other.c]);
    git(other.store, ['pack-refs', '--all']);
    expect(other.refs.read(MAIN)).toBe(other.c);
  });

  test('a folder in the place of a ref is damaged', () => {
    const { refs, file } = place();
    mkdirSync(file(sessionRef(ONE)), { recursive: true });
    expect(errorOf(() => refs.read(sessionRef(ONE))).message).toContain('its file cannot be read');
  });

  test.each<[string, string]>([
    ['a line that is no ref', 'garbage\n'],
    ['a line without a name', `${'a'.repeat(40)} \n`],
    ['a last line that is cut off', `${'a'.repeat(40)} refs/heads/main`],
    ['an id that is cut off', `${'a'.repeat(39)} refs/heads/main\n`],
  ])('packed-refs with %s is damaged', (_words, text) => {
    const { refs, write } = place();
    write('packed-refs', `# pack-refs with: peeled fully-peeled sorted \n${text}`);
    const error = errorOf(() => refs.read(sessionRef(ONE)));
    expect(error).toMatchObject({ code: 'damaged' });
    expect(error.message).toMatch(/^packed-refs is damaged: (line 2 is no ref|its last line is cut off)$/);
  });

  test('names that are no pointers of ours are never read, moved or listed', () => {
    const { store, refs, a, write } = place();
    for (const name of [
      ...[
        'HEAD',
        'STAGE',
        'config',
        'refs/heads/other',
        'refs/heads/../../config',
        'refs/sessions/',
        'refs/sessions/x',
      ],
      ...[
        'refs/sessions/../../hooks/pre-push',
        `refs/sessions/${ONE}/x`,
        `refs/sessions/-${ONE}`,
        `${sessionRef(ONE)}.lock`,
      ],
      ...['refs/archive/a b c d e f', 'refs/tags/v1', 'hooks/post-update', `refs/sessions/${'a'.repeat(65)}`],
    ]) {
      expect(errorOf(() => refs.read(name)).code).toBe('bug');
      if (name === 'STAGE') continue;
      expect(errorOf(() => refs.move({ pointer: name, old: null, new: a }, STORY)).code).toBe('bug');
    }
    mkdirSync(join(store, SESSIONS), { recursive: true });
    write(`${SESSIONS}short`, `${a}\n`);
    write(`${sessionRef(ONE)}.lock`, '');
    expect(refs.list(SESSIONS).size).toBe(0);
  });
});

describe('moving', () => {
  test('makes, moves and deletes a ref; Git sees the same, and the reflog names it', () => {
    const { store, refs, a, b, move } = place();
    const ref = sessionRef(ONE);
    move(ref, null, a);
    move(ref, a, b);
    expect(git(store, ['rev-parse', ref]).trim()).toBe(b);
    expect(git(store, ['reflog', 'show', '--format=%gs %gd', ref])).toMatch(/^test .*\n/);
    const log = readFileSync(join(store, 'logs', ref), 'utf8').split('\n');
    expect(log).toEqual([
      `${'0'.repeat(40)} ${a} ctx <ctx@localhost> 1769040000 +0000\ttest`,
      `${a} ${b} ctx <ctx@localhost> 1769040000 +0000\ttest`,
      '',
    ]);
    expect(statSync(join(store, ref)).mode & 0o077).toBe(0);
    expect(statSync(join(store, 'logs', ref)).mode & 0o077).toBe(0);
    move(ref, b, null);
    expect(refs.read(ref)).toBeNull();
    expect(existsSync(join(store, 'logs', ref))).toBe(false);
    expect(git(store, ['for-each-ref', SESSIONS])).toBe('');
    expect(leftovers(store)).toEqual([]);
    expect(fsck(store)).toBe('');
  });

  test('a line of the reflog that a killed process left unfinished does not swallow the next one', () => {
    const { store, a, b, c, move } = place();
    const log = join(store, 'logs', sessionRef(ONE));
    move(sessionRef(ONE), null, a);
    writeFileSync(log, `${readFileSync(log, 'utf8')}${a} ${b} ctx <ct`);
    move(sessionRef(ONE), a, c);
    expect(readFileSync(log, 'utf8').split('\n')).toHaveLength(4);
    expect(git(store, ['log', '-g', '-1', '--format=%H', sessionRef(ONE)]).trim()).toBe(c);
  });

  test.each([100, 1990, 2048, 5_000, 70_000])(
    'a last line of the reflog with a message of %i letters is read',
    (length) => {
      const { store, refs, a, b, c, move, write } = place();
      const log = `logs/${sessionRef(ONE)}`;
      const line = (old: string, next: string, message: string): string =>
        `${old} ${next} ctx <ctx@localhost> 1 +0000\t${message}\n`;
      move(sessionRef(ONE), null, a);
      move(sessionRef(ONE), a, b);
      git(store, ['pack-refs', '--all']);
      // The move to c is told of and its file is gone; every piece of its message looks like the beginning of a line.
      for (let shift = 0; shift < 3; shift += 1) {
        const told = `${b} ${c} `;
        const message = `${'.'.repeat(shift)}${`${a} ${b} `.repeat(Math.ceil(length / told.length))}`.slice(0, length);
        write(log, line(a, b, 'x'.repeat(3_000)) + line(b, c, message));
        expect(lastOfReflog(store, sessionRef(ONE))).toBe(c);
        expect(errorOf(() => refs.read(sessionRef(ONE))).code).toBe('damaged');
      }
      // A text that is no line is skipped, however long it is.
      write(log, `${line(a, c, 'x')}${'x\n'.repeat(length)}`);
      expect(lastOfReflog(store, sessionRef(ONE))).toBe(c);
      write(log, `${'x\n'.repeat(length)}`);
      expect(lastOfReflog(store, sessionRef(ONE))).toBeNull();
    },
  );

  test('a last line of every length, and one that begins where the look begins, is read', () => {
    const { store, a, b, c, write } = place();
    mkdirSync(join(store, 'logs', SESSIONS), { recursive: true });
    const first = `${a} ${b} ctx <ctx@localhost> 1 +0000\tx\n`;
    for (let length = 1_800; length < 2_200; length += 1) {
      const last = `${b} ${c} `.padEnd(length, `${a} ${a} `);
      write(`logs/${sessionRef(ONE)}`, `${first}${last}\n`);
      expect([length, lastOfReflog(store, sessionRef(ONE))]).toEqual([length, c]);
    }
  });

  test.each<[string, (at: ReturnType<typeof place>) => [string | null, string | null]]>([
    ['that is elsewhere', ({ b, c }) => [b, c]],
    ['that does not exist', ({ c }) => [null, c]],
    ['to be deleted that is elsewhere', ({ b }) => [b, null]],
  ])('a ref %s is not moved: it is busy, and says where it is', (_words, plan) => {
    const at = place();
    const ref = sessionRef(ONE);
    at.move(ref, null, at.a);
    const [old, next] = plan(at);
    const error = errorOf(() => at.move(ref, old, next));
    expect(error.code).toBe('busy');
    expect(error.data).toEqual({ pointer: ref, expected: old, current: at.a });
    expect(error.message).toContain(`it is ${at.a}, not ${old ?? 'absent'}`);
    expect(at.refs.read(ref)).toBe(at.a);
    expect(leftovers(at.store)).toEqual([]);
    expect(errorOf(() => at.move(sessionRef(TWO), at.a, at.b)).message).toContain('it is absent');
  });

  test('a packed ref is deleted from packed-refs too; its neighbours and their peeled lines stay', () => {
    const { store, refs, a, b, move } = place();
    git(store, ['tag', '-a', '-m', 'x', 'v1', a]);
    git(store, ['tag', '-a', '-m', 'x', 'v2', b]);
    for (const id of [ONE, TWO]) move(sessionRef(id), null, a);
    move(archiveRef(ONE), null, b);
    git(store, ['pack-refs', '--all']);
    move(sessionRef(ONE), a, b);
    move(sessionRef(ONE), b, null);
    expect(refs.read(sessionRef(ONE))).toBeNull();
    expect(refs.read(sessionRef(TWO))).toBe(a);
    expect(refs.read(archiveRef(ONE))).toBe(b);
    const seen = git(store, ['for-each-ref', '--format=%(refname)']).trim().split('\n');
    expect(seen).toEqual([archiveRef(ONE), MAIN, sessionRef(TWO), 'refs/tags/v1', 'refs/tags/v2']);
    expect(git(store, ['rev-parse', 'v1^{}', 'v2^{}'])).toBe(`${a}\n${b}\n`);
    expect(readFileSync(join(store, 'packed-refs'), 'utf8')).toContain(`\n^${a}\n`);
    expect(statSync(join(store, 'packed-refs')).mode & 0o077).toBe(0);
    expect(leftovers(store)).toEqual([]);
    expect(fsck(store)).toBe('');
  });

  test('a folder that Git removed is made again', () => {
    const { store, a, refs, move } = place();
    for (const folder of ['refs/sessions', 'logs']) rmSync(join(store, folder), { recursive: true });
    move(sessionRef(ONE), null, a);
    expect(refs.read(sessionRef(ONE))).toBe(a);
  });
});

describe('STAGE', () => {
  test('names a session, and Git can read it', () => {
    const { store, refs, a, move } = place();
    expect(refs.stage()).toBeNull();
    move(sessionRef(ONE), null, a);
    move('STAGE', null, sessionRef(ONE));
    expect(refs.stage()).toBe(sessionRef(ONE));
    expect(git(store, ['rev-parse', 'STAGE']).trim()).toBe(a);
    expect(errorOf(() => move('STAGE', sessionRef(TWO), null)).code).toBe('busy');
    move('STAGE', sessionRef(ONE), sessionRef(TWO));
    move('STAGE', sessionRef(TWO), null);
    expect(refs.stage()).toBeNull();
    expect(existsSync(join(store, 'logs', 'STAGE'))).toBe(false);
    expect(leftovers(store)).toEqual([]);
  });

  test.each([
    '',
    '\n',
    `ref: ${sessionRef(ONE)}`,
    'ref: refs/sessions/\n',
    'ref: refs/heads/main\n',
    'ref: refs/sessions/../../x\n',
    'ref: refs/sessions/short\n',
    `${'a'.repeat(40)}\n`,
    `ref: ${sessionRef(ONE)}\n\n`,
  ])('that says %j is damaged, never absent', (text) => {
    const { refs, write } = place();
    write('STAGE', text);
    const error = errorOf(() => refs.stage());
    expect(error).toMatchObject({ code: 'damaged' });
    expect(error.message).toContain(JSON.stringify(text));
    expect(error.hint).toBeTruthy();
  });
});

describe('lock files', () => {
  test.each([
    [sessionRef(ONE), `${sessionRef(ONE)}.lock`],
    ['STAGE', 'STAGE.lock'],
    [archiveRef(ONE), 'packed-refs.lock'],
  ])('%s: the %s of a stranger is waited for, named, and left alone', (pointer, lock) => {
    const { store, refs, a, b, move, write, file } = place(150);
    move(sessionRef(ONE), null, a);
    move(archiveRef(ONE), null, b);
    move('STAGE', null, sessionRef(ONE));
    git(store, ['pack-refs', '--all']);
    mkdirSync(join(store, SESSIONS), { recursive: true });
    write(lock, 'git is at work');
    const started = performance.now();
    const [old, next] = pointer === 'STAGE' ? [sessionRef(ONE), null] : [pointer === archiveRef(ONE) ? b : a, null];
    const error = errorOf(() => move(pointer, old, next));
    expect(performance.now() - started).toBeGreaterThanOrEqual(150);
    expect(error.code).toBe('busy');
    expect(error.message).toContain(`${lock} is held by another process`);
    expect(error.hint).toContain(`rm ${quoted(file(lock))}; or`);
    expect(readFileSync(file(lock), 'utf8')).toBe('git is at work');
    expect(leftovers(store)).toEqual([lock]);
    expect([refs.read(sessionRef(ONE)), refs.read(archiveRef(ONE)), refs.stage()]).toEqual([a, b, sessionRef(ONE)]);
  });

  test('one that goes away in time is no obstacle', async () => {
    const { refs, a, move, write, file } = place(20_000);
    mkdirSync(file(SESSIONS), { recursive: true });
    write(`${sessionRef(ONE)}.lock`, '');
    const child = await startChild(
      // Whoever waits for the lock has its second name ready.
      'const fs = require("node:fs"); console.log("here"); while (!fs.existsSync(words[1])); fs.unlinkSync(words[0])',
      [file(`${sessionRef(ONE)}.lock`), file('LOCK.ref')],
    );
    const end = ended(child);
    await said(child, 'here');
    move(sessionRef(ONE), null, a);
    expect(refs.read(sessionRef(ONE))).toBe(a);
    await end;
  });

  test.each([
    ['LOCK.ref', sessionRef(ONE)],
    ['LOCK.ref', 'STAGE'],
    ['LOCK.ref', MAIN],
    ['LOCK.ref', 'HEAD'],
    ['LOCK.ref', 'ORIG_HEAD'],
    ['LOCK.packed', 'packed-refs'],
  ])('%s shows whose the lock of %s is: what a killed ctx left goes, what Git holds stays', (marker, pointer) => {
    const { store, refs, write, file } = place();
    mkdirSync(file(SESSIONS), { recursive: true });
    write(marker, 'x');
    linkSync(file(marker), file(`${pointer}.lock`));
    write(`${archiveRef(TWO)}.lock`, 'git');
    refs.clearLeftovers();
    expect(leftovers(store)).toEqual([`${archiveRef(TWO)}.lock`]);
    // Without the second name, nobody knows: it stays.
    write(`${pointer}.lock`, 'git');
    refs.clearLeftovers();
    expect(leftovers(store).sort()).toEqual([`${archiveRef(TWO)}.lock`, `${pointer}.lock`].sort());
  });

  test.each([
    ['LOCK.ref', sessionRef(ONE), 'the new value\n'],
    ['LOCK.ref', 'STAGE', 'ref: refs/sessions/x\n'],
    ['LOCK.ref', MAIN, ''],
    ['LOCK.packed', 'packed-refs', ''],
  ])('%s shows it of the lock of %s also if the store was copied without its links', (marker, pointer, text) => {
    const { store, refs, write, file } = place();
    mkdirSync(file(SESSIONS), { recursive: true });
    const locks = [marker, `${pointer}.lock`];
    for (const name of locks) write(name, text);
    for (const name of locks) utimesSync(file(name), 5, 5);
    // Git's: that it was made at another moment, or what it says, tells.
    write(`${archiveRef(TWO)}.lock`, text);
    write('refs/heads/other.lock', text.replace('e', 'o'));
    if (text !== '') utimesSync(file('refs/heads/other.lock'), 5, 5);
    refs.clearLeftovers();
    expect(leftovers(store)).toEqual([`${archiveRef(TWO)}.lock`, 'refs/heads/other.lock']);
  });

  test('what Git holds that says the same stays where the second name is that of something else', () => {
    const { store, refs, a, b, move, write, file } = place();
    move(sessionRef(ONE), null, a);
    write('LOCK.ref', `${b}\n`);
    rmSync(file(sessionRef(ONE)));
    linkSync(file('LOCK.ref'), file(sessionRef(ONE)));
    write(`${MAIN}.lock`, `${b}\n`);
    for (const name of ['LOCK.ref', `${MAIN}.lock`]) utimesSync(file(name), 5, 5);
    refs.clearLeftovers();
    expect(leftovers(store)).toEqual([`${MAIN}.lock`]);
  });

  test('a move whose process was killed before the reflog recorded it is reported afterwards', () => {
    const { store, refs, a, b, move, write, file } = place();
    move(sessionRef(ONE), null, a);
    // Marker, lock and ref are one file: the lock has become the ref.
    write('LOCK.ref', `${b}\n`);
    rmSync(file(sessionRef(ONE)));
    linkSync(file('LOCK.ref'), file(sessionRef(ONE)));
    refs.clearLeftovers();
    expect(refs.read(sessionRef(ONE))).toBe(b);
    expect(git(store, ['log', '-g', '--format=%H', sessionRef(ONE)])).toBe(`${b}\n${a}\n`);
    expect(leftovers(store)).toEqual([]);
    write('LOCK.ref', 'x');
    refs.clearLeftovers();
    expect(git(store, ['log', '-g', '--format=%H', sessionRef(ONE)])).toBe(`${b}\n${a}\n`);
  });

  test('so is one back to an earlier value that Git has packed since', () => {
    const { store, refs, a, b, move, write, file } = place();
    move(MAIN, refs.read(MAIN), a);
    move(MAIN, a, b);
    write('LOCK.ref', `${a}\n`);
    write(MAIN, `${a}\n`);
    git(store, ['pack-refs', '--all']);
    expect(existsSync(file(MAIN))).toBe(false);
    expect(refs.read(MAIN)).toBe(a);
    refs.clearLeftovers();
    expect(refs.read(MAIN)).toBe(a);
    expect(git(store, ['log', '-g', '-n', '3', '--format=%H', MAIN])).toBe(`${a}\n${b}\n${a}\n`);
    expect(leftovers(store)).toEqual([]);
  });

  test('one that has moved on from a packed value is not', () => {
    const { store, refs, a, b, move, write } = place();
    move(sessionRef(ONE), null, a);
    git(store, ['pack-refs', '--all']);
    move(sessionRef(ONE), a, b);
    write('LOCK.ref', `${a}\n`);
    refs.clearLeftovers();
    expect(refs.read(sessionRef(ONE))).toBe(b);
    expect(git(store, ['log', '-g', '--format=%H', sessionRef(ONE)])).toBe(`${b}\n${a}\n`);
  });

  test('a damaged packed-refs does not hinder that, and is damaged still', () => {
    const { refs, a, b, move, write, file } = place();
    move(MAIN, refs.read(MAIN), a);
    write('LOCK.ref', `${b}\n`);
    write(MAIN, `${b}\n`);
    write('packed-refs', 'torn');
    refs.clearLeftovers();
    expect(existsSync(file('LOCK.ref'))).toBe(false);
    expect(refs.read(MAIN)).toBe(b);
    expect(errorOf(() => refs.read(sessionRef(ONE)))).toMatchObject({ code: 'damaged' });
  });

  test('the second name is gone after a move, and one that a killed ctx left does not hinder the next', () => {
    const { store, a, b, move, write } = place();
    move(sessionRef(ONE), null, a);
    write('LOCK.ref', 'left behind');
    write('LOCK.packed', 'left behind');
    write('LOCK.packed.new', 'left behind');
    git(store, ['pack-refs', '--all']);
    move(sessionRef(ONE), a, b);
    move(sessionRef(ONE), b, null);
    expect(leftovers(store)).toEqual([]);
  });
});
