// Operations that are not what their files say: each is named, whatever else stands in the log.
import { appendFileSync, copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { forget } from '../../src/app/forget/forget.ts';
import { checkOrMend } from '../../src/app/fsck.ts';
import { listOperations } from '../../src/app/undo/operations.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import { verifyStore } from '../../src/health/verify/index.ts';
import { decodeOperation, encodeOperation } from '../../src/history/operations/operation.ts';
import * as ctx from '../../src/index.ts';
import { errorOf, makeProject, type Project } from '../support/store.ts';

const begin = ({ repository }: Project, task: string): void => {
  ctx.startSession(repository, task, { beside: true });
  ctx.observeNote(repository, `of ${task}`);
};

const found = ({ open }: Project): string[] =>
  [...verifyStore(open(), false)].map(
    ({ severity, where, message }) => `${severity} ${where}: ${message.replace(/^.*?damaged: /, '')}`,
  );

/** The files of operations, the newest last. */
const files = ({ store }: Project): string[] => readdirSync(join(store, 'oplog')).sort();

test('one that is torn is named, also behind a forgetting', () => {
  const project = makeProject();
  begin(project, 'one');
  forget(project.open(), { text: 'of one' });
  begin(project, 'two');
  const all = files(project);
  expect(all).toHaveLength(3);
  expect(found(project)).toEqual([]);
  for (const name of all) appendFileSync(join(project.store, 'oplog', name), 'x');
  expect(found(project)).toEqual(all.reverse().map((name) => `damage oplog/${name}: its checksum does not match`));
});

test('one that is under the name of another is named, and never taken for it', () => {
  const project = makeProject();
  begin(project, 'one');
  begin(project, 'two');
  begin(project, 'three');
  const [first, second] = files(project) as [string, string];
  copyFileSync(join(project.store, 'oplog', first), join(project.store, 'oplog', second));
  const message = 'its name is not the id of its operation';
  expect(found(project)).toEqual([`damage oplog/${second}: ${message}`]);
  expect(errorOf(() => undoOperations(project.open(), 2)).message).toContain(message);
  expect([...listOperations(project.open())]).toMatchObject([
    { command: 'stage start' },
    { file: `oplog/${second}`, damaged: expect.stringContaining(message) },
    { command: 'stage start' },
  ]);
});

test('one behind which no other can come is named, nothing is filed before it, and a repair sets it aside', async () => {
  const project = makeProject();
  begin(project, 'one');
  const [only = ''] = files(project);
  const path = join(project.store, 'oplog', only);
  const id = 'ffffffff-ffff-7fff-bfff-ffffffffffff';
  const operation = { ...decodeOperation(readFileSync(path, 'utf8'), only), id };
  writeFileSync(path, encodeOperation(operation));
  const message = 'its id is of the end of all time, and none can come after it';
  expect(found(project)).toEqual([`damage oplog/newest.json: ${message}`]);
  expect(errorOf(() => ctx.startSession(project.open(), 'two', { beside: true })).message).toContain(message);
  expect(files(project)).toEqual([only]);
  expect((await checkOrMend(project.open(), { repair: true })).findings).toEqual([]);
  begin(project, 'two');
  expect(files(project)).toEqual(['newest.json']);
  expect(found(project)).toEqual([]);
});
