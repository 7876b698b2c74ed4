/** Verifies a bundle in quarantine: that it is whole, that each piece has its hash, and that ctx's own checks find nothing. */
import { trailersOf } from '../../core/commit.ts';
import type { BundledSession, Manifest, Piece } from '../../core/exchange/manifest.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import type { Finding } from '../../health/finding.ts';
import { cachingStore } from '../../health/verify/caching-store.ts';
import { verifyChain } from '../../health/verify/chain.ts';
import { type MainLine, verifyHistory } from '../../health/verify/history.ts';
import { verifySaved } from '../../health/verify/saved.ts';
import { readChain, readCommit, type Step } from '../../history/chain/chain.ts';
import { archiveRef, isSessionId, sessionRef } from '../../history/names/layout.ts';
import { PieceWalk } from './pieces.ts';
import type { Received } from './receive.ts';
import { refused, refusing } from './refusal.ts';
import type { SecretSearch } from './secrets.ts';

/**
 * Verifies everything in a bundle, in one walk: a step is hashed, searched and checked while its objects are cached.
 * @param search is given each content once
 * @returns its objects, without those of the manifest, by their ids
 * @throws {CtxError} invalid_bundle, newer_version
 */
export function verifyBundle(
  { manifest, pack, objects, own }: Received,
  search: SecretSearch,
): ReadonlyMap<string, string> {
  const { sessions, main } = manifest;
  const walk = new PieceWalk(objects, search.onBlob);
  refusing(() => {
    for (const session of sessions) checkClaim(objects, session);
    checkPiece(manifest, walk.history([main, ...sessions.map(({ base }) => base)]));
    checkSound(cachingStore(objects), manifest, walk, search);
  });
  if (walk.met.size + own !== pack.count) throw refused('it holds objects that no session needs');
  return walk.met;
}

function checkPiece({ pieces }: Manifest, piece: Piece): void {
  const listed = pieces.find(({ name }) => name === piece.name);
  if (listed?.sha256 !== piece.sha256 || listed.objects !== piece.objects || listed.bytes !== piece.bytes)
    throw refused(`${piece.name} is not what the manifest says of it`);
}

/** Checks that a session is what the manifest says of it. */
function checkClaim(objects: ObjectStore, { session_id: id, ref, head, base, steps }: BundledSession): void {
  if (!isSessionId(id) || (ref !== sessionRef(id) && ref !== archiveRef(id)))
    throw refused(`${JSON.stringify(ref).slice(0, 200)} is the ref of no session`);
  const { session } = readChain(objects, head, ref);
  if (session.base !== base || session.step !== steps) throw refused(`${ref} is not what the manifest says of it`);
}

/** Runs ctx's own checks, and walks the pieces of the sessions along with them. */
function checkSound(objects: ObjectStore, manifest: Manifest, walk: PieceWalk, { onRecords }: SecretSearch): void {
  const { sessions, main } = manifest;
  const seen = new Set<string>();
  const line: MainLine = { commits: new Set(), whole: false, saved: new Map() };
  check(verifyHistory(objects, main, seen, line));
  const walked = new Set<string>();
  for (const { session_id: session, ref, head, base, commit } of sessions) {
    if (!line.commits.has(base)) {
      // The base of a session that came from elsewhere is in the history of that place.
      const other: MainLine = { commits: new Set(), whole: false, saved: new Map() };
      check(verifyHistory(objects, base, seen, other));
      for (const oid of other.commits) line.commits.add(oid);
    }
    const chain = walk.begin(ref);
    const onStep = ({ oid, commit, records }: Step): void => {
      chain.step(oid, commit);
      onRecords(oid, records);
    };
    check(verifyChain(objects, ref, head, seen, walked, onStep));
    checkPiece(manifest, chain.end());
    if (commit === null) continue;
    const work = savedWork(objects, commit, session);
    if (ref !== archiveRef(session) || work === undefined || !line.commits.has(commit))
      throw refused(`${commit} is not the commit of ${session}`);
    check(verifySaved(objects, { session, oid: commit, work, head }));
  }
}

/** Returns the step that a canonical commit names; undefined if it is that of another session. */
function savedWork(objects: ObjectStore, commit: string, session: string): string | undefined {
  const trailers = trailersOf(readCommit(objects, commit).message);
  return trailers.get('Ctx-Session') === session ? trailers.get('Ctx-Work') : undefined;
}

function check(findings: Iterable<Finding>): void {
  for (const { severity, where, message } of findings) if (severity === 'damage') throw refused(`${where}: ${message}`);
}
