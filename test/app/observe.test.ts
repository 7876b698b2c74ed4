// Observing: what is kept of texts and files, under which names, and up to which size.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { redactionFor } from '../../src/app/redaction/redact.ts';
import { keepingOf, snapshotContent } from '../../src/app/session/snapshot.ts';
import type { StoredRecord } from '../../src/core/records/record.ts';
import { CHUNK_SIZE } from '../../src/git/objects/payload.ts';
import { readTree } from '../../src/git/objects/tree-editor.ts';
import * as ctx from '../../src/index.ts';
import { ended, errorOf, fsck, makeProject, type Project, startChild, temporaryFolder } from '../support/store.ts';

const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

/** A project with a session. */
function open(settings: Record<string, unknown> = {}): Project {
  const project = makeProject(settings);
  ctx.startSession(project.repository, 'the task');
  return project;
}

/** Flushes, and gives the records of that step, whole. */
function flushed({ repository }: Project): StoredRecord[] {
  ctx.flushStep(repository);
  return [...ctx.showRevision(repository, 'STAGE').steps].at(-1)?.observations ?? [];
}

/** Bytes in pieces as standard input gives them, each in the same buffer. */
function* pieces(bytes: Buffer): Generator<Buffer> {
  const buffer = Buffer.alloc(CHUNK_SIZE);
  for (let at = 0; at < bytes.length; at += CHUNK_SIZE) {
    yield buffer.subarray(0, bytes.copy(buffer, 0, at, at + CHUNK_SIZE));
  }
}

describe('a text', () => {
  test.each<[string, Buffer]>([
    ['short', Buffer.from('short é')],
    ['of 4,096 bytes', Buffer.alloc(4_096, 'x')],
    ['of 4,097 bytes', Buffer.alloc(4_097, 'x')],
    ['of 8 MiB', Buffer.alloc(8 * 1024 * 1024, 'long é ')],
    ['with a mark of the byte order', Buffer.from('\ufeffx')],
    ['with controls in it', Buffer.from('\x1b[2J\0\r\n\u202e')],
  ])('%s comes back as it was, from a string or in pieces', (_words, bytes) => {
    const project = open();
    ctx.observeNote(project.repository, bytes.toString('utf8'));
    ctx.observeNote(project.repository, pieces(bytes));
    ctx.observeCommand(project.repository, { command: 'x', exit_code: 0, output: pieces(bytes) });
    ctx.observePlan(project.repository, pieces(bytes));
    const records = flushed(project);
    for (const record of records) expect(record['content'] ?? record['output']).toBe(bytes.toString('utf8'));
    expect(records).toHaveLength(4);
    expect(fsck(project.store)).toBe('');
  });

  test('over 8 MiB is kept in chunks, with its beginning, size and hash in the record', () => {
    const project = open();
    const bytes = Buffer.alloc(9 * 1024 * 1024 + 5, 'words and é ');
    ctx.observeNote(project.repository, pieces(bytes));
    const [record] = flushed(project);
    expect(record?.['content']).toEqual({
      preview: bytes.toString('utf8').slice(0, 200),
      bytes: bytes.length,
      sha256: sha256(bytes),
      payload: `${record?.id}-content`,
    });
    const payload = project.git('ls-tree', '-r', '-l', 'STAGE', 'payload/').trim().split('\n');
    expect(payload.map((line) => line.split(/\s+/)[3])).toEqual(['4194304', '4194304', '1048581']);
    expect(fsck(project.store)).toBe('');
  });

  test('that is no UTF-8 is kept byte by byte, and marked', () => {
    const project = open();
    const bytes = Buffer.from([0x66, 0xff, 0xfe, 0x80, 0x0a]);
    ctx.observeCommand(project.repository, { command: 'x', exit_code: 0, output: pieces(bytes) });
    ctx.flushStep(project.repository);
    const step = JSON.parse(project.git('show', 'STAGE:step.jsonl').trim()) as StoredRecord;
    expect(step['output']).toMatchObject({ bytes: 5, sha256: sha256(bytes), encoding: 'bytes' });
    const name = (step['output'] as { payload: string }).payload;
    expect(project.git('rev-parse', `STAGE:payload/${name}`).trim()).toBe(
      project.repository.objects.write('blob', bytes),
    );
  });

  test.each(['', ' \n\t '])('that says nothing is refused: %j', (text) => {
    const project = open();
    expect(errorOf(() => ctx.observeNote(project.repository, text)).code).toBe('invalid_input');
    expect(errorOf(() => ctx.observePlan(project.repository, text)).code).toBe('invalid_input');
    expect(errorOf(() => ctx.observeNote(project.repository, pieces(Buffer.alloc(0)))).code).toBe('invalid_input');
    expect(ctx.sessionStatus(project.repository)).toMatchObject({ pending_observations: 0 });
  });
});

describe('a file', () => {
  const LIMIT = 1_000;
  test.each([
    [0, true],
    [LIMIT - 1, true],
    [LIMIT, true],
    [LIMIT + 1, false],
    [LIMIT * 50, false],
  ])('of %i bytes, with a limit of 1,000: kept is %s', (size, kept) => {
    const project = open({ snapshot_limit: LIMIT });
    const bytes = Buffer.alloc(size, 'ab');
    writeFileSync(join(project.folder, 'f'), bytes);
    ctx.observeFileWrite(project.repository, 'f', project.folder);
    const [record] = flushed(project);
    const blob = kept ? project.repository.objects.read(record?.['blob'] as string).content : null;
    expect(record).toMatchObject({ kind: 'write', path: 'f', bytes: size });
    expect(record?.['sha256']).toBe(kept ? undefined : sha256(bytes));
    expect('blob' in (record ?? {})).toBe(kept);
    expect(blob?.equals(bytes) ?? false).toBe(kept);
    expect(project.git('ls-tree', '-r', '--name-only', 'STAGE').includes('files/f')).toBe(kept);
  });

  test('the default limit is 1 MiB', () => {
    const project = open();
    writeFileSync(join(project.folder, 'at'), Buffer.alloc(1_048_576, 'x'));
    writeFileSync(join(project.folder, 'over'), Buffer.alloc(1_048_577, 'x'));
    for (const name of ['at', 'over']) ctx.observeFileRead(project.repository, name, project.folder);
    expect(flushed(project).map((record) => 'blob' in record)).toEqual([true, false]);
  });

  test('over 8 MiB is kept as chunks of 4 MiB if the limit allows it', () => {
    const project = open({ snapshot_limit: '16MiB' });
    const bytes = Buffer.alloc(8 * 1024 * 1024 + 1, 'x');
    writeFileSync(join(project.folder, 'f'), bytes);
    ctx.observeFileWrite(project.repository, 'f', project.folder);
    const [record] = flushed(project);
    const chunks = readTree(project.repository.objects, record?.['blob'] as string);
    const sizes = chunks.map((chunk) => project.repository.objects.readAs(chunk.oid, 'blob').length);
    expect(sizes).toEqual([CHUNK_SIZE, CHUNK_SIZE, 1]);
    expect(fsck(project.store)).toBe('');
  });
  test('over 8 MiB is kept as chunks of 4 MiB if its content is in memory already', () => {
    const { repository } = makeProject();
    const keeping = keepingOf(repository, repository.objects, redactionFor(repository));
    const { content } = snapshotContent(Buffer.alloc(9 * 1024 * 1024, 'x'), 'f', {
      ...keeping,
      limit: 16 * 1024 * 1024,
    });
    const chunks = readTree(repository.objects, content?.oid as string);
    const sizes = chunks.map((chunk) => repository.objects.readAs(chunk.oid, 'blob').length);
    expect(sizes).toEqual([CHUNK_SIZE, CHUNK_SIZE, 1024 * 1024]);
  });

  test('that is gone was deleted, when it was written; read, it cannot be', () => {
    const project = open();
    ctx.observeFileWrite(project.repository, 'gone', project.folder, { deleted: true });
    expect(flushed(project)).toMatchObject([{ kind: 'delete', path: 'gone' }]);
    const error = errorOf(() => ctx.observeFileRead(project.repository, 'gone', project.folder));
    expect(error).toMatchObject({ code: 'not_found', message: 'There is no file gone.' });
    expect(error.hint).toContain('ctx observe write');
  });

  test('that is none, or of the store itself, is refused', () => {
    const project = open();
    mkdirSync(join(project.folder, 'folder'));
    symlinkSync('nowhere', join(project.folder, 'dangling'));
    const code = (path: string): string =>
      errorOf(() => ctx.observeFileWrite(project.repository, path, project.folder)).code;
    expect(code('folder')).toBe('invalid_input');
    expect(code('dangling')).toBe('not_found');
    expect(code('.ctx/config')).toBe('invalid_input');
    expect(code('.ctx')).toBe('invalid_input');
    expect(code(join(project.store, 'refs', 'heads', 'main'))).toBe('invalid_input');
    expect(ctx.sessionStatus(project.repository)).toMatchObject({ pending_observations: 0 });
    expect(readdirSync(join(project.store, 'pending'))).toEqual([]);
  });

  test('in a named pipe that nobody writes to does not hang it', async () => {
    const project = open();
    const script = `
      require('node:child_process').execFileSync('mkfifo', [words[1]]);
      try {
        ctx.observeFileRead(ctx.openRepository({ directory: words[0] }), words[1], words[0]);
      } catch (error) {
        console.log(error.code);
      }
    `;
    const { out } = await ended(await startChild(script, [project.folder, join(project.folder, 'pipe')]));
    expect(out).toBe('invalid_input\n');
  });
});

describe('the name of a file', () => {
  const project = open();
  const outside = temporaryFolder();
  mkdirSync(join(project.folder, 'src', 'deep'), { recursive: true });
  writeFileSync(join(project.folder, 'src', 'a.ts'), 'a');
  writeFileSync(join(outside, 'b.ts'), 'b');
  symlinkSync(join(project.folder, 'src'), join(outside, 'link-into'));
  symlinkSync(outside, join(project.folder, 'link-out'));

  test.each<[string, string, string]>([
    ['src/a.ts', '', 'src/a.ts'],
    ['a.ts', 'src', 'src/a.ts'],
    ['../a.ts', 'src/deep', 'src/a.ts'],
    ['./src//deep/../a.ts', '', 'src/a.ts'],
    [join(project.folder, 'src', 'a.ts'), 'src/deep', 'src/a.ts'],
    [join(outside, 'b.ts'), '', join(outside, 'b.ts')],
    [join(outside, 'link-into', 'a.ts'), '', 'src/a.ts'],
    ['link-out/b.ts', '', 'link-out/b.ts'],
  ])('%s, from %j, is %s', (path, from, named) => {
    ctx.observeFileRead(project.repository, path, join(project.folder, from));
    expect(flushed(project)[0]).toMatchObject({ kind: 'read', path: named });
  });
});

describe('many records on lines', () => {
  const batch = (project: Project, lines: unknown[]): ctx.BatchResult => {
    const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
    return ctx.observeBatch(project.repository, [Buffer.from(text)], project.folder);
  };

  test('good ones are kept, in order; every bad one is named by its line', () => {
    const project = open();
    writeFileSync(join(project.folder, 'a.txt'), 'a');
    const result = batch(project, [
      { kind: 'note', content: 'one' },
      '',
      '{"kind":',
      { kind: 'note' },
      { kind: 'task', content: 'mine' },
      { kind: 'write', path: 'a.txt' },
      { kind: 'read', path: 'none.txt' },
      { kind: 'delete', path: 'none.txt' },
      { kind: 'of-mine', at: 5, id: 'mine', version: 9, deep: { x: [1] } },
      '[]',
      'null',
      '  \t',
      { kind: 'plan', content: 'last' },
    ]);
    expect(result.problems.map(({ line }) => line)).toEqual([3, 4, 5, 7, 10, 11]);
    expect(result.problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('it is no JSON'),
      expect.stringContaining('content'),
      '"task" records are written by ctx alone',
      'There is no file none.txt.',
      'it is not an object with a "kind"',
      'it is not an object with a "kind"',
    ]);
    const records = flushed(project);
    expect(records.map((record) => record.id)).toEqual(result.records);
    expect(records).toMatchObject([
      { kind: 'note', content: 'one', role: 'plain' },
      { kind: 'write', path: 'a.txt', bytes: 1, blob: expect.any(String) },
      { kind: 'delete', path: 'none.txt' },
      { kind: 'of-mine', at: 1_769_040_000, version: 1, deep: { x: [1] } },
      { kind: 'plan', content: 'last' },
    ]);
    expect(fsck(project.store)).toBe('');
  });

  test('a line that is too long is named; the next one is read', () => {
    const project = open();
    const long = Buffer.concat([
      Buffer.from('{"kind":"note","content":"'),
      Buffer.alloc(16 * 1024 * 1024, 'x'),
      Buffer.from('"}\n'),
    ]);
    const result = ctx.observeBatch(
      project.repository,
      [long, Buffer.from('{"kind":"note","content":"y"}')],
      project.folder,
    );
    expect(result.problems).toEqual([{ line: 1, message: 'it is longer than 16 MiB' }]);
    expect(result.records).toHaveLength(1);
  });

  test('a content that the store holds is named by its id; one that it does not hold is refused', () => {
    const project = open();
    const { objects } = project.repository;
    const blob = objects.write('blob', Buffer.from('content'));
    const tree = objects.write('tree', Buffer.alloc(0));
    const result = batch(project, [
      { kind: 'write', path: 'a.txt', blob, bytes: 7 },
      { kind: 'write', path: 'b.txt', blob: '1'.repeat(40) },
      { kind: 'write', path: 'c.txt', blob: tree },
      { kind: 'write', path: 'd.txt', sha256: sha256('elsewhere'), bytes: 9 },
    ]);
    expect(result.problems.map(({ line }) => line)).toEqual([2, 3]);
    ctx.flushStep(project.repository);
    expect(project.git('show', 'STAGE:files/a.txt')).toBe('content');
    expect(project.git('ls-tree', '--name-only', 'STAGE:files')).toBe('a.txt\n');
    expect(fsck(project.store)).toBe('');
  });
  test('a path that comes with its content is named as any other', () => {
    const project = open();
    const blob = project.repository.objects.write('blob', Buffer.from('content'));
    batch(project, [
      { kind: 'write', path: './src//a.ts', blob },
      { kind: 'write', path: join(project.folder, 'src', 'b.ts'), blob },
    ]);
    expect(flushed(project).map((record) => record['path'])).toEqual(['src/a.ts', 'src/b.ts']);
  });

  test('without a session nothing is kept', () => {
    const { repository, store } = makeProject();
    expect(errorOf(() => ctx.observeBatch(repository, [Buffer.from('{"kind":"note","content":"x"}')])).code).toBe(
      'no_active_session',
    );
    rmSync(join(store, 'pending'), { recursive: true, force: true });
    expect(errorOf(() => ctx.observeNote(repository, 'x')).hint).toContain('ctx start');
  });
});
