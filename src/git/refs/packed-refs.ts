/** Reads and edits Git's `packed-refs`: many refs in one file. */
import { type CtxError, damaged } from '../../core/errors.ts';
import { readPiecesIfThere } from '../../platform/pieces.ts';
import { nameOfBytes } from '../byte-names.ts';

const LINE_FEED = 0x0a;
/** Bytes that are held at once, and the longest line of a ref: no name is longer. */
const PIECE = 64 * 1024;

/** Reads the wanted refs, by name; empty if there is no file. @throws {CtxError} damaged */
export function readPackedRefs(path: string, isWanted: (ref: string) => boolean): Map<string, string> {
  const refs = new Map<string, string>();
  for (const [ref, oid] of packedRefs(path)) if (isWanted(ref)) refs.set(ref, oid);
  return refs;
}

/**
 * Yields all refs, also those of others, line by line: a stranger's file may be larger than memory. Names that are no UTF-8
 * are quoted (see byte-names.ts).
 * @throws {CtxError} damaged
 */
export function* packedRefs(path: string): Generator<[ref: string, oid: string]> {
  for (const { number, line } of linesOf(path)) {
    if (line === '' || line.startsWith('#') || line.startsWith('^')) continue;
    const [, oid, ref] = REF_LINE.exec(line) ?? [];
    if (oid === undefined || ref === undefined) throw damagedLine(number, 'is no ref');
    yield [nameOfBytes(ref), oid];
  }
}

/** A line with an object id and a ref; the name is in any encoding, without blanks and control characters. */
export const REF_LINE = /^([0-9a-f]{40}) ([^\0-\x20\x7f]+)$/;
/** A line with the object that the tag in the previous line points at. */
export const PEELED_LINE = /^\^[0-9a-f]{40}$/;
/** Start of the header, which is allowed only in the first line and lists what Git may rely on. */
export const HEADER = '# pack-refs with:';

/**
 * Checks the file as Git reads it, which is stricter than ctx: because of one misplaced line Git finds none of the refs, or
 * misses some.
 * @throws {CtxError} damaged, with the number of the line
 */
export function checkPackedRefs(path: string): void {
  let isSorted = false;
  let last = '';
  let before = '';
  for (const { number, line } of linesOf(path)) {
    const ref = REF_LINE.exec(line)?.[2];
    if (line.startsWith('#')) {
      if (number > 1 || !line.startsWith(HEADER)) throw damagedLine(number, 'is a header out of its place');
      isSorted = line.split(' ').includes('sorted');
    } else if (ref === undefined && !(PEELED_LINE.test(line) && REF_LINE.test(before)))
      throw damagedLine(number, 'is no ref');
    else if (ref !== undefined) {
      if (isSorted && last !== '' && byBytes(last, ref) >= 0)
        throw damagedLine(number, 'is out of order, and the first line says that all are in order');
      last = ref;
    }
    before = line;
  }
}

/** Compares names by bytes, in Git's order; the names were read byte by byte. */
export const byBytes = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one, 'latin1'), Buffer.from(other, 'latin1'));

const damagedLine = (number: number, why: string): CtxError =>
  damaged('packed-refs', `line ${number} ${why}`, { data: { line: number } });

/** Yields the lines of the file, byte by byte. @throws {CtxError} damaged, if the last one is truncated, or one is far too long */
const linesOf = (path: string): Generator<{ number: number; line: string }> => linesIn(readPiecesIfThere(path, PIECE));

/** Yields the lines of chunks, the first of which begins with a line. @throws {CtxError} damaged */
export function* linesIn(pieces: Iterable<Buffer>): Generator<{ number: number; line: string }> {
  let number = 0;
  let rest: Buffer = Buffer.alloc(0);
  for (const piece of pieces) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    let at = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; at = end + 1, end = bytes.indexOf(LINE_FEED, at)) {
      number += 1;
      yield { number, line: bytes.toString('latin1', at, end) };
    }
    rest = Buffer.from(bytes.subarray(at));
    if (rest.length > PIECE) throw damagedLine(number + 1, 'is far too long');
  }
  if (rest.length > 0) throw damaged('packed-refs', 'its last line is cut off');
}

/** Returns the text of the file without one ref and its peeled line. */
export function withoutRef(text: string, ref: string): string {
  const kept: string[] = [];
  let dropping = false;
  for (const line of text.split('\n')) {
    dropping = line.startsWith('^') ? dropping : line.endsWith(` ${ref}`);
    if (!dropping) kept.push(line);
  }
  return kept.join('\n');
}

/** Returns the text of the file with refs set to these values, sorted by name; all other entries stay. */
export function withRefs(text: string, values: ReadonlyMap<string, string>): string {
  const [first = '', ...rest] = text.split('\n');
  const hasHeader = first.startsWith(HEADER);
  const entries = new Map<string, string>();
  let last = '';
  for (const line of hasHeader ? rest : [first, ...rest]) {
    // A peeled line belongs to the line before it.
    if (line.startsWith('^')) entries.set(last, `${entries.get(last)}\n${line}`);
    else if (line !== '') {
      last = line.slice(NAME_AT);
      entries.set(last, line);
    }
  }
  for (const [ref, oid] of values) entries.set(ref, `${oid} ${ref}`);
  const inOrder = [...entries].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, lines]) => lines);
  return `${[headerOf(text, hasHeader ? first : null), ...inOrder].join('\n')}\n`;
}

/** Offset of the name of a ref in its line. */
const NAME_AT = 41;

/** Returns the header: its statements about other refs stay true, since a commit peels to nothing; "sorted" becomes true. */
function headerOf(text: string, first: string | null): string {
  if (first !== null) return first.split(' ').includes('sorted') ? first : `${first.trimEnd()} sorted `;
  return `${HEADER}${text === '' ? ' peeled fully-peeled' : ''} sorted `;
}
