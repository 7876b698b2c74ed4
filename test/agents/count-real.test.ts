// All real transcripts ingested at once, and what is in the store then compared with a count that knows nothing of our readers.
import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { countTurns } from '../../src/app/capture-count.ts';
import { checkStore } from '../../src/app/fsck.ts';
import { type IngestedFile, type IngestManyResult, ingestMany } from '../../src/app/ingest-many.ts';
import { recogniseTranscript } from '../../src/app/recognise.ts';
import { fsck, makeProject, type Project } from '../support/store.ts';
import { hasReal, noReal, REAL, realFiles, realTranscripts } from './support/corpus.ts';
import { countFile, type FileCount } from './support/independent-count.ts';
import { type Stored, storedIn } from './support/stored.ts';

/** Where a table of all files is written to, for whoever asks for one. */
const TABLE = process.env['COUNT_TABLE'];

interface Row {
  name: string;
  session: IngestedFile;
  stored: Stored;
  count: FileCount;
}

const sumOf = (usage: Record<string, number>): number => Object.values(usage).reduce((sum, tokens) => sum + tokens, 0);

/** The tokens that both tell of; what one of them does not know of is nothing. */
function told(usage: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(usage).filter(([, tokens]) => tokens !== 0));
}

describe.skipIf(!hasReal)(`real transcripts in one store${noReal}`, () => {
  let project: Project;
  let result: IngestManyResult;
  let rows: Row[];

  beforeAll(() => {
    project = makeProject();
    result = ingestMany(project.repository, [REAL], { here: true });
    // Of several files of one session, the newest has all of it.
    const newest = new Map(result.sessions.map((session) => [session.session_id, session]));
    rows = [...newest.values()].flatMap((session) => {
      const count = countFile(session.file);
      const name = relative(REAL, session.file);
      return count ? [{ name, session, count, stored: storedIn(project.repository, session.session_id) }] : [];
    });
  });

  test('all of them are ingested, and nothing else', () => {
    expect(result.sessions.map(({ file }) => file).sort()).toEqual(
      realTranscripts()
        .map(({ path }) => path)
        .sort(),
    );
    const known = new Set(result.sessions.map(({ file }) => file));
    expect(result.passed_over.filter((file) => known.has(file))).toEqual([]);
    expect(result.passed_over.length + result.sessions.length).toBeGreaterThanOrEqual(realFiles().length);
    expect(result.totals.created).toBe(rows.length);
  });

  test('records, messages, tool calls and tokens are those that an independent count finds', () => {
    expect(rows.length).toBeGreaterThan(25);
    const found = rows.map(({ name, session, stored }) => {
      const { lines: records, messages, calls } = stored;
      return [name, session.agent, records, messages, calls.size];
    });
    const expected = rows.map(({ name, count: { format, records, messages, calls } }) => {
      return [name, format, records, messages, calls];
    });
    expect(found).toEqual(expected);
    for (const { name, stored, count } of rows)
      expect([name, told(stored.usage)]).toEqual([name, expect.objectContaining(told(count.tokens))]);
    if (TABLE) for (const row of rows) appendFileSync(TABLE, rowOf(row));
  });

  test('lines that are not one JSON object are named, each of them and no other', () => {
    for (const { file } of result.sessions) {
      const named = result.problems.filter((problem) => problem.file === file).map(({ line }) => line);
      expect([file, named.length]).toEqual([file, countFile(file)?.malformed]);
    }
  });

  test('what is unknown is kept as it is and counted', () => {
    for (const { name, session, stored } of rows.filter(({ session: { created } }) => created))
      expect([name, sumOf(session.unknown)]).toEqual([name, stored.raw]);
  });

  test('again, nothing is new; and the store is sound', () => {
    expect(ingestMany(project.open(), [REAL], { here: true }).totals).toMatchObject({ created: 0, added: 0 });
    expect(fsck(project.store)).toBe('');
    expect(checkStore(project.open(), { full: true }).findings).toEqual([]);
  });
});

/** Records read, kept, unknown and malformed, turns, tool calls and tokens of one file. */
function rowOf({ name, session, stored, count }: Row): string {
  const { agent, text } = recogniseTranscript(session.file, undefined);
  const { turns } = countTurns(text, agent);
  const cells = [
    count.records,
    stored.lines,
    stored.raw,
    count.malformed,
    turns,
    stored.calls.size,
    sumOf(stored.usage),
  ];
  return `| ${[name, ...cells].join(' | ')} |\n`;
}
