// An answer to ctx's own question that ends the session: the rest of its turn stays with that session, and begins no other.
import { expect, test } from 'vitest';
import { captureStatus } from '../../src/app/capture/capture.ts';
import { listSessions } from '../../src/app/session/list.ts';
import { makeProject, temporaryFolder } from '../support/store.ts';
import { ClaudeConversation } from './support/claude-conversation.ts';

test.each([
  ['Looks good', 'B', true],
  ['Looks good', 'B', false],
  ['Never mind', 'A', true],
  ['Never mind', 'start fresh', true],
])('%j after 30 hours, and then %j; with a tool: %j', async (raised, answer, hasTool) => {
  const project = makeProject();
  const talk = new ClaudeConversation(project);
  await talk.prompt('Add retry');
  await talk.stop('Retry is in.');
  project.clock.now += 30 * 3600;
  await talk.prompt(raised);
  await talk.stop('Before that: A) continue, or B) save it and start fresh?');
  await talk.prompt(answer);
  if (hasTool) await talk.tool('t1', 'git status');
  await talk.stop('All right.');
  await talk.hook('SessionEnd', { reason: 'other' });
  expect(listSessions(project.open())).toEqual([]);
  const status = captureStatus(project.open(), { environment: { HOME: temporaryFolder() } });
  expect(status).toMatchObject({ turns: 3, turns_stored: 3, complete: true });
});
