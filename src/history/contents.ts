/** Yields every content of a store that came from outside, for searches. */

import { trailersOf } from '../core/commit.ts';
import { CtxError } from '../core/errors.ts';
import { EMPTY_TREE, isTree, type TreeEntry } from '../core/tree.ts';
import { entriesOf } from '../git/guard.ts';
import { type Layout, LOOSE_LIMIT, MAIN } from '../git/layout.ts';
import { decodeLoose } from '../git/objects/loose.ts';
import { CHUNK_SIZE, isChunked } from '../git/objects/payload.ts';
import { readTree } from '../git/objects/tree-editor.ts';
import { below } from '../platform/below.ts';
import { readIfThere } from '../platform/files.ts';
import { readPlainPieces } from '../platform/pieces.ts';
import { readCommit } from './chain/chain.ts';
import { ARCHIVE, isSessionId, SESSIONS } from './names/layout.ts';
import type { Repository } from './store/repository.ts';

/** A content and its place. */
export interface Content {
  /** The commit with the content, its session and its step; null if it is in none. */
  commit: string | null;
  session: string | null;
  step: number | null;
  /** Path in the commit's tree, `message`, a path in the store's folder, or an unreachable object. */
  path: string;
  pieces: Iterable<Buffer>;
  /** True if it is searched in any case; if absent, a content with NULs is not text and is skipped. */
  isText?: true;
}

type Place = Pick<Content, 'commit' | 'session' | 'step'>;
const NOWHERE: Place = { commit: null, session: null, step: null };

/** Folders whose files are all part of `allContents`. */
export const SEARCHED_FOLDERS = ['pending', 'oplog', 'logs'];

/**
 * Yields the contents of all refs, pending records, operations and reflogs; an object counts for the first commit that has
 * it.
 * @param seen known objects; those that the refs reach are added
 */
export function* allContents(repository: Repository, seen = new Set<string>()): Generator<Content> {
  const { refs } = repository;
  const open = [MAIN, SESSIONS, ARCHIVE].flatMap((ref) =>
    ref.endsWith('/') ? [...refs.list(ref).values()] : (refs.read(ref) ?? []),
  );
  for (let oid = open.pop(); oid !== undefined; oid = open.pop()) {
    if (seen.has(oid)) continue;
    seen.add(oid);
    open.push(...readCommit(repository.objects, oid).parents);
    yield* commitContents(repository, oid, seen);
  }
  yield* waitingContents(repository);
  const { root } = repository.layout;
  for (const folder of ['oplog', 'logs']) yield* plainContents(root, folder);
}

/** Yields the contents of one commit: its message, and every file of its tree. @param seen known objects */
export function* commitContents(
  { objects }: Pick<Repository, 'objects'>,
  oid: string,
  seen = new Set<string>(),
): Generator<Content> {
  const commit = readCommit(objects, oid);
  const trailers = trailersOf(commit.message);
  const step = trailers.get('Ctx-Step');
  const place = { commit: oid, session: trailers.get('Ctx-Session') ?? null, step: step ? Number(step) : null };
  yield { ...place, path: 'message', pieces: [objects.readAs(oid, 'commit')] };

  function* below(tree: string, prefix: string): Generator<Content> {
    if (tree === EMPTY_TREE || seen.has(tree)) return;
    seen.add(tree);
    const entries = readTree(objects, tree);
    if (prefix.startsWith('files/')) yield { ...place, path: `names in ${prefix}`, pieces: [namesOf(entries)] };
    for (const entry of entries) {
      const path = prefix + entry.name;
      if (seen.has(entry.oid)) continue;
      const chunks = isTree(entry) ? readTree(objects, entry.oid) : [];
      if (isTree(entry) && !isChunked(chunks)) yield* below(entry.oid, `${path}/`);
      else {
        for (const { oid } of [entry, ...chunks]) seen.add(oid);
        yield { ...place, path, pieces: isTree(entry) ? chunksOf(chunks) : [objects.readAs(entry.oid, 'blob')] };
      }
    }
  }
  function* chunksOf(chunks: readonly TreeEntry[]): Generator<Buffer> {
    for (const { oid } of chunks) yield objects.readAs(oid, 'blob');
  }
  yield* below(commit.tree, '');
}

/** Names are text from outside as well, one a line. */
const namesOf = (entries: readonly TreeEntry[]): Buffer =>
  Buffer.from(entries.map((entry) => `${entry.name}\n`).join(''));

/** Yields pending records with the contents beside them, and any other file there, even a stranger's. */
function* waitingContents({ layout }: Repository): Generator<Content> {
  for (const content of plainContents(layout.root, 'pending')) {
    const [, folder = '', oid] = /^pending\/([^/]+)\/(?:objects\/([0-9a-f]{40})$)?/.exec(content.path) ?? [];
    const pieces = oid === undefined ? content.pieces : waitingObject(layout, content, oid);
    yield { ...content, session: isSessionId(folder) ? folder : null, pieces };
  }
}

/** Returns a pending object; its raw bytes if it is no object. */
function waitingObject({ root }: Layout, { path, pieces }: Content, oid: string): Iterable<Buffer> {
  const file = readIfThere(below(root, path), LOOSE_LIMIT);
  try {
    return file ? [decodeLoose(file, oid).content] : [];
  } catch (error) {
    if (!(error instanceof CtxError) || error.code !== 'damaged') throw error;
    return pieces;
  }
}

/** Yields the files of a folder of the store that are plain text. */
function* plainContents(root: string, folder: string): Generator<Content> {
  for (const entry of entriesOf(below(root, folder))) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* plainContents(root, path);
    else if (entry.isFile()) yield { ...NOWHERE, path, pieces: readPlainPieces(below(root, path), CHUNK_SIZE) };
  }
}
