/** Checks packs and their indexes as whole files: each ends in the SHA-1 of all that stands before. */
import { lstatSync } from 'node:fs';
import { basename } from 'node:path';
import { below } from '../../platform/below.ts';
import { listFolder } from '../../platform/files.ts';
import { RunningHash } from '../../platform/hash.ts';
import { readPieces } from '../../platform/pieces.ts';
import type { Layout } from '../layout.ts';
import { packsWithoutIndex } from '../unindexed.ts';
import { damage, type Finding, guarded, REPAIR } from './finding.ts';

const CHECKSUM = 20;
/** How much is read at once, in bytes. */
const PIECE = 1024 * 1024;

/** What a rotten copy means where another is whole: Git prefers packs when it throws copies away. */
const HINT =
  'Pack what is whole elsewhere with: ctx gc; then remove the file and its .idx, or fetch the objects from a backup.';

/** Packs without an index: what a killed process left, or damage, and then what is missing is named where it is missing. */
export function* verifyIndexes(layout: Layout): Generator<Finding> {
  for (const path of packsWithoutIndex(layout)) {
    const where = `objects/pack/${basename(path)}`;
    const message = 'it has no index, so that nothing in it can be read';
    yield { severity: 'leftover', kind: 'object', where, message, hint: REPAIR };
  }
}

/** Reads every byte of every pack: an object that is whole elsewhere too does not show in any other way. */
export function* verifyPacks(layout: Layout): Generator<Finding> {
  for (const name of listFolder(layout.pack).filter((entry) => /^pack-[0-9a-f]{40}\.(pack|idx)$/.test(entry))) {
    const where = `objects/pack/${name}`;
    // What is no file is named with everything else that is none: a pipe would be waited for.
    if (!lstatSync(below(layout.pack, name), { throwIfNoEntry: false })?.isFile()) continue;
    yield* guarded('object', where, function* () {
      if (!endsInItsChecksum(below(layout.pack, name)))
        yield damage('object', where, 'its bytes are not those of its checksum', HINT);
    });
  }
}

/** Whether a pack or an index is what its last bytes say, as a whole. */
export function endsInItsChecksum(path: string): boolean {
  const hash = new RunningHash('sha1');
  let tail = Buffer.alloc(0);
  for (const piece of readPieces(path, PIECE)) {
    const bytes = Buffer.concat([tail, piece]);
    const kept = Math.max(0, bytes.length - CHECKSUM);
    hash.update(bytes.subarray(0, kept));
    tail = bytes.subarray(kept);
  }
  return tail.length === CHECKSUM && hash.digest() === tail.toString('hex');
}
