// Looking back: the log in its order, one revision with its steps, how files differ, and what names a revision.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commitMessage, encodeCommit } from '../../src/core/commit.ts';
import { EMPTY_TREE } from '../../src/core/tree.ts';
import { MAIN } from '../../src/git/layout.ts';
import { archiveRef } from '../../src/history/names/layout.ts';
import * as ctx from '../../src/index.ts';
import { makeHistory } from '../support/history.ts';
import { errorOf, makeProject, type Project } from '../support/store.ts';

const DAY = 86_400;

/** Four sessions, a day apart: how each ended, and what it touched. */
function fourSessions() {
  const history = makeHistory();
  const { repository, clock, write } = history;
  const oids: string[] = [];
  const keep = (oid: string | null | undefined): void => {
    oids.push(oid as string);
    clock.now += DAY;
  };
  ctx.startSession(repository, 'Build the parser', { agent: 'codex' });
  write('src/parser.ts', 'one\n');
  keep(ctx.compactSession(repository).oid);
  ctx.startSession(repository, 'Write the docs');
  write('docs/index.md', 'doc\n');
  keep(ctx.setState(repository, 'abort', { text: 'no time', compact: true }).compacted?.oid);
  ctx.startSession(repository, 'Fix the parser');
  write('src/parser.ts', 'one\ntwo\n');
  ctx.setState(repository, 'done', { text: 'fixed' });
  keep(ctx.startSession(repository, 'Something else', { replace: true }).compacted?.oid);
  write('src/parser.ts.bak', 'x');
  clock.now += 8 * DAY;
  keep(ctx.cleanupStaleSessions(repository).sessions[0]?.oid);
  return { ...history, oids, start: 1_769_040_000 };
}

const all = fourSessions();
const messages = (options: ctx.LogOptions = {}): string[] =>
  [...ctx.readLog(all.repository, options)].map((entry) => entry.message);
const STORY = [
  'Auto-saved stale session (idle 8 days): Something else',
  'Saved before starting new task: Fix the parser',
  'Write the docs',
  'Build the parser',
];

describe('the log', () => {
  test('is the canonical history, newest first, without its root', () => {
    const entries = [...ctx.readLog(all.repository)];
    expect(entries.map((entry) => entry.message)).toEqual(STORY);
    expect(entries.map((entry) => entry.oid)).toEqual([...all.oids].reverse());
    expect(entries.map((entry) => entry.oid)).toEqual(
      all.git('log', '--format=%H', 'main').trim().split('\n').slice(0, -1),
    );
    expect(entries[3]).toEqual({
      oid: all.oids[0],
      parents: [all.git('rev-list', '--max-parents=0', 'main').trim()],
      message: 'Build the parser',
      commit_type: { kind: 'Normal' },
      parent_session_id: null,
      parent_message_id: null,
      session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      task_description: 'Build the parser',
      session_state: { kind: 'Running' },
      step_count: 2,
      title: 'Build the parser',
      last_activity: all.start,
      committed_at: all.start,
      files_changed: 1,
      author: 'codex',
    });
    expect(entries[1]).toMatchObject({
      commit_type: { kind: 'InterruptedByNewTask', new_task_summary: 'Something else' },
      session_state: { kind: 'PendingComplete', summary: 'fixed' },
      author: 'ctx',
    });
  });

  test.each<[string, ctx.LogOptions, string[]]>([
    ['two at most', { limit: 2 }, STORY.slice(0, 2)],
    ['none', { limit: 0 }, []],
    ['from a revision', { revision: 'HEAD~2' }, STORY.slice(2)],
    ['of one type', { types: ['Abandoned'] }, ['Write the docs']],
    ['of several types', { types: ['Abandoned', 'Normal'] }, ['Write the docs', 'Build the parser']],
    ['since a moment, that one too', { since: all.start + 2 * DAY }, STORY.slice(0, 2)],
    ['until a moment, that one too', { until: all.start + DAY }, STORY.slice(2)],
    ['between two', { since: all.start + DAY, until: all.start + DAY }, ['Write the docs']],
    ['where a file changed', { path: 'src/parser.ts' }, [STORY[1] as string, STORY[3] as string]],
    [
      'where something in a folder changed',
      { path: 'src' },
      [STORY[0] as string, STORY[1] as string, STORY[3] as string],
    ],
    ['where nothing did', { path: 'src/pars' }, []],
    ['that match', { grep: /docs|Something/ }, [STORY[0] as string, STORY[2] as string]],
    ['that match by their task', { grep: /^Fix/ }, [STORY[1] as string]],
    ['all of it together', { path: 'src', types: ['Normal', 'InterruptedByNewTask'], limit: 1 }, [STORY[1] as string]],
  ])('%s', (_words, options, expected) => {
    expect(messages(options)).toEqual(expected);
  });

  test('is read one entry at a time', () => {
    const { repository } = all;
    const entries = ctx.readLog(repository);
    expect(entries.next().value).toMatchObject({ message: STORY[0] });
    expect(entries.next().value).toMatchObject({ message: STORY[1] });
  });

  /** Canonical commits with times and parents of their own; gives their ids by name. */
  function graph(project: Project, commits: [name: string, at: number, parents: string[]][]): Map<string, string> {
    const oids = new Map([['root', project.repository.refs.read(MAIN) as string]]);
    for (const [name, at, parents] of commits) {
      const message = commitMessage(name, [['Ctx-Type', 'Merge']]);
      const ids = parents.map((parent) => oids.get(parent) as string);
      const bytes = encodeCommit({ tree: EMPTY_TREE, parents: ids, author: 'ctx', at, message });
      oids.set(name, project.repository.objects.write('commit', bytes));
    }
    const [last] = commits.at(-1) as [string, number, string[]];
    const move = { pointer: MAIN, old: oids.get('root') as string, new: oids.get(last) as string };
    project.repository.refs.move(move, { at: 1, message: 'x' });
    return oids;
  }
  const walked = (commits: [string, number, string[]][]): string[] => {
    const project = makeProject();
    graph(project, commits);
    return [...ctx.readLog(project.repository)].map((entry) => entry.message);
  };

  test('two histories that were joined are walked by time, each commit once', () => {
    expect(
      walked([
        ['a1', 10, ['root']],
        ['b1', 15, ['root']],
        ['a2', 20, ['a1']],
        ['b2', 25, ['b1']],
        ['merge', 30, ['a2', 'b2']],
        ['last', 40, ['merge']],
      ]),
    ).toEqual(['last', 'merge', 'b2', 'a2', 'b1', 'a1']);
  });

  test('of commits at the same time the child comes first, along one line', () => {
    const line: [string, number, string[]][] = [
      ['one', 10, ['root']],
      ['two', 10, ['one']],
      ['three', 10, ['two']],
    ];
    expect(walked(line)).toEqual(['three', 'two', 'one']);
  });

  test('a clock that went back does not hide anything', () => {
    expect(
      walked([
        ['one', 100, ['root']],
        ['two', 50, ['one']],
        ['three', 70, ['two']],
      ]),
    ).toEqual(['one', 'three', 'two']);
  });
  test('of commits at the same time the child comes first, also over a merge', () => {
    expect(
      walked([
        ['one', 10, ['root']],
        ['two', 10, ['one']],
        ['merge', 10, ['one', 'two']],
      ]),
    ).toEqual(['merge', 'two', 'one']);
  });
});

describe('showing', () => {
  test('a canonical commit: how it ended, its summary, and the steps behind it', () => {
    const shown = ctx.showRevision(all.repository, 'HEAD~1');
    expect(shown).toMatchObject({
      kind: 'canonical',
      oid: all.oids[2],
      parents: [all.oids[1]],
      message: STORY[1],
      commit_type: { kind: 'InterruptedByNewTask', new_task_summary: 'Something else' },
      task_description: 'Fix the parser',
      session_state: { kind: 'PendingComplete', summary: 'fixed' },
      base: all.oids[1],
      agent: null,
      files_changed: 1,
      step_count: 2,
    });
    expect(shown.summary).toBe(all.git('show', `${all.oids[2]}:summary.md`));
    const steps = [...shown.steps];
    expect(
      steps.map((step) => [step.step, step.session_state.kind, step.observations.map((record) => record.kind)]),
    ).toEqual([
      [1, 'Running', ['task']],
      [2, 'PendingComplete', ['write', 'transition']],
    ]);
    expect([...shown.steps]).toEqual(steps);
  });

  test('a session, by its id: its whole chain; a step, by its own: that one', () => {
    const [entry] = [...ctx.readLog(all.repository)];
    const session = ctx.showRevision(all.repository, entry?.session_id as string);
    expect(session).toMatchObject({
      kind: 'session',
      step_count: 2,
      summary: null,
      task_description: 'Something else',
    });
    expect([...session.steps]).toHaveLength(2);
    const step = ctx.showRevision(all.repository, session.oid);
    expect(step).toMatchObject({ kind: 'step', step_count: 1, oid: session.oid });
    expect([...step.steps].map((shown) => shown.step)).toEqual([2]);
    expect(ctx.showRevision(all.repository, `${session.oid}~1`)).toMatchObject({ kind: 'step' });
  });

  test('the root: nothing in it', () => {
    const shown = ctx.showRevision(all.repository, 'HEAD~4');
    expect(shown).toMatchObject({
      kind: 'canonical',
      commit_type: { kind: 'Root' },
      session_id: null,
      summary: null,
      step_count: 0,
    });
    expect([...shown.steps]).toEqual([]);
  });

  test('long texts are whole', () => {
    const { repository } = makeProject();
    ctx.startSession(repository, 'task '.repeat(2_000));
    ctx.observeNote(repository, 'note '.repeat(2_000));
    ctx.observeCommand(repository, { command: 'c'.repeat(5_000), exit_code: 0, output: 'é'.repeat(5_000) });
    ctx.flushStep(repository);
    const shown = ctx.showRevision(repository, 'STAGE');
    expect(shown.task_description).toBe('task '.repeat(2_000));
    const records = [...shown.steps].flatMap((step) => step.observations);
    expect(records).toMatchObject([
      { content: 'task '.repeat(2_000) },
      { content: 'note '.repeat(2_000) },
      { command: 'c'.repeat(5_000), output: 'é'.repeat(5_000) },
    ]);
  });
});

describe('naming a revision', () => {
  const oidOf = (given: string): string => ctx.showRevision(all.repository, given).oid;

  test.each<[string, number]>([
    ['HEAD', 3],
    ['main', 3],
    ['heads/main', 3],
    ['refs/heads/main', 3],
    ['HEAD~0', 3],
    ['HEAD~', 2],
    ['HEAD^', 2],
    ['HEAD~2', 1],
    ['HEAD^^', 1],
    ['HEAD~1^', 1],
    ['main~3', 0],
  ])('%s', (given, index) => {
    expect(oidOf(given)).toBe(all.oids[index]);
  });

  test('an object id, or its beginning from eight characters on, in upper case too', () => {
    for (const oid of all.oids) {
      for (const given of [oid, oid.slice(0, 8), oid.slice(0, 12).toUpperCase(), `${oid.slice(0, 10)}~0`]) {
        expect(oidOf(given)).toBe(oid);
      }
      expect(errorOf(() => oidOf(oid.slice(0, 7))).code).toBe('not_found');
    }
  });

  test('a session: by its id, its beginning, and its ref', () => {
    const id = [...ctx.readLog(all.repository)][0]?.session_id as string;
    const head = all.repository.refs.read(archiveRef(id)) as string;
    for (const given of [id, archiveRef(id), `archive/${id}`, id.toUpperCase()]) expect(oidOf(given)).toBe(head);
  });

  test('STAGE, while a session is active', () => {
    const { repository } = makeProject();
    expect(errorOf(() => ctx.showRevision(repository, 'STAGE')).code).toBe('no_active_session');
    const { oid, session_id } = ctx.startSession(repository, 't');
    expect(ctx.showRevision(repository, 'STAGE')).toMatchObject({ oid, kind: 'session', session_id });
    expect(ctx.showRevision(repository, session_id.slice(0, 20)).oid).toBe(oid);
  });

  test('the beginning of several ids: they are named', () => {
    const { repository } = makeProject();
    const first = ctx.startSession(repository, 'one').session_id;
    const second = ctx.startSession(repository, 'two', { beside: true }).session_id;
    let same = 0;
    while (first[same] === second[same]) same += 1;
    expect(same).toBeGreaterThanOrEqual(8);
    const error = errorOf(() => ctx.showRevision(repository, first.slice(0, same)));
    expect(error.code).toBe('ambiguous');
    expect(error.data).toMatchObject({ candidates: expect.arrayContaining([first, second]) });
  });

  test.each([
    ...[
      '',
      'nowhere',
      'HEAD~9',
      'HEAD~99999999999999999999',
      'HEAD^2',
      'HEAD@{1}',
      'HEAD:x',
      '~',
      '~1',
      'main..HEAD',
      ' HEAD',
    ],
    ...[
      '0'.repeat(40),
      'f'.repeat(8),
      '../config',
      'refs/heads/other',
      'refs/tags/v1',
      '--all',
      'a'.repeat(41),
      'g'.repeat(40),
    ],
  ])('%j names none', (given) => {
    expect(errorOf(() => oidOf(given)).code).toBe('not_found');
  });

  test.each(['a'.repeat(65), '-aaaaaaaaaa', `aaaaaaaa-${'a'.repeat(60)}`])(
    '%j names none, and is no bug of ours',
    (given) => {
      expect(errorOf(() => oidOf(given)).code).toBe('not_found');
    },
  );

  test('a blob or a tree is no revision', () => {
    const tree = all.git('rev-parse', 'HEAD^{tree}').trim();
    expect(errorOf(() => oidOf(tree)).code).toBe('not_found');
  });
});

describe('comparing', () => {
  const paths = async (a: string, b?: string, path?: string): Promise<string[]> =>
    (await ctx.diffRevisions(all.repository, a, b, path)).files.map((file) => `${file.change} ${file.path}`);

  test('two revisions', async () => {
    expect(await paths('HEAD~4', 'HEAD')).toEqual([
      'added docs/index.md',
      'added src/parser.ts',
      'added src/parser.ts.bak',
    ]);
    expect(await paths('HEAD', 'HEAD~3')).toEqual([
      'deleted docs/index.md',
      'modified src/parser.ts',
      'deleted src/parser.ts.bak',
    ]);
    expect(await paths('HEAD', 'HEAD')).toEqual([]);
    expect(await paths('HEAD~4', 'HEAD', 'src')).toEqual(['added src/parser.ts', 'added src/parser.ts.bak']);
    expect(await paths('HEAD~4', 'HEAD', 'src/parser.ts')).toEqual(['added src/parser.ts']);
  });

  test('with hunks as diff -u has them', async () => {
    const { files } = await ctx.diffRevisions(all.repository, 'HEAD~3', 'HEAD~1', 'src');
    expect(files).toEqual([
      {
        path: 'src/parser.ts',
        change: 'modified',
        old_oid: all.git('rev-parse', `${all.oids[0]}:files/src/parser.ts`).trim(),
        new_oid: all.git('rev-parse', `${all.oids[2]}:files/src/parser.ts`).trim(),
        patch: '@@ -1,1 +1,2 @@\n one\n+two\n',
        added: 1,
        removed: 0,
      },
    ]);
  });

  test('with an open session, by default: its files over those of its base', async () => {
    const history = makeHistory();
    const { repository, write } = history;
    ctx.startSession(repository, 'one');
    write('kept', 'k\n');
    write('changed', 'old\n');
    write('gone', 'g\n');
    ctx.compactSession(repository);
    ctx.startSession(repository, 'two');
    write('changed', 'new\n');
    write('gone', null);
    write('made', 'm');
    ctx.flushStep(repository);
    const before = history.git('count-objects', '-v');
    const { files } = await ctx.diffRevisions(repository, 'HEAD');
    expect(files.map((file) => [file.path, file.change, file.patch])).toEqual([
      ['changed', 'modified', '@@ -1,1 +1,1 @@\n-old\n+new\n'],
      ['gone', 'deleted', '@@ -1,1 +0,0 @@\n-g\n'],
      ['made', 'added', expect.stringContaining('+m\n')],
    ]);
    // Looking writes nothing.
    expect(history.git('count-objects', '-v')).toBe(before);
  });

  test('binary and large files are reported without a comparison', async () => {
    const { repository, write } = makeHistory({ snapshot_limit: '64MiB', redact: { content: 'all' } });
    ctx.startSession(repository, 'one');
    write('binary', Buffer.from('a\0b'));
    write('large', Buffer.alloc(5 * 1024 * 1024, 'x\n'));
    write('chunks', Buffer.alloc(9 * 1024 * 1024, 'y\n'));
    write('late-nul', Buffer.concat([Buffer.alloc(8_000, 'z'), Buffer.from('\0\n')]));
    ctx.compactSession(repository);
    const { files } = await ctx.diffRevisions(repository, 'HEAD~1', 'HEAD');
    expect(files.map((file) => [file.path, file.change, file.patch === null])).toEqual([
      ['binary', 'added', true],
      ['chunks', 'added', true],
      ['large', 'added', true],
      ['late-nul', 'added', false],
    ]);
  });

  test('files of many lines that have nothing in common take no time worth naming', async () => {
    const { repository, write } = makeHistory();
    const lines = (word: string): string =>
      Array.from({ length: 60_000 }, (_, at) => `${word} ${at % 9_973}\n`).join('');
    ctx.startSession(repository, 'one');
    write('long', `head\n${lines('old')}tail\n`);
    ctx.compactSession(repository);
    ctx.startSession(repository, 'two');
    write('long', `head\n${lines('new')}tail\n`);
    ctx.compactSession(repository);
    const { files } = await ctx.diffRevisions(repository, 'HEAD~1', 'HEAD');
    expect(files).toMatchObject([{ path: 'long', added: 60_000, removed: 60_000 }]);
    expect(files[0]?.patch).toMatch(/^@@ -1,60002 \+1,60002 @@\n head\n-old 0\n/);
  });

  test('a file that became a folder, and back', async () => {
    const { repository, write, folder } = makeHistory();
    ctx.startSession(repository, 'one');
    write('x', 'file\n');
    ctx.compactSession(repository);
    ctx.startSession(repository, 'two');
    write('x', null);
    write('x/y', 'inside\n');
    ctx.compactSession(repository);
    writeFileSync(join(folder, 'z'), '');
    const { files } = await ctx.diffRevisions(repository, 'HEAD~1', 'HEAD');
    expect(files.map((file) => `${file.change} ${file.path}`)).toEqual(['deleted x', 'added x/y']);
  });
});
