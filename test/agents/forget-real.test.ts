// Forgetting on real conversations: whatever is taken out is gone to the last byte, and does not come back with the transcript.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { forget } from '../../src/app/forget/forget.ts';
import { checkStore } from '../../src/app/fsck.ts';
import { ingestTranscript } from '../../src/app/intake/ingest.ts';
import { compactSession } from '../../src/app/session/compact.ts';
import { showRevision } from '../../src/app/show.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import type { StoredRecord } from '../../src/core/records/record.ts';
import { textsOfRecord } from '../../src/core/session/forgetting.ts';
import { fsck, makeProject, type Project, ROOT } from '../support/store.ts';
import { tracesOf } from '../support/traces.ts';

const ours = ['retry-backoff', 'compaction'].map((name) => join(ROOT, 'fixtures', 'claude-code', `${name}.jsonl`));
const theirs = ['82_94a9921cfd_0', '7e_c034df6095_2', '8e_0a64736bc7_0'].map((name) =>
  join(ROOT, '..', 'shared', 'transcripts', 'claude-code', `${name}.jsonl`),
);
const files = [...ours, ...theirs].filter((file) => existsSync(file));

/** Returns the texts of messages that have more than one word, each with its record; the longest first. */
function saidIn(project: Project, id: string): { record: StoredRecord; text: string }[] {
  const records = [...showRevision(project.open(), id).steps].flatMap((step) => step.observations);
  const said = records
    .filter((record) => record.kind === 'message')
    .flatMap((record) => [...textsOfRecord(record)].map(([text, how]) => ({ record, text, how })))
    .filter(({ text, how }) => how === 'said' && text.length >= 24 && text.length < 3000 && /\s/.test(text))
    .sort((a, b) => b.text.length - a.text.length);
  return said.filter(({ record }, at) => said.findIndex((other) => other.record === record) === at);
}

/** Not a byte is left, also when the transcript is ingested once more, and from its beginning. */
function expectGone(project: Project, file: string, text: string): void {
  expect(tracesOf(project.store, text)).toEqual([]);
  expect(fsck(project.store)).toBe('');
  expect(checkStore(project.open(), { full: true }).findings).toEqual([]);
  expect(ingestTranscript(project.open(), file).steps_added).toBe(0);
  undoOperations(project.open());
  expect(ingestTranscript(project.open(), file).created).toBe(true);
  expect(tracesOf(project.store, text)).toEqual([]);
}

describe.each(files.map((file) => [file.split('/').at(-1) ?? '', file]))('%s', (_name, file) => {
  it('forgets a text, records, and the whole conversation', () => {
    const project = makeProject();
    const { session_id: id } = ingestTranscript(project.repository, file);
    const [first, second, third] = saidIn(project, id);
    if (!first || !second || !third) return expect.fail('nothing is said in it');
    const words = third.text.slice(0, 20).trim();
    expect(tracesOf(project.store, words)).not.toEqual([]);
    for (const target of [{ text: words }, { id: first.record.id }, { id: second.record.id }])
      forget(project.open(), target);
    for (const text of [first.text, second.text, words]) expect(tracesOf(project.store, text)).toEqual([]);
    expectGone(project, file, first.text);
    expect(tracesOf(project.store, second.text)).toEqual([]);
    compactSession(project.open());
    const ended = showRevision(project.open(), 'HEAD').session_id ?? '';
    forget(project.open(), { id: ended });
    expect(fsck(project.store)).toBe('');
    expect(checkStore(project.open(), { full: true }).findings).toEqual([]);
    expect(ingestTranscript(project.open(), file)).toMatchObject({ session_id: ended, steps_added: 0 });
    expect(showRevision(project.open(), 'HEAD').message).toBe('[forgotten]');
  });
});

it('forgets the output of a command in a message that repeats it after an exit code', () => {
  const project = makeProject();
  const { session_id: id } = ingestTranscript(project.repository, ours[0] ?? '');
  const records = [...showRevision(project.open(), id).steps].flatMap((step) => step.observations);
  const failed = records.find((record) => record.kind === 'command' && record.exit_code === 1);
  const output = String(failed?.output).trim();
  const told = records.filter((record) => record.kind === 'message' && JSON.stringify(record).includes('Exit code 1'));
  expect([output.split('\n').length > 1, told.length]).toEqual([true, 1]);
  expect(tracesOf(project.store, output)).not.toEqual([]);
  forget(project.open(), { id: failed?.id });
  expectGone(project, ours[0] ?? '', output);
});
