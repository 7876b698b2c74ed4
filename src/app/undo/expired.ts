/** Checks whether steps that `ctx gc --expire-steps` has squashed can still be restored. */
import { CtxError } from '../../core/errors.ts';
import { kindOf } from '../../git/objects/object-lookup.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { verifyObjects } from '../../health/verify/chain.ts';
import { type Chain, readChain, walkChain } from '../../history/chain/chain.ts';

/** Returns the head of a session before its steps were squashed; null if none were. */
function headIn({ session: { squashed } }: Chain): string | null {
  const head = (squashed as { head?: unknown } | undefined)?.head;
  return typeof head === 'string' ? head : null;
}

/** Returns the same, if no step has followed the squashed one. */
export const squashedHead = (chain: Chain): string | null => (chain.session.step === 1 ? headIn(chain) : null);

/**
 * Returns a chain with the steps that were squashed.
 * @throws {CtxError} not_found, if Git has pruned them, or other steps have followed
 */
export function unsquashed(objects: ObjectStore, chain: Chain): Chain {
  const before = headIn(chain);
  if (before === null) return chain;
  if (chain.session.step > 1) throw isExpired(chain);
  checkWhole(objects, chain, before);
  return readChain(objects, before);
}

/**
 * Checks that all objects are there, since Git prunes one by one.
 * @throws {CtxError} not_found, if any is gone; damaged
 */
function checkWhole(objects: ObjectStore, chain: Chain, before: string): void {
  const seen = new Set<string>();
  try {
    for (const [, { tree }] of walkChain(objects, before)) verifyObjects(objects, tree, seen);
  } catch (error) {
    // Only an object that is missing has its id in the error.
    throw error instanceof CtxError && typeof error.data?.oid === 'string' ? isExpired(chain) : error;
  }
}

/** Checks that steps were not expired: squashed steps that Git has pruned are no damage. */
export function checkUnexpired(objects: ObjectStore, chain: Chain, steps: readonly string[]): void {
  if (chain.session.squashed === undefined || steps.every((step) => kindOf(objects, step) !== 'absent')) return;
  // A chain that is broken now reports that itself.
  Array.from(walkChain(objects, chain.head));
  throw isExpired(chain);
}

function isExpired({ session }: Chain): CtxError {
  return new CtxError('not_found', `The steps of ${session.session_id} were expired: there is no way back to them.`, {
    hint: `Nothing was changed. See what is left with: ctx show ${session.session_id}`,
  });
}
