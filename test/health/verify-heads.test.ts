// Pointers that name no commit, or one that is gone: which of the two is at fault, and what a repair makes of it.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkStore, type FsckResult } from '../../src/app/fsck.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import { FETCH, OR_FETCH } from '../../src/core/errors.ts';
import { MAIN } from '../../src/git/layout.ts';
import { loosePath } from '../../src/git/objects/loose.ts';
import { archiveRef, sessionRef } from '../../src/history/names/layout.ts';
import { rolledBackSessions as behind } from '../../src/history/pointers/later-steps.ts';
import { readPointerState } from '../../src/history/pointers/pointer-state.ts';
import * as ctx from '../../src/index.ts';
import { type Forge, forge } from '../support/forge.ts';
import { TRANSCRIPT } from '../support/samples.ts';
import { fsck, makeProject, type Project } from '../support/store.ts';

interface Scene extends Project, Forge {
  saved: string;
  own: string;
}

/** A saved session, and an open one with three steps. */
function scene(): Scene {
  const project = makeProject();
  const { repository } = project;
  const saved = ctx.startSession(repository, 'saved').session_id;
  ctx.observeNote(repository, 'x');
  ctx.compactSession(repository);
  const own = ctx.startSession(repository, 'open').session_id;
  for (const note of ['one', 'two']) {
    ctx.observeNote(repository, note);
    ctx.flushStep(repository);
  }
  return { ...project, ...forge(project), saved, own };
}

const damage = ({ findings }: Pick<FsckResult, 'findings'>): [where: string, message: string, hint: string][] =>
  findings.filter(({ severity }) => severity === 'damage').map(({ where, message, hint }) => [where, message, hint]);
const REPAIR = 'ctx fsck --repair';
const INDEX_HINT = `A pack has no index, and may hold it: ctx fsck --repair makes one. Otherwise, ${OR_FETCH}`;
const ABSENT = '1'.repeat(40);

const drop = ({ store }: Scene, oid: string): void => rmSync(loosePath(join(store, 'objects'), oid));

describe.each<[name: string, refOf: (of: Scene) => string]>([
  ['the main line', () => MAIN],
  ['an open session', (of) => sessionRef(of.own)],
  ['a saved session', (of) => archiveRef(of.saved)],
])('the pointer of %s', (_name, refOf) => {
  test.each([
    ['a blob', 'main:summary.md', 'which is a blob and no commit'],
    ['a tree', 'main^{tree}', 'which is a tree and no commit'],
    ['a tag', 'refs/tags/mine', 'which is a tag and no commit'],
    ['an absent object', ABSENT, 'which is not in the store, and was last set to'],
  ])('that names %s is the finding, and is restored', (_what, revision, why) => {
    const of = scene();
    of.git('tag', '-a', '-m', 'mine', 'mine', 'main');
    const [ref, other] = [refOf(of), of.git('rev-parse', revision).trim()];
    const head = of.head(ref);
    of.point(ref, other);
    expect(damage(checkStore(of.open()))).toEqual([
      [ref, expect.stringContaining(`${ref} is damaged: it names ${other}, ${why}`), REPAIR],
    ]);
    const { repaired, findings } = checkStore(of.open(), { repair: true });
    expect(repaired).toEqual([`Restored ${ref} to ${head}, the last whole commit that it named.`]);
    expect([of.head(ref), findings]).toEqual([head, []]);
    expect(readdirSync(join(of.store, 'lost'))).toHaveLength(1);
    expect(fsck(of.store)).toBe('');
  });
});

test('a saved session that no log names is restored to what main names', () => {
  const of = scene();
  const ref = archiveRef(of.saved);
  const head = of.head(ref);
  of.point(ref, of.git('rev-parse', 'main^{tree}').trim());
  rmSync(join(of.store, 'logs', ref));
  for (const name of readdirSync(join(of.store, 'oplog'))) rmSync(join(of.store, 'oplog', name));
  expect(damage(checkStore(of.open()))).toEqual([[ref, expect.any(String), REPAIR]]);
  checkStore(of.open(), { repair: true });
  expect(of.head(ref)).toBe(head);
});

test('a pointer for which nothing whole is known is not sent to a repair', () => {
  const of = scene();
  const ref = sessionRef(of.own);
  const first = of.git('rev-parse', `${ref}~2`).trim();
  of.point(ref, of.git('rev-parse', 'main^{tree}').trim());
  drop(of, first);
  rmSync(join(of.store, 'logs', ref));
  for (const name of readdirSync(join(of.store, 'oplog'))) rmSync(join(of.store, 'oplog', name));
  const { findings } = checkStore(of.open(), { repair: true });
  expect(findings).toMatchObject([{ where: ref, hint: `No commit that it named is whole any more. ${FETCH}` }]);
});

describe('one session whose ref no log names any more', () => {
  const HARMS: [how: string, harm: (path: string) => void][] = [
    ['emptied', (path) => writeFileSync(path, '')],
    ['deleted', (path) => rmSync(path)],
  ];
  /** The same session beside another one, and what is left of it: all but pointers and logs. */
  function lost(harm: (path: string) => void): Scene & { was: string } {
    const of = scene();
    ctx.startSession(of.open(), 'another', { beside: true });
    ctx.switchSession(of.open(), of.own);
    const ref = sessionRef(of.own);
    const was = of.head(ref);
    const tells = (name: string): boolean => readFileSync(join(of.store, 'oplog', name), 'utf8').includes(of.own);
    const operations = readdirSync(join(of.store, 'oplog')).filter(tells);
    for (const name of [ref, `logs/${ref}`, ...operations.map((file) => `oplog/${file}`)]) harm(join(of.store, name));
    return { ...of, was };
  }

  test.each(HARMS)('%s: the objects show its last whole step, and STAGE stays with it', (_how, harm) => {
    const of = lost(harm);
    const ref = sessionRef(of.own);
    for (const { severity, where, hint } of checkStore(of.open()).findings)
      if (severity === 'damage' && !where.startsWith('oplog/'))
        expect([where, hint]).toEqual([where, expect.stringContaining(REPAIR)]);
    const { repaired } = checkStore(of.open(), { repair: true });
    expect(repaired).toContain(`Restored ${ref} to ${of.was}, its last whole step: no pointer and no log names it.`);
    expect([of.head(ref), of.open().refs.stage()]).toEqual([of.was, ref]);
    expect(damage(checkStore(of.open(), { full: true }))).toEqual([]);
    expect(fsck(of.store)).toBe('');
  });

  test('deleted: records that wait for it tell as well, where STAGE does not', () => {
    const of = scene();
    const ref = sessionRef(of.own);
    const was = of.head(ref);
    ctx.observeNote(of.open(), 'waits');
    for (const name of [ref, `logs/${ref}`, 'STAGE', 'oplog']) rmSync(join(of.store, name), { recursive: true });
    checkStore(of.open(), { repair: true });
    expect(of.head(ref)).toBe(was);
    expect(ctx.listSessions(of.open())).toMatchObject([{ session_id: of.own, pending_observations: 1 }]);
  });

  test('what was taken back leaves steps as well: alone they bring nothing back', () => {
    const of = scene();
    const { session_id } = ctx.startSession(of.open(), 'another', { beside: true });
    undoOperations(of.open());
    const archive = archiveRef(session_id);
    for (const name of [archive, `logs/${archive}`]) rmSync(join(of.store, name));
    for (const name of readdirSync(join(of.store, 'oplog')).slice(-2)) rmSync(join(of.store, 'oplog', name));
    expect(checkStore(of.open(), { repair: true }).repaired).toEqual([]);
    expect(ctx.listSessions(of.open())).toHaveLength(1);
  });
});

describe('an open session that packed-refs has at an older step, its ref and reflog deleted', () => {
  function rolledBackSessions(notes: readonly string[]): Scene & { ref: string; old: string; last: string } {
    const of = scene();
    const ref = sessionRef(of.own);
    const old = of.head(ref);
    of.git('pack-refs', '--all');
    for (const note of notes) {
      ctx.observeNote(of.open(), note);
      ctx.flushStep(of.open());
    }
    const last = of.head(ref);
    for (const name of [ref, `logs/${ref}`]) rmSync(join(of.store, name), { force: true });
    return { ...of, ref, old, last };
  }
  const full = (of: Scene): ReturnType<typeof damage> => damage(checkStore(of.open(), { full: true }));

  test('is not named if it was just begun: it had a ref before it had a reflog, and continues while it is looked at', () => {
    const of = rolledBackSessions(['three']);
    const repository = of.open();
    const stock = readPointerState(repository);
    expect([...behind(repository, stock)]).toHaveLength(1);
    const meanwhile: (() => void)[] = [
      () =>
        writeFileSync(
          join(of.store, 'logs', of.ref),
          `${'0'.repeat(40)} ${of.old} ctx <ctx@localhost> 1 +0000\tstart\n`,
        ),
      () => writeFileSync(join(of.store, of.ref), `${of.last}\n`),
    ];
    for (const change of meanwhile) {
      let isDone = false;
      const { objects } = of.open();
      const withPrefix = objects.withPrefix.bind(objects);
      objects.withPrefix = (...asked) => {
        if (!isDone) change();
        isDone = true;
        return withPrefix(...asked);
      };
      expect([...behind({ ...repository, objects }, stock)]).toEqual([]);
      expect(isDone).toBe(true);
      for (const name of [of.ref, `logs/${of.ref}`]) rmSync(join(of.store, name), { force: true });
    }
  });

  test('is named by the full check, and moved on by a repair', () => {
    const of = rolledBackSessions(['three', 'four']);
    const message = `it names ${of.old}, ${of.last} follows from that, and it has no reflog that says what it named last`;
    expect(full(of)).toEqual([[of.ref, message, REPAIR]]);
    const { repaired } = checkStore(of.open(), { repair: true });
    expect(repaired).toEqual([`Restored ${of.ref} to ${of.last}, which follows from ${of.old}: no log names it.`]);
    expect(of.head(of.ref)).toBe(of.last);
    expect(full(of)).toEqual([]);
    expect(fsck(of.store)).toBe('');
  });

  test('is named and left, if several steps follow', () => {
    const of = rolledBackSessions(['three']);
    const fork = of.git('commit-tree', `${of.last}^{tree}`, '-p', of.old, '-m', of.commit(of.last).message).trim();
    const [found, ...others] = full(of);
    expect(others).toEqual([]);
    expect(found).toEqual([of.ref, expect.stringContaining('several steps follow from that'), expect.any(String)]);
    for (const oid of [of.last, fork]) expect(found?.[1]).toContain(oid);
    expect(checkStore(of.open(), { repair: true }).repaired).toEqual([]);
    expect(of.head(of.ref)).toBe(of.old);
  });

  test('is right if nothing follows, or what follows is not whole', () => {
    expect(full(rolledBackSessions([]))).toEqual([]);
    const of = rolledBackSessions(['three']);
    drop(of, of.commit(of.last).tree);
    expect(full(of)).toEqual([]);
  });

  test('is right where an undo has taken back what follows', () => {
    const project = makeProject();
    const of = { ...project, ...forge(project) };
    const file = join(of.folder, 'transcript.jsonl');
    const [first = '', ...more] = TRANSCRIPT.trim().split('\n');
    writeFileSync(file, `${first}\n`);
    const { session_id } = ctx.ingestTranscript(of.open(), file);
    of.git('pack-refs', '--all');
    writeFileSync(file, TRANSCRIPT);
    expect(ctx.ingestTranscript(of.open(), file).steps_added).toBe(more.length > 0 ? 1 : 0);
    undoOperations(of.open());
    const ref = sessionRef(session_id);
    const head = of.head(ref);
    rmSync(join(of.store, `logs/${ref}`));
    expect(damage(checkStore(of.open(), { full: true, repair: true }))).toEqual([]);
    expect(of.head(ref)).toBe(head);
  });

  test('a step that a killed process has not come to publish is no damage: the reflog names where the ref stands', () => {
    const of = scene();
    const ref = sessionRef(of.own);
    const before = of.head(ref);
    ctx.observeNote(of.open(), 'three');
    ctx.flushStep(of.open());
    of.open().refs.move({ pointer: ref, old: of.head(ref), new: before }, { at: 1, message: 'back' });
    expect(full(of)).toEqual([]);
  });
});

describe('the head of an open session that is gone', () => {
  const anew = (head: string, back = ''): string =>
    `If you can, ${OR_FETCH}. If you cannot: ctx fsck --repair, which rewrites ${head.slice(0, 10)} if all that it held is whole${back}`;

  test('is reported once, and a repair goes back to the step before it and says what is lost', () => {
    const of = scene();
    const ref = sessionRef(of.own);
    const head = of.head(ref);
    const { parents, tree } = of.commit(head);
    const before = parents[0] as string;
    for (const oid of [head, tree]) drop(of, oid);
    expect(damage(checkStore(of.open()))).toEqual([
      [
        ref,
        `its head ${head} is missing from the store; ${before}, which comes before it, is whole`,
        anew(head, ', and goes back if it is not'),
      ],
    ]);
    const { repaired, findings } = checkStore(of.open(), { repair: true });
    expect(repaired).toEqual([
      `Set ${ref} back to ${before}, the last whole step before it: ${head} is gone from the store, and what was recorded since is lost. What the ref and its reflog said is in lost/.`,
    ]);
    expect([of.head(ref), findings]).toEqual([before, []]);
    expect(fsck(of.store)).toBe('');
    const kept = readdirSync(join(of.store, 'lost')).map((name) => readFileSync(join(of.store, 'lost', name), 'utf8'));
    expect(kept.filter((text) => text.includes(head))).toHaveLength(2);
    ctx.observeNote(of.open(), 'three');
    expect(ctx.flushStep(of.open())).toMatchObject({ step: 3 });
    expect(checkStore(of.open()).findings).toEqual([]);
  });

  test.each<[name: string, refOf: (of: Scene) => string]>([
    ['an open session', (of) => sessionRef(of.own)],
    ['a saved session', (of) => archiveRef(of.saved)],
  ])('is written again if all that it held is whole: %s', (_name, refOf) => {
    const of = scene();
    const ref = refOf(of);
    const head = of.head(ref);
    drop(of, head);
    const { repaired, findings } = checkStore(of.open(), { repair: true });
    expect(repaired).toEqual([`Rewrote ${head}, the head of ${ref}: all that it held is whole.`]);
    expect([of.head(ref), findings]).toEqual([head, []]);
    expect(fsck(of.store)).toBe('');
  });

  test.each<[name: string, spoil: (of: Scene, ref: string) => void]>([
    ['where the ref is there', () => undefined],
    ['where the ref is torn', (of, ref) => writeFileSync(join(of.store, ref), 'torn')],
  ])('is written again with the steps below it: %s', (_name, spoil) => {
    const of = scene();
    const ref = sessionRef(of.own);
    const head = of.head(ref);
    const [last, middle] = of.git('rev-list', ref).split('\n') as [string, string];
    spoil(of, ref);
    for (const oid of [last, middle]) drop(of, oid);
    const { findings } = checkStore(of.open(), { repair: true });
    expect([of.head(ref), findings]).toEqual([head, []]);
    expect(fsck(of.store)).toBe('');
  });

  test('and neighbours below a head that is whole are written again', () => {
    const of = scene();
    const ref = sessionRef(of.own);
    ctx.observeNote(of.open(), 'more');
    ctx.flushStep(of.open());
    const [head, ...below] = of.git('rev-list', ref).split('\n') as string[];
    for (const oid of below.slice(0, 2)) drop(of, oid as string);
    const { findings } = checkStore(of.open(), { repair: true });
    expect([of.head(ref), findings]).toEqual([head, []]);
  });

  test('is what is left of one that was torn', () => {
    const of = scene();
    const ref = sessionRef(of.own);
    const head = of.head(ref);
    const { parents, tree } = of.commit(head);
    const before = parents[0] as string;
    for (const oid of [head, tree]) drop(of, oid);
    writeFileSync(loosePath(join(of.store, 'objects'), head), 'torn');
    expect(damage(checkStore(of.open()))).toEqual([
      [ref, `object ${head} is damaged: its bytes cannot be inflated`, expect.stringContaining(REPAIR)],
    ]);
    expect(checkStore(of.open(), { repair: true }).findings).toEqual([]);
    expect(of.head(ref)).toBe(before);
  });

  test('may be in a pack without an index: nothing is moved then', () => {
    const of = scene();
    const ref = sessionRef(of.own);
    const head = of.head(ref);
    of.git('repack', '-adq');
    const folder = join(of.store, 'objects/pack');
    const index = join(folder, readdirSync(folder).find((name) => name.endsWith('.idx')) as string);
    const pack = index.replace(/idx$/, 'pack');
    for (const oid of of.git('rev-list', '--objects', `${ref}~1`).split('\n')) {
      const id = oid.slice(0, 40);
      if (id) of.repository.objects.loosen(id);
    }
    renameSync(index, join(of.folder, 'index'));
    const { findings, repaired } = checkStore(of.open(), { repair: true });
    expect(repaired).toEqual([]);
    expect(findings).toContainEqual(expect.objectContaining({ where: ref, hint: INDEX_HINT }));
    of.git('index-pack', pack);
    expect(existsSync(index)).toBe(true);
    expect([checkStore(of.open()).findings, of.head(ref)]).toEqual([[], head]);
  });

  test('and of a session that has but one step is to be fetched', () => {
    const project = makeProject();
    const { open, repository } = project;
    const of = { ...project, ...forge(project), saved: '', own: '' };
    const { session_id } = ctx.startSession(repository, 'one');
    const head = repository.refs.read(sessionRef(session_id)) as string;
    for (const oid of [head, of.commit(head).tree]) drop(of, oid);
    const { findings, repaired } = checkStore(open(), { repair: true });
    expect(repaired).toEqual([]);
    expect(findings).toMatchObject([{ where: sessionRef(session_id), hint: anew(head) }]);
  });
});

test('a head of the main line, or of a saved session, that is gone is fetched, never passed over', () => {
  for (const refOf of [(): string => MAIN, (of: Scene): string => archiveRef(of.saved)]) {
    const of = scene();
    const ref = refOf(of);
    const head = of.head(ref);
    const { tree } = of.commit(head);
    for (const oid of [head, tree]) drop(of, oid);
    const { findings } = checkStore(of.open(), { repair: true });
    expect(of.head(ref)).toBe(head);
    expect(findings).not.toEqual([]);
    for (const { hint } of findings)
      expect(hint).toMatch(/[Ff]etch it from a backup or a clone of the store: ctx git fetch/);
  }
});

describe('a torn main line goes no further back than what is left shows', () => {
  /** Two saved sessions and an open one, of which what main itself and its log tell of its last move is taken away. */
  function torn(): { of: Scene; main: string; last: string } {
    const of = scene();
    ctx.compactSession(of.open());
    const last = ctx.startSession(of.open(), 'last').session_id;
    const main = of.head(MAIN);
    writeFileSync(join(of.store, 'refs/heads/main'), '');
    writeFileSync(join(of.store, 'logs/refs/heads/main'), 'junk\n');
    const saving = readdirSync(join(of.store, 'oplog'))
      .sort()
      .map((name) => join(of.store, 'oplog', name))
      .findLast((file) => readFileSync(file, 'utf8').includes('compact'));
    writeFileSync(saving as string, '');
    return { of, main, last };
  }

  test('by the beginning of an open session', () => {
    const { of, main, last } = torn();
    rmSync(join(of.store, 'refs/archive', of.own));
    const { repaired } = checkStore(of.open(), { repair: true });
    expect(repaired).toContain(`Restored ${MAIN} to ${main}, at which ${sessionRef(last)} begins.`);
    expect(of.head(MAIN)).toBe(main);
  });

  test('by a session that is archived as a commit has saved it', () => {
    const { of, main, last } = torn();
    rmSync(join(of.store, 'refs/sessions', last));
    const { repaired } = checkStore(of.open(), { repair: true });
    expect(repaired).toContain(`Restored ${MAIN} to ${main}, which has saved ${archiveRef(of.own)}.`);
    expect(of.head(MAIN)).toBe(main);
  });
});

/** Takes every pointer away, and all that tells of one. */
function forgetPointers(of: Project): void {
  for (const name of ['refs/heads/main', 'refs/sessions', 'refs/archive', 'logs', 'oplog', 'STAGE', 'packed-refs'])
    rmSync(join(of.store, name), { recursive: true, force: true });
}

describe('if no pointer and no log is left', () => {
  test('main and the sessions are found by the objects', () => {
    const of = scene();
    const heads = [MAIN, sessionRef(of.own), archiveRef(of.saved)];
    const before = heads.map((ref) => of.head(ref));
    forgetPointers(of);
    expect(damage(checkStore(of.open()))).toEqual([[MAIN, expect.stringContaining('is missing'), REPAIR]]);
    const { repaired, findings } = checkStore(of.open(), { repair: true });
    const words = 'the newest commit of a main line that nothing follows: no pointer and no log names it.';
    expect(repaired).toContain(`Restored ${MAIN} to ${before[0]}, ${words}`);
    expect(heads.map((ref) => of.head(ref))).toEqual(before);
    expect(damage({ findings })).toEqual([]);
    expect(fsck(of.store)).toBe('');
  });

  test('the newest of several main lines, and the others are named', () => {
    const of = scene();
    const end = of.head(MAIN);
    const parent = of.commit(end).parents[0] as string;
    const message = 'Another\n\nCtx-Type: Normal\n';
    const other = of.git('commit-tree', `${end}^{tree}`, '-p', parent, '-m', message).trim();
    forgetPointers(of);
    const { repaired } = checkStore(of.open(), { repair: true });
    const main = of.head(MAIN);
    expect([end, other]).toContain(main);
    const left = main === end ? other : end;
    expect(repaired.join('\n')).toContain(`Others that nothing follows are left alone: ${left}.`);
  });

  test('a commit that an undo took back is none of main: its session is open', () => {
    const of = scene();
    const [before, head] = [of.head(MAIN), of.head(sessionRef(of.own))];
    ctx.compactSession(of.open());
    undoOperations(of.open());
    for (const name of [MAIN, `logs/${MAIN}`, 'oplog']) rmSync(join(of.store, name), { recursive: true, force: true });
    checkStore(of.open(), { repair: true });
    expect([of.head(MAIN), of.head(sessionRef(of.own))]).toEqual([before, head]);
  });

  test('a store in which nothing was kept starts over, and is said to', () => {
    const project = makeProject();
    const of = { ...project, ...forge(project) };
    const root = of.head(MAIN);
    forgetPointers(of);
    const { repaired } = checkStore(of.open(), { repair: true });
    const words = 'with which every store begins: no pointer, no log and no object names anything later.';
    expect(repaired).toContain(`Restored ${MAIN} to ${root}, ${words}`);
    expect(of.head(MAIN)).toBe(root);
  });
});
