// Names of refs that are no UTF-8: Git takes any bytes, and whatever ctx does to its own pointers leaves those refs as they are.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkOrMend, checkStore } from '../../src/app/fsck.ts';
import { sessionRef } from '../../src/history/names/layout.ts';
import * as ctx from '../../src/index.ts';
import { errorOf, fsck, gitBytes, makeProject, type Project } from '../support/store.ts';

const TEXT = 'secretword alpha';

/** A session that tells TEXT, and branches on it whose names differ in a byte that is no UTF-8: all of it packed, and without reflogs. */
function packed(): Project & { id: string } {
  const project = makeProject();
  const { session_id: id } = ctx.startSession(project.repository, 'Task one');
  ctx.observeNote(project.repository, TEXT);
  ctx.flushStep(project.repository);
  const head = project.git('rev-parse', sessionRef(id)).trim();
  const branches = ['\xe8', '\xe9'].map((byte) => `create refs/heads/caf${byte} ${head}\n`);
  const words = ['-c', 'core.logAllRefUpdates=false', 'update-ref', '--stdin'];
  gitBytes(project.store, words, Buffer.from(branches.join(''), 'latin1'));
  project.git('pack-refs', '--all');
  return { ...project, id };
}

const branchesOf = ({ store }: Project): string[] =>
  gitBytes(store, ['for-each-ref', '--format=%(refname)', 'refs/heads/caf*']).toString('latin1').trimEnd().split('\n');

describe('a packed ref whose name is no UTF-8', () => {
  test('keeps it where a packed pointer of ctx is deleted', () => {
    const project = packed();
    ctx.compactSession(project.open(), { message: 'done' });
    expect(readFileSync(join(project.store, 'packed-refs'), 'latin1')).not.toContain(sessionRef(project.id));
    expect(branchesOf(project)).toEqual(['refs/heads/caf\xe8', 'refs/heads/caf\xe9']);
    expect(fsck(project.store)).toBe('');
  });

  test('keeps it if what it names is written again by a forgetting', () => {
    const project = packed();
    const before = project.git('rev-parse', sessionRef(project.id));
    ctx.forget(project.open(), { text: TEXT });
    expect(project.git('rev-parse', sessionRef(project.id))).not.toBe(before);
    expect(branchesOf(project)).toEqual(['refs/heads/caf\xe8', 'refs/heads/caf\xe9']);
    expect(fsck(project.store)).toBe('');
  });
});

// No file system of macOS takes such a name.
describe.skipIf(process.platform !== 'linux')('a ref with a file of its own whose name is no UTF-8', () => {
  function loose(path: string, content?: string): Project {
    const project = packed();
    const file = Buffer.from(`${project.store}/${path}`, 'latin1');
    mkdirSync(file.subarray(0, file.lastIndexOf('/')), { recursive: true });
    writeFileSync(file, content ?? project.git('rev-parse', sessionRef(project.id)));
    return project;
  }

  const findingsOf = (project: Project): unknown =>
    checkStore(project.open(), { full: true }).findings.map(({ where, message, hint }) => ({ where, message, hint }));

  test.each([
    ['its own name', 'refs/heads/th\xe9', 'refs/heads/th\\351', "branch -m $'th\\351' <new-name>"],
    ['that of its folder', 'refs/heads/th\xe9/x', 'refs/heads/th\\351/x', "branch -m $'th\\351/x' <new-name>"],
    ['that of its folder alone', 'refs/heads/\xc3\xa9/\xe9', 'refs/heads/\\303\\251/\\351', 'branch -m'],
    ['that of a tag', 'refs/tags/th\xe9', 'refs/tags/th\\351', "update-ref -d $'refs/tags/th\\351'"],
    ['that of its reflog', 'logs/refs/heads/caf\xe9', 'logs/refs/heads/caf\\351', "branch -m $'caf\\351' <new-name>"],
  ])('keeps anything from being forgotten, and is named: %s', (_what, path, name, hint) => {
    const project = loose(path);
    const before = project.git('for-each-ref');
    for (const dryRun of [true, false]) {
      const error = errorOf(() => ctx.forget(project.open(), { text: TEXT }, { dryRun }));
      expect(error).toMatchObject({ code: 'unsupported_store', hint: expect.stringContaining(hint) });
      expect(error.message).toBe(
        `Nothing was forgotten: the name of ${name} is no UTF-8, and it could not be brought along.`,
      );
    }
    expect(project.git('for-each-ref')).toBe(before);
    expect(findingsOf(project)).toEqual([]);
  });

  test('has a reflog: an id in it that is gone is reported, with what Git is given to leave it out', () => {
    const project = loose('refs/heads/th\xe9');
    const head = project.git('rev-parse', 'main').trim();
    const gone = '4'.repeat(40);
    const line = (from: string, to: string): string => `${from} ${to} a <a@b> 1769040000 +0000\tx\n`;
    const folder = join(project.store, 'logs/refs/heads');
    mkdirSync(folder, { recursive: true });
    writeFileSync(Buffer.from(`${folder}/th\xe9`, 'latin1'), line('0'.repeat(40), gone) + line(gone, head));
    expect(fsck(project.store)).toContain('invalid reflog entry');
    const finding = {
      where: 'logs/refs/heads/th\\351 line 1',
      message: `it moved to ${gone}, which is missing from the store`,
      hint: expect.stringContaining(`expire-unreachable=never $'refs/heads/th\\351'`),
    };
    expect(findingsOf(project)).toEqual([finding]);
    expect(checkStore(project.open(), { repair: true }).repaired).toEqual([]);
    const typed = /leave out what names it: (.*)$/.exec(checkStore(project.open()).findings[0]?.hint ?? '')?.[1] ?? '';
    execFileSync('bash', ['-c', typed]);
    expect([findingsOf(project), fsck(project.store)]).toEqual([[], '']);
  });

  test('is torn: that is reported, and nothing can be done about it but by hand', async () => {
    const project = loose('refs/heads/th\xe9', 'torn\n');
    const finding = {
      where: 'refs/heads/th\\351',
      message: 'its file holds neither an object id nor the name of a ref',
      hint: 'Its name is no UTF-8: look into the file, and move it out of the store, by hand.',
    };
    expect(findingsOf(project)).toEqual([finding]);
    expect((await checkOrMend(project.open(), { repair: true })).repaired).toEqual([]);
  });

  test('names what is gone: the command that is printed removes it', () => {
    const project = loose('refs/heads/th\xe9', `${'4'.repeat(40)}\n`);
    const [{ message, hint } = { message: '', hint: '' }] = checkStore(project.open(), { full: true }).findings;
    expect(message).toBe(`it names ${'4'.repeat(40)}, which is missing from the store`);
    execFileSync('bash', ['-c', hint.slice(hint.indexOf('git --git-dir'))]);
    expect(findingsOf(project)).toEqual([]);
  });

  test('counts in the place of the packed one of its name', () => {
    const project = packed();
    const text = readFileSync(join(project.store, 'packed-refs'), 'latin1');
    const stale = text.replace(/^[0-9a-f]{40}(?= refs\/heads\/caf\xe9$)/m, '4'.repeat(40));
    writeFileSync(join(project.store, 'packed-refs'), stale, 'latin1');
    expect(findingsOf(project)).toMatchObject([{ where: 'refs/heads/caf\\351' }]);
    const file = Buffer.from(`${project.store}/refs/heads/caf\xe9`, 'latin1');
    writeFileSync(file, project.git('rev-parse', sessionRef(project.id)));
    expect(findingsOf(project)).toEqual([]);
  });
});
