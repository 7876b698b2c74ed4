// Forgetting keeps what the user's own refs stand on, whatever Git reads them from: what it cannot bring along it refuses to begin.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { EMPTY_TREE } from '../../src/core/tree.ts';
import { sessionRef } from '../../src/history/names/layout.ts';
import * as ctx from '../../src/index.ts';
import { errorOf, fsck, git as gitOf, makeProject, type Project } from '../support/store.ts';
import { tracesOf } from '../support/traces.ts';

const TEXT = 'secretword alpha';

/** A session that tells TEXT, and a commit of the user's on top of it that no ref names yet. */
function subject(): Project & { mine: string } {
  const project = makeProject();
  const { session_id: id } = ctx.startSession(project.repository, 'Task one');
  ctx.observeNote(project.repository, TEXT);
  ctx.flushStep(project.repository);
  const mine = project.git('commit-tree', '-p', sessionRef(id), '-m', 'my own work', EMPTY_TREE).trim();
  return { ...project, mine };
}

function put({ store }: Project, name: string | Buffer, content: string): void {
  const path = Buffer.concat([Buffer.from(`${store}/`), Buffer.from(name)]);
  mkdirSync(dirname(path.toString('latin1')), { recursive: true });
  writeFileSync(path, content);
}

describe('a branch that ctx itself would never write so', () => {
  test.each<[string, (oid: string) => string]>([
    ['with its id in capitals', (oid) => `${oid.toUpperCase()}\n`],
    ['with a word behind its id', (oid) => `${oid} extra\n`],
    ['with a line behind its id', (oid) => `${oid}\nextra\n`],
    ['with nothing behind its id', (oid) => oid],
  ])('is brought along with its commits and its reflog: %s', (_what, said) => {
    const project = subject();
    const { mine, store } = project;
    put(project, 'refs/heads/mine', said(mine));
    const line = `${'0'.repeat(40)} ${mine.toUpperCase()} a <a@b> 1769040000 +0000\tcommit: mine\n`;
    put(project, 'logs/refs/heads/mine', line);
    ctx.forget(project.open(), { text: TEXT });
    expect(project.git('log', '--format=%s', '-1', 'mine')).toBe('my own work\n');
    const now = project.git('rev-parse', 'mine').trim();
    expect(now).not.toBe(mine);
    expect(readFileSync(join(store, 'logs/refs/heads/mine'), 'utf8')).toBe(line.replace(mine.toUpperCase(), now));
    expect(tracesOf(store, TEXT)).toEqual([]);
    expect(fsck(store)).toBe('');
    expect(checkStore(project.open(), { full: true }).findings).toEqual([]);
  });

  test('keeps a line in capitals of its reflog that names nothing which goes', () => {
    const project = subject();
    const line = `${'0'.repeat(40)} ${project.git('rev-parse', 'main').trim().toUpperCase()} a <a@b> 1 +0000\tx\n`;
    put(project, 'logs/refs/heads/mine', line);
    ctx.forget(project.open(), { text: TEXT });
    expect(readFileSync(join(project.store, 'logs/refs/heads/mine'), 'utf8')).toBe(line);
  });
});

describe('a worktree', () => {
  const refusal = (project: Project) =>
    [true, false].map((dryRun) => errorOf(() => ctx.forget(project.open(), { text: TEXT }, { dryRun })));

  test.each([[['--detach']], [['-b', 'mine']]])('keeps anything from being forgotten, and is named: %j', (how) => {
    const project = subject();
    const { folder, git, mine, store } = project;
    const place = join(folder, 'my place');
    git('worktree', 'add', '-q', ...how, place, mine);
    const before = tracesOf(store, TEXT);
    for (const error of refusal(project)) {
      expect(error).toMatchObject({
        code: 'unsupported_store',
        message: `Nothing was forgotten: the worktree ${place} is based on the history of this store, which would be rewritten.`,
        hint: `Commit what is in it to a branch, then take it away: ctx git worktree remove '${place}'`,
      });
    }
    expect(tracesOf(store, TEXT)).toEqual(before);
    expect(gitOf(join(place, '.git'), ['rev-parse', 'HEAD'])).toBe(`${mine}\n`);
    git('worktree', 'remove', place);
    ctx.forget(project.open(), { text: TEXT });
    expect(fsck(store)).toBe('');
  });

  test('that is gone is forgotten by the command that is printed first', () => {
    const project = subject();
    const place = join(project.folder, 'place');
    project.git('worktree', 'add', '-q', '--detach', place, project.mine);
    rmSync(place, { recursive: true });
    for (const { hint } of refusal(project)) expect(hint).toContain('ctx git worktree prune');
    project.git('worktree', 'prune');
    ctx.forget(project.open(), { text: TEXT });
    expect(tracesOf(project.store, TEXT)).toEqual([]);
  });

  test('of which a file alone is left counts as one', () => {
    const project = subject();
    put(project, 'worktrees/a/HEAD', `call ${TEXT}\n`);
    for (const { message } of refusal(project)) expect(message).toContain('worktrees/a is based on the history');
  });
});
