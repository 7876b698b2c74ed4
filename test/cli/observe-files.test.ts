// `ctx observe read` and `write`: what is kept of files, wherever they lie and whatever they are called.
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ActiveStatus, Shown, ShownStep, StoredRecord } from '../../src/index.ts';
import { fingerprint, folder, fsck, type Repo, repository, seen, session, write } from '../support/cli.ts';

/** One session; every test adds its own files and steps to it. */
let repo: Repo;
beforeAll(() => {
  repo = session();
});

/** The records of the last step. */
function lastRecords(of = repo): StoredRecord[] {
  const head = of.git('rev-parse', 'STAGE').trim();
  return of.json<Shown & { steps: ShownStep[] }>(['show', head]).steps[0]?.observations ?? [];
}

/** Observes with --flush and gives the records of that step. */
function observed(verb: 'read' | 'write', ...paths: string[]): StoredRecord[] {
  const line = verb === 'read' ? ['observe', 'read', '--flush'] : ['observe', 'write', '--flush'];
  expect(repo.run([...line, ...paths])).toMatchObject({ code: 0, stderr: '' });
  return lastRecords();
}

/** The paths under `files/` of the session's head. */
const filesKept = (of = repo): string[] =>
  of.git('ls-tree', '-r', '-z', '--name-only', 'STAGE', 'files/').split('\0').filter(Boolean);

const sha1 = (content: string | Buffer): string =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(content)}\0`)
    .update(content)
    .digest('hex');
const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

describe.each(['read', 'write'] as const)('observe %s', (verb) => {
  test.for([
    ['text', 'export const x = 1;\n'],
    ['text without a last line feed, and not ASCII', 'grüße 👋'],
    ['binary', Buffer.from([0, 255, 1, 254, 10, 13, 0])],
    ['nothing', ''],
    ['text that is no UTF-8', Buffer.from([0x66, 0xfc, 0x72])],
  ] as const)('keeps a file of %s byte by byte', ([what, content]) => {
    const path = `kept/${verb} ${what}.bin`;
    repo.write(path, content);
    const [record, ...others] = what === 'binary' ? observed(verb, path, '--content') : observed(verb, path);
    expect(others).toEqual([]);
    expect(record).toMatchObject({ kind: verb, path, blob: sha1(content), bytes: Buffer.byteLength(content) });
    expect(record).not.toHaveProperty('sha256');
    expect(repo.git('rev-parse', `STAGE:files/${path}`).trim()).toBe(sha1(content));
  });

  test('keeps what is as large as the limit, and of more only its size and SHA-256', () => {
    const limited = session();
    write(join(limited.store, 'settings.json'), '{"snapshot_limit": "1KiB"}');
    const [fits, over] = [randomBytes(512).toString('hex'), `${randomBytes(512).toString('hex')}z`];
    limited.write('fits', fits);
    limited.write('over', over);
    limited.run(['observe', verb, 'fits', 'over', '--flush']);
    const [kept, measured] = lastRecords(limited);
    expect(kept).toMatchObject({ path: 'fits', blob: sha1(fits), bytes: 1024 });
    expect(measured).toMatchObject({ path: 'over', bytes: 1025, sha256: sha256(over) });
    expect(measured).not.toHaveProperty('blob');
    expect(filesKept(limited)).toEqual(['files/fits']);
    expect(limited.json<ActiveStatus>(['stage', 'status']).files_touched).toBe(2);
  });

  test.each([
    ['binary', 'picture.png', randomBytes(8001).fill(0, 7999)],
    ['known to hold secrets', '.env', 'PORT=8080\n'],
  ])('of what is %s keeps name, size and SHA-256 only, unless asked for', (_words, name, content) => {
    const own = session();
    own.write(name, content);
    own.run(['observe', verb, name, '--flush']);
    const [record] = lastRecords(own);
    expect(record).toMatchObject({ path: name, bytes: content.length, sha256: sha256(content) });
    expect(record).not.toHaveProperty('blob');
    expect(filesKept(own)).toEqual([]);
    const line = verb === 'read' ? ['observe', 'read', '--content'] : ['observe', 'write', '--content'];
    own.run([...line, name, '--flush']);
    expect(lastRecords(own)[0]).toMatchObject({ path: name, blob: sha1(content) });
    expect(filesKept(own)).toEqual([`files/${name}`]);
  });

  test('names a path from the project, wherever one is', () => {
    repo.write('src/deep/client.ts', verb);
    const cwd = join(repo.dir, 'src/deep');
    for (const path of ['client.ts', './client.ts', '../deep/client.ts', join(cwd, 'client.ts')]) {
      repo.run(['observe', verb, path], { cwd });
    }
    repo.run(['-C', 'src', 'observe', verb, 'deep/client.ts']);
    repo.run(['stage', 'flush']);
    expect(lastRecords().map((record) => record['path'])).toEqual(Array(5).fill('src/deep/client.ts'));
  });

  test('keeps a file outside of the project beside the others, under its whole path', () => {
    const before = filesKept();
    const path = write(join(folder(), 'outside.txt'), `outside ${verb}`);
    const [record] = observed(verb, path);
    expect(record).toMatchObject({ kind: verb, path, blob: sha1(`outside ${verb}`) });
    expect(filesKept()).toEqual(before);
    expect(repo.git('cat-file', 'blob', `STAGE:payload/${record?.id}.content`)).toBe(`outside ${verb}`);
  });

  test('keeps what Git takes for its own out of files/', () => {
    const paths = [
      '.git/config',
      'sub/.git/HEAD',
      '.GIT/config',
      '.gitmodules',
      '.gitattributes',
      'sub/.GitModules',
      'git~1',
      'GIT~1x/GIT~1/x',
      'gitmod~1',
      'gi7eba~1',
      '.git ',
      '.git.',
      '.git::$INDEX_ALLOCATION',
      '.g\u200cit/config',
      '.git\u200d/config',
      'back\\slash',
    ];
    for (const path of paths) repo.write(path, `${verb} ${path}`);
    const before = filesKept();
    const records = observed(verb, ...paths);
    expect(records).toMatchObject(paths.map((path) => ({ path, blob: sha1(`${verb} ${path}`) })));
    expect(filesKept()).toEqual(before);
    expect(repo.git('ls-tree', '--format=%(objectname) %(path)', 'STAGE:payload').split('\n')).toEqual(
      expect.arrayContaining(records.map((record) => `${record['blob']} ${record.id}.content`)),
    );
    fsck(repo.dir);
  });

  test('keeps names that only look odd like any other', () => {
    const names = ['.gitignore', '.github/ci.yml', 'git', 'a.git', '...', '-n', 'line\nfeed', 'q"uote', 'ü/é', ' '];
    for (const path of names) repo.write(path, path);
    const line = verb === 'read' ? ['observe', 'read', '--flush', '--'] : ['observe', 'write', '--flush', '--'];
    expect(repo.run([...line, ...names])).toMatchObject({ code: 0 });
    expect(lastRecords()).toMatchObject(names.map((path) => ({ path, blob: sha1(path) })));
    expect(filesKept()).toEqual(expect.arrayContaining(names.map((path) => `files/${path}`)));
    fsck(repo.dir);
  });

  test('keeps a path of 1,024 bytes in files/, and a longer one beside', () => {
    const long = (bytes: number): string => `${'d'.repeat(200)}/`.repeat(5) + 'f'.repeat(bytes - 1005);
    const [fits, over] = [long(1024), long(1025)];
    for (const path of [fits, over]) repo.write(path, path);
    expect(observed(verb, fits, over)).toMatchObject([{ path: fits }, { path: over, blob: sha1(over) }]);
    expect(filesKept().filter((path) => path.includes('ddd'))).toEqual([`files/${fits}`]);
  });

  test('follows a link to what it names', () => {
    repo.write('target.txt', 'the target');
    rmSync(join(repo.dir, 'link.txt'), { force: true });
    symlinkSync('target.txt', join(repo.dir, 'link.txt'));
    expect(observed(verb, 'link.txt')).toMatchObject([{ path: 'link.txt', blob: sha1('the target') }]);
  });

  test('names a path inside the project that a link outside of it leads to', () => {
    const outside = folder();
    symlinkSync(repo.dir, join(outside, 'project'));
    repo.write('linked.txt', 'linked');
    expect(observed(verb, join(outside, 'project/linked.txt'))).toMatchObject([{ path: 'linked.txt' }]);
  });

  test('refuses a folder, and what belongs to the store', () => {
    mkdirSync(join(repo.dir, 'folder'), { recursive: true });
    const before = fingerprint(join(repo.store, 'pending'));
    expect(seen(repo.run(['observe', verb, 'folder']))).toBe(
      'exit 1\nerr| error: <dir>/folder is not a file.\nerr| hint: Name the files in it one by one.',
    );
    expect(repo.refused(['observe', verb, '.ctx/HEAD'])).toMatchObject({
      exit: 1,
      code: 'invalid_input',
      message: '.ctx/HEAD belongs to the store itself.',
    });
    expect(repo.refused(['observe', verb, join(repo.store, 'config')])).toMatchObject({
      exit: 1,
      code: 'invalid_input',
    });
    expect(repo.refused(['observe', verb, '.'])).toMatchObject({ exit: 1, code: 'invalid_input' });
    expect(fingerprint(join(repo.store, 'pending'))).toEqual(before);
  });

  test('keeps the other paths of a line when one cannot be observed, and names that one', () => {
    repo.write('one.ts', '1');
    repo.write('two.ts', '2');
    mkdirSync(join(repo.dir, 'folder'), { recursive: true });
    const line = ['observe', verb, 'one.ts', 'folder', 'two.ts'];
    const result = repo.json<{ records: string[]; problems: object[] }>(line, { exit: 1 });
    expect(result.records).toHaveLength(2);
    expect(result.problems).toEqual([{ path: 'folder', message: `${join(repo.dir, 'folder')} is not a file.` }]);
    repo.run(['stage', 'flush']);
    expect(lastRecords()).toMatchObject([{ path: 'one.ts' }, { path: 'two.ts' }]);
    expect(seen(repo.run([...line, '--flush']))).toMatch(
      /^exit 1\nout\| Kept 2 records, step \d+ <oid1>\nerr\| warning: folder was not kept: <dir>\/folder is not a file\.$/,
    );
  });

  test('is kept at once and flushed later; --flush makes a step of everything that waits', () => {
    repo.write('later.ts', 'x');
    expect(seen(repo.run(['observe', verb, 'later.ts']))).toMatch(/^exit 0\nout\| Kept 1 record(\nerr\| hint: .*)?$/);
    expect(repo.json<ActiveStatus>(['stage', 'status']).pending_observations).toBe(1);
    expect(observed(verb, 'later.ts')).toHaveLength(2);
    expect(repo.json<ActiveStatus>(['stage', 'status']).pending_observations).toBe(0);
  });

  test('is refused if no session is active', () => {
    const bare = repository();
    bare.write('x', 'x');
    expect(bare.refused(['observe', verb, 'x'])).toMatchObject({ exit: 1, code: 'no_active_session' });
    expect(fingerprint(join(bare.store, 'pending'))).toEqual({});
  });
});

describe('a file that is not there', () => {
  test('cannot have been read', () => {
    expect(seen(repo.run(['observe', 'read', 'gone.ts']))).toMatchInlineSnapshot(`
      "exit 1
      err| error: There is no file gone.ts.
      err| hint: Record a deleted file with: ctx observe write --deleted <path>"
    `);
  });

  const NEVER = ['gone.ts', 'no/such/folder/gone.ts', 'kept.txt/below'];

  test.each(NEVER)('was deleted, if the command says so: %s', (path) => {
    repo.write('kept.txt', 'a file, not a folder');
    expect(repo.run(['observe', 'write', '--deleted', '--flush', path])).toMatchObject({ code: 0, stderr: '' });
    const [record] = lastRecords();
    expect(record).toMatchObject({ kind: 'delete', path });
    expect(record).not.toHaveProperty('blob');
  });

  test.each(NEVER)('is refused if ctx never knew of it: %s', (path) => {
    const other = session();
    other.write('kept.txt', 'a file, not a folder');
    expect(other.refused(['observe', 'write', path])).toMatchObject({
      exit: 1,
      code: 'not_found',
      message: `There is no file ${path}, and ctx never knew of one.`,
      hint: 'Record a deleted file with: ctx observe write --deleted <path>',
    });
    expect(other.json<ActiveStatus>(['status'])).toMatchObject({ pending_observations: 0 });
  });

  test('was deleted if a record that waits, a step, or a session before knows of it', () => {
    const other = session();
    for (const path of ['waits.ts', 'step.ts', 'before.ts', '../outside.ts']) other.write(path, 'x');
    const write = (path: string): string => other.run(['observe', 'write', path]).stdout;
    write('before.ts');
    other.run(['stage', 'compact']);
    other.run(['start', 'Another']);
    write('step.ts');
    write('../outside.ts');
    other.run(['flush']);
    write('waits.ts');
    for (const path of ['waits.ts', 'step.ts', 'before.ts', '../outside.ts']) {
      rmSync(join(other.dir, path));
      expect(write(path)).toBe('Kept 1 record\n');
    }
    other.run(['flush']);
    expect(lastRecords(other).map(({ kind }) => kind)).toEqual(['write', ...Array(4).fill('delete')]);
  });

  test('cannot be deleted while it is there', () => {
    repo.write('there.ts', 'x');
    expect(repo.refused(['observe', 'write', '--deleted', 'there.ts'])).toMatchObject({ code: 'invalid_input' });
  });

  test('goes from files/, and comes back', () => {
    const there = (): boolean => filesKept().includes('files/comes/and/goes.ts');
    repo.write('comes/and/goes.ts', '1');
    observed('write', 'comes/and/goes.ts');
    expect(there()).toBe(true);
    rmSync(join(repo.dir, 'comes'), { recursive: true });
    expect(observed('write', 'comes/and/goes.ts')).toMatchObject([{ kind: 'delete' }]);
    expect(there()).toBe(false);
    repo.write('comes/and/goes.ts', '2');
    observed('write', 'comes/and/goes.ts');
    expect(repo.git('cat-file', 'blob', 'STAGE:files/comes/and/goes.ts')).toBe('2');
  });

  test('is gone from the files of the main line when its session is saved', () => {
    const other = session();
    other.write('a.ts', 'a');
    other.write('b.ts', 'b');
    other.run(['observe', 'write', 'a.ts', 'b.ts']);
    other.run(['stage', 'compact']);
    other.run(['stage', 'start', 'Next']);
    rmSync(join(other.dir, 'a.ts'));
    other.run(['observe', 'write', 'a.ts']);
    other.run(['stage', 'compact']);
    expect(other.git('ls-tree', '-r', '--name-only', 'main~1', 'files/')).toBe('files/a.ts\nfiles/b.ts\n');
    expect(other.git('ls-tree', '-r', '--name-only', 'main', 'files/')).toBe('files/b.ts\n');
    fsck(other.dir);
  });
});

describe('a file and a folder of one name', () => {
  test('displace each other, step by step or within one step, and nothing of the earlier one stays', () => {
    const other = session();
    const change = (path: string, content: string): void => {
      rmSync(join(other.dir, path.split('/')[0] as string), { recursive: true, force: true });
      other.write(path, content);
      expect(other.run(['observe', 'write', path])).toMatchObject({ code: 0 });
    };
    change('name', 'a file');
    other.run(['stage', 'flush']);
    expect(filesKept(other)).toEqual(['files/name']);
    change('name/below/it', 'a folder');
    other.run(['stage', 'flush']);
    expect(filesKept(other)).toEqual(['files/name/below/it']);
    change('name', 'a file again');
    change('name/below', 'a folder again');
    change('name', 'a file for good');
    other.run(['stage', 'flush']);
    expect(other.git('cat-file', 'blob', 'STAGE:files/name')).toBe('a file for good');
    fsck(other.dir);
    // The content in between can still be read: its record names a blob that the step keeps.
    const blobs = lastRecords(other).map((record) => String(record['blob']));
    expect(blobs.map((blob) => other.git('cat-file', 'blob', blob))).toEqual([
      'a file again',
      'a folder again',
      'a file for good',
    ]);
    other.run(['stage', 'compact']);
    expect(other.git('ls-tree', '-r', '--name-only', 'main', 'files/')).toBe('files/name\n');
    expect(other.git('fsck', '--unreachable', '--no-reflogs')).toBe('');
  });
});

test('Git finds nothing wrong with all of that, and the session can be saved', () => {
  fsck(repo.dir);
  expect(repo.run(['stage', 'compact'])).toMatchObject({ code: 0 });
  fsck(repo.dir);
  expect(repo.git('fsck', '--unreachable', '--no-reflogs')).toBe('');
});
