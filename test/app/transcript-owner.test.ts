// Whose a file is, however much stands before what tells it; and how little is read of files that are nobody's.
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Agent } from '../../src/agents/contract/agent.ts';
import { AGENTS, agentOfRecord } from '../../src/agents/index.ts';
import { captureStatus } from '../../src/app/capture/capture.ts';
import { catchUp } from '../../src/app/capture/catch-up.ts';
import { ingestTranscript } from '../../src/app/intake/ingest.ts';
import { beginningAbout } from '../../src/app/transcript/about.ts';
import { findTranscripts } from '../../src/app/transcript/find-transcripts.ts';
import { previewLines } from '../../src/app/transcript/line-preview.ts';
import { ownerOf } from '../../src/app/transcript/owner.ts';
import { recogniseTranscript } from '../../src/app/transcript/recognise.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { JsonSketch } from '../../src/core/json-sketch.ts';
import { fixturesOf } from '../agents/support/corpus.ts';
import { putTranscript } from '../support/homes.ts';
import { makeProject, temporaryFolder } from '../support/store.ts';

const MEGABYTE = 1_000_000;
const line = (record: unknown): string => `${JSON.stringify(record)}\n`;
const lines = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, n) => make(n)).join('');

/** Writes a file; gives its path. */
function written(text: string, name = 'some.txt'): string {
  const file = join(temporaryFolder(), name);
  writeFileSync(file, text);
  return file;
}

const SESSION = '0b6f5c1e-7a52-4c3e-9d10-6b1f0a4f2e11';
const said = (uuid: string, type: string, content: unknown, parentUuid: string | null, cwd = '/w'): string =>
  line({
    ...{ parentUuid, sessionId: SESSION, cwd, type, message: { role: type, content } },
    ...{ uuid, timestamp: '2026-01-21T20:00:00Z' },
  });
const answer = (cwd?: string): string =>
  said('u2', 'assistant', [{ type: 'text', text: 'It is the second one.' }], 'u1', cwd);
const LONG = `Find the error:\n${'GET /a 200\n'.repeat(30_000)}`;
const snapshot = line({
  type: 'file-history-snapshot',
  messageId: 'm1',
  snapshot: { messageId: 'm1', trackedFileBackups: { 'a.ts': 'x'.repeat(5 * MEGABYTE) } },
});

/** Lines before the first line that shows the owner of a file. */
const BEFORE: [what: string, text: string][] = [
  ['300 lines of unknown JSON', lines(300, (n) => line({ type: 'telemetry', n, data: 'y'.repeat(2000) }))],
  ['300 lines of garbage', lines(300, (n) => `${n} { [ "garbage ${'z'.repeat(2000)}\n`)],
  ['a long line of unknown JSON', line({ type: 'telemetry', data: { list: Array(900_000).fill(1) } })],
  ['a long line of garbage', `${'garbage '.repeat(MEGABYTE)}\n`],
  ['a line that is too long to be read', line({ type: 'telemetry', data: 'x'.repeat(17 * 1024 * 1024) })],
];

/** A transcript of each agent that is made of lines. */
const transcripts = AGENTS.flatMap((agent): [string, Agent, string][] => {
  const found = fixturesOf(agent).find(({ path, text }) => path.endsWith('.jsonl') && text !== null);
  return found?.text ? [[agent.name, agent, found.text]] : [];
});

test('each agent has a transcript that is made of lines', () => {
  expect(transcripts.map(([name]) => name)).toEqual(AGENTS.map(({ name }) => name));
});

describe.each(transcripts)('%s', (_name, agent, text) => {
  test.each(BEFORE)('is recognised behind %s', (_what, before) => {
    const plain = written(text, 'one.jsonl');
    const file = written(before + text, 'one.jsonl');
    expect(ownerOf(plain)).toEqual({ agent, begins: 0 });
    expect(ownerOf(file)).toEqual({ agent, begins: before.length });
    const [recognised, expected] = [recogniseTranscript(file, undefined), recogniseTranscript(plain, undefined)];
    expect(recognised.agentSession).toBe(expected.agentSession);
    expect(beginningAbout(recognised, [])).toEqual(beginningAbout(expected, []));
  });

  test('reads the owner from each record that names it, in a long line', () => {
    const records = fixturesOf(agent).flatMap((transcript) => transcript.lines.flatMap(objectIn));
    const own = records.filter((record) => agent.isOurs(record));
    expect(own.length).toBeGreaterThan(0);
    for (const record of own) {
      expect(agentOfRecord(record)).toBe(agent);
      const padded = { padding: 'x'.repeat(300_000), list: Array(20_000).fill({ a: 'b' }), ...record };
      expect(agentOfRecord(sketched(padded))).toBe(agent);
    }
  });
});

function objectIn(text: string): JsonObject[] {
  try {
    return [JSON.parse(text) as JsonObject];
  } catch {
    return [];
  }
}

function sketched(record: JsonObject): JsonObject {
  const sketch = new JsonSketch();
  sketch.write(Buffer.from(JSON.stringify(record)));
  return JSON.parse(sketch.text) as JsonObject;
}

test.each([
  ['a prompt', said('u1', 'user', LONG, null) + answer()],
  ['a prompt, and nothing behind it', said('u1', 'user', LONG, null)],
  ['a snapshot of files', snapshot + said('u1', 'user', 'Hello', null) + answer()],
])('%s that is long is the first line of a transcript of Claude Code', (_what, text) => {
  const file = written(text, 'big.jsonl');
  expect(findTranscripts([join(file, '..')], undefined)).toMatchObject({ transcripts: [{ file }], passed_over: [] });
  const { repository } = makeProject();
  const result = ingestTranscript(repository, file);
  expect(result).toMatchObject({ agent: 'claude-code', agent_session_id: SESSION, created: true, problems: [] });
  expect(beginningAbout(recogniseTranscript(file, undefined), []).cwd).toBe('/w');
});

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);
const message = (index: number) => ({
  ...{ id: `m${index}`, timestamp: '2026-01-21T20:00:00Z', type: 'user', content: 'x'.repeat(50_000) },
});
const chat = {
  messages: Array.from({ length: 100 }, (_, n) => message(n)),
  sessionId: SESSION,
  projectHash: 'a'.repeat(64),
};
const exported = {
  messages: [{ info: { id: 'msg_1', role: 'user' }, parts: [{ type: 'text', text: 'x'.repeat(400_000) }] }],
  info: { id: 'ses_1', projectID: 'p', directory: '/w' },
};
const led = { info: { id: 'ses_1', projectID: 'p', diffs: 'x'.repeat(400_000) }, messages: exported.messages };
const rollout = {
  items: [{ type: 'other', text: 'x'.repeat(400_000) }],
  session: { id: SESSION, timestamp: '2025-05-01T00:00:00Z', instructions: '' },
};

test.each([
  ['gemini', chat],
  ['opencode', exported],
  ['opencode', led],
  ['codex', rollout],
])('recognises a document of %s by the fields after its long parts', (name, document) => {
  for (const text of [JSON.stringify(document), pretty(document), `\ufeff${pretty(document)}`]) {
    const file = written(text, 'one.json');
    expect(ownerOf(file)).toMatchObject({ agent: { name }, begins: 0 });
    // It is read as a document, not as one line.
    const { text: read } = recogniseTranscript(file, undefined);
    expect([...read.pieces(0)].map(String).join('').split('\n').length).toBeGreaterThan(2);
  }
});

test.each([
  ['a log', lines(50_000, (n) => `2026-01-21 INFO request ${n} {"status":200}\n`)],
  ['rows of JSON', lines(50_000, (n) => line({ level: 'info', message: 'm', timestamp: 'x', n }))],
  ['a large JSON on many lines', pretty({ name: 'x', messages: [], packages: Array(20_000).fill({ version: '1' }) })],
  ['a large JSON on one line', JSON.stringify({ type: 'FeatureCollection', features: Array(50_000).fill({ id: 1 }) })],
  ['a list', JSON.stringify(Array(50_000).fill({ id: 1 }))],
  ['nothing', ''],
])('%s is nobody’s', (_what, text) => {
  const file = written(text);
  expect(ownerOf(file)).toBeNull();
  expect(() => recogniseTranscript(file, undefined)).toThrow('is no transcript that ctx knows');
  expect(findTranscripts([join(file, '..')], undefined).passed_over).toEqual([file]);
});

test('reads no more of an endless file than it takes to know that it belongs to no agent', () => {
  const readOf = (piece: string): number => {
    let pieces = 0;
    const endless = function* (): Generator<Buffer> {
      for (; pieces < 1_000; pieces += 1) yield Buffer.from(piece);
    };
    expect([...previewLines(endless())].length).toBeLessThan(1025);
    return pieces * piece.length;
  };
  expect(readOf('a line of a log\n'.repeat(10_000))).toBeLessThan(MEGABYTE);
  expect(readOf(line({ a: 'x'.repeat(200_000) }))).toBeLessThan(130 * MEGABYTE);
  expect(readOf('x'.repeat(MEGABYTE))).toBeLessThan(136 * MEGABYTE);
  expect(readOf(`{${'"a":1,'.repeat(160_000)}`)).toBeLessThan(136 * MEGABYTE);
});

test('a file that was looked at is looked at again once it is another', () => {
  const file = written('nothing yet\n');
  expect(ownerOf(file)).toBeNull();
  appendFileSync(file, answer());
  expect(ownerOf(file)).toMatchObject({ agent: { name: 'claude-code' }, begins: 12 });
});

test('`capture status` and the catch-up know it by the same session', () => {
  const { repository, folder } = makeProject();
  const home = temporaryFolder();
  const around = { environment: { HOME: home } };
  const text = snapshot + said('u1', 'user', LONG, null, folder) + answer(folder);
  putTranscript(home, folder, 'renamed.jsonl', text);
  const told = () => captureStatus(repository, around).conversations;
  expect(told()).toMatchObject([{ agent_session_id: SESSION, captured: 'never', turns: 1 }]);
  expect(catchUp(repository, { ...around, all: true })).toMatchObject({ turns_added: 1, problems: [] });
  expect(told()).toMatchObject([{ agent_session_id: SESSION, captured: 'captured', turns: 1, turns_stored: 1 }]);
});
