/** Rows of a section in blocks of JSON text, column by column: each block is read alone and checked, when one of its rows is asked for. */
import { CatalogDamage, checksum, type Sections, type SectionWriter } from './sections.ts';

/** Rows that are read together. */
const BLOCK = 256;
/** Bytes for each block in the index: the offset of its end, and its checksum. */
const ENTRY = 8;

/** Values of a block: for each column, those of its rows. */
export type Columns = readonly (readonly unknown[])[];

/** Adds rows as the section of a name, and its index. @param rows each has a value for every column */
export function addBlocks(writer: SectionWriter, name: string, rows: readonly (readonly unknown[])[]): void {
  const index = Buffer.alloc(Math.ceil(rows.length / BLOCK) * ENTRY);
  const parts: Buffer[] = [];
  let end = 0;
  for (let begin = 0; begin < rows.length; begin += BLOCK) {
    const block = rows.slice(begin, begin + BLOCK);
    const columns = (block[0] ?? []).map((_, column) => block.map((row) => row[column]));
    const part = Buffer.from(JSON.stringify(columns));
    end += part.length;
    index.writeUInt32LE(end, parts.length * ENTRY);
    index.writeUInt32LE(checksum(part), parts.length * ENTRY + 4);
    parts.push(part);
  }
  writer.addParts(name, parts);
  writer.add(`${name}-index`, index);
}

/** Returns what gives the columns of a row by its place, and its place in them. @throws {CatalogDamage} */
export function blocksIn(sections: Sections, name: string): (place: number) => [columns: Columns, at: number] {
  const index = sections.whole(`${name}-index`);
  const known: Columns[] = [];
  return (place) => {
    const block = Math.floor(place / BLOCK);
    known[block] ??= blockAt(sections, name, index, block);
    return [known[block], place % BLOCK];
  };
}

function blockAt(sections: Sections, name: string, index: Buffer, block: number): Columns {
  const at = block * ENTRY;
  if (at + ENTRY > index.length) throw new CatalogDamage(`${name} has no such row`);
  const begin = block === 0 ? 0 : index.readUInt32LE(at - ENTRY);
  const bytes = sections.part(name, begin, index.readUInt32LE(at) - begin);
  if (checksum(bytes) !== index.readUInt32LE(at + 4)) throw new CatalogDamage(`${name} is damaged`);
  return JSON.parse(bytes.toString('utf8')) as Columns;
}
