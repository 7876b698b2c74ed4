// The transcript of a sub-agent is compared with the store like its caller's, and named if ctx cannot read it.
import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { folderNameOf } from '../../src/agents/claude-code/transcripts.ts';
import { captureStatus } from '../../src/app/capture/capture.ts';
import { catchUp } from '../../src/app/capture/catch-up.ts';
import { examine } from '../../src/app/doctor/doctor.ts';
import { forget } from '../../src/app/forget/forget.ts';
import { ingestTranscript } from '../../src/app/intake/ingest.ts';
import { ingestMany } from '../../src/app/intake/many.ts';
import { listSessions } from '../../src/app/session/list.ts';
import { put } from '../support/homes.ts';
import { makeProject, type Project, temporaryFolder } from '../support/store.ts';

const SESSION = '7d1f0c52-8a35-4b0e-9c67-20b1f4a7e9d3';
const ID = 'a5c31e0';

let project: Project;
let home: string;
let environment: Record<string, string>;

beforeEach(() => {
  project = makeProject();
  home = temporaryFolder();
  environment = { HOME: home };
});

const status = () => captureStatus(project.open(), { environment });
const caughtUp = () => catchUp(project.open(), { environment, all: true });
const findings = () =>
  examine({ directory: project.folder, environment, node: process.execPath, program: 'ctx' }).findings.filter(
    ({ kind }) => kind === 'capture',
  );

const said = (type: string, uuid: string, parentUuid: string | null, content: unknown, more: object = {}): string =>
  `${JSON.stringify({
    type,
    uuid,
    parentUuid,
    isSidechain: false,
    cwd: project.folder,
    sessionId: SESSION,
    version: '2.1.220',
    timestamp: '2026-11-10T09:00:00.000Z',
    message: { id: `m-${uuid}`, role: type, content },
    ...more,
  })}\n`;
const answer = (uuid: string, parent: string, text: string, more: object = {}): string =>
  said('assistant', uuid, parent, [{ type: 'text', text }], more);
const child = (id: string): string => {
  const own = { isSidechain: true, agentId: id };
  return said('user', `${id}-1`, null, `Look for ${id}`, own) + answer(`${id}-2`, `${id}-1`, `Found ${id}`, own);
};
const folder = (): string => join(home, '.claude/projects', folderNameOf(project.folder));
const putCaller = (): string =>
  put(
    join(folder(), `${SESSION}.jsonl`),
    said('user', 'u1', null, 'Add a cache to the client') + answer('u2', 'u1', 'Added.'),
  );

const places: [what: string, place: string][] = [
  ['in the folder of its session', `${SESSION}/subagents/agent-${ID}.jsonl`],
  ['of a workflow', `${SESSION}/subagents/workflows/run-1/agent-${ID}.jsonl`],
  ['beside its session', `agent-${ID}.jsonl`],
];

describe.each(places)('a sub-agent %s', (_, place) => {
  const path = (): string => join(folder(), place);

  test('is behind until catch-up has taken it in', () => {
    const caller = putCaller();
    ingestTranscript(project.open(), caller);
    expect(status()).toMatchObject({ complete: true, conversations: [{ captured: 'captured', sub_agents: 0 }] });
    put(path(), child(ID));
    const behind = { file: caller, captured: 'behind', turns: 1, turns_stored: 1, sub_agents: 1, sub_agents_stored: 0 };
    expect(status()).toMatchObject({ complete: false, behind: 1, conversations: [behind], problems: [] });
    const message = '1 of 1 turn captured; 1 sub-agent not';
    expect(findings()).toContainEqual(expect.objectContaining({ severity: 'problem', message }));
    expect(caughtUp()).toMatchObject({ conversations: [{ file: caller, turns_added: 0 }], problems: [] });
    expect(status()).toMatchObject({ complete: true, conversations: [{ captured: 'captured', sub_agents_stored: 1 }] });
    expect(listSessions(project.open())).toHaveLength(2);
    expect(caughtUp()).toMatchObject({ conversations: [], problems: [] });
  });

  test('is taken in with a caller of which nothing is stored', () => {
    putCaller();
    put(path(), child(ID));
    expect(status()).toMatchObject({ conversations: [{ captured: 'never', sub_agents: 1, sub_agents_stored: 0 }] });
    expect(caughtUp()).toMatchObject({ turns_added: 1, problems: [] });
    expect(status()).toMatchObject({ complete: true, conversations: [{ sub_agents: 1, sub_agents_stored: 1 }] });
  });

  test('names each line that cannot be read, however often it was read', () => {
    putCaller();
    const file = put(path(), child(ID));
    ingestMany(project.open(), [join(home, '.claude')], { here: true });
    appendFileSync(file, '{"type":\n');
    for (const _ of [1, 2]) {
      const problem = { agent: 'claude-code', file, reason: 'damaged', message: expect.stringContaining('line 3: ') };
      expect(status()).toMatchObject({ complete: false, problems: [problem] });
      expect(caughtUp().problems).toMatchObject([problem]);
      expect(findings()).toContainEqual(expect.objectContaining({ severity: 'problem', message: problem.message }));
    }
  });

  test('stays forgotten with its caller', () => {
    putCaller();
    put(path(), child(ID));
    caughtUp();
    forget(project.open(), { id: status().conversations[0]?.session_id ?? '' });
    expect(status()).toMatchObject({ complete: true, conversations: [{ captured: 'forgotten' }] });
  });
});

const unread: [what: string, reason: string, name: string, write: (path: string) => void][] = [
  ['a link that leads nowhere', 'missing', `agent-${ID}.jsonl`, (path) => symlinkSync('/nonexistent/gone', path)],
  ['no transcript', 'unknown', `agent-${ID}.jsonl`, (path) => writeFileSync(path, 'Neither JSON nor a record.\n')],
  ['an SQLite database', 'unknown', `agent-${ID}.jsonl`, (path) => writeFileSync(path, 'SQLite format 3\0and more')],
  ['compressed', 'compressed', `agent-${ID}.jsonl.gz`, (path) => writeFileSync(path, gzipSync(child(ID)))],
];

test.each(unread)('a sub-agent whose transcript is %s is named: %s', (_, reason, name, write) => {
  putCaller();
  const file = join(folder(), SESSION, 'subagents', name);
  mkdirSync(dirname(file), { recursive: true });
  write(file);
  caughtUp();
  expect(status()).toMatchObject({ complete: false, problems: [{ agent: 'claude-code', file, reason }] });
  expect(findings().map(({ severity, message }) => [severity, message])).toContainEqual([
    'problem',
    status().problems[0]?.message,
  ]);
  const { problems } = ingestMany(project.open(), [folder()], { environment });
  expect(problems).toMatchObject([{ file, reason }]);
});

test.each(['', '{"type":"user","uu'])('a sub-agent that has just begun is no problem: %j', (text) => {
  putCaller();
  put(join(folder(), SESSION, 'subagents', `agent-${ID}.jsonl`), text);
  caughtUp();
  expect(status()).toMatchObject({ complete: true, problems: [] });
});
