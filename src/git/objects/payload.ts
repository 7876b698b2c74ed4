/** Payloads: contents beside a document, stored as one blob, or as a tree of chunks if they are large. */
import { decodeTree, encodeTree, type TreeEntry } from '../../core/tree.ts';
import { RunningHash } from '../../platform/hash.ts';
import { tidyAfter } from '../../platform/memory.ts';
import type { ObjectStore } from './objects.ts';

/** Larger contents are stored as a tree of chunks (format rule of ctx: 8 MiB), and the size of a chunk (4 MiB). */
export const CHUNKED_FROM = 8 * 1024 * 1024;
export const CHUNK_SIZE = 4 * 1024 * 1024;

/** A stored content: its object id and its mode in a tree. */
export interface StoredContent {
  mode: '100644' | '40000';
  oid: string;
  bytes: number;
  /** SHA-256 of the whole content, in hexadecimal. */
  sha256: string;
}

/** The part of an object store that storing a content needs. */
export type ObjectWriter = Pick<ObjectStore, 'write'>;

/** Returns the name of the chunk at a position; eight digits sort as numbers do. */
const chunkName = (index: number): string => `${String(index).padStart(8, '0')}.chunk`;

/** Returns whether a tree consists of the chunks of one content, and is not a folder. */
export function isChunked(entries: readonly TreeEntry[]): boolean {
  return entries.length > 0 && entries.every((entry, index) => entry.name === chunkName(index));
}

/** Returns the mode of a stored content in a tree; null if the store has no content with that id. */
export function contentMode(objects: Pick<ObjectStore, 'read' | 'holds'>, oid: string): StoredContent['mode'] | null {
  if (!objects.holds(oid)) return null;
  const { type, content } = objects.read(oid);
  if (type === 'blob') return '100644';
  return type === 'tree' && isChunked(decodeTree(content, oid)) ? '40000' : null;
}

/** Stores a content that comes in chunks of exactly CHUNK_SIZE bytes, the last one shorter. Holds at most two chunks. */
export function storeContent(keeper: ObjectWriter, pieces: Iterable<Buffer>): StoredContent {
  const hash = new RunningHash('sha256');
  const held: Buffer[] = [];
  const chunks: TreeEntry[] = [];
  let bytes = 0;
  const keepChunk = (piece: Buffer): void => {
    chunks.push({ mode: '100644', name: chunkName(chunks.length), oid: keeper.write('blob', piece) });
    // The buffers of a chunk are outside V8's heap, so V8 does not hurry to collect them.
    tidyAfter(piece.length);
  };
  for (const piece of pieces) {
    hash.update(piece);
    bytes += piece.length;
    if (bytes <= CHUNKED_FROM) held.push(Buffer.from(piece));
    else {
      for (const earlier of held.splice(0)) keepChunk(earlier);
      keepChunk(piece);
    }
  }
  const sha256 = hash.digest();
  if (chunks.length === 0) return { mode: '100644', oid: keeper.write('blob', Buffer.concat(held)), bytes, sha256 };
  return { mode: '40000', oid: keeper.write('tree', encodeTree(chunks)), bytes, sha256 };
}
