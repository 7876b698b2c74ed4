// Changes that a kill cut off: whatever was left, the next command finishes it, and nothing is lost or there twice.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { prepareRecord } from '../../src/app/session/records.ts';
import { CtxError } from '../../src/core/errors.ts';
import { thenRelease } from '../../src/git/interruption-errors.ts';
import { MAIN } from '../../src/git/layout.ts';
import { sha1 } from '../../src/git/objects/loose.ts';
import type { PointerMove } from '../../src/git/refs/pointer.ts';
import { readSteps } from '../../src/history/chain/chain.ts';
import { archiveRef, sessionRef } from '../../src/history/names/layout.ts';
import type { Operation } from '../../src/history/operations/operation.ts';
import { addPending, pendingKeeper } from '../../src/history/pending/pending.ts';
import { finishBegun, hasBegun } from '../../src/history/pointers/oplog.ts';
import { hasLeftovers, transact } from '../../src/history/transaction.ts';
import * as ctx from '../../src/index.ts';
import { errorOf, fsck, git, makeProject, type Project, temporaryFolder } from '../support/store.ts';

/** Another store with the same in it, opened. */
function copyOf(project: Project): { folder: string; store: string; repository: ctx.Repository } {
  const folder = temporaryFolder();
  cpSync(project.folder, folder, { recursive: true });
  return {
    folder,
    store: join(folder, '.ctx'),
    repository: ctx.openRepository({ directory: folder, clock: project.clock }),
  };
}

/** Puts a pointer where a move would have put it. */
function apply(store: string, { pointer, new: next }: PointerMove): void {
  const path = join(store, pointer);
  mkdirSync(dirname(path), { recursive: true });
  if (next === null) rmSync(path, { force: true });
  else writeFileSync(path, pointer === 'STAGE' ? `ref: ${next}\n` : `${next}\n`);
}

const encode = (operation: Operation): string => {
  const rest = JSON.stringify(operation).slice(1);
  return `{"sha1":"${sha1(Buffer.from(rest))}",${rest}\n`;
};

const lastOperation = (store: string): string => {
  const name = readdirSync(join(store, 'oplog')).sort().at(-1) as string;
  return readFileSync(join(store, 'oplog', name), 'utf8');
};

/** The ids of all records of a session's chain, first to last. */
function idsOf(repository: ctx.Repository, ref: string): string[] {
  const head = repository.refs.read(ref) as string;
  return [...readSteps(repository.objects, head, false)].flatMap((step) => step.records.map((record) => record.id));
}

const pointers = (store: string): string => git(store, ['for-each-ref', '--format=%(objectname) %(refname)']);

/** Changes that move several pointers, each made from a session with a record that waits. */
const CHANGES: [words: string, change: (repository: ctx.Repository) => unknown][] = [
  ['compact', (repository) => ctx.compactSession(repository)],
  ['abort and compact', (repository) => ctx.setState(repository, 'abort', { text: 'no use', compact: true })],
  ['replace', (repository) => ctx.startSession(repository, 'the next task', { replace: true })],
  ['begin a second one', (repository) => ctx.startSession(repository, 'a second task', { beside: true })],
];

describe.each(CHANGES)('%s, cut off', (_words, change) => {
  const project = makeProject();
  const { session_id } = ctx.startSession(project.repository, 'the task');
  ctx.observeNote(project.repository, 'flushed');
  ctx.flushStep(project.repository);
  const waiting = ctx.observeNote(project.repository, 'waiting').records;
  const before = copyOf(project);
  change(project.repository);
  const after = pointers(project.store);
  const text = lastOperation(project.store);
  const { moves } = JSON.parse(text) as Operation;

  const points = Array.from({ length: moves.length + 1 }, (_, count) => count);
  test.each(points)('after %i of its moves: the next command finishes it', (count) => {
    const { folder, store } = copyOf({ ...project, folder: before.folder });
    cpSync(join(project.store, 'objects'), join(store, 'objects'), { recursive: true });
    writeFileSync(join(store, 'oplog', 'begun.json'), text);
    for (const move of moves.slice(0, count)) apply(store, move);
    const repository = ctx.openRepository({ directory: folder, clock: project.clock });
    expect(hasBegun(repository)).toBe(true);

    const { found } = ctx.recoverSession(repository);
    expect(found[0]).toMatch(/^Finished "stage .*", which had been cut off\.$/);
    expect(pointers(store)).toBe(after);
    expect(existsSync(join(store, 'STAGE'))).toBe(existsSync(join(project.store, 'STAGE')));
    expect(hasBegun(repository)).toBe(false);
    expect(lastOperation(store)).toBe(text);
    expect(readdirSync(join(store, 'oplog'))).toEqual(readdirSync(join(project.store, 'oplog')));
    const ref = [sessionRef(session_id), archiveRef(session_id)].find((name) => repository.refs.read(name) !== null);
    const held = [
      ...idsOf(repository, ref as string),
      ...(existsSync(join(store, 'pending', session_id)) ? waiting : []),
    ];
    expect(held.filter((id) => waiting.includes(id))).toEqual(waiting);
    expect(ctx.recoverSession(repository).found).toEqual([]);
    expect(checkStore(repository).findings).toEqual([]);
    expect(fsck(store)).toBe('');
  });
});

describe.each(CHANGES)('%s, stopped by the disk', (_words, change) => {
  const project = makeProject();
  ctx.startSession(project.repository, 'the task');
  ctx.observeNote(project.repository, 'waiting');
  const stood = pointers(project.store);
  const done = copyOf(project);
  change(done.repository);
  const { moves, command } = JSON.parse(lastOperation(done.store)) as Operation;
  const before = readdirSync(join(project.store, 'oplog'));

  /** A store in which the moves from one on fail, so many times; what the change says then. */
  function stopped(from: number, times: number) {
    const { store, repository } = copyOf(project);
    const real = repository.refs.move.bind(repository.refs);
    let count = 0;
    vi.spyOn(repository.refs, 'move').mockImplementation((move, story) => {
      count += 1;
      if (count > from && count <= from + times)
        throw new CtxError('io', 'Cannot write it: ENOSPC', { hint: 'Make room.' });
      real(move, story);
    });
    const error = errorOf(() => change(repository));
    vi.restoreAllMocks();
    return { store, repository, error };
  }

  test.each([1, 100])('before its first move, %i times: it is as if it had never begun', (times) => {
    const { store, repository, error } = stopped(0, times);
    expect([error.code, error.message, error.hint]).toEqual(['io', 'Cannot write it: ENOSPC', 'Make room.']);
    expect(pointers(store)).toBe(stood);
    expect(hasBegun(repository)).toBe(false);
    expect(readdirSync(join(store, 'oplog'))).toEqual(before);
    expect(checkStore(repository).findings).toEqual([]);
    expect(fsck(store)).toBe('');
    change(repository);
    expect(readdirSync(join(store, 'oplog'))).toHaveLength(before.length + 1);
  });

  test.each(moves.map((_move, index) => index).slice(1))(
    'after %i moves: it says that it has begun, and all that was observed since is behind it',
    (from) => {
      const { store, repository, error } = stopped(from, 1);
      expect(error).toMatchObject({
        code: 'io',
        message: `Cannot write it: ENOSPC. By then "${command}" had begun, and the next command that changes something finishes it.`,
        hint: 'Make room. Do not run it again: it would be done twice. Once that is repaired, finish it with: ctx fsck --repair',
      });
      const seen = repository.refs.stage() === null ? [] : ctx.observeNote(repository, 'seen in the midst').records;
      expect(ctx.recoverSession(repository).found[0]).toBe(`Finished "${command}", which had been cut off.`);
      expect(readdirSync(join(store, 'oplog'))).toHaveLength(before.length + 1);
      if (seen.length > 0 && ctx.sessionStatus(repository).active) ctx.flushStep(repository);
      expect(checkStore(repository, { full: true }).findings).toEqual([]);
      expect(fsck(store)).toBe('');
      const told = git(store, ['log', '--all', '-p', '--format=', '--', 'step.jsonl']);
      const waiting = readdirSync(join(store, 'pending'), { recursive: true }).join('\n');
      for (const id of seen) expect(`${told}${waiting}`.split(id)).toHaveLength(2);
    },
  );
});

/** Error of the disk, which fails once. */
const FAILED = new CtxError('io', 'Cannot sync it: EIO');

describe('a change that the disk stops when all of it is done', () => {
  test('but what was to follow', () => {
    const { repository } = makeProject();
    ctx.startSession(repository, 'the task');
    const error = errorOf(() =>
      transact(repository, { command: 'stage flush', message: 'x', logged: true }, (transaction) => {
        transaction.move('STAGE', transaction.stage(), null);
        transaction.afterwards(() => {
          throw FAILED;
        });
      }),
    );
    expect(error).toMatchObject({
      message: 'Cannot sync it: EIO. By then "stage flush" had done a part of its work, or all of it.',
      hint: 'Once that is repaired, look before you run it again: ctx status',
    });
    expect(repository.refs.stage()).toBeNull();
  });

  test('but the word of the disk for the only pointer that moves', () => {
    const { repository } = makeProject();
    ctx.startSession(repository, 'the task');
    const real = repository.refs.move.bind(repository.refs);
    vi.spyOn(repository.refs, 'move').mockImplementation((move, story) => {
      real(move, story);
      throw FAILED;
    });
    const error = errorOf(() => ctx.setState(repository, 'ask', { text: 'Which one?' }));
    vi.restoreAllMocks();
    expect(error).toMatchObject({
      message: 'Cannot sync it: EIO. By then "stage ask" was done.',
      hint: 'Do not run it again: it would be done twice. See: ctx status',
    });
    expect(ctx.sessionStatus(repository)).toMatchObject({ session_state: { kind: 'AwaitingUser' } });
  });

  test('or at a pointer that cannot even be read then', () => {
    const { repository } = makeProject();
    ctx.startSession(repository, 'the task');
    vi.spyOn(repository.refs, 'move').mockImplementation(() => {
      vi.spyOn(repository.refs, 'read').mockImplementation(() => {
        throw new CtxError('damaged', 'its file cannot be read');
      });
      throw FAILED;
    });
    const error = errorOf(() => ctx.setState(repository, 'ask', { text: 'Which one?' }));
    vi.restoreAllMocks();
    expect(error.message).toBe('Cannot sync it: EIO. By then "stage ask" had done a part of its work, or all of it.');
  });

  test('but its word for the file of the operation', () => {
    const { repository, store } = makeProject();
    ctx.startSession(repository, 'the task');
    const filed = readdirSync(join(store, 'oplog')).length + 1;
    const isUnderWay = (name: string): boolean => name.startsWith('begun.json');
    const durability = {
      get fsync(): boolean {
        const names = readdirSync(join(store, 'oplog'));
        if (names.length === filed && names.includes('newest.json') && !names.some(isUnderWay)) throw FAILED;
        return false;
      },
    };
    const error = errorOf(() => ctx.startSession({ ...repository, durability }, 'another', { beside: true }));
    expect(error.message).toBe('Cannot sync it: EIO. By then "stage start" was done.');
    expect(hasBegun(repository)).toBe(false);
    expect(readdirSync(join(store, 'refs', 'sessions'))).toHaveLength(2);
  });

  test('but letting go of its lock: what the work says comes first', () => {
    const release = (): void => {
      throw FAILED;
    };
    expect(errorOf(() => thenRelease('undo', release, () => 1)).message).toBe(
      'Cannot sync it: EIO. By then "undo" was done.',
    );
    const stopped = new CtxError('io', 'Cannot write it: EROFS');
    const fail = (): never => {
      throw stopped;
    };
    expect(errorOf(() => thenRelease('undo', release, fail))).toBe(stopped);
  });
});

describe('a compaction that was cut off, and what it leads to is gone since', () => {
  const project = makeProject();
  const { session_id } = ctx.startSession(project.repository, 'the task');
  ctx.observeNote(project.repository, 'flushed');
  ctx.flushStep(project.repository);
  const waiting = ctx.observeNote(project.repository, 'waiting').records;
  const before = copyOf(project);
  const stood = pointers(before.store);
  ctx.compactSession(project.repository);
  const text = lastOperation(project.store);
  const { moves } = JSON.parse(text) as Operation;
  const commit = moves.find(({ pointer }) => pointer === MAIN)?.new as string;
  const oidOf = (name: string): string => git(project.store, ['rev-parse', `${commit}${name}`]).trim();

  /** A store in which some of the moves are made, and an object is not there. */
  function cutOff(count: number, gone: string, content?: string) {
    const { folder, store } = copyOf({ ...project, folder: before.folder });
    cpSync(join(project.store, 'objects'), join(store, 'objects'), { recursive: true });
    writeFileSync(join(store, 'oplog', 'begun.json'), text);
    const repository = ctx.openRepository({ directory: folder, clock: project.clock });
    for (const move of moves.slice(0, count)) repository.refs.move(move, { at: 1, message: 'compact' });
    const path = join(store, 'objects', gone.slice(0, 2), gone.slice(2));
    rmSync(path);
    if (content !== undefined) writeFileSync(path, content);
    return { store, repository: ctx.openRepository({ directory: folder, clock: project.clock }) };
  }

  /** It stands as it did before, and all that waited does. */
  function expectAsBefore({ store, repository }: ReturnType<typeof cutOff>): void {
    expect(pointers(store)).toBe(stood);
    expect(ctx.sessionStatus(repository)).toMatchObject({ active: true });
    expect(hasBegun(repository)).toBe(false);
    expect(readdirSync(join(store, 'oplog'))).toEqual(readdirSync(join(before.store, 'oplog')));
    expect(ctx.recoverSession(repository).found).toEqual([]);
    expect(checkStore(repository).findings).toEqual([]);
    expect(fsck(store)).toBe('');
    ctx.compactSession(repository);
    const held = idsOf(repository, archiveRef(session_id));
    expect(held.filter((id) => waiting.includes(id))).toEqual(waiting);
  }

  const points = Array.from({ length: moves.length + 1 }, (_, count) => count);
  test.each(points)('after %i of its moves: fsck names it, and the next command takes it back', (count) => {
    const cut = cutOff(count, commit);
    const { findings, healthy } = checkStore(cut.repository);
    expect(healthy).toBe(false);
    expect(findings).toContainEqual(
      expect.objectContaining({
        severity: 'damage',
        where: 'oplog/begun.json',
        message: `it was cut off, and ${commit}, to which it leads ${MAIN}, is gone from the store or torn; the next command that writes takes it back`,
      }),
    );
    expect(ctx.recoverSession(cut.repository).found).toEqual([
      `Took back "stage compact", which had been cut off: ${commit}, to which it leads, is gone from the store or torn.`,
    ]);
    expectAsBefore(cut);
  });

  test.each(points)(
    'after %i of its moves: a repair takes it back, or finishes it where main has led it to the commit',
    (count) => {
      const cut = cutOff(count, commit);
      const { repaired, findings } = checkStore(cut.repository, { repair: true, full: true });
      expect(findings.filter(({ severity }) => severity === 'damage')).toEqual([]);
      const begins = (words: string): number => repaired.filter((done) => done.startsWith(words)).length;
      // The commit that main names is made again from its tree and its chain: then nothing is in the way.
      const isMade = begins(`Remade the lost commit ${commit}`) === 1;
      expect([isMade, begins('Took back')]).toEqual(count >= 2 ? [true, 0] : [false, 1]);
      if (isMade) expect(pointers(cut.store)).toContain(`${commit} refs/heads/main`);
      else expectAsBefore(cut);
    },
  );

  test.each<[string, string]>([
    ['a tree that is gone', '^{tree}'],
    ['a file in it that is gone', ':summary.md'],
  ])('%s: taken back', (_words, name) => {
    const cut = cutOff(2, oidOf(name));
    ctx.recoverSession(cut.repository);
    expectAsBefore(cut);
  });

  test('a commit that is torn: made again, and finished', () => {
    const cut = cutOff(2, commit, 'x');
    expect(
      checkStore(cut.repository, { repair: true }).findings.filter(({ severity }) => severity === 'damage'),
    ).toEqual([]);
    expect(pointers(cut.store)).toContain(`${commit} refs/heads/main`);
  });

  test('what it leads away from is gone too: to take it back would mend nothing, and it is finished', () => {
    const cut = cutOff(2, commit);
    const head = moves.find(({ pointer }) => pointer === sessionRef(session_id))?.old as string;
    rmSync(join(cut.store, 'objects', head.slice(0, 2), head.slice(2)));
    expect(finishBegun(cut.repository)).toBe('Finished "stage compact", which had been cut off.');
  });

  test('while a pack without an index may hold it: neither, and nothing is moved', () => {
    const cut = cutOff(2, commit);
    const whole = pointers(cut.store);
    writeFileSync(join(cut.store, 'objects', 'pack', `pack-${'a'.repeat(40)}.pack`), 'PACK');
    expect(errorOf(() => finishBegun(cut.repository))).toMatchObject({ code: 'damaged', data: { oid: commit } });
    rmSync(join(cut.store, 'objects', 'pack', `pack-${'a'.repeat(40)}.pack`));
    expect(pointers(cut.store)).toBe(whole);
    expect(hasBegun(cut.repository)).toBe(true);
  });
});

describe('an operation that cannot be finished', () => {
  const OPERATION = '0199a000-0000-7000-8000-00000000000f';
  const begin = (operation: Partial<Operation>) => {
    const project = makeProject();
    const main = project.repository.refs.read(MAIN) as string;
    const whole: Operation = {
      version: 1,
      id: OPERATION,
      at: 1,
      command: 'stage compact',
      message: 'compact',
      moves: [],
      ...operation,
    };
    writeFileSync(join(project.store, 'oplog', 'begun.json'), encode(whole));
    return { ...project, main };
  };
  const ID = '0199a000-0000-7000-8000-000000000001';
  const elsewhere = '2'.repeat(40);

  test('because somebody has moved on before any of it happened: it never began', () => {
    const { repository, store, main } = begin({
      moves: [{ pointer: MAIN, old: elsewhere, new: '3'.repeat(40) }],
    });
    expect(ctx.recoverSession(repository).found).toEqual([]);
    expect(existsSync(join(store, 'oplog', 'begun.json'))).toBe(false);
    expect(repository.refs.read(MAIN)).toBe(main);
  });

  test('because half of it has happened and the rest is elsewhere: damaged, with what stands where', () => {
    const { repository, store, main } = begin({});
    const moves = [
      { pointer: archiveRef(ID), old: null, new: main },
      { pointer: MAIN, old: elsewhere, new: '3'.repeat(40) },
    ];
    const text = encode({ version: 1, id: OPERATION, at: 1, command: 'stage compact', message: 'compact', moves });
    writeFileSync(join(store, 'oplog', 'begun.json'), text);
    apply(store, moves[0] as PointerMove);
    const error = errorOf(() => ctx.recoverSession(repository));
    expect(error).toMatchObject({
      code: 'damaged',
      message: `The operation "stage compact" was cut off, and ${MAIN} has moved since.`,
      data: { operation: OPERATION, pointers: [{ pointer: MAIN, now: main }] },
    });
    expect(readFileSync(join(store, 'oplog', 'begun.json'), 'utf8')).toBe(text);
    expect(repository.refs.read(MAIN)).toBe(main);
    expect(existsSync(join(store, 'LOCK'))).toBe(false);
  });

  test.each<[string, (text: string) => string]>([
    ['empty', () => ''],
    ['cut off', (text) => text.slice(0, -9)],
    ['changed', (text) => text.replace('stage compact', 'stage Compact')],
    ['without a checksum', (text) => `{${text.slice(51)}`],
    ['no operation', () => `{"sha1":"${sha1(Buffer.from('"x":1}'))}","x":1}\n`],
  ])('because its file is %s: damaged, and kept', (_words, tear) => {
    const { repository, store } = begin({});
    const path = join(store, 'oplog', 'begun.json');
    const torn = tear(readFileSync(path, 'utf8'));
    writeFileSync(path, torn);
    const error = errorOf(() => ctx.startSession(repository, 't'));
    expect(error.code).toBe('damaged');
    expect(error.message).toMatch(/^oplog\/begun\.json is damaged: /);
    expect(readFileSync(path, 'utf8')).toBe(torn);
    expect(repository.refs.stage()).toBeNull();
  });

  test('readers do not mind one that has only begun', () => {
    const { repository, main } = begin({});
    expect(ctx.sessionStatus(repository)).toMatchObject({ active: false, allowed: ['start'] });
    expect([...ctx.readLog(repository)]).toEqual([]);
    expect(repository.refs.read(MAIN)).toBe(main);
    expect(finishBegun(repository)).toBe('Finished "stage compact", which had been cut off.');
    expect(finishBegun(repository)).toBeNull();
  });
});

describe('records that were left', () => {
  /** Observes as a process does that is still at it when its session is compacted. */
  function observeLate(repository: ctx.Repository, session: string, content: string): string {
    const keeper = pendingKeeper(repository, session);
    const { record, payloads } = prepareRecord(repository, keeper, repository.clock(), {
      body: { kind: 'note', content, role: 'plain' },
    });
    addPending(repository, session, { record, payloads: [...payloads], objects: keeper.written });
    return record.id;
  }

  test('by a session that has just been compacted become a late step of its archive', () => {
    const { repository, store } = makeProject();
    const { session_id } = ctx.startSession(repository, 'the task');
    ctx.observeNote(repository, 'in time');
    const { oid, work } = ctx.compactSession(repository);
    const late = [observeLate(repository, session_id, 'late'), observeLate(repository, session_id, 'x'.repeat(6_000))];
    expect(hasLeftovers(repository)).toBe(true);
    // fsck tells of them, as of no damage. Reading changes nothing.
    const { findings, healthy } = checkStore(repository);
    expect([findings, healthy]).toMatchObject([
      [
        {
          severity: 'note',
          where: `pending/${session_id}`,
          message: '2 records wait for a session that has ended; the next command that writes keeps them',
        },
      ],
      true,
    ]);
    expect(ctx.sessionStatus(repository).active).toBe(false);
    expect(repository.refs.read(archiveRef(session_id))).toBe(work);

    const { found } = ctx.recoverSession(repository);
    expect(found).toEqual([`Kept 2 late records of the session ${session_id}, which has ended.`]);
    const steps = [...ctx.showRevision(repository, session_id).steps];
    expect(steps).toHaveLength(3);
    expect(steps.at(-1)?.observations.map((record) => [record.id, record['content']])).toEqual([
      [late[0], 'late'],
      [late[1], 'x'.repeat(6_000)],
    ]);
    // The canonical commit stays as it is, and names the chain as it was.
    expect(repository.refs.read(MAIN)).toBe(oid);
    expect(git(store, ['log', '-1', '--format=%(trailers:key=Ctx-Work,valueonly,separator=)', 'main']).trim()).toBe(
      work,
    );
    expect(readdirSync(join(store, 'pending'))).toEqual([]);
    expect(ctx.recoverSession(repository).found).toEqual([]);
    expect(fsck(store)).toBe('');
  });

  test('late, when the kill came before they were removed: they are in once', () => {
    const { repository, store } = makeProject();
    const { session_id } = ctx.startSession(repository, 'the task');
    ctx.compactSession(repository);
    const late = observeLate(repository, session_id, 'late');
    const folder = join(store, 'pending', session_id);
    const kept = join(temporaryFolder(), 'kept');
    cpSync(folder, kept, { recursive: true });
    ctx.recoverSession(repository);
    cpSync(kept, folder, { recursive: true });
    expect(ctx.recoverSession(repository).found).toEqual([]);
    expect(idsOf(repository, archiveRef(session_id)).filter((id) => id === late)).toEqual([late]);
    expect(existsSync(folder)).toBe(false);
  });

  test.each([
    ['a flush', (repository: ctx.Repository) => ctx.flushStep(repository)],
    ['a move', (repository: ctx.Repository) => ctx.setState(repository, 'ask', { text: 'x?' })],
    ['the end', (repository: ctx.Repository) => ctx.compactSession(repository)],
  ])(
    'by a flush that was killed before it removed them are not there twice, whatever comes next: %s',
    (_words, next) => {
      const project = makeProject();
      const { repository, store } = project;
      const { session_id } = ctx.startSession(repository, 'the task');
      const ids = ['one', 'two', 'y'.repeat(9_000)].flatMap((text) => ctx.observeNote(repository, text).records);
      const folder = join(store, 'pending', session_id);
      const kept = join(temporaryFolder(), 'kept');
      cpSync(folder, kept, { recursive: true });
      ctx.flushStep(repository);
      cpSync(kept, folder, { recursive: true });
      // They are told from those that really wait.
      expect(ctx.sessionStatus(project.open())).toMatchObject({ step: 2, pending_observations: 0 });
      const more = ctx.observeNote(repository, 'really waiting').records;
      expect(ctx.sessionStatus(project.open())).toMatchObject({ step: 2, pending_observations: 1 });

      next(project.open());
      const ref = [sessionRef(session_id), archiveRef(session_id)].find((name) => repository.refs.read(name) !== null);
      const all = idsOf(project.open(), ref as string);
      expect(all.filter((id) => ids.includes(id) || more.includes(id))).toEqual([...ids, ...more]);
      expect(existsSync(folder)).toBe(false);
      expect(fsck(store)).toBe('');
    },
  );

  test('of a session that nobody knows are left alone', () => {
    const { repository, store } = makeProject();
    observeLate(repository, '0199a000-0000-7000-8000-00000000dead', 'orphan');
    ctx.startSession(repository, 't');
    expect(readdirSync(join(store, 'pending', '0199a000-0000-7000-8000-00000000dead'))).toHaveLength(1);
    // Nothing can finish that: looking at the store takes no lock for it.
    expect(hasLeftovers(repository)).toBe(false);
  });

  test.each([
    ['open', () => undefined],
    ['ended', (repository: ctx.Repository) => ctx.compactSession(repository)],
  ])('that cannot be read stop nothing, and are reported as they are: of a session that is %s', (_state, end) => {
    const { repository, store } = makeProject();
    const { session_id } = ctx.startSession(repository, 'the task');
    end(repository);
    rmSync(join(store, 'pending', session_id), { recursive: true, force: true });
    symlinkSync(temporaryFolder(), join(store, 'pending', session_id));
    const finished = transact(repository, { command: 'test', message: 'test' }, (transaction) => transaction.finished);
    expect(() => hasLeftovers(repository)).not.toThrow();
    expect(finished).toEqual([
      expect.stringMatching(`^What waits for the session ${session_id} could not be kept yet: .* is a link`),
    ]);
  });
});

describe('a change', () => {
  const change = { command: 'test', message: 'test' };

  test('sees what it has planned, and moves nothing when it fails', () => {
    const { repository } = makeProject();
    const ref = sessionRef('0199a000-0000-7000-8000-000000000001');
    const main = repository.refs.read(MAIN) as string;
    expect(() =>
      transact(repository, change, (transaction) => {
        transaction.move(ref, null, main);
        transaction.move('STAGE', null, ref);
        transaction.afterwards(() => expect.fail('nothing was moved'));
        expect([transaction.read(ref), transaction.stage(), transaction.read(MAIN)]).toEqual([main, ref, main]);
        expect([repository.refs.read(ref), repository.refs.stage()]).toEqual([null, null]);
        throw new Error('changed my mind');
      }),
    ).toThrow('changed my mind');
    expect([repository.refs.read(ref), repository.refs.stage()]).toEqual([null, null]);
    expect(existsSync(repository.layout.lock)).toBe(false);
  });

  test('moves each pointer once, from where it was to where it was last sent', () => {
    const { repository, store } = makeProject();
    const ref = sessionRef('0199a000-0000-7000-8000-000000000001');
    const main = repository.refs.read(MAIN) as string;
    const done: string[] = [];
    const result = transact(repository, change, (transaction) => {
      transaction.move(ref, null, '1'.repeat(40));
      transaction.move(ref, '1'.repeat(40), main);
      transaction.move(MAIN, main, '1'.repeat(40));
      transaction.move(MAIN, '1'.repeat(40), main);
      transaction.afterwards(() => done.push(repository.refs.read(ref) as string));
      return 'result';
    });
    expect([result, done]).toEqual(['result', [main]]);
    expect(
      readFileSync(join(store, 'logs', ref), 'utf8')
        .trim()
        .split('\n'),
    ).toHaveLength(1);
  });

  test('is in the operation log where a session begins or ends, and not where one only moves on', () => {
    const { repository, store } = makeProject();
    const ref = sessionRef('0199a000-0000-7000-8000-000000000001');
    const main = repository.refs.read(MAIN) as string;
    const [first, second] = ['1'.repeat(40), '2'.repeat(40)];
    const logged = [
      [ref, null, first],
      [ref, first, second],
      [MAIN, main, first],
      [ref, second, null],
    ].map(([pointer, old, next]) => {
      transact(repository, change, (transaction) => transaction.move(pointer as string, old ?? null, next ?? null));
      return readdirSync(join(store, 'oplog')).length;
    });
    expect(logged).toEqual([1, 1, 1, 2]);
  });

  test('what is made comes first, then STAGE, then what goes', () => {
    const { repository, store } = makeProject();
    ctx.startSession(repository, 'one');
    ctx.startSession(repository, 'two', { replace: true });
    const { moves } = JSON.parse(lastOperation(store)) as Operation;
    const kinds = moves.map(({ pointer, new: next }) =>
      pointer === 'STAGE' ? 'stage' : next === null ? 'goes' : 'made',
    );
    expect(kinds).toEqual(['made', 'made', 'stage', 'goes']);
  });

  test('is refused while another process is at one', () => {
    const { open, repository } = makeProject();
    const error = transact(repository, change, () => errorOf(() => ctx.startSession(open({ lockWait: 60 }), 't')));
    expect(error.code).toBe('busy');
    expect(error.message).toContain(`process ${process.pid}`);
    expect(ctx.startSession(repository, 't').session_id).toBeTruthy();
  });
});
