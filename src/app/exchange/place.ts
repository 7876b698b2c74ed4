/** Decides what becomes of a session of a bundle: it is new, the same, forwarded, or kept beside. */
import type { CtxError } from '../../core/errors.ts';
import { derivedUuid, isUuid } from '../../core/exchange/ids.ts';
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
  /** The id that the session has here. */
  id: string;
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
  const beside = (reason: 'both' | 'secrets', of: Pick<Place, 'here' | 'common'>): Place =>
    copyHere(repository, read, session) ?? { id: copyId(session), outcome: 'beside', reason, ...of };
  if (ref === undefined || head === null) {
    const absent = { here: null, common: null };
    return isClean ? { id, outcome: 'new', reason: null, ...absent } : beside('secrets', absent);
  }
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
  const place = { id, here, common };
  const endsIt = hasEnded(session) && ref === sessionRef(id);
  if (added === 0 && !(endsIt && isUntouched)) return { outcome: 'same', reason: null, ...place };
  if (!isClean) return beside('secrets', { here, common });
  const reopensIt = !hasEnded(session) && ref === archiveRef(id);
  if (isUntouched && !reopensIt) return { outcome: 'forwarded', reason: null, ...place };
  return beside('both', { here, common });
}

/** Returns the id of a copy of a session that is kept beside: one head is copied once. It is as old as the session. */
function copyId({ session_id: id, head }: BundledSession): string {
  const derived = derivedUuid(id, head);
  return isUuid(id) ? id.slice(0, TIME_LENGTH) + derived.slice(TIME_LENGTH) : derived;
}

/** Length of the beginning of a UUID that is its time and version. */
const TIME_LENGTH = '01a2007b-bfe0-7'.length;

/** Finds the copy of a session that an earlier import kept beside; null if there is none. @throws {CtxError} invalid_bundle, if it was forgotten */
function copyHere(repository: Repository, read: (ref: string) => string | null, session: BundledSession): Place | null {
  const id = copyId(session);
  if (wasForgotten(repository, id)) throw forgotten(id);
  const ref = [sessionRef(id), archiveRef(id)].find((one) => read(one) !== null);
  const head = ref === undefined ? null : read(ref);
  if (ref === undefined || head === null) return null;
  if (readChain(repository.objects, head, ref).session.forgotten_at !== undefined) throw forgotten(id);
  return { id, outcome: 'same', reason: null, here: { ref, head }, common: null };
}

/** Returns whether a step holds nothing but what an import has said of its session. */
function isOfImport(objects: ObjectStore, oid: string): boolean {
  const records = readRecords(objects, readCommit(objects, oid).tree, `step ${oid}`, false);
  return records.length > 0 && records.every((record) => record.by === 'import');
}

const wasForgotten = (repository: Repository, id: string): boolean =>
  readForgotten(repository).sources.some((source) => source.session_id === id);

function checkNotForgotten(
  repository: Repository,
  theirs: ObjectStore,
  { session_id: id, head }: BundledSession,
): void {
  if (wasForgotten(repository, id)) throw forgotten(id);
  for (const { agent, agent_session_id } of readChain(theirs, head).session.sources)
    if (forgottenSource(repository, agent, agent_session_id) !== null) throw forgotten(id);
}

const forgotten = (id: string): CtxError => refused(`the session ${id} was forgotten here`);
