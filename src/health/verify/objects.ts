/** Checks every object, reachable or not: the loose ones, and those of each pack in its order. */

import type { Layout } from '../../git/layout.ts';
import { loosePath } from '../../git/objects/loose.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { ASK_GIT, isOversized, TOO_LARGE } from '../../git/objects/oversized.ts';
import { openPack } from '../../git/objects/pack.ts';
import { looseOids, packNames } from '../../history/forget/store-listing.ts';
import type { Repository } from '../../history/store/repository.ts';
import { below } from '../../platform/below.ts';
import { exists } from '../../platform/files.ts';
import { type Finding, findingOf, guarded, tooLarge } from '../finding.ts';

/** Checks them. @param seen objects that were read already */
export function* verifyEveryObject({ objects, layout }: Repository, seen: ReadonlySet<string>): Generator<Finding> {
  for (const oid of looseOids(layout)) if (!seen.has(oid)) yield* verifyLoose(objects, layout, oid);
  // A concurrent Git may pack: an object that has left one pack is in another one.
  const checked = new Set<string>();
  const next = (): string | undefined => packNames(layout).find((pack) => !checked.has(pack));
  for (let pack = next(); pack !== undefined; pack = next()) {
    const name = pack;
    checked.add(name);
    yield* guarded('object', `objects/pack/${name}.pack`, () => verifyPacked(layout, name, seen));
  }
}

function* verifyLoose(objects: ObjectStore, layout: Layout, oid: string): Generator<Finding> {
  try {
    objects.read(oid);
  } catch (error) {
    if (!isOversized(loosePath(layout.objects, oid))) yield findingOf(error, 'object', oid);
    else yield tooLarge('object', oid, TOO_LARGE, ASK_GIT);
  }
}

function* verifyPacked(layout: Layout, name: string, seen: ReadonlySet<string>): Generator<Finding> {
  const path = below(layout.pack, `${name}.pack`);
  if (!exists(path)) return;
  const pack = openPack(path);
  try {
    // Readers of an object that is loose too read the loose one.
    for (const { oid, error } of pack.check((id) => !seen.has(id) && !exists(loosePath(layout.objects, id))))
      if (error !== null) yield findingOf(error, 'object', oid);
  } finally {
    pack.close();
  }
}
