/** Git's `packed-refs`: many refs in one file. */
import { damaged } from '../core/errors.ts';
import { readIfThere } from '../platform/files.ts';
import { stampOf } from '../platform/plain-files.ts';

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

/** The refs in it, by name; none where there is no such file. @throws {CtxError} damaged */
export function readPackedRefs(path: string): Map<string, string> {
  const refs = new Map<string, string>();
  const text = readIfThere(path)?.toString('utf8') ?? '';
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '' || line.startsWith('#') || line.startsWith('^')) continue;
    const match = /^([0-9a-f]{40}) (\S+)$/.exec(line);
    if (!match) throw damaged('packed-refs', `line ${index + 1} is no ref`, { data: { line: index + 1 } });
    refs.set(match[2] as string, match[1] as string);
  }
  if (text !== '' && !text.endsWith('\n')) throw damaged('packed-refs', 'its last line is cut off');
  return refs;
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
