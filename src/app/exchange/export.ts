/** `ctx export`: writes sessions into one file, a Git bundle. */
import { basename, dirname, join, resolve } from 'node:path';
import { encodeCommit } from '../../core/commit.ts';
import { addCounts, type Counts, noCounts } from '../../core/counts.ts';
import { CtxError } from '../../core/errors.ts';
import { encodeHeader } from '../../core/exchange/bundle-header.ts';
import type { ExportedSession } from '../../core/exchange/exported.ts';
import { BUNDLE_VERSION, type BundledSession, type Manifest, type Piece } from '../../core/exchange/manifest.ts';
import { newDigest } from '../../core/records/digest.ts';
import { encodeTree, type TreeEntry } from '../../core/tree.ts';
import { exportedPack } from '../../git/objects/exported-pack.ts';
import { frame, type GitObject, type ObjectType, sha1 } from '../../git/objects/loose.ts';
import { objectsInFastPacks } from '../../health/gc/repack.ts';
import { digestStep } from '../../history/chain/canonical.ts';
import { readChain } from '../../history/chain/chain.ts';
import { sessionRef } from '../../history/names/layout.ts';
import { shortIdsOf } from '../../history/pointers/candidates.ts';
import type { Repository } from '../../history/store/repository.ts';
import { exists, writeDurably } from '../../platform/files.ts';
import { sha256 } from '../../platform/hash.ts';
import { leavingGarbage, withSmallHeap } from '../../platform/memory.ts';
import { MANIFEST, refsOf, SESSIONS_FOLDER } from './bundle.ts';
import { bundled, chosenSessions, flushChosen } from './chosen.ts';
import { describeExported } from './exported.ts';
import { originOf } from './identity.ts';
import { PieceWalk } from './pieces.ts';

/** Sessions that are exported, and the file they are written to. */
export interface ExportOptions {
  /** Pieces of ids, or words of titles; the active session if there are none. */
  sessions?: readonly string[] | undefined;
  /** True if every session of the store is exported. */
  all?: boolean | undefined;
  /** Folder at which paths begin (default: the working directory). */
  directory?: string | undefined;
  /** The file, or what takes the bytes; a new file in the directory if absent. */
  to?: string | ((pieces: Iterable<Buffer>) => void) | undefined;
}

export interface ExportResult {
  /** The path of the file; `-` for a stream. */
  file: string;
  bytes: number;
  sessions: ExportedSession[];
  /** The first of them. */
  session: ExportedSession;
}

/**
 * Writes sessions, with the canonical history that they are based on, into a Git bundle. What is waiting for them is flushed first.
 * @throws {CtxError} no_active_session, not_found, ambiguous, invalid_input, busy, damaged, io
 */
export const exportBundle = (repository: Repository, options: ExportOptions = {}): ExportResult =>
  withSmallHeap(() => leavingGarbage(() => exported(repository, options)));

function exported(repository: Repository, options: ExportOptions): ExportResult {
  const ids = chosenSessions(repository, options.sessions ?? [], options.all === true);
  const target = targetOf(repository, ids, options);
  flushChosen(repository, ids);
  const { sessions, main } = bundled(repository, ids);
  const walk = new PieceWalk(repository.objects);
  walk.history([main, ...sessions.map(({ base }) => base)]);
  const described = sessions.map(({ ref, head, session_id }) => {
    const digest = newDigest();
    // The objects of the step were just read, and are cached.
    walk.chain(ref, head, (oid, commit) => digestStep(repository.objects, digest, oid, commit));
    return describeExported(repository, head, ref === sessionRef(session_id), digest);
  });
  const made = exportCommit(repository, { sessions, main, described, pieces: walk.pieces });
  const head = encodeHeader(refsOf(sessions, main, made.oid));
  const pack = exportedPack(repository, {
    objects: walk.met,
    added: made.objects,
    search: searchFor(repository, walk),
  });
  let bytes = 0;
  const pieces = function* (): Generator<Buffer> {
    for (const piece of inOrder(head, pack)) {
      bytes += piece.length;
      yield piece;
    }
  };
  if (typeof target === 'string') writeFile(repository, target, pieces());
  else target(pieces());
  const [session] = described as [ExportedSession];
  return { file: typeof target === 'string' ? target : '-', bytes, sessions: described, session };
}

function* inOrder(head: Buffer, pack: Iterable<Buffer>): Generator<Buffer> {
  yield head;
  yield* pack;
}

function writeFile(repository: Repository, path: string, pieces: Generator<Buffer>): void {
  const temporary = join(dirname(path), `.${basename(path)}.${repository.ids()}.tmp`);
  writeDurably(path, temporary, pieces, repository.durability);
}

/** Returns the file of an export, or what takes its bytes. @throws {CtxError} invalid_input, if a file would be replaced that was not named */
function targetOf(repository: Repository, ids: readonly string[], { to, directory, all }: ExportOptions) {
  if (typeof to === 'function') return to;
  const from = directory ?? process.cwd();
  if (to !== undefined) return resolve(from, to);
  const short = shortIdsOf(repository).get(ids[0] as string) ?? ids[0];
  const path = resolve(from, `ctx-${all ? 'all' : ids.length === 1 ? short : `${short}-and-${ids.length - 1}`}.bundle`);
  if (!exists(path)) return path;
  throw new CtxError('invalid_input', `${path} exists already.`, { hint: 'Name the file with: ctx export -o <file>' });
}

/**
 * Up to so many bytes, Git compares an object with so many others. It takes as much longer, and finds less and less: of 63 MB, with 50
 * it takes three times as long as with 10, and the pack is a fortieth smaller (measured).
 */
const WINDOWS: readonly (readonly [bytes: number, window: number])[] = [
  [16 * 1024 * 1024, 250],
  [32 * 1024 * 1024, 20],
];
/** The same for more bytes. */
const WINDOW = 5;

/** Returns the options of Git's search for similar objects. */
function searchFor({ layout }: Repository, { pieces, met }: PieceWalk): string[] {
  const total = pieces.reduce((sum, { bytes }) => sum + bytes, 0);
  const window = WINDOWS.find(([most]) => total <= most)?.[1] ?? WINDOW;
  const search = [`--window=${window}`, '--window-memory=64m', '--threads=2'];
  // Git does not compare objects again that are in one pack already: ctx writes the packs of an ingest without deltas.
  for (const oid of objectsInFastPacks(layout)) if (met.has(oid)) return [...search, '--no-reuse-object'];
  return search;
}

interface Contents {
  sessions: readonly BundledSession[];
  main: string;
  described: readonly ExportedSession[];
  pieces: readonly Piece[];
}

/** Makes the commit that names the manifest, with the objects below it; none of them is in the store. */
function exportCommit(
  repository: Repository,
  { sessions, main, described, pieces }: Contents,
): { oid: string; objects: GitObject[] } {
  const objects: GitObject[] = [];
  const add = (type: ObjectType, content: Buffer): string => {
    objects.push({ type, content });
    return sha1(frame(type, content));
  };
  const own: Piece[] = [];
  const file = (folder: string, name: string, value: object): TreeEntry => {
    const content = Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
    own.push({ name: folder + name, objects: 1, bytes: content.length, sha256: sha256(content) });
    return { mode: '100644', name, oid: add('blob', content) };
  };
  const entries = described.map((one) => file(`${SESSIONS_FOLDER}/`, `${one.session_id}.json`, one));
  const manifest: Manifest = {
    version: BUNDLE_VERSION,
    exported_at: repository.clock(),
    main,
    sessions: [...sessions],
    origin: originOf(repository),
    redacted: redactedIn(repository, sessions),
    pieces: [...pieces, ...own],
  };
  const folder: TreeEntry = { mode: '40000', name: SESSIONS_FOLDER, oid: add('tree', encodeTree(entries)) };
  const tree = add('tree', encodeTree([file('', MANIFEST, manifest), folder]));
  const message = `Export of ${sessions.length === 1 ? described[0]?.title : `${sessions.length} sessions`}\n`;
  const commit = encodeCommit({ tree, parents: [], author: 'ctx', at: repository.clock(), message });
  return { oid: add('commit', commit), objects };
}

/** Returns how many secrets were taken out of sessions when they were recorded, by rule. */
function redactedIn({ objects }: Repository, sessions: readonly BundledSession[]): Counts {
  let counts = noCounts();
  for (const { head } of sessions) counts = addCounts(counts, readChain(objects, head).session.redacted);
  return { ...counts };
}
