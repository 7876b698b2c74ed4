/** Recognises opencode's databases, and whether ctx can read their sessions, by the names of their tables. */

/** The form of the messages of a session: rows for messages and for parts (opencode 1), or one row for each message (opencode 2). */
export type Form = 'first' | 'second';

/** The tables that sessions are read from. */
const READ: readonly (readonly string[])[] = [
  ['session', 'message', 'part'],
  ['session_v2', 'session_message'],
  ['session', 'session_message'],
];

/** Returns whether a database is opencode's and its sessions can be read, by the names of its tables. */
export function isOpencodeDatabase(tables: Iterable<string>): boolean {
  const names = new Set(tables);
  return READ.some((needed) => needed.every((name) => names.has(name)));
}

/** The tables of conversations, whatever version of opencode has written them. */
const TALK = /^(session|message|part)(_(message|part))?(_?v?\d+)?$/;

/** Returns the tables that seem to hold sessions or messages, and that this ctx does not read. */
export function unreadTables(tables: Iterable<string>): string[] {
  const known = READ.flat();
  return [...new Set(tables)].filter((name) => TALK.test(name) && !known.includes(name)).sort();
}

/** Returns the names of the tables that a part of a database file creates. */
export const tablesMadeIn = (stretch: string): string[] =>
  [...stretch.matchAll(/CREATE TABLE (?:IF NOT EXISTS )?[`"[]?(\w+)/g)].flatMap(([, name]) => name ?? []);

/** Returns whether a file is a database of opencode's by its name: of the release, or of another channel. */
export const isNamedAsDatabase = (name: string): boolean => /^opencode(-[\w.-]+)?\.db$/.test(name);

/** Returns whether tables look like those of some version of opencode. */
export const isPerhapsOpencodes = (tables: Iterable<string>): boolean =>
  [...tables].some((name) => TALK.test(name) || name === 'project');
