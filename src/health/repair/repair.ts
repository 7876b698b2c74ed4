/** Repairs a store without losing anything: torn files are moved into `lost/`, never deleted. */

import { CtxError } from '../../core/errors.ts';
import { plural } from '../../core/text.ts';
import { LOOSE_LIMIT } from '../../git/layout.ts';
import { repairGitCaches } from '../../git/objects/git-caches.ts';
import { decodeLoose } from '../../git/objects/loose.ts';
import { ASK_GIT, isOversized, TOO_LARGE } from '../../git/objects/oversized.ts';
import { isDamaged, setAside } from '../../git/set-aside.ts';
import { finishForgetting, repairForgetting } from '../../history/forget/execute-plan.ts';
import { readChoice, sessionsWithChoice } from '../../history/pending/choices.ts';
import { repairForeignRefs } from '../../history/pointers/foreign.ts';
import { takeBackBegun } from '../../history/pointers/oplog.ts';
import type { Repository } from '../../history/store/repository.ts';
import { below } from '../../platform/below.ts';
import { listFolder, readIfThere, rootCode } from '../../platform/files.ts';
import { removeAbandoned } from '../gc/temporaries.ts';
import { obstacles, repairLinks } from '../links.ts';
import { repairReflogs } from '../reflog-ids.ts';
import { strangeLocks } from '../strange-locks.ts';
import { repairConfig } from './config.ts';
import { repairOperations } from './operations.ts';
import { repairPending } from './pending.ts';
import { repairPointers, repairStage } from './pointers.ts';
import { repairSkeleton } from './skeleton.ts';

/**
 * Returns why nothing can be repaired: an entry that would lead the repair out of the store, or block it; null if there is
 * none.
 */
export function whyNot({ layout }: Repository): string | null {
  for (const [name, what] of obstacles(layout)) return `Repaired nothing: ${name} is ${what}.`;
  for (const { name, what } of strangeLocks(layout))
    return `Repaired nothing: ${name} is ${what}; ctx fsck --break-lock sets it aside in lost/.`;
  return null;
}

/** Repairs what all other repairs depend on; yields a sentence for each repair. Only under LOCK, before anything else. */
export function* repairFoundations(repository: Repository): Generator<string> {
  yield* repairSkeleton(repository);
  yield* repairLinks(repository);
}

/**
 * Repairs the store under LOCK; yields a sentence for each repair.
 * @param isLost whether objects of a pack became missing: no head that needs one is set back, since they may be fetched
 */
export function* repairStore(repository: Repository, isLost: boolean): Generator<string> {
  if (repairForgetting(repository))
    yield 'Set the plan of a forgetting aside in lost/: it is torn, or was not made in this store. Nothing of it was followed.';
  // Its moved and unmoved pointers would look like damage.
  if (finishForgetting(repository)) yield 'Finished a forgetting, which had been cut off.';
  const parts = [
    repairConfig,
    repairObjects,
    repairGitCaches,
    repairOperations,
    (whole: Repository) => repairPointers(whole, isLost),
    repairStage,
    repairForeignRefs,
    repairReflogs,
    repairBegun,
    repairPending,
    repairChoices,
    repairTemporaries,
  ];
  for (const part of parts) yield* goingOn(part(repository));
}

/** Codes of the machine for a missing permission. */
const CLOSED = ['EACCES', 'EPERM'];

/**
 * Runs a part of the repair. Files that are too damaged, unreadable, or of a newer ctx are left to the check, and do not
 * stop the other parts.
 */
function* goingOn(part: Iterable<string>): Generator<string> {
  try {
    yield* part;
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    const isClosed = CLOSED.includes(rootCode(error));
    const isNewer = error.code === 'newer_version';
    if (error.code !== 'damaged' && !isClosed && !isNewer) throw error;
    if (isNewer) yield `Left a part as it is: ${error.message} Upgrade ctx, and run the command again.`;
    if (isClosed)
      yield `Left a part as it is: ${error.message}. Check who owns that file and its permissions, and run the command again.`;
  }
}

function* repairBegun(repository: Repository): Generator<string> {
  const taken = takeBackBegun(repository);
  if (taken)
    yield `Took back "${taken.command}", which was cut off and cannot be finished: a pointer of it has moved on.`;
}

function* repairTemporaries(repository: Repository): Generator<string> {
  const removed = removeAbandoned(repository);
  if (removed > 0) yield `Removed ${plural(removed, 'temporary file')} of processes that were killed.`;
}

/** Moves torn loose objects aside: one that is packed too is whole again then. */
function* repairObjects(repository: Repository): Generator<string> {
  const { objects } = repository.layout;
  for (const folder of listFolder(objects).filter((name) => /^[0-9a-f]{2}$/.test(name))) {
    for (const name of listFolder(below(objects, folder)).filter((entry) => /^[0-9a-f]{38}$/.test(entry))) {
      const path = below(objects, folder, name);
      if (!isDamaged(() => checkLoose(path, folder + name))) continue;
      if (isOversized(path)) {
        yield `Left the object ${folder}${name} as it is: ${TOO_LARGE}. ${ASK_GIT}`;
        continue;
      }
      if (!setAside(repository, path)) continue;
      const whole = !isDamaged(() => repository.objects.read(folder + name));
      yield `Set the torn object ${folder}${name} aside in lost/${whole ? '; a pack holds it whole' : ''}.`;
    }
  }
}

/**
 * Checks a loose object. Git packs without our lock: a file that is gone since the listing is not torn.
 * @throws {CtxError} damaged
 */
function checkLoose(path: string, oid: string): void {
  const file = readIfThere(path, LOOSE_LIMIT);
  if (file !== undefined) decodeLoose(file, oid);
}

/** Returns whether a single file is damaged; one of a newer ctx is not, and must not hide the others. */
function isTorn(read: () => unknown): boolean {
  try {
    return isDamaged(read);
  } catch (error) {
    if (error instanceof CtxError && error.code === 'newer_version') return false;
    throw error;
  }
}

/** Moves torn questions aside: the message of a question is in a record too. */
function* repairChoices(repository: Repository): Generator<string> {
  for (const id of sessionsWithChoice(repository)) {
    if (!isTorn(() => readChoice(repository, id))) continue;
    setAside(repository, below(repository.layout.choices, `${id}.json`));
    yield `Set the torn question choices/${id}.json aside in lost/.`;
  }
}
