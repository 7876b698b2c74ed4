/** Verifies a bundle in quarantine: that it is whole, that each piece has its hash, and that ctx's own checks find nothing. */
import { trailersOf } from '../../core/commit.ts';
import type { BundledSession } from '../../core/exchange/manifest.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import type { Finding } from '../../health/finding.ts';
import { cachingStore } from '../../health/verify/caching-store.ts';
import { verifyChain } from '../../health/verify/chain.ts';
import { type MainLine, verifyHistory } from '../../health/verify/history.ts';
import { verifySaved } from '../../health/verify/saved.ts';
import { readChain, readCommit } from '../../history/chain/chain.ts';
import { archiveRef, isSessionId, sessionRef } from '../../history/names/layout.ts';
import { type OnBlob, PieceWalk } from './pieces.ts';
import type { Received } from './receive.ts';
import { refused, refusing } from './refusal.ts';

/** Verifies everything in a bundle. @param onBlob is given each content once @throws {CtxError} invalid_bundle, newer_version */
export function verifyBundle({ manifest, pack, objects, own }: Received, onBlob: OnBlob): void {
  const { sessions, main } = manifest;
  const walk = new PieceWalk(objects, onBlob);
  refusing(() => {
    for (const session of sessions) checkClaim(objects, session);
    walk.history([main, ...sessions.map(({ base }) => base)]);
    for (const { ref, head } of sessions) walk.chain(ref, head);
  });
  for (const piece of walk.pieces) {
    const named = manifest.pieces.find(({ name }) => name === piece.name);
    if (named?.sha256 !== piece.sha256 || named.objects !== piece.objects || named.bytes !== piece.bytes)
      throw refused(`${piece.name} is not what the manifest says of it`);
  }
  if (walk.met.size + own !== pack.count) throw refused('it holds objects that no session needs');
  refusing(() => checkSound(cachingStore(objects), sessions, main));
}

/** Checks that a session is what the manifest says of it. */
function checkClaim(objects: ObjectStore, { session_id: id, ref, head, base, steps }: BundledSession): void {
  if (!isSessionId(id) || (ref !== sessionRef(id) && ref !== archiveRef(id)))
    throw refused(`${JSON.stringify(ref).slice(0, 200)} is the ref of no session`);
  const { session } = readChain(objects, head, ref);
  if (session.base !== base || session.step !== steps) throw refused(`${ref} is not what the manifest says of it`);
}

/** Runs ctx's own checks. */
function checkSound(objects: ObjectStore, sessions: readonly BundledSession[], main: string): void {
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
    check(verifyChain(objects, ref, head, seen, walked));
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
