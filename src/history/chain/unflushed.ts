/** The pending records of a session that are in no step. */

import { distinctReports } from '../../core/intake/backlog.ts';
import { type Pending, pendingNames, readPending } from '../pending/pending.ts';
import type { Repository } from '../store/repository.ts';
import { type Chain, readRecords, walkChain } from './chain.ts';

/** Pending records of a session. */
export interface Waiting {
  /** The ids of records that its chain has already. */
  done: string[];
  /** The names of the files of the others, and the others themselves. */
  names: string[];
  records: Pending[];
}

/** Reads what is pending for a session. @throws {CtxError} damaged, newer_version */
export function readWaiting(repository: Repository, chain: Chain): Waiting {
  const id = chain.session.session_id;
  const all = pendingNames(repository, id);
  const done = alreadyFlushed(repository, chain, all);
  const names = all.filter((name) => !done.includes(recordOf(name)));
  return { done, names, records: readPending(repository, id, names) };
}

/** Returns the pending records of a session that are not in its chain. @throws {CtxError} damaged, newer_version */
export const unflushed = (repository: Repository, chain: Chain): Pending[] =>
  distinctReports(readWaiting(repository, chain).records);

/**
 * Returns the ids of pending records that a step has already: a flush was killed before it removed their files, or a backup
 * has brought them back. The head is enough for the first case, since every flush removes its files before the next one
 * begins; earlier steps are searched only for records that are older than a flushed one.
 */
export function alreadyFlushed({ objects }: Repository, chain: Chain, names: readonly string[]): string[] {
  const found: string[] = [];
  let sought = names.map(recordOf);
  const lookInto = (oid: string, tree: string): void => {
    const known = new Set(readRecords(objects, tree, `step ${oid}`, false).map(({ id }) => id));
    found.push(...sought.filter((id) => known.has(id)));
    // Ids are ordered by time.
    const newest = [...known].reduce((last, id) => (id > last ? id : last), '');
    sought = sought.filter((id) => id < newest && !known.has(id));
  };
  if (sought.length > 0) lookInto(chain.head, chain.tree);
  if (sought.length === 0) return found;
  for (const [oid, { tree }] of walkChain(objects, chain.head)) {
    if (oid !== chain.head) lookInto(oid, tree);
    if (sought.length === 0) break;
  }
  return found;
}

const recordOf = (name: string): string => name.replace(/\.json$/, '');
