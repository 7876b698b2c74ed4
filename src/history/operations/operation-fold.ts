/** Folds operations that have a file each into segments, so that the folder of the log stays small. */

import { checkFolder } from '../../git/guard.ts';
import type { StoreFiles } from '../../git/store-files.ts';
// A store of an older ctx, in which every operation has a file, is folded in the same way, some at a time. A segment is
// written whole, under its own name, before its source files are removed. After a kill between the two an operation is in
// both places and is read once; the next fold removes the rest. A segment is only ever replaced as a whole, by a forgetting
// or a repair. Each line is the file of an operation, with its own checksum.
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

/** Most operations, and bytes, of a segment: a larger operation has a segment for itself. */
const MOST = 64;
const MOST_BYTES = 1024 * 1024;
/** Fewest operations that keep a file each: those that are read most. */
const KEPT = 16;
/** Most operations that are folded at once: a store of an older ctx has many, and the command must not take long. */
const STEP = 8 * MOST;

/** Folds the due operations; does nothing if they are too few for a segment. Only under LOCK. @throws {CtxError} io, damaged */
export function foldOperations(repository: StoreFiles, most = STEP): void {
  const { layout } = repository;
  const ids = singleIds(layout);
  if (ids.length < KEPT + MOST) return;
  const whole: Folding[] = [];
  for (const id of unfolded(repository, ids.slice(0, -KEPT))) {
    if (whole.length >= most) break;
    const folding = foldingOf(singleOf(layout, id));
    // A torn one stays as it is: fsck reports it, and a repair moves it aside.
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

/** A readable operation as a line of a segment. */
interface Folding {
  id: string;
  line: string;
}

function foldingOf(file: OperationFile | undefined): Folding | undefined {
  const operation = ifReadable(file);
  const line = file?.text?.replace(/\n$/, '');
  return operation && line !== undefined && !line.includes('\n') ? { id: operation.id, line } : undefined;
}

/** Groups operations by segments; too few for a whole segment stay in place. */
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

/** Writes a segment of such lines, ordered by id. @returns the id that names it */
export function writeSegment({ layout, ids, durability }: StoreFiles, lines: readonly string[]): string {
  checkFolder(layout, layout.segments);
  const id = idShownIn(lines.at(-1) ?? '') as string;
  const path = segmentPath(layout, id);
  writeDurably(path, `${path}.${ids()}.tmp`, lines.map((line) => `${line}\n`).join(''), durability);
  return id;
}

/**
 * Returns the operations that are in no segment, and removes the files that an interrupted fold has left of others.
 * @param ids sorted
 */
function unfolded({ layout }: StoreFiles, ids: readonly string[]): string[] {
  const segments = segmentIds(layout);
  return ids.filter((id) => {
    const segment = segments.find((last) => last >= id);
    // True for nearly all: folded operations are older than the others.
    if (segment === undefined) return true;
    const line = linesOfSegment(layout, segment).find((one) => idShownIn(one) === id);
    if (line === undefined) return true;
    if (foldingOf(singleOf(layout, id))?.line === line) removeFile(singlePath(layout, id));
    return false;
  });
}
