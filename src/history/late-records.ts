/** Late records: their session has ended, or was undone, while they were on their way. */

import { kindOf } from '../git/objects/object-lookup.ts';
import { readChain } from './chain/chain.ts';
import { flushInto } from './flush.ts';
import { archiveRef, sessionRef } from './names/layout.ts';
import { movesOf } from './operations/operation-files.ts';
import { readChoice } from './pending/choices.ts';
import { pendingNames } from './pending/pending.ts';
import type { Repository } from './store/repository.ts';

/** The destination of a session's late records. */
export interface Late {
  /** The step that they follow. */
  head: string;
  /** The present value of its archive; null if it has none. */
  archived: string | null;
}

/** Returns the destination of a session's pending records; null if the session is open, or unknown. */
export function lateDestination({ refs, objects, layout }: Repository, id: string): Late | null {
  if (refs.read(sessionRef(id)) !== null) return null;
  const archived = refs.read(archiveRef(id));
  if (archived !== null) return { head: archived, archived };
  // Observing takes no lock: an undo of an ingest may not have seen records on their way.
  const [[open], [kept]] = [movesOf(layout, sessionRef(id)), movesOf(layout, archiveRef(id))];
  const head = open?.new === null && !kept?.new ? open.old : null;
  return head !== null && kindOf(objects, head) === 'commit' ? { head, archived } : null;
}

/** Returns whether there are late records; those after an unanswered question wait for its answer. */
export function isLate(repository: Repository, id: string): boolean {
  if (lateDestination(repository, id) === null) return false;
  const choice = readChoice(repository, id);
  return choice === null || pendingNames(repository, id).some((name) => name < choice.id);
}

/** Writes the late records as a step on the archive; the canonical commit stays as it is. Only under LOCK. @returns their number */
export function flushLate(repository: Repository, id: string): number {
  const late = lateDestination(repository, id);
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
