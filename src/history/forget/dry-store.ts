/** An object store that only computes what would be written: holds trees and commits, and the ids of contents. */

import { contentAs, frame, type GitObject, missing, type ObjectType, sha1 } from '../../git/objects/loose.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { deflate, inflate } from '../../platform/compression.ts';

/** Contents up to this size are held, since documents are read again; deflated, since a long history has many. */
const HELD = 64 * 1024;

interface Held {
  type: ObjectType;
  bytes: number;
  /** One byte a character: a slice of a buffer keeps the whole buffer alive. */
  text: string;
}

const heldAs = (type: ObjectType, content: Buffer): Held => ({
  ...{ type, bytes: content.length },
  text: deflate(content).toString('latin1'),
});

export function dryStore(objects: ObjectStore): ObjectStore & { publish: () => void } {
  const made = new Map<string, Held | null>();
  const read = (oid: string): GitObject => {
    const held = made.get(oid);
    if (held) return { type: held.type, content: inflate(Buffer.from(held.text, 'latin1'), held.bytes).content };
    // A content that would be written: a dry run does not need its bytes.
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
      made.set(oid, content.length > HELD && type === 'blob' ? null : heldAs(type, content));
      return oid;
    },
    publish: () => undefined,
  };
}
