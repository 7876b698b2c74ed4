// What hooks have told of a sub-agent is kept once, with its caller.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { IngestManyResult, ListedSession } from '../../src/index.ts';
import { folder, fsck, git, json } from '../support/cli.ts';
import { Conversation, messagesOf, recordsOf, shell, storyOf } from './support/day.ts';

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

/** What the session of the sub-agent tells. */
function childOf(dir: string): { story: string[]; messages: string[] } {
  const listed: ListedSession[] = json(['stage', 'list'], { cwd: dir });
  const child = listed.find(({ parent_session_id }) => parent_session_id !== null);
  if (!child) return expect.fail('no session is a child');
  const records = recordsOf(dir, `refs/sessions/${child.session_id}`);
  return { story: storyOf(records), messages: messagesOf(records) };
}

const ingest = (dir: string): IngestManyResult =>
  json(['ingest', '--here', join(dir, '..', 'transcripts')], { cwd: dir });

/** A conversation that has called a sub-agent, which has run two commands: hooks have told of the first. */
function called(dir: string): Conversation {
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
  return talk;
}

test('a call that a hook has recorded with the caller is not recorded again with the sub-agent, one that none told of is', () => {
  const dir = workTree();
  const talk = called(dir);
  talk.stop('The login is fixed.');
  ingest(dir);
  const { story, messages } = childOf(dir);
  expect(story.filter((line) => line.startsWith('run'))).toEqual(['run pwd → 0']);
  expect(messages.at(-1)).toBe('Found it. Shall I go on?');
  expect(storyOf(recordsOf(dir, 'STAGE'))).toContain('run grep -r login . → 0');
  fsck(dir);
});

test('nor one that still waits to be flushed, or that a saved session of the caller has', () => {
  const waiting = workTree();
  called(waiting);
  expect(json(['stage', 'status'], { cwd: waiting })).toMatchObject({ pending_observations: 1 });
  ingest(waiting);
  expect(childOf(waiting).story.filter((line) => line.startsWith('run'))).toEqual(['run pwd → 0']);
  const saved = workTree();
  called(saved).stop('The login is fixed.');
  json(['stage', 'compact'], { cwd: saved });
  ingest(saved);
  expect(childOf(saved).story.filter((line) => line.startsWith('run'))).toEqual(['run pwd → 0']);
});
