// Pages of a SQLite database as its list of tables has them, made by hand: not every Node can make a database.

/** A row of the list: what it is about, and its name. */
export type Listed = readonly [type: string, name: string];

const PAGE = 4096;
export const MAGIC = 'SQLite format 3\0';

/** A number of SQLite's own form. */
function varint(value: number): number[] {
  const low = value % 128;
  return value < 128 ? [low] : [...varint(Math.floor(value / 128)).map((byte) => byte | 0x80), low];
}

function cellOf([type, name]: Listed, row: number): Buffer {
  const texts = [type, name, name].map((text) => Buffer.from(text));
  // The page that the table begins on is a number of one byte, and the statement is long: its length takes two bytes.
  const sql = Buffer.from(`CREATE TABLE IF NOT EXISTS \`${name}\` (\`id\` text PRIMARY KEY)`.padEnd(200));
  const types = [...texts.flatMap((text) => varint(13 + 2 * text.length)), 1, ...varint(13 + 2 * sql.length)];
  const record = Buffer.concat([Buffer.from([types.length + 1, ...types]), ...texts, Buffer.from([2]), sql]);
  return Buffer.concat([Buffer.from([...varint(record.length), ...varint(row)]), record]);
}

function pageOf(kind: number, cells: readonly Buffer[], last: number, start: number, size: number): Buffer {
  const page = Buffer.alloc(size);
  const header = kind === 0x05 ? 12 : 8;
  page.writeUInt8(kind, start);
  page.writeUInt16BE(cells.length, start + 3);
  if (kind === 0x05) page.writeUInt32BE(last, start + 8);
  let end = size;
  for (const [index, cell] of cells.entries()) {
    end -= cell.length;
    cell.copy(page, end);
    page.writeUInt16BE(end, start + header + 2 * index);
  }
  return page;
}

/** A page of rows. @param start where its header stands: behind that of the file on the first page */
export const leafPage = (rows: readonly Listed[], start = 0, size = PAGE): Buffer =>
  pageOf(0x0d, rows.map(cellOf), 0, start, size);

/** A page that leads to others. */
export function interiorPage(children: readonly number[], start = 0, size = PAGE): Buffer {
  const cells = children.slice(0, -1).map((child, row) => {
    const cell = Buffer.alloc(5);
    cell.writeUInt32BE(child);
    cell.writeUInt8(row + 1, 4);
    return cell;
  });
  return pageOf(0x05, cells, children.at(-1) ?? 0, start, size);
}

/** The first page of a file, with what is told of the whole. */
export function firstPage(page: Buffer): Buffer {
  page.write(MAGIC, 'latin1');
  page.writeUInt16BE(page.length === 65_536 ? 1 : page.length, 16);
  return page;
}
