/** An object store that only works out what would be written: trees and commits are held, of contents the id alone. */

import { contentAs, frame, type GitObject, missing, type ObjectType, sha1 } from '../../git/objects/loose.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { deflate, inflate } from '../../platform/compression.ts';

/** Contents up to this size are held: documents are read again. Of a long history they are many: each is held deflated. */
const HELD = 64 * 1024;

interface Held {
  type: ObjectType;
  bytes: number;
  /** A byte a character: a small buffer keeps a large one. */
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
      made.set(oid, content.length > HELD && type === 'blob' ? null : heldAs(type, content));
      return oid;
    },
    publish: () => undefined,
  };
}
