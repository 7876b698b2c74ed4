/** A transcript of which an earlier part was rewritten: what happened before what the session knows moves nothing. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ingestTranscript } from '../../src/app/intake/ingest.ts';
import { makeProject, temporaryFolder } from '../support/store.ts';

const uuid = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

/** A prompt or an answer, a minute after the one before. */
function line(index: number, own: string, text: string): string {
  const isPrompt = index % 2 === 0;
  const answer = { id: `m${index}`, model: 'x', stop_reason: 'end_turn', content: [{ type: 'text', text }] };
  return `${JSON.stringify({
    type: isPrompt ? 'user' : 'assistant',
    uuid: own,
    parentUuid: index === 0 ? null : uuid(index - 1),
    sessionId: 'aaaaaaaa-0000-4000-8000-000000000001',
    isSidechain: false,
    cwd: '/p',
    version: '2.1.0',
    timestamp: `2026-01-01T00:0${index}:00.000Z`,
    message: isPrompt ? { role: 'user', content: text } : { role: 'assistant', ...answer },
  })}\n`;
}

test('an earlier prompt under a new id leaves the session at its last answer', () => {
  const { repository } = makeProject();
  const file = join(temporaryFolder(), 'transcript.jsonl');
  const lines = Array.from({ length: 6 }, (_, index) => line(index, uuid(index), `Text ${index} is done.`));
  writeFileSync(file, lines.join(''));
  const { session_state: state } = ingestTranscript(repository, file);
  expect(state).toMatchObject({ kind: 'PendingComplete', summary: 'Text 5 is done.' });
  writeFileSync(file, lines.with(2, line(2, 'ffffffff-0000-4000-8000-00000000000f', 'Text 2 is gone.')).join(''));
  expect(ingestTranscript(repository, file)).toMatchObject({ read_before: 'rewritten', session_state: state });
});
