// A content that is forgotten: also where an agent or a user has said it beside the file.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { forget } from '../../src/app/forget/forget.ts';
import { checkStore } from '../../src/app/fsck.ts';
import { ingestTranscript } from '../../src/app/intake/ingest.ts';
import { observeBatch } from '../../src/app/session/batch.ts';
import { flushStep } from '../../src/app/session/flush.ts';
import { observeCommand, observeFileWrite, observeNote } from '../../src/app/session/observe.ts';
import { prepareRecord } from '../../src/app/session/records.ts';
import { startSession } from '../../src/app/session/start.ts';
import { addPending, pendingKeeper } from '../../src/history/pending/pending.ts';
import { fsck, makeProject, type Project } from '../support/store.ts';
import { tracesOf } from '../support/traces.ts';

const DIARY = 'Private diary of the wombat keeper, page one\n';

function expectGone({ store, open }: Project, ...texts: string[]): void {
  expect(tracesOf(store, ...texts)).toEqual([]);
  expect(fsck(store)).toBe('');
  expect(checkStore(open(), { full: true }).findings).toEqual([]);
}

/** A transcript of an agent that writes the file, with the whole of it in the call and in the result. */
function transcript(project: Project): string {
  const base = { sessionId: 's1', cwd: project.folder, version: '2.1.330', isSidechain: false };
  const call = { type: 'tool_use', id: 'toolu_1', name: 'Write', input: { file_path: 'w.md', content: DIARY } };
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'File created' };
  const lines = [
    { type: 'user', uuid: 'u1', parentUuid: null, message: { role: 'user', content: 'Write it down' } },
    { type: 'assistant', uuid: 'u2', parentUuid: 'u1', message: { id: 'm1', role: 'assistant', content: [call] } },
    {
      ...{ type: 'user', uuid: 'u3', parentUuid: 'u2', message: { role: 'user', content: [result] } },
      toolUseResult: { type: 'create', filePath: 'w.md', content: DIARY, structuredPatch: [] },
    },
  ].map((line, index) => ({ ...base, ...line, timestamp: `2026-11-20T13:00:0${index}.000Z` }));
  const file = join(project.folder, 's1.jsonl');
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return file;
}

/** The id of the content, and of the record of the write, in the session as it stands. */
function named(project: Project): { content: string; record: string } {
  const records = project
    .git('log', '--format=%H', 'STAGE')
    .trim()
    .split('\n')
    .flatMap((oid) => {
      const listed = project.git('ls-tree', '--name-only', oid).split('\n').includes('step.jsonl');
      return listed ? project.git('show', `${oid}:step.jsonl`).trim().split('\n') : [];
    })
    .map((line) => JSON.parse(line) as { id: string; kind: string; blob?: string });
  const written = records.find(({ kind }) => kind === 'write');
  return { content: String(written?.blob), record: String(written?.id) };
}

test.each(['content', 'record'] as const)('by its %s: a note and an output that say it go along', (by) => {
  const project = makeProject();
  const { repository, folder } = project;
  startSession(repository, 'A task');
  writeFileSync(join(folder, 'w.md'), DIARY);
  observeFileWrite(repository, 'w.md', folder);
  observeNote(repository, `It says: ${DIARY.trim()}!`);
  observeCommand(repository, { command: 'cat w.md', exit_code: 0, output: DIARY });
  flushStep(repository);
  forget(project.open(), { id: named(project)[by] });
  expectGone(project, DIARY.trim());
  observeNote(project.open(), `Once more: ${DIARY.trim()}`);
  expectGone(project, DIARY.trim());
});

test.each(['content', 'record'] as const)('by its %s: what the agent’s call says of it goes along', (by) => {
  const project = makeProject();
  ingestTranscript(project.repository, transcript(project));
  forget(project.open(), { id: named(project)[by] });
  expectGone(project, DIARY.trim());
});

test('a short content goes if it is a whole value, and stays inside a sentence', () => {
  const project = makeProject();
  const { repository, folder } = project;
  startSession(repository, 'A task');
  writeFileSync(join(folder, 'w.md'), 'the front door key\n');
  observeFileWrite(repository, 'w.md', folder);
  observeNote(repository, 'the front door key');
  observeNote(repository, 'Where is the front door key?');
  flushStep(repository);
  forget(project.open(), { id: named(project).content });
  const told = project.git('log', '-p', '--format=', 'STAGE');
  expect(told).toContain('Where is the front door key?');
  expect(told.match(/the front door key/g)).toHaveLength(1);
});

test('a message goes with the input and output of its tools, also in lists and under keys of files, if it is repeated', () => {
  const project = makeProject();
  const { repository } = project;
  startSession(repository, 'A task');
  const [list, argv, whole, below] = ['one', 'two', 'three', 'four'].map((word) => `Private sentence ${word} of mine`);
  const part = {
    ...{ type: 'dynamic-tool', toolName: 'X', toolCallId: 'c1', state: 'output-available' },
    input: { command: ['bash', '-lc', argv] },
    output: [list],
    result: { file: { content: whole }, path: { text: below } },
  };
  const message = { id: 'm1', role: 'assistant', parts: [part] };
  const custom = { kind: 'custom', lines: [list], argv, whole, below };
  const lines = [{ kind: 'message', message }, custom].map((one) => `${JSON.stringify(one)}\n`).join('');
  const [id] = observeBatch(repository, [Buffer.from(lines)], project.folder).records;
  flushStep(repository);
  forget(project.open(), { id });
  expectGone(project, ...([list, argv, whole, below] as string[]));
});

describe.each(['waits', 'stands in a step'])(
  'a long text beside a list of many short ones, in a message that %s',
  (state) => {
    const SAID = 'Private sentence of the wombat keeper';
    const output = { rows: Array.from({ length: 3000 }, (_, row) => ({ name: `row ${row}` })) };
    const text = `${'word '.repeat(2000)}${SAID}`;
    const tool = {
      type: 'dynamic-tool',
      toolName: 'X',
      toolCallId: 'c1',
      state: 'output-available',
      input: {},
      output,
    };
    const message = { id: 'm1', role: 'assistant', parts: [{ type: 'text', text }, tool] };

    test('goes', () => {
      const project = makeProject();
      const { repository, folder } = project;
      startSession(repository, 'A task');
      observeBatch(repository, [Buffer.from(`${JSON.stringify({ kind: 'message', message })}\n`)], folder);
      if (state !== 'waits') flushStep(repository);
      forget(project.open(), { text: SAID });
      flushStep(project.open());
      expectGone(project, SAID);
    });

    test('goes from the payload that an older ctx has left beside it, which no record names', () => {
      const project = makeProject();
      const { repository } = project;
      const { session_id } = startSession(repository, 'A task');
      const keeper = pendingKeeper(repository, session_id);
      const { record, payloads } = prepareRecord(repository, keeper, 1, { body: { kind: 'message', message } });
      const left = {
        name: `${record.id}-message.parts.0.text`,
        mode: '100644',
        oid: keeper.write('blob', Buffer.from(text)),
      };
      addPending(repository, session_id, { record, payloads: [...payloads, left], objects: keeper.written });
      if (state !== 'waits') flushStep(repository);
      expect(tracesOf(project.store, SAID)).not.toEqual([]);
      forget(project.open(), { text: SAID });
      flushStep(project.open());
      expectGone(project, SAID);
    });
  },
);
