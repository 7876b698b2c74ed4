// Tests that events of hooks about a sub-agent are kept once, with its caller; and its last words go to that, not to the user.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { IngestManyResult, ListedSession } from '../../src/index.ts';
import { folder, fsck, git, json, NOON } from '../support/cli.ts';
import { Conversation, messagesOf, recordsOf, shell, storyOf } from './support/day.ts';
import { refsOf } from './support/projects.ts';

const CALLER = 'aaaaaaaa-1111-4111-8111-111111111111';
const AGENT = 'abc123';

/** A Git work tree with nothing of ctx in it. */
function workTree(): string {
  const dir = join(folder('sub-agent-'), 'project');
  mkdirSync(dir);
  git(dir, 'init', '-q');
  return dir;
}

/** Puts what was written of a sub-agent where Claude Code has it. */
function putBeside(caller: Conversation, agent: Conversation): void {
  const file = join(dirname(caller.transcript), CALLER, 'subagents', `agent-${AGENT}.jsonl`);
  const own = { isSidechain: true, agentId: AGENT, sessionId: CALLER };
  const lines = readFileSync(agent.transcript, 'utf8').trimEnd().split('\n');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, lines.map((line) => `${JSON.stringify({ ...JSON.parse(line), ...own })}\n`).join(''));
}

/** Returns the story of the session of the sub-agent, and its state. */
function childOf(dir: string): { story: string[]; messages: string[]; state: object } {
  const listed: ListedSession[] = json(['stage', 'list'], { cwd: dir });
  const child = listed.find(({ parent_session_id }) => parent_session_id !== null);
  if (!child) return expect.fail('no session is a child');
  const records = recordsOf(dir, `refs/sessions/${child.session_id}`);
  return { story: storyOf(records), messages: messagesOf(records), state: child.session_state };
}

const ingest = (dir: string): IngestManyResult =>
  json(['ingest', '--here', join(dir, '..', 'transcripts')], { cwd: dir, now: NOON + 3600 });

/** A conversation that has called a sub-agent, which has run two commands: hooks have told of the first. */
function called(dir: string): { talk: Conversation; agent: Conversation } {
  const talk = new Conversation(dir, CALLER);
  const agent = new Conversation(dir, 'bbbbbbbb-2222-4222-8222-222222222222', join(dir, '..', 'elsewhere'));
  talk.prompt('Fix the login');
  talk.lineOfUser('Fix the login');
  agent.lineOfUser('Look for it');
  agent.lineOfCall('Bash', { command: 'grep -r login .' }, 'toolu_seen');
  talk.tool('Bash', { command: 'grep -r login .' }, shell('ok'), 'toolu_seen', { agent_id: AGENT });
  agent.lineOfResult('toolu_seen', 'ok', shell('ok'));
  agent.lineOfCall('Bash', { command: 'pwd' }, 'toolu_unseen');
  agent.lineOfResult('toolu_unseen', '/', shell('/'));
  agent.lineOfAgent('Found it. Shall I go on?');
  putBeside(talk, agent);
  return { talk, agent };
}

test('records a call once that a hook recorded with the caller, and records a call that no hook reported', () => {
  const dir = workTree();
  const { talk } = called(dir);
  talk.stop('The login is fixed.');
  ingest(dir);
  const { story, messages } = childOf(dir);
  expect(story.filter((line) => line.startsWith('run'))).toEqual(['run pwd → 0']);
  expect(messages.at(-1)).toBe('Found it. Shall I go on?');
  expect(storyOf(recordsOf(dir, 'STAGE'))).toContain('run grep -r login . → 0');
  fsck(dir);
});

test('does not record a call again that waits to be flushed, or that a saved session of the caller has', () => {
  const waiting = workTree();
  called(waiting);
  expect(json(['stage', 'status'], { cwd: waiting })).toMatchObject({ pending_observations: 1 });
  ingest(waiting);
  expect(childOf(waiting).story.filter((line) => line.startsWith('run'))).toEqual(['run pwd → 0']);
  const saved = workTree();
  called(saved).talk.stop('The login is fixed.');
  json(['stage', 'compact'], { cwd: saved });
  ingest(saved);
  expect(childOf(saved).story.filter((line) => line.startsWith('run'))).toEqual(['run pwd → 0']);
});

const runsOf = (dir: string, revision: string): string[] =>
  storyOf(recordsOf(dir, revision)).filter((line) => line.startsWith('run'));

/** A session that a prompt has ended, within whose turn the agent goes on working. */
function ended(dir: string): { talk: Conversation; archived: string } {
  const talk = new Conversation(dir, CALLER);
  talk.turn('Fix the login', 'npm test', 'It is fixed.');
  talk.prompt('Never mind');
  talk.lineOfUser('Never mind');
  const [archived = ''] = refsOf(dir, 'archive');
  expect(refsOf(dir, 'sessions')).toEqual([]);
  return { talk, archived };
}

test('what it does in the turn that has ended the session stays with that one', () => {
  const dir = workTree();
  const { talk, archived } = ended(dir);
  talk.tool('Bash', { command: 'git stash' }, shell(''), 'toolu_sub', { agent_id: AGENT });
  talk.stop('It is stashed.');
  talk.lineOfAgent('It is stashed.');
  talk.hook('SessionEnd', { reason: 'other' });
  expect(runsOf(dir, archived)).toEqual(['run npm test → 0', 'run git stash → 0']);
  const agent = new Conversation(dir, 'bbbbbbbb-2222-4222-8222-222222222222', join(dir, '..', 'elsewhere'));
  agent.lineOfUser('Put it aside');
  agent.lineOfCall('Bash', { command: 'git stash' }, 'toolu_sub');
  agent.lineOfResult('toolu_sub', '', shell(''));
  agent.lineOfAgent('Stashed.');
  putBeside(talk, agent);
  ingest(dir);
  expect(childOf(dir).story.filter((line) => line.startsWith('run'))).toEqual([]);
  fsck(dir);
});

test('records it with the saved session if it arrives late, after the user said only thanks', () => {
  const dir = workTree();
  const { talk, archived } = ended(dir);
  talk.stop('All right.');
  talk.lineOfAgent('All right.');
  talk.prompt('Thanks!');
  talk.lineOfUser('Thanks!');
  talk.tool('Bash', { command: 'git stash' }, shell(''), 'toolu_sub', { agent_id: AGENT });
  talk.stop('Gladly.');
  talk.lineOfAgent('Gladly.');
  talk.hook('SessionEnd', { reason: 'other' });
  expect(runsOf(dir, archived)).toEqual(['run npm test → 0', 'run git stash → 0']);
  expect(refsOf(dir, 'sessions')).toEqual([]);
});

test('a sub-agent begins a session, as any tool does, in a conversation whose only prompt began none', () => {
  const dir = workTree();
  const talk = new Conversation(dir, CALLER);
  talk.prompt('Thanks!');
  talk.tool('Bash', { command: 'git stash' }, shell(''), 'toolu_sub', { agent_id: AGENT });
  talk.stop('It is stashed.');
  expect(json(['stage', 'status'], { cwd: dir })).toMatchObject({ active: true, task_description: 'Untitled session' });
  expect(runsOf(dir, 'STAGE')).toEqual(['run git stash → 0']);
});

test('a question at the end of a sub-agent waits for no user, even if more of it arrives later', () => {
  const dir = workTree();
  const { talk, agent } = called(dir);
  talk.stop('The login is fixed.');
  ingest(dir);
  expect(childOf(dir).state).toEqual({ kind: 'PendingComplete', summary: 'Found it. Shall I go on?' });
  agent.lineOfUser('Yes');
  agent.lineOfAgent('Should the tests be changed, too?');
  putBeside(talk, agent);
  ingest(dir);
  const { state, story } = childOf(dir);
  expect(state).toEqual({ kind: 'PendingComplete', summary: 'Should the tests be changed, too?' });
  expect(story.filter((line) => line.includes('AwaitingUser'))).toEqual([]);
});

test('waits for no user if only the folder of the transcript shows that it is a sub-agent’s', () => {
  const dir = workTree();
  json(['init'], { cwd: dir });
  const said = (role: string, text: string): string =>
    `${JSON.stringify({ role, message: { content: [{ type: 'text', text }] } })}\n`;
  const put = (path: string, text: string): void => {
    const file = join(dir, '..', 'transcripts', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  const [query, answer] = ['<user_query>\nLook for it\n</user_query>', 'Found it. Shall I go on?'];
  put(`${CALLER}/${CALLER}.jsonl`, said('user', query) + said('assistant', 'Done.'));
  put(
    `${CALLER}/subagents/0c5a0002-0000-4000-8000-000000000002.jsonl`,
    said('user', query) + said('assistant', answer),
  );
  ingest(dir);
  expect(childOf(dir).state).toEqual({ kind: 'PendingComplete', summary: answer });
});

test('a copy of a session is the user’s own: what it asks waits for them', () => {
  const dir = workTree();
  const talk = new Conversation(dir, CALLER);
  talk.turn('Fix the login', 'ls', 'The login is fixed.');
  const copy = new Conversation(dir, 'cccccccc-3333-4333-8333-333333333333');
  copy.line({
    ...{ type: 'user', message: { role: 'user', content: 'And the logout?' } },
    forkedFrom: { sessionId: CALLER, messageUuid: 'x' },
  });
  copy.lineOfAgent('Shall I remove it?');
  ingest(dir);
  expect(childOf(dir).state).toMatchObject({ kind: 'AwaitingUser', question: 'Shall I remove it?' });
});
