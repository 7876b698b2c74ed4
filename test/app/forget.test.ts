// Forgetting: nothing of it is left in any file, the store is sound, and it does not come back.
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ForgetTarget, forget } from '../../src/app/forget/forget.ts';
import { checkStore } from '../../src/app/fsck.ts';
import { collectGarbage } from '../../src/app/gc.ts';
import { ingestTranscript } from '../../src/app/intake/ingest.ts';
import { compactSession } from '../../src/app/session/compact.ts';
import { flushStep } from '../../src/app/session/flush.ts';
import { setState } from '../../src/app/session/move.ts';
import {
  observeCommand,
  observeFileRead,
  observeFileWrite,
  observeNote,
  observePlan,
} from '../../src/app/session/observe.ts';
import { startSession } from '../../src/app/session/start.ts';
import { sessionStatus } from '../../src/app/session/status.ts';
import { showRevision } from '../../src/app/show.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import { encodeTree } from '../../src/core/tree.ts';
import { pendingNames } from '../../src/history/pending/pending.ts';
import { errorOf, fsck, makeProject, type Project } from '../support/store.ts';
import { tracesOf } from '../support/traces.ts';

const WORD = 'Zwiebelkuchen "mit" Speck\nund Öl';

/** Writes a file of the project. */
function put(project: Project, path: string, content: string | Buffer): void {
  mkdirSync(join(project.folder, path, '..'), { recursive: true });
  writeFileSync(join(project.folder, path), content);
}

/** Nothing of a text is left, and what is left is sound. */
function expectGone(project: Project, ...texts: string[]): void {
  expect(tracesOf(project.store, ...texts)).toEqual([]);
  expectSound(project);
}

function expectSound(project: Project): void {
  expect(fsck(project.store)).toBe('');
  expect(checkStore(project.open(), { full: true }).findings).toEqual([]);
}

/** A session that tells WORD in every way that there is, in steps, and one that is done before it. */
function fill(project: Project): string {
  const { repository, folder } = project;
  startSession(repository, `Bake ${WORD} for all`);
  put(project, 'src/kitchen.txt', `first\n${WORD}\nlast\n`);
  put(project, 'data.json', JSON.stringify({ deep: JSON.stringify({ text: WORD }) }));
  observeFileWrite(repository, 'src/kitchen.txt', folder);
  observeFileRead(repository, 'data.json', folder);
  observeNote(repository, `Decision: ${WORD} it is`);
  observePlan(repository, `${'long '.repeat(2000)}${WORD}${' more'.repeat(100)}`);
  flushStep(repository);
  observeCommand(repository, { command: `echo ${WORD}`, exit_code: 1, output: WORD });
  setState(repository, 'ask', { text: `Really ${WORD}?` });
  setState(repository, 'respond', { text: `Yes, ${WORD}` });
  setState(repository, 'done', { text: `Baked ${WORD}` });
  return setState(repository, 'confirm', { compact: true }).session_id;
}

const forgets = (project: Project, target: ForgetTarget): ReturnType<typeof forget> => forget(project.open(), target);

describe('a text', () => {
  it('goes from steps, contents, summaries and messages', () => {
    const project = makeProject();
    fill(project);
    startSession(project.repository, 'Something else');
    observeNote(project.repository, `It waits: ${WORD}`);
    expect(tracesOf(project.store, WORD).length).toBeGreaterThan(10);
    const result = forgets(project, { text: WORD });
    expect(result).toMatchObject({ dry_run: false, what: 'text', canonical_commits: 1, pending_files: 1 });
    expectGone(project, WORD);
    const marker = /\[forgotten:[0-9a-f]{8}\]/;
    expect(showRevision(project.open(), 'HEAD').summary).toMatch(marker);
    expect(showRevision(project.open(), 'HEAD').message).toMatch(/^Bake \[forgotten:[0-9a-f]{8}\] for all$/);
    expect(project.git('show', 'main:files/src/kitchen.txt')).toMatch(/^first\n\[forgotten:[0-9a-f]{8}\]\nlast\n$/);
  });

  it('goes from packs too, and what else is in them stays', async () => {
    const project = makeProject();
    fill(project);
    const before = project.git('rev-list', '--all', '--count');
    project.git('pack-refs', '--all');
    await collectGarbage(project.repository);
    expect(project.git('count-objects', '-v')).toMatch(/packs: 1/);
    const result = forgets(project, { text: WORD });
    expect(result.packs).toBe(1);
    expectGone(project, WORD);
    expect(project.git('rev-list', '--all', '--count')).toBe(before);
  });

  it('goes from contents that are kept in chunks, across their borders', () => {
    const project = makeProject({ snapshot_limit: '64MiB' });
    startSession(project.repository, 'Large things');
    const size = 4 * 1024 * 1024;
    const large = Buffer.alloc(3 * size, 'abcdefg\n');
    large.write(WORD, size - 7);
    large.write(WORD, 2 * size - Buffer.byteLength(WORD));
    put(project, 'large.txt', large);
    observeFileRead(project.repository, 'large.txt', project.folder);
    flushStep(project.repository);
    observeFileRead(project.repository, 'large.txt', project.folder);
    forgets(project, { text: WORD });
    expectGone(project, WORD, WORD.slice(0, 7), WORD.slice(7));
    compactSession(project.open());
    expectSound(project);
    const kept = project.git('ls-tree', '-r', 'main:files/large.txt');
    expect(kept.split('\n').length).toBe(4);
  });

  it('goes from names of files, from agents, and from what Git itself put there', () => {
    const project = makeProject();
    const name = 'Kaiserschmarrn';
    startSession(project.repository, 'Names', { agent: `${name}-agent` });
    put(project, `src/${name}/x.txt`, 'x');
    observeFileWrite(project.repository, `src/${name}/x.txt`, project.folder);
    const head = flushStep(project.repository).oid;
    project.git('tag', '-m', `a ${name} tag`, 'v1', head);
    project.git('notes', 'add', '-m', `a ${name} note`, head);
    project.git('branch', 'mine', head);
    project.git('update-ref', '-m', `reset: ${name}`, 'refs/heads/mine', `${head}~1`);
    forgets(project, { text: name });
    expectGone(project, name);
    expect(project.git('notes', 'show', 'v1^{commit}')).toMatch(/^a \[forgotten:/);
    expect(project.git('for-each-ref', '--format=%(refname)')).toContain('refs/tags/v1');
  });

  it('goes from the tag that has it as its name and whose ref was deleted', () => {
    const project = makeProject();
    const name = 'cobalt-weasel';
    startSession(project.repository, 'Tags');
    project.git('tag', '-m', 'about main', `v-${name}`, 'main');
    project.git('tag', '-m', 'about main', 'v-other', 'main');
    const other = project.git('rev-parse', 'v-other').trim();
    expect(() => forgets(project, { text: name })).toThrow("not ctx's to remove: refs/tags/v-");
    project.git('tag', '-d', `v-${name}`, 'v-other');
    forgets(project, { text: name });
    expectGone(project, name);
    expect(project.git('cat-file', '-t', other)).toBe('tag\n');
  });

  it('goes from what lies around: torn files, leftovers, caches, dangling objects', () => {
    const project = makeProject();
    fill(project);
    put(project, '.ctx/lost/record.json.1', `{"torn":${JSON.stringify(WORD)}`);
    put(project, '.ctx/cache/index', WORD);
    put(project, '.ctx/oplog/begun.json.x.tmp', JSON.stringify(WORD));
    put(project, '.ctx/COMMIT_EDITMSG', WORD);
    put(project, '.ctx/lost/innocent', 'something else');
    put(project, `.ctx/lost/${WORD}/deep/empty`, '');
    put(project, '.ctx/pending/.DS_Store', 'of the desktop');
    const dangling = project.git('hash-object', '-w', '--stdin').trim();
    expect(dangling).toMatch(/^[0-9a-f]{40}$/);
    const result = forgets(project, { text: WORD });
    expect(result.files.sort()).toEqual([
      'COMMIT_EDITMSG',
      'cache/index',
      expect.stringMatching(/^lost\/\[forgotten:.*\/deep\/empty$/),
      'lost/record.json.1',
      'oplog/begun.json.x.tmp',
    ]);
    expect(readFileSync(join(project.store, 'lost/innocent'), 'utf8')).toBe('something else');
    expect(project.git('cat-file', '-t', dangling)).toBe('blob\n');
    expectGone(project, WORD);
  });

  it('goes where a power cut has left objects that nobody names, and of what those name nothing', () => {
    const project = makeProject();
    const { session_id } = startSession(project.repository, `Bake ${WORD}`);
    observeNote(project.repository, WORD);
    flushStep(project.repository);
    const { objects } = project.repository;
    const head = project.git('cat-file', 'commit', `refs/sessions/${session_id}`);
    const commit = objects.write('commit', Buffer.from(head.replace(/^tree .{40}/, `tree ${'ab'.repeat(20)}`)));
    forgets(project, { id: session_id });
    expectGone(project, WORD);
    expect(() => project.git('cat-file', '-t', commit)).toThrow('could not get object info');
  });

  it('is looked for by a pattern where a power cut has taken parts of a large content that nobody names', () => {
    const project = makeProject();
    fill(project);
    const chunks = [0, 1].map((at) => ({ mode: '100644', name: `0000000${at}.chunk`, oid: 'ef'.repeat(20) }));
    project.repository.objects.write('tree', encodeTree(chunks));
    forgets(project, { pattern: 'Zwiebel[a-z]{1,20}' });
    expectGone(project, 'Zwiebelkuchen');
  });

  it('goes from large files too, which are looked at in stretches; those that do not hold it stay', () => {
    const project = makeProject();
    fill(project);
    const large = 80 * 1024 * 1024;
    for (const name of ['innocent', 'holding']) {
      put(project, `.ctx/lost/${name}`, '');
      truncateSync(join(project.store, 'lost', name), large);
    }
    const handle = openSync(join(project.store, 'lost/holding'), 'r+');
    writeSync(handle, WORD, 16 * 1024 * 1024 - 5);
    closeSync(handle);
    expect(forgets(project, { text: WORD }).files).toEqual(['lost/holding']);
    expect(statSync(join(project.store, 'lost/innocent')).size).toBe(large);
    expectSound(project);
  });

  it('does not come back', () => {
    const project = makeProject();
    fill(project);
    forgets(project, { text: WORD });
    fill({ ...project, repository: project.open() });
    observeOnOpen(project);
    expectGone(project, WORD);
  });

  it('that is not there, or too short, changes nothing', () => {
    const project = makeProject();
    fill(project);
    const before = project.git('rev-parse', 'main');
    expect(errorOf(() => forgets(project, { text: 'Never said before' })).code).toBe('not_found');
    expect(errorOf(() => forgets(project, { text: 'the' })).code).toBe('invalid_input');
    expect(errorOf(() => forgets(project, { text: 'forgotten' })).code).toBe('invalid_input');
    expect(errorOf(() => forgets(project, {})).code).toBe('usage');
    expect(project.git('rev-parse', 'main')).toBe(before);
  });

  it('leaves undo as it was', () => {
    const project = makeProject();
    const id = fill(project);
    forgets(project, { text: WORD });
    expect(undoOperations(project.open()).undone).toMatchObject([{ command: 'stage confirm' }]);
    expect(sessionStatus(project.open())).toMatchObject({ active: true, session_id: id });
    expectGone(project, WORD);
    undoOperations(project.open());
    expectGone(project, WORD);
  });
});

/** Tells WORD once more, where it waits. */
function observeOnOpen(project: Project): void {
  const repository = project.open();
  startSession(repository, `Once more ${WORD}`);
  observeNote(repository, JSON.stringify({ text: WORD }));
  observePlan(
    repository,
    (function* () {
      yield Buffer.from(`before ${WORD.slice(0, 9)}`);
      yield Buffer.from(`${WORD.slice(9)} behind`);
    })(),
  );
}

it.each(['Ctx-Type: ', 'Type: Root', 'localhost', 'ctx@localhost', 'Root of a ctx store'])(
  'the first commit is nobody’s words, and stays: %s',
  (text) => {
    const project = makeProject();
    startSession(project.repository, 'task');
    observeNote(project.repository, `a note on ${text}Root x`);
    compactSession(project.repository);
    const root = (): string => project.git('rev-list', '--max-parents=0', 'main').trim();
    const before = root();
    forgets(project, { text });
    expect(root()).toBe(before);
    expectSound(project);
    expect(project.git('show', 'main:notes.jsonl')).not.toContain(`${text}Root x`);
  },
);

describe('a record', () => {
  const SECRET = 'The recipe is in the blue book';

  it.each([
    ['note', (project: Project) => observeNote(project.repository, SECRET)],
    ['plan', (project: Project) => observePlan(project.repository, `${SECRET} ${'x'.repeat(5000)}`)],
    ['command', (project: Project) => observeCommand(project.repository, { command: SECRET, exit_code: 0 })],
  ])('of the kind %s becomes a tombstone, waiting, flushed and archived', (kind, observe) => {
    for (const stage of ['waiting', 'flushed', 'archived']) {
      const project = makeProject();
      startSession(project.repository, 'A task');
      observeNote(project.repository, 'Something else');
      const [id = ''] = observe(project).records;
      if (stage !== 'waiting') flushStep(project.repository);
      observeNote(project.repository, 'Later');
      if (stage === 'archived') compactSession(project.repository);
      expect(tracesOf(project.store, SECRET)).not.toEqual([]);
      const result = forgets(project, { id });
      expect(result).toMatchObject({ what: 'record', records: 1 });
      expectGone(project, SECRET);
      flushStepIfOpen(project);
      const steps = [...showRevision(project.open(), stage === 'archived' ? 'HEAD' : 'STAGE').steps];
      const records = steps.flatMap((step) => step.observations);
      expect(records.find((record) => record.id === id)).toEqual({
        ...{ version: 1, id, kind: 'forgotten', at: project.clock(), was: kind, forgotten_at: project.clock() },
      });
      expect(errorOf(() => forgets(project, { id })).code).toBe('not_found');
    }
  });

  it('of a file takes the content with it; an earlier one comes back', () => {
    const project = makeProject();
    startSession(project.repository, 'A task');
    put(project, 'a.txt', 'the first content\n');
    observeFileWrite(project.repository, 'a.txt', project.folder);
    flushStep(project.repository);
    put(project, 'a.txt', 'the second content\n');
    put(project, 'b.txt', 'the only content\n');
    const [second = ''] = observeFileWrite(project.repository, 'a.txt', project.folder).records;
    const [only = ''] = observeFileWrite(project.repository, 'b.txt', project.folder).records;
    flushStep(project.repository);
    observeNote(project.repository, 'Later');
    compactSession(project.repository);
    forgets(project, { id: second });
    forgets(project, { id: only });
    expectGone(project, 'the second content', 'the only content');
    expect(project.git('show', 'main:files/a.txt')).toBe('the first content\n');
    expect(project.git('ls-tree', '--name-only', 'main:files')).toBe('a.txt\n');
    // Neither of them is kept again; what is new is.
    startSession(project.open(), 'Again');
    observeFileWrite(project.open(), 'b.txt', project.folder);
    expectGone(project, 'the only content');
    put(project, 'b.txt', 'another content\n');
    observeFileWrite(project.open(), 'b.txt', project.folder);
    flushStep(project.open());
    expect(project.git('show', 'STAGE:files/b.txt')).toBe('another content\n');
  });

  it('of a task, a question or an answer takes with it what was derived from it, however short', () => {
    const project = makeProject();
    const { repository } = project;
    startSession(repository, 'Quiche');
    setState(repository, 'ask', { text: 'Lauch?' });
    setState(repository, 'respond', { text: 'Spinat' });
    startSession(repository, 'Strudel', { replace: true });
    const [first, asked, answered] = [...showRevision(repository, 'HEAD').steps].map(
      (step) => step.observations[0]?.id ?? '',
    );
    for (const id of [first, asked, answered]) forgets(project, { id });
    expectGone(project, 'Quiche', 'Lauch', 'Spinat');
    const task = [...showRevision(project.open(), 'STAGE').steps][0]?.observations[0]?.id;
    forgets(project, { id: task });
    expectGone(project, 'Strudel');
    expect(sessionStatus(project.open())).toMatchObject({ task_description: '[forgotten]' });
  });

  it('named by its step goes with the others of that step', () => {
    const project = makeProject();
    startSession(project.repository, 'A task');
    observeNote(project.repository, 'one thing of the step');
    observeNote(project.repository, 'other thing of the step');
    const { oid } = flushStep(project.repository);
    observeNote(project.repository, 'a thing of another step');
    flushStep(project.repository);
    expect(forgets(project, { id: oid }).records).toBe(2);
    expectGone(project, 'thing of the step');
    expect(tracesOf(project.store, 'a thing of another step')).not.toEqual([]);
  });
});

function flushStepIfOpen(project: Project): void {
  if (sessionStatus(project.open()).active) flushStep(project.open());
}

describe('a session', () => {
  it('that has ended leaves a tombstone, and its files go from all that came later', () => {
    const project = makeProject();
    const { repository, folder } = project;
    const session = (task: string, files: Record<string, string>): string => {
      const { session_id } = startSession(repository, task);
      for (const [path, content] of Object.entries(files)) {
        put(project, path, content);
        observeFileWrite(repository, path, folder);
      }
      compactSession(repository);
      return session_id;
    };
    session('First', { 'a.txt': 'a of the first\n', 'shared.txt': 'the same\n' });
    const id = session('The second one', {
      'a.txt': 'a of the second\n',
      'b.txt': 'only the second\n',
      'shared.txt': 'the same\n',
    });
    session('Third', { 'c.txt': 'c\n', 'shared.txt': 'the same\n' });
    const result = forgets(project, { id });
    expect(result).toMatchObject({ what: 'session', canonical_commits: 2 });
    expectGone(project, 'of the second', 'only the second', 'The second one');
    expect(project.git('ls-tree', '--name-only', 'main:files').trim().split('\n')).toEqual([
      'a.txt',
      'c.txt',
      'shared.txt',
    ]);
    expect(project.git('show', 'main:files/a.txt')).toBe('a of the first\n');
    expect(project.git('log', '--format=%s', 'main')).toBe('Third\n[forgotten]\nFirst\nRoot of a ctx store\n');
    const shown = showRevision(project.open(), id);
    expect(shown).toMatchObject({ task_description: '[forgotten]', step_count: 1 });
    expect([...shown.steps][0]?.observations).toMatchObject([
      { kind: 'forgotten', was: 'session', forgotten_at: project.clock() },
    ]);
    expect(errorOf(() => forgets(project, { id })).code).toBe('not_found');
  });

  it('that is open is closed, with what waits for it', () => {
    const project = makeProject();
    const other = startSession(project.repository, 'Another one').session_id;
    const { session_id: id } = startSession(project.repository, 'To be forgotten', { beside: true });
    observeNote(project.repository, 'flushed before');
    flushStep(project.repository);
    observeNote(project.repository, 'it waits still');
    forgets(project, { id });
    expectGone(project, 'To be forgotten', 'flushed before', 'it waits still');
    expect(sessionStatus(project.open())).toMatchObject({ active: false, open_sessions: 1 });
    expect(pendingNames(project.open(), id)).toEqual([]);
    expect(
      project.git('for-each-ref', '--format=%(refname)', 'refs/sessions', 'refs/archive').trim().split('\n'),
    ).toEqual([`refs/archive/${id}`, `refs/sessions/${other}`]);
  });

  it('that another task had ended stays forgotten when that task is, too', () => {
    const project = makeProject();
    const { session_id: id } = startSession(project.repository, 'First');
    observeNote(project.repository, 'of the first');
    startSession(project.repository, `Make ${WORD}`, { replace: true });
    forgets(project, { id });
    forgets(project, { text: WORD });
    expectGone(project, 'of the first', WORD);
    expect(project.git('show', 'main:summary.md')).toBe('# [forgotten]\n\nThis session was forgotten.\n');
  });

  it('is named by its canonical commit too, and by the beginning of its id', () => {
    const project = makeProject();
    fill(project);
    expect(forgets(project, { id: project.git('rev-parse', 'main').trim().slice(0, 12) }).what).toBe('session');
    expectGone(project, WORD);
  });
});

describe('a content', () => {
  it('becomes a tombstone everywhere, and is not kept again', () => {
    const project = makeProject();
    startSession(project.repository, 'A task');
    put(project, 'x/key.txt', 'what opens the door\n');
    observeFileRead(project.repository, 'x/key.txt', project.folder);
    compactSession(project.repository);
    const oid = project.git('rev-parse', 'main:files/x/key.txt').trim();
    expect(forgets(project, { id: oid }).what).toBe('content');
    expectGone(project, 'what opens the door', oid);
    expect(project.git('show', 'main:files/x/key.txt')).toBe('This content was forgotten on 2026-01-22.\n');
    startSession(project.open(), 'Again');
    observeFileRead(project.open(), 'x/key.txt', project.folder);
    expectGone(project, 'what opens the door');
    expect(errorOf(() => forgets(project, { id: project.git('rev-parse', 'main:session.json').trim() })).code).toBe(
      'invalid_input',
    );
  });
});

describe('what is found', () => {
  it('by a pattern goes', () => {
    const project = makeProject();
    startSession(project.repository, 'Numbers');
    observeNote(project.repository, 'Call 0664-1234567, or {"fax":"0664-7654321"}');
    flushStep(project.repository);
    expect(errorOf(() => forgets(project, { pattern: '(a+)+b' })).code).toBe('invalid_input');
    expect(errorOf(() => forgets(project, { pattern: '[0-9]{4}x' })).code).toBe('not_found');
    forgets(project, { pattern: '0664-[0-9]{7}' });
    expectGone(project, '0664-1234567', '0664-7654321');
  });

  it('by a rule goes', () => {
    const project = makeProject({ redact: false });
    const token = `ghp_${'aB3dE5fG7h'.repeat(3)}K2mN4p`;
    startSession(project.repository, 'Tokens');
    observeNote(project.repository, `export GITHUB_TOKEN=${token}`);
    flushStep(project.repository);
    expect(errorOf(() => forgets(project, { rule: 'no-such-rule' })).code).toBe('usage');
    forgets(project, { rule: 'github-token' });
    expectGone(project, token);
    expect(project.git('log', '--format=%s', 'STAGE')).toMatch(/\[redacted:github-token:[0-9a-f]{8}\]/);
  });
});

describe('a transcript', () => {
  const PROMPT = 'Add a cache for the menu of tomorrow';
  const lines = [
    { type: 'user', uuid: 'a', parentUuid: null, message: { role: 'user', content: PROMPT } },
    {
      type: 'assistant',
      uuid: 'b',
      parentUuid: 'a',
      message: {
        id: 'm',
        role: 'assistant',
        model: 'some',
        content: [{ type: 'text', text: 'The cache of the menu is added.' }],
      },
    },
  ].map(
    (line) =>
      `${JSON.stringify({ ...line, sessionId: 'conversation', timestamp: '2026-01-22T00:00:00.000Z', cwd: '/p' })}\n`,
  );

  function ingested(): { project: Project; file: string; id: string } {
    const project = makeProject();
    put(project, 'conversation.jsonl', lines.join(''));
    const file = join(project.folder, 'conversation.jsonl');
    return { project, file, id: ingestTranscript(project.repository, file).session_id };
  }

  it('stays forgotten as a text when the transcript is ingested again', () => {
    const { project, file } = ingested();
    forgets(project, { text: 'menu of tomorrow' });
    expect(ingestTranscript(project.open(), file).steps_added).toBe(0);
    expectGone(project, 'menu of tomorrow');
    undoOperations(project.open());
    expect(ingestTranscript(project.open(), file).created).toBe(true);
    expectGone(project, 'menu of tomorrow');
  });

  it('stays forgotten as a record when the transcript is ingested again', () => {
    const { project, file, id } = ingested();
    const records = [...showRevision(project.repository, id).steps].flatMap((step) => step.observations);
    const task = records.find((record) => record.kind === 'task')?.id ?? '';
    forgets(project, { id: task });
    expectGone(project, PROMPT);
    expect(ingestTranscript(project.open(), file).steps_added).toBe(0);
    undoOperations(project.open());
    ingestTranscript(project.open(), file);
    expectGone(project, PROMPT);
  });

  it('of a session that was forgotten is not taken in again', () => {
    const { project, file, id } = ingested();
    const result = forgets(project, { id });
    expect(result.unreachable.join('\n')).toContain(file);
    for (let time = 0; time < 2; time += 1)
      expect(ingestTranscript(project.open(), file)).toMatchObject({
        session_id: id,
        steps_added: 0,
        forgotten_at: project.clock(),
      });
    expectGone(project, PROMPT, 'The cache of the menu is added');
  });
});
