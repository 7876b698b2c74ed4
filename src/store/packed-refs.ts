/** Git's `packed-refs`: many refs in one file. */
import { damaged } from '../core/errors.ts';
import { readIfThere } from '../platform/files.ts';
import { stampOf } from '../platform/plain-files.ts';
import { isPointer } from './layout.ts';

const LINE_FEED = 0x0a;

/** Reads `packed-refs` anew only where it is another file than the last time, as Git does: many refs are asked for one by one. */
export function packedRefsOf(path: string): () => Map<string, string> {
  let last: { stamp: string; refs: Map<string, string> } | undefined;
  return () => {
    // Asked before the file is read: what is read may be newer than its stamp, and never older.
    const stamp = stampOf(path);
    if (last?.stamp !== stamp) last = { stamp, refs: readPackedRefs(path) };
    return last.refs;
  };
}

/** The refs in it that ctx may give a value to, by name; none where there is no such file. @throws {CtxError} damaged */
export function readPackedRefs(path: string): Map<string, string> {
  const refs = new Map<string, string>();
  for (const [ref, oid] of packedRefs(path)) if (isPointer(ref)) refs.set(ref, oid);
  return refs;
}

/** All refs in it, anybody's too, one line at a time: a stranger's file may have more than memory holds. @throws {CtxError} damaged */
export function* packedRefs(path: string): Generator<[ref: string, oid: string]> {
  const bytes = readIfThere(path) ?? Buffer.alloc(0);
  let number = 0;
  for (let at = 0, end = bytes.indexOf(LINE_FEED); end >= 0; at = end + 1, end = bytes.indexOf(LINE_FEED, at)) {
    number += 1;
    const line = bytes.toString('utf8', at, end);
    if (line === '' || line.startsWith('#') || line.startsWith('^')) continue;
    const match = /^([0-9a-f]{40}) (\S+)$/.exec(line);
    if (!match) throw damaged('packed-refs', `line ${number} is no ref`, { data: { line: number } });
    yield [match[2] as string, match[1] as string];
  }
  if (bytes.length > 0 && bytes.at(-1) !== LINE_FEED) throw damaged('packed-refs', 'its last line is cut off');
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
