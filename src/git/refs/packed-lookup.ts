/** Looks refs up in `packed-refs` with a few short reads, however many it has: by binary search, as Git does. */

// Only if the header says that the refs are sorted. A small, unsorted, or odd-looking file is read whole.
import { closeSync, readSync } from 'node:fs';
import { CtxError, damaged } from '../../core/errors.ts';
import { FILE_LIMIT, ioError, isAbsent } from '../../platform/files.ts';
import { readHandle } from '../../platform/pieces.ts';
import { openPlain, stampOf } from '../../platform/plain-files.ts';
import { HEADER, linesIn, PEELED_LINE, REF_LINE, readPackedRefs } from './packed-refs.ts';

export interface PackedRefs {
  /** Returns the object id of a ref, or null. @throws {CtxError} damaged */
  get: (ref: string) => string | null;
  /** Returns the names of ctx's refs that begin with a prefix, sorted. @throws {CtxError} damaged */
  below: (prefix: string) => string[];
  /** Returns ctx's refs with their object ids. @throws {CtxError} damaged */
  all: () => ReadonlyMap<string, string>;
}

/** Up to this size the file is read whole, in bytes: that takes no longer, and finds any fault in it. */
const SMALL = 16 * 1024;
/** Lookups in one state of the file after which it is read whole: more will follow. */
const LOOKS = 64;
/** Bytes that are read at once: some forty lines. */
const BLOCK = 4096;
const LINE_FEED = 0x0a;

/** Yields the refs in order, from the first one whose name is not less than `from`. */
type InOrder = (from: string) => Iterable<Entry>;
type Entry = [ref: string, oid: string];

/** Returns a reader that reads `packed-refs` again only if the file has changed since the last read, as Git does. */
export function packedRefsOf(path: string, isWanted: (ref: string) => boolean): PackedRefs {
  let last: { stamp: string; looks: number; refs?: Map<string, string> } | undefined;
  const all = (): ReadonlyMap<string, string> => {
    const stamp = stampOf(path);
    if (last?.stamp !== stamp) last = { stamp, looks: 0 };
    last.refs ??= readPackedRefs(path, isWanted);
    return last.refs;
  };
  const look = <T>(inPart: (refs: InOrder) => T, inWhole: (refs: ReadonlyMap<string, string>) => T): T => {
    // Taken before the file is read: the content may be newer than its stamp, but never older.
    const stamp = stampOf(path);
    if (last?.stamp !== stamp) last = { stamp, looks: 0 };
    last.looks += 1;
    const found = stamp === '' || last.refs || last.looks > LOOKS ? null : inOrder(path, inPart);
    if (found) return found.value;
    last.refs ??= readPackedRefs(path, isWanted);
    return inWhole(last.refs);
  };
  return {
    all,
    get: (wanted) =>
      look(
        (refs) => {
          for (const [ref, oid] of refs(wanted)) return ref === wanted ? oid : null;
          return null;
        },
        (refs) => refs.get(wanted) ?? null,
      ),
    below: (prefix) =>
      look(
        (refs) => {
          const found: string[] = [];
          for (const [ref] of refs(prefix)) {
            if (!ref.startsWith(prefix)) break;
            if (isWanted(ref)) found.push(ref);
          }
          return found;
        },
        (refs) => [...refs.keys()].filter((ref) => ref.startsWith(prefix)).sort(),
      ),
  };
}

/** Runs a lookup in a sorted file; returns null if the file must be read whole. @throws {CtxError} io */
function inOrder<T>(path: string, look: (refs: InOrder) => T): { value: T } | null {
  let opened: ReturnType<typeof openPlain>;
  try {
    opened = openPlain(path);
  } catch (error) {
    if (isAbsent(error) || error instanceof CtxError) return null;
    throw ioError('read', path, error);
  }
  const { handle, size } = opened;
  try {
    if (size <= SMALL || size > FILE_LIMIT) return null;
    const [first = '', begins] = firstLine(handle);
    if (!first.startsWith(HEADER) || !first.split(' ').includes('sorted') || !endsInLine(handle, size)) return null;
    return { value: look((from) => entriesFrom(handle, begins, size, from)) };
  } catch (error) {
    // Reading it whole names the fault and its line.
    if (error instanceof CtxError && error.code === 'damaged') return null;
    throw error instanceof CtxError ? error : ioError('read', path, error);
  } finally {
    closeSync(handle);
  }
}

function blockAt(handle: number, at: number): Buffer {
  const block = Buffer.allocUnsafe(BLOCK);
  return block.subarray(0, readSync(handle, block, 0, BLOCK, at));
}

/** Returns the first line, and the start of the next one. */
function firstLine(handle: number): [line: string, end: number] {
  const block = blockAt(handle, 0);
  const end = block.indexOf(LINE_FEED);
  return [block.toString('latin1', 0, Math.max(0, end)), end + 1];
}

const endsInLine = (handle: number, size: number): boolean => blockAt(handle, size - 1)[0] === LINE_FEED;

function* entriesFrom(handle: number, begins: number, size: number, from: string): Generator<Entry> {
  const start = startOf(handle, begins, size, from);
  for (const { line } of linesIn(readHandle(handle, BLOCK, start))) {
    if (PEELED_LINE.test(line)) continue;
    const [ref, oid] = entryIn(line);
    if (ref >= from) yield [ref, oid];
  }
}

/** Parses a line. @throws {CtxError} damaged */
function entryIn(line: string): Entry {
  const [, oid, ref] = REF_LINE.exec(line) ?? [];
  if (oid === undefined || ref === undefined) throw damaged('packed-refs', 'a line is no ref');
  return [ref, oid];
}

/** Returns the start of a line that comes at most a few lines before a name. */
function startOf(handle: number, begins: number, size: number, name: string): number {
  let [low, high] = [begins, size];
  while (high - low > BLOCK) {
    const middle = low + Math.floor((high - low) / 2);
    const found = lineBehind(handle, middle);
    // A line is longer than a block: the rest is read sequentially.
    if (found === null || found.at >= high) break;
    if (entryIn(found.line)[0] < name) low = found.at;
    else high = found.at;
  }
  return low;
}

/** Returns the first line of a ref that begins after a place in the file; null if the block there has no complete one. */
function lineBehind(handle: number, place: number): { at: number; line: string } | null {
  const block = blockAt(handle, place);
  for (let at = block.indexOf(LINE_FEED) + 1; at > 0; ) {
    const end = block.indexOf(LINE_FEED, at);
    if (end < 0) return null;
    const line = block.toString('latin1', at, end);
    if (!PEELED_LINE.test(line)) return { at: place + at, line };
    at = end + 1;
  }
  return null;
}
