/** Checks the payloads of a step's records: long texts, and the contents of files. */

import { FETCH } from '../../core/errors.ts';
import { type Stub, stubsIn } from '../../core/externalise.ts';
import { treePath } from '../../core/file-path.ts';
import { isKind } from '../../core/records/record.ts';
import { isTree, type TreeEntry } from '../../core/tree.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { isChunked } from '../../git/objects/payload.ts';
import { readTree } from '../../git/objects/tree-editor.ts';
import { contentName, type Step } from '../../history/chain/chain.ts';
import { payloadEntries } from '../../history/chain/session-document.ts';
import { RunningHash } from '../../platform/hash.ts';
import { damage, type Finding } from '../finding.ts';

/** Checks that every long text of a step's records exists and matches its stub. */
export function* verifyTexts(
  objects: ObjectStore,
  { commit: { tree }, records }: Step,
  where: string,
  seen: Set<string>,
): Generator<Finding> {
  const payloads = payloadEntries(objects, readTree(objects, tree));
  for (const record of records) {
    for (const stub of stubsIn(record)) {
      const problem = textProblem(objects, payloads.get(stub.payload), stub, seen);
      if (problem === null) continue;
      yield damage('record', where, `payload/${stub.payload}, a text of its record ${record.id}, ${problem}`, FETCH);
    }
  }
}

/** Returns the fault of a long text's payload, or null. */
function textProblem(objects: ObjectStore, entry: TreeEntry | undefined, stub: Stub, seen: Set<string>): string | null {
  if (!entry) return `of ${stub.bytes} bytes, is missing`;
  const hash = new RunningHash('sha256');
  let bytes = 0;
  for (const piece of piecesOf(objects, entry, seen)) {
    hash.update(piece);
    bytes += piece.length;
  }
  if (bytes !== stub.bytes) return `has ${bytes} bytes, and ${stub.bytes} were kept`;
  return hash.digest() === stub.sha256 ? null : 'is another text than the one that was kept';
}

/** Yields a content as it is stored: whole, or in chunks. Marks its objects as read. */
function* piecesOf(objects: ObjectStore, entry: TreeEntry, seen: Set<string>): Generator<Buffer> {
  const chunks = isTree(entry) ? readTree(objects, entry.oid) : [entry];
  if (isTree(entry) && isChunked(chunks)) seen.add(entry.oid);
  for (const { oid } of chunks) {
    yield objects.readAs(oid, 'blob');
    seen.add(oid);
  }
}

/**
 * Checks that the content of a file record is in `files/`, or in `payload/` if `files/` has another one.
 * @param shown returns the id in `files/` at a path
 */
export function* verifyContents(
  objects: ObjectStore,
  { commit: { tree }, records }: Step,
  where: string,
  shown: (place: readonly string[]) => string | undefined,
): Generator<Finding> {
  const payloads = payloadEntries(objects, readTree(objects, tree));
  for (const record of records) {
    if (!isKind(record, 'read') && !isKind(record, 'write')) continue;
    const { id, path, blob } = record;
    const name = contentName(id);
    const kept = payloads.get(name)?.oid;
    const place = typeof path === 'string' ? treePath(path) : null;
    if (kept === blob || (kept === undefined && place && shown(place) === blob)) continue;
    const problem = kept === undefined ? 'is missing' : 'is another one';
    yield damage('record', where, `payload/${name}, the content that its record ${id} names, ${problem}`, FETCH);
  }
}
