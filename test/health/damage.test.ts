// Damaged objects: named, never read as something else, never as absent; a torn one is set aside and written anew.

import { chmodSync, readdirSync, readFileSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { CtxError } from '../../src/core/errors.ts';
import { CONTENT_LIMIT } from '../../src/git/layout.ts';
import { decodeLoose, frame, type GitObject, loosePath, missing, sha1 } from '../../src/git/objects/loose.ts';
import { openPack, type Pack } from '../../src/git/objects/pack.ts';
import { errorOf, fsck, git, makeProject, type Project } from '../support/store.ts';

const CONTENT = Buffer.from(
  'the quick brown fox jumps over the lazy dog, the quick brown fox jumps over the lazy cat\n',
);
const OID = sha1(frame('blob', CONTENT));

/** A change of one byte or one bit at every place of some bytes. */
function* changes(bytes: Buffer): Generator<[where: string, changed: Buffer]> {
  for (let at = 0; at < bytes.length; at += 1) {
    for (const mask of [0xff, 1, 2, 4, 8, 16, 32, 64, 128]) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ mask;
      yield [`byte ${at} ^ ${mask}`, changed];
    }
  }
}

/** Returns the outcome of reading: right, or damaged. Anything else is a failure. */
function outcome(where: string, read: () => GitObject, content: Buffer, oid: string): 'right' | 'damaged' {
  let object: GitObject;
  try {
    object = read();
  } catch (error) {
    if (!(error instanceof CtxError) || error.code !== 'damaged') expect.fail(`${where}: ${String(error)}`);
    return 'damaged';
  }
  if (!object.content.equals(content)) expect.fail(`${where}: ${oid} was read as something else`);
  return 'right';
}

describe('a loose object', () => {
  const framed = frame('blob', CONTENT);
  test.each<[string, Buffer]>([
    ['as we store it', Buffer.from(storedByUs())],
    ['as Git deflates it', zlib.deflateSync(framed)],
    ['deflated with fixed codes', zlib.deflateSync(framed, { strategy: zlib.constants.Z_FIXED })],
  ])('%s: changed anywhere, it is damaged and named', (_words, bytes) => {
    expect(decodeLoose(bytes, OID).content.equals(CONTENT)).toBe(true);
    let ignored = 0;
    for (const [where, changed] of changes(bytes)) {
      const result = outcome(where, () => decodeLoose(changed, OID), CONTENT, OID);
      // A single bit may be one that fills up a byte and means nothing.
      if (result === 'right' && where.endsWith('^ 255')) expect.fail(`${where}: is taken for right`);
      ignored += result === 'right' ? 1 : 0;
    }
    expect(ignored).toBeLessThanOrEqual(7);
    for (let length = 0; length < bytes.length; length += 1) {
      const error = errorOf(() => decodeLoose(bytes.subarray(0, length), OID));
      expect([error.code, error.message.includes(`object ${OID} is damaged`)]).toEqual(['damaged', true]);
    }
    for (const more of ['\0', 'x', '\n', zlib.deflateSync('')]) {
      const longer = Buffer.concat([bytes, Buffer.from(more)]);
      expect(errorOf(() => decodeLoose(longer, OID)).message).toContain('has data behind its end');
    }
  });

  function storedByUs(): Buffer {
    const { repository, store } = makeProject();
    return readFileSync(loosePath(join(store, 'objects'), repository.objects.write('blob', CONTENT)));
  }

  test.each<[string, Buffer, string]>([
    ['nothing', Buffer.alloc(0), 'its file is empty'],
    ['zeros, as a file system leaves them', Buffer.alloc(64), 'its bytes cannot be inflated'],
    ['no header', zlib.deflateSync('hello'), 'it has no header'],
    ['a kind that there is none of', zlib.deflateSync('file 5\0hello'), 'it has no header'],
    ['a wrong length', zlib.deflateSync('blob 6\0hello'), 'it has not the length that it says'],
    ['a negative length', zlib.deflateSync('blob -1\0hello'), 'it has no header'],
    ['another object', zlib.deflateSync('blob 5\0hello'), 'its content is not what its name says'],
  ])('with %s in it: says why', (_words, bytes, why) => {
    const error = errorOf(() => decodeLoose(bytes, OID));
    expect(error.message).toBe(`object ${OID} is damaged: ${why}`);
    expect(error.hint).toContain('fsck');
  });

  test('that would inflate to more than an object may hold is refused before it does', () => {
    // Just over the limit: more would only take longer.
    const bomb = zlib.deflateSync(Buffer.alloc(CONTENT_LIMIT + 65), { level: 1 });
    const error = errorOf(() => decodeLoose(bomb, OID));
    expect(error.message).toContain('it inflates to more than an object may hold');
    expect(CONTENT_LIMIT).toBe(64 * 1024 * 1024);
    const most = Buffer.alloc(CONTENT_LIMIT);
    const oid = sha1(frame('blob', most));
    const { content } = decodeLoose(zlib.deflateSync(frame('blob', most), { level: 1 }), oid);
    expect(content.equals(most)).toBe(true);
  });
});

describe('a torn object in a store', () => {
  test.each<[string, (path: string) => void]>([
    ['empty', (path) => truncateSync(path, 0)],
    ['cut off', (path) => truncateSync(path, 20)],
    ['another', (path) => writeFileSync(path, zlib.deflateSync('blob 5\0hello'))],
  ])('%s: is an error to a reader, is moved to lost/ and written again by its next writer', (_words, tear) => {
    const { store, repository, open } = makeProject();
    repository.objects.write('blob', CONTENT);
    const path = loosePath(join(store, 'objects'), OID);
    tear(path);
    const torn = readFileSync(path);
    expect(errorOf(() => open().objects.read(OID)).message).toContain(`object ${OID} is damaged`);
    expect(readFileSync(path).equals(torn)).toBe(true);

    expect(open().objects.write('blob', CONTENT)).toBe(OID);
    expect(open().objects.read(OID).content.equals(CONTENT)).toBe(true);
    const [kept, ...more] = readdirSync(join(store, 'lost'));
    expect(more).toEqual([]);
    expect(kept).toMatch(new RegExp(`^${OID}\\.`));
    expect(readFileSync(join(store, 'lost', kept as string)).equals(torn)).toBe(true);
    expect(fsck(store)).toBe('');
  });

  test('asking whether it is there says no, and sets it aside; two torn ones do not overwrite each other', () => {
    const { store, repository, open } = makeProject();
    const path = loosePath(join(store, 'objects'), OID);
    for (const text of ['one', 'two']) {
      repository.objects.write('blob', CONTENT);
      writeFileSync(path, text);
      expect(open().objects.holds(OID)).toBe(false);
    }
    expect(readdirSync(join(store, 'lost'))).toHaveLength(2);
  });
});

/** A store with a small pack and nothing loose: texts of which some are deltas of others, their ids and contents. */
function packed(): { project: Project; contents: Map<string, Buffer>; pack: string } {
  const project = makeProject();
  const contents = new Map<string, Buffer>();
  const text = Array.from({ length: 12 }, (_, index) => `line ${index} of a text\n`);
  for (let version = 0; version < 3; version += 1) {
    text[version * 2] = `changed in version ${version}\n`;
    const content = Buffer.from(text.join(''));
    contents.set(project.repository.objects.write('blob', content), content);
  }
  contents.set(project.repository.objects.write('blob', Buffer.alloc(0)), Buffer.alloc(0));
  const base = join(project.store, 'objects', 'pack', 'pack');
  const name = git(project.store, ['pack-objects', '-q', '--delta-base-offset', base], [...contents.keys()].join('\n'));
  for (const oid of contents.keys()) unlinkSync(loosePath(join(project.store, 'objects'), oid));
  return { project, contents, pack: `${base}-${name.trim()}` };
}

/** Reads every object; the pack is opened for it. */
function readAll(pack: string, contents: Map<string, Buffer>, where: string): Set<string> {
  const nowhere = (oid: string): never => {
    throw missing(oid);
  };
  let open: Pack;
  try {
    open = openPack(`${pack}.pack`);
  } catch (error) {
    if (!(error instanceof CtxError) || error.code !== 'damaged') expect.fail(`${where}: ${String(error)}`);
    return new Set(['damaged']);
  }
  const read = (oid: string): GitObject => open.read(oid) ?? nowhere(oid);
  try {
    return new Set([...contents].map(([oid, content]) => outcome(where, () => read(oid), content, oid)));
  } finally {
    open.close();
  }
}

describe('a pack', () => {
  const { project, contents, pack } = packed();

  test('is what it is made to be: deltas in it, nothing loose', () => {
    const told = git(project.store, ['verify-pack', '-v', `${pack}.idx`]);
    expect(told).toContain('chain length');
    expect(readAll(pack, contents, 'as it is')).toEqual(new Set(['right']));
  });

  test.each(['.pack', '.idx'])(
    'a byte of its %s changed anywhere: right or damaged, never something else',
    (extension) => {
      const file = `${pack}${extension}`;
      const bytes = readFileSync(file);
      unlinkSync(file);
      const seen = new Set<string>();
      for (const [where, changed] of changes(bytes)) {
        // One bit of an index is enough: there are 9 changes a byte, and each opens the store anew.
        if (extension === '.idx' && !/\^ (255|1|128)$/.test(where)) continue;
        writeFileSync(file, changed);
        for (const result of readAll(pack, contents, `${extension}, ${where}`)) seen.add(result);
      }
      writeFileSync(file, bytes);
      expect(seen).toEqual(new Set(['right', 'damaged']));
      expect(readAll(pack, contents, 'as it was')).toEqual(new Set(['right']));
    },
  );

  test.each(['.pack', '.idx'])('its %s cut off anywhere: right or damaged, never something else', (extension) => {
    const file = `${pack}${extension}`;
    const bytes = readFileSync(file);
    unlinkSync(file);
    const seen = new Set<string>();
    for (let length = 0; length < bytes.length; length += extension === '.idx' ? 17 : 3) {
      writeFileSync(file, bytes.subarray(0, length));
      for (const result of readAll(pack, contents, `${extension}, ${length} bytes`)) seen.add(result);
    }
    writeFileSync(file, bytes);
    expect(seen).toContain('damaged');
  });

  test.runIf(process.platform === 'linux')(
    'in a store: what is wrong is named, and no handle is left open by trying again and again',
    () => {
      const fresh = packed();
      const [oid] = fresh.contents.keys();
      writeFileSync(`${fresh.pack}.pack`, 'no pack');
      const handles = (): number => readdirSync('/proc/self/fd').length;
      const { objects } = fresh.project.repository;
      const before = handles();
      for (let round = 0; round < 20; round += 1) {
        const error = errorOf(() => objects.read(oid as string));
        expect([error.code, error.message.includes(fresh.pack)]).toEqual(['damaged', true]);
      }
      expect(handles()).toBe(before);
    },
  );

  test('an index without its pack holds nothing; one of a version that nobody knows, or whose header is torn, is named', () => {
    const fresh = packed();
    unlinkSync(`${fresh.pack}.pack`);
    const [oid] = fresh.contents.keys();
    expect(errorOf(() => fresh.project.open().objects.read(oid as string)).message).toContain('is missing');

    for (const at of [0, 7]) {
      const other = packed();
      const bytes = readFileSync(`${other.pack}.idx`);
      bytes[at] = 3;
      bytes.write(sha1(bytes.subarray(0, -20)), bytes.length - 20, 'hex');
      chmodSync(`${other.pack}.idx`, 0o600);
      writeFileSync(`${other.pack}.idx`, bytes);
      expect(errorOf(() => other.project.open().objects.read(oid as string)).message).toContain(
        'not an index of version 1 or 2',
      );
    }
  });
});
