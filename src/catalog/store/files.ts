/** The files of the catalog: `cache/catalog/manifest` and, for each segment, its index and its tables. Everything can be deleted at any time. */
import { closeSync, fsyncSync, lstatSync, openSync, renameSync } from 'node:fs';
import { CtxError } from '../../core/errors.ts';
import type { Repository } from '../../history/store/repository.ts';
import { below } from '../../platform/below.ts';
import { FILE_LIMIT, listFolder, makeFolder, readIfThere, removeFile, writeAll } from '../../platform/files.ts';
import { CatalogDamage, checksum, fileSource, memorySource, SectionWriter } from '../bytes/sections.ts';
import { TABLES, type TableName } from '../segment/builder.ts';
import type { SegmentBytes } from '../segment/segment.ts';
import { decodeManifest, encodeManifest, type Manifest, type SegmentListing } from './manifest.ts';

/** Bytes that are collected before they are written. */
const PIECE = 1024 * 1024;
const MANIFEST = 'manifest';
/** A file that can be made again need not survive a power cut: it is checked when it is read. */
const DURABILITY = { fsync: false };

type Store = Pick<Repository, 'layout'>;

const folderOf = ({ layout }: Store): string => layout.catalog;
export const fileOf = (store: Store, name: string): string => below(folderOf(store), name);
/** Files that are made of what the pointers of the store say, and of no segment: they name them, and are right while those do not move. */
const OF_POINTERS = ['list.sums', 'log.sums'];
const indexName = (number: number): string => `${number}.index`;
const tableName = (number: number, name: TableName): string => `${number}.${name}.jsonl`;

/** The content of the place of the manifest. */
export type Found = { manifest: Manifest } | { missing: true } | { damaged: string };

export function readManifest(store: Store): Found {
  let content: string | undefined;
  try {
    content = readIfThere(fileOf(store, MANIFEST))?.toString('utf8');
  } catch (error) {
    // A catalog that may not be read is none: its place is in the cache.
    if (!(error instanceof CtxError)) throw error;
  }
  if (content === undefined) return { missing: true };
  const manifest = decodeManifest(content);
  return manifest ? { manifest } : { damaged: 'its manifest is torn, or of another version of ctx' };
}

/** Publishes a manifest. Only under the lock of the catalog. */
export function writeManifest(store: Store, manifest: Manifest): void {
  const temporary = fileOf(store, `${MANIFEST}.tmp`);
  writeFile(temporary, (write) => write(Buffer.from(encodeManifest(manifest))));
  renameSync(temporary, fileOf(store, MANIFEST));
}

/** Writes a file in pieces; returns how many bytes it has. Only under the lock of the catalog. */
export function writeFile(path: string, fill: (write: (bytes: Buffer) => void) => void): number {
  removeFile(path);
  const handle = openSync(path, 'wx', 0o600);
  let length = 0;
  let held: Buffer[] = [];
  let size = 0;
  const flush = (): void => {
    writeAll(handle, Buffer.concat(held));
    held = [];
    size = 0;
  };
  try {
    fill((bytes) => {
      // The caller may overwrite them.
      held.push(Buffer.from(bytes));
      size += bytes.length;
      length += bytes.length;
      if (size >= PIECE) flush();
    });
    flush();
    if (DURABILITY.fsync) fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  return length;
}

/** Writes the files of a segment; returns its line in the manifest. Only under the lock of the catalog. */
export function writeSegment(
  store: Store,
  number: number,
  fill: (writer: SectionWriter) => Record<TableName, readonly string[]>,
): SegmentListing {
  makeFolder(folderOf(store), DURABILITY);
  let tables: Record<TableName, readonly string[]> | undefined;
  const bytes = writeFile(fileOf(store, indexName(number)), (write) => {
    const writer = new SectionWriter(write);
    tables = fill(writer);
    writer.end();
  });
  const listing: SegmentListing = { number, bytes, tables: {} };
  for (const name of TABLES) {
    const lines = tables?.[name] ?? [];
    if (lines.length === 0) continue;
    const content = Buffer.from(`${lines.join('\n')}\n`);
    writeFile(fileOf(store, tableName(number, name)), (write) => write(content));
    listing.tables[name] = [content.length, checksum(content)];
  }
  return listing;
}

/** Returns the bytes of a segment in files. */
export function segmentInFiles(store: Store, listing: SegmentListing): SegmentBytes {
  const { number } = listing;
  return {
    number,
    index: () => {
      const source = absentIsDamage(() => fileSource(fileOf(store, indexName(number))));
      if (source.size === listing.bytes) return source;
      source.close();
      throw new CatalogDamage(`${indexName(number)} has not the right size`);
    },
    table: (name) => {
      const listed = listing.tables[name];
      if (!listed) return '';
      const content = absentIsDamage(() => readIfThere(fileOf(store, tableName(number, name)), FILE_LIMIT));
      if (content?.length !== listed[0] || checksum(content) !== listed[1])
        throw new CatalogDamage(`${tableName(number, name)} is damaged`);
      return content.toString('utf8');
    },
  };
}

/** A file that is gone was merged into another since, or was deleted. */
function absentIsDamage<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new CatalogDamage(error instanceof Error ? error.message : String(error));
  }
}

/** Encodes a segment in memory, for a store that cannot be written to. */
export function segmentInMemory(
  number: number,
  fill: (writer: SectionWriter) => Record<TableName, readonly string[]>,
): SegmentBytes {
  const pieces: Buffer[] = [];
  const writer = new SectionWriter((bytes) => pieces.push(Buffer.from(bytes)));
  const tables = fill(writer);
  writer.end();
  const content = Buffer.concat(pieces);
  return { number, index: () => memorySource(content), table: (name) => tables[name].join('\n') };
}

/** Removes every file that is of no segment of a manifest; of all segments without one. Only under the lock of the catalog. */
export function removeOthers(store: Store, manifest: Manifest | null): void {
  const kept = new Set(
    (manifest?.segments ?? []).flatMap(({ number }) => [
      indexName(number),
      ...TABLES.map((name) => tableName(number, name)),
    ]),
  );
  if (manifest) for (const name of [MANIFEST, ...OF_POINTERS]) kept.add(name);
  for (const name of listFolder(folderOf(store))) if (!kept.has(name)) removeFile(fileOf(store, name));
}

/** Returns how many bytes the files of the catalog take. */
export function catalogSize(store: Store): number {
  return listFolder(folderOf(store)).reduce((sum, name) => {
    return sum + (lstatSync(fileOf(store, name), { throwIfNoEntry: false })?.size ?? 0);
  }, 0);
}
