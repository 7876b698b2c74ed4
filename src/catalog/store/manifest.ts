/** The manifest of the catalog: which segments there are. It is renamed into place, so a reader sees all of a change or nothing. */
import { isObject } from '../../core/json.ts';
import { checksum } from '../bytes/sections.ts';
import type { TableName } from '../segment/builder.ts';

/** The version of the format: a catalog of another version is rebuilt. */
export const CATALOG_VERSION = 4;

export interface SegmentListing {
  number: number;
  /** Bytes of the index and of each table, with the checksums of the tables. */
  bytes: number;
  tables: Partial<Record<TableName, [bytes: number, checksum: number]>>;
}

export interface Manifest {
  version: number;
  /** When it was written, in Unix seconds. */
  at: number;
  /** The number of the next segment. */
  next: number;
  /** Oldest first. */
  segments: SegmentListing[];
  /** The commit of the main line up to which commits were taken in; null if none was. */
  main: string | null;
  /** The first segment whose commits count. */
  commits_since: number;
}

export const emptyManifest = (): Manifest => ({
  version: CATALOG_VERSION,
  at: 0,
  next: 1,
  segments: [],
  main: null,
  commits_since: 0,
});

/** Returns the text of a manifest: its checksum, and the manifest in a line. */
export function encodeManifest(manifest: Manifest): string {
  const text = JSON.stringify(manifest);
  return `${checksum(Buffer.from(text)).toString(16).padStart(8, '0')} ${text}\n`;
}

/** Returns the manifest of a text; null if it is torn, damaged or of another version. */
export function decodeManifest(content: string): Manifest | null {
  const text = content.slice(9).trimEnd();
  if (content.slice(0, 8) !== checksum(Buffer.from(text)).toString(16).padStart(8, '0')) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value as never) && (value as { version?: unknown }).version === CATALOG_VERSION
      ? (value as Manifest)
      : null;
  } catch {
    return null;
  }
}
