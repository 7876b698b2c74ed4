/** Git's `packed-refs`: many refs in one file. */
import { type CtxError, damaged } from '../../core/errors.ts';
import { readPiecesIfThere } from '../../platform/pieces.ts';
import { nameOfBytes } from '../byte-names.ts';
import { isPointer } from '../layout.ts';

const LINE_FEED = 0x0a;
/** How much of the file is held at once, in bytes, and the longest line that may be a ref's: no name is as long as that. */
const PIECE = 64 * 1024;

/** The refs in it that ctx may give a value to, by name; none where there is no such file. @throws {CtxError} damaged */
export function readPackedRefs(path: string): Map<string, string> {
  const refs = new Map<string, string>();
  for (const [ref, oid] of packedRefs(path)) if (isPointer(ref)) refs.set(ref, oid);
  return refs;
}

/**
 * All refs in it, anybody's too, one line at a time: a stranger's file may have more than memory holds. Their names as they are
 * told where they are no UTF-8 (see byte-names.ts).
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

/** A ref with its object id; its name is in whatever encoding, without blanks and control characters. */
export const REF_LINE = /^([0-9a-f]{40}) ([^\0-\x20\x7f]+)$/;
/** What the tag in the line before it points at. */
export const PEELED_LINE = /^\^[0-9a-f]{40}$/;
/** What may stand in the first line alone, and says what Git may rely on. */
export const HEADER = '# pack-refs with:';

/**
 * Checks the file as Git reads it, which is stricter than we are: one line out of its place, and Git finds none of the refs,
 * or passes over some.
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

/** The order of Git, of names that were read byte by byte. */
export const byBytes = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one, 'latin1'), Buffer.from(other, 'latin1'));

const damagedLine = (number: number, why: string): CtxError =>
  damaged('packed-refs', `line ${number} ${why}`, { data: { line: number } });

/** Its lines, byte by byte. @throws {CtxError} damaged, where the last one is cut off, or one is far too long */
const linesOf = (path: string): Generator<{ number: number; line: string }> => linesIn(readPiecesIfThere(path, PIECE));

/** The same of pieces that begin with a line. @throws {CtxError} damaged */
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

/** Its text without one ref and the peeled line that may follow it. */
export function withoutRef(text: string, ref: string): string {
  const kept: string[] = [];
  let dropping = false;
  for (const line of text.split('\n')) {
    dropping = line.startsWith('^') ? dropping : line.endsWith(` ${ref}`);
    if (!dropping) kept.push(line);
  }
  return kept.join('\n');
}

/** Its text with refs at these values, in the order of their names; all that stands in it of others stays. */
export function withRefs(text: string, values: ReadonlyMap<string, string>): string {
  const [first = '', ...rest] = text.split('\n');
  const hasHeader = first.startsWith(HEADER);
  const entries = new Map<string, string>();
  let last = '';
  for (const line of hasHeader ? rest : [first, ...rest]) {
    // What a tag points at belongs to the line before it.
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

/** Where the name of a ref begins in its line. */
const NAME_AT = 41;

/** The first line: what it says of the others stays true, for a commit peels to nothing; that all are in order is true from now on. */
function headerOf(text: string, first: string | null): string {
  if (first !== null) return first.split(' ').includes('sorted') ? first : `${first.trimEnd()} sorted `;
  return `${HEADER}${text === '' ? ' peeled fully-peeled' : ''} sorted `;
}
