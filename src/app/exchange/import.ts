/** `ctx import`: takes in the sessions of a bundle. */
import type { BundledSession } from '../../core/exchange/manifest.ts';
import { titleOf } from '../../core/listing/title.ts';
import type { FoundMapping, KeptOrigin, Mapping } from '../../core/origin.ts';
import { copyEntries } from '../../git/objects/copied-pack.ts';
import { releasePacks } from '../../git/objects/keep-file.ts';
import { readChain } from '../../history/chain/chain.ts';
import type { Repository } from '../../history/store/repository.ts';
import { transact } from '../../history/transaction.ts';
import { leavingGarbage, withSmallHeap } from '../../platform/memory.ts';
import { redactionFor } from '../redaction/redact.ts';
import { closureOf, reaches } from './copy.ts';
import { mappingsFor, ownOrigin } from './identity.ts';
import { type Candidate, hasEnded, type ImportedSession, type Place, placeOf } from './place.ts';
import { type Received, receive } from './receive.ts';
import { searchSecrets } from './secrets.ts';
import { takeIn } from './take-in.ts';
import { verifyBundle } from './verify.ts';

export interface ImportOptions {
  /** True if the bundle is only checked. */
  dryRun?: boolean | undefined;
  /** Folders of the other machine, and what they are here. */
  map?: readonly Mapping[] | undefined;
}

export interface ImportResult {
  sessions: ImportedSession[];
  /** Folders of the other machine, what they are here, and who says so. */
  mapped: FoundMapping[];
  dry_run: boolean;
}

/**
 * Takes in the sessions of a bundle: verifies everything apart from the store, then moves the pointers in one operation.
 * @param pieces the bytes of the bundle
 * @throws {CtxError} invalid_bundle, newer_version, invalid_input, busy, damaged, io
 */
export const importBundle = (
  repository: Repository,
  pieces: Iterable<Buffer>,
  options: ImportOptions = {},
): ImportResult => withSmallHeap(() => leavingGarbage(() => imported(repository, pieces, options)));

function imported(
  repository: Repository,
  pieces: Iterable<Buffer>,
  { dryRun = false, map = [] }: ImportOptions,
): ImportResult {
  const received = receive(repository, pieces);
  try {
    const { origin } = received.manifest;
    const mapped = mappingsFor(repository, ownOrigin(repository), origin, map);
    const { candidates, objects } = candidatesIn(repository, received);
    const read = (ref: string): string | null => repository.refs.read(ref);
    const places = candidates.map((one) => placed(repository, read, received, one));
    if (dryRun) {
      const sessions = candidates.map(({ session }, index) => described(received, session, places[index] as Place));
      return { sessions, mapped, dry_run: true };
    }
    // Secrets are redacted from everything that is written here, including the origin.
    const kept = redactionFor(repository).value({
      ...origin,
      mapped: mapped.map(({ from, to }) => ({ from, to })),
    }) as KeptOrigin;
    const { oids, kept: packs } = copied(repository, received, objects, candidates, places);
    try {
      const sessions = transact(
        repository,
        { command: 'import', message: 'import', logged: true, pauses: true },
        (transaction) => {
          const now = candidates.map((one) => placed(repository, transaction.read, received, one));
          return takeIn({ repository, transaction, received, copied: oids, origin: kept }, candidates, now);
        },
      );
      return { sessions, mapped, dry_run: false };
    } finally {
      releasePacks(packs);
    }
  } finally {
    received.pack.close();
  }
}

const placed = (
  repository: Repository,
  read: (ref: string) => string | null,
  { objects }: Received,
  { session, isClean }: Candidate,
): Place => placeOf(repository, read, objects, session, isClean);

/** Verifies a bundle, and looks for secrets in each of its sessions; returns the ids of their objects, too. */
function candidatesIn(repository: Repository, received: Received): { candidates: Candidate[]; objects: Oids } {
  const { manifest, pack } = received;
  const search = searchSecrets(repository);
  const objects = verifyBundle(received, search);
  const known = new Map<string, boolean>();
  const candidates = manifest.sessions.map((session) => {
    const roots = [session.head, ...(session.commit === null ? [] : [session.commit])];
    const isClean = search.found.size === 0 || !roots.some((oid) => reaches(pack, oid, search.found, known));
    return { session, isClean };
  });
  return { candidates, objects };
}

/** The ids of some objects. */
type Oids = Pick<ReadonlySet<string>, 'has'>;

/** Copies the objects of the sessions that come in as they are, before anything is locked. @param all objects of all sessions */
function copied(
  repository: Repository,
  { pack }: Received,
  all: Oids,
  candidates: readonly Candidate[],
  places: readonly Place[],
): { oids: Oids; kept: readonly string[] } {
  const wanted = candidates.filter((_, index) => ['new', 'forwarded'].includes(places[index]?.outcome ?? ''));
  const roots = wanted.flatMap(({ session: { head, commit } }) => (commit === null ? [head] : [head, commit]));
  const oids = wanted.length === candidates.length ? all : closureOf(pack, roots);
  return { oids, kept: copyEntries(repository, pack, (oid) => oids.has(oid)) };
}

/** Describes what would become of a session. */
function described({ objects }: Received, session: BundledSession, { id, outcome, reason }: Place): ImportedSession {
  return {
    session_id: id,
    bundled_id: session.session_id,
    outcome,
    title: titleOf(readChain(objects, session.head).session),
    open: !hasEnded(session),
    reason,
  };
}
