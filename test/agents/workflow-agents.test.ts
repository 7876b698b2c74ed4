// Sub-agents of Claude Code that stand deeper than others, or in places of older releases: each is a child, once.
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { claudeCode } from '../../src/agents/claude-code/index.ts';
import { captureStatus } from '../../src/app/capture/capture.ts';
import { ingestSingle } from '../../src/app/intake/alone.ts';
import { handleHook } from '../../src/app/intake/hook/hook.ts';
import { ingestMany } from '../../src/app/intake/many.ts';
import { listSessions } from '../../src/app/session/list.ts';
import { subAgentsBeside } from '../../src/app/transcript/neighbouring-files.ts';
import { fsck, makeProject, type Project, temporaryFolder } from '../support/store.ts';

const SESSION = 'd0d0d0d0-4444-4444-8444-444444444444';
const OTHER = 'e0e0e0e0-5555-4555-8555-555555555555';

let project: Project;
let home: string;
let main: string;

beforeEach(() => {
  project = makeProject();
  project.clock.now = Date.parse('2026-11-10T10:00:00Z') / 1000;
  home = temporaryFolder();
  main = put(`${SESSION}.jsonl`, said('Check all lists', 'All are checked.'));
});

function put(place: string, text: string): string {
  const file = join(home, '.claude', 'projects', project.folder.replace(/[^a-zA-Z0-9]/g, '-'), place);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** A turn, of a sub-agent if it is named. */
function said(prompt: string, answer: string, agentId?: string, sessionId = SESSION): string {
  const about = { cwd: project.folder, sessionId, version: '2.1.330', timestamp: '2026-11-10T09:00:00.000Z' };
  const own = { ...about, isSidechain: agentId !== undefined, ...(agentId && { agentId }) };
  const content = [{ type: 'text', text: answer }];
  const message = { id: `msg_${agentId}`, role: 'assistant', model: 'claude-opus-5', content, stop_reason: 'end_turn' };
  const lines = [
    { ...own, type: 'user', parentUuid: null, uuid: `${agentId}-1`, message: { role: 'user', content: prompt } },
    { ...own, type: 'assistant', parentUuid: `${agentId}-1`, uuid: `${agentId}-2`, message },
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

const agent = (id: string): string => said(`Check list ${id}`, `List ${id} is checked.`, id);
const JOURNAL = `${JSON.stringify({ type: 'started', key: 'k1', agentId: 'w1' })}\n${JSON.stringify({ type: 'result', key: 'k1', agentId: 'w1', result: { ok: true } })}\n`;

/** Places of the transcripts of sub-agents. */
const PLACES: [what: string, place: (id: string) => string][] = [
  ["in a workflow's folder", (id) => `${SESSION}/subagents/workflows/wf_1/agent-${id}.jsonl`],
  ['deeper still', (id) => `${SESSION}/subagents/workflows/wf_1/nested/wf_2/agent-${id}.jsonl`],
  ['in the folder of sub-agents', (id) => `${SESSION}/subagents/agent-${id}.jsonl`],
  ['beside the transcript itself', (id) => `agent-${id}.jsonl`],
];

/** The tasks of the children, and whether each has the session as its parent. */
function children(): string[] {
  const all = listSessions(project.open()).filter((one) => 'task_description' in one);
  const parent = all.find(({ task_description }) => task_description === 'Check all lists');
  const own = all.filter(({ parent_session_id }) => parent_session_id === parent?.session_id);
  expect(all).toHaveLength(own.length + 1);
  return own.map(({ task_description }) => task_description).sort();
}

describe.each(PLACES)('sub-agents with a transcript %s', (_, place) => {
  beforeEach(() => {
    for (const id of ['w1', 'w2']) put(place(id), agent(id));
    put(join(dirname(place('w1')), 'journal.jsonl'), JOURNAL);
    put(place('w1').replace('.jsonl', '.meta.json'), '{"agentType":"workflow-subagent","spawnDepth":1}');
  });

  test('come with the file that is named, and once', () => {
    const first = ingestSingle(project.open(), main, {});
    expect(first?.children?.problems).toEqual([]);
    expect(children()).toEqual(['Check list w1', 'Check list w2']);
    const again = ingestSingle(project.open(), main, {});
    expect(again?.children?.totals).toMatchObject({ steps_added: 0 });
    expect(children()).toEqual(['Check list w1', 'Check list w2']);
    fsck(project.store);
  });

  test('come with the folder, and the journal is passed over', () => {
    const { problems, passed_over } = ingestMany(project.open(), [join(home, '.claude')]);
    expect([problems, passed_over.filter((file) => file.endsWith('journal.jsonl')).length]).toEqual([[], 1]);
    expect(children()).toEqual(['Check list w1', 'Check list w2']);
  });

  test('come once where the file and the folder are named', () => {
    ingestMany(project.open(), [main, join(home, '.claude')]);
    expect(children()).toEqual(['Check list w1', 'Check list w2']);
  });

  test('are no turns of the session, nor is the journal', () => {
    ingestSingle(project.open(), main, {});
    const { turns, turns_stored, problems } = captureStatus(project.open(), { environment: { HOME: home } });
    expect({ turns, turns_stored, problems }).toEqual({ turns: 1, turns_stored: 1, problems: [] });
  });

  test('the hook of their end begins no session, and moves none', async () => {
    ingestSingle(project.open(), main, {});
    const before = listSessions(project.open());
    const payload = {
      session_id: SESSION,
      transcript_path: main,
      cwd: project.folder,
      hook_event_name: 'SubagentStop',
    };
    const about = {
      agent_id: 'w1',
      agent_type: 'workflow-subagent',
      agent_transcript_path: put(place('w1'), agent('w1')),
    };
    await handleHook('claude-code', JSON.stringify({ ...payload, ...about }), { directory: project.folder });
    expect(listSessions(project.open())).toEqual(before);
  });
});

test("another session's sub-agents beside the transcript are left to that session", () => {
  put('agent-w1.jsonl', agent('w1'));
  put('agent-x1.jsonl', said('Something else', 'Done.', 'x1', OTHER));
  put('agent-torn.jsonl', '{"type":"user","sess');
  expect(subAgentsBeside(claudeCode, main)).toEqual([join(dirname(main), 'agent-w1.jsonl')]);
  ingestSingle(project.open(), main, {});
  expect(children()).toEqual(['Check list w1']);
});

test('does not repeat what the transcript of the caller repeats of a sub-agent of a workflow', () => {
  put(`${SESSION}/subagents/workflows/wf_1/agent-w1.jsonl`, agent('w1'));
  const [, answer = ''] = agent('w1').split('\n');
  const about = { cwd: project.folder, sessionId: SESSION, timestamp: '2026-11-10T09:00:01.000Z' };
  const data = { type: 'agent_progress', agentId: 'w1', message: JSON.parse(answer) };
  appendFileSync(
    main,
    `${JSON.stringify({ ...about, type: 'progress', uuid: 'p1', parentUuid: 'undefined-2', data })}\n`,
  );
  const messages = ingestSingle(project.open(), main, {})?.messages;
  expect(messages).toBe(2);
});
