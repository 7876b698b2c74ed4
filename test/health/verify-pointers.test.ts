// The check of a store on pointers that are gone, there twice, or behind, and what a repair makes of each.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { checkStore, type FsckResult } from '../../src/app/fsck.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import { CONTENT_LIMIT, MAIN } from '../../src/git/layout.ts';
import { loosePath } from '../../src/git/objects/loose.ts';
import { archiveRef, sessionRef } from '../../src/history/names/layout.ts';
import { secretKey } from '../../src/history/store/secret-key.ts';
import * as ctx from '../../src/index.ts';
import { type Forge, forge } from '../support/forge.ts';
import { type History, makeHistory } from '../support/history.ts';
import { errorOf, fsck } from '../support/store.ts';

interface Scene extends History, Forge {
  /** The session that was saved, and the two that are open; STAGE names `own`. */
  saved: string;
  own: string;
  other: string;
}

/** A saved session, one that is open with three steps, and one beside it. */
function scene(): Scene {
  const history = makeHistory();
  const { repository } = history;
  const saved = ctx.startSession(repository, 'saved').session_id;
  ctx.observeNote(repository, 'x');
  ctx.compactSession(repository);
  const other = ctx.startSession(repository, 'other').session_id;
  const own = ctx.startSession(repository, 'own', { beside: true }).session_id;
  for (const note of ['one', 'two']) {
    ctx.observeNote(repository, note);
    ctx.flushStep(repository);
  }
  return { ...history, ...forge(history), saved, own, other };
}

const damage = (result: FsckResult): [where: string, message: string][] =>
  result.findings.filter(({ severity }) => severity === 'damage').map(({ where, message }) => [where, message]);

const check = (of: Scene): [where: string, message: string][] => damage(checkStore(of.open()));

/** Repairs a store, which must be sound then; gives what was said to be done. */
function repair(of: Scene): string[] {
  const result = checkStore(of.open(), { repair: true });
  expect(result.findings).toEqual([]);
  expect(fsck(of.store)).toBe('');
  return result.repaired;
}

const stageOf = (of: Scene): string | null => of.open().refs.stage();
const RESTORED = (ref: string, oid: string): string =>
  `Restored ${ref} to ${oid}, the last whole commit that it named.`;

describe('a ref that was deleted with Git', () => {
  test('of a saved session is named by what the log names, and restored', () => {
    const of = scene();
    const ref = archiveRef(of.saved);
    const head = of.head(ref);
    of.git('update-ref', '-d', ref);
    expect(check(of)).toEqual([[ref, `it is gone, and the operation log says that it named ${head}`]]);
    expect(repair(of)).toEqual([RESTORED(ref, head)]);
    expect(of.head(ref)).toBe(head);
  });

  test('of a saved session is named by what main names, if no log does, and restored', () => {
    const of = scene();
    const ref = archiveRef(of.saved);
    const head = of.head(ref);
    of.git('update-ref', '-d', ref);
    for (const name of readdirSync(join(of.store, 'oplog'))) rmSync(join(of.store, 'oplog', name));
    expect(check(of)).toEqual([[ref, `it is gone, and commit ${of.head(MAIN)} says that it named ${head}`]]);
    expect(repair(of)).toEqual([RESTORED(ref, head)]);
  });

  test('of a saved session whose chain is not whole any more is not restored to half of it', () => {
    const of = scene();
    const ref = archiveRef(of.saved);
    const first = of.commit(of.head(ref)).parents[0] as string;
    of.git('update-ref', '-d', ref);
    for (const oid of [of.commit(first).tree, first]) rmSync(loosePath(join(of.store, 'objects'), oid));
    const { repaired } = checkStore(of.open(), { repair: true });
    expect(repaired).toEqual([
      `Could not restore ${ref}: no commit that it named is whole any more. Fetch one from a backup.`,
    ]);
    expect(check(of)).toContainEqual([ref, expect.stringMatching(/^it is gone/)]);
  });

  test('of an open session comes back with every step that was flushed, and STAGE stays with it', () => {
    const of = scene();
    const ref = sessionRef(of.own);
    const head = of.head(ref);
    of.git('update-ref', '-d', ref);
    expect(check(of)).toEqual([
      [ref, expect.stringMatching(/^it is gone, and the operation log says that it named [0-9a-f]{40}$/)],
      ['STAGE', `it names ${ref}, which does not exist`],
    ]);
    expect(repair(of)).toEqual([RESTORED(ref, head)]);
    expect([of.head(ref), stageOf(of)]).toEqual([head, ref]);
    expect(ctx.activeSession(of.open())).toMatchObject({ session_id: of.own, step: 3 });
  });

  test('does not come back with steps that an undo took away', () => {
    const of = scene();
    const transcript = join(of.folder, 'transcript.jsonl');
    const line = (uuid: string, parentUuid: string | null, text: string): string =>
      `${JSON.stringify({ type: 'user', uuid, parentUuid, sessionId: 's', timestamp: '2026-01-22T00:00:00Z', version: '2', cwd: '/x', message: { role: 'user', content: text } })}\n`;
    writeFileSync(transcript, line('a', null, 'First'));
    const { session_id, oid } = ctx.ingestTranscript(of.repository, transcript);
    writeFileSync(transcript, line('a', null, 'First') + line('b', 'a', 'Second'));
    expect(ctx.ingestTranscript(of.repository, transcript).steps_added).toBeGreaterThan(0);
    undoOperations(of.repository);
    expect(of.head(sessionRef(session_id))).toBe(oid);
    of.git('update-ref', '-d', sessionRef(session_id));
    expect(repair(of)).toEqual([RESTORED(sessionRef(session_id), oid)]);
  });

  test('nor, if it is torn, with what its log names that it went back from', () => {
    const of = scene();
    const transcript = join(of.folder, 'transcript.jsonl');
    const line = (uuid: string, parentUuid: string | null): string =>
      `${JSON.stringify({ type: 'user', uuid, parentUuid, sessionId: 's', timestamp: '2026-01-22T00:00:00Z', version: '2', cwd: '/x', message: { role: 'user', content: 'x' } })}\n`;
    writeFileSync(transcript, line('a', null));
    const { session_id, oid } = ctx.ingestTranscript(of.repository, transcript);
    writeFileSync(transcript, line('a', null) + line('b', 'a'));
    ctx.ingestTranscript(of.repository, transcript);
    undoOperations(of.repository);
    const ref = sessionRef(session_id);
    writeFileSync(join(of.store, ref), 'torn');
    const newest = readdirSync(join(of.store, 'oplog')).sort().at(-1) as string;
    writeFileSync(join(of.store, 'oplog', newest), '');
    checkStore(of.open(), { repair: true });
    expect(of.head(ref)).toBe(oid);
  });

  test('where an operation has taken it away is not missed', () => {
    const of = scene();
    ctx.compactSession(of.repository);
    undoOperations(of.repository);
    expect(of.repository.refs.read(archiveRef(of.own))).toBeNull();
    expect(check(of)).toEqual([]);
    undoOperations(of.repository);
    expect(check(of)).toEqual([]);
  });
});

test('a torn ref whose log has lost its end, too, comes back with every step that is there', () => {
  const of = scene();
  const ref = sessionRef(of.own);
  const head = of.head(ref);
  const log = join(of.store, 'logs', ref);
  writeFileSync(log, `${readFileSync(log, 'utf8').split('\n')[0]}\n`);
  writeFileSync(join(of.store, ref), 'torn');
  expect(repair(of)).toEqual([RESTORED(ref, head)]);
});

describe('STAGE', () => {
  test('goes away where its session cannot be restored, and does not jump to another one', () => {
    const of = scene();
    const ref = sessionRef(of.own);
    const first = of.git('rev-list', ref).split('\n')[2] as string;
    of.git('update-ref', '-d', ref);
    for (const oid of [of.commit(first).tree, first]) rmSync(loosePath(join(of.store, 'objects'), oid));
    const { repaired } = checkStore(of.open(), { repair: true });
    expect(repaired).toEqual([
      `Could not restore ${ref}: no commit that it named is whole any more. Fetch one from a backup.`,
      `Set STAGE aside in lost/: ${ref} is gone, and cannot be restored: no session is active now. See: ctx list --open`,
    ]);
    expect(stageOf(of)).toBeNull();
    expect(readdirSync(join(of.store, 'lost'))).toEqual([expect.stringMatching(/^STAGE\./)]);
  });

  test('that is torn comes back to the session that it named last, or goes away where that has ended', () => {
    const of = scene();
    writeFileSync(join(of.store, 'STAGE'), 'torn');
    expect(check(of)).toEqual([['STAGE', expect.stringMatching(/^STAGE is damaged/)]]);
    expect(repair(of)).toEqual([`Restored STAGE to ${sessionRef(of.own)}.`]);
    // A byte of its name was flipped: it is one that it never had.
    writeFileSync(join(of.store, 'STAGE'), `ref: ${sessionRef(of.own).slice(0, -1)}z\n`);
    expect(repair(of)).toEqual([`Restored STAGE to ${sessionRef(of.own)}.`]);
    ctx.compactSession(of.open());
    writeFileSync(join(of.store, 'STAGE'), 'torn');
    expect(repair(of)).toEqual(['Set STAGE aside in lost/: no session is active now. See: ctx list --open']);
    expect(stageOf(of)).toBeNull();
  });

  test('that names a session which has ended is put right at once', () => {
    const of = scene();
    ctx.startSession(of.open(), 'next', { replace: true });
    const stage = `ref: ${stageOf(of)}`;
    writeFileSync(join(of.store, 'STAGE'), `ref: ${sessionRef(of.own)}\n`);
    expect(repair(of)).toEqual([`Restored STAGE to ${stage.slice(5)}.`]);
    expect(readdirSync(join(of.store, 'lost'))).toEqual([expect.stringMatching(/^STAGE\./)]);
  });

  test.each<[where: string, end: (of: Scene) => void, last: (of: Scene) => string, hint: (of: Scene) => string]>([
    [
      'another session than the last one',
      () => undefined,
      (of) => sessionRef(of.own),
      (of) => `Go back with: ctx switch ${of.own}`,
    ],
    [
      'a session where none was left active',
      (of) => ctx.compactSession(of.open()),
      () => 'no session',
      () => 'See: ctx list --open',
    ],
  ])('that was put by hand to %s is named, until a command moves it', (_where, end, last, hint) => {
    const of = scene();
    end(of);
    writeFileSync(join(of.store, 'STAGE'), `ref: ${sessionRef(of.other)}\n`);
    const message = `it names ${sessionRef(of.other)}, and was last set to ${last(of)}`;
    expect(checkStore(of.open())).toMatchObject({
      healthy: true,
      findings: [{ severity: 'note', kind: 'pointer', where: 'STAGE', message, hint: hint(of) }],
    });
    const third = ctx.startSession(of.open(), 'third', { beside: true }).session_id;
    expect([stageOf(of), checkStore(of.open()).findings]).toEqual([sessionRef(third), []]);
  });
});

describe('a session', () => {
  test('that is open and archived at once is named, once', () => {
    const of = scene();
    of.git('update-ref', archiveRef(of.own), of.head(sessionRef(of.own)));
    expect(check(of)).toEqual([
      [sessionRef(of.own), `${archiveRef(of.own)} is there too: a session is open or archived`],
    ]);
  });

  test('that is open although main has saved it is named', () => {
    const of = scene();
    of.git('update-ref', sessionRef(of.saved), of.head(archiveRef(of.saved)));
    of.git('update-ref', '-d', archiveRef(of.saved));
    expect(check(of)).toEqual([[archiveRef(of.saved), expect.stringMatching(/^it is gone/)]]);
    for (const name of readdirSync(join(of.store, 'oplog'))) rmSync(join(of.store, 'oplog', name));
    expect(check(of)).toEqual([[sessionRef(of.saved), `it is open, and commit ${of.head(MAIN)} has saved it`]]);
  });

  test('that is gone while records wait for it is named with where they are', () => {
    const of = scene();
    const id = '01a20000-0000-7000-8000-000000000000';
    ctx.observeNote(of.repository, 'waits');
    const from = join(of.store, 'pending', of.own);
    const name = readdirSync(from)[0] as string;
    mkdirSync(join(of.store, 'pending', id));
    writeFileSync(join(of.store, 'pending', id, name), readFileSync(join(from, name)));
    const { findings } = checkStore(of.repository);
    expect(findings).toEqual([
      {
        severity: 'damage',
        kind: 'pending',
        where: `pending/${id}`,
        message: '1 record waits for a session that does not exist',
        hint: `ctx fsck --repair brings the session back, if it can; else read them in ${join(of.store, 'pending', id)}, then move that folder away.`,
      },
    ]);
  });
});

describe('a ref whose file says what it has left', () => {
  test.each<[what: string, of: (scene: Scene) => [ref: string, older: string]]>([
    ['an open session at its first step', (of) => [sessionRef(of.own), of.git('rev-parse', `${sessionRef(of.own)}~2`)]],
    [
      'an open session at the step before',
      (of) => [sessionRef(of.own), of.git('rev-parse', `${sessionRef(of.own)}~1`)],
    ],
    ['main before the last session', (of) => [MAIN, of.git('rev-parse', 'main~1')]],
    ['an archive at a step before', (of) => [archiveRef(of.saved), of.git('rev-parse', `${archiveRef(of.saved)}~1`)]],
  ])('is named and taken on: %s', (_what, older) => {
    const of = scene();
    const [ref, oid] = older(of);
    const head = of.head(ref);
    of.point(ref, oid.trim());
    // Whoever would go on from there would lose what came after. What a reflog never told of is found by the check alone.
    const back = `${ref} is damaged: it names ${oid.trim()}, and by its reflog it has moved on from there`;
    if (!ref.startsWith(archiveRef(''))) expect(() => of.repository.refs.read(ref)).toThrow(back);
    expect(check(of)).toContainEqual([ref, `it names ${oid.trim()}, which it had left: it was last set to ${head}`]);
    expect(repair(of)).toContain(RESTORED(ref, head));
    expect(of.head(ref)).toBe(head);
  });

  test('is named by the log if no reflog names it, as in a copy', () => {
    const of = scene();
    rmSync(join(of.store, 'logs'), { recursive: true });
    expect(check(of)).toEqual([]);
    const head = of.head(MAIN);
    of.point(MAIN, of.git('rev-parse', 'main~1').trim());
    expect(check(of)).toContainEqual([MAIN, expect.stringContaining(`it was last set to ${head}`)]);
  });

  test('is named, and left, if what it should name does not follow from it', () => {
    const of = scene();
    ctx.compactSession(of.repository);
    const undone = of.head(MAIN);
    undoOperations(of.repository);
    const told = of.head(MAIN);
    of.point(MAIN, undone);
    expect(check(of)).toContainEqual([MAIN, `it names ${undone}, which it had left: it was last set to ${told}`]);
    const { repaired } = checkStore(of.open(), { repair: true });
    expect(repaired).toContain(
      `Left ${MAIN} at ${undone}: ${told}, which it was last set to, does not follow from that. See: ctx op log`,
    );
    expect(of.repository.refs.readUnchecked(MAIN)).toBe(undone);
  });

  /** Takes the last line of a reflog away, as a full disk would. */
  function untell(of: Scene, ref: string): void {
    const log = join(of.store, 'logs', ref);
    const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(1);
    writeFileSync(
      log,
      lines
        .slice(0, -1)
        .map((line) => `${line}\n`)
        .join(''),
    );
  }

  test('is right where it is one move ahead of its reflog', () => {
    const of = scene();
    untell(of, sessionRef(of.own));
    expect(check(of)).toEqual([]);
  });

  test('is right if an operation took it back, and could not tell its reflog', () => {
    const of = scene();
    ctx.compactSession(of.repository);
    undoOperations(of.repository);
    untell(of, MAIN);
    expect(check(of)).toEqual([]);
  });

  test('and that a killed process was moving back is reported, not blamed', () => {
    const of = scene();
    const ref = sessionRef(of.own);
    const older = of.git('rev-parse', `${ref}~1`).trim();
    of.point(ref, older);
    writeFileSync(join(of.store, 'LOCK.ref'), `${older}\n`);
    expect(check(of)).toEqual([]);
  });
});

test('a base is said to be taken back only if an undo did it, and not if main cannot be read', () => {
  const of = scene();
  const base = ctx.activeSession(of.repository)?.base as string;
  of.point(MAIN, 'torn');
  expect(check(of)).toEqual([[MAIN, expect.stringContaining('does not hold an object id')]]);
  expect(checkStore(of.open()).findings).toHaveLength(1);
  rmSync(join(of.store, 'logs/refs/heads/main'));
  of.point(MAIN, of.commit(base).parents[0] as string);
  for (const name of readdirSync(join(of.store, 'oplog'))) rmSync(join(of.store, 'oplog', name));
  const message = `its base ${base} is not on the main line, and no undo took it off`;
  expect(check(of)).toEqual([
    [sessionRef(of.other), message],
    [sessionRef(of.own), message],
  ]);
});

test('a key that is torn is named', () => {
  const of = scene();
  secretKey(of.repository);
  expect(check(of)).toEqual([]);
  writeFileSync(join(of.store, 'key'), 'torn\n');
  expect(check(of)).toEqual([['key', 'key is damaged: it holds no key']]);
});

describe('an object that is larger than we can hold', () => {
  /** Puts a loose object of zeros there, under the name that Git gives it or a wrong one. */
  function large(of: Scene, size: number, oid?: string): string {
    const file = join(of.folder, 'large');
    writeFileSync(file, Buffer.alloc(size));
    const name = oid ?? of.git('hash-object', '-w', file).trim();
    const path = loosePath(join(of.store, 'objects'), name);
    if (oid !== undefined) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, zlib.deflateSync(Buffer.concat([Buffer.from('blob 5\0'), Buffer.alloc(size)]), { level: 1 }));
    }
    return path;
  }

  test('is left where it is, and said to be', () => {
    const of = scene();
    const path = large(of, CONTENT_LIMIT + 65);
    const oid = path.slice(-41).replace('/', '');
    expect(repair(of)).toEqual([
      `Left the object ${oid} as it is: it is larger than ctx can hold. Check it with: git --git-dir=.ctx fsck --strict --full --no-dangling`,
    ]);
    expect(existsSync(path)).toBe(true);
    expect(checkStore(of.open(), { full: true })).toMatchObject({
      healthy: true,
      findings: [{ severity: 'note', where: oid, message: 'it is larger than ctx can hold' }],
    });
  });

  test('by its bytes but not by its header is torn, and set aside', () => {
    const of = scene();
    const oid = 'ab'.repeat(20);
    const path = large(of, CONTENT_LIMIT + 1, oid);
    expect(damage(checkStore(of.open(), { full: true }))).toEqual([[oid, expect.stringContaining('is damaged')]]);
    expect(repair(of)).toEqual([`Set the torn object ${oid} aside in lost/.`]);
    expect(existsSync(path)).toBe(false);
  });
});

describe('packed-refs', () => {
  const harms: [what: string, inflict: (path: string, text: string) => void][] = [
    ['with a broken oid', (path, text) => writeFileSync(path, text.replace(/^([0-9a-f]{4})[0-9a-f]/m, '$1{'))],
    ['with a broken last line', (path, text) => writeFileSync(path, text.slice(0, -9))],
    ['with nothing but garbage', (path, text) => writeFileSync(path, 'x'.repeat(text.length))],
    ['that is a folder', (path) => [rmSync(path), mkdirSync(path)]],
  ];

  test.each(harms)('%s loses no pointer', (_what, inflict) => {
    const of = scene();
    of.git('pack-refs', '--all');
    const before = of.git('for-each-ref');
    const path = join(of.store, 'packed-refs');
    inflict(path, readFileSync(path, 'utf8'));
    expect(check(of).length).toBeGreaterThan(0);
    expect(repair(of).join(' ')).toContain('packed-refs');
    expect(of.git('for-each-ref')).toBe(before);
    expect(stageOf(of)).toBe(sessionRef(of.own));
  });

  /** Reflogs that Git does not read, or reads in part, and we read whole. */
  const DISORDERS: [what: string, disorder: (lines: string[]) => string[], line: RegExp, mended: RegExp][] = [
    [
      'whose lines are not in the order that its first line tells of',
      ([header = '', ...refs]) => [header, ...refs.filter((line) => !line.startsWith('^')).reverse()],
      /^packed-refs line 3: .* line 3 is out of order, /,
      /^Put the lines of packed-refs in order/,
    ],
    [
      'whose header stands at the end',
      ([header = '', ...refs]) => [...refs, header],
      /^packed-refs line \d+: .* is a header out of its place$/,
      /^Put the lines of packed-refs in order/,
    ],
    [
      'with a header of another kind',
      ([_header, ...refs]) => ['# mine', ...refs],
      /^packed-refs line 1: .* is a header out of its place$/,
      /^Removed 1 broken line from packed-refs/,
    ],
    [
      'with an empty line',
      ([header = '', ...refs]) => [header, '', ...refs],
      /^packed-refs line 2: .* is no ref$/,
      /^Removed 1 broken line from packed-refs/,
    ],
    [
      'with what a tag points at where no tag is',
      ([header = '', ...refs]) => [header, `^${'1'.repeat(40)}`, ...refs],
      /^packed-refs line 2: .* is no ref$/,
      /^Removed 1 broken line from packed-refs/,
    ],
  ];

  test.each(DISORDERS)(
    '%s is damage, though every ref of it is read, and is put in order',
    (_what, disorder, line, mended) => {
      const of = scene();
      of.git('tag', '-a', '-m', 'mine', 'à', 'main');
      of.git('pack-refs', '--all');
      const before = of.git('for-each-ref');
      const path = join(of.store, 'packed-refs');
      const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
      writeFileSync(
        path,
        disorder(lines)
          .map((one) => `${one}\n`)
          .join(''),
      );
      expect(stageOf(of)).toBe(sessionRef(of.own));
      expect(checkStore(of.open()).findings.map(({ where, message, hint }) => [`${where}: ${message}`, hint])).toEqual([
        [expect.stringMatching(line), 'ctx fsck --repair'],
      ]);
      expect(repair(of)).toEqual([expect.stringMatching(mended)]);
      expect(of.git('for-each-ref')).toBe(before);
      expect(of.git('rev-parse', 'refs/tags/à^{}')).toBe(of.git('rev-parse', 'main'));
      expect(checkStore(of.open()).findings).toEqual([]);
    },
  );
});

describe('STAGE that is gone', () => {
  /** STAGE names `other` by the last operation, and its file was deleted. */
  function lost(): Scene {
    const of = scene();
    ctx.switchSession(of.open(), of.other);
    rmSync(join(of.store, 'STAGE'));
    return of;
  }

  test('is damage if the last operation says what it named, and is restored', () => {
    const of = lost();
    const ref = sessionRef(of.other);
    const message = `STAGE is damaged: it is gone, and was last set to ${ref}`;
    for (const act of [
      ctx.sessionStatus,
      ctx.flushStep,
      ctx.recoverSession,
      (repository: ctx.Repository) => ctx.observeNote(repository, 'x'),
      (repository: ctx.Repository) => ctx.startSession(repository, 'x'),
      (repository: ctx.Repository) => ctx.handleUserMessage(repository, 'Add a test'),
    ])
      expect(errorOf(() => act(of.open()))).toMatchObject({ code: 'damaged', message });
    expect(check(of)).toEqual([['STAGE', `it is gone, and was last set to ${ref}`]]);
    expect(repair(of)).toEqual([`Restored STAGE to ${ref}.`]);
    expect(stageOf(of)).toBe(ref);
  });

  /** Tears the newest operation, and takes STAGE away. */
  function tear(of: Scene, bytes: number): string {
    const newest = readdirSync(join(of.store, 'oplog')).sort().at(-1) as string;
    const path = join(of.store, 'oplog', newest);
    writeFileSync(path, readFileSync(path).subarray(0, bytes));
    rmSync(join(of.store, 'STAGE'), { force: true });
    return `Set the torn operation oplog/${newest} aside in lost/.`;
  }

  const UNTOLD = 'STAGE is damaged: it is gone, and what moved it last may be what is torn in oplog/';

  test('is damage while the newest operation is torn, and a note of the open sessions once that is set aside', () => {
    const of = scene();
    const more = ctx.startSession(of.open(), 'more', { beside: true }).session_id;
    const aside = tear(of, 20);
    const refused = { code: 'damaged', message: UNTOLD, hint: 'Repair it with: ctx fsck --repair' };
    expect(errorOf(() => ctx.sessionStatus(of.open()))).toMatchObject(refused);
    expect(errorOf(() => ctx.startSession(of.open(), 'x'))).toMatchObject(refused);
    const { repaired, findings } = checkStore(of.open(), { repair: true });
    expect(repaired).toEqual([aside]);
    const ids = [of.other, of.own, more].sort().join(', ');
    expect(findings).toEqual([
      {
        severity: 'note',
        kind: 'pointer',
        where: 'STAGE',
        message: 'it is gone, and nothing says what it named: an operation is lost that may have moved it',
        hint: `If a session was active, choose it with ctx switch <id>: ${ids}`,
      },
    ]);
    ctx.switchSession(of.open(), more);
    expect(check(of)).toEqual([]);
  });

  test('is restored where the torn operation shows what it named, though others are open', () => {
    const of = scene();
    const text = readFileSync(join(of.store, 'oplog', readdirSync(join(of.store, 'oplog')).sort().at(-1) as string));
    const aside = tear(of, text.length - 2);
    expect(errorOf(() => ctx.sessionStatus(of.open())).code).toBe('damaged');
    expect(repair(of)).toEqual([aside, `Restored STAGE to ${sessionRef(of.own)}.`]);
  });

  test('is restored where only one session can have been meant', () => {
    const history = makeHistory();
    const id = ctx.startSession(history.repository, 'only').session_id;
    const of: Scene = { ...history, ...forge(history), saved: '', own: id, other: '' };
    const aside = tear(of, 20);
    expect(errorOf(() => ctx.startSession(of.open(), 'x')).message).toContain('STAGE');
    expect(repair(of)).toEqual([aside, `Restored STAGE to ${sessionRef(id)}.`]);
    // By the operations before it, too.
    ctx.compactSession(of.open());
    const next = ctx.startSession(of.open(), 'next').session_id;
    const again = tear(of, 20);
    expect(repair(of)).toEqual([again, `Restored STAGE to ${sessionRef(next)}.`]);
  });

  test('is nobody’s loss where the torn operation can only have ended its session', () => {
    const of = scene();
    ctx.compactSession(of.open());
    const aside = tear(of, 20);
    expect(ctx.sessionStatus(of.open()).active).toBe(false);
    expect(repair(of)).toEqual([aside]);
    expect(ctx.startSession(of.open(), 'x').compacted).toBeNull();
  });

  test('is nobody’s loss if the session has ended, or nobody can tell', () => {
    const ended = scene();
    ctx.compactSession(ended.open());
    expect([ctx.sessionStatus(ended.open()).active, check(ended)]).toEqual([false, []]);
    const of = lost();
    for (const name of readdirSync(join(of.store, 'oplog'))) rmSync(join(of.store, 'oplog', name));
    expect([ctx.sessionStatus(of.open()).active, check(of)]).toEqual([false, []]);
  });
});

test('STAGE is not measured by an operation older than one that was set aside', () => {
  const of = scene();
  ctx.switchSession(of.open(), of.other);
  const newest = readdirSync(join(of.store, 'oplog')).sort().at(-1) as string;
  writeFileSync(join(of.store, 'oplog', newest), '');
  expect(repair(of)).toEqual([`Set the torn operation oplog/${newest} aside in lost/.`]);
  expect(stageOf(of)).toBe(sessionRef(of.other));
});

test('a ref that is that of no session is named, packed or not', () => {
  const of = scene();
  const packed = `refs/sessions/${of.own.replace('-', '/')}`;
  of.git('update-ref', packed, of.head(sessionRef(of.own)));
  of.git('pack-refs', '--all');
  of.git('update-ref', 'refs/archive/mine', of.head(sessionRef(of.own)));
  const { findings } = checkStore(of.open());
  expect(findings.map(({ severity, where, hint }) => [severity, where, hint])).toEqual(
    [packed, 'refs/archive/mine'].map((ref) => [
      'note',
      ref,
      `Remove it, if you did not make it: ctx git update-ref -d ${ref}`,
    ]),
  );
});

test('a commit of somebody else’s on the main line is named by the log, and hides nothing', () => {
  const of = scene();
  const foreign = of.git('commit-tree', 'main^{tree}', '-p', 'main', '-m', 'nothing').trim();
  of.git('update-ref', MAIN, foreign);
  expect(errorOf(() => [...ctx.readLog(of.open())])).toMatchObject({
    code: 'damaged',
    message: `commit ${foreign} is damaged: it is none of ctx: its Ctx-Type says nothing`,
  });
});
