/** What a store holds beside what its refs lead to: objects that nothing names, files that are no part of it, names of files. */

import { everyEntry } from '../git/entries.ts';
import { readIfWhole } from '../git/objects/object-lookup.ts';
import type { ObjectStore } from '../git/objects/objects.ts';
import { CHUNK_SIZE, isChunked } from '../git/objects/payload.ts';
import { readTree } from '../git/objects/tree-editor.ts';
import { allContents, type Content, TOLD } from '../history/contents.ts';
import { allOids } from '../history/forget/survey.ts';
import { inflatedOf, STRETCH } from '../history/forget/tells.ts';
import { strangePart, whose } from '../history/forget/whose.ts';
import type { Repository } from '../history/store/repository.ts';
import { below } from '../platform/below.ts';
import type { Inflated } from '../platform/compression.ts';
import { exists } from '../platform/files.ts';
import { readPlainPieces } from '../platform/pieces.ts';

const NOWHERE = { commit: null, session: null, step: null };

/** Everything that a store holds, content by content: what its refs lead to, and all else. @throws {CtxError} damaged, io */
export function* everyContent(repository: Repository): Generator<Content> {
  const seen = new Set<string>();
  yield* allContents(repository, seen);
  yield* objectsAstray(repository, seen);
  yield* filesAstray(repository);
}

/** Objects that are not known yet; one that cannot be read is passed over, for nobody needs it. @param seen those that are */
function* objectsAstray({ objects, layout }: Repository, seen: Set<string>): Generator<Content> {
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

/** A content in parts, which then are none by themselves; else the names in a folder. */
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

/** Files that are the user's or nobody's, and what neither ctx nor Git has given of all names. */
function* filesAstray({ layout, secondNames }: Repository): Generator<Content> {
  for (const { name, isFile } of everyEntry(layout)) {
    const own = strangePart(name);
    if (own !== '') yield { ...NOWHERE, path: `the name ${name}`, pieces: [Buffer.from(own)] };
    const path = below(layout.root, name);
    const isTold = TOLD.some((folder) => name.startsWith(`${folder}/`));
    // The second name of an object that is looked through already.
    const second = SECOND_NAME.exec(name)?.[1];
    if (second !== undefined && secondNames.isThere(second)) continue;
    if (!isFile || isTold || !['user', 'ref', 'nobody'].includes(whose(name)) || !exists(path)) continue;
    const inflated = inflatedAt(path);
    const content = inflated ? withoutHeader(inflated.content) : null;
    if (content && content.length > 0) yield { ...NOWHERE, path: name, pieces: [content], isText: true };
    // What stands behind a stream, or is none, may be anything.
    yield { ...NOWHERE, path: name, pieces: readPlainPieces(path, CHUNK_SIZE, inflated?.used ?? 0), isText: true };
  }
}

/** What a file is inflated to; null where it is not deflated. */
function inflatedAt(path: string): Inflated | null {
  for (const beginning of readPlainPieces(path, STRETCH)) return inflatedOf(beginning);
  return null;
}

/** What stands before the content of an object, which may have been set aside. */
const HEADER = /^(?:blob|tree|commit|tag) [0-9]{1,15}\0/;

const withoutHeader = (content: Buffer): Buffer =>
  content.subarray(HEADER.exec(content.toString('latin1', 0, 32))?.[0].length ?? 0);
