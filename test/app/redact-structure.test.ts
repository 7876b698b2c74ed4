// Tests that ctx's own structure is no text: no pattern and no value of the environment may touch it, whoever writes the record.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { redactionFor } from '../../src/app/redaction/redact.ts';
import type { StoredRecord } from '../../src/core/records/record.ts';
import { placeOf } from '../../src/core/session/places.ts';
import { keepsKey, keepsValue, placeAt } from '../../src/core/structure.ts';
import * as ctx from '../../src/index.ts';
import { fsck, makeProject, type Project } from '../support/store.ts';

afterEach(() => vi.unstubAllEnvs());

const ID = '01a2007b-bfe0-7005-8aa1-0123456789ab';
const call = { type: 'dynamic-tool', toolCallId: 'call-1', toolName: 'x', state: 'input-available' };
const BATCH: readonly object[] = [
  { kind: 'message', message: { id: 'msg-1', role: 'user', parts: [{ type: 'text', text: 'said', state: 'done' }] } },
  { kind: 'message', message: { id: 'msg-2', role: 'assistant', parts: [{ ...call, input: { path: 'kind' } }] } },
  { kind: 'part', message_id: 'msg-2', part_id: 'p-3', seq: 1, part: { ...call, input: {} } },
  { kind: 'overlay', op: 'hide', ids: ['msg-1'], range: { from: 'msg-1', to: 'msg-2' }, reason: 'why' },
  { kind: 'read', path: 'b.txt', bytes: 3, sha256: 'ab'.repeat(32) },
  { kind: 'usage', usage: { input: 1, cache_read: 2 } },
  { kind: 'permission', tool_call_id: 'call-1' },
  { kind: 'relation', from: `note:${ID}`, label: 'Mentions', to: 'file:src/a.ts', confidence: 'low' },
  { kind: 'vendor.event2', content: 'said', deep: { list: [1] } },
];

/** Tells a whole session: every record that ctx writes itself, and those of others. */
function story({ repository, folder }: Project): StoredRecord[] {
  ctx.startSession(repository, 'the task');
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src', 'a.ts'), '\n');
  ctx.observeNote(repository, 'a note');
  ctx.observePlan(repository, [Buffer.from('a plan')]);
  ctx.observeCommand(repository, { command: 'make it', exit_code: 0, output: 'made', duration_ms: 12 });
  ctx.observeRelations(repository, [{ from: 'item:one', label: 'Calls', to: 'item:two' }]);
  ctx.observeFileWrite(repository, 'src/a.ts', folder);
  const lines = BATCH.map((line) => JSON.stringify(line)).join('\n');
  expect(ctx.observeBatch(repository, [Buffer.from(lines)], folder).problems).toEqual([]);
  ctx.flushStep(repository);
  ctx.setState(repository, 'ask', { text: 'What now?' });
  ctx.setState(repository, 'respond', { text: 'This.' });
  ctx.setState(repository, 'done', { text: 'It is done.' });
  ctx.setState(repository, 'confirm', {});
  const records = [...ctx.showRevision(repository, 'STAGE').steps].flatMap(({ observations }) => observations);
  ctx.compactSession(repository);
  return records;
}

/** A record with everything in it but structure taken for one text. */
function bones(value: unknown, where: ReturnType<typeof placeOf>): unknown {
  if (Array.isArray(value)) return value.map((item) => bones(item, where));
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? 'text' : value;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [
    keepsKey(where, key) ? key : 'key',
    keepsValue(where, key, item) ? item : bones(item, placeAt(where, key)),
  ]);
  return Object.fromEntries(entries);
}

/** Returns the structure in records, without parts that differ from store to store and those that redaction adds. */
const structureOf = (records: readonly StoredRecord[]): unknown[] =>
  records.map(({ id: _id, at: _at, redacted: _redacted, ...record }) => {
    const { from, to, ...rest } = bones(record, placeOf(record as never)) as Record<string, unknown>;
    return record.kind === 'relation' ? rest : { ...rest, from, to };
  });

describe('nothing of the structure goes', () => {
  const plain = structureOf(story(makeProject()));

  test.each([
    '[0-9a-f]{40}',
    '[0-9a-f]{64}',
    '[0-9]{1,10}',
    'kind',
    'content|path',
    '[a-z]{4}',
    '[A-Za-z_]{1,20}',
    '.',
  ])('by the pattern %s', (pattern) => {
    const project = makeProject({ redact: { patterns: [{ name: 'our', pattern }] } });
    expect(structureOf(story(project))).toEqual(plain);
    expect(checkStore(project.open(), { full: true }).findings).toEqual([]);
    expect(fsck(project.store)).toBe('');
  });

  test.each(['transition', 'AwaitingUser', 'relation', 'confidence', 'duration_ms', 'input-available'])(
    'by the value %s of the environment',
    (value) => {
      vi.stubEnv('DB_PASSWORD', value);
      const project = makeProject();
      expect(structureOf(story(project))).toEqual(plain);
      expect(checkStore(project.open(), { full: true }).findings).toEqual([]);
    },
  );
});

test('what was said goes all the same, and keys of what tools took', () => {
  const project = makeProject({ redact: { patterns: [{ name: 'our', pattern: 'said|path|kind' }] } });
  const told = JSON.stringify(story(project).filter(({ kind }) => kind === 'message' || kind === 'vendor.event2'));
  const marker = (text: string): string => text.replaceAll(/\[redacted:our:[0-9a-f]{8}\]/g, '#');
  expect(marker(told)).toContain('"text":"#"');
  expect(marker(told)).toContain('"input":{"#":"#"}');
  expect(marker(told)).toContain('"kind":"vendor.event2"');
  expect(marker(told)).toContain('"content":"#"');
});

test.each([
  [{ what: 'turn_end', text: 'turn_end' }, 'what', 'text'],
  [{ kind: 'InterruptedByNewTask', new_task_summary: 'InterruptedByNewTask' }, 'kind', 'new_task_summary'],
  [{ agent: 'pi', agent_session_id: 'a', transcript: 'pi' }, 'agent', 'transcript'],
])('of %j, "%s" stays and "%s" is redacted', (document: Record<string, string>, own, text) => {
  const { repository } = makeProject({ redact: { patterns: [{ name: 'our', pattern: document[own] as string }] } });
  const marker = expect.stringMatching(/^\[redacted:our:[0-9a-f]{8}\]$/);
  expect(redactionFor(repository).value(document)).toEqual({ ...document, [text]: marker });
});

test('redacts a secret under a key of structure if it does not have the format of that key', () => {
  const project = makeProject({ redact: { patterns: [{ name: 'our', pattern: 'x1-secret' }] } });
  ctx.startSession(project.repository, 'the task');
  const lines = [
    { kind: 'vendor', blob: 'x1-secret', role: 'x1-secret', deep: { id: 'x1-secret', 'x1-secret': 1 } },
    {
      kind: 'part',
      message_id: 'm',
      part_id: 'p',
      seq: 1,
      part: { type: 'data-x1-secret', data: { id: 'x1-secret' } },
    },
    { kind: 'relation', from: 'note:x1-secret', label: 'Mentions', to: 'task:x1-secret' },
    { kind: 'x1-secret', content: 'said' },
    { kind: 'note', content: 'said', tool_call_id: 'x1-secret' },
  ];
  ctx.observeBatch(project.repository, [Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'))]);
  ctx.flushStep(project.repository);
  const records = [...ctx.showRevision(project.repository, 'STAGE').steps].at(-1)?.observations ?? [];
  expect(records).toHaveLength(5);
  expect(JSON.stringify(records)).not.toContain('x1-secret');
});

test('a secret of letters alone goes from keys, kinds and words', () => {
  const token = `hf_${'QmOLWByqZTWKOAfcFsxwuSXaccycENYUNKxyzw'.slice(0, 34)}`;
  const project = makeProject();
  ctx.startSession(project.repository, 'the task');
  const lines = [
    { kind: 'message', message: { id: 'm', role: 'user', parts: [{ type: 'text', text: 'x', more: { [token]: 1 } }] } },
    { kind: token, [token]: 1 },
    { kind: 'raw', agent: 'pi', type: token, line: { [token]: { [token]: token } } },
  ];
  ctx.observeBatch(project.repository, [Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'))]);
  ctx.flushStep(project.repository);
  const records = [...ctx.showRevision(project.repository, 'STAGE').steps].at(-1)?.observations ?? [];
  expect(records).toHaveLength(3);
  expect(JSON.stringify(records)).not.toContain(token);
});
