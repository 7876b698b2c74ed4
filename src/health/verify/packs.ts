/** Checks of packs, of their indexes, and of what else Git makes of objects, as whole files. */
import { basename } from 'node:path';
import type { Layout } from '../../git/layout.ts';
import { NOT_ITS_CHECKSUM } from '../../git/objects/checksum.ts';
import { damagedGitCaches } from '../../git/objects/git-caches.ts';
import { faultsOf, indexOf, packPaths } from '../../git/objects/pack-faults.ts';
import { damage, type Finding, guarded, REPAIR } from '../finding.ts';

const NO_INDEX = 'it has no index, so that nothing in it can be read';

/** @param full read every byte of every pack: an object that is whole elsewhere too does not show in any other way */
export function* verifyPacks(layout: Layout, full: boolean): Generator<Finding> {
  yield* guarded('object', 'objects/pack', () => verifyIndexed(layout, full));
  yield* guarded('object', 'objects', () => verifyMadeByGit(layout));
}

const whereOf = (path: string): string => `objects/pack/${basename(path)}`;

function* verifyIndexed(layout: Layout, full: boolean): Generator<Finding> {
  for (const path of packPaths(layout)) {
    const where = whereOf(path);
    yield* guarded('object', where, function* () {
      for (const { what, error } of faultsOf(path, full)) {
        const hint = error.hint ?? REPAIR;
        if (what === 'index' || what === 'unreadable index')
          yield damage('object', whereOf(indexOf(path)), error.message, hint);
        else if (what === 'pack') yield damage('object', where, NOT_ITS_CHECKSUM, hint);
        else yield { severity: 'leftover', kind: 'object', where, message: NO_INDEX, hint: REPAIR };
      }
    });
  }
}

/** What Git alone reads: its commands go wrong on it, and nothing is lost with it. */
function* verifyMadeByGit(layout: Layout): Generator<Finding> {
  for (const [name, why] of damagedGitCaches(layout))
    yield damage('object', name, why, `${REPAIR} sets it aside in lost/: Git makes it again when it needs it.`);
}
