// Sessions whose first prompt is a command of the agent's own, as "/mode" is: the first prompt that says more is their task, or, behind a command at which the agent sets to work, their title.
import { beforeEach, expect, test } from 'vitest';
import { captureStatus } from '../../src/app/capture/capture.ts';
import { catchUp } from '../../src/app/capture/catch-up.ts';
import { listAllSessions } from '../../src/app/sessions.ts';
import { putTranscript } from '../support/homes.ts';
import { fsck, makeProject, type Project, temporaryFolder } from '../support/store.ts';

const JANUARY = 1_769_040_000;
const ID = 'aaaaaaaa-2222-4222-8222-222222222222';
let project: Project;
let home: string;

beforeEach(() => {
  project = makeProject();
  project.clock.now = JANUARY;
  home = temporaryFolder();
});

const message = (type: string, id: string, content: unknown): string => {
  const about = {
    parentUuid: null,
    uuid: id,
    isSidechain: false,
    sessionId: ID,
    cwd: project.folder,
    version: '2.1.330',
  };
  const said = { id, role: type, content, model: 'm', stop_reason: 'end_turn' };
  return `${JSON.stringify({ ...about, type, timestamp: new Date(JANUARY * 1000).toISOString(), message: said })}\n`;
};
let answers = 0;
const turn = (prompt: string, ...parts: object[]): string => {
  answers += 1;
  return (
    message('user', `u${answers}`, prompt) +
    message('assistant', `a${answers}`, [...parts, { type: 'text', text: 'Done.' }])
  );
};

/** Takes in a conversation; returns the titles of the sessions, and what the store has of the conversation. */
function takenIn(text: string): { titles: string[]; captured: string[] } {
  const around = { environment: { HOME: home } };
  putTranscript(home, project.folder, `${ID}.jsonl`, text);
  catchUp(project.open(), { ...around, all: true });
  expect(fsck(project.store)).toBe('');
  return {
    titles: listAllSessions(project.open()).sessions.map(({ title }) => title),
    captured: captureStatus(project.open(), around).conversations.map(
      (each) => `${each.captured} ${each.turns_stored}/${each.turns}`,
    ),
  };
}

const RESULT = { type: 'tool_result', tool_use_id: 't1', content: 'ok' };
const CALL = { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'make' } };

test.each<[string, () => string, string]>([
  ['before a request', () => turn('/mode') + turn('Add retry to the client'), 'Add retry to the client'],
  ['after thanks, before a request', () => turn('Thanks!') + turn('/mode') + turn('Add retry'), 'Add retry'],
  ['alone', () => turn('/explain'), '/explain'],
  ['after thanks', () => turn('Thanks!') + turn('/explain'), '/explain'],
  [
    'at which the agent sets to work',
    () => turn('/review', CALL) + message('user', 'r1', [RESULT]) + turn('Add retry'),
    'Add retry',
  ],
  ['with words of the user', () => turn('/plan add retry to the client') + turn('Go'), 'add retry to the client'],
])('a command %s', (_, text, title) => {
  const { titles, captured } = takenIn(text());
  expect(titles).toEqual([title]);
  expect(captured).toEqual([expect.stringMatching(/^captured (\d)\/\1$/)]);
});
