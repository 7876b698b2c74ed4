/** The names of the tables of a SQLite database, read from its own list of them: a Node that reads no databases can tell whose it is. */

/** Reads a stretch of a database; shorter, or null, where the file ends before. */
export type ReadAt = (offset: number, length: number) => Buffer | null;

/** Most pages of the list that are looked at, and most of its rows: each is a table or an index. */
const PAGES = 256;
const ROWS = 10_000;
/** Longest name that is read, in bytes. */
const LONGEST_NAME = 64;
/** The first page begins with what is told of the whole file. */
const FILE_HEADER = 100;
const INTERIOR = 0x05;
const LEAF = 0x0d;
/** The type of a value that is text of no length; each unit adds two to it. */
const TEXT = 13;

/**
 * The list begins on the first page, but its rows may lie on any: once they are too many for that one, SQLite moves all of them
 * to the end of the file. Never throws of what a damaged file holds; nothing is told of what cannot be reached.
 */
export function tableNames(read: ReadAt): Set<string> {
  const names = new Set<string>();
  const size = pageSize(read(0, FILE_HEADER));
  if (size === null) return names;
  const walk: Walk = { names, open: [], reached: new Set(), rows: 0 };
  reach(walk, 1);
  for (let page = walk.open.pop(); page !== undefined; page = walk.open.pop()) {
    const bytes = read((page - 1) * size, size);
    if (bytes) lookAtPage(bytes, page === 1 ? FILE_HEADER : 0, walk);
  }
  return names;
}

/** Whether the list of tables is there and empty: a database that nothing was put into yet. */
export function hasNoTables(read: ReadAt): boolean {
  const size = pageSize(read(0, FILE_HEADER));
  const page = size === null ? null : read(0, size);
  return page?.[FILE_HEADER] === LEAF && numberAt(page, FILE_HEADER + 3, 2) === 0;
}

function pageSize(header: Buffer | null): number | null {
  if (!header) return null;
  const told = numberAt(header, 16, 2);
  const size = told === 1 ? 65_536 : told;
  return size >= 512 && (size & (size - 1)) === 0 ? size : null;
}

/** What is known so far: the tables, the pages that are still to be looked at, and those that any other leads to. */
interface Walk {
  names: Set<string>;
  open: number[];
  reached: Set<number>;
  /** Rows that were read. */
  rows: number;
}

/** A damaged list may lead round and round. */
function reach({ open, reached }: Walk, page: number): void {
  if (page < 1 || reached.has(page) || reached.size >= PAGES) return;
  reached.add(page);
  open.push(page);
}

function lookAtPage(page: Buffer, start: number, walk: Walk): void {
  const kind = page[start];
  if (kind === INTERIOR) {
    for (const cell of cellsOf(page, start, 12)) reach(walk, numberAt(page, cell, 4));
    reach(walk, numberAt(page, start + 8, 4));
  } else if (kind === LEAF) {
    for (const cell of cellsOf(page, start, 8)) {
      walk.rows += 1;
      if (walk.rows > ROWS) return;
      const name = tableIn(page, cell);
      if (name !== null) walk.names.add(name);
    }
  }
}

/** Where the cells of a page lie, as the numbers behind its header tell. */
function* cellsOf(page: Buffer, start: number, header: number): Generator<number> {
  const first = start + header;
  const count = Math.min(numberAt(page, start + 3, 2), (page.length - first) >> 1);
  for (let index = 0; index < count; index += 1) yield numberAt(page, first + 2 * index, 2);
}

/**
 * The name of the table that a row of the list is about; null where it is about something else. Its first columns say so, and
 * of a row that is too long for its page they are the part that stays there.
 */
function tableIn(page: Buffer, cell: number): string | null {
  const [, row] = varintAt(page, cell);
  const [, record] = varintAt(page, row);
  const [header, first] = varintAt(page, record);
  const [type, second] = varintAt(page, first);
  const [name] = varintAt(page, second);
  if (!isText(type) || !isText(name) || lengthOf(name) > LONGEST_NAME) return null;
  const at = record + header + lengthOf(type);
  if (page.toString('latin1', record + header, at) !== 'table') return null;
  return page.toString('utf8', at, at + lengthOf(name));
}

const isText = (type: number): boolean => type >= TEXT && type % 2 === 1;
const lengthOf = (type: number): number => (type - TEXT) / 2;

/** A number of so many bytes; what lies behind the end counts as zeros. */
function numberAt(bytes: Buffer, at: number, length: number): number {
  let number = 0;
  for (let index = 0; index < length; index += 1) number = number * 256 + (bytes[at + index] ?? 0);
  return number;
}

/** A number of SQLite's own form, seven bits a byte, and where the next thing begins. */
function varintAt(bytes: Buffer, at: number): [number: number, end: number] {
  let number = 0;
  for (let index = 0; index < 8; index += 1) {
    const byte = bytes[at + index] ?? 0;
    number = number * 128 + (byte & 0x7f);
    if (byte < 0x80) return [number, at + index + 1];
  }
  return [number * 256 + (bytes[at + 8] ?? 0), at + 9];
}
