/** Whose a database is, and whether ctx knows how its sessions are kept, by the names of its tables. */

/** How messages of a session are kept: in rows for them and their parts (opencode 1), or in one row each (opencode 2). */
export type Form = 'first' | 'second';

/** The tables that sessions are read from. */
const READ: readonly (readonly string[])[] = [
  ['session', 'message', 'part'],
  ['session_v2', 'session_message'],
  ['session', 'session_message'],
];

/** Whether a database is opencode's and its sessions can be read, by the names of its tables. */
export function isOpencodeDatabase(tables: Iterable<string>): boolean {
  const names = new Set(tables);
  return READ.some((needed) => needed.every((name) => names.has(name)));
}

/** What conversations are kept in, whatever version of opencode has written them. */
const TALK = /^(session|message|part)(_(message|part))?(_?v?\d+)?$/;

/** Tables of a database that look as if sessions or what was said stood in them, and that this ctx does not read. */
export function unreadTables(tables: Iterable<string>): string[] {
  const known = READ.flat();
  return [...new Set(tables)].filter((name) => TALK.test(name) && !known.includes(name)).sort();
}

/** The tables that a stretch of a database makes, as far as its words tell. */
export const tablesMadeIn = (stretch: string): string[] =>
  [...stretch.matchAll(/CREATE TABLE (?:IF NOT EXISTS )?[`"[]?(\w+)/g)].flatMap(([, name]) => name ?? []);

/** Whether a file is a database of opencode's by its name: of the release, or of another channel. */
export const isNamedAsDatabase = (name: string): boolean => /^opencode(-[\w.-]+)?\.db$/.test(name);

/** Whether tables look like those of some version of opencode. */
export const isPerhapsOpencodes = (tables: Iterable<string>): boolean =>
  [...tables].some((name) => TALK.test(name) || name === 'project');
