// The table of record kinds: each kind has a file, a fixture and all facets, and makes of its fixture what is kept beside it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { StoredRecord } from '../../src/core/records/record.ts';
import { kindNamed, RECORD_KINDS, recordLine } from '../../src/core/records/table.ts';
import { schemaParts } from '../../src/core/schema-parts.ts';
import { foldStep, newSession } from '../../src/core/session/session.ts';
import { stepSubject } from '../../src/core/session/step.ts';
import { ROOT } from '../support/store.ts';
import { bones, digested, missingIn } from './support/facets.ts';

const FIXTURES = join(ROOT, 'fixtures', 'records');
const SOURCES = join(ROOT, 'src', 'core', 'records');

/** A record, and what each facet of its kind makes of it. */
interface Fixture {
  record: StoredRecord;
  line: string;
  subject: string;
  counts: object;
  structure: object;
  digest: object;
}

const fixtureOf = (kind: string): Fixture =>
  JSON.parse(readFileSync(join(FIXTURES, `${kind}.json`), 'utf8')) as Fixture;

const table = {
  what: 'record kind',
  rows: RECORD_KINDS,
  files: readdirSync(SOURCES)
    .filter((name) => readFileSync(join(SOURCES, name), 'utf8').includes('} satisfies RecordKind;'))
    .map((name) => name.replace('.ts', '')),
  fixtures: readdirSync(FIXTURES).map((name) => name.replace('.json', '')),
  facets: [
    ...['schema', 'batch', 'structure', 'isOfFile', 'isActivity', 'isDated', 'counted'],
    ...['nouns', 'headline', 'digest', 'squash', 'line'],
  ],
  fileOf: (name: string) => name,
};

test('every record kind has a file, a fixture and all facets', () => {
  expect(missingIn(table)).toEqual([]);
});

test('a record kind without a file, a fixture or a facet is named, and so is what belongs to none', () => {
  const { line: _line, ...note } = RECORD_KINDS.note;
  expect(
    missingIn({
      ...table,
      rows: { ...RECORD_KINDS, note, pause: RECORD_KINDS.plan },
      files: [...table.files, 'rewind'],
      fixtures: [...table.fixtures, 'branch'],
    }),
  ).toEqual([
    'The record kind "note" lacks its "line".',
    'The record kind "pause" has no file.',
    'The record kind "pause" has no fixture.',
    'The file "rewind" is of no record kind in the table.',
    'The fixture "branch" is of no record kind.',
  ]);
});

test('every record kind is in the documentation of the store', () => {
  const page = readFileSync(join(ROOT, 'docs', 'store-format.md'), 'utf8');
  expect(Object.keys(RECORD_KINDS).filter((kind) => !page.includes(`\`${kind}\``))).toEqual([]);
});

describe.each(Object.keys(RECORD_KINDS))('the fixture of the record kind %s', (kind) => {
  const { record, line, subject, counts, structure, digest } = fixtureOf(kind);
  const session = newSession('s', 'Add a cache', null, 'a'.repeat(40), 0);

  test('is a record of that kind, which its format takes', () => {
    expect(record.kind).toBe(kind);
    expect(kindNamed(kind)?.schema(schemaParts).safeParse(record)).toEqual({ success: true, data: record });
  });
  test('has its line for people', () => expect(recordLine(record)).toBe(line));
  test('has its subject of a step', () => expect(stepSubject({ ...session, step: 2 }, [record])).toBe(subject));
  test('keeps its structure in a redaction of all texts', () => expect(bones(record)).toEqual(structure));
  test('gives its part to a digest', () => expect(digested(record)).toEqual(digest));
  test('is counted in the session', () => {
    expect(foldStep(session, [record], 0).counts).toEqual({ ...session.counts, ...counts });
  });
});

test('a name of which the table has no row is no kind, even if every object has it', () => {
  for (const name of ['toString', 'constructor', '__proto__', 'Note', '']) expect(kindNamed(name)).toBeUndefined();
});
