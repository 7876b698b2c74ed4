/** When a session was moved last: what a transcript tells of before that moves it no more. */
import { isKind } from '../../core/record.ts';
import type { Source } from '../../core/session.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { type Chain, readChain, readRecords, walkChain } from '../../history/chain/chain.ts';
import { hasReached } from './observed.ts';

/**
 * When somebody else than a transcript moved a session last, in Unix seconds; 0 where there is no session yet. What the
 * transcript itself has moved stands before what is new in it, whatever the clock said. Where nobody has moved it yet:
 * when its task was told, which may be before its transcript says that it begins. Not when it was last active: a note
 * of the user's, or a record of the program, says nothing of how far its moves are known.
 * @param read how far the transcript was read; undefined where it is read from its beginning
 */
export function lastMove(objects: ObjectStore, chain: Chain | null, read: Source | undefined): number {
  if (chain === null) return 0;
  let told = chain.session.started_at;
  /** When the step above was moved: it counts unless that is the one which has read so far. */
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
