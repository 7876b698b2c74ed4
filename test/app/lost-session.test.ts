// A session whose ref is gone, and its reflog with it: whoever asks for it is told that it is lost, and nobody takes it for unknown.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import { archiveRef, sessionRef } from '../../src/history/names/layout.ts';
import * as ctx from '../../src/index.ts';
import { TRANSCRIPT } from '../support/samples.ts';
import { errorOf, fsck, makeProject, type Project } from '../support/store.ts';

let project: Project;
let file: string;
beforeEach(() => {
  project = makeProject();
  file = join(project.folder, 'transcript.jsonl');
  writeFileSync(file, TRANSCRIPT);
});

/** Deletes a ref with all that tells what it named. */
function lose(ref: string): void {
  expect(existsSync(join(project.store, ref))).toBe(true);
  for (const path of [ref, `logs/${ref}`]) rmSync(join(project.store, path));
}

const expectLost = (call: () => unknown, ref: string): void =>
  expect(errorOf(call)).toMatchObject({
    code: 'damaged',
    message: expect.stringContaining(`${ref} is damaged: it is gone, and was last set to `),
    hint: 'Nothing was changed. Repair it with: ctx fsck --repair',
  });

function expectMended(): void {
  checkStore(project.open(), { repair: true, full: true });
  expect(checkStore(project.open(), { full: true }).findings).toEqual([]);
  expect(fsck(project.store)).toBe('');
}

const ingest = (compact: boolean): ctx.IngestResult => ctx.ingestTranscript(project.open(), file, { compact });
const saved = (): number => [...ctx.readLog(project.open())].length;

describe.each([true, false])('of a transcript, saved: %s', (compact) => {
  beforeEach(() => {
    ctx.startSession(project.repository, 'one before it');
    ctx.compactSession(project.repository);
  });
  const refOf = (id: string): string => (compact ? archiveRef(id) : sessionRef(id));

  test.each<[string, () => void]>([
    ['with the index of conversations as it is', () => undefined],
    ['with the cache gone as well', () => rmSync(join(project.store, 'cache'), { recursive: true })],
  ])('%s: the transcript is not taken in again', (_words, harm) => {
    const { session_id } = ingest(compact);
    lose(refOf(session_id));
    harm();
    expectLost(() => ingest(compact), refOf(session_id));
    expect(saved()).toBe(compact ? 2 : 1);
    expectMended();
    expect(ingest(compact)).toMatchObject({ session_id, steps_added: 0 });
    expect(saved()).toBe(compact ? 2 : 1);
  });

  test('another transcript is taken in beside it', () => {
    const { session_id } = ingest(compact);
    lose(refOf(session_id));
    writeFileSync(file, TRANSCRIPT.replaceAll('"conversation"', '"another"'));
    expect(ctx.ingestTranscript(project.open(), file, { beside: true })).toMatchObject({ created: true });
  });

  test('is taken in again if nothing of it is left to restore', () => {
    const { session_id, oid } = ingest(compact);
    lose(refOf(session_id));
    rmSync(join(project.store, 'objects', oid.slice(0, 2), oid.slice(2)));
    expect(ingest(compact)).toMatchObject({ created: true });
  });

  test('what an undo has taken back is not lost', () => {
    const { session_id } = ingest(compact);
    undoOperations(project.open());
    const again = ingest(compact);
    expect(again).toMatchObject({ created: true });
    expect(again.session_id).not.toBe(session_id);
    expect(readFileSync(join(project.store, 'cache', 'sources'), 'utf8')).not.toContain(session_id);
  });
});

test('names the archive of a session that is asked for, but not what an undo took back', () => {
  const { session_id } = ctx.startSession(project.repository, 'one');
  ctx.compactSession(project.repository);
  const { session_id: undone } = ctx.startSession(project.repository, 'two');
  undoOperations(project.repository);
  const show = (revision: string) => () => ctx.showRevision(project.open(), revision);
  const archive = archiveRef(session_id);
  lose(archive);
  for (const name of [session_id, session_id.slice(0, 30), archive]) expectLost(show(name), archive);
  for (const name of [undone.replace(/.{6}$/, '000000'), 'session_of_mine'])
    expect(errorOf(show(name)).code).toBe('not_found');
  expectMended();
  expect(show(session_id)).not.toThrow();
});

test('an open session that is asked for by its id is named', () => {
  const { session_id } = ctx.startSession(project.repository, 'one');
  ctx.startSession(project.repository, 'two', { beside: true });
  lose(sessionRef(session_id));
  expectLost(() => ctx.flushStep(project.open({ session: session_id })), sessionRef(session_id));
});

describe('the active session and STAGE', () => {
  let id: string;
  beforeEach(() => {
    ctx.startSession(project.repository, 'one');
    id = ctx.startSession(project.repository, 'two', { beside: true }).session_id;
    ctx.observeNote(project.repository, 'kept');
    ctx.flushStep(project.repository);
    rmSync(join(project.store, 'STAGE'));
  });

  test('nobody says that no session is active', () => {
    lose(sessionRef(id));
    const message = `STAGE is damaged: it is gone, and was last set to ${sessionRef(id)}, which is gone too`;
    for (const call of [
      () => ctx.sessionStatus(project.open()),
      () => ctx.startSession(project.open(), 'three'),
      () => ctx.observeNote(project.open(), 'x'),
      () => ingest(false),
    ])
      expect(errorOf(call)).toMatchObject({ code: 'damaged', message, hint: 'Repair it with: ctx fsck --repair' });
    expect(ctx.listSessions(project.open())).toContainEqual(
      expect.objectContaining({ ref: 'STAGE', damaged: message }),
    );
    expect(checkStore(project.open()).findings.map(({ where }) => where)).toEqual([sessionRef(id), 'STAGE']);
    expectMended();
    expect(ctx.sessionStatus(project.open())).toMatchObject({ active: true, session_id: id });
  });

  test('one that has ended since was not active any more', () => {
    ctx.compactSession(project.open({ session: id }));
    expect(ctx.sessionStatus(project.open())).toMatchObject({ active: false, open_sessions: 1 });
    expect(checkStore(project.open()).findings).toEqual([]);
  });

  test('one of which nothing is left is given up: no session is active', () => {
    const [head, first] = project.git('rev-list', sessionRef(id)).split('\n') as [string, string];
    lose(sessionRef(id));
    for (const oid of [head, first]) rmSync(join(project.store, 'objects', oid.slice(0, 2), oid.slice(2)));
    expect(ctx.sessionStatus(project.open())).toMatchObject({ active: false, open_sessions: 1 });
  });
});
