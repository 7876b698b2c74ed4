/** The files of operations: the last in `newest.json`, those before it in a file each, older ones in segments. */

// The last one is found without listing a folder. The files of those before it are named by their ids, segments by their
// last id; a line of a segment is the content of such a file (see operation-fold.ts).
import { CtxError, damaged } from '../../core/errors.ts';
import { checkFolder } from '../../git/guard.ts';
import { type Layout, RECORD_LIMIT } from '../../git/layout.ts';
import type { PointerMove } from '../../git/refs/pointer.ts';
import { below } from '../../platform/below.ts';
import { listFolder, readIfThere } from '../../platform/files.ts';
import { decodeOperation, idShownIn, type Operation } from './operation.ts';

/** A finished operation and its file. */
export interface OperationFile {
  /** Its file from the store's root; in a segment with the line number. */
  name: string;
  /** The text; undefined if it cannot be read. */
  text: string | undefined;
  /** Decodes it. @throws {CtxError} damaged */
  read: () => Operation;
}

/** The file of one operation, by its name: the id of the operation. */
const SINGLE = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.json$/;
const SEGMENT = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/;

/** Returns the ids of the operations with a file each, sorted. For a file with another name, its name: fsck reports it. */
export function singleIds(layout: Layout): string[] {
  const names = listFolder(layout.oplog).filter((name) => name.endsWith('.json'));
  const others = names.filter((name) => name !== 'begun.json' && name !== 'newest.json');
  return others.map((name) => name.slice(0, -'.json'.length));
}

export const singlePath = (layout: Layout, id: string): string => below(layout.oplog, `${id}.json`);

/**
 * Returns the ids that segments are named by, sorted: that of the last operation in each.
 * @throws {CtxError} unsupported_store, if the folder is a link
 */
export function segmentIds(layout: Layout): string[] {
  if (checkFolder(layout, layout.segments) === undefined) return [];
  return listFolder(layout.segments).flatMap((name) => SEGMENT.exec(name)?.[1] ?? []);
}

export const segmentPath = (layout: Layout, id: string): string => below(layout.segments, `${id}.jsonl`);
export const segmentName = (id: string): string => `oplog/segments/${id}.jsonl`;

/** Returns the file of an operation by its id; undefined if there is none. */
export const singleOf = (layout: Layout, id: string): OperationFile | undefined =>
  fileAt(singlePath(layout, id), `oplog/${id}.json`);

function fileAt(path: string, name: string): OperationFile | undefined {
  try {
    const text = readIfThere(path, RECORD_LIMIT)?.toString('utf8');
    return text === undefined ? undefined : { name, text, read: () => decodeOperation(text, name) };
  } catch (error) {
    return unreadable(name, error);
  }
}

function unreadable(name: string, error: unknown): OperationFile {
  const read = (): never => {
    throw error;
  };
  return { name, text: undefined, read };
}

/** Returns the operation that was filed last; undefined if an older ctx has filed it, or another one is being filed. */
export const newestFile = ({ newest }: Layout): OperationFile | undefined => fileAt(newest, 'oplog/newest.json');

/** Returns the lines of a segment. @throws {CtxError} damaged */
export function linesOfSegment(layout: Layout, id: string): string[] {
  const text = readIfThere(segmentPath(layout, id), RECORD_LIMIT)?.toString('utf8') ?? '';
  return text.replace(/\n$/, '').split('\n');
}

/**
 * Yields the operations of a segment, newest first. If it does not end with the operation that names it, some are lost: that
 * is reported first.
 */
function* segmentFiles(layout: Layout, id: string): Generator<OperationFile> {
  const segment = segmentName(id);
  let lines: string[];
  try {
    lines = linesOfSegment(layout, id);
  } catch (error) {
    yield unreadable(segment, error);
    return;
  }
  const files = lines.map((text, index): OperationFile => {
    const name = `${segment} line ${index + 1}`;
    return { name, text, read: () => decodeOperation(text, name) };
  });
  const last = ifReadable(files.at(-1));
  if (last && last.id !== id) yield unreadable(segment, damaged(segment, 'its end is cut off'));
  yield* files.reverse();
}

/**
 * Yields the finished operations, newest first: a torn one hides no other one. One that is folded or filed meanwhile is
 * yielded once: it is in its new place before it leaves the old one, and the old places are read first. Operations that are
 * filed later are omitted.
 */
export function* operationFiles({ layout }: { layout: Layout }): Generator<OperationFile> {
  const newest = newestFile(layout);
  const last = idShownIn(newest?.text ?? '');
  const singles = [...new Set(singleIds(layout)).add(last ?? '')].filter((id) => id !== '').sort();
  const latest = singles.at(-1) ?? '';
  const known = new Set(segmentIds(layout));
  const seen = new Set<string>();
  const isNew = (key: string): boolean => !seen.has(key) && seen.add(key).has(key);
  /** Yields the operations with a file each after a given one; returns false if one has been folded since it was listed. */
  function* singlesAfter(id: string): Generator<OperationFile, boolean> {
    for (let single = singles.at(-1); single !== undefined && single > id; single = singles.at(-1)) {
      singles.pop();
      const file = single === last ? newest : singleOf(layout, single);
      if (!file && !seen.has(single)) return false;
      if (file && isNew(single)) yield file;
    }
    return true;
  }
  /** Yields the operations of a segment, and those with a file each in between; returns false as above. */
  function* inSegment(segment: string): Generator<OperationFile, boolean> {
    for (const file of segmentFiles(layout, segment)) {
      const id = idShownIn(file.text ?? '');
      if (id !== undefined && id > latest && !known.has(segment)) continue;
      if (!(yield* singlesAfter(id ?? segment))) return false;
      if (isNew(id ?? file.name)) yield file;
    }
    return true;
  }
  if (newest && last === undefined) yield newest;
  const read = new Set<string>();
  const left = [...known];
  for (let segment = left.pop(); ; segment = left.pop()) {
    if (yield* segment === undefined ? singlesAfter('') : inSegment(segment)) {
      if (segment === undefined) return;
      read.add(segment);
    } else left.splice(0, left.length, ...segmentIds(layout).filter((id) => !read.has(id)));
  }
}

/** Yields the operations of a store, newest first. @throws {CtxError} damaged */
export function* readOperations(repository: { layout: Layout }): Generator<Operation> {
  for (const { read } of operationFiles(repository)) yield read();
}

/** Returns an operation; undefined if there is none, or it is damaged. */
export function ifReadable(file: OperationFile | undefined): Operation | undefined {
  try {
    return file?.read();
  } catch (error) {
    if (error instanceof CtxError && error.code === 'damaged') return undefined;
    throw error;
  }
}

/** Returns whether an operation has finished: then its file has another name than begun.json. */
export function isFiled(layout: Layout, id: string): boolean {
  const newest = ifReadable(newestFile(layout));
  if (newest?.id === id || singleIds(layout).includes(id)) return true;
  return segmentIds(layout).some(
    (last) => last >= id && linesOfSegment(layout, last).some((line) => idShownIn(line) === id),
  );
}

/**
 * Returns the id of the operation that was filed last; null if there is none.
 * @throws {CtxError} damaged, if the name of a file is no id
 */
export function newestId(layout: Layout): string | null {
  const shown = idShownIn(newestFile(layout)?.text ?? '');
  if (shown !== undefined) return shown;
  return singleIds(layout).findLast((id) => SINGLE.test(`${id}.json`)) ?? segmentIds(layout).at(-1) ?? null;
}

/** Yields the readable operations, newest first; a begun one comes before all others. */
export function* readableOperations(layout: Layout): Generator<Operation & { begun: boolean }> {
  const begun = ifReadable(fileAt(layout.begun, 'oplog/begun.json'));
  if (begun) yield { ...begun, begun: true };
  for (const file of operationFiles({ layout })) {
    const operation = ifReadable(file);
    if (operation) yield { ...operation, begun: false };
  }
}

/**
 * Yields the moves of a pointer in the readable operations, newest first.
 * @param withBegun whether to include the begun operation, which may not have moved this pointer yet
 */
export function* movesOf(layout: Layout, pointer: string, withBegun = true): Generator<PointerMove> {
  for (const { begun, moves } of readableOperations(layout))
    if (withBegun || !begun) yield* moves.filter((move) => move.pointer === pointer);
}
