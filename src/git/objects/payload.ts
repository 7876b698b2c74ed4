/** Payloads: contents beside a document, kept as one blob, or as a tree of chunks where they are large. */
import { decodeTree, encodeTree, type TreeEntry } from '../../core/tree.ts';
import { RunningHash } from '../../platform/hash.ts';
import { tidyAfter } from '../../platform/memory.ts';
import type { ObjectStore } from './objects.ts';

/** Contents over this are kept as a tree of chunks (format rule of ctx: 8 MiB), chunks of this size (4 MiB). */
export const CHUNKED_FROM = 8 * 1024 * 1024;
export const CHUNK_SIZE = 4 * 1024 * 1024;

/** What was kept: an object id and its mode in a tree. */
export interface Kept {
  mode: '100644' | '40000';
  oid: string;
  bytes: number;
  /** Of the whole content, hexadecimal. */
  sha256: string;
}

/** The part of an object store that keeping needs. */
export type Keeper = Pick<ObjectStore, 'write'>;

/** Name of the chunk at a position; eight digits sort as numbers do. */
const chunkName = (index: number): string => `${String(index).padStart(8, '0')}.chunk`;

/** Whether a tree is the chunks of one content and not a folder. */
export function isChunked(entries: readonly TreeEntry[]): boolean {
  return entries.length > 0 && entries.every((entry, index) => entry.name === chunkName(index));
}

/** How a content that the store holds stands in a tree; null where it holds none of that id, or something else. */
export function contentMode(objects: Pick<ObjectStore, 'read' | 'holds'>, oid: string): Kept['mode'] | null {
  if (!objects.holds(oid)) return null;
  const { type, content } = objects.read(oid);
  if (type === 'blob') return '100644';
  return type === 'tree' && isChunked(decodeTree(content, oid)) ? '40000' : null;
}

/**
 * Keeps a content that comes in pieces of exactly CHUNK_SIZE bytes, the last one less. No more than two pieces are held.
 */
export function keepContent(keeper: Keeper, pieces: Iterable<Buffer>): Kept {
  const hash = new RunningHash('sha256');
  const held: Buffer[] = [];
  const chunks: TreeEntry[] = [];
  let bytes = 0;
  const keepChunk = (piece: Buffer): void => {
    chunks.push({ mode: '100644', name: chunkName(chunks.length), oid: keeper.write('blob', piece) });
    // What each of them was made of lies outside of V8's own room, which has no haste to let go of it then.
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
