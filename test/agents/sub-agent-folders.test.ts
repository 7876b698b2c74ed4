// Transcripts of sub-agents that only their folder tells from others: they are children of the session that started them.
import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { cursor } from '../../src/agents/cursor/index.ts';
import { gemini } from '../../src/agents/gemini/index.ts';
import { ingestTranscript } from '../../src/app/intake/ingest.ts';
import { ingestMany } from '../../src/app/intake/many.ts';
import { showRevision } from '../../src/app/show.ts';
import { makeProject, type Project, ROOT, temporaryFolder } from '../support/store.ts';

const ASKED = '0c5a0001-0000-4000-8000-000000000001';
const LIMIT = '5e551011-0000-4000-8000-000000000001';
const CASES = [
  ['cursor', `${ASKED}/${ASKED}.jsonl`, `${ASKED}/subagents/0c5a0002-0000-4000-8000-000000000002.jsonl`],
  ['gemini', 'limit.jsonl', `${LIMIT}/5e551011-0000-4000-8000-000000000007.jsonl`],
] as const;

let project: Project;
let folder: string;

beforeEach(() => {
  // Soon after all of it.
  project = makeProject();
  project.clock.now = Date.parse('2026-11-21T00:00:00Z') / 1000;
  folder = temporaryFolder();
});

describe.each(CASES)('%s', (agent, parent, child) => {
  beforeEach(() => {
    for (const name of [parent, child]) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      cpSync(join(ROOT, 'fixtures', agent, name), join(folder, name));
    }
  });

  test('in a folder: the parent comes first, and is the current session', () => {
    const { sessions } = ingestMany(project.open(), [folder], { here: true, activate: true });
    expect(sessions.map(({ file, current }) => [file, current])).toEqual([
      [join(folder, parent), true],
      [join(folder, child), false],
    ]);
    expect(sessions.map(({ parent_session_id }) => parent_session_id)).toEqual([null, sessions[0]?.session_id]);
  });

  test('one by one: the same', () => {
    const [first, second] = [parent, child].map((name) => ingestTranscript(project.open(), join(folder, name)));
    expect(showRevision(project.open(), second?.session_id ?? '').parent_session_id).toBe(first?.session_id);
    expect([first?.current, second?.current]).toEqual([true, false]);
  });
});

test('a session of Cursor began when its first prompt was sent, and is as old as its last one', () => {
  const [, parent] = CASES[0];
  const { session_id } = ingestTranscript(project.open(), join(ROOT, 'fixtures', 'cursor', parent));
  const { started_at, last_activity } = showRevision(project.open(), session_id);
  expect([started_at, last_activity].map((at) => new Date(Number(at) * 1000).toISOString().slice(0, 16))).toEqual([
    '2026-11-20T18:28',
    '2026-11-20T18:33',
  ]);
});

test.each([
  [gemini, `/h/.gemini/tmp/acme/chats/${LIMIT}/explorer-1.jsonl`, LIMIT],
  [gemini, `/h/.gemini/tmp/acme/chats/explorer-1.jsonl`, undefined],
  // One of the user's own that somebody has put aside.
  [gemini, `/h/${LIMIT}/session-2026-11-20T09-00-5e551011.jsonl`, undefined],
  [cursor, `C:/h/.cursor/projects/acme/agent-transcripts/${ASKED}/subagents/b.jsonl`, ASKED],
  [cursor, `/h/.cursor/projects/acme/agent-transcripts/${ASKED}/${ASKED}.jsonl`, undefined],
])('%#: the parent by the path', (agent, path, parent) => {
  expect(agent.aboutPath?.(path).parent_agent_session_id).toBe(parent);
});
