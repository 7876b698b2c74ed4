/** When a session was moved last: what a transcript tells of before that moves it no more. */
import { isKind } from '../core/record.ts';
import { type Chain, readRecords, walkChain } from '../store/chain.ts';
import type { ObjectStore } from '../store/objects.ts';

/**
 * In Unix seconds, 0 where there is no session yet; when its task was told where nothing has moved it yet, which may be before its
 * transcript says that it begins.
 * Not when it was last active: a note of the user's, or a record of the program, says nothing of how far its moves are known.
 */
export function lastMove(objects: ObjectStore, chain: Chain | null): number {
  if (chain === null) return 0;
  let told = chain.session.started_at;
  for (const [oid, { tree }] of walkChain(objects, chain.head)) {
    for (const record of readRecords(objects, tree, `step ${oid}`, false).toReversed()) {
      if (isKind(record, 'transition')) return record.at;
      if (isKind(record, 'task')) told = Math.min(told, record.at);
    }
  }
  return told;
}
