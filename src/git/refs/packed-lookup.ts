/** Looks refs up in `packed-refs` at the cost of a few short reads, however many it has: by halves, as Git does it. */

// So if its first line says that all are in order. What is small, says nothing of an order, or looks odd at any place, is read whole.
import { closeSync, readSync } from 'node:fs';
import { CtxError, damaged } from '../../core/errors.ts';
import { FILE_LIMIT, ioError, isAbsent } from '../../platform/files.ts';
import { readHandle } from '../../platform/pieces.ts';
import { openPlain, stampOf } from '../../platform/plain-files.ts';
import { isPointer } from '../layout.ts';
import { HEADER, linesIn, PEELED_LINE, REF_LINE, readPackedRefs } from './packed-refs.ts';

export interface PackedRefs {
  /** The object id of a ref, or null. @throws {CtxError} damaged */
  get: (ref: string) => string | null;
  /** Names of ctx's refs that begin with a prefix, in order. @throws {CtxError} damaged */
  below: (prefix: string) => string[];
}

/** Up to this size the file is read whole, in bytes: that costs no more, and finds whatever is wrong in it. */
const SMALL = 16 * 1024;
/** Looks at one state of the file, after which it is read whole: whoever asks for many refs asks for more. */
const LOOKS = 64;
/** How much is read at once, in bytes: some forty lines. */
const BLOCK = 4096;
const LINE_FEED = 0x0a;

/** The refs in order, from the first one on whose name is not less than this. */
type InOrder = (from: string) => Iterable<Entry>;
type Entry = [ref: string, oid: string];

/** Reads `packed-refs` anew only if it is another file than the last time, as Git does. */
export function packedRefsOf(path: string): PackedRefs {
  let last: { stamp: string; looks: number; refs?: Map<string, string> } | undefined;
  const look = <T>(inPart: (refs: InOrder) => T, inWhole: (refs: ReadonlyMap<string, string>) => T): T => {
    // Asked before the file is read: what is read may be newer than its stamp, and never older.
    const stamp = stampOf(path);
    if (last?.stamp !== stamp) last = { stamp, looks: 0 };
    last.looks += 1;
    const found = stamp === '' || last.refs || last.looks > LOOKS ? null : inOrder(path, inPart);
    if (found) return found.value;
    last.refs ??= readPackedRefs(path);
    return inWhole(last.refs);
  };
  return {
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
            if (isPointer(ref)) found.push(ref);
          }
          return found;
        },
        (refs) => [...refs.keys()].filter((ref) => ref.startsWith(prefix)).sort(),
      ),
  };
}

/** Runs a look at a file that is in order; null if it must be read whole. @throws {CtxError} io */
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
    // Read whole, it says what is wrong, and in which line.
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

/** The first line, and where the next one begins. */
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

/** @throws {CtxError} damaged */
function entryIn(line: string): Entry {
  const [, oid, ref] = REF_LINE.exec(line) ?? [];
  if (oid === undefined || ref === undefined) throw damaged('packed-refs', 'a line is no ref');
  return [ref, oid];
}

/** Where a line begins behind which a name stands, at most some lines before it. */
function startOf(handle: number, begins: number, size: number, name: string): number {
  let [low, high] = [begins, size];
  while (high - low > BLOCK) {
    const middle = low + Math.floor((high - low) / 2);
    const found = lineBehind(handle, middle);
    // A line that is longer than a block: all from here on is looked at in turn.
    if (found === null || found.at >= high) break;
    if (entryIn(found.line)[0] < name) low = found.at;
    else high = found.at;
  }
  return low;
}

/** The first line of a ref that begins behind a place in the file; null if none stands whole in the block there. */
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
