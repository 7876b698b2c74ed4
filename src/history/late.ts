/** Records that come too late for their session: it has ended, or was taken back, while they were on their way. */

import { archiveRef, sessionRef } from '../git/layout.ts';
import { kindOf } from '../git/objects/object-lookup.ts';
import { readChain } from './chain/chain.ts';
import { flushInto } from './flush.ts';
import { movesOf } from './operations/operation-files.ts';
import { readChoice } from './pending/choices.ts';
import { pendingNames } from './pending/pending.ts';
import type { Repository } from './store/repository.ts';

/** Where the late records of a session are put. */
export interface Late {
  /** The step that they follow. */
  head: string;
  /** What its archive names now; null where it has none. */
  archived: string | null;
}

/** Where records go on that wait for a session; null where it is open, or nothing tells that it ever was. */
export function lateOf({ refs, objects, layout }: Repository, id: string): Late | null {
  if (refs.read(sessionRef(id)) !== null) return null;
  const archived = refs.read(archiveRef(id));
  if (archived !== null) return { head: archived, archived };
  // Observing takes no lock: who took an ingest back may not have seen what was on its way to its session.
  const [[open], [kept]] = [movesOf(layout, sessionRef(id)), movesOf(layout, archiveRef(id))];
  const head = open?.new === null && !kept?.new ? open.old : null;
  return head !== null && kindOf(objects, head) === 'commit' ? { head, archived } : null;
}

/** Whether records wait that have come too late; those behind a question of ctx's that is left wait for its answer. */
export function isLate(repository: Repository, id: string): boolean {
  if (lateOf(repository, id) === null) return false;
  const choice = readChoice(repository, id);
  return choice === null || pendingNames(repository, id).some((name) => name < choice.id);
}

/** Puts them into a late step on the archive; a canonical commit stays as it is. Only under LOCK. @returns how many there were */
export function settleLate(repository: Repository, id: string): number {
  const late = lateOf(repository, id);
  if (late === null) return 0;
  const archive = archiveRef(id);
  const chain = readChain(repository.objects, late.head, archive);
  const at = repository.clock();
  const next = flushInto(repository, chain, at);
  const move = { pointer: archive, old: late.archived, new: next.chain.head };
  if (next.chain !== chain) repository.refs.move(move, { at, message: 'late step' });
  next.clean();
  return next.count;
}
