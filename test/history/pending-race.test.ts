// Records that are flushed at the very moment at which they, or others with the same content, are observed.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import * as ctx from '../../src/index.ts';
import { fsck, makeProject } from '../support/store.ts';

/** Functions that run behind a call of the file system. */
const hooks = vi.hoisted(() => ({ afterRename: (_to: string): void => undefined }));
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  return {
    ...fs,
    renameSync: (from: string, to: string) => {
      fs.renameSync(from, to);
      hooks.afterRename(to);
    },
  };
});

const CONTENT = 'the same in both '.repeat(3_000);

test.each([1, 3])(
  'a content that a flush takes away %i times with its folder is written again, and the record stands',
  (times) => {
    const { repository, store } = makeProject({ fsync: true });
    const { session_id } = ctx.startSession(repository, 'the task');
    const folder = join(store, 'pending', session_id, 'objects');
    let left = times;
    hooks.afterRename = (to) => {
      if (!to.startsWith(`${folder}/`) || left === 0) return;
      left -= 1;
      // Acts as a flush of another record: the store holds the content then.
      repository.objects.write('blob', Buffer.from(CONTENT));
      rmSync(folder, { recursive: true });
    };
    try {
      ctx.observeNote(repository, CONTENT);
    } finally {
      hooks.afterRename = () => undefined;
    }
    expect(left).toBe(0);
    ctx.flushStep(repository);
    const [record] = [...ctx.showRevision(repository, 'STAGE').steps].at(-1)?.observations ?? [];
    expect(record?.['content']).toBe(CONTENT);
    expect(fsck(store)).toBe('');
  },
);

test('a record that a flush beside takes at once, with its folder, is acknowledged and is there once', () => {
  const { repository, store, open } = makeProject({ fsync: true });
  const { session_id } = ctx.startSession(repository, 'the task');
  const folder = join(store, 'pending', session_id);
  let flushed = 0;
  hooks.afterRename = (to) => {
    if (!to.startsWith(`${folder}/`) || !to.endsWith('.json') || flushed > 0) return;
    flushed += 1;
    ctx.flushStep(open());
    expect(existsSync(folder)).toBe(false);
  };
  try {
    ctx.observeNote(repository, 'a note');
  } finally {
    hooks.afterRename = () => undefined;
  }
  expect(flushed).toBe(1);
  const records = [...ctx.showRevision(open(), 'STAGE').steps].flatMap(({ observations }) => observations);
  expect(records.filter(({ content }) => content === 'a note')).toHaveLength(1);
  expect(fsck(store)).toBe('');
});
