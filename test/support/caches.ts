/** Files that Git has made of objects for itself, rewritten so that they lie: each gets its right checksum again. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { sha1 } from '../../src/platform/hash.ts';

/** Changes a file that ends in its checksum. */
export function rewrite(path: string, change: (bytes: Buffer) => void): void {
  const bytes = readFileSync(path);
  change(bytes);
  Buffer.from(sha1(bytes.subarray(0, -20)), 'hex').copy(bytes, bytes.length - 20);
  chmodSync(path, 0o600);
  writeFileSync(path, bytes);
}

/** Finds the chunks of a file, by their names. @param table the beginning of their list; their number is the seventh byte */
function chunksOf(bytes: Buffer, table: number): Map<string, number> {
  const count = bytes.readUInt8(6);
  const entries = Array.from({ length: count }, (_, index) => table + 12 * index);
  return new Map(entries.map((at) => [bytes.toString('latin1', at, at + 4), Number(bytes.readBigUInt64BE(at + 4))]));
}

/** Reads the data of each commit in a commit graph: its tree, parents, generation and date. */
function commitsIn(graph: Buffer): number[] {
  const chunks = chunksOf(graph, 8);
  const count = graph.readUInt32BE((chunks.get('OIDF') as number) + 255 * 4);
  return Array.from({ length: count }, (_, index) => (chunks.get('CDAT') as number) + 36 * index);
}

/** Takes the parents from every commit in a commit graph. */
export function makeOrphans(graph: Buffer): void {
  for (const at of commitsIn(graph)) graph.writeUInt32BE(0x70000000, at + 20);
}

/** Gives every commit in a commit graph another tree. */
export function changeTrees(graph: Buffer): void {
  for (const at of commitsIn(graph)) graph.fill(0x11, at, at + 20);
}

/** Gives every commit in a commit graph another date. */
export function changeDates(graph: Buffer): void {
  for (const at of commitsIn(graph)) graph.writeUInt32BE(5, at + 32);
}

/** Gives the first two objects of a multi-pack-index each other's places. */
export function swapOffsets(index: Buffer): void {
  const at = chunksOf(index, 12).get('OOFF') as number;
  const first = Buffer.from(index.subarray(at, at + 8));
  index.copy(index, at, at + 8, at + 16);
  first.copy(index, at + 8);
}

/** Gives the first object of a pack index another checksum of its entry. */
export function changeChecksum(index: Buffer): void {
  const count = index.readUInt32BE(8 + 255 * 4);
  const at = 8 + 1024 + 20 * count;
  index.writeUInt8(index.readUInt8(at) ^ 255, at);
}
