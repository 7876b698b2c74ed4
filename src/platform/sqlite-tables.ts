/** Reads the names of the tables of a SQLite database from its schema table: identifies a database even if this Node has no SQLite. */

/** Reads a range of a database; returns a shorter one, or null, if the file ends before. */
export type ReadAt = (offset: number, length: number) => Buffer | null;

/** Most pages of the schema table that are read, and most of its rows: each is a table or an index. */
const PAGES = 256;
const ROWS = 10_000;
/** Longest name that is read, in bytes. */
const LONGEST_NAME = 64;
/** Size of the database header at the beginning of the first page, in bytes. */
const FILE_HEADER = 100;
const INTERIOR = 0x05;
const LEAF = 0x0d;
/** Type of an empty text value; each byte of text adds two to it. */
const TEXT = 13;

/**
 * Returns the names of the tables. The schema table begins on the first page, but its rows may be on any: if they are too
 * many for the first page, SQLite moves all of them to the end of the file. Never throws for a damaged file; unreachable
 * tables are missing.
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

/** Returns whether the schema table is present and empty: nothing was put into the database yet. */
export function hasNoTables(read: ReadAt): boolean {
  const size = pageSize(read(0, FILE_HEADER));
  const page = size === null ? null : read(0, size);
  return page?.[FILE_HEADER] === LEAF && numberAt(page, FILE_HEADER + 3, 2) === 0;
}

function pageSize(header: Buffer | null): number | null {
  if (!header) return null;
  const stored = numberAt(header, 16, 2);
  const size = stored === 1 ? 65_536 : stored;
  return size >= 512 && (size & (size - 1)) === 0 ? size : null;
}

/** The state of a walk: tables found, pages still to be read, and all pages that were reached. */
interface Walk {
  names: Set<string>;
  open: number[];
  reached: Set<number>;
  /** Rows that were read. */
  rows: number;
}

/** Adds a page that was not reached yet. A damaged table may have circles. */
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

/** Yields the offsets of the cells of a page, from the array behind its header. */
function* cellsOf(page: Buffer, start: number, header: number): Generator<number> {
  const first = start + header;
  const count = Math.min(numberAt(page, start + 3, 2), (page.length - first) >> 1);
  for (let index = 0; index < count; index += 1) yield numberAt(page, first + 2 * index, 2);
}

/**
 * Returns the name of the table that a row describes; null if it describes something else. The first columns decide, and if
 * a row is too long for its page they are in the part that stays on the page.
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

/** Reads a big-endian number; bytes beyond the end count as zeros. */
function numberAt(bytes: Buffer, at: number, length: number): number {
  let number = 0;
  for (let index = 0; index < length; index += 1) number = number * 256 + (bytes[at + index] ?? 0);
  return number;
}

/** Reads a SQLite varint, seven bits a byte; returns it and its end. */
function varintAt(bytes: Buffer, at: number): [number: number, end: number] {
  let number = 0;
  for (let index = 0; index < 8; index += 1) {
    const byte = bytes[at + index] ?? 0;
    number = number * 128 + (byte & 0x7f);
    if (byte < 0x80) return [number, at + index + 1];
  }
  return [number * 256 + (bytes[at + 8] ?? 0), at + 9];
}
