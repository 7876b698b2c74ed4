// Expired steps: what squashing them keeps, and from when on a session is old enough for it.
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { collectGarbage } from '../../src/app/gc.ts';
import { addRecord } from '../../src/app/session/observe.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import { readSteps } from '../../src/history/chain/chain.ts';
import { archiveRef } from '../../src/history/names/layout.ts';
import * as ctx from '../../src/index.ts';
import { makeHistory } from '../support/history.ts';
import { makeProject, type Project } from '../support/store.ts';

const DAY = 86_400;

/** Squashes what is older than 20 days; gives how many steps each session had. */
async function expire({ repository }: Project): Promise<number[]> {
  const { expired } = await collectGarbage(repository, { expireSteps: 20 * DAY, machineTime: repository.clock });
  return expired.map(({ steps }) => steps);
}

/** Reads the rest of the archive of a session: the texts of its notes, and the kinds of its other records. */
function left(project: Project, id: string): unknown[] {
  const { objects, refs } = project.open();
  const steps = [...readSteps(objects, refs.read(archiveRef(id)) as string, true)];
  expect(checkStore(project.open(), { full: true }).findings).toEqual([]);
  return steps.flatMap(({ records }) => records.map((record) => record['content'] ?? record['path'] ?? record.kind));
}

test('steps that no saved commit names stay, except their files', async () => {
  const history = makeHistory();
  const { session_id } = ctx.startSession(history.repository, 'the task');
  const beside = history.open();
  history.write('a.txt', 'early');
  ctx.observeNote(history.repository, 'early');
  ctx.flushStep(history.repository);
  ctx.startSession(history.repository, 'another', { beside: true });
  ctx.compactSession(history.open({ session: session_id }));
  for (const content of ['late', 'later', 'x'.repeat(9000)])
    addRecord(beside, session_id, () => ({ body: { kind: 'note', content, role: 'plain' } }));
  ctx.recoverSession(history.repository);
  history.clock.now += 30 * DAY;
  expect(await expire(history)).toEqual([3]);
  expect(left(history, session_id)).toEqual(['the task', 'late', 'later', 'x'.repeat(9000)]);
  addRecord(beside, session_id, () => ({ body: { kind: 'note', content: 'much later', role: 'plain' } }));
  ctx.recoverSession(history.repository);
  history.clock.now += 30 * DAY;
  expect(await expire(history)).toEqual([2]);
  expect(left(history, session_id)).toEqual(['the task', 'late', 'later', 'x'.repeat(9000), 'much later']);
});

test('of a session that main has never saved, everything but its files stays', async () => {
  const history = makeHistory();
  const { session_id } = ctx.startSession(history.repository, 'begun by mistake');
  history.write('a.txt', 'a');
  ctx.observeNote(history.repository, 'a thought');
  ctx.flushStep(history.repository);
  undoOperations(history.repository);
  history.clock.now += 30 * DAY;
  expect(await expire(history)).toEqual([2]);
  expect(left(history, session_id)).toEqual(['begun by mistake', 'a thought']);
});

test('what was taken in today is of today, however long ago it happened', async () => {
  const project = makeProject();
  const file = join(project.folder, 'transcript.jsonl');
  const said = (uuid: string, parentUuid: string | null, content: string): string =>
    `${JSON.stringify({ type: 'user', uuid, parentUuid, sessionId: 's', timestamp: '2025-01-02T03:04:05Z', message: { role: 'user', content } })}\n`;
  writeFileSync(file, said('a', null, 'Add retries'));
  ctx.ingestTranscript(project.repository, file);
  appendFileSync(file, said('b', 'a', 'And a test'));
  ctx.ingestTranscript(project.repository, file, { compact: true });
  expect(await expire(project)).toEqual([]);
  project.clock.now += 20 * DAY;
  expect(await expire(project)).toEqual([]);
  project.clock.now += 1;
  expect(await expire(project)).toEqual([2]);
});
