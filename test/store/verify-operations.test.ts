// Operations that are not what their files say: each is named, whatever else stands in the log.
import { appendFileSync, copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { forget } from '../../src/app/forget.ts';
import { listOperations } from '../../src/app/operations.ts';
import { undoOperations } from '../../src/app/undo.ts';
import * as ctx from '../../src/index.ts';
import { verifyStore } from '../../src/store/verify/index.ts';
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
  expect(found(project)).toEqual(all.map((name) => `damage oplog/${name}: its checksum does not match`));
});

test('one that stands under the name of another is named, and never taken for it', () => {
  const project = makeProject();
  begin(project, 'one');
  begin(project, 'two');
  const [first, second] = files(project) as [string, string];
  copyFileSync(join(project.store, 'oplog', first), join(project.store, 'oplog', second));
  const message = 'its name is not the id of its operation';
  expect(found(project)).toEqual([`damage oplog/${second}: ${message}`]);
  expect(errorOf(() => undoOperations(project.open())).message).toContain(message);
  expect([...listOperations(project.open())]).toMatchObject([
    { file: `oplog/${second}`, damaged: expect.stringContaining(message) },
    { command: 'stage start' },
  ]);
});
