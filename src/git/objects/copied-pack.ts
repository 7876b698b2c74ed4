/** Copies entries of a received pack into packs of the store, as they are compressed there: each was made and bounded when it was received. */

import { busyIfPruned } from './bulk.ts';
import { releasePacks } from './keep-file.ts';
import type { ObjectFiles } from './objects.ts';
import { TYPES } from './pack.ts';
import { type PackWriter, packWriter } from './pack-writer.ts';
import type { ReceivedEntry, ReceivedPack } from './received-pack.ts';

/** Most objects of one pack: some 200 bytes about each are held until its pack is written. */
const MOST = 40_000;
/** Longest chain of deltas that is kept, as Git's own: a longer one makes every later read expensive. */
const DEEPEST = 50;

/**
 * Copies them.
 * @returns the `.keep` files of the packs, which no pointer names yet: the caller removes them after it has moved the pointers
 * @throws {CtxError} busy, io
 */
export function copyEntries(
  repository: ObjectFiles,
  received: ReceivedPack,
  isWanted: (oid: string) => boolean,
): readonly string[] {
  const kept: string[] = [];
  let pack: PackWriter | null = null;
  const publish = (): void => {
    const keep = busyIfPruned(() => pack?.publish());
    if (keep) kept.push(keep);
    pack = null;
  };
  try {
    let add = adder(received);
    for (const entry of received.entries()) {
      if (!isWanted(entry.oid)) continue;
      pack ??= packWriter(repository);
      add(pack, entry);
      if (pack.count() < MOST) continue;
      publish();
      add = adder(received);
    }
    publish();
    return kept;
  } catch (error) {
    pack?.discard();
    releasePacks(kept);
    throw error;
  }
}

/** Returns what adds entries to one pack: a delta stays one if its base is in the pack too. */
function adder(received: ReceivedPack): (pack: PackWriter, entry: ReceivedEntry) => void {
  /** By their offsets in the received pack. */
  const added = new Map<number, { oid: string; depth: number }>();
  return (pack, { oid, offset, head: { kind, size, base }, data }) => {
    const type = TYPES[kind] ?? null;
    const from = typeof base === 'number' ? added.get(base) : undefined;
    const isCopied = type !== null || (from !== undefined && from.depth < DEEPEST);
    added.set(offset, { oid, depth: isCopied && from ? from.depth + 1 : 0 });
    if (isCopied) return pack.addEntry(oid, { type, size, base: from?.oid ?? null, data });
    const object = received.read(oid);
    pack.add(oid, object.type, object.content);
  };
}
