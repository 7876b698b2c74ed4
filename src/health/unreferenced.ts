/** Yields the contents of a store that its refs do not reach: unreferenced objects, unknown files, and names of files. */

import { everyEntry } from '../git/entries.ts';
import { readIfWhole } from '../git/objects/object-lookup.ts';
import type { ObjectStore } from '../git/objects/objects.ts';
import { CHUNK_SIZE, isChunked } from '../git/objects/payload.ts';
import { readTree } from '../git/objects/tree-editor.ts';
import { allContents, type Content, SEARCHED_FOLDERS } from '../history/contents.ts';
import { inflatedOf, STRETCH } from '../history/forget/content-match.ts';
import { ownerOf, strangePart } from '../history/forget/file-owner.ts';
import { allOids } from '../history/forget/store-listing.ts';
import type { Repository } from '../history/store/repository.ts';
import { below } from '../platform/below.ts';
import type { Inflated } from '../platform/compression.ts';
import { exists } from '../platform/files.ts';
import { readPlainPieces } from '../platform/pieces.ts';

const NOWHERE = { commit: null, session: null, step: null };

/** Yields every content of a store: those that its refs reach, and all others. @throws {CtxError} damaged, io */
export function* everyContent(repository: Repository): Generator<Content> {
  const seen = new Set<string>();
  yield* allContents(repository, seen);
  yield* unreferencedObjects(repository, seen);
  yield* unknownFiles(repository);
}

/** Yields objects that are not known yet; skips unreadable ones, which nothing needs. @param seen the known ones */
function* unreferencedObjects({ objects, layout }: Repository, seen: Set<string>): Generator<Content> {
  const left = new Set<string>();
  for (const oid of allOids(layout)) {
    if (seen.has(oid)) continue;
    seen.add(oid);
    if (readIfWhole(objects, oid)?.type !== 'tree') left.add(oid);
    else yield { ...NOWHERE, path: `object ${oid}`, pieces: piecesOfTree(objects, oid, left, seen) };
  }
  for (const oid of left) {
    const content = readIfWhole(objects, oid)?.content;
    if (content && content.length > 0) yield { ...NOWHERE, path: `object ${oid}`, pieces: [content] };
  }
}

/** Yields the parts of a chunked content, which are then no contents of their own; else the names in a folder. */
function* piecesOfTree(objects: ObjectStore, oid: string, left: Set<string>, seen: Set<string>): Generator<Buffer> {
  const entries = readTree(objects, oid);
  if (!isChunked(entries)) {
    yield Buffer.from(entries.map(({ name }) => `${name}\n`).join(''));
    return;
  }
  for (const { oid: part } of entries) {
    seen.add(part);
    left.delete(part);
    yield readIfWhole(objects, part)?.content ?? Buffer.alloc(0);
  }
}

/** A file that is a second name of an object. */
const SECOND_NAME = /^cache\/objects\/[0-9]{1,9}\/([0-9a-f]{40})$/;

/** Yields files that are the user's or unknown, and the parts of names that neither ctx nor Git has chosen. */
function* unknownFiles({ layout, secondNames }: Repository): Generator<Content> {
  for (const { name, isFile } of everyEntry(layout)) {
    const own = strangePart(name);
    if (own !== '') yield { ...NOWHERE, path: `the name ${name}`, pieces: [Buffer.from(own)] };
    const path = below(layout.root, name);
    const isTold = SEARCHED_FOLDERS.some((folder) => name.startsWith(`${folder}/`));
    // The second name of an object that is searched already.
    const second = SECOND_NAME.exec(name)?.[1];
    if (second !== undefined && secondNames.isThere(second)) continue;
    if (!isFile || isTold || !['user', 'ref', 'nobody'].includes(ownerOf(name)) || !exists(path)) continue;
    const inflated = inflatedAt(path);
    const content = inflated ? withoutHeader(inflated.content) : null;
    if (content && content.length > 0) yield { ...NOWHERE, path: name, pieces: [content], isText: true };
    // The bytes after a stream, or a file that is none, may be anything.
    yield { ...NOWHERE, path: name, pieces: readPlainPieces(path, CHUNK_SIZE, inflated?.used ?? 0), isText: true };
  }
}

/** Inflates the beginning of a file; returns null if it is not deflated. */
function inflatedAt(path: string): Inflated | null {
  for (const beginning of readPlainPieces(path, STRETCH)) return inflatedOf(beginning);
  return null;
}

/** The header of a loose object, which may have been moved aside. */
const HEADER = /^(?:blob|tree|commit|tag) [0-9]{1,15}\0/;

const withoutHeader = (content: Buffer): Buffer =>
  content.subarray(HEADER.exec(content.toString('latin1', 0, 32))?.[0].length ?? 0);
