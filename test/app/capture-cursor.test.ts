// Tests the stored state of Cursor's conversations, compared with the transcripts that it keeps of a project, and what is missing taken in.
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { captureStatus } from '../../src/app/capture/capture.ts';
import { catchUp } from '../../src/app/capture/catch-up.ts';
import { handleHook } from '../../src/app/intake/hook/hook.ts';
import { ingestMany } from '../../src/app/intake/many.ts';
import { listSessions } from '../../src/app/session/list.ts';
import { makeProject, type Project, temporaryFolder } from '../support/store.ts';

const ID = '5f2b7c1e-3d4a-4b6c-8e9f-0a1b2c3d4e5f';

let project: Project;
let home: string;
const around = () => ({ environment: { HOME: home } });
const status = () => captureStatus(project.open(), around());
const seen = () => status().conversations.map((each) => `${each.captured} ${each.turns_stored}/${each.turns}`);

beforeEach(() => {
  project = makeProject();
  home = temporaryFolder();
});

const said = (role: string, text: string): string => {
  const words = role === 'user' ? `<user_query>\n${text}\n</user_query>` : text;
  return `${JSON.stringify({ role, message: { content: [{ type: 'text', text: words }] } })}\n`;
};
const turn = (task: string): string => said('user', task) + said('assistant', `I did it: ${task}`);

const placeOf = (place: string, cwd = project.folder): string => {
  const name = cwd.slice(1).replace(/[^a-zA-Z0-9]+/g, '-');
  return join(home, '.cursor', 'projects', name, 'agent-transcripts', place);
};

function put(place: string, text: string, cwd?: string): string {
  const file = placeOf(place, cwd);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

test('each conversation of the project, and none of its sub-agents or of another project', () => {
  put(`${ID}/${ID}.jsonl`, turn('Add a cache') + turn('Now test it'));
  put(`${ID}/subagents/6a6a6a6a-3d4a-4b6c-8e9f-0a1b2c3d4e5f.jsonl`, turn('Look for caches'));
  put('flat.jsonl', turn('Fix the parser'));
  put('other.jsonl', turn('Nothing of ours'), join(project.folder, 'below'));
  put('third.jsonl', turn('Nothing of ours'), '/home/dev/acme-http');
  expect(seen().sort()).toEqual(['never 0/1', 'never 0/2']);
  const caught = catchUp(project.open(), { ...around(), all: true });
  expect(caught).toMatchObject({ turns_added: 3, problems: [] });
  expect(seen().sort()).toEqual(['captured 1/1', 'captured 2/2']);
  expect(catchUp(project.open(), { ...around(), all: true })).toMatchObject({ turns_added: 0, conversations: [] });
  appendFileSync(placeOf('flat.jsonl'), turn('Go on'));
  expect(seen()).toContain('behind 1/2');
});

test('a caller is behind once its sub-agent has continued', () => {
  const main = put(`${ID}/${ID}.jsonl`, turn('Add a cache'));
  const sub = put(`${ID}/subagents/6a6a6a6a-3d4a-4b6c-8e9f-0a1b2c3d4e5f.jsonl`, turn('Look for caches'));
  ingestMany(project.open(), [join(home, '.cursor')], { here: true });
  expect(listSessions(project.open())).toHaveLength(2);
  expect(status()).toMatchObject({ conversations: [{ file: main, captured: 'captured' }], turns: 1, complete: true });
  appendFileSync(sub, turn('Look again'));
  const behind = { file: main, captured: 'behind', turns: 1, turns_stored: 1, sub_agents: 1, sub_agents_stored: 0 };
  expect(status()).toMatchObject({ conversations: [behind], complete: false });
  expect(catchUp(project.open(), around())).toMatchObject({ turns_added: 0, conversations: [{ file: main }] });
  expect(status()).toMatchObject({ conversations: [{ captured: 'captured', sub_agents_stored: 1 }], complete: true });
});

test('one whose hooks named no transcript, as those of its command line do', async () => {
  const about = { conversation_id: ID, generation_id: 'g', workspace_roots: [project.folder], transcript_path: null };
  const hook = (hook_event_name: string, fields: object) =>
    handleHook('cursor', JSON.stringify({ ...about, hook_event_name, cursor_version: '1.7.2', ...fields }), {
      directory: project.folder,
      clock: project.clock,
    });
  await hook('beforeSubmitPrompt', { prompt: 'Add a cache', attachments: [] });
  await hook('stop', { status: 'completed', loop_count: 0 });
  expect(status()).toMatchObject({ conversations: [], complete: true });
  put(`${ID}/${ID}.jsonl`, turn('Add a cache'));
  expect(seen()).toEqual(['behind 0/1']);
  const [session] = status().conversations.map(({ session_id }) => session_id);
  expect(catchUp(project.open(), around())).toMatchObject({ conversations: [{ session_id: session, created: false }] });
  expect(seen()).toEqual(['captured 1/1']);
});
