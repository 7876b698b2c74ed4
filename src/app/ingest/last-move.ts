/** Finds when a session was last moved: earlier events of a transcript move it no more. */
import { isKind } from '../../core/records/record.ts';
import type { Source } from '../../core/session/session.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { type Chain, readChain, readRecords, walkChain } from '../../history/chain/chain.ts';
import { hasReached } from './observed.ts';

/**
 * Returns when a session was last moved other than by its transcript, in Unix seconds; 0 if there is no session yet.
 * Moves of the transcript itself precede what is new in it, whatever the clock said. Without any such move it is the
 * time of the task, which may precede the beginning of the transcript. The last activity would be wrong: a note of the
 * user's, or a record of the program, is no move.
 * @param read the position in the transcript; undefined if it is read from its beginning
 */
export function lastMove(objects: ObjectStore, chain: Chain | null, read: Source | undefined): number {
  if (chain === null) return 0;
  let told = chain.session.started_at;
  /** The time of the last move in the step above: it counts unless that step has read up to the position. */
  let above: number | undefined;
  for (const [oid, { tree }] of walkChain(objects, chain.head)) {
    if (read?.moved_before !== undefined && !hasReached(readChain(objects, oid), read)) return read.moved_before;
    if (above !== undefined) return above;
    for (const record of readRecords(objects, tree, `step ${oid}`, false).toReversed()) {
      if (isKind(record, 'transition')) above ??= record.at;
      if (isKind(record, 'task')) told = Math.min(told, record.at);
    }
  }
  return read?.moved_before ?? above ?? told;
}
