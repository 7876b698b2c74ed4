// Renders the entries of the tables of record kinds and commit types for a fixture, in a form that can be kept beside it.
import type { JsonValue } from '../../../src/core/json.ts';
import { newDigest } from '../../../src/core/records/digest.ts';
import type { StoredRecord } from '../../../src/core/records/record.ts';
import { digestRecord } from '../../../src/core/session/compaction.ts';
import { placeOf } from '../../../src/core/session/places.ts';
import { keepsKey, keepsValue, placeAt } from '../../../src/core/structure.ts';

/** Puts `text` in the place of every text that redaction may change, and `key` in the place of every such key. */
export function bones(value: unknown, place = placeOf(value as JsonValue)): unknown {
  if (Array.isArray(value)) return value.map((item) => bones(item, place));
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? 'text' : value;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [
    keepsKey(place, key) ? key : 'key',
    keepsValue(place, key, item) ? item : bones(item, placeAt(place, key)),
  ]);
  return Object.fromEntries(entries);
}

/** Returns what a digest takes of one record: the members of the digest that are not empty. */
export function digested(record: StoredRecord): Record<string, unknown> {
  const digest = newDigest();
  digestRecord(digest, record);
  const { notes, edges, paths, changed, commands, rewound: _rewound, ...lists } = digest;
  const all = {
    notes: notes.take().map((line) => JSON.parse(line) as unknown),
    edges: edges.take().map((line) => JSON.parse(line) as unknown),
    paths: [...paths],
    changed: [...changed],
    commands: [...commands.values()],
    ...lists,
  };
  return Object.fromEntries(Object.entries(all).filter(([, member]) => member.length > 0));
}

/** A table and what has to go with it: the names are those of the rows, of the files of the rows, and of the fixtures. */
export interface Kept {
  /** Name of a row in a message: `record kind`. */
  readonly what: string;
  readonly rows: Readonly<Record<string, object>>;
  readonly files: readonly string[];
  readonly fixtures: readonly string[];
  /** The facets that every row must have. */
  readonly facets: readonly string[];
  /** The name of the file of a row. */
  readonly fileOf: (name: string) => string;
}

/** Words what is missing in a table, or left over beside it. */
export function missingIn({ what, rows, files, fixtures, facets, fileOf }: Kept): string[] {
  const names = Object.keys(rows);
  const lacking = Object.entries(rows).flatMap(([name, row]) =>
    facets.filter((facet) => !(facet in row)).map((facet) => `The ${what} "${name}" lacks its "${facet}".`),
  );
  return [
    ...lacking,
    ...names.filter((name) => !files.includes(fileOf(name))).map((name) => `The ${what} "${name}" has no file.`),
    ...names.filter((name) => !fixtures.includes(name)).map((name) => `The ${what} "${name}" has no fixture.`),
    ...files
      .filter((file) => !names.map(fileOf).includes(file))
      .map((file) => `The file "${file}" is of no ${what} in the table.`),
    ...fixtures.filter((name) => !names.includes(name)).map((name) => `The fixture "${name}" is of no ${what}.`),
  ];
}
