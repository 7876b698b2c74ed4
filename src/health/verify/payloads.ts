/** Checks of what lies beside a step's records: the texts that left a stub behind, and the contents of files. */

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

/** Every text that the records of a step tell of must be there, and be what they tell. */
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

/** What is wrong with the payload of a text, or null. */
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

/** A content piece by piece, as it is kept: whole, or in chunks. Each is read here once for all. */
function* piecesOf(objects: ObjectStore, entry: TreeEntry, seen: Set<string>): Generator<Buffer> {
  const chunks = isTree(entry) ? readTree(objects, entry.oid) : [entry];
  if (isTree(entry) && isChunked(chunks)) seen.add(entry.oid);
  for (const { oid } of chunks) {
    yield objects.readAs(oid, 'blob');
    seen.add(oid);
  }
}

/**
 * The content of a file that a record names stands in `files/`, or, where that must show another one, in `payload/`.
 * @param shown what `files/` must show at a path
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
