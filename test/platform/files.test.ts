// Files: durable writes that are whole or not at all, and reads that tell "absent" from "broken".
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  createFile,
  exists,
  ioError,
  listFolder,
  makeFolder,
  makeOld,
  readIfThere,
  removeEmptyFolder,
  removeFile,
  renameDurably,
  writeDurably,
} from '../../src/platform/files.ts';
import { readLinkedIfThere } from '../../src/platform/foreign-file.ts';
import { readPieces } from '../../src/platform/pieces.ts';
import { linkFile } from '../../src/platform/publish.ts';
import { fc } from '../support/property.ts';
import { ended, errorOf, startChild, temporaryFolder } from '../support/store.ts';

const mode = (path: string): number => statSync(path).mode & 0o777;
const DURABILITIES = [{ fsync: true }, { fsync: false }];

describe.each(DURABILITIES)('writing, %j', (durability) => {
  test('the file is whole, the user’s alone, and nothing is left beside it', () => {
    const folder = join(temporaryFolder(), 'a', 'b');
    const path = join(folder, 'file');
    writeDurably(path, `${path}.tmp`, 'first', durability);
    writeDurably(path, `${path}.tmp`, Buffer.from('second'), durability);
    expect(readFileSync(path, 'utf8')).toBe('second');
    expect(readdirSync(folder)).toEqual(['file']);
    expect([mode(path), mode(folder), mode(join(folder, '..'))]).toEqual([0o600, 0o700, 0o700]);
  });

  test('what cannot be written leaves the old content, and nothing beside it', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'file');
    mkdirSync(path);
    writeFileSync(join(path, 'inside'), 'x');
    const error = errorOf(() => writeDurably(path, `${path}.tmp`, 'new', durability));
    expect(error).toMatchObject({ code: 'io' });
    expect(error.message).toMatch(/^Cannot write .*file: E/);
    expect(readdirSync(folder)).toEqual(['file']);
    expect(readdirSync(path)).toEqual(['inside']);
  });

  test('a file that is there already is not created, and not touched', () => {
    const path = join(temporaryFolder(), 'file');
    writeFileSync(path, 'old');
    expect(() => createFile(path, 'new', durability)).toThrow(expect.objectContaining({ code: 'EEXIST' }));
    expect(readFileSync(path, 'utf8')).toBe('old');
  });

  test('makes a folder again that Git has removed meanwhile', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'tmp'), 'x');
    renameDurably(join(folder, 'tmp'), join(folder, 'x', 'y', 'file'), durability);
    expect(readFileSync(join(folder, 'x', 'y', 'file'), 'utf8')).toBe('x');
    makeFolder(join(folder, 'x', 'y'), durability);
    makeFolder(join(folder, 'p', 'q'), durability);
    expect(mode(join(folder, 'p', 'q'))).toBe(0o700);
  });
});

describe('reading', () => {
  test('what is absent is undefined, in a folder that is absent too, and below a file', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), 'x');
    for (const name of ['none', 'none/none', 'file/none']) {
      expect(readIfThere(join(folder, name))).toBeUndefined();
      expect(exists(join(folder, name))).toBe(false);
      expect(removeFile(join(folder, name))).toBe(false);
    }
    for (const name of ['none', 'none/none']) expect(listFolder(join(folder, name))).toEqual([]);
    // A file cannot be listed: that is no empty folder.
    expect(errorOf(() => listFolder(join(folder, 'file'))).code).toBe('damaged');
    expect(readIfThere(join(folder, 'file'))?.toString()).toBe('x');
  });

  test('what is there and cannot be read is an error that names it', () => {
    const folder = temporaryFolder();
    expect(errorOf(() => readIfThere(folder))).toMatchObject({
      code: 'damaged',
      message: `${folder} is damaged: it must be a file`,
    });
    expect(errorOf(() => [...readPieces(join(folder, 'none'), 4)]).code).toBe('io');
    expect(errorOf(() => [...readPieces(folder, 4)]).code).toBe('io');
  });

  test('a link is no file, wherever it leads; only outside of a store it is followed', () => {
    const path = join(temporaryFolder(), 'link');
    symlinkSync('nowhere', path);
    expect(exists(path)).toBe(true);
    expect(() => readIfThere(path)).toThrow('it must be a file');
    expect(readLinkedIfThere(path)).toBeUndefined();
    writeFileSync(join(path, '..', 'nowhere'), 'x');
    expect(() => readIfThere(path)).toThrow('it must be a file');
    expect(readLinkedIfThere(path)?.toString()).toBe('x');
    truncateSync(join(path, '..', 'nowhere'), 17 * 1024 * 1024);
    expect(errorOf(() => readLinkedIfThere(path))).toMatchObject({
      code: 'io',
      message: `Cannot read ${path}: it is far too large`,
    });
    expect(removeFile(path)).toBe(true);
    expect(exists(path)).toBe(false);
  });

  test('names are in order', () => {
    const folder = temporaryFolder();
    for (const name of ['b', 'a', 'B', '10', '9']) writeFileSync(join(folder, name), '');
    expect(listFolder(folder)).toEqual(['10', '9', 'B', 'a', 'b']);
  });

  test('in pieces of full size, the last one less, from anywhere', () => {
    const path = join(temporaryFolder(), 'file');
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 40 }),
        fc.integer({ min: 1, max: 16 }),
        fc.nat(45),
        (bytes, size, start) => {
          writeFileSync(path, bytes);
          const pieces = [...readPieces(path, size, start)].map((piece) => piece.length);
          const whole = Buffer.concat([...copies(readPieces(path, size, start))]);
          const expected = Buffer.from(bytes).subarray(start);
          const lengths = Array.from({ length: Math.ceil(expected.length / size) }, (_, index) =>
            Math.min(size, expected.length - index * size),
          );
          return whole.equals(expected) && JSON.stringify(pieces) === JSON.stringify(lengths);
        },
      ),
    );
  });

  test('from a pipe whose writer is slow, in pieces of full size all the same', async () => {
    const script = `
      const lengths = [];
      for (const piece of ctx.readHandle(0, 1000, null)) lengths.push(piece.length);
      console.log(JSON.stringify(lengths));
    `;
    const child = await startChild(script);
    const end = ended(child);
    for (let written = 0; written < 25; written += 1) {
      await new Promise((resolve) => child.stdin?.write(Buffer.alloc(99), resolve));
    }
    child.stdin?.end();
    const { out, err } = await end;
    expect(err).toBe('');
    expect(out).toBe('[1000,1000,475]\n');
  });
});

/** The pieces, each its own: a piece is valid until the next one only. */
function* copies(pieces: Iterable<Buffer>): Generator<Buffer> {
  for (const piece of pieces) yield Buffer.from(piece);
}

describe('second names', () => {
  test('one that is free is given, one that is taken is not', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'a'), 'a');
    writeFileSync(join(folder, 'b'), 'b');
    expect(linkFile(join(folder, 'a'), join(folder, 'b'))).toBe(false);
    expect(readFileSync(join(folder, 'b'), 'utf8')).toBe('b');
    expect(linkFile(join(folder, 'a'), join(folder, 'x', 'y', 'c'))).toBe(true);
    expect(statSync(join(folder, 'x', 'y', 'c')).ino).toBe(statSync(join(folder, 'a')).ino);
    expect(() => linkFile(join(folder, 'none'), join(folder, 'd'))).toThrow(
      expect.objectContaining({ code: 'ENOENT' }),
    );
  });
});

describe('removing', () => {
  test('a folder goes only when it is empty', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'a'));
    writeFileSync(join(folder, 'a', 'x'), '');
    removeEmptyFolder(join(folder, 'a'));
    expect(existsSync(join(folder, 'a', 'x'))).toBe(true);
    rmSync(join(folder, 'a', 'x'));
    removeEmptyFolder(join(folder, 'a'));
    removeEmptyFolder(join(folder, 'a'));
    expect(existsSync(join(folder, 'a'))).toBe(false);
  });

  test('a folder is not removed as a file', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'a'));
    expect(errorOf(() => removeFile(join(folder, 'a'))).code).toBe('io');
  });
});

describe('a file is made old', () => {
  test('as old as can be', () => {
    const path = join(temporaryFolder(), 'pack');
    writeFileSync(path, 'x');
    makeOld(path);
    expect(statSync(path).mtimeMs).toBe(0);
  });

  test('ignores a file that is gone, and reports any other error', () => {
    const path = join(temporaryFolder(), 'file');
    makeOld(path);
    writeFileSync(path, '');
    expect(errorOf(() => makeOld(join(path, 'below')))).toMatchObject({
      code: 'io',
      message: `Cannot touch ${join(path, 'below')}: ENOTDIR`,
    });
  });
});

describe('what failed, in words', () => {
  test.each([
    ['ENOSPC', 'The disk is full'],
    ['EFBIG', 'ulimit -f'],
    ['EDQUOT', 'quota'],
    ['EROFS', 'read-only'],
    ['EACCES', 'permissions'],
    ['EPERM', 'permissions'],
  ])('%s says what to do', (code, advice) => {
    const cause = Object.assign(new Error('x'), { code });
    const error = ioError('write', '/p/x', cause);
    expect(error).toMatchObject({ code: 'io', message: `Cannot write /p/x: ${code}`, cause });
    expect(error.hint).toContain(advice);
  });

  test('anything else says what it is; an error of ours stays', () => {
    expect(ioError('read', '/p', new Error('odd')).message).toBe('Cannot read /p: Error: odd');
    const own = ioError('read', '/p', 'x');
    expect(ioError('write', '/q', own)).toBe(own);
  });

  test.skipIf(process.getuid?.() === 0)('a folder that one may not write to', () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o500);
    const error = errorOf(() => createFile(join(folder, 'x'), '', { fsync: false }));
    expect(error).toMatchObject({ code: 'io', message: `Cannot create ${join(folder, 'x')}: EACCES` });
  });
});
