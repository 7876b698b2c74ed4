// A session that is open and archived at once: nobody works on it, and what the check says to do about it loses nothing.
import { execSync } from 'node:child_process';
import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import { MAIN } from '../../src/git/layout.ts';
import { archiveRef, sessionRef } from '../../src/history/names/layout.ts';
import * as ctx from '../../src/index.ts';
import { errorOf, fsck, makeProject, type Project, temporaryFolder } from '../support/store.ts';

interface Scene extends Project {
  id: string;
  session: string;
  archive: string;
  head: (ref: string) => string;
}

/** A session with two notes in steps of their own. */
function scene(): Scene {
  const project = makeProject();
  const id = ctx.startSession(project.open(), 'the task').session_id;
  const of = { ...project, id, session: sessionRef(id), archive: archiveRef(id) };
  for (const text of ['one', 'two']) note(of, text);
  return { ...of, head: (ref) => project.open().refs.read(ref) as string };
}

function note({ open }: Pick<Project, 'open'>, text: string): void {
  ctx.observeNote(open(), text);
  ctx.flushStep(open());
}

/** Fetches from a copy of the store in which the session continues by itself. */
function fetchFromCopy(of: Scene, live: (open: () => ctx.Repository) => void): void {
  const folder = temporaryFolder();
  cpSync(of.folder, folder, { recursive: true });
  const open = (): ctx.Repository => ctx.openRepository({ directory: folder, clock: of.clock });
  note({ open }, 'in the copy');
  live(open);
  note(of, 'here');
  of.git('fetch', '--quiet', join(folder, '.ctx'), 'refs/*:refs/*');
}

/** The way in which a session comes to be both, the ref to remove, and the other words of the check. */
type Double = [how: string, make: (of: Scene) => void, goes: 'session' | 'archive', words: RegExp];

const REPAIRED: Double[] = [
  [
    'a backup of it when it was open was fetched',
    (of) => {
      ctx.compactSession(of.open());
      of.git('update-ref', of.session, `${of.archive}~1`);
    },
    'session',
    /^ctx fsck --repair$/,
  ],
  [
    'main has saved all of it',
    (of) => {
      ctx.compactSession(of.open());
      of.git('update-ref', of.session, of.archive);
    },
    'session',
    /^ctx fsck --repair$/,
  ],
];

const BY_HAND: Double[] = [
  [
    'it went on after it had been saved',
    (of) => {
      ctx.compactSession(of.open());
      const [main, kept] = [of.head(MAIN), of.head(of.archive)];
      undoOperations(of.open());
      note(of, 'three');
      of.git('update-ref', MAIN, main);
      of.git('update-ref', of.archive, kept);
    },
    'session',
    /^All that .* names is in .*: git .* update-ref refs\/archive\//,
  ],
  [
    'a copy has saved it, and both went on',
    (of) => fetchFromCopy(of, (open) => ctx.compactSession(open())),
    'session',
    /^Each has steps of its own\. .* branch kept-/,
  ],
  [
    'a copy has taken its start back, and both went on',
    (of) => fetchFromCopy(of, (open) => undoOperations(open())),
    'archive',
    /^Each has steps of its own\. .* branch kept-/,
  ],
  ['an archive of it was made by hand', (of) => of.git('update-ref', of.archive, of.session), 'archive', /^All that /],
  ['an archive of its beginning', (of) => of.git('update-ref', of.archive, `${of.session}~1`), 'archive', /^All that /],
  [
    'it was opened by hand at its beginning',
    (of) => {
      undoOperations(of.open());
      of.git('update-ref', of.session, `${of.archive}~1`);
    },
    'session',
    /^All that /,
  ],
];

describe.each([...REPAIRED, ...BY_HAND])('where %s', (_how, make, goes, words) => {
  const made = (): { of: Scene; heads: string[] } => {
    const of = scene();
    make(of);
    return { of, heads: [of.head(of.session), of.head(of.archive)] };
  };

  test('the check says what loses nothing', () => {
    const { of, heads } = made();
    const { findings } = checkStore(of.open());
    const message = `${of.archive} is there too: a session is open or archived`;
    expect(findings).toEqual([expect.objectContaining({ severity: 'damage', where: of.session, message })]);
    const hint = String(findings[0]?.hint);
    expect(hint).toMatch(words);
    const command = /git --git-dir=.*/.exec(hint)?.[0];
    if (command === undefined) checkStore(of.open(), { repair: true });
    else execSync(command, { cwd: of.folder });
    expect(of.open().refs.read(goes === 'session' ? of.session : of.archive)).toBeNull();
    for (const head of heads) expect(of.git('for-each-ref', '--contains', head)).not.toBe('');
    checkStore(of.open(), { repair: true });
    expect(checkStore(of.open(), { full: true })).toMatchObject({ healthy: true, findings: [] });
    expect(fsck(of.store)).toBe('');
  });

  test.each<[name: string, work: (of: Scene) => unknown]>([
    ['switch', ({ open, id }) => ctx.switchSession(open(), id)],
    ['status', ({ open, id }) => ctx.sessionStatus(open({ session: id }))],
    ['observe', ({ open, id }) => ctx.observeNote(open({ session: id }), 'more')],
    ['cleanup', ({ open }) => ctx.cleanupStaleSessions(open(), { maxIdle: -1 })],
  ])('it is refused, and nothing changes: %s', (_name, work) => {
    const { of } = made();
    const before = of.git('for-each-ref');
    expect(errorOf(() => work(of))).toMatchObject({
      code: 'damaged',
      message: `${of.session} is damaged: ${of.archive} is there too: a session is open or archived`,
      hint: 'See which of them is to stay with: ctx fsck',
    });
    expect([of.git('for-each-ref'), readdirSync(join(of.store, 'pending'))]).toEqual([before, []]);
  });
});

describe('where the current session is saved elsewhere', () => {
  const made = (): Scene => {
    const of = scene();
    fetchFromCopy(of, (open) => ctx.compactSession(open()));
    return of;
  };

  test.each<[name: string, work: (repository: ctx.Repository) => unknown]>([
    ['flush', (repository) => ctx.flushStep(repository, { note: 'more' })],
    ['compact', (repository) => ctx.compactSession(repository)],
    ['ask', (repository) => ctx.setState(repository, 'ask', { text: 'Which?' })],
    ['abort', (repository) => ctx.setState(repository, 'abort', { text: 'no use', compact: true })],
    ['start --replace', (repository) => ctx.startSession(repository, 'next', { replace: true })],
    ['undo', (repository) => undoOperations(repository)],
  ])('%s is refused, and nothing changes', (_name, work) => {
    const of = made();
    const before = [of.git('for-each-ref'), of.open().refs.stage()];
    expect(errorOf(() => work(of.open()))).toMatchObject({
      code: 'damaged',
      message: expect.stringContaining('is there too: a session is open or archived'),
    });
    expect([of.git('for-each-ref'), of.open().refs.stage()]).toEqual(before);
  });

  test('what was observed waits, and is in the archive once that alone is left', () => {
    const of = made();
    ctx.observeNote(of.open(), 'late');
    of.git('update-ref', '-d', of.session);
    checkStore(of.open(), { repair: true });
    expect(of.git('show', `${of.archive}:step.jsonl`)).toContain('"content":"late"');
    expect(checkStore(of.open(), { full: true })).toMatchObject({ healthy: true, findings: [] });
  });

  test('a cleanup saves the others', () => {
    const of = made();
    ctx.startSession(of.open(), 'next', { beside: true });
    const { compacted_tasks, left } = ctx.cleanupStaleSessions(of.open(), { maxIdle: -1 });
    expect(compacted_tasks).toEqual(['next']);
    expect(left).toMatchObject([{ session_id: of.id, hint: 'See which of them is to stay with: ctx fsck' }]);
    expect(of.open().refs.read(of.session)).not.toBeNull();
  });

  test('another one can be begun beside it', () => {
    const of = made();
    expect(ctx.startSession(of.open(), 'next', { beside: true }).session_id).not.toBe(of.id);
  });
});

test('a session that is just being moved is not taken for one', () => {
  const of = scene();
  of.git('update-ref', of.archive, of.session);
  writeFileSync(join(of.store, 'oplog', 'begun.json'), '');
  expect(ctx.sessionStatus(of.open({ session: of.id }))).toMatchObject({ active: true });
});
