/** Folds operations that have a file each into segments: the folder of the log stays small however long a store lives. */

import { checkFolder } from '../../git/guard.ts';
import type { StoreFiles } from '../../git/store-files.ts';
// A store of an older ctx, in which every operation has a file, is folded by the same step, some at a time.
//
// A segment is written whole, under a name of its own, before the files go that it is made of. Cut off between the two, an operation
// stands in both places and is read once; the next fold takes the rest away. A segment is never written to again but by a forgetting
// or a repair, which replace it whole. Each line of it is the file of an operation, with a checksum of its own.
import { removeFile, writeDurably } from '../../platform/files.ts';
import { idShownIn } from './operation.ts';
import {
  ifReadable,
  linesOfSegment,
  type OperationFile,
  segmentIds,
  segmentPath,
  singleIds,
  singleOf,
  singlePath,
} from './operation-files.ts';

/** Operations in a segment, and bytes: one that is larger has a segment for itself. */
const MOST = 64;
const MOST_BYTES = 1024 * 1024;
/** Operations that keep a file each at least: those that are read most. */
const KEPT = 16;
/** Operations that are folded in one step: a store of an older ctx has many, and nobody is to wait long. */
const STEP = 8 * MOST;

/** Folds what has come together; nothing where that is not enough for a segment. Only under LOCK. @throws {CtxError} io, damaged */
export function foldOperations(repository: StoreFiles, most = STEP): void {
  const { layout } = repository;
  const ids = singleIds(layout);
  if (ids.length < KEPT + MOST) return;
  const whole: Folding[] = [];
  for (const id of unfolded(repository, ids.slice(0, -KEPT))) {
    if (whole.length >= most) break;
    const folding = foldingOf(singleOf(layout, id));
    // What is torn stays as it is: the check names it, and a repair sets it aside.
    if (folding?.id === id) whole.push(folding);
  }
  for (const part of partsOf(whole)) {
    writeSegment(
      repository,
      part.map(({ line }) => line),
    );
    for (const { id } of part) removeFile(singlePath(layout, id));
  }
}

/** An operation that can be read, as its line in a segment. */
interface Folding {
  id: string;
  line: string;
}

function foldingOf(file: OperationFile | undefined): Folding | undefined {
  const operation = ifReadable(file);
  const line = file?.text?.replace(/\n$/, '');
  return operation && line !== undefined && !line.includes('\n') ? { id: operation.id, line } : undefined;
}

/** Puts them together by segments; what is too little for a whole one stays where it is. */
function* partsOf(whole: readonly Folding[]): Generator<Folding[]> {
  let part: Folding[] = [];
  let bytes = 0;
  for (const folding of whole) {
    const size = Buffer.byteLength(folding.line) + 1;
    if (part.length === MOST || (part.length > 0 && bytes + size > MOST_BYTES)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(folding);
    bytes += size;
  }
  if (part.length === MOST) yield part;
}

/** Writes a segment of such lines, in the order of their ids. @returns the id that it is named by */
export function writeSegment({ layout, ids, durability }: StoreFiles, lines: readonly string[]): string {
  checkFolder(layout, layout.segments);
  const id = idShownIn(lines.at(-1) ?? '') as string;
  const path = segmentPath(layout, id);
  writeDurably(path, `${path}.${ids()}.tmp`, lines.map((line) => `${line}\n`).join(''), durability);
  return id;
}

/**
 * Those that no segment has. A fold that was cut off has left files of operations that stand in one already: they go.
 * @param ids in order
 */
function unfolded({ layout }: StoreFiles, ids: readonly string[]): string[] {
  const segments = segmentIds(layout);
  return ids.filter((id) => {
    const segment = segments.find((last) => last >= id);
    // So it is of nearly all: what is folded is older than what is not.
    if (segment === undefined) return true;
    const line = linesOfSegment(layout, segment).find((one) => idShownIn(one) === id);
    if (line === undefined) return true;
    if (foldingOf(singleOf(layout, id))?.line === line) removeFile(singlePath(layout, id));
    return false;
  });
}
