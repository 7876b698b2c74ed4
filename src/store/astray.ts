/** What a store holds beside what its refs lead to: objects that nothing names, files that are no part of it, names of files. */
import { below } from '../platform/below.ts';
import { exists } from '../platform/files.ts';
import { readPieces } from '../platform/pieces.ts';
import { allContents, type Content, TOLD } from './contents.ts';
import { allOids, everyEntry } from './forget/survey.ts';
import { inflatedOf } from './forget/tells.ts';
import { strangePart, whose } from './forget/whose.ts';
import { readIfWhole } from './kind-of.ts';
import { CHUNK_SIZE, isChunked } from './payload.ts';
import type { Repository } from './repository.ts';
import { readTree } from './tree-editor.ts';

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
  for (const oid of allOids(layout)) {
    if (seen.has(oid)) continue;
    seen.add(oid);
    const object = readIfWhole(objects, oid);
    if (object === null || object.content.length === 0) continue;
    const path = `object ${oid}`;
    if (object.type !== 'tree') {
      yield { ...NOWHERE, path, pieces: [object.content] };
      continue;
    }
    const entries = readTree(objects, oid);
    const parts = isChunked(entries)
      ? entries.map((entry) => readIfWhole(objects, entry.oid)?.content ?? Buffer.alloc(0))
      : [Buffer.from(entries.map(({ name }) => `${name}\n`).join(''))];
    yield { ...NOWHERE, path, pieces: parts };
  }
}

/** Files that are the user's or nobody's, and what neither ctx nor Git has given of all names. */
function* filesAstray({ layout }: Repository): Generator<Content> {
  const names: string[] = [];
  for (const { name, isFolder } of everyEntry(layout)) {
    const own = strangePart(name);
    if (own !== '') names.push(`${own}\n`);
    const path = below(layout.root, name);
    const isTold = TOLD.some((folder) => name.startsWith(`${folder}/`));
    if (isFolder || isTold || !['user', 'ref', 'nobody'].includes(whose(name)) || !exists(path)) continue;
    yield { ...NOWHERE, path: name, pieces: piecesOf(path) };
  }
  if (names.length > 0) yield { ...NOWHERE, path: 'names of files', pieces: [Buffer.from(names.join(''))] };
}

/** What stands before the content of an object, which may have been set aside. */
const HEADER = /^(?:blob|tree|commit|tag) [0-9]{1,15}\0/;

/** A file, inflated where it is deflated. */
function* piecesOf(path: string): Generator<Buffer> {
  let isFirst = true;
  for (const piece of readPieces(path, CHUNK_SIZE)) {
    const inflated = isFirst ? (inflatedOf(piece)?.content ?? null) : null;
    if (inflated !== null && inflated.length > 0) {
      yield inflated.subarray(HEADER.exec(inflated.toString('latin1', 0, 32))?.[0].length ?? 0);
      return;
    }
    isFirst = false;
    yield piece;
  }
}
