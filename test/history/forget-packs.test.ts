// Forgetting takes packs apart, and no file beside them that is not its own: what nobody can look into is told, or comes first.
import { existsSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkOrMend } from '../../src/app/fsck.ts';
import * as ctx from '../../src/index.ts';
import { errorOf, fsck, git as gitOf, makeProject, type Project } from '../support/store.ts';
import { tracesOf } from '../support/traces.ts';

const TEXT = 'secretword alpha';

interface Subject extends Project {
  /** The folder of the packs. */
  packs: string;
}

/** A session that tells TEXT. */
function telling(): Subject {
  const project = makeProject();
  ctx.startSession(project.repository, 'Task one');
  ctx.observeNote(project.repository, TEXT);
  ctx.flushStep(project.repository);
  return { ...project, packs: join(project.store, 'objects', 'pack') };
}

/** Puts the whole store into one pack of the user's beside it, under a name of the user's, without an index. */
function backUp({ git, packs, store }: Subject): string {
  const all = git('rev-list', '--objects', '--all').replace(/ .*/gm, '');
  const name = gitOf(store, ['pack-objects', '-q', join(packs, 'pack')], all).trim();
  const path = join(packs, 'backup.pack');
  renameSync(join(packs, `pack-${name}.pack`), path);
  for (const file of readdirSync(packs)) if (file.includes(name)) rmSync(join(packs, file));
  return path;
}

function age(path: string, hours: number): void {
  const then = Date.now() / 1000 - hours * 3600;
  utimesSync(path, then, then);
}

const forgets = (project: Project): ctx.ForgetResult => ctx.forget(project.open(), { text: TEXT });

describe('a pack of the user without an index', () => {
  test('keeps anything from being forgotten until it has one: then it goes as well', async () => {
    const project = telling();
    const path = backUp(project);
    age(path, 2);
    for (const dryRun of [true, false])
      expect(errorOf(() => ctx.forget(project.open(), { text: TEXT }, { dryRun }))).toMatchObject({
        code: 'unsupported_store',
        message: 'Nothing was forgotten: objects/pack/backup.pack has no index, and may hold it.',
        hint: expect.stringMatching(/^Make one with: ctx fsck --repair; /),
      });
    expect(existsSync(path)).toBe(true);
    await checkOrMend(project.open(), { repair: true });
    expect(forgets(project)).toMatchObject({ left: [], packs: 1 });
    expect(tracesOf(project.store, TEXT)).toEqual([]);
    expect(fsck(project.store)).toBe('');
  });

  test('that is young may be about to get one: it stays, and is named', () => {
    const project = telling();
    const path = backUp(project);
    const { left, unreachable } = forgets(project);
    expect(left).toEqual(['objects/pack/backup.pack']);
    expect(unreachable[0]).toMatch(/^objects\/pack\/backup\.pack in this store may hold it: it has no index, /);
    expect(existsSync(path)).toBe(true);
  });
});

test('what keeps a pack that is not there stays, however old it is', () => {
  const project = telling();
  const path = join(project.packs, 'mine.keep');
  writeFileSync(path, 'until the end of the year\n');
  age(path, 2);
  expect(forgets(project)).toMatchObject({ left: [], files: [] });
  expect(existsSync(path)).toBe(true);
});

describe('a pack that is being written', () => {
  test.each(['tmp_pack_abcdef', '.tmp-4711-pack-abc.pack'])('stays while it is young, and is named: %s', (name) => {
    const project = telling();
    const path = join(project.packs, name);
    writeFileSync(path, 'PACK');
    const { left, unreachable } = forgets(project);
    expect(left).toEqual([`objects/pack/${name}`]);
    expect(unreachable[0]).toBe(
      `objects/pack/${name} in this store may hold it: it is a pack that somebody may be writing. If nobody is, remove it; otherwise forget it again once that is done.`,
    );
    expect(existsSync(path)).toBe(true);
  });

  test('goes where it is so old that nobody is writing it', () => {
    const project = telling();
    const path = join(project.packs, 'tmp_pack_abcdef');
    writeFileSync(path, 'PACK');
    age(path, 2);
    expect(forgets(project).left).toEqual([]);
    expect(existsSync(path)).toBe(false);
  });

  test('is the one word of it if nothing else names it', () => {
    const project = telling();
    const path = join(project.packs, 'tmp_pack_abcdef');
    writeFileSync(path, 'another word');
    const error = errorOf(() => ctx.forget(project.open(), { text: 'another word' }));
    expect(error.message).toBe(
      "What is left of it in this store is not ctx's to remove: objects/pack/tmp_pack_abcdef.",
    );
  });
});
