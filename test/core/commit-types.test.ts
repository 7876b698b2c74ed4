// The table of commit types: each type has a file, a fixture and all facets, and makes of its fixture what is kept beside it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  COMMIT_TYPES,
  commitTypeNamed,
  currentType,
  defaultCommitType,
  isCommitTypeKind,
  mayBeNewer,
  namedType,
  type StoredCommitType,
  shownType,
  typeOptions,
} from '../../src/core/commit-types/table.ts';
import { schemaParts } from '../../src/core/schema-parts.ts';
import { canonicalTrailers, compactionMessage, endingInWords } from '../../src/core/session/compaction.ts';
import { storedCommitTypeSchema } from '../../src/core/session/schema.ts';
import { newSession } from '../../src/core/session/session.ts';
import { ROOT } from '../support/store.ts';
import { missingIn } from './support/facets.ts';

const FIXTURES = join(ROOT, 'fixtures', 'commit-types');
const SOURCES = join(ROOT, 'src', 'core', 'commit-types');

/** A stored type, and what each facet of it makes. */
interface Fixture {
  type: StoredCommitType;
  current: object;
  message: string;
  trailers: object;
  ending: string;
  words: string;
  forgotten: object;
}

const fileOf = (name: string): string => name.replace(/(?!^)[A-Z]/g, '-$&').toLowerCase();

const table = {
  what: 'commit type',
  rows: COMMIT_TYPES,
  files: readdirSync(SOURCES)
    .filter((name) => readFileSync(join(SOURCES, name), 'utf8').includes('} satisfies CommitTypeRow;'))
    .map((name) => name.replace('.ts', '')),
  fixtures: readdirSync(FIXTURES).map((name) => name.replace('.json', '')),
  facets: [
    ...['schema', 'storedSchema', 'current', 'option', 'make', 'message'],
    ...['trailers', 'ending', 'words', 'withTexts'],
  ],
  fileOf,
};

test('every commit type has a file, a fixture and all facets', () => {
  expect(missingIn(table)).toEqual([]);
});

test('a commit type without a file, a fixture or a facet is named', () => {
  const { ending: _ending, ...Normal } = COMMIT_TYPES.Normal;
  const rows = { ...COMMIT_TYPES, Normal, HandedOver: COMMIT_TYPES.Abandoned };
  expect(missingIn({ ...table, rows })).toEqual([
    'The commit type "Normal" lacks its "ending".',
    'The commit type "HandedOver" has no file.',
    'The commit type "HandedOver" has no fixture.',
  ]);
});

test('every commit type is in the documentation of the store', () => {
  const page = readFileSync(join(ROOT, 'docs', 'store-format.md'), 'utf8');
  expect(Object.keys(COMMIT_TYPES).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

describe.each(table.fixtures)('the fixtures of the commit type %s', (name) => {
  const fixtures = JSON.parse(readFileSync(join(FIXTURES, `${name}.json`), 'utf8')) as Fixture[];

  test.each(fixtures)('$type', ({ type, current, message, trailers, ending, words, forgotten }) => {
    const session = newSession('s', 'Add a cache', null, 'a'.repeat(40), 0);
    expect(type.kind).toBe(name);
    expect(storedCommitTypeSchema(schemaParts).safeParse(type)).toEqual({ success: true, data: type });
    expect(currentType(type)).toEqual(current);
    expect(shownType(type)).toEqual(current);
    expect(COMMIT_TYPES[type.kind].schema(schemaParts).safeParse(current).success).toBe(true);
    expect(compactionMessage(session, type, 'Idle {duration}')).toBe(message);
    expect(Object.fromEntries(canonicalTrailers(session, type, 'b').slice(6))).toEqual(trailers);
    expect(endingInWords({ ...session, session_state: { kind: 'Aborted', reason: 'Too big' } }, type)).toBe(ending);
    expect(commitTypeNamed(name)?.words(type)).toBe(words);
    expect(commitTypeNamed(name)?.withTexts(type, () => '[forgotten]')).toEqual(forgotten);
  });
});

test('a commit type has a name of its own on the command line', () => {
  expect([...typeOptions().keys()]).toEqual(['normal', 'abandoned', 'stale', 'interrupted']);
});

test('a name of which the table has no row is no commit type, even if every object has it', () => {
  for (const name of ['toString', '__proto__', 'Root', 'Merge', 'normal', ''])
    expect(isCommitTypeKind(name)).toBe(false);
  expect(['HandedOver', 'toString', 'Root', 'Merge', 'Normal', ''].filter(mayBeNewer)).toEqual([
    'HandedOver',
    'toString',
  ]);
  expect(namedType('toString')).toEqual({ kind: 'Unknown', type: 'toString' });
  expect([namedType('Root'), namedType('Normal')]).toEqual([{ kind: 'Root' }, { kind: 'Normal' }]);
  expect([defaultCommitType('Aborted'), defaultCommitType('Running')]).toEqual([
    { kind: 'Abandoned' },
    { kind: 'Normal' },
  ]);
});
