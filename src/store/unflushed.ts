/** What waits for a session and is in no step of it. */
import { type Chain, readRecords } from './chain.ts';
import { type Pending, pendingNames, readPending } from './pending.ts';
import type { Repository } from './repository.ts';

/** The records that wait for a session and are not in its chain. @throws {CtxError} damaged, newer_version */
export function unflushed(repository: Repository, chain: Chain): Pending[] {
  const id = chain.session.session_id;
  const names = pendingNames(repository, id);
  const done = new Set(alreadyFlushed(repository, chain, names));
  const fresh = names.filter((name) => !done.has(recordOf(name)));
  return readPending(repository, id, fresh);
}

/**
 * Ids of records whose files still wait although the head's step has them: a flush was killed before it removed them. The
 * head is enough, since every flush removes its files before the next one begins.
 */
export function alreadyFlushed(repository: Repository, chain: Chain, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const records = readRecords(repository.objects, chain.tree, `step ${chain.head}`, false);
  const known = new Set(records.map((record) => record.id));
  return names.map(recordOf).filter((id) => known.has(id));
}

const recordOf = (name: string): string => name.replace(/\.json$/, '');
