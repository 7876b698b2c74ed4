/** Decides what becomes of a session of a bundle: it is new, the same, forwarded, or kept beside. */
import type { CtxError } from '../../core/errors.ts';
import type { BundledSession } from '../../core/exchange/manifest.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { readChain, readCommit, readRecords, walkChain } from '../../history/chain/chain.ts';
import { archiveRef, sessionRef } from '../../history/names/layout.ts';
import { readForgotten } from '../../history/store/forgotten.ts';
import type { Repository } from '../../history/store/repository.ts';
import { forgottenSource } from '../redaction/forgotten-filter.ts';
import { refused } from './refusal.ts';

export type Outcome = 'new' | 'same' | 'forwarded' | 'beside';

/** Outcome for a session, with its reason and the chain that the session has here. */
export interface Place {
  outcome: Outcome;
  /** Why it is kept beside; null otherwise. */
  reason: 'both' | 'secrets' | null;
  /** The ref of the session here, and its value; null if it is not here. */
  here: { ref: string; head: string } | null;
  /** The last step that both chains have; null if the session is not here. */
  common: string | null;
}

/** A session of the bundle, and whether it may come in as it is. */
export interface Candidate {
  session: BundledSession;
  isClean: boolean;
}

/** A session that was taken in, or would be. */
export interface ImportedSession {
  /** The id that it has here. */
  session_id: string;
  /** The id that it has in the bundle. */
  bundled_id: string;
  outcome: Outcome;
  title: string;
  open: boolean;
  /** Why it is kept beside; null otherwise. */
  reason: 'both' | 'secrets' | null;
}

/** Checks if a session has ended, by its ref. */
export const hasEnded = ({ ref, session_id }: Pick<BundledSession, 'ref' | 'session_id'>): boolean =>
  ref === archiveRef(session_id);

/**
 * Decides it.
 * @param read returns the value of a ref @param theirs the objects of the bundle @param isClean whether no secret was found in it
 * @throws {CtxError} invalid_bundle, if the id is that of another session, or the session was forgotten here
 */
export function placeOf(
  repository: Repository,
  read: (ref: string) => string | null,
  theirs: ObjectStore,
  session: BundledSession,
  isClean: boolean,
): Place {
  const id = session.session_id;
  checkNotForgotten(repository, theirs, session);
  const ref = [sessionRef(id), archiveRef(id)].find((one) => read(one) !== null);
  const head = ref === undefined ? null : read(ref);
  const beside = { outcome: 'beside', reason: 'secrets', here: null, common: null } as const;
  if (ref === undefined || head === null)
    return isClean ? { outcome: 'new', reason: null, here: null, common: null } : beside;
  const here = { ref, head };
  if (readChain(repository.objects, head, ref).session.forgotten_at !== undefined) throw forgotten(id);
  const own = [...walkChain(repository.objects, head)].map(([oid]) => oid);
  const known = new Set(own);
  const other = [...walkChain(theirs, session.head)].map(([oid]) => oid);
  const common = other.find((oid) => known.has(oid));
  if (common === undefined) {
    // A bundle of what was cleaned here has steps of its own from the first one on.
    throw refused(`${id} is the id of another session here, or something was forgotten in it since`);
  }
  const added = other.indexOf(common);
  const isUntouched = own.slice(0, own.indexOf(common)).every((oid) => isOfImport(repository.objects, oid));
  const place = { here, common };
  const endsIt = hasEnded(session) && ref === sessionRef(id);
  if (added === 0 && !(endsIt && isUntouched)) return { outcome: 'same', reason: null, ...place };
  if (!isClean) return { outcome: 'beside', reason: 'secrets', ...place };
  const reopensIt = !hasEnded(session) && ref === archiveRef(id);
  if (isUntouched && !reopensIt) return { outcome: 'forwarded', reason: null, ...place };
  return { outcome: 'beside', reason: 'both', ...place };
}

/** Returns whether a step holds nothing but what an import has said of its session. */
function isOfImport(objects: ObjectStore, oid: string): boolean {
  const records = readRecords(objects, readCommit(objects, oid).tree, `step ${oid}`, false);
  return records.length > 0 && records.every((record) => record.by === 'import');
}

function checkNotForgotten(
  repository: Repository,
  theirs: ObjectStore,
  { session_id: id, head }: BundledSession,
): void {
  if (readForgotten(repository).sources.some((source) => source.session_id === id)) throw forgotten(id);
  for (const { agent, agent_session_id } of readChain(theirs, head).session.sources)
    if (forgottenSource(repository, agent, agent_session_id) !== null) throw forgotten(id);
}

const forgotten = (id: string): CtxError => refused(`the session ${id} was forgotten here`);
