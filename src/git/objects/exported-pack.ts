/** Makes the pack of a bundle: by Git with deltas if it is installed, otherwise whole objects; no object is written to the store. */
import { closeSync } from 'node:fs';
import { CtxError } from '../../core/errors.ts';
import { deflateFully } from '../../platform/compression.ts';
import { RunningHash } from '../../platform/hash.ts';
import { readHandle } from '../../platform/pieces.ts';
import { openUnlinkedFile } from '../../platform/unlinked-file.ts';
import { hasGit, runIntoFile } from '../git.ts';
import { CHECKSUM } from './checksum.ts';
import type { GitObject } from './loose.ts';
import type { ObjectFiles } from './objects.ts';
import { encodeEntryHead, FIRST_ENTRY } from './pack-entry.ts';
import { encodePackHeader } from './pack-writer.ts';

/** Bytes that are read at once. */
const PIECE = 256 * 1024;

export interface PackPlan {
  /** Ids of objects of the store, each with a name: Git compares objects with the same name first. */
  objects: ReadonlyMap<string, string>;
  /** Objects that are in the pack alone. */
  added: readonly GitObject[];
  /** Options of Git's search for similar objects. */
  search: readonly string[];
}

/** Yields the pack in pieces. @throws {CtxError} io, unsupported_store, damaged */
export function* exportedPack(repository: ObjectFiles, { objects, added, search }: PackPlan): Generator<Buffer> {
  const hash = new RunningHash('sha1');
  const hashed = (piece: Buffer): Buffer => {
    hash.update(piece);
    return piece;
  };
  yield hashed(encodePackHeader(objects.size + added.length));
  const entries = hasGit(repository) ? packedByGit(repository, objects, search) : wholeObjects(repository, objects);
  for (const piece of entries) yield hashed(piece);
  for (const object of added) yield hashed(entryOf(object));
  yield Buffer.from(hash.digest(), 'hex');
}

/** Yields the entries of a pack that Git makes, without its header and its checksum. */
function* packedByGit(
  repository: ObjectFiles,
  objects: ReadonlyMap<string, string>,
  search: readonly string[],
): Generator<Buffer> {
  const handle = openUnlinkedFile(`tmp_pack_${repository.ids()}`, repository.layout.cache);
  try {
    const input = Array.from(objects, ([oid, name]) => `${oid} ${name}\n`).join('');
    const words = ['pack-objects', '-q', '--stdout', '--delta-base-offset', ...search];
    runIntoFile(repository, words, input, handle);
    let left: Buffer = Buffer.alloc(0);
    let isFirst = true;
    for (const piece of readHandle(handle, PIECE, 0)) {
      const bytes = Buffer.concat([left, piece]);
      if (isFirst && (bytes.length < FIRST_ENTRY || bytes.readUInt32BE(8) !== objects.size))
        throw new CtxError('io', 'git pack-objects has not packed what it was given.');
      const end = Math.max(0, bytes.length - CHECKSUM);
      yield bytes.subarray(isFirst ? FIRST_ENTRY : 0, end);
      isFirst = false;
      left = Buffer.from(bytes.subarray(end));
    }
  } finally {
    closeSync(handle);
  }
}

function* wholeObjects({ objects: store }: ObjectFiles, objects: ReadonlyMap<string, string>): Generator<Buffer> {
  for (const oid of objects.keys()) yield entryOf(store.read(oid));
}

const entryOf = ({ type, content }: GitObject): Buffer =>
  Buffer.concat([encodeEntryHead(type, content.length), deflateFully(content)]);
