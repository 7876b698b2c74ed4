// All real transcripts ingested at once, and what is in the store then compared with a count that knows nothing of our readers.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { countTurns } from '../../src/app/capture/count.ts';
import { checkStore } from '../../src/app/fsck.ts';
import { type IngestedFile, type IngestManyResult, ingestMany } from '../../src/app/intake/many.ts';
import { recogniseTranscript } from '../../src/app/transcript/recognise.ts';
import { between } from '../support/readme.ts';
import { fsck, makeProject, type Project, ROOT } from '../support/store.ts';
import { hasReal, noReal, REAL, realFiles, realTranscripts } from './support/corpus.ts';
import { type Counted, countedTable, passedOverTable } from './support/corpus-page.ts';
import { countFile, type FileCount } from './support/independent-count.ts';
import { type Stored, storedIn } from './support/stored.ts';

/** Regenerates the tables of the page: `npm run agents:write`. Look through the difference before it is kept. */
const WRITES = process.env['WRITE_AGENTS'] === '1';
const PAGE = join(ROOT, 'test', 'agents', 'transcripts.md');

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

  function rowOf(session: IngestedFile, { repository }: Project): Row[] {
    const count = countFile(session.file);
    const name = relative(REAL, session.file).replaceAll('\\', '/');
    return count ? [{ name, session, count, stored: storedIn(repository, session.session_id) }] : [];
  }

  beforeAll(() => {
    project = makeProject();
    result = ingestMany(project.repository, [REAL], { here: true, keepOpen: true });
    // Of several files of one session, the newest has all of it; the others are counted in stores of their own.
    const newest = new Map(result.sessions.map((session) => [session.session_id, session]));
    rows = result.sessions.flatMap((session) => {
      if (newest.get(session.session_id) === session) return rowOf(session, project);
      const alone = makeProject();
      return ingestMany(alone.repository, [session.file], { here: true }).sessions.flatMap((one) => rowOf(one, alone));
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
    expect(rows.length).toBe(result.sessions.length);
    expect(result.totals.created).toBe(new Set(result.sessions.map(({ session_id }) => session_id)).size);
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

  test.each([
    ['counted', () => countedTable(rows.map(countedIn))],
    [
      'passed-over',
      () => passedOverTable(result.passed_over.map((file) => relative(REAL, file).replaceAll('\\', '/'))),
    ],
  ])('the table in transcripts.md is the one that they make: %s', (name, tableOf) => {
    const page = readFileSync(PAGE, 'utf8');
    const table = tableOf();
    if (WRITES)
      writeFileSync(
        PAGE,
        page.replace(`<!-- ${name} -->\n${between(page, name)}`, () => `<!-- ${name} -->\n${table}`),
      );
    expect(between(readFileSync(PAGE, 'utf8'), name)).toBe(table);
  });

  test('again, nothing is new; and the store is sound', () => {
    expect(ingestMany(project.open(), [REAL], { here: true }).totals).toMatchObject({ created: 0, added: 0 });
    expect(fsck(project.store)).toBe('');
    expect(checkStore(project.open(), { full: true }).findings).toEqual([]);
  });
});

/** Counts the contents of one file for the page. */
function countedIn({ name, session, stored, count }: Row): Counted {
  const { agent, text } = recogniseTranscript(session.file, undefined);
  return {
    name,
    agent: session.agent,
    records: count.records,
    kept: stored.lines,
    unknown: stored.raw,
    malformed: count.malformed,
    turns: countTurns(text, agent).turns,
    calls: stored.calls.size,
    tokens: sumOf(stored.usage),
  };
}
