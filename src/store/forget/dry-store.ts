/** An object store that only works out what would be written: trees and commits are held, of contents the id alone. */
import { contentAs, frame, type GitObject, missing, sha1 } from '../objects/loose.ts';
import type { ObjectStore } from '../objects/objects.ts';

/** Contents up to this size are held: documents are read again. */
const HELD = 64 * 1024;

export function dryStore(objects: ObjectStore): ObjectStore & { settle: () => void } {
  const made = new Map<string, GitObject | null>();
  const read = (oid: string): GitObject => {
    const held = made.get(oid);
    if (held) return held;
    // A content that would be written: nobody needs its bytes to know what would be done.
    if (held === null) return { type: 'blob', content: Buffer.alloc(0) };
    return objects.read(oid);
  };
  return {
    read,
    readAs: (oid, type) => contentAs(read(oid), type, oid),
    holds: (oid) => made.has(oid) || objects.holds(oid),
    adopt: (_file, oid) => {
      throw missing(oid);
    },
    loosen: () => undefined,
    withPrefix: (prefix, limit) => objects.withPrefix(prefix, limit),
    close: () => objects.close(),
    write: (type, content) => {
      const oid = sha1(frame(type, content));
      made.set(oid, type === 'blob' && content.length > HELD ? null : { type, content: Buffer.from(content) });
      return oid;
    },
    settle: () => undefined,
  };
}
