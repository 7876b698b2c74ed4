// Compaction: one session becomes one canonical commit, and nothing of it is thrown away.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CommitType } from '../../src/core/commit-types/table.ts';
import type { Verb } from '../../src/core/state.ts';
import { archiveRef, sessionRef } from '../../src/history/names/layout.ts';
import * as ctx from '../../src/index.ts';
import { makeHistory } from '../support/history.ts';
import { errorOf, fsck, makeProject } from '../support/store.ts';

describe('files are cumulative over sessions', () => {
  test('per path the later one counts, what was deleted is gone, what was not touched stays', () => {
    const history = makeHistory();
    const { repository, write, read, filesOf } = history;
    ctx.startSession(repository, 'one');
    write('a.txt', 'a1');
    write('b.txt', 'b1');
    write('src/c.ts', 'c1');
    write('src/deep/d.ts', 'd1');
    const one = ctx.compactSession(repository).oid as string;
    expect(filesOf(one)).toEqual({ 'a.txt': 'a1', 'b.txt': 'b1', 'src/c.ts': 'c1', 'src/deep/d.ts': 'd1' });

    ctx.startSession(repository, 'two');
    write('a.txt', 'a2');
    ctx.flushStep(repository);
    write('a.txt', 'a3');
    write('b.txt', null);
    write('src/e.ts', 'e1');
    read('src/c.ts');
    // An open session shows what it saw itself.
    ctx.flushStep(repository);
    expect(filesOf(ctx.flushStep(repository).oid)).toEqual({ 'a.txt': 'a3', 'src/c.ts': 'c1', 'src/e.ts': 'e1' });
    const two = ctx.compactSession(repository).oid as string;
    expect(filesOf(two)).toEqual({ 'a.txt': 'a3', 'src/c.ts': 'c1', 'src/deep/d.ts': 'd1', 'src/e.ts': 'e1' });
    // The first one stays as it was.
    expect(filesOf(one)['b.txt']).toBe('b1');

    ctx.startSession(repository, 'three: only talk');
    ctx.observeNote(repository, 'x');
    expect(filesOf(ctx.compactSession(repository).oid as string)).toEqual(filesOf(two));
    expect(fsck(history.store)).toBe('');
  });

  test('a file deleted and written again is there; one written and deleted is not', () => {
    const { repository, write, filesOf } = makeHistory();
    ctx.startSession(repository, 'one');
    write('kept', '1');
    write('gone', '1');
    ctx.compactSession(repository);
    ctx.startSession(repository, 'two');
    write('kept', null);
    ctx.flushStep(repository);
    write('kept', '2');
    write('gone', '2');
    ctx.flushStep(repository);
    write('gone', null);
    write('never', '1');
    write('never', null);
    expect(filesOf(ctx.compactSession(repository).oid as string)).toEqual({ kept: '2' });
  });

  test.each([
    ['in one session', false],
    ['over two sessions', true],
  ])('a folder takes the place of a file, and a file that of a folder, %s', (_words, twice) => {
    const { repository, write, folder, filesOf } = makeHistory();
    const next = (): void => {
      if (!twice) return;
      ctx.compactSession(repository);
      ctx.startSession(repository, 'next');
    };
    ctx.startSession(repository, 'one');
    write('file', 'was a file');
    write('folder/a', 'was in a folder');
    write('folder/b/c', 'deep in a folder');
    next();
    rmSync(join(folder, 'file'));
    rmSync(join(folder, 'folder'), { recursive: true });
    write('file/inside', 'in a folder now');
    write('folder', 'a file now');
    expect(filesOf(ctx.compactSession(repository).oid as string)).toEqual({
      'file/inside': 'in a folder now',
      folder: 'a file now',
    });
  });

  test('a folder that was deleted as a whole is gone, with all that was in it', () => {
    const { repository, write, filesOf } = makeHistory();
    ctx.startSession(repository, 'one');
    write('folder/a', '1');
    write('folder/b', '1');
    write('other', '1');
    ctx.compactSession(repository);
    ctx.startSession(repository, 'two');
    write('folder', null);
    expect(filesOf(ctx.compactSession(repository).oid as string)).toEqual({ other: '1' });
  });

  test('a content in chunks is one file, gives way and takes its place as one', () => {
    const { repository, write, folder, filesOf, git } = makeHistory({ snapshot_limit: '64MiB' });
    const large = Buffer.alloc(9 * 1024 * 1024, 'large ');
    ctx.startSession(repository, 'one');
    write('big', large);
    const one = ctx.compactSession(repository).oid as string;
    expect(Object.keys(filesOf(one))).toEqual(['big']);
    expect(git('ls-tree', '-r', '--name-only', `${one}:files`)).toBe(
      'big/00000000.chunk\nbig/00000001.chunk\nbig/00000002.chunk\n',
    );
    ctx.startSession(repository, 'two');
    rmSync(join(folder, 'big'));
    write('big/x', 'a folder now');
    ctx.flushStep(repository);
    expect(filesOf(ctx.compactSession(repository).oid as string)).toEqual({ 'big/x': 'a folder now' });
    ctx.startSession(repository, 'three');
    rmSync(join(folder, 'big'), { recursive: true });
    write('big', large);
    expect(filesOf(ctx.compactSession(repository).oid as string)).toEqual({ big: filesOf(one)['big'] });
  });

  test('a path that Git would take for its own is kept in the chain, and not under files/', () => {
    const { repository, write, filesOf, store } = makeHistory();
    ctx.startSession(repository, 'one');
    write('.gitmodules', '[submodule "x"]\n\turl = --evil\n');
    write('ok', '1');
    const { oid, work } = ctx.compactSession(repository);
    expect(filesOf(oid as string)).toEqual({ ok: '1' });
    const [, step] = [...ctx.showRevision(repository, work).steps, ...ctx.showRevision(repository, `${work}~1`).steps];
    const records = [...ctx.showRevision(repository, work).steps].flatMap((shown) => shown.observations);
    const blob = records.find((record) => record['path'] === '.gitmodules')?.['blob'] as string;
    expect(repository.objects.read(blob).content.toString()).toContain('--evil');
    expect(step?.step).toBe(1);
    expect(fsck(store)).toBe('');
  });
});

describe('what it is called', () => {
  /** Moves a session to its end by some verbs and compacts it. */
  const end = (verbs: Verb[], options: ctx.CompactOptions = {}) => {
    const project = makeProject();
    ctx.startSession(project.repository, 'Fix\nthe retry', { agent: 'codex' });
    for (const verb of verbs) ctx.setState(project.repository, verb, { text: `words of ${verb}` });
    const result = ctx.compactSession(project.repository, options);
    const format = '%s|%an|%cn|%P|%(trailers:only,unfold,separator=%x2C)';
    return { ...project, result, told: project.git('log', '-1', `--format=${format}`, result.oid as string).trim() };
  };

  test.each<[string, Verb[], ctx.CompactOptions, CommitType, string]>([
    ['while it runs', [], {}, { kind: 'Normal' }, 'Running'],
    ['while it waits', ['ask'], {}, { kind: 'Normal' }, 'AwaitingUser'],
    ['when it was confirmed', ['done', 'confirm'], {}, { kind: 'Normal' }, 'Complete'],
    ['when it was aborted', ['abort'], {}, { kind: 'Abandoned' }, 'Aborted'],
    ['as it was asked for', ['abort'], { type: { kind: 'Normal' } }, { kind: 'Normal' }, 'Aborted'],
    [
      'with a type that has a field',
      ['interrupt'],
      { type: { kind: 'InterruptedByNewTask', new_task_summary: 'New\nthing' } },
      { kind: 'InterruptedByNewTask', new_task_summary: 'New\nthing' },
      'Interrupted',
    ],
  ])('%s', (_words, verbs, options, type, state) => {
    const { result, told, repository, git } = end(verbs, options);
    expect(result).toMatchObject({ commit_type: type, session_state: { kind: state }, step_count: verbs.length + 1 });
    const [subject, author, committer, parents, trailers] = told.split('|');
    expect([author, committer, parents?.split(' ').length]).toEqual(['codex', 'ctx', 1]);
    expect(subject).toBe(
      type.kind === 'InterruptedByNewTask' ? 'Saved before starting new task: Fix the retry' : 'Fix the retry',
    );
    expect(trailers?.split(',')).toEqual([
      `Ctx-Type: ${type.kind}`,
      `Ctx-Session: ${result.session_id}`,
      'Ctx-Task: Fix the retry',
      `Ctx-State: ${state}`,
      `Ctx-Work: ${result.work}`,
      `Ctx-Steps: ${verbs.length + 1}`,
      ...(type.kind === 'InterruptedByNewTask' ? ['Ctx-New-Task: New thing'] : []),
    ]);
    // The exact words are in session.json.
    const session = JSON.parse(git('show', `${result.oid}:session.json`));
    expect(session).toMatchObject({
      task_description: 'Fix\nthe retry',
      session_state: result.session_state,
      ended: { type, message: result.message, at: 1_769_040_000 },
    });
    expect(repository.refs.stage()).toBeNull();
  });

  test('a message of one’s own is kept to the letter, and one that is blank does not count', () => {
    const own = end([], { message: 'First line\n\nCtx-Type: Abandoned' });
    expect(own.result.message).toBe('First line\n\nCtx-Type: Abandoned');
    expect(own.told).toMatch(/^First line Ctx-Type: Abandoned\|/);
    expect(own.told).toContain('|Ctx-Type: Normal,');
    expect([...ctx.readLog(own.repository)][0]?.message).toBe('First line\n\nCtx-Type: Abandoned');
    expect(end([], { message: ' \n' }).result.message).toBe('Fix\nthe retry');
  });
});

describe('what is in it', () => {
  test('session.json, summary.md, notes.jsonl, edges.jsonl and files/', () => {
    const { repository, write, git, store } = makeHistory();
    ctx.startSession(repository, 'the task');
    const note = ctx.observeNote(repository, 'Decision: jitter').records[0];
    ctx.observeNote(repository, 'n'.repeat(6_000));
    ctx.observeCommand(repository, { command: 'npm test', exit_code: 1, output: 'o'.repeat(9_000) });
    ctx.observeRelations(repository, [{ from: 'file:a', label: 'Calls', to: 'file:b', evidence: 'seen' }]);
    write('a.txt', 'a');
    const { oid } = ctx.compactSession(repository);
    expect(git('ls-tree', '--name-only', oid as string)).toBe(
      'edges.jsonl\nfiles\nnotes.jsonl\nsession.json\nsummary.md\n',
    );
    const lines = (name: string): Record<string, unknown>[] =>
      git('show', `${oid}:${name}`)
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
    expect(lines('edges.jsonl')).toMatchObject([{ kind: 'relation', from: 'file:a', evidence: 'seen' }]);
    const notes = lines('notes.jsonl');
    expect(notes.map((record) => record['kind'])).toEqual(['note', 'note', 'command']);
    expect(notes[0]).toMatchObject({ id: note, content: 'Decision: jitter' });
    expect(notes[1]).toMatchObject({ content: { bytes: 6_000 } });
    expect(notes[2]).toMatchObject({ command: 'npm test', exit_code: 1 });
    expect(notes[2]).not.toHaveProperty('output');
    const summary = git('show', `${oid}:summary.md`);
    expect(summary).toContain('## Decisions\n\n- jitter\n');
    expect(summary).toContain('- `npm test` (exit 1)');
    expect(summary).toContain('## Files changed\n\n- a.txt\n');
    expect(fsck(store)).toBe('');
  });
});

describe('what becomes of the pointers', () => {
  test('main moves on, the chain goes to the archive, STAGE and the session’s own ref go', () => {
    const { repository, git, store } = makeProject();
    const { session_id, base } = ctx.startSession(repository, 't');
    const head = ctx.flushStep(repository, { allowEmpty: true }).oid;
    const { oid, work } = ctx.compactSession(repository);
    expect(work).toBe(head);
    expect(git('rev-parse', 'main', `main~1`, archiveRef(session_id))).toBe(`${oid}\n${base}\n${work}\n`);
    expect(repository.refs.read(sessionRef(session_id))).toBeNull();
    expect(git('rev-list', '--count', archiveRef(session_id), '^main').trim()).toBe('2');
    expect(errorOf(() => ctx.compactSession(repository)).code).toBe('no_active_session');
    expect(fsck(store)).toBe('');
  });

  test('a session of its own choice leaves STAGE where it is', () => {
    const { repository, open } = makeProject();
    const first = ctx.startSession(repository, 'first').session_id;
    const second = ctx.startSession(repository, 'second', { beside: true }).session_id;
    ctx.compactSession(open({ session: first }));
    expect(repository.refs.stage()).toBe(sessionRef(second));
    expect(repository.refs.read(archiveRef(first))).not.toBeNull();
    expect(errorOf(() => ctx.compactSession(open({ session: first }))).code).toBe('not_found');
  });
});
