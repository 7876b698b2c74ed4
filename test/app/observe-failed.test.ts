// Observing on a disk that fails once the record is in its place: the error says what is kept, so that nobody observes it twice.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CtxError } from '../../src/core/errors.ts';
import { readPending } from '../../src/history/pending/pending.ts';
import * as ctx from '../../src/index.ts';
import { errorOf, fsck, makeProject, type Project } from '../support/store.ts';

/** A session on a disk that gives no word any more once so many records wait. */
function failing(count: number, why = 'EIO'): Project & { session_id: string } {
  const project = makeProject();
  const { session_id } = ctx.startSession(project.repository, 'the task');
  writeFileSync(join(project.folder, 'f.txt'), 'text\n');
  const folder = join(project.store, 'pending', session_id);
  const durability = {
    get fsync(): boolean {
      const names = existsSync(folder) ? readdirSync(folder) : [];
      if (names.filter((name) => name.endsWith('.json')).length === count)
        throw new CtxError('io', `Cannot sync it: ${why}`, { hint: 'Run the command again.' });
      return false;
    },
  };
  return { ...project, session_id, repository: { ...project.repository, durability } };
}

const waiting = ({ open, session_id }: ReturnType<typeof failing>): string[] =>
  readPending(open(), session_id).map(({ record }) => record.id);

const edge: ctx.Relation = { from: 'file:a', label: 'Imports', to: 'file:b' };

test.each<[what: string, observe: (of: ReturnType<typeof failing>) => unknown]>([
  ['note', ({ repository }) => ctx.observeNote(repository, 'x')],
  ['plan', ({ repository }) => ctx.observePlan(repository, 'x')],
  ['command', ({ repository }) => ctx.observeCommand(repository, { command: 'x', exit_code: 0 })],
  ['relation', ({ repository }) => ctx.observeRelations(repository, [edge])],
  ['file that was read', ({ repository, folder }) => ctx.observeFileRead(repository, 'f.txt', folder)],
  ['file that was written', ({ repository, folder }) => ctx.observeFileWrite(repository, 'f.txt', folder)],
])('a %s', (_what, observe) => {
  const of = failing(1);
  const error = errorOf(() => observe(of));
  const records = waiting(of);
  expect(records).toHaveLength(1);
  expect(error).toMatchObject({
    code: 'io',
    message: 'Cannot sync it: EIO. By then 1 record was kept: do not observe it again.',
    hint: 'See what waits: ctx status',
    data: { session_id: of.session_id, records },
  });
  expect(ctx.flushStep(of.open())).toMatchObject({ flushed: 1 });
  expect(fsck(of.store)).toBe('');
});

test('several relations: those before it too', () => {
  const of = failing(2);
  const error = errorOf(() => ctx.observeRelations(of.repository, [edge, edge, edge]));
  expect(error.message).toBe('Cannot sync it: EIO. By then 2 records were kept: do not observe them again.');
  expect(error.data).toMatchObject({ records: waiting(of) });
});

const lines = ['{"kind":"note","content":"1"}', '{"kind":"note","content":"2"}', '{"kind":"note","content":"3"}'];
const input = [Buffer.from(`${lines.join('\n')}\n`)];

test('reports a line of a batch with its record, and does not acknowledge it', () => {
  const of = failing(3);
  const { records, problems } = ctx.observeBatch(of.repository, input);
  const [first, second, third] = waiting(of);
  expect(records).toEqual([first, second]);
  expect(problems).toEqual([
    { line: 3, message: 'Cannot sync it: EIO. By then 1 record was kept: do not observe it again.', record: third },
  ]);
});

test('a batch that a full disk stops reports what it has kept', () => {
  const of = failing(2, 'ENOSPC');
  const error = errorOf(() => ctx.observeBatch(of.repository, input));
  expect(error.message).toBe('Cannot sync it: ENOSPC. By then 2 records were kept: do not observe them again.');
  expect(error.data).toMatchObject({ records: waiting(of) });
});
