// The cursor of a session as hooks, transcripts and the Agent Client Protocol name it; that of `record` is in record.test.ts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AcpRecorder } from '../../../src/app/acp/recorder.ts';
import * as ctx from '../../../src/index.ts';
import { Conversation } from '../../agents/support/day.ts';
import { A, workTree } from '../../agents/support/projects.ts';
import { makeProject, type Project, ROOT } from '../../support/store.ts';

/** The cursor of the only session of a store, opened again. */
function cursorIn(repository: ctx.Repository): ctx.RunCursor {
  const ids = ctx.listSessions(repository).flatMap((one) => ('session_id' in one ? [one.session_id] : []));
  expect(ids).toHaveLength(1);
  return ctx.runCursor(repository, ids[0]);
}

test('hooks keep the conversation that they name, before its transcript has anything', () => {
  const dir = workTree();
  new Conversation(dir, A).prompt('Add retry');
  const repository = ctx.openRepository({ directory: dir });
  expect(cursorIn(repository)).toMatchObject({ cursor: A, from: 'claude-code', message_id: null });
});

test('a transcript keeps the id of its conversation, and its last finished answer', () => {
  const project = makeProject();
  ctx.ingestTranscript(project.repository, join(ROOT, 'fixtures/claude-code/retry-backoff.jsonl'));
  const cursor = cursorIn(project.open());
  expect(cursor).toMatchObject({ cursor: '41fa3607-9d41-5607-905b-d0f910ab2865', from: 'claude-code' });
  expect(lastAnswer(project, cursor)).toBe(cursor.message_id);
});

test('a connection of the Agent Client Protocol keeps the id of its session, and a run that is recorded later says more', async () => {
  const project = makeProject();
  const recorder = new AcpRecorder(() => project.open());
  const text = readFileSync(join(ROOT, 'fixtures/acp/compaction.jsonl'), 'utf8');
  for (const line of text.trim().split('\n')) recorder.line(line);
  recorder.flush(true);
  const cursor = cursorIn(project.open());
  expect(cursor).toMatchObject({ cursor: 's-3', from: 'acp' });
  expect(lastAnswer(project, cursor)).toBe(cursor.message_id);
  const recording = await ctx.record(project.open(), { session: cursor.session_id, cursor: 'thread_1' });
  recording.end();
  expect(cursorIn(project.open())).toMatchObject({ cursor: 'thread_1', from: 'record' });
});

const lastAnswer = (project: Project, { session_id }: ctx.RunCursor): string | undefined =>
  [...ctx.readConversation(project.open(), session_id)].findLast(({ role }) => role === 'assistant')?.id;
