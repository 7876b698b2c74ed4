// A store whose operation log has lost an operation: what the pointers and the main line prove is believed, and nothing comes back.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkStore, type FsckResult } from '../../src/app/fsck.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import { archiveRef, sessionRef } from '../../src/history/names/layout.ts';
import { decodeOperation } from '../../src/history/operations/operation.ts';
import * as ctx from '../../src/index.ts';
import { TRANSCRIPT } from '../support/samples.ts';
import { fsck, git, makeProject, type Project, temporaryFolder } from '../support/store.ts';

/** Starts a session with one step in it. */
function begin({ repository }: Project, task: string, options: ctx.StartOptions = {}): string {
  const { session_id } = ctx.startSession(repository, task, options);
  ctx.observeNote(repository, `of ${task}`);
  ctx.flushStep(repository);
  return session_id;
}

/** Events of a store; each of these is one operation at its end. */
const LIFE: [what: string, live: (project: Project) => unknown][] = [
  ['start', (project) => begin(project, 'one')],
  ['compact', ({ repository }) => ctx.compactSession(repository)],
  [
    'confirm',
    (project) => {
      begin(project, 'two');
      ctx.setState(project.repository, 'done', { text: 'done' });
      ctx.setState(project.repository, 'confirm', { compact: true });
    },
  ],
  [
    'abort',
    (project) => {
      begin(project, 'three');
      ctx.setState(project.repository, 'abort', { text: 'no use', compact: true });
    },
  ],
  ['undo of the abort', ({ repository }) => undoOperations(repository)],
  ['undo of that undo', ({ repository }) => undoOperations(repository)],
  [
    'start --replace',
    (project) => {
      begin(project, 'four');
      begin(project, 'five', { replace: true });
    },
  ],
  [
    'cleanup',
    (project) => {
      project.clock.now += 40 * 86_400;
      ctx.cleanupStaleSessions(project.repository);
    },
  ],
  ['undo of the cleanup', ({ repository }) => undoOperations(repository)],
  [
    'undo of a start',
    (project) => {
      begin(project, 'six', { replace: true });
      undoOperations(project.repository);
    },
  ],
  [
    'ingest',
    ({ repository, folder }) => {
      writeFileSync(join(folder, 'transcript.jsonl'), TRANSCRIPT);
      ctx.ingestTranscript(repository, join(folder, 'transcript.jsonl'));
    },
  ],
];

/** Names of the files of the operation log, oldest first. */
const operations = (store: string): string[] => readdirSync(join(store, 'oplog')).sort();

/** A copy of the store, opened as another process would. */
function copyOf(project: Project): Project {
  const folder = temporaryFolder();
  cpSync(project.folder, folder, { recursive: true });
  const store = join(folder, '.ctx');
  const open = (): ctx.Repository => ctx.openRepository({ directory: folder, clock: project.clock });
  return { ...project, folder, store, repository: open(), open, git: (...words) => git(store, words) };
}

const HARMS: [how: string, harm: (path: string) => void][] = [
  ['torn', (path) => writeFileSync(path, readFileSync(path).subarray(0, 60))],
  ['deleted', (path) => rmSync(path)],
];

const pointers = (of: Project): string => `${of.git('for-each-ref')}STAGE ${of.open().refs.stage()}`;
const damage = (result: FsckResult): string[] =>
  result.findings.filter(({ severity }) => severity === 'damage').map(({ where, message }) => `${where}: ${message}`);

/** One operation is lost: fsck names its file alone, and a repair sets that aside and moves no pointer. */
function expectLeftAlone(project: Project, name: string): void {
  for (const [how, harm] of HARMS) {
    const of = copyOf(project);
    const text = readFileSync(join(of.store, 'oplog', name), 'utf8');
    const label = `${how}: ${decodeOperation(text, name).command}`;
    const before = pointers(of);
    harm(join(of.store, 'oplog', name));
    const found = damage(checkStore(of.open()));
    const torn = [`oplog/${name}: oplog/${name} is damaged: its checksum does not match`];
    expect([label, found]).toEqual([label, how === 'torn' ? torn : []]);
    const { repaired, healthy } = checkStore(of.open(), { repair: true });
    const aside = [`Set the torn operation oplog/${name} aside in lost/.`];
    expect([label, repaired, healthy]).toEqual([label, how === 'torn' ? aside : [], true]);
    expect([label, pointers(of), fsck(of.store)]).toEqual([label, before, '']);
  }
}

describe('the last operation, lost', () => {
  test.each(LIFE.map(([what], index) => [what, index] as const))('after %s', (_what, index) => {
    const project = makeProject();
    for (const [, live] of LIFE.slice(0, index + 1)) live(project);
    expectLeftAlone(project, operations(project.store).at(-1) as string);
  });
});

test('any operation of a whole life, lost', () => {
  const project = makeProject();
  for (const [, live] of LIFE) live(project);
  const names = operations(project.store);
  expect(names.length).toBeGreaterThan(LIFE.length);
  for (const name of names) expectLeftAlone(project, name);
});

describe('a session that is open and archived at once', () => {
  /** A session that was saved; its open ref is put back as an older repair did. */
  function saved(): Project & { open_ref: string; archive: string } {
    const project = makeProject();
    const id = begin(project, 'one');
    ctx.compactSession(project.repository);
    return { ...project, open_ref: sessionRef(id), archive: archiveRef(id) };
  }

  test('is archived where main has saved it: a repair takes the open ref away', () => {
    const of = saved();
    const before = pointers(of);
    const first = of.git('rev-parse', `${of.archive}~1`).trim();
    of.git('update-ref', of.open_ref, first);
    expect(checkStore(of.open()).findings).toMatchObject([{ where: of.open_ref, hint: 'ctx fsck --repair' }]);
    const { repaired, findings } = checkStore(of.open(), { repair: true });
    expect([repaired, findings]).toEqual([
      [`Removed ${of.open_ref}: main has saved the session, and all that it named is in ${of.archive}.`],
      [],
    ]);
    expect([pointers(of), fsck(of.store)]).toEqual([before, '']);
  });

  test('is open where main has not saved it: the hint keeps it, and the repair touches nothing', () => {
    const project = makeProject();
    const id = begin(project, 'one');
    project.git('update-ref', archiveRef(id), project.git('rev-parse', sessionRef(id)).trim());
    const before = pointers(project);
    expect(checkStore(project.open(), { repair: true })).toMatchObject({
      repaired: [],
      findings: [{ where: sessionRef(id), hint: expect.stringContaining(`update-ref -d ${archiveRef(id)}`) }],
    });
    expect(pointers(project)).toBe(before);
  });

  test('is archived with all of it if it has continued since main saved it', () => {
    const of = saved();
    const [head, first] = of.git('rev-list', of.archive).split('\n') as [string, string];
    of.git('update-ref', of.archive, first);
    of.git('update-ref', of.open_ref, head);
    const { findings } = checkStore(of.open());
    const git = 'git --git-dir=.ctx update-ref';
    const hint = `All that ${of.archive} names is in ${of.open_ref}: ${git} ${of.archive} ${of.open_ref} && ${git} -d ${of.open_ref}`;
    expect(findings).toContainEqual(expect.objectContaining({ where: of.open_ref, hint }));
  });
});

test('an archive that is gone with the operation that made it comes back as main names it', () => {
  const project = makeProject();
  const id = begin(project, 'one');
  ctx.compactSession(project.repository);
  const before = pointers(project);
  const head = project.git('rev-parse', archiveRef(id)).trim();
  rmSync(join(project.store, 'oplog', operations(project.store).at(-1) as string));
  project.git('update-ref', '-d', archiveRef(id));
  expect(damage(checkStore(project.open()))).toEqual([
    `${archiveRef(id)}: it is gone, and commit ${project.git('rev-parse', 'main').trim()} says that it named ${head}`,
  ]);
  expect(checkStore(project.open(), { repair: true })).toMatchObject({ healthy: true });
  expect(pointers(project)).toBe(before);
});

describe('the file that an operation began with, put back once it had finished', () => {
  /** A store in which the last operation has finished, and its first file is there again. */
  function putBack(project: Project): string[] {
    const folder = join(project.store, 'oplog');
    const last = readdirSync(folder).sort().at(-1) as string;
    cpSync(join(folder, last), join(folder, 'begun.json'));
    return [`Set oplog/begun.json aside in lost/: "stage start", which it describes, had finished.`];
  }

  test('takes nothing back that has moved on since', () => {
    const project = makeProject();
    const { repository, open } = project;
    ctx.startSession(repository, 'one');
    const said = putBack(project);
    ctx.observeNote(repository, 'before');
    rmSync(join(project.store, 'oplog', 'begun.json'));
    ctx.flushStep(repository);
    putBack(project);
    const before = project.git('for-each-ref');
    expect(damage(checkStore(open()))).toEqual([]);
    expect(checkStore(open(), { repair: true })).toMatchObject({ repaired: said, findings: [] });
    expect(project.git('for-each-ref')).toBe(before);
    putBack(project);
    ctx.observeNote(open(), 'after');
    expect(ctx.flushStep(open())).toMatchObject({ step: 3 });
    expect(fsck(project.store)).toBe('');
  });

  test('does not do again what an undo has taken back since', () => {
    const project = makeProject();
    const { repository, open } = project;
    begin(project, 'one');
    ctx.compactSession(repository);
    const folder = join(project.store, 'oplog');
    const file = readFileSync(join(folder, readdirSync(folder).sort().at(-1) as string));
    undoOperations(open());
    const before = project.git('for-each-ref');
    writeFileSync(join(folder, 'begun.json'), file);
    ctx.recoverSession(open());
    expect(project.git('for-each-ref')).toBe(before);
    expect(damage(checkStore(open()))).toEqual([]);
  });
});
