// Tests that the session of a conversation is known without a look at every ended one, and is right whatever becomes of the index.
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { collectGarbage } from '../../src/app/gc.ts';
import { findSource } from '../../src/app/transcript/source.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import * as ctx from '../../src/index.ts';
import { TRANSCRIPT } from '../support/samples.ts';
import { copyOf, makeProject, type Project } from '../support/store.ts';

const listed = vi.hoisted((): string[] => []);
vi.mock('../../src/platform/files.ts', async (original) => {
  const real = await original<typeof import('../../src/platform/files.ts')>();
  const listFolder = (path: string): string[] => {
    listed.push(path);
    return real.listFolder(path);
  };
  return { ...real, listFolder };
});

const CONVERSATIONS = 12;

/** The project that each test has a copy of. */
const made = makeProject();
const sessions: string[] = [];
beforeAll(async () => {
  for (let at = 0; at < CONVERSATIONS; at += 1) {
    const file = join(made.folder, `${at}.jsonl`);
    writeFileSync(file, TRANSCRIPT.replaceAll('"conversation"', `"conversation ${at}"`));
    sessions.push(ctx.ingestTranscript(made.open(), file, { compact: true }).session_id);
  }
  await collectGarbage(made.open());
});

let own: Project;
beforeEach(() => {
  own = copyOf(made);
});

/** The sessions that each conversation is found in; null where one is not known. */
const found = (): (string | null)[] => {
  const repository = own.open();
  return [...sessions.keys(), 99].map(
    (at) => findSource(repository, 'claude-code', `conversation ${at}`)?.chain.session.session_id ?? null,
  );
};

const index = (): string => join(own.store, 'cache', 'conversations.index');

test('every conversation is found in its session, with no look into the reflogs once the index is there', () => {
  expect(found()).toEqual([...sessions, null]);
  listed.length = 0;
  expect(found()).toEqual([...sessions, null]);
  expect(listed.filter((path) => path.includes('logs'))).toEqual([]);
});

test.each<[string, () => void]>([
  ['is gone', () => rmSync(index())],
  ['is cut off', () => truncateSync(index(), 300)],
  ['is cut off behind a line', () => truncateSync(index(), 128 + 3 * 106)],
  [
    'is of another state of packed-refs',
    () => writeFileSync(index(), readFileSync(index(), 'latin1').replace(/^\d/, 'x')),
  ],
  ['is gone with all of the cache', () => rmSync(join(own.store, 'cache'), { recursive: true })],
  ['has lost the sessions of late', () => rmSync(join(own.store, 'cache', 'sources'))],
])('rebuilds an index that %s', (_words, harm) => {
  expect(found()).toEqual([...sessions, null]);
  harm();
  expect(found()).toEqual([...sessions, null]);
});

test('what has come since the index was written is found, packed by Git or not', () => {
  expect(found()).toEqual([...sessions, null]);
  const file = join(own.folder, 'late.jsonl');
  writeFileSync(file, TRANSCRIPT.replaceAll('"conversation"', '"conversation 99"'));
  const { session_id } = ctx.ingestTranscript(own.open(), file, { compact: true });
  expect(found()).toEqual([...sessions, session_id]);
  own.git('pack-refs', '--all');
  expect(found()).toEqual([...sessions, session_id]);
  rmSync(join(own.store, 'cache', 'sources'));
  expect(found()).toEqual([...sessions, session_id]);
});

test('what an undo takes back is not found any more, and is again once that is undone', () => {
  expect(found()).toEqual([...sessions, null]);
  undoOperations(own.open());
  expect(found()).toEqual([...sessions.slice(0, -1), null, null]);
  undoOperations(own.open());
  expect(found()).toEqual([...sessions, null]);
});

test('sessions that somebody has fetched into packed-refs are found', () => {
  expect(found()).toEqual([...sessions, null]);
  const packed = join(own.store, 'packed-refs');
  const text = readFileSync(packed, 'utf8');
  const without = text.split('\n').filter((line) => !line.endsWith(sessions[3] as string));
  const reflog = join(own.store, 'logs', 'refs', 'archive', sessions[3] as string);
  const log = readFileSync(reflog);
  rmSync(reflog);
  writeFileSync(packed, without.join('\n'));
  rmSync(join(own.store, 'cache'), { recursive: true });
  rmSync(join(own.store, 'oplog'), { recursive: true });
  writeFileSync(packed, text);
  writeFileSync(reflog, log);
  expect(found()).toEqual([...sessions, null]);
  expect(readdirSync(join(own.store, 'cache'))).toContain('conversations.index');
});
