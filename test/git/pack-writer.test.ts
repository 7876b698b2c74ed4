// A disk that fails a pack in the middle: the error is the disk's, and nothing stays behind.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { packWriter } from '../../src/git/objects/pack-writer.ts';
import { errorOf, makeProject } from '../support/store.ts';

const broken = vi.hoisted(() => ({ call: '' }));

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const fail = (call: string): void => {
    if (broken.call === call) throw Object.assign(new Error('broken'), { code: 'EIO' });
  };
  return {
    ...fs,
    openSync: (path: string, flags: string, mode?: number) => {
      if (flags === 'r+') fail('open');
      return fs.openSync(path, flags, mode);
    },
    readSync: (...words: Parameters<typeof fs.readSync>) => {
      fail('read');
      return fs.readSync(...words);
    },
    writeSync: (handle: number, bytes: Buffer, ...where: number[]) => {
      if (where.length > 1) fail('write');
      return fs.writeSync(handle, bytes, ...where);
    },
  };
});

beforeEach(() => {
  broken.call = '';
});

const OID = 'ce013625030ba8dba906f756967f9e9ca394464a';

test.each(['open', 'read', 'write'])('where it fails to %s', (call) => {
  const project = makeProject();
  const work = (): void => {
    broken.call = call;
    const pack = packWriter(project.repository);
    try {
      pack.add(OID, 'blob', Buffer.from('hello\n'));
      pack.publish();
    } finally {
      pack.discard();
    }
  };
  expect(errorOf(work)).toMatchObject({ code: 'io', message: expect.stringContaining('EIO') });
  expect(readdirSync(join(project.store, 'objects', 'pack'))).toEqual([]);
});
