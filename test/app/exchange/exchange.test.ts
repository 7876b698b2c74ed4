// Sessions in one file: written on one machine, taken in on another.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { checkStore } from '../../../src/app/fsck.ts';
import { scanSecrets } from '../../../src/app/scan.ts';
import { undoOperations } from '../../../src/app/undo/undo.ts';
import { readChain } from '../../../src/history/chain/chain.ts';
import { archiveRef, sessionRef } from '../../../src/history/names/layout.ts';
import * as ctx from '../../../src/index.ts';
import { bundleOf } from '../../support/bundles.ts';
import { errorOf, fsck, makeProject, type Project, temporaryFolder } from '../../support/store.ts';

/** A project with a running session that has read, written and run something. */
function working(task = 'Limit the retries'): Project & { id: string } {
  const project = makeProject();
  const { session_id: id } = ctx.startSession(project.repository, task, { agent: 'claude-code' });
  ctx.observeNote(project.repository, 'Decision: five retries');
  ctx.observeCommand(project.repository, { command: 'npm test', exit_code: 1, output: 'x'.repeat(9000) });
  ctx.flushStep(project.repository);
  return { ...project, id };
}

const take = (
  { repository }: Pick<Project, 'repository'>,
  bundle: Buffer,
  options: ctx.ImportOptions = {},
): ctx.ImportResult => ctx.importBundle(repository, [bundle], options);

/** A session as of its head. */
const sessionIn = ({ repository }: Project, id: string): ctx.Session =>
  readChain(repository.objects, repository.refs.read(sessionRef(id)) as string).session;

/** Returns the problems that both checks find in a store. */
const problems = ({ store, open }: Project): unknown[] => [
  ...checkStore(open(), { full: true }).findings.filter(({ severity }) => severity === 'damage'),
  ...(fsck(store) === '' ? [] : [fsck(store)]),
];

const outcomes = ({ sessions }: ctx.ImportResult): string[] => sessions.map(({ outcome }) => outcome);

describe('ctx export', () => {
  test('flushes the active session, and describes it as it is handed over', () => {
    const { repository, id, folder } = working();
    ctx.observeNote(repository, 'not flushed yet');
    const result = ctx.exportBundle(repository, { directory: folder });
    expect(result.file).toBe(join(folder, `ctx-${ctx.listAllSessions(repository).sessions[0]?.short_id}.bundle`));
    expect(result.bytes).toBe(statSync(result.file).size);
    expect(result.session).toMatchObject({
      task_description: 'Limit the retries',
      state: 'Running',
      staging_head: repository.refs.read(sessionRef(id)),
      last_activity: 1_769_040_000,
    });
    expect(result.session.progress_summary).toContain('npm test');
    expect(ctx.activeSession(repository)?.pending_observations).toBe(0);
    expect(readFileSync(result.file).toString('latin1')).toMatch(/^# v2 git bundle\n[0-9a-f]{40} HEAD\n/);
    const again = errorOf(() => ctx.exportBundle(repository, { directory: folder }));
    expect(again).toMatchObject({ code: 'invalid_input', hint: expect.stringContaining('-o <file>') });
  });

  test('writes a bundle that Git verifies, clones and fetches', () => {
    const { repository, id } = working();
    const other = makeProject();
    const file = join(temporaryFolder(), 'one.bundle');
    ctx.exportBundle(repository, { to: file });
    expect(other.git('bundle', 'verify', file)).toContain('records a complete history');
    other.git('fetch', '--quiet', file, 'refs/*:refs/remotes/other/*');
    expect(other.git('rev-parse', `refs/remotes/other/sessions/${id}`).trim()).toBe(
      repository.refs.read(sessionRef(id)),
    );
    const manifest = JSON.parse(other.git('show', 'refs/remotes/other/ctx/export:manifest.json'));
    expect(manifest).toMatchObject({ version: 1, sessions: [{ session_id: id, steps: 2 }], redacted: {} });
    expect(manifest.origin).toMatchObject({
      machine: expect.stringMatching(/^[0-9a-f]{32}$/),
      paths: [repository.project],
    });
    expect(manifest.pieces.every(({ sha256 }: { sha256: string }) => /^[0-9a-f]{64}$/.test(sha256))).toBe(true);
  });

  test('writes no object at its full size, without Git neither', () => {
    for (const path of [process.env['PATH'], '/nowhere']) {
      const { repository } = working();
      vi.stubEnv('PATH', path);
      const file = join(temporaryFolder(), 'one.bundle');
      ctx.exportBundle(repository, { to: file });
      vi.unstubAllEnvs();
      const { store, git } = makeProject();
      git('fetch', '--quiet', '--keep', file, 'refs/*:refs/remotes/other/*');
      const [pack] = readdirSync(join(store, 'objects/pack')).filter((name) => name.endsWith('.pack'));
      const entries = git('verify-pack', '-v', join(store, 'objects/pack', pack as string)).split('\n');
      const sizes = entries
        .filter((line) => / (?:blob|commit) /.test(line))
        .map((line) => line.split(/ +/).map(Number));
      expect(sizes.length).toBeGreaterThan(5);
      for (const [, , size = 0, packed = 0] of sizes) if (size > 300) expect(packed).toBeLessThan(0.8 * size);
    }
  });

  test('without an active session says so', () => {
    expect(errorOf(() => bundleOf(makeProject())).code).toBe('no_active_session');
    expect(errorOf(() => bundleOf(makeProject(), { all: true })).code).toBe('not_found');
    expect(errorOf(() => bundleOf(working(), { sessions: ['nothing like it'] })).code).toBe('not_found');
  });
});

describe('ctx import', () => {
  test('keeps a new session paused, with its origin, and does not make it active', () => {
    const from = working();
    const to = makeProject();
    ctx.startSession(to.repository, 'my own');
    const result = take(to, bundleOf(from));
    expect(result.sessions).toMatchObject([
      { session_id: from.id, outcome: 'new', title: 'Limit the retries', open: true },
    ]);
    const listed = ctx.listAllSessions(to.repository).sessions.find(({ session_id }) => session_id === from.id);
    expect(listed).toMatchObject({ open: true, status: 'paused', steps: 3 });
    expect(to.repository.refs.stage()).not.toBe(sessionRef(from.id));
    expect(sessionIn(to, from.id).origin).toMatchObject({ paths: [from.folder], mapped: [] });
    expect(to.git('rev-parse', `${sessionRef(from.id)}~1`).trim()).toBe(from.repository.refs.read(sessionRef(from.id)));
    expect(problems(to)).toEqual([]);
  });

  test('a second time changes nothing', () => {
    const from = working();
    const to = makeProject();
    const bundle = bundleOf(from);
    take(to, bundle);
    const head = to.repository.refs.read(sessionRef(from.id));
    expect(outcomes(take(to, bundle))).toEqual(['same']);
    expect(to.repository.refs.read(sessionRef(from.id))).toBe(head);
  });

  test('a dry run says what would be done, and writes nothing', () => {
    const to = makeProject();
    const result = take(to, bundleOf(working()), { dryRun: true });
    expect(result).toMatchObject({ dry_run: true, sessions: [{ outcome: 'new' }] });
    expect(ctx.listAllSessions(to.repository).sessions).toEqual([]);
    expect(to.git('count-objects').trim()).toBe(makeProject().git('count-objects').trim());
  });

  test('of a session that has continued there alone forwards it, there and back', () => {
    const from = working();
    const to = makeProject();
    take(to, bundleOf(from));
    ctx.observeNote(from.repository, 'went on');
    expect(outcomes(take(to, bundleOf(from)))).toEqual(['forwarded']);
    expect(sessionIn(to, from.id).counts.notes).toBe(2);
    const there = to.open({ session: from.id });
    ctx.observeNote(there, 'went on elsewhere');
    ctx.flushStep(there);
    expect(outcomes(take(from, bundleOf({ repository: there })))).toEqual(['forwarded']);
    expect(ctx.activeSession(from.open())?.session_id).toBe(from.id);
    expect(outcomes(take(to, bundleOf(from)))).toEqual(['forwarded']);
    expect(problems(from)).toEqual([]);
    expect(problems(to)).toEqual([]);
  });

  test('of a session that continued in both places keeps theirs beside, as a branch whose title says from where', () => {
    const from = working();
    const to = makeProject();
    take(to, bundleOf(from));
    ctx.observeNote(from.repository, 'went on there');
    const here = to.open({ session: from.id });
    ctx.observeNote(here, 'went on here');
    ctx.flushStep(here);
    const head = to.repository.refs.read(sessionRef(from.id));
    const [session] = take(to, bundleOf(from)).sessions;
    expect(session).toMatchObject({ outcome: 'beside', reason: 'both', bundled_id: from.id, open: true });
    expect(session?.session_id).not.toBe(from.id);
    expect(session?.title).toContain(' (from ');
    expect(to.repository.refs.read(sessionRef(from.id))).toBe(head);
    expect(sessionIn(to, session?.session_id as string)).toMatchObject({
      parent_session_id: from.id,
      counts: { notes: 2, commands: 1 },
    });
    const again = take(to, bundleOf(from), { dryRun: true }).sessions;
    expect(again).toMatchObject([{ outcome: 'same', session_id: session?.session_id, bundled_id: from.id }]);
    expect(take(to, bundleOf(from)).sessions).toMatchObject([{ outcome: 'same', session_id: session?.session_id }]);
    expect(problems(to)).toEqual([]);
  });

  test('is the same with and without its import, however often undo takes it back and brings it back', () => {
    const from = working();
    const to = makeProject();
    ctx.startSession(to.repository, 'Own');
    const refs = (): string => to.git('for-each-ref');
    const states = [refs()];
    take(to, bundleOf(from, { all: true }));
    states.push(refs());
    for (let round = 0; round < 4; round += 1) {
      undoOperations(to.open());
      expect(refs(), `undo ${round + 1}`).toBe(states[round % 2]);
    }
    expect(problems(to)).toEqual([]);
  });

  test('takes back all of it with undo', () => {
    const from = working();
    const to = makeProject();
    take(to, bundleOf(from));
    ctx.observeNote(from.repository, 'went on');
    const before = to.repository.refs.read(sessionRef(from.id));
    take(to, bundleOf(from));
    undoOperations(to.open());
    expect(to.repository.refs.read(sessionRef(from.id))).toBe(before);
    undoOperations(to.open(), 3);
    expect(to.repository.refs.read(sessionRef(from.id))).toBeNull();
    expect(to.repository.refs.read(archiveRef(from.id))).toBeNull();
    expect(outcomes(take(to, bundleOf(from)))).toEqual(['new']);
    expect(problems(to)).toEqual([]);
  });
});

describe('ended sessions', () => {
  /** A project in which some sessions have ended, one after the other. */
  function ended(...tasks: string[]): Project & { ids: string[] } {
    const project = makeProject();
    const ids = tasks.map((task) => {
      const { session_id } = ctx.startSession(project.repository, task);
      ctx.observeNote(project.repository, `a note on ${task}`);
      ctx.setState(project.repository, 'done', { text: `did ${task}` });
      project.clock.now += 100;
      ctx.setState(project.repository, 'confirm', {});
      ctx.compactSession(project.repository);
      return session_id;
    });
    return { ...project, ids };
  }

  test('all of a store come into an empty one with the same commits', () => {
    const from = ended('one', 'two', 'three');
    const to = makeProject();
    expect(outcomes(take(to, bundleOf(from, { all: true })))).toEqual(['new', 'new', 'new']);
    expect(to.git('rev-parse', 'main')).toBe(from.git('rev-parse', 'main'));
    expect(ctx.listAllSessions(to.open()).sessions.map(({ title, status }) => [title, status])).toEqual(
      ctx.listAllSessions(from.open()).sessions.map(({ title, status }) => [title, status]),
    );
    expect(problems(to)).toEqual([]);
    undoOperations(to.open());
    expect(ctx.listAllSessions(to.open()).sessions).toEqual([]);
    expect(problems(to)).toEqual([]);
  });

  test('all of a store are without one whose start was taken back', () => {
    const from = ended('one');
    ctx.startSession(from.repository, 'two');
    ctx.observeNote(from.repository, 'a note on two');
    undoOperations(from.open());
    expect(outcomes(take(makeProject(), bundleOf(from, { all: true })))).toEqual(['new']);
  });

  test('one comes on top of the sessions that have ended here', () => {
    const from = ended('one', 'two');
    const to = ended('mine');
    const [session] = take(to, bundleOf(from, { sessions: [from.ids[1] as string] })).sessions;
    expect(session).toMatchObject({ session_id: from.ids[1], outcome: 'new', open: false });
    expect([...ctx.readLog(to.open())].map(({ task_description }) => task_description)).toEqual(['two', 'mine']);
    expect(outcomes(take(to, bundleOf(from, { all: true })))).toEqual(['new', 'same']);
    expect(problems(to)).toEqual([]);
  });

  test('several come on top of the sessions that have ended here, the oldest first', () => {
    const from = ended('one', 'two', 'three');
    const to = ended('mine');
    expect(outcomes(take(to, bundleOf(from, { all: true })))).toEqual(['new', 'new', 'new']);
    const tasks = [...ctx.readLog(to.open())].map(({ task_description }) => task_description);
    expect(tasks).toEqual(['three', 'two', 'one', 'mine']);
    expect(problems(to)).toEqual([]);
    undoOperations(to.open());
    expect([...ctx.readLog(to.open())].map(({ task_description }) => task_description)).toEqual(['mine']);
  });

  test('one that was open here, and has ended there, ends here too', () => {
    const from = working();
    const to = makeProject();
    take(to, bundleOf(from));
    ctx.setState(from.repository, 'done', { text: 'five retries' });
    ctx.setState(from.repository, 'confirm', {});
    ctx.compactSession(from.repository);
    expect(outcomes(take(to, bundleOf(from, { all: true })))).toEqual(['forwarded']);
    expect(to.repository.refs.read(sessionRef(from.id))).toBeNull();
    expect(ctx.listAllSessions(to.open()).sessions).toMatchObject([{ session_id: from.id, status: 'completed' }]);
    expect(problems(to)).toEqual([]);
  });
});

describe('secrets', () => {
  const TOKEN = `ghp_${'q7Xk2LmV9sPzR4tWbN8cD1fGhJ3yA5uE6oQ0'.slice(0, 36)}`;

  /** A session that was recorded where nothing is redacted. */
  function careless(): Project & { id: string } {
    const project = makeProject({ redact: false });
    const { session_id: id } = ctx.startSession(project.repository, 'Log in');
    ctx.observeNote(project.repository, `the token is ${TOKEN}`);
    ctx.observeCommand(project.repository, {
      command: 'env',
      exit_code: 0,
      output: `${'x '.repeat(6000)}TOKEN=${TOKEN}\n`,
    });
    ctx.flushStep(project.repository);
    ctx.observeNote(project.repository, 'logged in');
    ctx.flushStep(project.repository);
    return { ...project, id };
  }

  test('in a session keep it out: a clean copy comes in beside, under a new id', () => {
    const from = careless();
    const to = makeProject();
    const [session] = take(to, bundleOf(from)).sessions;
    expect(session).toMatchObject({ outcome: 'beside', reason: 'secrets', bundled_id: from.id, title: 'Log in' });
    expect(session?.session_id).not.toBe(from.id);
    expect(sessionIn(to, session?.session_id as string)).toMatchObject({ counts: { notes: 2, commands: 1 }, step: 4 });
    expect(take(to, bundleOf(from)).sessions).toMatchObject([{ outcome: 'same', session_id: session?.session_id }]);
    expect(scanSecrets(to.open(), undefined, { directory: to.folder, input: () => [] }).findings).toEqual([]);
    expect(problems(to)).toEqual([]);
  });

  test('in a session that has ended likewise', () => {
    const from = careless();
    ctx.compactSession(from.repository, { message: `done with ${TOKEN}` });
    const to = makeProject();
    const [session] = take(to, bundleOf(from, { all: true })).sessions;
    expect(session).toMatchObject({ outcome: 'beside', reason: 'secrets', open: false });
    expect([...ctx.readLog(to.open())]).toHaveLength(1);
    expect(scanSecrets(to.open(), undefined, { directory: to.folder, input: () => [] }).findings).toEqual([]);
    expect(problems(to)).toEqual([]);
  });
});

describe('the folders of the other machine', () => {
  test('are what the user says, when they are read', () => {
    const from = working();
    const to = makeProject();
    const result = take(to, bundleOf(from), { map: [{ from: from.folder, to: '.' }] });
    expect(result.mapped).toEqual([{ from: from.folder, to: to.folder, by: 'user' }]);
    expect(sessionIn(to, from.id).origin?.mapped).toEqual([{ from: from.folder, to: to.folder }]);
    expect(errorOf(() => take(to, bundleOf(from), { map: [{ from: 'x', to: 'y' }] })).code).toBe('invalid_input');
    const twice = ['.', 'src'].map((to) => ({ from: from.folder, to }));
    expect(errorOf(() => take(to, bundleOf(from), { map: twice })).message).toContain('is mapped twice');
  });

  test('are guessed where both projects are one Git repository', () => {
    const from = working();
    const run = (folder: string, ...words: string[]): void => {
      execFileSync('git', words, { cwd: folder, env: { ...process.env, ...AUTHOR } });
    };
    run(from.folder, 'init', '-q');
    run(from.folder, 'commit', '-q', '--allow-empty', '-m', 'first');
    const to = makeProject();
    run(to.folder, 'init', '-q');
    run(to.folder, 'fetch', '-q', from.folder, 'HEAD');
    run(to.folder, 'reset', '-q', '--soft', 'FETCH_HEAD');
    expect(take(to, bundleOf(from)).mapped).toEqual([{ from: from.folder, to: to.folder, by: 'guess' }]);
  });
});

const AUTHOR = {
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b',
};

describe('the library', () => {
  test('hands a session over within a copy of the store', () => {
    const { repository, id, open } = working();
    const exported = ctx.exportSession(repository);
    expect(exported).toMatchObject({ session_id: id, state: 'Running', task_description: 'Limit the retries' });
    expect(ctx.importSession(open(), exported)).toMatchObject({ session_id: id, step: 2 });
  });

  test('refuses a session whose head is not here', () => {
    const exported = ctx.exportSession(working().repository);
    const error = errorOf(() => ctx.importSession(makeProject().repository, exported));
    expect(error).toMatchObject({ code: 'staging_head_missing', data: { staging_head: exported.staging_head } });
  });

  test('opens a session again whose chain is here, and that no ref names', () => {
    const from = working();
    const to = makeProject();
    const exported = ctx.exportSession(from.repository);
    const file = join(temporaryFolder(), 'one.bundle');
    ctx.exportBundle(from.repository, { to: file });
    to.git('fetch', '--quiet', file, 'refs/sessions/*:refs/remotes/other/*');
    expect(ctx.importSession(to.open(), exported).session_id).toBe(from.id);
    expect(to.repository.refs.read(sessionRef(from.id))).toBe(exported.staging_head);
    expect(errorOf(() => ctx.importSession(to.open(), { ...exported, session_id: '../x' })).code).toBe('invalid_input');
  });
});
